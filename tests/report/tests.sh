# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of the coverage of each test. `run` sources this file. The oracles are
# raw profiles that the firmware wrote for each single test, read by
# llvm-profdata and llvm-cov.

# tests_build FOLDER FLAGS: makes a firmware from tests.c, and its log.
tests_build() {
  $MAKE -s firmware BOARD=mps2-an385 LLVM=22 OUT="$out/$1" NAME=fw SCRIPT=full \
    SOURCES="$here/tested.c" \
    PLAIN="tests/wire/console.c $coverage/stream.S $here/tests.c" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    CFLAGS_APP="-O1 -g -Wall -Wextra -I$here -I$coverage -Itests/wire $2" \
    LDFLAGS_APP="-u bareprof_preinit" &&
    capture "$1" mps2-an385 fw && grep -q done "$out/$1/fw.log"
}

# tests_of FOLDER NAME: prints llvm-cov's lines of a test's own profile.
tests_of() {
  llvm-profdata-22 merge "$out/$1/$2.profraw" -o "$out/$1/$2.profdata" &&
    llvm-cov-22 export -format=lcov -instr-profile="$out/$1/$2.profdata" \
      "$out/$1/fw.elf"
}

# tests_section FILE NAME: prints a test's section of a tracefile, without its
# name.
tests_section() {
  awk -v name="TN:$2" '/^TN:/ { on = $0 == name; next } on' "$1"
}

# The references' names, and the tests'.
tests_names='p parse__numbers
w parse__wrong
c clamp_low
s scale
a again'

# tests_same TRACEFILE ELF: each test's lines equal its own profile's.
# Names of files are as in the build.
tests_same() {
  echo "$tests_names" | while read -r file name; do
    tests_of tests-reset "$file" >"$out/test.expected" &&
      tests_section "$1" "$name" >"$out/test.found" &&
      cmp "$out/test.expected" "$out/test.found" || exit
  done
}

# Computes the order from the lines that each test adds, using only the
# tracefile.
tests_greedy() {
  awk '
    /^TN:/ { name = substr($0, 4); if (name == "") next
             if (!(name in number)) {
               number[name] = ++count
               names[count] = name
             } }
    /^SF:/ { file = $0 }
    /^DA:/ { split(substr($0, 4), at, ",")
             if (name != "" && at[2] > 0)
               lines[name] = lines[name] file ":" at[1] "\n" }
    END {
      for (i = 1; i <= count; i++) {
        best = ""
        for (k = 1; k <= count; k++) if (!(names[k] in used)) {
          n = split(lines[names[k]], list, "\n"); new = 0
          for (j = 1; j < n; j++) new += !(list[j] in seen)
          if (best == "" || new > most) { best = names[k]; most = new }
        }
        n = split(lines[best], list, "\n")
        print best, n - 1, most
        used[best] = 1
        for (j = 1; j < n; j++) seen[list[j]] = 1
      }
    }' "$1"
}

# Prints the terminal's table in the same form.
tests_table() {
  awk '/^test  .*new$/ { on = 1; next }
    on && /^(and |Outside|[0-9]+ tests? )/ { exit } on && !NF { exit }
    on { n = $(NF - 1); new = $NF; NF -= 2; gsub(/[^A-Za-z0-9]/, "_")
         print $0, n, new }' "$1"
}

tests_pick() { sed -n "/^Tests that reach $1:/,/^\$/p" "$2" | sed 1d; }

# tests_for SED: prints the tests that a change of the firmware's source
# selects.
tests_for() {
  mkdir -p "$out/for/$here" && sed "$1" $here/tested.c >"$out/for/$here/tested.c"
  for_tool=$(realpath "$BAREPROF")
  git diff --no-index $here/tested.c "$out/for/$here/tested.c" |
    sed "s,$out/for/,," |
    (cd "$out/for" && "$for_tool" tests-for --diff - ../by-test/tests.json) |
    sed '1,/^$/d' | paste -sd '|'
}

