# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof overlap` next to llvm-profdata overlap, `bareprof diff` next to a
# comparison of the texts by awk, both by hand. Sourced by run.

BAREPROF=$BUILD/bareprof
WORK=$OUT/compared

# A profile next to another of the same program: some functions less, some
# with another hash, and new ones.
older() {
  awk -v RS= -v FS='\n' -v OFS='\n' -v ORS='\n\n' '
    NR % 11 == 3 { next }
    NR % 13 == 4 { $2 = substr($2, 1, length($2) - 1) ($2 % 10 + 1) % 10 }
    NR % 17 == 5 { sub(/(^|\n)f/, "&new") }
    { print }' "$1" >"$2"
}

# Two runs of several builds, as text and as llvm-profdata merges them.
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

# Both commands with the same arguments say the same, to the last digit.
same_overlap() {
  llvm-profdata-$LLVM_HOST overlap "$@" >"$WORK/said" 2>&1 ||
    { cat "$WORK/said"; return 1; }
  awk -f $HERE/overlaps.awk "$WORK/said" | sort >"$WORK/theirs"
  "$BAREPROF" overlap "$@" >"$WORK/said" 2>&1 ||
    { cat "$WORK/said"; return 1; }
  awk -f $HERE/overlaps.awk "$WORK/said" | sort >"$WORK/ours"
  [ -s "$WORK/theirs" ] && cmp -s "$WORK/theirs" "$WORK/ours" ||
    { diff "$WORK/theirs" "$WORK/ours" | grep '^[<>]' | head -n 4; return 1; }
}

# Records of one kind alone: llvm-profdata adds what is of both to the overlap,
# and divides by the sum of one.
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

# A counts 30 and 70, B 50 and 50, and memory of 8 bytes is 40 of 42 to 40 of
# 50: 30 % and 50 % are in common, and 80 %. g has no counts in B.
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

# Of each kind of change one, and two of counts, the bigger first.
known_diff() {
  printf ':ir\nsame\n1\n1\n5\n\ncode\n1\n1\n5\n\ngone\n3\n2\n5\n1\n
up\n1\n2\n0\n0\n\ndown\n1\n1\n8\n\nless\n1\n2\n40\n60\n\nmore\n1\n1\n10\n' \
    >"$WORK/a"
  printf ':ir\nsame\n1\n1\n5\n\ncode\n2\n2\n7\n8\n\nnew\n3\n1\n6\n
up\n1\n2\n0\n2\n\ndown\n1\n1\n0\n\nless\n1\n2\n20\n60\n\nmore\n1\n1\n50\n' \
    >"$WORK/b"
  cat >"$WORK/expected" <<END
{"a":{"file":"a","functions":7,"ran":6,"sum":134},"b":{"file":"b",\
"functions":7,"ran":6,"sum":158},"summary":{"code_changed":1,"only_a":1,\
"only_b":1,"now_covered":1,"no_longer_covered":1,"counts_changed":2,"same":1},\
"functions":[
code code_changed 1 5 5 - 2 7 15
gone only_a 3 5 6
new only_b - 3 6 6
up now_covered 1 0 0 - 1 0 2
down no_longer_covered 1 8 8 - 1 0 0
more counts_changed 1 10 10 - 1 50 50
less counts_changed 1 40 100 - 1 20 80
]}
END
  bareprof=$(realpath "$BAREPROF")
  (cd "$WORK" && "$bareprof" diff a b --json) >"$WORK/out" || return 1
  awk -f $HERE/json.awk "$WORK/out" || return 1
  sed -n 's/"b":{"hash"/- &/; s/"mcdc_bits":0//g
    s/^{"name":"\([a-z]*\)","change":"\([a-z_]*\)",/\1 \2 /
    /^[a-z]/s/"[a-z]*"://g; /^[a-z]/s/[{}",]/ /g; /^[a-z]/s/  */ /g
    /^[a-z]/s/ *$//; /^[a-z]/s/ ]$/\n]}/; p' "$WORK/out" >"$WORK/rows"
  cmp "$WORK/expected" "$WORK/rows"
}

# The same numbers in the text, and 1 of 2 if there is room for one.
known_text() {
  "$BAREPROF" diff "$WORK/a" "$WORK/b" --top 1 >"$WORK/out" &&
    grep -q '^ *10 *50  5.000 *10 *50  5.000  more$' "$WORK/out" &&
    grep -q 'and 1 more; --top 2' "$WORK/out" &&
    grep -q '^ *5 *6  gone$' "$WORK/out" && ! grep -q ' less$' "$WORK/out" &&
    "$BAREPROF" diff "$WORK/a" "$WORK/b" --function es >"$WORK/out" &&
    grep -q '^ *40 *20  0.500 *100 *80  0.800  less$' "$WORK/out" &&
    grep -q '^ *1  counts changed' "$WORK/out" || { cat "$WORK/out"; return 1; }
}

# ---- diff by awk ----

# Texts without values: what changed, and the sizes of changes of counts.
awk_diff() {
  awk -v RS= -v FS='\n' '
    FNR == 1 { file++; while (sub(/^:[^\n]*\n/, "")) ; }
    { n = $3; sum = ran = 0; text = ""
      for (i = 4; i < 4 + n; i++) { sum += $i; text = text " " $i }
      if (!($1 in seen)) { names[++count] = $1; seen[$1] = 1 }
      has[file, $1] = 1; hash[file, $1] = $2 " " n; sums[file, $1] = sum
      counts[file, $1] = text }
    END {
      for (i = 1; i <= count; i++) {
        f = names[i]
        if (!has[1, f]) what = "only_b"
        else if (!has[2, f]) what = "only_a"
        else if (hash[1, f] != hash[2, f]) what = "code_changed"
        else if (!sums[1, f] && sums[2, f]) what = "now_covered"
        else if (sums[1, f] && !sums[2, f]) what = "no_longer_covered"
        else if (counts[1, f] != counts[2, f]) what = "counts_changed"
        else continue
        d = sums[1, f] - sums[2, f]
        printf "%s %s %.0f\n", what, f, d < 0 ? -d : d
      }
    }' "$1" "$2"
}

awk_alike() {
  awk_diff "$1" "$2" | sort >"$WORK/theirs"
  "$BAREPROF" diff "$1" "$2" --json >"$WORK/out" &&
    awk -f $HERE/json.awk "$WORK/out" || return 1
  awk '/^{"name"/ {
      split($0, part, "\"")
      a = b = 0
      if (match($0, /"a":\{[^}]*/)) a = sum(substr($0, RSTART, RLENGTH))
      if (match($0, /"b":\{[^}]*/)) b = sum(substr($0, RSTART, RLENGTH))
      d = a < b ? b - a : a - b
      if (part[8] == last && d > size)
        print "not in order"
      last = part[8]
      size = d
      printf "%s %s %.0f\n", part[8], part[4], d
    }
    function sum(side) { sub(/.*"sum":/, "", side); return side + 0 }
  ' "$WORK/out" | sort >"$WORK/ours"
  [ -s "$WORK/theirs" ] && cmp "$WORK/theirs" "$WORK/ours"
}

