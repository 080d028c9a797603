# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of unknown results: counts that setjmp makes negative, macros of system
# headers, a damaged mapping, negated parts in macros. In random decisions the
# program itself prints the value of each condition. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# known_row WORDS LLVM NAME: succeeds if the words are in the label of a wanted
# row; sets label, and the folder of its sources.
known_row() {
  label="report not known: $1, llvm-$2"
  wanted "$label" && have_llvm "$2" || return
  k=$(source_folder "$3-$2-built")
}

# known_report NAME LLVM FLAG...: makes the report of $k/*.c, with all outputs,
# in $out/NAME.
known_report() {
  known_name=$1 known_llvm=$2
  shift 2
  (cd "$k" && host_built . "$known_llvm" "$@" ./*.c) && host_ran "$k" &&
    good "$known_name" "$k/main" "$k/main.profraw" --lcov "$k/lcov" \
      --json "$k/json" --cobertura "$k/xml" --sonarqube "$k/sonar"
}

# as_theirs LLVM: --as-llvm-cov gives llvm-cov's tracefile and export.
as_theirs() {
  good theirs "$k/main" "$k/main.profraw" --as-llvm-cov --lcov "$k/as.lcov" \
    --json "$k/as.json" && without_evidence "$k/as.json" >"$k/as.plain" &&
    lacks '^Not known' "$out/theirs.said" || return 1
  for form in lcov json; do
    option=-format=lcov ours=$k/as.lcov
    [ $form = lcov ] || { option=-skip-expansions; ours=$k/as.plain; }
    "llvm-cov-$1" export $option -instr-profile="$out/theirs/main.profdata" \
      "$k/main" | cmp - "$ours" || return 1
  done
}

# known_of REPORT: prints unknown results as LINE:METRIC, and each line without
# a cause.
known_of() {
  python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["not_known"]:
    if one["known"] or not one["cause"]:
        print(one)
    print("%d:%s" % (one["line"], one["of"]), end=" ")' "$out/$1/evidence.json"
}

# ---- counts below 0 ----

# Line 5 returns four times, lines 9 and 10 run once.
jumps() {
  cat >"$k/jumps.c" <<'END'
#include <setjmp.h>
static jmp_buf place;
volatile int times;
int main(void) {
  if (setjmp(place)) {
    if (++times < 2)
      longjmp(place, 1);
  } else {
    times--;
    longjmp(place, 1);
  }
  return times != 2;
}
END
}

row_below() {
  known_row "below 0" "$1" below || return 0
  jumps
  check "$label: build" known_report "below-$1" "$1"
  # clang 14 has no branch at a macro of a system header.
  case $1 in
    14) lines='8:lines 9:lines 10:lines 11:lines ' ;;
    *) lines='5:lines 8:lines 9:lines 10:lines 11:lines 5:branches ' ;;
  esac
  equal "$label: lines behind a second return" "$lines" "$(known_of "below-$1")"
  check "$label: longjmp leaves functions" \
    grep -q '^The firmware has longjmp: where that' "$out/below-$1.said"
  equal "$label: lcov has no hit" "9,0 10,0" \
    "$(sed -n 's/^DA:\(9,.*\|10,.*\)/\1/p' "$k/lcov" | one_line | sed 's/ $//')"
  equal "$label: Cobertura and SonarQube neither" 4 "$(cat "$k/xml" "$k/sonar" |
    grep -cE '<line number="(9|10)" hits="0"|Number="(9|10)" covered="false"')"
  equal "$label: the page has a question mark" 2 \
    "$(grep -cE '^<tr id="L(9|10)" class="no">.*title="a count would.*>\?<' \
      "$out/below-$1/html/jumps.c.html")"
  report below-limit "$k/main" "$k/main.profraw" --fail-under lines=99
  equal "$label: a limit counts them as not covered" 1 "$status"
  check "$label: --as-llvm-cov is llvm-cov's" as_theirs "$1"
}

# ---- macros of a system header ----

system_macros() {
  mkdir -p "$k/sys"
  printf '%s\n' '#define BITS(x) (((x) & 1) && ((x) & 2))' \
    '#define IS(x) ((x) == 1)' >"$k/sys/bits.h"
  cat >"$k/main.c" <<'END'
#include <bits.h>
int hidden(int a, int x) { return a && BITS(x); }
int plain(int a, int x) { return a && IS(x); }
int inside(int a, int x) { return (BITS(x) || a) && x; }
int constant(int a, int x) { return a && sizeof a == 4 && x; }
int main(void) {
  return hidden(0, 3) + !plain(1, 1) + plain(0, 1) + plain(1, 0) +
         !inside(1, 2) + !constant(1, 1);
}
END
}

row_system() {
  known_row "macros of a system header" "$1" system || return 0
  system_macros
  check "$label: build" known_report "system-$1" "$1" -isystem sys
  case $1 in
    14) places= ;;
    *) places='2:branches 2:mcdc 4:mcdc ' ;;
  esac
  equal "$label: a branch, and decisions with operators in them" "$places" \
    "$(known_of "system-$1")"
  [ "$1" -lt 18 ] ||
    equal "$label: MC/DC of the others is counted, by hand 2 of 9" "22.22 7" \
      "$(row_of "$out/system-$1.said" total | awk '{ print $7, $8 }')"
  check "$label: --as-llvm-cov is llvm-cov's" as_theirs "$1"
}

# ---- a damaged mapping ----

# clang 19 writes no list of regions for the included file.
row_broken() {
  known_row "a damaged mapping" "$1" broken || return 0
  mkdir -p "$k/sys"
  printf '%s\n' '#define CASES(n) ONE(n)' 'CASES(1)' 'CASES(5)' \
    >"$k/sys/all.def"
  cat >"$k/main.c" <<'END'
static int known(int a) { return a ? 2 : 1; }
static int odd(int a) {
  switch (a) {
#define ONE(n) case n:
#include <all.def>
    return 1;
  }
  return 0;
}
int main(void) { return known(odd(1) + odd(2)) != 2; }
END
  check "$label: build" known_report "broken-$1" "$1" -isystem sys
  case $1 in
    19) places="2:functions $(seq -f '%g:lines' 2 9 | one_line)" ;;
    *) places= ;;
  esac
  equal "$label: one function is not known" "$places" "$(known_of "broken-$1")"
  equal "$label: its calls are, and other functions" "1,known 1,main 2,odd" \
    "$(sed -n 's/^FNDA:\([0-9]*,\)\(main.c:\)*/\1/p' "$k/lcov" | sort |
      one_line | sed 's/ $//')"
  [ "$1" != 19 ] || check "$label: it is named" \
    grep -q '^    .*main.c:2:23 odd$' "$out/broken-$1.said"
}