row_tests() {
  label="report tests"
  wanted "$label" || return 0
  reset=$out/tests-reset
  check "$label: firmware of five tests" tests_build tests-reset \
    "-DFORM=BAREPROF_TEXT -DRESET"
  check "$label: a report" good by-test "$reset/fw.elf" "$reset/fw.log" \
    --tests --tests-reset --lcov "$out/by-test.lcov" --as-llvm-cov \
    --which tested.c:25 \
    --which tests/report/tested.c:8 --which tested.c:2
  check "$label: each has the lines of its own profile" \
    tests_same "$out/by-test.lcov"
  equal "$label: the order is by what each adds" \
    "$(tests_greedy "$out/by-test.lcov")" "$(tests_table "$out/by-test.said")"
  equal "$label: which reach a line" "  scale" \
    "$(tests_pick tested.c:25 "$out/by-test.said" | head -n 1)"
  check "$label: also on its page" grep -q \
    'id="L20".*reached by scale<' "$out/by-test/html/tested.c.html"
  equal "$label: of several" "4" \
    "$(tests_pick tests.report.tested.c:8 "$out/by-test.said" | grep -c '  ')"
  equal "$label: of none" "  none" \
    "$(tests_pick tested.c:2 "$out/by-test.said" | head -n 1)"
  check "$label: those that add nothing" grep -q \
    '^2 tests reach only lines that tests above reach, too' "$out/by-test.said"
  equal "$label: a change selects those of the firmware" \
    'clamp.low|scale|again' "$(tests_for 's/value < 0/value <= 0/')"
  equal "$label: of a line that none reaches" '' \
    "$(tests_for 's/ticks++/ticks += 2/')"
  row_tests_other
  row_tests_failed
  row_tests_times
}

# Loses each single frame, except in the last dump. There is no report without
# --allow-missing; with it, no test gains lines.
tests_lost() {
  folder=$out/tests-lost
  good by-lost-none "$folder/fw.elf" "$folder/fw.log" --tests || return 1
  tests_table "$out/by-lost-none.said" | sed 's/ [0-9]*$//' |
    sort >"$out/lost-none"
  [ "$(wc -l <"$out/lost-none")" = 5 ] || return 1
  count=$(grep -c '^~{' "$folder/fw.log")
  [ "$count" -ge 11 ] || { echo "$count frames"; return 1; }
  for lost in $(seq $((count - 1))); do
    awk -v lost="$lost" '/^~\{/ && ++n == lost { next } { print }' \
      "$folder/fw.log" >"$out/lost.log"
    ! report lost "$folder/fw.elf" "$out/lost.log" --tests ||
      { echo "without frame $lost: status 0"; return 1; }
    grep -q 'is missing' "$out/lost.errors" || return 1
    report lost "$folder/fw.elf" "$out/lost.log" --tests --allow-missing ||
      { one_line <"$out/lost.errors"; return 1; }
    tests_table "$out/lost.said" | sed 's/ [0-9]*$//' | sort |
      comm -23 - "$out/lost-none" >"$out/lost-more"
    [ ! -s "$out/lost-more" ] ||
      { echo "without frame $lost: $(one_line <"$out/lost-more")"; return 1; }
  done
}

# Without resets, names in lines, and without names.
row_tests_other() {
  sum=$out/tests-sum lines=$out/tests-lines
  check "$label: without a reset, in BINARY" tests_build tests-sum \
    -DFORM=BAREPROF_BINARY
  check "$label: is reported" good by-sum "$sum/fw.elf" "$sum/fw.log" \
    --tests --as-llvm-cov --lcov "$out/by-sum.lcov"
  sed "s|^SF:.*/tested.c|SF:$top/tests/report/tested.c|" "$out/by-sum.lcov" \
    >"$out/by-sum.same"
  check "$label: a test has what ran since the dump before" \
    tests_same "$out/by-sum.same"
  check "$label: what ran outside is said" grep -q \
    '^Outside of tests [0-9]* lines ran' "$out/by-sum.said"
  check "$label: without a reset, in TEXT" tests_build tests-lost \
    -DFORM=BAREPROF_TEXT
  check "$label: no test has the code of another, whatever is lost" tests_lost
  check "$label: names in lines" tests_build tests-lines \
    "-DFORM=BAREPROF_TEXT -DLINES"
  check "$label: are found by a pattern" good by-line "$lines/fw.elf" \
    "$lines/fw.log" --test-pattern '^RUN +(.*) \(' --as-llvm-cov \
    --lcov "$out/by-line.lcov"
  check "$label: and name the same tests" tests_same "$out/by-line.lcov"
  check "$label: without names each file is a test" good by-file \
    "$reset/fw.elf" "$reset/p.profraw" "$reset/s.profraw" --tests
  equal "$label: by its name" "p s" \
    "$(tests_table "$out/by-file.said" | awk '{ print $1 }' | sort |
      tr '\n' ' ' | sed 's/ $//')"
  awk '/failed/ { off = 1 } /passed/ { off = 0 } !off' "$reset/fw.log" \
    >"$out/untold.log"
  check "$label: resets that nobody has told of" report untold \
    "$reset/fw.elf" "$out/untold.log" --tests --allow-missing
  check "$label: are guessed" grep -q 'use --tests-reset' \
    "$out/untold.errors"
  check "$label: a wrong pattern" bad no-pattern 2 'the pattern is not valid' \
    "$reset/fw.elf" "$reset/fw.log" --test-pattern '('
  check "$label: no source" bad which-none 1 'no source of the report has this' \
    "$reset/fw.elf" "$reset/fw.log" --which nosuch.c:3
  check "$label: no line" bad no-which 2 'FILE:LINE' "$reset/fw.elf" \
    "$reset/fw.log" --which tested.c
}

