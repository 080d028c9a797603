# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests which records each index version can hold: llvm-profdata and llvm-cov
# read the same in our file as in llvm-profdata's own, or merge rejects the
# record with its name. MC/DC has thousands of conditions. LLVM 18 is not
# installed: llvm-profdata -write-prev-version replaces it, whose index version
# 11 readers treat as 18's. `run` sources this file.

BAREPROF=$BUILD/bareprof
WORK=$OUT/held

# ---- MC/DC ----

# Writes 420 functions with two decisions of three conditions each: 2,520. Some
# decisions are always true or false, some conditions never decide.
conditions() {
  awk 'BEGIN {
    srand(7)
    print "#include <stdlib.h>\nstatic volatile unsigned sum;"
    for (i = 0; i < 420; i++) {
      printf "static void f%d(unsigned x) {\n", i
      for (j = 0; j < 2; j++) {
        printf "  if ("
        for (k = 0; k < 3; k++)
          printf "%s%s(x >> %d & %d)%s", k == 2 ? ") " : "", k == 0 ? "(" : \
            rand() < .5 ? " && " : " || ", rand() * 9, 1 + rand() * 3, ""
        print ")\n    sum++;"
      }
      print "}"
    }
    print "int main(int n, char **a) {\n  unsigned x = atoi(a[n - 1]);"
    for (i = 0; i < 420; i++)
      for (j = int(rand() * 7); j >= 0; j--)
        printf "  x = x * 1664525 + 1013904223, f%d(x >> 9);\n", i
    print "  return sum == 1;\n}"
  }'
}

# covered_by LLVM PROFILE: prints all that llvm-cov finds, with each condition.
covered_by() {
  "llvm-cov-$1" export "$program" -instr-profile "$2" 2>"$WORK/why" ||
    cat "$WORK/why"
}

# Makes two runs of a program compiled by $llvm, and what each reader finds in
# llvm-profdata's file.
make_conditions() {
  program=$WORK/conditions-$llvm
  conditions >"$WORK/conditions.c"
  "clang-$llvm" -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc \
    "$WORK/conditions.c" -o "$program" || return
  for i in 1 2; do
    LLVM_PROFILE_FILE=$program-$i.profraw "$program" $i || return
  done
  for reader in ${LLVM:-19 22}; do
    "llvm-profdata-$reader" merge "$program"-[12].profraw \
      -o "$program-theirs-$reader" &&
      covered_by $reader "$program-theirs-$reader" >"$program-told-$reader" ||
      return
  done
  jq -e '.data[0].totals.mcdc | .count >= 2000 and .covered > 300 and
    .notcovered > 300' "$program-told-$LLVM_HOST" >"$WORK/why" ||
    { echo "too few conditions"; return 1; }
}

# same_conditions ARGUMENTS...: compares our profile in each release that reads
# it.
same_conditions() {
  "$BAREPROF" merge "$program"-[12].profraw "$@" -o "$WORK/ours" || return
  for reader in ${LLVM:-19 22}; do
    reads "$reader" "$(index_in "$WORK/ours")" || continue
    covered_by $reader "$WORK/ours" | cmp - "$program-told-$reader" ||
      { echo "by LLVM $reader"; return 1; }
  done
}

# reads LLVM VERSION: succeeds if this release knows this index version.
reads() {
  case $2 in 14) [ "$1" -ge 23 ] ;; 13) [ "$1" -ge 22 ] ;; esac
}

index_in() { od -An -tu1 -j8 -N1 "$1" | tr -d ' '; }

# Bitmaps that look like LLVM 18's pass only through index version 11, byte for
# byte. (llvm-cov reads beyond their ends, as they are not from 18.)
same_old() {
  "llvm-profdata-$llvm" merge -write-prev-version "$program"-[12].profraw \
    -o "$WORK/old" || return
  for to in "" "--for-llvm 18" "--for-llvm 19" "--for-llvm 22" \
    "--index-version 11"; do
    "$BAREPROF" merge "$WORK/old" $to -o "$WORK/ours" &&
      cmp "$WORK/old" "$WORK/ours" ||
      { echo "by $to"; return 1; }
  done
  for to in "--index-version 10" "--index-version 12" "--index-version 13" \
    "--for-llvm 17" "--text --for-llvm 19"; do
    refused 1 "LLVM 18" merge "$WORK/old" $to || { echo "by $to"; return 1; }
  done
}

