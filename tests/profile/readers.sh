# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the readers of raw and indexed profiles with llvm-profdata, on
# programs of this machine in all modes, on profiles that firmware wrote in
# QEMU, and on profiles that forge.c makes, if no tool for the version or
# machine is installed. `run` sources this file; print.c and canon.awk convert
# both sides to the same lines.

build_reader() {
  program=$1
  shift
  error=$(tool_program "$program" "$SANITIZERS" "$@" 2>&1) &&
    [ -z "$error" ] && return
  not_ok "profile readers compile" "$(printf '%s' "$error" | one_line)"
  return 1
}

build_readers() {
  build_reader "$OUT/print" $HERE/print.c &&
    build_reader "$OUT/forge" $FORGE
}

# Lines that llvm-profdata's text does not have.
no_place='^id \|^vtable \|^memprof '

# theirs LLVM ARGUMENTS...: prints lines of llvm-profdata's merge.
theirs() {
  tool=llvm-profdata-$1
  shift
  "$tool" merge --text "$@" -o "$OUT/text" 2>"$OUT/why" ||
    { cat "$OUT/why"; return 1; }
  awk -f $HERE/canon.awk "$OUT/text" | sort
}

# ours ARGUMENTS...: prints the same lines from our readers.
ours() {
  "$OUT/print" "$@" >"$OUT/printed" 2>"$OUT/why" ||
    { cat "$OUT/why"; return 1; }
  grep -v "$no_place" "$OUT/printed" | sort
}

# same FILE FILE: expects equal files that are not empty.
same() {
  cmp -s "$1" "$2" && [ -s "$1" ] && return
  diff "$1" "$2" | sed -n 's/^[<>]/&/p' | head -n 3 | cut -c1-120
  return 1
}

# same_as_llvm LLVM PRINT_ARGUMENTS MERGE_ARGUMENTS: compares what we print with
# what llvm-profdata merges.
same_as_llvm() {
  llvm=$1
  theirs "$llvm" $3 >"$OUT/theirs" || { cat "$OUT/theirs"; return 1; }
  ours $2 >"$OUT/ours"
  # The text of older releases does not have this flag.
  [ "$llvm" -ge 18 ] || sed -i /^flag.single_byte/d "$OUT/ours"
  same "$OUT/theirs" "$OUT/ours"
}

# ---- programs of this machine ----

one_mode() {
  file=$OUT/$llvm-$mode
  "clang++-$llvm" -O1 -w $flags $HERE/program.cpp -o "$file" || return 1
  elf= correlate=
  for i in 1 2; do
    LLVM_PROFILE_FILE=$file-$i.profraw "$file" $((31 * i)) || return 1
  done
  case $mode in
  binary) elf="elf=$file" correlate=--binary-file=$file ;;
  debug*) elf="elf=$file" correlate=--debug-info=$file ;;
  esac
  cat "$file-1.profraw" "$file-2.profraw" >"$file-3.profraw"
  one=$file-1.profraw two=$file-2.profraw
  same_as_llvm "$llvm" "$elf $one" "$correlate $one" &&
    same_as_llvm "$llvm" "$elf $one $two" "$correlate $one $two" &&
    same_as_llvm "$llvm" "$elf cache $one $two $one $two" \
      "$correlate $one $two $one $two" &&
    same_as_llvm "$llvm" "$elf weight=3 $one" \
      "$correlate -weighted-input=3,$one" ||
    return
  [ -n "$elf" ] || same_as_llvm "$llvm" "$file-3.profraw" "$one $two" || return
  [ "$mode" != vtables ] || { same_vtables "$one" && same_vtables "$two"; } ||
    return
  indexed_mode
}

# Compares the values of vtables, with names, a line for each.
same_vtables() {
  "llvm-profdata-$llvm" show --all-functions --show-vtables "$1" |
    sed -n 's/^\t\[ *[0-9]*, \(.*\), *\([0-9]*\) \].*/\1:\2/p' |
    sort >"$OUT/theirs"
  "$OUT/print" vtables "$1" | sed 's/[*][* A-Za-z]*[*]//g' |
    awk -F ' site ' '{ for (i = 2; i <= NF; i++) if (sub(/^2 /, "", $i))
      print $i }' | tr ' ' '\n' | sort >"$OUT/ours"
  same "$OUT/theirs" "$OUT/ours"
}

# Compares llvm-profdata's indexed files, in its version and in the one before.
indexed_mode() {
  "llvm-profdata-$llvm" merge $correlate "$one" "$two" -o "$file.profdata" &&
    same_as_llvm "$llvm" "$file.profdata" "$file.profdata" &&
    same_as_llvm "$llvm" "$file.profdata $file.profdata" \
      "$file.profdata $file.profdata" || return
  [ "$llvm" -ge 19 ] || return 0
  "llvm-profdata-$llvm" merge -write-prev-version $correlate "$one" "$two" \
    -o "$file-old.profdata" &&
    same_as_llvm "$llvm" "$file-old.profdata" "$file-old.profdata"
}