# Whatever the format and the release, a profile is what it is.
no_change() {
  for llvm in ${LLVM:-14 19 22}; do
    merged "$llvm" "$WORK/plain-1" "$WORK/as.profdata" &&
      "$BAREPROF" diff "$WORK/plain-1" "$WORK/as.profdata" --json \
        >"$WORK/out" && grep -q '"counts_changed":0,"same":300}' "$WORK/out" &&
      ! grep -q '^{"name"' "$WORK/out" || { head -n 5 "$WORK/out"; return 1; }
  done
}

# clang 17 and older write file.c:f.
separators() {
  sed 's/;/:/' "$WORK/locals-1" >"$WORK/colons"
  "$BAREPROF" diff "$WORK/colons" "$WORK/locals-1" >"$WORK/out" &&
    grep -q '^ *200  the same' "$WORK/out" &&
    "$BAREPROF" overlap "$WORK/locals-1" "$WORK/colons" >"$WORK/out" &&
    grep -q 'edge counters *100.000%' "$WORK/out" ||
    { cat "$WORK/out"; return 1; }
}

# Sums beyond 64 bits, and MC/DC bits that are all that changed.
extremes() {
  printf ':fe\nf\n1\n2\n18446744073709551613\n18446744073709551613\n$1\n0x3\n' \
    >"$WORK/a"
  printf ':fe\nf\n1\n2\n18446744073709551613\n18446744073709551613\n$1\n0x7\n' \
    >"$WORK/b"
  "$BAREPROF" diff "$WORK/a" "$WORK/b" >"$WORK/out" 2>&1 &&
    grep -q '18446744073709551613  1.000  f, MC/DC bits 2 -> 3$' "$WORK/out" &&
    "$BAREPROF" overlap "$WORK/a" "$WORK/b" >"$WORK/out" 2>&1 &&
    grep -q 'edge counters *100.000%' "$WORK/out" ||
    { cat "$WORK/out"; return 1; }
}

# Names that would end a string.
evil_names() {
  printf ':ir\na"b\\\n1\n1\n5\n' >"$WORK/a"
  printf ':ir\na"b\\\n1\n1\n6\n' >"$WORK/b"
  for command in "diff" "overlap --function a --no-demangle"; do
    "$BAREPROF" $command "$WORK/a" "$WORK/b" --json >"$WORK/out" &&
      grep -q '"name":"a\\"b\\\\",' "$WORK/out" &&
      awk -f $HERE/json.awk "$WORK/out" || { cat "$WORK/out"; return 1; }
  done
}

