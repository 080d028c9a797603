# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares `bareprof overlap` with llvm-profdata overlap, and with results known
# by hand. `run` sources this file.

BAREPROF=$BUILD/bareprof
WORK=$OUT/compared

# Makes an older profile of the same program: some functions are missing, some
# have another hash, some are new.
older() {
  awk -v RS= -v FS='\n' -v OFS='\n' -v ORS='\n\n' '
    NR % 11 == 3 { next }
    NR % 13 == 4 { $2 = substr($2, 1, length($2) - 1) ($2 % 10 + 1) % 10 }
    NR % 17 == 5 { sub(/(^|\n)f/, "&new") }
    { print }' "$1" >"$2"
}

# Makes two runs of several builds, as text and as llvm-profdata merges them.
make_compared() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  while read -r name functions kind; do
    made "$kind" "$functions" 1 "$WORK/$name-1" &&
      made "$kind" "$functions" 2 "$WORK/$name-2" &&
      older "$WORK/$name-2" "$WORK/$name-3" || return 1
    for i in 1 2 3; do
      merged $LLVM_HOST "$WORK/$name-$i" "$WORK/$name-$i.profdata" || return 1
    done
  done <<END
plain 300 ir
values 1500 ir values
vtables 400 ir values vtables
front 200 fe bitmaps
zeros 300 ir values zeros
bytes 300 ir bytes
locals 200 ir locals values
cs 300 cs values
END
}

# ---- overlap ----

# Both commands print the same for the same arguments, to the last digit.
# bareprof's --at-least is LLVM's --value-cutoff.
same_overlap() {
  llvm-profdata-$LLVM_HOST overlap "$@" >"$WORK/said" 2>&1 ||
    { cat "$WORK/said"; return 1; }
  awk -f $HERE/overlaps.awk "$WORK/said" | sort >"$WORK/theirs"
  for word do
    shift
    [ "$word" != --value-cutoff ] || word=--at-least
    set -- "$@" "$word"
  done
  "$BAREPROF" overlap "$@" >"$WORK/said" 2>&1 ||
    { cat "$WORK/said"; return 1; }
  awk -f $HERE/overlaps.awk "$WORK/said" | sort >"$WORK/ours"
  [ -s "$WORK/theirs" ] && cmp -s "$WORK/theirs" "$WORK/ours" ||
    { diff "$WORK/theirs" "$WORK/ours" | grep '^[<>]' | head -n 4; return 1; }
}

# Uses records of one kind only: llvm-profdata adds both kinds to the overlap,
# but divides by the sum of one kind.
one_kind() {
  awk -v RS= -v ORS='\n\n' -v FS='\n' -v cs="$1" '
    NR == 1 { print ":csir"; sub(/^:csir\n/, "") }
    ($2 ~ /^1152921504606/ && length($2) > 18) == cs { print }' "$2"
}

same_kind() {
  for i in 1 3; do
    one_kind "$1" "$WORK/cs-$i" >"$WORK/kind-$i"
  done
  llvm-profdata-$LLVM_HOST overlap ${2:-} --value-cutoff 9 "$WORK/kind-1" \
    "$WORK/kind-3" | awk -f $HERE/overlaps.awk | sort >"$WORK/theirs"
  "$BAREPROF" overlap ${2:-} "$WORK/cs-1" "$WORK/cs-3" --at-least 9 |
    awk -f $HERE/overlaps.awk | sort >"$WORK/ours"
  [ -s "$WORK/theirs" ] && cmp "$WORK/theirs" "$WORK/ours"
}

overlaps() {
  for name in plain values vtables front zeros bytes locals; do
    check "profile overlap: $name, two runs" same_overlap \
      "$WORK/$name-1.profdata" "$WORK/$name-2.profdata" --value-cutoff 5
    check "profile overlap: $name, two builds" same_overlap \
      "$WORK/$name-1.profdata" "$WORK/$name-3.profdata"
    check "profile overlap: $name, back" same_overlap \
      "$WORK/$name-3.profdata" "$WORK/$name-1" --function f1
  done
  check "profile overlap: both wishes" same_overlap "$WORK/plain-1" \
    "$WORK/plain-3" --function f1 --value-cutoff 10000000000
  check "profile overlap: context sensitive" same_kind 1 --cs
  check "profile overlap: not context sensitive" same_kind 0
}

