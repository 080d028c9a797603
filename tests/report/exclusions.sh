# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of exclusions: compares the meaning of markers with lcov and gcovr, and
# the rest of a report with llvm-cov's output for the complete program. `run`
# sources this file.
# shellcheck disable=SC2154 # Of run.

# ---- markers ----

# Writes one source with each kind of marker.
marked_source() {
  cat <<'END'
int a; // LCOV_EXCL_LINE: first reason
int b; /* GCOVR_EXCL_LINE (second, "quoted") */ int c;
int d; // LCOV_EXCL_START: a section
int e; // LCOV_EXCL_LINE
int f; // LCOV_EXCL_STOP
int g; // LCOV_EXCL_STOP
int h; // GCOVR_EXCL_START
int i; // GCOVR_EXCL_START - inner
int j; // GCOVR_EXCL_STOP
int k; // GCOVR_EXCL_STOP
const char *l = "LCOV_EXCL_LINE no reason";
int m; // LCOV_EXCL_BR_LINE one GCOV_EXCL_LINE two
int n; // LCOV_EXCL_BR_START
int o; // LCOV_EXCL_BR_STOP
int p(void) // GCOVR_EXCL_FUNCTION: why
{
  return '"' + '\''; // LCOV_EXCL_EXCEPTION_BR_LINE
}
int q; // GCOVR_EXCL_BR_SOURCE
/* a comment
   LCOV_EXCL_LINE: third */
int r; // GCOVR_EXCL_START
int s; // GCOV_EXCL_STOP
int t; // LCOV_EXCL_START LCOV_EXCL_STOP
// GCOVR_EXCL_FUNCTION
int u; // GCOVR_EXCL_START
int v; // GCOVR_EXCL_LINE
int w; // LCOV_EXCL_START
int x;
END
}
marked_expected() {
  {
    for line in 1 2 3 4 7 8 9 11 12 21 22 28 29 30; do echo "line $line"; done
    printf '%s\n' 'branch 12' 'branch 13' 'reason 1 first reason' \
      'reason 2 second, "quoted' 'reason 3 a section' 'reason 8 inner' \
      'reason 12 one' 'reason 12 two' 'function 15 16' 'reason 15 why' \
      'reason 21 third' 'problem 6 LCOV_EXCL_STOP' \
      'problem 19 GCOVR_EXCL_BR_SOURCE' 'problem 23 GCOV_EXCL_STOP' \
      'problem 24 LCOV_EXCL_STOP' 'problem 24 LCOV_EXCL_START' \
      'problem 25 GCOVR_EXCL_FUNCTION' 'problem 27 GCOVR_EXCL_LINE' \
      'problem 28 LCOV_EXCL_START' 'problem 26 GCOVR_EXCL_START'
  } | sort
}

# ---- other tools ----