# Text does not name the release of its bitmaps.
from_text() {
  "$BAREPROF" merge "$program"-[12].profraw --text -o "$WORK/text" &&
    "llvm-profdata-$llvm" merge --text "$program"-[12].profraw \
      -o "$WORK/their-text" && cmp "$WORK/their-text" "$WORK/text" || return
  for to in "" "--for-llvm 22" "--index-version 11"; do
    refused 1 "use merge --mcdc-llvm" merge "$WORK/text" $to || return
  done
  refused 1 "use merge --mcdc-llvm" merge "$WORK/text" \
    "$program-1.profraw" || return
  "$BAREPROF" merge "$WORK/text" --mcdc-llvm "$llvm" -o "$WORK/ours" &&
    covered_by $LLVM_HOST "$WORK/ours" | cmp - "$program-told-22" &&
    "$BAREPROF" merge "$WORK/text" --mcdc-llvm 18 -o "$WORK/ours" &&
    equal_text "$(index_in "$WORK/ours")" 11
}

# merge does not mix two encodings, in any order.
not_mixed() {
  new=$program-1.profraw
  refused 1 "old: .*separately" merge "$new" "$WORK/old" &&
    refused 1 "profraw: .*separately" merge "$WORK/old" "$new" || return
  "$BAREPROF" merge "$new" "$WORK/old" --failure-mode=warn -o "$WORK/ours" \
    2>/dev/null && "$BAREPROF" merge "$new" -o "$WORK/new" &&
    cmp "$WORK/new" "$WORK/ours" || return
  "$BAREPROF" merge "$program"-[12].profraw -o "$WORK/new" &&
    for file in old:18 new:19; do
      "$BAREPROF" show "$WORK/${file%:*}" |
        grep -q "^MC/DC bitmaps .* of LLVM ${file#*:}" ||
        { echo "show: $file"; return 1; }
    done
}

mcdc() {
  for llvm in 19 22; do
    label="profile held: MC/DC of clang $llvm"
    needs "$label" "llvm:$llvm" llvm:19 llvm:$LLVM_HOST || continue
    check "$label, the program" make_conditions
    program=$WORK/conditions-$llvm
    for to in "" "--for-llvm 19" "--for-llvm 20" "--for-llvm 21" \
      "--for-llvm 22" "--index-version 12" "--index-version 13"; do
      check "$label, ${to:-default}" same_conditions $to
    done
    for to in "--for-llvm 13" "--for-llvm 17" "--for-llvm 18" \
      "--index-version 7" "--index-version 10" "--index-version 11" \
      "--text --for-llvm 18"; do
      check "$label, $to: it is refused" refused 1 \
        "MC/DC bitmaps need LLVM 18\|LLVM 19 or later" \
        merge "$program-1.profraw" $to
    done
    check "$label, as if of LLVM 18" same_old
    check "$label, by way of text" from_text
    check "$label, not mixed with those of 18" not_mixed
  done
}

# ---- each kind in each version ----

# Prints what a release reads, a line for each record. Older names of locals
# have a colon.
told_by() {
  "llvm-profdata-$1" merge --text "$2" -o "$WORK/told" 2>"$WORK/why" || {
    cat "$WORK/why"
    return 1
  }
  awk -v RS= '{ gsub(/\n/, "|"); gsub(/;/, ":"); print }' "$WORK/told" | sort
}

# Tests a kind of record in an index version. "=": the same as llvm-profdata;
# else the words of the error.
cell() {
  if [ "$2" != = ]; then
    refused 1 "$2" merge "$kind"-[12].profraw --index-version "$1"
    return
  fi
  "$BAREPROF" merge "$kind"-[12].profraw --index-version "$1" \
    -o "$WORK/ours" || return
  for reader in ${LLVM:-${FULL:+19} 22}; do
    reads "$reader" "$1" || continue
    case $reader-$kind in 19-*loops*) continue ;; esac
    merged $reader "$kind"-[12].profraw "$WORK/theirs" &&
      told_by $reader "$WORK/theirs" >"$WORK/theirs.told" &&
      told_by $reader "$WORK/ours" >"$WORK/ours.told" &&
      cmp "$WORK/theirs.told" "$WORK/ours.told" ||
      { echo "by LLVM $reader"; return 1; }
  done
}

