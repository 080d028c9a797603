#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares bareprof match of sample profiles with clang: a function that clang
# finds in the profile has an entry count. `run` sources this file.

taken_program() {
  mkdir -p "$folder/first" "$folder/next"
  cat >"$folder/first/one.c" <<'END'
#define APART __attribute__((noinline))
APART static int twice(int x) { return x > 3 ? 7 * x : x; }
APART int summed(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += i ^ x;
  return sum;
}
APART int chosen(int x) {
  if (x & 1)
    return twice(x);
  return summed(x) + 1;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += chosen(i) + summed(i);
  return sum == 1;
}
END
}

# taken_compile FOLDER FLAG...: there, as its name is a part of some functions'.
taken_compile() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$folder/$1" && shift && "clang-$LLVM_HOST" $taken_flags "$@")
}

# taken_image FOLDER SOURCE OUT
taken_image() {
  taken_compile "$1" -c "$2" -o "../$3.o" &&
    "ld.lld-$LLVM_HOST" -e main "$folder/$3.o" -o "$folder/$3.elf"
}

# taken_profile SOURCE OPTION...: makes samples of each instruction, more of
# later ones.
taken_profile() {
  taken_program
  taken_image first "$1" one &&
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/one.elf" |
    awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1, "x" NR }' \
      >"$folder/samples"
  shift
  "$TOOL" samples "$folder/one.elf" "$folder/samples" --no-targets --force \
    -o "$folder/one.prof" "$@" 2>"$folder/said" &&
    "llvm-profdata-$LLVM_HOST" merge --sample --text "$folder/one.prof" \
      -o "$folder/theirs.prof"
}

# taken_by_clang SOURCE PROFILE: runs clang without its guesses for changed
# functions.
taken_by_clang() {
  taken_compile next -fprofile-sample-use="../$2" \
    -mllvm -salvage-stale-profile=false -S -emit-llvm "$1" -o ../used.ll ||
    return 1
  awk '
    FNR == NR {
      if (/^![0-9]+ = .*"function_entry_count", i64 [0-9]/) counted[$1] = 1
      next
    }
    FILENAME ~ /ll$/ {
      if (/^define/ && match($0, /!prof ![0-9]+/) &&
          counted[substr($0, RSTART + 6, RLENGTH - 6)] &&
          match($0, /@[^(]+/)) {
        name = substr($0, RSTART + 1, RLENGTH - 1)
        taken[name] = 1
        sub(/\.__uniq.*/, "", name)
        taken[name] = 1
      }
      next
    }
    /^[^ ]/ { name = $0; sub(/:.*/, "", name) }
    /^ [0-9.]+: [0-9]/ && name in taken { sum += $2 }
    END { print sum + 0 }' "$folder/used.ll" "$folder/./used.ll" \
    "$folder/theirs.prof"
}

# taken_pair EDIT SOURCE PROFILE: prints the reasons, if clang uses as many
# counts.
taken_pair() {
  sed "$1" "$folder/first/one.c" >"$folder/next/$2" &&
    taken_image next "$2" next || return
  "$TOOL" match "$folder/$3" "$folder/next.elf" >"$folder/table" || return
  awk -v clang="$(taken_by_clang "$2" "$3")" '
    NR == 1 { next }
    $1 == "all" { exit }
    { sum += $4 }
    $1 == "taken" { taken = $4; next }
    { reasons = reasons (reasons ? " " : "") $1 "=" $5 }
    END {
      if ($1 != "all" || sum != $4) print "the sum is wrong:"
      if (taken != clang) print "clang takes " clang ", not " taken ":"
      print reasons ? reasons : "none"
    }' "$folder/table"
}

taken_kind() {
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" --target=thumbv7m-none-eabi -O2 -ffreestanding \
    -c "$folder/first/one.c" -o "$folder/plain.o" &&
    "ld.lld-$LLVM_HOST" -e main "$folder/plain.o" -o "$folder/plain.elf" &&
    "$TOOL" match "$folder/one.prof" "$folder/plain.elf" |
    awk '$1 == "kind" { print $2, $5 }'
}

# Inlined and context-specific counts count for the function from which they
# come.
taken_inlined() {
  sed 's/^APART //' "$folder/first/one.c" >"$folder/first/inline.c"
  taken_image first inline.c inline && for taken_form in "${1:-}" \
    ${1:---context}; do
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/inline.elf" |
      awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1, "x" NR }' \
        >"$folder/samples"
    # shellcheck disable=SC2086 # None, or one.
    "$TOOL" samples "$folder/inline.elf" "$folder/samples" --no-targets \
      --force $taken_form -o "$folder/inline.prof" 2>"$folder/said" &&
      grep -q 'summed' "$folder/inline.prof" &&
      "$TOOL" match "$folder/inline.prof" "$folder/inline.elf" \
        --fail-under 100% >"$folder/table" &&
      [ "$(grep -c '^Names alone' "$folder/table")" = "$((${1:+1} + 0))" ] &&
      [ "$(awk '/^ +[0-9.]+: [0-9]/ { n += $2 } END { print n }' \
        "$folder/inline.prof")" = "$(awk '$1 == "all" { print $4 }' \
        "$folder/table")" ] || return 1
  done
}

