# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of decisions that MC/DC leaves out: clang's warnings at each place are
# the oracle. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# compare_warned LLVM SOURCE FLAGS...: writes the lines that clang warns of to
# $d/warned, and the lines that bareprof finds to $d/found.
compare_warned() {
  warned_llvm=$1 warned_source=$2
  shift 2
  "clang-$warned_llvm" "$@" -Wno-parentheses -fPIC -fprofile-instr-generate \
    -fcoverage-mapping -fcoverage-mcdc -c "$warned_source" -o "$d/o.o" \
    2>"$d/messages" || { grep -m 1 error: "$d/messages"; return 1; }
  "ld.lld-$warned_llvm" -shared "$d/o.o" -o "$d/o.so" &&
    "$out/decisions-list" "$d/o.so" >"$d/listed" || return 1
  sed -n 's/: warning: unsupported MC.DC.*//p' "$d/messages" |
    sed 's,^.*/,,; s/:[0-9]*$//' | sort -u >"$d/warned"
  sed 's,^.*/,,; s/:[0-9]*$//' "$d/listed" | sort -u >"$d/found"
  [ -s "$d/warned" ]
}

# as_warned UNDETECTED FALSE: fails if more lines are undetected or false, for
# each 1,000 warned ones.
as_warned() {
  warned_all=$(wc -l <"$d/warned")
  warned_only=$(comm -23 "$d/warned" "$d/found" | wc -l)
  found_only=$(comm -13 "$d/warned" "$d/found" | wc -l)
  [ $((warned_only * 1000)) -le $(($1 * warned_all)) ] &&
    [ $((found_only * 1000)) -le $(($2 * warned_all)) ] ||
    { echo "of $warned_all warned lines $warned_only not found, and" \
      "$found_only others: $(comm -3 "$d/warned" "$d/found" | one_line)"
      return 1; }
}

corpus_of() {
  compare_warned "$1" $here/decisions/corpus.cpp -std=c++20 && as_warned 0 0
}

# Random decisions span several lines: a few are listed at the line of another
# operand, or at two lines.
random_of() {
  random_llvm=$1
  shift
  compare_warned "$random_llvm" "$d/random.c" "$@" && as_warned 10 50
}

random() {
  for version in ${FULL:+19} 22; do
    have_llvm $version || continue
    awk -v SEED="$1" -v COUNT="$2" -f $here/decisions/generate.awk \
      >"$d/random.c"
    check "report decisions: by chance, $1, llvm-$version" random_of $version
    check "report decisions: by chance, $1, with more than 3 conditions, \
llvm-$version" random_of $version -Xclang -fmcdc-max-conditions=3
  done
}

gate() {
  printf '%s\n' '#include "other.h"' 'int main(int n, char **v) {' \
    '  if (n && *v) n = 0;' '  return other(n, n);' '}' >"$d/main.c"
  printf '%s\n' 'static int f(int a) { return a; }' \
    'static inline int other(int a, int b) {' \
    '  return a && f(b || a);' '}' >"$d/other.h"
  (cd "$d" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    "$@" -Wl,--build-id main.c -o main &&
    LLVM_PROFILE_FILE=main.profraw ./main)
}

# Decisions with a negated part, on lines 2 and 7 to 9, whose result llvm-cov
# inverts; and others, which it gets right. one is never true. The list of files
# of parts.c has two files; sign and right stand at the same places in them.
negated() {
  printf '%s\n' '#define NONE(a, b, c) (!((a) || (b)) && (c))' \
    'int one(int a, int b, int c) { return !(a || b) && c; }' \
    'int single(int a, int b, int c) { return !a && b && !c; }' \
    'int twice(int a, int b, int c) { return !!(a || b) && c; }' \
    'int all(int a, int b, int c) { return !(a || b || c); }' \
    'int inner(int a, int b, int c) { return (!(a || b) || c) && a; }' \
    'int macro(int a, int b, int c) { return NONE(a, b, c); }' \
    'int last(int a, int b, int c) { return a && !(b && c); }' \
    'int either(int a, int b, int c) { return !(a && b) || c; }' \
    'int main(void) { return one(1, 0, 0) + one(0, 1, 0) + one(0, 0, 0); }' \
    >"$d/negated.c"
  printf '%s\n' '#pragma once' \
    'static int sign(int a, int b, int c) { return !(a || b) && c; }' \
    >"$d/parts.h"
  printf '%s\n' '#include "parts.h"' \
    'int right(int a, int b, int c){ return  (a || b) && c + sign(a, b, c); }' \
    >"$d/parts.c"
  (cd "$d" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -fcoverage-mcdc -Wl,--build-id negated.c parts.c -o negated &&
    LLVM_PROFILE_FILE=negated.profraw ./negated)
}