# ---- by hand ----

# A counts 30 and 70, B 50 and 50; copies of 8 bytes are 40 of 42 in A, 40 of 50
# in B: 30 % + 50 % of counts and 80 % of copies are in common. g has no counts
# in B.
known_overlap() {
  printf ':ir\nf\n1\n2\n30\n70\n1\n1\n1\n2\n8:40\n16:2\n\ng\n1\n1\n0\n' \
    >"$WORK/a"
  printf ':ir\nf\n1\n2\n50\n50\n1\n1\n1\n2\n8:40\n9:10\n\ng\n2\n1\n0\n' \
    >"$WORK/b"
  "$BAREPROF" overlap "$WORK/a" "$WORK/b" -o "$WORK/out" || return 1
  grep -q 'edge counters  *80.000%  *100  *100$' "$WORK/out" &&
    grep -q 'memory operations  *80.000%  *42  *50$' "$WORK/out" &&
    grep -q 'in both: 2$' "$WORK/out" || { cat "$WORK/out"; return 1; }
}

# A profile has only records of the other kind.
other_kind() {
  printf ':csir\nf\n1152921504606846977\n1\n5\n' >"$WORK/a"
  ! "$BAREPROF" overlap "$WORK/a" "$WORK/a" >"$WORK/out" 2>&1 &&
    grep -q 'compare context-sensitive records with --cs$' "$WORK/out" ||
    { cat "$WORK/out"; return 1; }
}

# clang 17 and older write file.c:f.
separators() {
  sed 's/;/:/' "$WORK/locals-1" >"$WORK/colons"
  "$BAREPROF" overlap "$WORK/locals-1" "$WORK/colons" >"$WORK/out" &&
    grep -q 'edge counters *100.000%' "$WORK/out" ||
    { cat "$WORK/out"; return 1; }
}

# Sums exceed 64 bits.
extremes() {
  printf ':fe\nf\n1\n2\n18446744073709551613\n18446744073709551613\n$1\n0x3\n' \
    >"$WORK/a"
  printf ':fe\nf\n1\n2\n18446744073709551613\n18446744073709551613\n$1\n0x7\n' \
    >"$WORK/b"
  "$BAREPROF" overlap "$WORK/a" "$WORK/b" >"$WORK/out" 2>&1 &&
    grep -q 'edge counters *100.000%' "$WORK/out" ||
    { cat "$WORK/out"; return 1; }
}

# A record that is only marked as hot or warm has no counts.
pseudo_counts() {
  for hot in a b; do
    printf ':ir\nf\n1\n2\n30\n70\n\ng\n1\n1\n7\n' >"$WORK/a"
    cp "$WORK/a" "$WORK/b"
    printf ':ir\nf\n1\n2\n30\n70\n\ng\n1\n1\n18446744073709551615\n' \
      >"$WORK/$hot"
    case $hot in a) sums='100  *107' ;; b) sums='107  *100' ;; esac
    "$BAREPROF" overlap "$WORK/a" "$WORK/b" >"$WORK/out" 2>&1 &&
      grep -q "edge counters  *93.458%  *$sums\$" "$WORK/out" &&
      grep -q 'in both: 2$' "$WORK/out" || { cat "$WORK/out"; return 1; }
  done
}

# Names that would end a string.
evil_names() {
  printf ':ir\na"b\\\n1\n1\n5\n' >"$WORK/a"
  printf ':ir\na"b\\\n1\n1\n6\n' >"$WORK/b"
  "$BAREPROF" overlap --function a --no-demangle "$WORK/a" "$WORK/b" --json \
    >"$WORK/out" && grep -q '"name":"a\\"b\\\\",' "$WORK/out" &&
    awk -f $HERE/json.awk "$WORK/out" || { cat "$WORK/out"; return 1; }
}

overlaps_more() {
  check "profile overlap: only context-sensitive records" other_kind
  check "profile overlap: separators of local names" separators
  check "profile overlap: extremes" extremes
  check "profile overlap: pseudo counts" pseudo_counts
  check "profile overlap: names in JSON" evil_names
}