# ---- negated parts in macros ----

hiding() {
  cat >"$k/main.c" <<'END'
#define BOTH(a, b) ((a) && (b))
#define NEITHER(a, b) (!((a) || (b)))
#define SKIP(x) !(x)
#define CHECK(x) do { if (!(x)) return 0; } while (0)
#define READY (!(b || c))
#define IS(x) ((x) == 1)
int h1(int a, int b, int c) { return !BOTH(a, b) && c; }
int h2(int a, int b, int c) { return NEITHER(a, b) && c; }
int h3(int a, int b, int c) { return SKIP(a && b) || c; }
int h4(int a, int b, int c) { CHECK(!(a || b) && c); return 1; }
int h5(int a, int b, int c) { CHECK(a || READY); return 1; }
int h6(int a, int b, int c) { CHECK(BOTH(SKIP(a || b), c)); return 1; }
int n1(int a, int b, int c) { return BOTH(a, b) && c; }
int n2(int a, int b, int c) { return BOTH(!a, IS(b)) || !c; }
int n3(int a, int b, int c) { CHECK((!a && b) || IS(c)); return 1; }
int n4(int a, int b, int c) { return SKIP(a) && IS(b) && c; }
int main(void) {
  int (*const all[])(int, int, int) = {h1, h2, h3, h4, h5, h6, n1, n2, n3, n4};
  int sum = 0;
  for (int i = 0; i < 80; i++)
    sum += all[i / 8](i >> 2 & 1, i >> 1 & 1, i & 1);
  return sum == 0;
}
END
}