# marked_program FAMILY SEED: makes m.c, and its coverage with gcc.
marked_program() {
  marked_ending=
  [ $(($2 % 3)) = 0 ] && marked_ending=crlf
  rm -f "$x/gcc"/* && mkdir -p "$x/gcc" &&
    awk -v FAMILY="$1" -v SEED="$2" -v COUNT=60 -v ENDING=$marked_ending \
      -f $here/exclusions/generate.awk >"$x/gcc/m.c" &&
    (cd "$x/gcc" && gcc --coverage -O0 -w m.c -o m && ./m)
}

# same_excluded ALL WITH OURS WORDS: compares the lines that another tool
# excludes with the lines that bareprof excludes for these words.
same_excluded() {
  comm -23 "$1" "$2" >"$x/theirs"
  sed -n "s/^\\($4\\) //p" "$3" | sort -u | comm -12 "$1" - >"$x/ours"
  cmp -s "$x/theirs" "$x/ours" || {
    echo "theirs alone, and ours: $(comm -3 "$x/theirs" "$x/ours" | one_line)"
    return 1
  }
  cat "$x/theirs" >>"$x/seen"
}

numbers_of() { sed -n "s/^$2:\\([0-9]*\\),.*/\\1/p" "$1" | sort -u; }

as_lcov() {
  marked_program lcov "$1" || return 1
  for form in "" --no-markers; do
    lcov -q -c -d "$x/gcc" --rc lcov_branch_coverage=1 $form \
      -o "$x/gcc/form$form" 2>"$x/lcov.errors" ||
      { tail -n 1 "$x/lcov.errors"; return 1; }
    for record in DA BRDA; do
      numbers_of "$x/gcc/form$form" $record >"$x/$record$form"
    done
  done
  "$out/exclusions-list" "$x/gcc/m.c" LCOV_ >"$x/listed" &&
    same_excluded "$x/DA--no-markers" "$x/DA" "$x/listed" line &&
    same_excluded "$x/BRDA--no-markers" "$x/BRDA" "$x/listed" \
      'line\|branch'
}

# Prints the lines of problems as gcovr's warnings do.
as_gcovr() {
  marked_program gcovr "$1" || return 1
  for form in "" --no-markers; do
    (cd "$x/gcc" && gcovr -r . $form --xml "form$form" 2>"warned$form") ||
      { tail -n 1 "$x/gcc/warned$form"; return 1; }
    for branch in '"' '"true"'; do
      tr '<' '\n' <"$x/gcc/form$form" | grep "branch=$branch" |
        sed -n 's/^line number="\([0-9]*\)".*/\1/p' |
        sort -u >"$x/lines$branch$form"
    done
  done
  "$out/exclusions-list" "$x/gcc/m.c" >"$x/listed" &&
    same_excluded "$x/lines\"--no-markers" "$x/lines\"" "$x/listed" line &&
    same_excluded "$x/lines\"true\"--no-markers" "$x/lines\"true\"" \
      "$x/listed" 'line\|branch' || return 1
  tr '\n' ' ' <"$x/gcc/warned" | sed 's/(WARNING)/\n/g' | sed -n '
    s/.* found on line \([0-9]*\) without.*/\1/p
    s/.* found on line \([0-9]*\) in excluded.*/\1/p
    s/.* terminated by .* on line \([0-9]*\),.*/\1/p
    s/.* start flag .* on line \([0-9]*\) did.*/\1/p' |
    sort >"$x/theirs"
  sed -n '/BR_SOURCE/d; s/^problem \([0-9]*\) .*/\1/p' "$x/listed" |
    sort | cmp - "$x/theirs"
}

exclusions_oracles() {
  label="report exclusions: next to"
  for other in lcov gcovr; do
    needs "$label $other" gcc $other || continue
    : >"$x/seen"
    for seed in $exclusion_seeds; do
      check "$label $other: $seed" as_$other "$seed"
    done
    check "$label $other: they exclude something" test -s "$x/seen"
  done
}

# ---- a program ----

exclusion_source() {
  cat <<'END'
static int failed(int code) { // LCOV_EXCL_START: only broken hardware
  if (code)
    return 1;
  return 2;
} // LCOV_EXCL_STOP
static int unused(int a) // GCOVR_EXCL_FUNCTION
{
  return a && a > 2;
}
static int f(int a) { return a; }
static int measured(int a, int b) {
  if (a && b) // LCOV_EXCL_BR_LINE: b is another board's
    return 1;
  return a || b;
}
static int unmeasured(int a, int b) {
  return a && f(b || a);
}
static int half(int n) {
  if (n > 5)
    return failed(n);
  n++;
  return n;
}
int main(int n, char **v) {
  int sum = 0;
  if (n > 3) {
    sum += failed(n); // LCOV_EXCL_LINE: see failed
    sum += unused(n);
  }
  if (n > 9) return 9; // LCOV_EXCL_LINE
  sum += measured(n, n) + unmeasured(0, 0) + half(1);
  return sum == 0;
}
END
}

# exclusion_build LLVM: makes e.LLVM and its profile.
exclusion_build() {
  mcdc=-fcoverage-mcdc
  [ "$1" -ge 18 ] || mcdc=
  (cd "$x" && "clang-$1" -w -g -fprofile-instr-generate -fcoverage-mapping \
    $mcdc -Wl,--build-id e.c -o "e.$1" &&
    LLVM_PROFILE_FILE="e.$1.profraw" "./e.$1")
}

records() { grep "^$1:" "$2" | sort; }

# All remaining lines have the same counts as before.
as_before() {
  good "with-$1" "$x/e.$1" "$x/e.$1.profraw" --lcov "$x/with.info" &&
    good "all-$1" "$x/e.$1" "$x/e.$1.profraw" --lcov "$x/all.info" \
      --no-markers || return 1
  records DA "$x/all.info" |
    grep -v -x -E 'DA:([1-9]|28|31),.*' >"$x/expected"
  records DA "$x/with.info" | diff "$x/expected" - || return 1
  records BRDA "$x/all.info" |
    grep -v -E '^BRDA:([1-9]|12|28|31),' >"$x/expected"
  records BRDA "$x/with.info" | diff "$x/expected" - || return 1
  records FN "$x/with.info" | grep -e failed -e unused && return 1
  equal_sums "$x/with.info"
}

# The sums of an lcov file equal the sums of its lines.
equal_sums() {
  awk -F '[:,]' '/^DA:/ { n++; hit += $3 > 0 }
    /^LF:/ { if ($2 != n) print "LF " $2 ", not " n }
    /^LH:/ { if ($2 != hit) print "LH " $2 ", not " hit }' "$1" >"$x/sums"
  [ ! -s "$x/sums" ] || { cat "$x/sums"; return 1; }
}

exclusions_measured() {
  label="report exclusions: measured"
  exclusion_source >"$x/e.c"
  for version in 14 ${FULL:+19} 22; do
    have_llvm $version || continue
    check "$label: build with clang $version" exclusion_build $version
    check "$label: what is left, llvm-$version" as_before $version
  done
  set -- "$x/e.22" "$x/e.22.profraw"
  equal "$label: functions, lines, branches, MC/DC" \
    "80.00 1 78.26 5 18.75 13 0.00 2" \
    "$(row_of "$out/with-22.said" total |
      awk '{ print $1, $2, $3, $4, $5, $6, $7, $8 }')"
  equal "$label: what is excluded is counted apart" \
    "Excluded, and not counted: 2 functions, 10 lines, 12 branches, 4 MC/DC \
conditions, by 5 exclusions" \
    "$(sed -n '/^Excluded, and not/s/[0-9]* regions, //p' \
      "$out/with-22.said")"
  report exports "$@" --cobertura "$x/e.xml" --json "$x/e.json" \
    --uncovered
  equal "$label: Cobertura has as many lines" 23 \
    "$(sed -n '/<\/methods>/,/<\/class>/p' "$x/e.xml" | grep -c '<line ')"
  equal "$label: --json's totals are those of the table" \
    '"count":23,"covered":18' \
    "$(sed 's/.*"totals"//; s/.*"lines":{\("count":[0-9]*,"covered":[0-9]*\).*/\1/' \
      "$x/e.json")"
  equal "$label: --uncovered has no excluded function" "e.c:10 f" \
    "$(sed -n '/never ran/,/^$/s,^  .*/,,p' "$out/exports.said")"
  check "$label: HTML shows the reason there, and no count" excluded_page
  check "$label: no copy of the ELF is left" \
    test -z "$(find "$out/with-22" -name '*.cut.elf')"
  # A template's line ran in no instantiation; macros; a decision over several
  # lines.
  check "$label: build C++" exclusion_cpp
  set -- "$x/t" "$x/t.profraw"
  check "$label: C++" good cpp "$@" --lcov "$x/t.info"
  equal "$label: lines of templates, macros, lambdas, gaps" \
    "1,2 2,2 6,2 8,1 10,1 11,1 14,1 17,1 20,0 21,1 23,0 24,0 25,1 26,1 27,0 \
30,1 31,1 32,1 33,1 34,1 35,1 " \
    "$(sed -n 's/^DA://p' "$x/t.info" | tr '\n' ' ')"
}