# Tests that failed.
row_tests_failed() {
  cat >"$out/junit.xml" <<EOF
<?xml version="1.0"?><!-- <testcase name="again"><failure/></testcase> -->
<testsuites><testsuite name='s' tests="5">
<testcase name="parse: numbers"/><testcase classname="clamp" name="low"
 time="0"><error message="a &lt; b > c"/></testcase>
<testcase name="scal&#101;"><system-out><![CDATA[</testcase>]]></system-out>
<failure>11</failure></testcase><testcase name="again"></testcase>
</testsuite></testsuites>
EOF
  check "$label: failed tests" good passed-only "$reset/fw.elf" \
    "$reset/fw.log" --tests-reset --junit "$out/junit.xml" \
    --json "$out/passed-only.json"
  llvm-profdata-22 merge "$reset/p.profraw" "$reset/w.profraw" \
    "$reset/a.profraw" -o "$out/passed.profdata"
  equal "$label: are left out of the total" \
    "$(llvm_total 22 "$reset/fw.elf" -instr-profile="$out/passed.profdata")" \
    "$(row_of "$out/passed-only.said" total)"
  check "$label: which is said" grep -q '^2 tests failed and are left out' \
    "$out/passed-only.said"
  sed 's/<testcase name="again"><.testcase>//; s/<error.*//' \
    "$out/junit.xml" | head -n 4 >"$out/cut.xml"
  check "$label: a JUnit file that is cut" bad no-cut 1 \
    'cut.xml: the XML is truncated or damaged' "$reset/fw.elf" "$reset/fw.log" \
    --junit "$out/cut.xml"
  check "$label: another file" bad no-junit 1 'no testcase found' \
    "$reset/fw.elf" "$reset/fw.log" --junit "$reset/fw.log"
  sed 's/parse: numbers"\/>/parse: numbers"><failure\/><\/testcase>/
    s/ name="again">/&<failure\/>/; s/"again"/"parse: wrong"/2' \
    "$out/junit.xml" >"$out/all.xml"
  printf '<testcase name="again"><failure/></testcase>\n<testcase name="%s">%s' \
    'parse: wrong' '<failure/></testcase>' >>"$out/all.xml"
  check "$label: all have failed" bad no-passed 1 \
    'all tests of this ELF have failed' "$reset/fw.elf" "$reset/fw.log" \
    --tests-reset --junit "$out/all.xml"
}