# row NAME SINCE WHY FLAGS...: tests a build of clang 22, which is complete
# since that index version.
row() {
  name=$1 since=$2 why=$3 kind=$WORK/$1
  shift 3
  clang++-$LLVM_HOST -O1 -w "$@" $HERE/program.cpp -o "$kind" &&
    for i in 1 2; do
      LLVM_PROFILE_FILE=$kind-$i.profraw "$kind" $((31 * i))
    done
  for version in 4 5 6 7 8 9 10 11 12 13 14; do
    expected="="
    [ "$version" -ge "$since" ] || expected=$why
    check "profile held: $name, index version $version" cell "$version" \
      "$expected"
  done
}

table() {
  needs "profile held: the table" llvm:$LLVM_HOST || return 0
  ir="-fprofile-generate -mllvm"
  # Raw profiles of version 10 do not say whether hashes are cut.
  cut=7 whole="version 7 or later"
  [ "$LLVM_HOST" -lt 23 ] || cut=13 whole="$whole\|are from clang 22"
  row front-end $cut "$whole" -fprofile-instr-generate
  [ $cut = 13 ] || cut=12
  row mcdc $cut "MC/DC bitmaps\|are from clang 22" -fprofile-instr-generate -fcoverage-mapping \
    -fcoverage-mcdc
  [ $cut = 13 ] || cut=7
  row single-byte $cut "$whole" -fprofile-instr-generate \
    -fcoverage-mapping -mllvm -enable-single-byte-coverage
  row values 4 - -fprofile-generate
  row entry-counts 4 - $ir -pgo-instrument-entry
  row functions 4 - $ir -pgo-function-entry-coverage -mllvm -disable-vp
  row blocks 4 - $ir -pgo-block-coverage -mllvm -disable-vp
  row timestamps 10 "need LLVM 17" $ir -pgo-temporal-instrumentation
  row loops 12 "need LLVM 20" $ir -pgo-instrument-loop-entries
  row vtables 12 "need LLVM 19" $ir -enable-vtable-value-profiling
  row context-sensitive 4 - -O2 -fcs-profile-generate
}

# ---- builds that differ ----

# build_of NAME SOURCE FLAGS...: makes a build, and runs it.
build_of() {
  name=$1 source=$2
  shift 2
  clang++-$LLVM_HOST -w -x c++ "$source" "$@" -o "$WORK/$name" &&
    LLVM_PROFILE_FILE=$WORK/$name.profraw "$WORK/$name" 5
}

make_unlike() {
  conditions >"$WORK/conditions.c"
  mapped="-fprofile-instr-generate -fcoverage-mapping"
  build_of with-mcdc "$WORK/conditions.c" $mapped -fcoverage-mcdc &&
    build_of no-mcdc "$WORK/conditions.c" $mapped &&
    build_of with-values $HERE/program.cpp -fprofile-generate &&
    build_of no-values $HERE/program.cpp -fprofile-generate -mllvm -disable-vp
}

counters_of() { llvm-profdata-$LLVM_HOST show --all-functions --counts "$1"; }