# ---- in windows ----

# Prints the output of a command for A and B, files with these names in a
# folder.
said_of() {
  (cd "$1" && "$bareprof" overlap a b --json --at-least 1 &&
    "$bareprof" show a && "$bareprof" show b --top 9 --detailed-summary \
      --ids --cs && all_shown a && all_shown b) 2>&1 |
    sed '/^format /d; s/, of LLVM .*//' >"$1/said"
}

# Prints all that show prints of a profile, except parts that depend on the kind
# of file.
all_shown() {
  "$bareprof" show "$1" --all-functions --counts --bitmap --values --covered &&
    "$bareprof" show "$1" --bitmap --cs && "$bareprof" show "$1" --hot &&
    "$bareprof" show "$1" --function f1 --top 70 --traces &&
    { "$bareprof" show "$1" --json --traces --values --covered --hot &&
      "$bareprof" show "$1" --json; } | sed 's/"version":[0-9]*,//
        s/"format":"[a-z]*",//; s/"mcdc_llvm":[0-9]*,//'
}

# Compares indexed profiles, which are read in windows, with text, which is read
# completely. EDIT changes B's indexed file.
windows_alike() {
  bareprof=$(realpath "$BAREPROF")
  rm -rf "$WORK/whole" "$WORK/windows"
  mkdir "$WORK/whole" "$WORK/windows"
  cp "$WORK/$1" "$WORK/whole/a" && cp "$WORK/$2" "$WORK/whole/b" &&
    merged $LLVM_HOST "$WORK/$1" "$WORK/windows/a" &&
    merged $LLVM_HOST "$WORK/$2" "$WORK/windows/b" &&
    ${3:-:} "$WORK/windows/b" && said_of "$WORK/whole" &&
    said_of "$WORK/windows" && [ -s "$WORK/whole/said" ] &&
    cmp -s "$WORK/whole/said" "$WORK/windows/said" ||
    { diff "$WORK/whole/said" "$WORK/windows/said" | head -n 4; return 1; }
}

# The MD5 of a name is wrong in bits above the bucket's number.
wrong_md5() {
  at=$(grep -abo 'f1[0-9]*' "$1" | head -n 1 | cut -d: -f1) &&
    printf '\377\376' |
    dd of="$1" bs=1 seek=$((at - 18)) conv=notrunc 2>"$WORK/why"
}

# The first and the last bucket are swapped.
wrong_bucket() {
  table=$(od -An -tu8 -j32 -N8 "$1") || return 1
  buckets=$(od -An -tu8 -j$((table)) -N8 "$1")
  cp "$1" "$1.old"
  od -An -v -w8 -tu8 -j$((table + 16)) -N$((8 * buckets)) "$1" |
    awk -v from=$((table / 8 + 2)) '
      $1 { last = from + NR - 1; if (!first) first = last }
      END { print first, last "\n" last, first }' |
    while read -r from to; do
      dd if="$1.old" of="$1" bs=8 skip="$from" seek="$to" count=1 \
        conv=notrunc 2>"$WORK/why" || return 1
    done
}