# The log has times as three frameworks print them; a line without a test, or
# with a number that is not a time, changes nothing. JUnit's time wins.
row_tests_times() {
  { cat "$reset/fw.log"; echo ' PASS - again in 0.250 seconds
[       OK ] Clamp.low (12 ms)
TEST(Scaling, scale) - 7 ms
again: 14 sensors, 3 starts
other took 9 s'; } >"$out/timed.log"
  echo '<testsuite><testcase name="scale" time="2"/></testsuite>' \
    >"$out/timed.xml"
  check "$label: times in the log" good timed "$reset/fw.elf" \
    "$out/timed.log" --tests-reset --junit "$out/timed.xml"
  equal "$label: are those of its lines" \
    'again 250000 clamp.low 12000 scale 2000000' \
    "$(sed -n 's/^{"name":"\([^"]*\)".*"microseconds":\([0-9]*\).*/\1 \2/p' \
      "$out/timed/tests.json" | sort | tr '\n' ' ' | sed 's/ $//')"
}

# bareprof's headers add no code to the coverage of files that include them.
# Tests are also raw profiles of a program of this machine.
tests_files_built() {
  cat >"$u/prog.c" <<'END'
static int first(int n) { return n ? 1 : 2; }
static int second(int n) { return n ? 3 : 4; }
int main(int count, char **words) {
  return (*words[1] == 's' ? second(1) : first(count - 2)) == 9;
}
END
  mkdir -p "$u/run/a" "$u/run/b" &&
    clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
      -Wl,--build-id "$u/prog.c" -o "$u/prog" || return 1
  LLVM_PROFILE_FILE=$u/run/a/fw.profraw "$u/prog" first &&
    LLVM_PROFILE_FILE=$u/run/b/fw.profraw "$u/prog" second &&
    LLVM_PROFILE_FILE=$u/one.profraw "$u/prog" first second
}

# named_tests: prints the names of a report's tests.
named_tests() { sed -n 's/^{"name":"\([^"]*\)","dumps".*/\1/p' "$1/tests.json" | one_line; }

row_tests_files() {
  label="report tests in files"
  wanted "$label" || return 0
  u=$(source_folder tests-made)
  check "$label: build" tests_files_built
  set -- "$u/prog" "$u/run/a/fw.profraw" "$u/run/b/fw.profraw" "$u/one.profraw"
  check "$label: a report" good tests-files "$@" --tests
  equal "$label: of one name have their folders" "a/fw b/fw one " \
    "$(named_tests "$out/tests-files")"
  echo '<testcase classname="b" name="fw"><failure/></testcase>' >"$u/known.xml"
  check "$label: JUnit's class may be the folder" good tests-known "$@" \
    --junit "$u/known.xml"
  equal "$label: by JUnit, failed and left out" \
    '{"name":"b/fw","dumps":1,"failed":true' \
    "$(grep -o '{"name":"b.fw","dumps":1,"failed":true' \
      "$out/tests-known/tests.json")"
  printf '<testcase %s="%s"><failure/></testcase>\n' name one \
    'classname="p" name' "none$(printf '\033')" name other >"$u/unknown.xml"
  check "$label: with failures of other tests" report tests-unknown "$@" \
    --junit "$u/unknown.xml"
  equal "$label: these are named" "unknown.xml: p.none\x1B failed, as others \
did, but matches no test of this report" "$(sed -n \
    's/.*\(unknown.xml:.*this report\).*/\1/p' "$out/tests-unknown.errors")"
  # A program without instrumented objects leaves only a header.
  echo 'int main(void) { return 0; }' >"$u/none.c"
  check "$label: a profile without counters" eval "clang-22 -c '$u/none.c' -o \
    '$u/none.o' && clang-22 -fprofile-instr-generate -Wl,--build-id \
    -u __llvm_profile_runtime '$u/none.o' -o '$u/none' &&
    LLVM_PROFILE_FILE='$u/none.profraw' '$u/none' && test -s '$u/none.profraw'"
  check "$label: is taken, as merge takes it" report tests-none "$@" \
    "$u/none.profraw"
  equal "$label: and named" "none.profraw: the file has no counters, and adds nothing" \
    "$(sed 's/.*\(none.profraw\)/\1/' "$out/tests-none.errors")"
  check "$label: alone it is no report" bad tests-nothing 1 \
    'no dump has build id' "$u/prog" "$u/none.profraw"
}

row_headers() {
  label="report headers"
  for header in include/bareprof*.h; do
    echo "#include \"${header#include/}\""
  done >"$out/headers.c"
  echo 'int own(void) { return 1; }' >>"$out/headers.c"
  for version in 14 22; do
    have_llvm $version || continue
    "clang-$version" --target=thumbv7m-none-eabi -O1 -Iinclude \
      -fprofile-instr-generate -fcoverage-mapping -c "$out/headers.c" \
      -o "$out/headers.o"
    equal "$label: no function of ours is in coverage, llvm-$version" own \
      "$(llvm-cov-22 export -format=lcov -empty-profile "$out/headers.o" |
        sed -n 's/^FN:[0-9]*,//p' | tr '\n' ' ' | sed 's/ $//')"
  done
}