# adds KIND WORDS FLAGS...: adds counters of both builds, in both orders and
# with weights, as llvm-profdata does; data of only one build stays, and one
# line says so.
adds() {
  kind=$1 words=$2
  shift 2
  for order in "with no" "no with"; do
    one=$WORK/${order% *}-$kind.profraw two=$WORK/${order#* }-$kind.profraw
    for way in "$one $two" "--weighted-input=3,$one --weighted-input=2,$two" \
      "$two --weighted-input=1,$one $one"; do
      merged $LLVM_HOST $way "$WORK/theirs" &&
        "$BAREPROF" merge $way --for-llvm $LLVM_HOST -o "$WORK/ours" \
          2>"$WORK/errors" || { cat "$WORK/errors"; return 1; }
      counters_of "$WORK/theirs" >"$WORK/theirs.told"
      counters_of "$WORK/ours" | cmp - "$WORK/theirs.told" &&
        grep -q "$words" "$WORK/errors" || { cat "$WORK/errors"; return 1; }
      "$BAREPROF" merge "$WORK/with-$kind.profraw" -o "$WORK/alone" &&
        "$@" "$WORK/alone" >"$WORK/alone.told" &&
        "$@" "$WORK/ours" | cmp - "$WORK/alone.told" || return
    done
  done
}

# For values, counts sites, because weights multiply the counts.
bitmaps_in() { "$BAREPROF" show --bitmap "$1" | grep bitmap; }
sites_in() { "$BAREPROF" show --json "$1" | jq -c .regular.sites; }

# Pieces have different sizes: the first one stays, and a message names each
# later file.
other_sizes() {
  printf 'f\n1\n1\n5\n$2\n1\n2\n\ng\n1\n1\n5\n' >"$WORK/a.proftext"
  printf 'f\n1\n1\n6\n$1\n4\n\ng\n1\n1\n6\n' >"$WORK/b.proftext"
  "$BAREPROF" merge "$WORK"/[ab].proftext "$WORK/b.proftext" --text \
    -o "$WORK/ours" 2>"$WORK/errors" && equal_text "$(sort -u \
    "$WORK/errors")" "bareprof: $WORK/b.proftext: f: the size of the MC/DC bitmap \
differs from $WORK/a.proftext, so the bitmap is left out; merge profiles of one \
build" && equal_text "$(wc -l <"$WORK/errors")" 2 &&
    equal_text "$(grep -v '^#\|^$' "$WORK/ours" | tr '\n' ' ')" \
      'f 1 1 17 $2 0x1 0x2 g 1 1 17 ' || return
  printf ':ir\nf\n1\n1\n5\n1\n1\n2\n1\n8:3\n0\n' >"$WORK/a.proftext"
  printf ':ir\nf\n1\n1\n6\n1\n1\n1\n1\n8:4\n' >"$WORK/b.proftext"
  "$BAREPROF" merge "$WORK"/[ab].proftext --text -o "$WORK/ours" \
    2>"$WORK/errors" && equal_text "$(cat "$WORK/errors")" "bareprof: \
$WORK/b.proftext: f: the value sites differ from \
$WORK/a.proftext, so the values are left out; merge profiles of one build" &&
    equal_text "$(grep -v '^#\|^$' "$WORK/ours" | tr '\n' ' ')" \
      ':ir f 1 1 11 1 1 2 1 8:3 0 '
}

# Local names become one in another version: a message names records that do not
# fit.
renamed() {
  printf ':ir\na.c;f\n1\n1\n5\n\na.c:f\n1\n2\n5\n6\n' >"$WORK/a.proftext"
  "$BAREPROF" merge "$WORK/a.proftext" --for-llvm 22 -o "$WORK/ours" \
    2>"$WORK/errors" && grep -q "ours: a.c;f: the counters differ" \
    "$WORK/errors"
}

# In both orders, the message names the file with bitmaps.
names_bitmaps() {
  printf ':fe\nf\n1\n1\n5\n\n' >"$WORK/none.proftext"
  printf ':fe\nf\n1\n1\n5\n$1\n0x3\n' >"$WORK/some.proftext"
  for order in "none some" "some none"; do
    for name in $order; do echo "$WORK/$name.proftext"; done |
      xargs "$BAREPROF" merge --mcdc-llvm 22 -o "$WORK/ours" \
        2>"$WORK/errors" &&
      grep -q "^bareprof: $WORK/${order#* }.proftext: .*, such as \
$WORK/some.proftext," "$WORK/errors" || { cat "$WORK/errors"; return 1; }
  done
}

# Windows' editors put a byte order mark first.
marked() {
  printf ':fe\nf\n1\n1\n5\n\n' >"$WORK/plain.proftext"
  { printf '\357\273\277'; cat "$WORK/plain.proftext"; } \
    >"$WORK/marked.proftext"
  "$BAREPROF" merge --text "$WORK/plain.proftext" -o "$WORK/plain" &&
    "$BAREPROF" merge --text "$WORK/marked.proftext" -o "$WORK/ours" &&
    cmp "$WORK/plain" "$WORK/ours"
}

unlike() {
  needs "profile held: builds that differ" llvm:$LLVM_HOST || return 0
  check "profile held: builds that differ are made" make_unlike
  check "profile held: a build with MC/DC and one without" adds mcdc \
    "f[0-9]*j (and 419 more): only some profiles have MC/DC" bitmaps_in
  check "profile held: a build with values and one without" adds values \
    "only some profiles have values" sites_in
  check "profile held: the file that has MC/DC is named" names_bitmaps
  check "profile held: a byte order mark" marked
  check "profile held: bitmaps and sites of other sizes" other_sizes
  check "profile held: local names that become one" renamed
}

if ! $MAKE -s tool || ! rm -rf "$WORK" || ! mkdir -p "$WORK"; then
  not_ok "profile held" "the tool cannot be made"
else
  group "profile held: MC/DC" mcdc
  group "profile held: " table
  group "profile held: " unlike
fi