excluded_page() {
  sed 's/<\/tr>/\n/g' "$out/with-22/html/e.c.html" >"$x/page"
  grep 'id="L28" class="x"' "$x/page" | grep -v data-v |
    grep -q '>excluded: see failed<' || { grep 'id="L28"' "$x/page"; return 1; }
  grep 'id="L21"' "$x/page" | grep -q 'data-v="0"'
}

exclusion_cpp() {
  cat >"$x/t.cpp" <<'END'
template <class T> int twice(T a, T b) {
  if (a && b)
    return 1; // LCOV_EXCL_LINE
  // nothing
  return 0; // LCOV_EXCL_LINE
}
#define PRINT(x) \
  do { \
    if (x) y++; /* LCOV_EXCL_LINE */ \
    y--; \
  } while (0)
static int y;
int over(int a, int b)
{
  auto twice = [](int x) { // LCOV_EXCL_START
    return 2 * x;
  }; // LCOV_EXCL_STOP
  if (a) // LCOV_EXCL_LINE

    y++;
  if (a &&
      twice(b) && // LCOV_EXCL_LINE
      b > 3)
    y++;
  PRINT(a > 9);
  if (b > 8) {
    y--;
    y--; // LCOV_EXCL_START
  }
  y++; // LCOV_EXCL_STOP
  return twice(b);
}
int main(int n, char **) {
  if (n)
    return over(0, 0) + twice(1, 1) + twice(1.0, 0.0) == 7;
  return 9; // LCOV_EXCL_START
}
// LCOV_EXCL_STOP
END
  (cd "$x" && clang++-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -fcoverage-mcdc -Wl,--build-id t.cpp -o t &&
    LLVM_PROFILE_FILE=t.profraw ./t)
}