# All vectors ran: each condition of known decisions is covered. n1 and n2 might
# hide a !. No total contains decisions in CHECK.
row_hiding() {
  label="report not known: negated parts in macros"
  wanted "$label" || return 0
  k=$(source_folder hiding-built)
  hiding
  check "$label: build" known_report hiding 22
  equal "$label: eight decisions" \
    "$(seq -f '%g:mcdc' 7 14 | one_line)" "$(known_of hiding)"
  equal "$label: the others are covered, by hand 3 of 18" "16.67 15" \
    "$(row_of "$out/hiding.said" total | awk '{ print $7, $8 }')"
}

# ---- decisions by chance ----

# macros LLVM SEED COUNT: no decision is wrong, and at least a tenth is known.
macros() {
  m=$(source_folder "macros-$1-built") && mkdir -p "$m/sys" || return 1
  python3 $here/macros/decide.py generate "$2" "$3" "$m" &&
    "clang-$1" -c $here/macros/log.c -o "$m/log.o" &&
    host_built "$m" "$1" -isystem "$m/sys" "$m/decide.c" "$m/log.o" \
      2>"$m/warnings" &&
    LLVM_PROFILE_FILE=$m/main.profraw "$m/main" >"$m/log" &&
    good "macros-$1-$2" "$m/main" "$m/main.profraw" --json "$m/report.json" &&
    python3 $here/macros/decide.py check "$2" "$3" "$m" >"$m/said" ||
    { head -n 3 "$m/said"; return 1; }
  [ "$1" -lt 18 ] || [ "$(sed -n 's/.* \([0-9]*\) right.*/\1/p' "$m/said")" \
    -ge $(($3 / 10)) ] || { cat "$m/said"; return 1; }
}

# llvm-cov is wrong about these decisions: the oracle notices it.
macros_wrong() {
  m=$out/macros-22-built
  good macros-theirs "$m/main" "$m/main.profraw" --as-llvm-cov \
    --json "$m/report.json" &&
    ! python3 $here/macros/decide.py check "$1" "$2" "$m" >"$m/said"
}

row_macros() {
  label="report not known: decisions by chance"
  wanted "$label" || return 0
  count=200
  [ -z "${FULL:-}" ] || count=2000
  for version in 14 ${FULL:+19} 22; do
    have_llvm $version &&
      check "$label: $count with macros, llvm-$version" macros $version 1 $count
  done
  check "$label: llvm-cov's numbers are wrong" macros_wrong 1 $count
}

# #ifdef skips code with a blank line in it: two regions end there. Compares
# with llvm-cov, and with counts known by hand.
row_skipped() {
  label="report a blank line in what is skipped"
  wanted "$label" || return 0
  s=$(source_folder skipped-built)
  printf '%s\n' 'int main(int n, char **a) {' '  int b = n;' '' \
    '#ifdef NEVER' '  if (b)' '    b = 3;' '' '  b = 1;' '#endif' '' \
    '  return b - 1;' '}' >"$s/main.c"
  check "$label: build" host_built "$s" 22 main.c
  host_ran "$s"
  check "$label: a report" good skipped "$s/main" "$s/main.profraw" \
    --lcov "$out/skipped.info"
  equal "$label: its lines" "1 2 11 12" "$(sed -n \
    's/^DA:\([0-9]*\),1/\1/p' "$out/skipped.info" | one_line | sed 's/ $//')"
}

rows_known() {
  row_skipped
  for version in 14 19 22; do
    row_below $version
    row_system $version
    row_broken $version
  done
  row_hiding
  row_macros
}