row_negated() {
  label="report decisions: negated parts"
  wanted "$label" || return 0
  d=$(source_folder negated)
  check "$label: build" negated
  report judged "$d/negated" "$d/negated.profraw" --fail-under mcdc=0
  equal "$label: llvm-cov covers 2 of 28, which no vectors show" "7.14 26" \
    "$(report theirs "$d/negated" "$d/negated.profraw" --as-llvm-cov
      row_of "$out/theirs.said" total | awk '{ print $(NF - 1), $NF }')"
  equal "$label: they count as not covered" "0.00 28" \
    "$(row_of "$out/judged.said" total | awk '{ print $(NF - 1), $NF }')"
  equal "$label: they are listed as not measured" \
    "negated.c:2 negated.c:7 negated.c:8 negated.c:9 parts.h:2" \
    "$(sed -n 's,^  .*/\([a-z]*.[ch]:[0-9]*\):[0-9]*$,\1,p' \
      "$out/judged.said" | one_line | sed 's/ $//')"
  equal "$label: and fail a limit" "1 bareprof: mcdc: 5 decisions are not" \
    "$status $(cut -c1-35 "$out/judged.errors")"
}

# In g, the first of three conditions is constant, and both others are covered.
# The decision of h is in a macro, so it is not in the totals.
constant_condition() {
  printf '%s\n' '#define FEATURE 1' '#define BOTH(a, b) ((a) && (b))' \
    'int g(int a, int b) { return FEATURE && a > 3 && b; }' \
    'int h(int a, int b) { return BOTH(a, b); }' \
    'int main(void) { return g(4, 1) + g(1, 1) + g(4, 0) + h(1, 1) != 2; }' \
    >"$d/main.c"
  diff -u /dev/null "$d/main.c" >"$d/diff"
  echo 'path=main.c decision=3 reason="none"' >"$d/excluded"
  (cd "$d" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -fcoverage-mcdc -Wl,--build-id main.c -o main &&
    LLVM_PROFILE_FILE=main.profraw ./main)
}

row_constant() {
  label="report decisions: a constant condition"
  wanted "$label" || return 0
  d=$(source_folder constant-of)
  check "$label: build" constant_condition
  check "$label: a report" good constant "$d/main" "$d/main.profraw" \
    --diff "$d/diff" --lcov "$out/constant.lcov" --json "$out/constant.json"
  equal "$label: two conditions are covered, as in llvm-cov" "2 2" \
    "$(jq -r '.data[0].totals.mcdc | "\(.count) \(.covered)"' \
      "$out/constant.json")"
  check "$label: lcov has the same" mcdc_of_lcov "$out/constant.lcov" \
    "$out/constant.json"
  equal "$label: a change of its line lacks nothing" "" \
    "$(grep 'main.c:3:' "$out/constant.said")"
  report constant-left "$d/main" "$d/main.profraw" \
    --exclusions "$d/excluded" --fail-on ran
  equal "$label: an exclusion of the decision is not needed" \
    "1 bareprof: $d/excluded:1: the excluded code is covered" \
    "$status $(cut -d ';' -f 1 "$out/constant-left.errors")"
}

row_decisions() {
  label="report decisions"
  wanted "$label" || return 0
  d=$(source_folder decisions)
  check "$label: the list compiles" tool_program "$out/decisions-list" \
    "$SANITIZERS" $here/decisions/list.c
  for version in 19 22; do
    have_llvm $version &&
      check "$label: as clang $version warns" corpus_of $version
  done
  random 1 60
  if [ -n "${FULL:-}" ]; then
    for seed in 2 3 4 5 6 7 8 9; do random $seed 400; done
  fi
  check "$label: build" gate -fcoverage-mcdc
  set -- "$d/main" "$d/main.profraw"
  check "$label: no limit, no error" good listed "$@"
  equal "$label: but it is listed" "$(printf \
    'Decisions not measured by MC/DC:\n  %s:3:10' "$d/other.h")" \
    "$(sed "s,^  build,  $top/build," "$out/listed.said" |
      sed -n '/^Decisions/,/^  /p')"
  equal "$label: and in evidence.json" \
    "{\"compiled_as\":\"$d/other.h\",\"line\":3,\"column\":10}]," \
    "$(grep '"column":10' "$out/listed/evidence.json")"
  report gated "$@" --fail-under mcdc=0
  equal "$label: fails any limit of MC/DC" \
    "1 bareprof: mcdc: 1 decision is not measured, first at $d/other.h:3" \
    "$status $(cut -d ';' -f 1 "$out/gated.errors")"
  check "$label: unless it is allowed" good allowed-left "$@" \
    --fail-under mcdc=0 --allow-unmeasured
  check "$label: also by run" started run-allowed "$d/main" "$d/run.profraw" \
    --fail-under mcdc=0 --allow-unmeasured -- \
    cp "$d/main.profraw" "$d/run.profraw"
  check "$label: or its file is left out" good left-out "$@" \
    --fail-under mcdc=0 --ignore other
  check "$label: build without MC/DC" gate
  check "$label: nothing is listed where nothing has MC/DC" good none-has "$@"
  check "$label: nothing" free_of 'not measured' "$out/none-has.said"
  report none-limited "$@" --fail-under mcdc=0
  check "$label: with a limit all of them are" \
    grep -q 'mcdc: 2 decisions are not measured' "$out/none-limited.errors"
}