# ---- the file ----

# ruled NAME LINE...: makes a report with these lines as its rules, without
# markers.
ruled() {
  ruled=$1
  shift
  printf '%s\n' "$@" >"$x/rules"
  report "$ruled" "$x/e.22" "$x/e.22.profraw" --no-markers \
    --exclusions "$x/rules" --lcov "$x/ruled.info" \
    --fail-on stale,ran --require-reasons
}

# takes_out WHAT LINES LINE...: these rules exclude these lines, without an
# error.
takes_out() {
  gone_what=$1 gone_lines=$2
  shift 2
  ruled taken-out "$@"
  equal "$label: $gone_what" "0 $gone_lines" "$status $(records DA \
    "$x/ruled.info" | comm -23 "$x/all.lines" - | sed 's/DA:\([0-9]*\),.*/\1/' |
    sort -n | tr '\n' ' ' | sed 's/ $//')"
}

# wrong_rule WHAT PATTERN LINE...: expects one line of error, and no output.
wrong_rule() {
  rule_what=$1 rule_pattern=$2
  shift 2
  rm -rf "$out/wrong-rule"
  ruled wrong-rule "$@"
  equal "$label: $rule_what" "1 1 bareprof: $x/rules: line 2: $rule_pattern" \
    "$status $(wc -l <"$out/wrong-rule.errors") \
$(sed "s/\(: line 2: $rule_pattern\).*/\1/" "$out/wrong-rule.errors")"
  [ ! -e "$out/wrong-rule" ] || not_ok "$label: $rule_what: nothing" made
}