# Contexts come from two builds: main has 5 counts of this build, 7 of the
# other.
taken_two() {
  taken_sum=$(awk '/^main:/ { on = 1 }
    on && /^ !CFGChecksum/ { print $2; exit }' "$folder/one.prof")
  printf '%s\n' "[main]:5:1" " 1: 5" " !CFGChecksum: $taken_sum" \
    "[a:2 @ main]:7:1" " 1: 7" " !CFGChecksum: 1" >"$folder/two.prof"
  "$TOOL" match "$folder/two.prof" "$folder/one.elf" |
    awk 'NR > 1 { print $1, $4 } $1 == "all" { exit }' | paste -sd ' ' -
}

taken_refused() {
  while IFS='|' read -r taken_text taken_why; do
    printf '%b' "$taken_text" >"$folder/bad"
    "$TOOL" match "$folder/bad" "$folder/one.elf" -o "$folder/no" \
      2>"$folder/said"
    [ $? = 1 ] && [ ! -e "$folder/no" ] &&
      [ "$(wc -l <"$folder/said")" = 1 ] &&
      grep -q "$taken_why" "$folder/said" ||
      { echo "$taken_text"; cat "$folder/said"; return 1; }
  done <<'END'
main:1:1\n 1; 5\n|line 2: expected SITE: COUNT
main:1:1\n  1: 5\n|line 2: expected fewer blanks
main:1:1\n 1: 5\n !CFGChecksum: x\n|line 3: expected a checksum
main:1:1\n 1: 0\n !CFGChecksum: 1\n|all counts are zero
END
}

# The binary form is rejected, with the command that converts it.
taken_binary() {
  "llvm-profdata-$LLVM_HOST" merge --sample --extbinary "$folder/one.prof" \
    -o "$folder/one.bin" || return
  "$TOOL" match "$folder/one.bin" "$folder/one.elf" -o "$folder/no" \
    2>"$folder/said"
  [ $? = 1 ] && [ ! -e "$folder/no" ] && [ "$(wc -l <"$folder/said")" = 1 ] &&
    grep -q 'convert the profile with llvm-profdata merge --sample --text' "$folder/said" ||
    { cat "$folder/said"; return 1; }
}

# The output names what is compared. Debug information is required.
taken_lined() {
  "$TOOL" match "$folder/theirs.prof" "$folder/one.elf" >"$folder/table" &&
    grep -q '^Names alone are compared' "$folder/table" &&
    "llvm-strip-$LLVM_HOST" -g "$folder/one.elf" -o "$folder/bare.elf" ||
    return
  "$TOOL" match "$folder/theirs.prof" "$folder/bare.elf" 2>"$folder/said"
  [ $? = 1 ] && grep -q 'bare.elf: no debug information found' "$folder/said"
}

# Plain -g1 names only what was inlined: others have their symbols' names,
# without what the optimiser of a link appends.
taken_symbols() {
  taken_flags=$taken_base
  taken_image first one.c plain &&
    "llvm-objcopy-$LLVM_HOST" --redefine-sym summed=summed.llvm.77 \
      "$folder/plain.elf" &&
    "llvm-nm-$LLVM_HOST" "$folder/plain.elf" | grep -q 'summed.llvm.77' &&
    "$TOOL" match "$folder/theirs.prof" "$folder/plain.elf" --fail-under 100%
}

# Of a function without lines, as mip prof writes it, the total counts; also
# behind the byte order mark of Windows' editors.
taken_totals() {
  printf '\357\273\277gone:15:15\nsummed:4:2\n 0: 1\n 1: other:3\n' \
    >"$folder/totals.prof"
  "$TOOL" match "$folder/totals.prof" "$folder/plain.elf" >"$folder/table" &&
    [ "$(awk '$3 == "%" { print $1 $4 } $1 == "all" { exit }' \
      "$folder/table" | one_line)" = \
      "taken1 gone18 all19 " ] ||
    { cat "$folder/table"; return 1; }
}

# taken_rows LABEL FORM...: tests a table of edits and their losses.
taken_rows() {
  taken_label=$1
  shift
  while IFS='|' read -r label edit file reasons; do
    for taken_as; do
      equal "samples match $taken_label, $taken_as: $label" "$reasons" \
        "$(taken_pair "$edit" "$file" "theirs.$taken_as")"
    done
  done
}

taken_of_probes() {
  taken_flags="$taken_base $probed"
  check "samples match: a profile" taken_profile one.c
  taken_rows probes prof <<'END'
the same build|s/x/x/|one.c|none
a function was changed|s/sum += i ^ x/for (int j = i; j--;) &/|one.c|hash=1
a function has another name|s/chosen/selected/|one.c|renamed=1
a function is gone|s/chosen(i) +//; /int chosen/,/^}/d|one.c|hash=1 gone=2
a file has another name|s/x/x/|two.c|__uniq=1
several|s/i ^ x/i % 3 ? i : x/; s/chosen/at/|two.c|hash=1 __uniq=1 renamed=1
END
  equal "samples match: a build without probes" "100.000 4" "$(taken_kind)"
  check "samples match: a binary profile" taken_binary
  check "samples match: inlined, and in contexts" taken_inlined
  equal "samples match: two checksums" "taken 5 hash 7 all 12" "$(taken_two)"
  check "samples match: what is refused" taken_refused
}

# Without checksums clang uses each function that it finds by name.
taken_of_lines() {
  taken_flags="$taken_base -fdebug-info-for-profiling"
  check "samples match: a profile of lines" taken_profile one.c --lines
  taken_rows lines prof <<'END'
the same build|s/x/x/|one.c|none
a function was changed|s/sum += i ^ x/for (int j = i; j--;) &/|one.c|none
a function has another name|s/chosen/selected/|one.c|gone=1
a function is gone|s/chosen(i) +//; /int chosen/,/^}/d|one.c|gone=2
a file has another name|s/x/x/|two.c|none
END
  check "samples match: lines, what is compared" taken_lined
  check "samples match: lines, inlined" taken_inlined --lines
  check "samples match: lines, names of symbols" taken_symbols
  check "samples match: functions without lines" taken_totals
  cp "$folder/first/one.c" "$folder/first/one.cpp"
  check "samples match: a profile of lines in C++" taken_profile one.cpp --lines
  taken_flags="$taken_flags -funique-internal-linkage-names"
  taken_rows suffixes prof <<'END'
none before|s/x/x/|one.cpp|__uniq=1
END
  check "samples match: lines with suffixes" taken_profile one.c --lines
  taken_rows suffixes prof <<'END'
the same build|s/x/x/|one.c|none
a file has another name|s/x/x/|two.c|__uniq=1
END
}

taken_all() {
  folder=$OUT/taken
  taken_base="--target=thumbv7m-none-eabi -O2 -g1 -ffreestanding"
  mkdir -p "$folder"
  taken_of_probes
  taken_of_lines
}