# put_at PLACE BYTES FILE: overwrites bytes, PLACE bytes after the first name.
put_at() {
  at=$(grep -abo 'f1[0-9]*' "$3" | head -n 1) && name=${at#*:} &&
    printf '%b' "$2" | dd of="$3" bs=1 conv=notrunc 2>"$WORK/why" \
      seek=$((${at%%:*} + ${#name} + $1))
}

# The first function of a bucket gives its MD5 and name to the next one, which
# is so many bytes later; functions of the next bucket are farther away.
name_twice() {
  cp "$2" "$2.old"
  at=$(grep -abo 'f1[0-9]*' "$2" | awk -F: -v size="$1" '
    $1 - last == size { print last; exit } { last = $1 }') &&
    for part in $((at - 24)) $((at - 20)) "$at"; do
      dd if="$2.old" of="$2" bs=1 count=4 conv=notrunc skip="$part" \
        seek=$((part + $1)) 2>"$WORK/why" || return 1
    done
}

# A function has records with several hashes, and one has very many.
several() {
  echo :ir
  for i in $(seq 100 140); do
    printf 'f%d\n7\n2\n%d\n1\n\nf%d\n9\n1\n3\n\n' "$i" $((i % 9)) "$i"
  done
  for i in $(seq "$1"); do
    printf 'many\n%d\n1\n%d\n\n' "$i" $((i % 3))
  done
}

# Profiles that LLVM never writes: overlap reads them as merge does. After the
# first name come a hash, the number of counters, two counters, and two words;
# then another record.
as_merged() {
  bareprof=$(realpath "$BAREPROF")
  merged $LLVM_HOST "$WORK/several-20" "$WORK/windows/a" &&
    "$@" "$WORK/windows/a" &&
    "$BAREPROF" merge "$WORK/windows/a" -o "$WORK/whole/a" 2>"$WORK/why" &&
    (cd "$WORK/whole" && all_shown a) >"$WORK/whole/said" &&
    (cd "$WORK/windows" && all_shown a) >"$WORK/windows/said" 2>"$WORK/why" &&
    cmp "$WORK/whole/said" "$WORK/windows/said"
}

in_windows() {
  label="profile overlap, show: windows,"
  for name in plain values front zeros bytes locals cs; do
    check "$label $name" windows_alike "$name-1" "$name-3"
  done
  sed 's/;/:/' "$WORK/locals-3" >"$WORK/colons"
  awk -v RS= -v ORS='\n\n' 'NR < 40' "$WORK/plain-2" >"$WORK/some"
  check "$label two separators" windows_alike locals-1 colons
  check "$label tables of two sizes" windows_alike some plain-3
  check "$label tables of two sizes, back" windows_alike plain-3 some
  check "$label in a wrong bucket" windows_alike values-1 values-2 wrong_bucket
  check "$label with a wrong MD5" windows_alike plain-1 plain-2 wrong_md5
  several 20 >"$WORK/several-20" && several 70 >"$WORK/several-70"
  check "$label several hashes" windows_alike several-20 several-70
  check "$label a hash twice" as_merged put_at 48 '\007'
  check "$label a name twice" as_merged name_twice 116
  check "$label a count beyond the largest" as_merged put_at 24 \
    '\377\377\377\377\377\377\377\377'
}

# ---- refused ----

refusals() {
  a=$WORK/plain-1 none=$WORK/none
  printf ':ir\nf\n1\n1\n0\n' >"$WORK/idle"
  label="profile overlap:"
  check "$label one file" refused 2 'two profiles' overlap "$a"
  check "$label three files" refused 2 'two profiles' overlap "$a" "$a" "$a"
  check "$label unknown option" refused 2 'unknown option' overlap --what
  check "$label no such file" refused 1 "$none: " overlap "$a" "$none"
  check "$label no such ELF" refused 1 "$none: " overlap "$a" "$a" \
    --elf "$none"
  check "$label two kinds" refused 1 'front end' overlap "$a" \
    "$WORK/front-1"
  check "$label counts and bytes" refused 1 'only says' overlap "$a" \
    "$WORK/bytes-1"
  printf ':ir\n:entry_first\nf\n1\n1\n7\n' >"$WORK/entry"
  check "$label entries first and not" refused 1 'counts other blocks' \
    overlap "$a" "$WORK/entry"
  check "profile overlap: nothing counted" refused 1 'idle: all counts are zero' \
    overlap "$a" "$WORK/idle"
  check "profile overlap: no --cs" refused 1 'run the command without --cs' overlap --cs \
    "$a" "$a"
  check "profile overlap: bad cutoff" refused 2 'a number' overlap "$a" "$a" \
    --at-least x
}

if ! have_llvm $LLVM_HOST; then
  skip "profile overlap" "llvm-profdata-$LLVM_HOST is not here"
elif ! $MAKE -s tool || ! make_compared; then
  not_ok "profile overlap" "the tool or its inputs cannot be made"
else
  overlaps
  check "profile overlap: known by hand" known_overlap
  overlaps_more
  in_windows
  refusals
fi