exclusions_rules() {
  label="report exclusions: the file"
  records DA "$x/all.info" >"$x/all.lines"
  why='reason="it \"must\"" by="J. Roe"'
  takes_out "a function" "1 2 3 4 5" "# words" "" "path=e.c function=failed $why"
  takes_out "functions by patterns, a path by its end" "1 2 3 4 5 7 8 9" \
    "path=exclu*/e.? function=fail* $why" "path=e.c function=u?used reason=x"
  takes_out "a text" 29 'path=e.c text="sum += unused" reason=x # more words'
  takes_out "a regular expression" "21 29" \
    'path=e.c regex="^    (return failed|sum .*unused)" reason=x'
  takes_out "lines" "29 30" 'path=e.c lines=29-30 text="sum +=" reason=x'
  takes_out "branches of a line" "" \
    'path=e.c lines=27 text="if (n > 3)" only=branches reason=x'
  equal "$label: their line is left, they are not" "DA:27,1" \
    "$(grep -e DA:27, "$x/ruled.info")"
  takes_out "a decision" "" 'path=e.c decision=14:10 reason=x'
  equal "$label: two conditions less" "0.00 4" \
    "$(row_of "$out/taken-out.said" total | awk '{ print $7, $8 }')"
  ruled evidenced 'path=e.c function=failed reason="r\"1\"" by="J. Roe"'
  equal "$label: evidence has reason, name and SHA-256" \
    "$(sha256sum "$x/rules" | sed 's/ .*//') r\\\"1\\\"\",\"by\":\"J. Roe" \
    "$(sed -n 's/.*"of":.*"sha256":"\([0-9a-f]*\)".*/\1/p
      s/.*"reason":"\(.*Roe\)".*/\1/p' "$out/evidenced/evidence.json" |
      one_line | sed 's/ $//')"
  ruled all 'path=* reason=x'
  equal "$label: nothing left is an error" \
    "1 bareprof: $x/e.22: all code of this file is excluded" \
    "$status $(cut -d ';' -f 1 "$out/all.errors")"
  p="path=e.c"
  wrong_rule "an unknown key" 'expected path=, function=' "# 1" \
    "path=e.c functoin=f"
  wrong_rule "no path" 'path= is missing' "# 1" "function=f"
  wrong_rule "no value" 'a value is empty' "# 1" "path= function=f"
  wrong_rule "a key twice" 'a key is used twice' "# 1" "$p text=a text=b"
  wrong_rule "no quote" 'a quoted value does not end' "# 1" "$p text=\"a"
  wrong_rule "text after a quote" 'text follows a quoted value' "# 1" \
    "$p text=\"a\"b"
  wrong_rule "lines without text" 'lines= needs text=' "# 1" "$p lines=2-3"
  wrong_rule "lines backwards" 'lines= ends before' "# 1" "$p lines=3-2 text=a"
  wrong_rule "no number" 'lines= must be LINE or' "# 1" "$p lines=0 text=a"
  wrong_rule "no column" 'decision= must be LINE or' "# 1" "$p decision=3:"
  wrong_rule "two places" 'only one of' "# 1" "$p function=f decision=3"
  wrong_rule "a wrong expression" 'the regular expression is not valid' "# 1" \
    "$p regex=(a"
  wrong_rule "a costly one" 'the regular expression has {' "# 1" "$p regex=a{9}"
  wrong_rule "only what?" 'only= works only as only=branches' "# 1" "$p text=a only=lines"
  wrong_rule "text of a function" 'text= does not work with function=' "# 1" "$p text=a function=f"
  ruled wrong-rule "x" "$p" "y"
  equal "$label: a line for each that is wrong" "1 2" \
    "$status $(wc -l <"$out/wrong-rule.errors")"
  # shellcheck disable=SC2046 # A line for each number.
  ruled wrong-rule $(seq 1000)
  equal "$label: of many, the first 20" "1 21 980 more lines" \
    "$status $(wc -l <"$out/wrong-rule.errors") $(tail -n 1 \
      "$out/wrong-rule.errors" | cut -d ' ' -f 3-5)"
  mkdir -p "$out/rules-in" && report rules-in "$x/e.22" "$x/e.22.profraw" &&
    cp "$x/rules" "$out/rules-in/"
  report rules-in "$x/e.22" "$x/e.22.profraw" --exclusions \
    "$out/rules-in/rules"
  equal "$label: it is not lost with the folder" "1 rules" \
    "$status $(cd "$out/rules-in" && ls rules)"
}

# ---- stale, ran, without a reason ----

# faulty WHAT EXPECTED LINE...: compares the places in the lists of these rules'
# report.
faulty() {
  faulty_what=$1 faulty_expected=$2
  shift 2
  ruled faulty "$@"
  equal "$label: $faulty_what" "$faulty_expected" "$status $(sed -n '
    s/^Exclusions that exclude nothing:/stale/p
    s/^Excluded, and covered nevertheless:/ran/p
    s/^Exclusions without a reason:/reason/p
    s/^  .*rules:\([0-9]*\): .*, of .*:\([0-9]*\)\( .*\)*$/\1>\2/p
    s/^  .*rules:\([0-9]*\): .*/\1/p' "$out/faulty.said" | tr '\n' ' ')"
}