diffs() {
  check "profile diff: known by hand" known_diff
  check "profile diff: the text" known_text
  for name in plain zeros bytes; do
    check "profile diff: $name, two runs" awk_alike "$WORK/$name-1" \
      "$WORK/$name-2"
  done
  check "profile diff: two builds" awk_alike "$WORK/plain-1" "$WORK/plain-3"
  check "profile diff: no change" no_change
  check "profile diff, overlap: separators of local names" separators
  check "profile diff, overlap: extremes" extremes
  check "profile diff, overlap: names in JSON" evil_names
}

# ---- in windows ----

# The output of a command for A and B, which have these names in a folder.
said_of() {
  (cd "$1" && "$bareprof" overlap a b --json --at-least 1 &&
    "$bareprof" diff a b --json && "$bareprof" diff a b --top 3 &&
    "$bareprof" show a && "$bareprof" show b --top 9 --detailed-summary \
      --ids --cs && all_shown a && all_shown b) 2>&1 |
    sed '/^format /d; s/, of LLVM .*//' >"$1/said"
}

# All that show has of a profile, but for what depends on the kind of file.
all_shown() {
  "$bareprof" show "$1" --all-functions --counts --bitmap --values --covered &&
    "$bareprof" show "$1" --bitmap --cs && "$bareprof" show "$1" --hot &&
    "$bareprof" show "$1" --function f1 --top 70 --traces &&
    { "$bareprof" show "$1" --json --traces --values --covered --hot &&
      "$bareprof" show "$1" --json; } | sed 's/"version":[0-9]*,//
        s/"format":"[a-z]*",//; s/"mcdc_llvm":[0-9]*,//'
}

# Indexed profiles, which are read in windows, next to text, which is read as a
# whole. EDIT is done to B's indexed file.
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

# The MD5 of a name is wrong above what the bucket depends on.
wrong_md5() {
  at=$(grep -abo 'f1[0-9]*' "$1" | head -n 1 | cut -d: -f1) &&
    printf '\377\376' |
    dd of="$1" bs=1 seek=$((at - 18)) conv=notrunc 2>"$WORK/why"
}

# The first bucket and the last are each in the other's place.
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

# put_at PLACE BYTES FILE: writes these over what is there, behind the first name
# and so many bytes.
put_at() {
  at=$(grep -abo 'f1[0-9]*' "$3" | head -n 1) && name=${at#*:} &&
    printf '%b' "$2" | dd of="$3" bs=1 conv=notrunc 2>"$WORK/why" \
      seek=$((${at%%:*} + ${#name} + $1))
}

# The first function of a bucket gives its MD5 and name to the next, which is
# so many bytes behind; those of the next bucket are further on.
name_twice() {
  cp "$2" "$2.old"
  at=$(grep -abo 'f1[0-9]*' "$2" | awk -F: -v size="$1" '
    $1 - last == size { print last; exit } { last = $1 }') &&
    for part in $((at - 24)) $((at - 20)) "$at"; do
      dd if="$2.old" of="$2" bs=1 count=4 conv=notrunc skip="$part" \
        seek=$((part + $1)) 2>"$WORK/why" || return 1
    done
}

# Records of several hashes: of a function, and of one with very many.
several() {
  echo :ir
  for i in $(seq 100 140); do
    printf 'f%d\n7\n2\n%d\n1\n\nf%d\n9\n1\n3\n\n' "$i" $((i % 9)) "$i"
  done
  for i in $(seq "$1"); do
    printf 'many\n%d\n1\n%d\n\n' "$i" $((i % 3))
  done
}

# What no profile of LLVM has: its whole is as merge reads it. Behind the first
# name are a hash, the number of counters, both, and two words; another record.
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
  label="profile overlap, diff, show: windows,"
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
  for command in diff overlap; do
    label="profile $command:"
    check "$label one file" refused 2 'two profiles' $command "$a"
    check "$label three files" refused 2 'two profiles' $command "$a" "$a" "$a"
    check "$label unknown option" refused 2 'unknown option' $command --what
    check "$label no such file" refused 1 "$none: " $command "$a" "$none"
    check "$label no such ELF" refused 1 "$none: " $command "$a" "$a" \
      --elf "$none"
    check "$label two kinds" refused 1 'front end' $command "$a" \
      "$WORK/front-1"
    check "$label counts and bytes" refused 1 'only says' $command "$a" \
      "$WORK/bytes-1"
  done
  check "profile overlap: nothing counted" refused 1 'idle: nothing was' \
    overlap "$a" "$WORK/idle"
  check "profile overlap: no --cs" refused 1 'leave out --cs' overlap --cs \
    "$a" "$a"
  check "profile overlap: bad cutoff" refused 2 'a number' overlap "$a" "$a" \
    --at-least x
  check "profile diff: bad --top" refused 2 'a number' diff "$a" "$a" --top -1
}

if ! have_llvm $LLVM_HOST; then
  skip "profile overlap and diff" "llvm-profdata-$LLVM_HOST is not here"
elif ! $MAKE -s tool || ! make_compared; then
  not_ok "profile overlap and diff" "the tool or its inputs cannot be made"
else
  overlaps
  check "profile overlap: known by hand" known_overlap
  diffs
  in_windows
  refusals
fi