host_programs() {
  for llvm in ${LLVM:-13 14 15 19 22}; do
    label="profile readers: raw and indexed of clang $llvm"
    wanted "$label" || continue
    if ! have_llvm "$llvm"; then
      skip "$label" "no clang-$llvm"
      continue
    fi
    modes_of "$llvm" more >"$OUT/modes"
    while IFS='|' read -r mode from to flags; do
      check "$label, $mode" one_mode
    done <"$OUT/modes"
  done
}

# ---- what firmware wrote ----

firmware_alike() {
  done_files=0
  for raw in "$BUILD"/tests/target/*/*.profraw; do
    [ -s "$raw" ] || continue
    llvm=$(tool_of "$raw")
    have "llvm-profdata-$llvm" || continue
    # Skips files that are correlated, and so need the ELF, or wrong on purpose.
    "llvm-profdata-$llvm" show "$raw" >/dev/null 2>&1 || continue
    same_as_llvm "$llvm" "$raw" "$raw" || { echo "$raw"; return 1; }
    done_files=$((done_files + 1))
  done
}

firmware_profiles() {
  label="profile readers: what firmware wrote in QEMU"
  wanted "$label" || return
  if why=$(lacks llvm:$LLVM_HOST board:mps2-an385) && [ -n "$why" ]; then
    skip "$label" "$why"
    return
  fi
  firmware_rows
  # LLVM 17's record has no MC/DC.
  least=5
  [ "$LLVM_HOST" -gt 17 ] || least=2
  firmware_alike >"$OUT/why" && [ "$done_files" -gt $least ] &&
    ok "$label ($done_files files)" ||
    not_ok "$label" "$done_files files: $(one_line <"$OUT/why")"
}

# ---- forged ----

# as_forged FILE ARGUMENTS...: our reader finds all contents, with ids and
# vtables.
as_forged() {
  forged=$1
  shift
  "$OUT/forge" "$@" "$forged" | grep . | sort >"$OUT/expected" || return 1
  "$OUT/print" vtables "$forged" 2>&1 | sort >"$OUT/seen"
  same "$OUT/expected" "$OUT/seen"
}

forged_raw() {
  for version in 5 7 8 9 10 11; do
    for pointer in 4 8; do
      for big in 0 1; do
        for mode in counts bytes; do
          forged=$OUT/raw-$version-$pointer-$big-$mode.profraw
          label="raw $version, $pointer bytes, big $big, $mode"
          check "profile readers: $label" as_forged "$forged" \
            raw $version $pointer $big $mode
        done
      done
    done
  done
}

# The reader skips additional counters of GPUs.
forged_uniform() {
  for pointer in 4 8; do
    for big in 0 1; do
      forged=$OUT/raw-11-$pointer-$big-uniform.profraw
      label="profile readers: raw 11 with uniform counters, $pointer, big $big"
      check "$label" as_forged "$forged" raw 11 $pointer $big uniform
      [ "$LLVM_HOST" -lt 23 ] || check "$label, next to llvm-profdata" \
        same_as_llvm "$LLVM_HOST" "$forged" "$forged"
    done
  done
}

# llvm-profdata reads its own version and those before.
forged_indexed() {
  for version in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
    forged=$OUT/indexed-$version.profdata
    label="profile readers: indexed $version"
    check "$label" as_forged "$forged" indexed $version
    case $version in
      1[34]) first=$((version + 9)) ;; 12) first=19 ;; *) first=$((version + 7)) ;;
    esac
    [ "$LLVM_HOST" -ge "$first" ] || continue
    check "$label, next to llvm-profdata" same_as_llvm $LLVM_HOST "$forged" "$forged"
  done
}

# Reads files of more builds than the reader keeps, in turn.
forged_builds() {
  set -- "$OUT"/raw-*-counts.profraw
  "$OUT/print" "$@" "$@" >"$OUT/expected" &&
    "$OUT/print" cache "$@" "$@" >"$OUT/seen" &&
    same "$OUT/expected" "$OUT/seen"
}

# ---- what is wrong ----

# says TEXT ARGUMENTS...: the reader prints TEXT, and adds nothing.
says() {
  text=$1
  shift
  "$OUT/print" "$@" >"$OUT/said" 2>&1 || { cat "$OUT/said"; return 1; }
  grep -q "^error .*$text" "$OUT/said" && ! grep -q '^error and' "$OUT/said" &&
    return
  cat "$OUT/said"
  return 1
}

# byte FILE OFFSET VALUE: makes a copy in $OUT/changed with that byte.
byte() {
  cp "$1" "$OUT/changed" &&
    printf "\\$(printf %o "$3")" |
    dd of="$OUT/changed" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# Each truncated file is rejected, unless it lacks only zeros at the end.
cut_anywhere() {
  size=$(wc -c <"$1") at=0 step=41
  [ -z "${FULL:-}" ] || step=13
  while [ $((at += step)) -lt $((size - 8)) ]; do
    head -c $at "$1" >"$OUT/cut"
    "$OUT/print" "$OUT/cut" >"$OUT/said" 2>&1 || { cat "$OUT/said"; return 1; }
    grep -q '^error' "$OUT/said" || { echo "cut at $at is read"; return 1; }
    ! grep -q '^error and\|^function' "$OUT/said" ||
      { echo "cut at $at is added"; return 1; }
  done
}

# for_elf LABEL FILES COMMAND...: runs a check on files that clang made above.
for_elf() {
  label="profile readers: $1"
  for file in $2; do
    [ -e "$OUT/$file" ] && continue
    skip "$label" "no clang-${file%%-*}"
    return
  done
  shift 2
  check "$label" "$@"
}

refused() {
  raw=$OUT/raw-10-8-0-counts.profraw
  for forged in "$raw" "$OUT/raw-11-4-1-bytes.profraw" \
    "$OUT/raw-7-8-0-counts.profraw" "$OUT/indexed-14.profdata" \
    "$OUT/indexed-3.profdata"; do
    check "profile readers: cut short, $(basename "$forged")" \
      cut_anywhere "$forged"
  done
  check "profile readers: raw 6 is refused" eval \
    'byte $raw 8 6 && says "raw version 6" $OUT/changed'
  check "profile readers: raw 12 is refused" eval \
    'byte $raw 8 12 && says "upgrade bareprof" $OUT/changed'
  check "profile readers: indexed 15 is refused" eval \
    'byte $OUT/indexed-14.profdata 8 15 && says upgrade $OUT/changed'
  check "profile readers: indexed 14 with uniformity bits is refused" eval \
    '"$OUT/forge" indexed 14 $OUT/uniform uniform >/dev/null &&
      says "GPU code" $OUT/uniform'
  check "profile readers: what follows a profile is refused, and that with it" \
    eval 'cat $raw $HERE/print.c >$OUT/changed &&
      says "other data follows" $OUT/changed'
  check "profile readers: of two concatenated, one cut short, none is added" \
    eval 'head -c 300 $raw | cat $raw - >$OUT/changed &&
      says "truncated" $OUT/changed'
  check "profile readers: front end and IR do not mix" \
    eval '"$OUT/forge" raw 10 8 0 counts $OUT/ir >/dev/null &&
      byte $OUT/ir 15 0 && says "the two kinds" $OUT/ir $OUT/changed'
  for_elf "without records the ELF is asked for" "22-binary-1.profraw" \
    says "pass the ELF to bareprof merge with --elf" "$OUT/22-binary-1.profraw"
  for_elf "another ELF is refused" "22-debug-4 22-binary-1.profraw" \
    says "pass the ELF that ran" "elf=$OUT/22-debug-4" \
    "$OUT/22-binary-1.profraw"
}

# The counters of the last function, delta, are 30 and 31.
events() {
  raw=$OUT/raw-10-8-0-counts.profraw
  at=$(LC_ALL=C grep -obaP '\x1e\0{7}\x1f\0{7}' "$raw" | sed 's/:.*//;q')
  check "profile readers: a count beyond reason is reported, and all is read" \
    eval 'byte $raw $((at + 7)) 2 && "$OUT/print" $OUT/changed >$OUT/said &&
      grep -q "^event suspect delta$" $OUT/said &&
      grep -q "^function delta .* 144115188075855902 31 " $OUT/said &&
      grep -q "^function alpha" $OUT/said'
  check "profile readers: a sum that does not fit is reported" \
    eval '"$OUT/print" weight=9223372036854775807 $raw >$OUT/said &&
      grep -q "^event overflow delta$" $OUT/said &&
      grep -q "^function delta .* 18446744073709551613 " $OUT/said'
  check "profile readers: a bitmap and sites that others lack are reported" \
    eval 'for i in 10 12 13; do echo "$OUT/indexed-$i.profdata"; done |
      xargs "$OUT/print" >$OUT/said && equal_text "$(grep ^e $OUT/said |
      tr "\n" " ")" "event one-bitmap beta event one-sites beta " &&
      grep -q "^function beta 21 630 633 636 bitmap 3 255 .* site 2 .*:12$" \
        $OUT/said'
  check "profile readers: bitmaps of LLVM 18 and 19 do not mix" \
    says "separately" "$OUT/indexed-11.profdata" \
    "$OUT/indexed-12.profdata"
}

if build_readers; then
  forged_raw
  check "profile readers: what is kept of builds changes nothing" \
    forged_builds
  forged_uniform
  forged_indexed
  host_programs
  refused
  events
  firmware_profiles
fi