exclusions_faults() {
  label="report exclusions: faults"
  faulty "none" "0 " 'path=e.c function=failed reason=x'
  faulty "stale" "1 stale 1 2 3 4 5 6 " 'path=none.c reason=x' \
    'path=e.c function=gone reason=x' 'path=e.c text=gone reason=x' \
    'path=e.c lines=28-30 text="sum += unused" reason=x' \
    'path=e.c decision=14:11 reason=x' 'path=e.c lines=6 text=int reason=x'
  equal "$label: one line of errors says where" \
    "bareprof: $x/rules:1: the exclusion excludes nothing, and the same holds for 5 more" \
    "$(cut -d ';' -f 1 "$out/faulty.errors")"
  faulty "covered" "1 ran 1>22 2>11 " 'path=e.c text=n++; reason=x' \
    'path=e.c function=measured reason=x' \
    'path=e.c lines=20-21 text="if (n" reason=x'
  faulty "not covered in part" "0 " \
    'path=e.c lines=27-30 text="if (n" reason=x' \
    'path=e.c text="if (n > 9) return" reason=x'
  faulty "without a reason" "1 reason 2 " 'path=e.c function=failed reason=x' \
    'path=e.c function=unused by=me'
  printf '%s\n' 'path=e.c text=n++;' 'path=none.c' >"$x/rules"
  set -- "$x/e.22" "$x/e.22.profraw" --exclusions "$x/rules"
  check "$label: nobody asks" good quiet --no-markers "$@"
  report faulty --no-markers --fail-on ran "$@"
  equal "$label: only what is asked" "1 1" \
    "$status $(wc -l <"$out/faulty.errors")"
  report faulty --require-reasons "$@"
  equal "$label: markers need reasons, too" "1 rules:1 rules:2 e.c:6 e.c:31 " \
    "$status $(sed -n '/without a reason/,/^$/s/^  .*\/\([^:]*:[0-9]*\): .*/\1/p' \
      "$out/faulty.said" | tr '\n' ' ')"
  check "$label: also by run" exclusions_run
  set -- "$x/e.22" "$x/e.22.profraw"
  check "$label: the file on standard input" good stdin "$@" --exclusions - \
    <"$x/rules"
  report stdin "$@" --exclusions - --diff - </dev/null
  equal "$label: two of standard input: wrong usage" 2 "$status"
  for list in "" stale, x,ran stale,,ran; do
    report usage "$x/e.22" --fail-on "$list"
    equal "$label: --fail-on $list: wrong usage" 2 "$status"
  done
}

exclusions_run() {
  cp "$x/e.22.profraw" "$x/kept.profraw"
  started ran-stale "$x/e.22" "$x/run.profraw" --exclusions "$x/rules" \
    --no-markers --fail-on stale --require-reasons -- \
    cp "$x/kept.profraw" "$x/run.profraw" && return 1
  grep -q 'the exclusion excludes nothing' "$out/ran-stale.errors"
}

# ---- MC/DC, and changes ----

exclusions_decisions() {
  label="report exclusions: decisions"
  set -- "$x/e.22" "$x/e.22.profraw" --exclusions "$x/rules"
  echo 'path=e.c decision=17:10 reason="f has no effect"' >"$x/rules"
  report decision "$@" --fail-under mcdc=0
  equal "$label: one that is not measured passes" 0 "$status"
  check "$label: it is counted" \
    grep -q 'Excluded.* 1 decision not measured,' "$out/decision.said"
  equal "$label: it is not listed" "" \
    "$(grep -e 'not measured by' -e 'not_measured":\[.' "$out/decision.said")"
  echo 'path=e.c decision=17:11 reason=x' >"$x/rules"
  report decision "$@" --fail-under mcdc=0
  equal "$label: another one fails" "1 mcdc" \
    "$status $(sed 's/bareprof: \([a-z]*\):.*/\1/' "$out/decision.errors")"
  { printf '%s\n' '--- /dev/null' "+++ $x/e.c" '@@ -0,0 +1,34 @@'
    sed 's/^/+/' "$x/e.c"; } >"$x/e.diff"
  report diff "$@" --diff "$x/e.diff" --diff-format github
  equal "$label: --diff counts what is left" \
    "34 lines, 23 of code, 1 decision not measured by MC/DC" \
    "$(sed -n 's/^Changed: //p' "$out/diff.said")"
  equal "$label: as the table" "$(row_of "$out/diff.said" total |
    awk '{ print $3, $4, $5, $6, $7, $8 }') " \
    "$(row_of "$out/diff.said" change)"
  equal "$label: --diff names it" \
    "7 of 8 branches not taken, 1 decision not measured by MC/DC" \
    "$(sed -n 's/.*,line=17:://p' "$out/diff.said")"
  equal "$label: --diff passes what is excluded" "" \
    "$(grep -E '::warning.*line=([1-9]|12|28|31)::' "$out/diff.said")"
}

# ---- sources by chance ----

# Adds random lcov markers to a source, but not after a line that continues.
mark_lines() {
  awk -v seed="$(echo "$2" | cksum)" 'BEGIN { srand(seed + 0) }
    /\\$/ { print; next }
    {
      r = rand()
      if (open && r < 0.15) { $0 = $0 " // LCOV_EXCL_STOP"; open = 0 }
      else if (!open && r < 0.04) { $0 = $0 " // LCOV_EXCL_START"; open = 1 }
      else if (r < 0.1) $0 = $0 " // LCOV_EXCL_LINE"
      else if (r < 0.12) $0 = $0 " // LCOV_EXCL_BR_LINE"
      print
    }
    END { if (open) print "// LCOV_EXCL_STOP" }' "$1" >"$3"
}

# Prints lines outside macros, without lines of only closing brackets, which may
# be excluded with their code.
plain_lines() {
  awk -F '[:,]' '
    /^SF:/ { name = substr($0, 4); n = 0
      while ((getline text <name) > 0) line[name, ++n] = text }
    /^DA:/ {
      text = line[name, $2]
      sub(/\/\/.*/, "", text)
      if (text !~ /^[ \t});,]*(else *)?$/ && text !~ /^ *#/)
        print name ":" $2 " " $3
    }' "$1" | LC_ALL=C sort
}

# chance LLVM SEED: compares the remaining lines, with their counts.
chance() {
  rm -rf "$x/chance" && mkdir -p "$x/chance" || return 1
  for source in $coverage/nmea.c $coverage/monitor.c; do
    mark_lines "$source" "$2$source" "$x/chance/${source##*/}"
  done
  cat >"$x/chance/main.c" <<'END'
#include "monitor.h"
int main(void) {
  struct nmea_parser parser = {0};
  struct nmea_message message = {0};
  struct monitor monitor = {0};
  const char *all = "$GPGGA,1,2,3,4*11\n$GPXXX*5B\r\n$x$GPRMC,,V,,,,,,,,,*";
  for (; *all; all++)
    monitor_take(&monitor, nmea_feed(&parser, *all, &message), &message);
  return 0;
}
END
  (cd "$x/chance" && "clang-$1" -w -g -I"$top/$coverage" \
    -fprofile-instr-generate -fcoverage-mapping \
    $([ "$1" -lt 18 ] || echo -fcoverage-mcdc) -Wl,--build-id main.c nmea.c \
    monitor.c -o m && LLVM_PROFILE_FILE=m.profraw ./m) || return 1
  report chance "$x/chance/m" "$x/chance/m.profraw" --lcov "$x/with.info" ||
    { one_line <"$out/chance.errors"; return 1; }
  report chance-all "$x/chance/m" "$x/chance/m.profraw" --no-markers \
    --lcov "$x/all.info" || return 1
  for source in nmea.c monitor.c; do
    "$out/exclusions-list" "$x/chance/$source" |
      sed -n "s,^line ,$x/chance/$source:,p"
  done >"$x/gone"
  plain_lines "$x/all.info" | awk 'NR == FNR { gone[$1]; next }
    !($1 in gone)' "$x/gone" - >"$x/expected"
  plain_lines "$x/with.info" | diff "$x/expected" -
}

exclusions_chance() {
  label="report exclusions: by chance"
  for version in 14 ${FULL:+19} 22; do
    have_llvm $version || continue
    for seed in 1 2 3 ${FULL:+4 5 6}; do
      check "$label: llvm-$version, $seed" chance $version "$seed"
    done
  done
}

row_exclusions() {
  label="report exclusions"
  wanted "$label" || return 0
  x=$(source_folder exclusions)
  exclusion_seeds="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"
  check "$label: the list compiles" tool_program "$out/exclusions-list" \
    "$SANITIZERS" $here/exclusions/list.c
  marked_source >"$x/marked.c"
  equal "$label: markers" "$(marked_expected)" \
    "$("$out/exclusions-list" "$x/marked.c" | sort)"
  sed 's/$/\r/' "$x/marked.c" >"$x/crlf.c"
  equal "$label: markers, CRLF" "$(marked_expected)" \
    "$("$out/exclusions-list" "$x/crlf.c" | sort)"
  tr '\n' '\r' <"$x/marked.c" >"$x/cr.c"
  equal "$label: markers, CR" "$(marked_expected)" \
    "$("$out/exclusions-list" "$x/cr.c" | sort)"
  group "$label: measured|report exclusions: the file|report exclusions: faults|\
report exclusions: decisions" exclusions_all
  # The last remaining region has no room: the macro of `false`.
  if [ -z "${FULL:-}" ] && have_llvm 22; then
    check "$label: by chance: llvm-22, 6" chance 22 6
  fi
  [ -n "${FULL:-}" ] || return 0
  group "report exclusions: next to" exclusions_oracles
  group "report exclusions: by chance" exclusions_chance
}

# Sources without functions: a header of macros, and a list within a function.
# By hand: the branches of CHECK's while and X(1) remain, with one side of the
# first.
included_build() {
  cat >"$x/check.h" <<'END'
#define CHECK(c) \
  do { \
    if (!(c)) errors++; /* LCOV_EXCL_LINE: never fails */ \
  } while (0)
END
  cat >"$x/list.def" <<'END'
X(1)
X(2) // LCOV_EXCL_LINE: not on this board
END
  cat >"$x/i.c" <<'END'
#include "check.h"
int errors;
static int f(int x) {
  CHECK(x > 1);
#define X(n) if (x == n) return n;
#include "list.def"
  return x;
}
int main(void) { return f(3) == 99; }
END
  (cd "$x" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -Wl,--build-id i.c -o i && LLVM_PROFILE_FILE=i.profraw ./i)
}

exclusions_included() {
  label="report exclusions: measured: included"
  have_llvm 22 || return 0
  check "$label: builds" included_build
  check "$label: a report" good excluded-included "$x/i" "$x/i.profraw" \
    --lcov "$out/included.lcov"
  equal "$label: neither the macro's branches nor those of the list" "BRF:3" \
    "$(sed -n '/\/i\.c$/,/end/p' "$out/included.lcov" | grep '^BRF')"
  equal "$label: lines of the list, which has two" "DA:1,1" \
    "$(sed -n '/\/list\.def$/,/end/p' "$out/included.lcov" | grep '^DA' |
      tr '\n' ' ' | sed 's/ $//')"
}

exclusions_all() {
  exclusions_measured
  exclusions_included
  exclusions_rules
  exclusions_faults
  exclusions_decisions
  exclusions_outside
}

# One of two ELFs has no source in the filter.
exclusions_outside() {
  label="report exclusions: the file, an ELF outside of --include"
  echo 'int main(void) { return 0; }' >"$x/outside.c"
  printf '%s\n' 'int main(int n, char **v) {' '  if (n > 5)' \
    '    return 3; // LCOV_EXCL_LINE' '  return 0;' '}' >"$x/inside.c"
  for name in outside inside; do
    check "$label: build $name" source_program "$x" $name
  done
  set -- "$x/outside" "$x/inside" "$x/outside.profraw" "$x/inside.profraw"
  check "$label: a report" good outside "$@" --include 'inside\.c' \
    --lcov "$x/outside.info"
  equal "$label: without the excluded line" "DA:1,1 DA:2,1 DA:4,1 DA:5,1" \
    "$(records DA "$x/outside.info" | one_line | sed 's/ $//')"
}
