# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of `tests-for`, which selects tests that a change can affect. `run`
# sources this file. The oracle mutates lines of host programs one by one, and
# runs all tests: a test whose output or status changes has found the mutation,
# and must be selected.

chosen_flags="-std=c11 -O0 -w"

# chosen_build FOLDER PROGRAM FLAGS: compiles all sources of a folder.
chosen_build() {
  (cd "$chosen/$1" && clang-22 $chosen_flags $3 ./*.c -o "$2")
}

# chosen_run FOLDER RESULTS: writes each test's output and status. A mutant may
# run or print for ever.
chosen_run() {
  rm -rf "${2:?}" && mkdir -p "$2" || return 1
  (
    cd "$chosen/$1" && ulimit -t 2 && ulimit -f 64 || exit
    while read -r name words; do
      # shellcheck disable=SC2086 # Words.
      LLVM_PROFILE_FILE=profiles/$name.profraw ./program $words >"$2/$name.out"
      echo $? >"$2/$name.status"
    done <tests
  ) 2>"$chosen/$1.noise"
}

# chosen_program FOLDER: makes the program, its report by test, its tests'
# results.
chosen_program() {
  mkdir -p "$chosen/$1" && cp "$here/chosen/$1"/* "$chosen/$1" &&
    chosen_build "$1" program "-g -fprofile-instr-generate \
      -fcoverage-mapping -Wl,--build-id" &&
    chosen_run "$1" "$chosen/$1/was" &&
    (cd "$chosen/$1" && timeout 60 "$tool" report program \
      profiles/*.profraw --tests -o made) >"$chosen/$1.said" &&
    mkdir "$chosen/$1/kept" && cp "$chosen/$1"/*.[ch] \
      "$chosen/$1/kept" && chosen_build "$1" program "" &&
    for source in "$chosen/$1"/*.c; do
      (cd "$chosen/$1" && clang-22 $chosen_flags -c "$(basename "$source")" \
        -o "$(basename "$source").o") || return 1
    done
}

# chosen_mutate FOLDER FILE LINE HOW TEXT: mutates a line in FOLDER, and makes
# the diff.
chosen_mutate() {
  text=$5 awk -v line="$3" -v how="$4" '
    FNR != line || how == "insert" { print }
    FNR == line && how != "delete" { print ENVIRON["text"] }
    ' "$chosen/$1/kept/$2" >"$chosen/$1/$2"
  diff -U"$(($3 % 4))" --label "a/$2" --label "b/$2" \
    "$chosen/$1/kept/$2" "$chosen/$1/$2" >"$chosen/$1.diff"
  [ -s "$chosen/$1.diff" ]
}

# chosen_of FOLDER OPTIONS...: prints the tests that the tool selects for the
# diff.
chosen_of() {
  chosen_folder=$1
  shift
  (cd "$chosen/$chosen_folder" && "$tool" tests-for made/tests.json \
    --diff "../$chosen_folder.diff" "$@")
}

# chosen_judge FOLDER MUTATION: prints a line "KIND CHOSEN KILLED MISSED...";
# nothing if the mutation does not compile or changes nothing.
chosen_judge() {
  folder=$1
  IFS='	' read -r kind source line how text <<END
$2
END
  root=$chosen/$folder
  chosen_mutate "$folder" "$source" "$line" "$how" "$text" || return 0
  if (cd "$root" && clang-22 $chosen_flags -c "$source" -o mutant.o &&
    clang-22 mutant.o $(ls ./*.c.o | grep -v "/$source.o") -o program) \
    2>"$root/errors"; then
    chosen_run "$folder" "$root/now"
    diff -rq "$root/was" "$root/now" |
      sed -n 's,^Files .*/\(.*\)\.[a-z]* and .*,\1,p' | sort -u >"$root/killers"
    chosen_of "$folder" | sed '1,/^$/d' | sort >"$root/chosen"
    echo "$kind $(wc -l <"$root/chosen") $(wc -l <"$root/killers")" \
      "$(comm -13 "$root/chosen" "$root/killers" | tr '\n' ' ')" \
      "$folder/$source:$line:$how"
  fi
  cp "$root/kept/$source" "$root/$source"
}

# chosen_kind FOLDER KIND COUNT: judges COUNT mutations of a kind that compile.
chosen_kind() {
  found=0
  (cd "$chosen/$1/kept" && awk -f "$top/$here/chosen/mutate.awk" ./*.c) |
    sort -n | cut -f 2- | sed -n "s,	\./,	,; /^$2	/p" |
    while [ "$found" -lt "$3" ] && read -r mutation; do
      judged=$(chosen_judge "$1" "$mutation" </dev/null)
      [ -n "$judged" ] || continue
      found=$((found + 1))
      echo "$judged"
    done
}

# Prints the figures of all mutants; fails if a test is missed, or too many are
# selected.
chosen_figures() {
  awk -v least="$1" '
    { kinds[$1]++; chosen += $2; killed += $3; found += $3 > 0 }
    $3 > 0 && NF > 4 {
      missed += NF - 4
      print "missed:", $0
    }
    END {
      share = NR ? 100 * chosen / 40 / NR : 0
      printf "%d mutants, %d of them of data; %d found, by %d tests, %d " \
        "missed; %.1f %% of the tests are chosen\n", NR, kinds["data"], found,
        killed, missed, share
      exit missed || NR < least || share > 35 || found < NR / 2
    }' "$chosen/judged"
}

row_chosen() {
  label="report tests-for"
  wanted "$label" || return 0
  each=7 data=3
  [ -z "${FULL:-}" ] || each=75 data=25
  tool=$BAREPROF
  case $tool in /*) ;; *) tool=$top/$tool ;; esac
  chosen=$(realpath "$out")/chosen
  for program in calc codes plant; do
    check "$label: $program, 40 tests" chosen_program $program
    { chosen_kind $program code $each; chosen_kind $program data $data; } \
      >>"$chosen/judged"
  done
  figures=$(chosen_figures $((3 * (each + data))))
  status=$?
  if [ $status = 0 ]; then
    ok "$label: no test that finds a mutant is missed ($figures)"
  else
    not_ok "$label: no test that finds a mutant is missed" \
      "$(echo "$figures" | tail -n 9 | one_line)"
  fi
  chosen_cases
}

# ---- what is chosen, by hand ----

# chosen_edit FILE SED [CONTEXT]: edits a file of plant, and makes the diff.
chosen_edit() {
  cp "$chosen"/plant/kept/* "$chosen/plant" &&
    sed "$2" "$chosen/plant/kept/$1" >"$chosen/plant/$1"
  diff -U"${3:-0}" --label "a/$1" --label "b/$1" "$chosen/plant/kept/$1" \
    "$chosen/plant/$1" >"$chosen/plant.diff"
  [ -s "$chosen/plant.diff" ]
}

# chosen_says COUNT WHY OPTIONS...: tests-for selects COUNT tests, for this
# reason.
chosen_says() {
  wanted_count=$1 wanted_why=$2
  shift 2
  chosen_of plant "$@" >"$chosen/said" || return 1
  grep -qx "$wanted_count of 40 tests" "$chosen/said" &&
    [ "$(sed '1,/^$/d' "$chosen/said" | wc -l)" = "$wanted_count" ] &&
    grep -q -e "^  $wanted_why" "$chosen/said" || {
    one_line <"$chosen/said"
    return 1
  }
}

# chosen_case LABEL COUNT WHY FILE SED: edits a source, and checks how many
# tests are chosen, and why.
chosen_case() {
  check "$label: $1" chosen_edit "$4" "$5"
  check "$label: $1: $2 tests" chosen_says "$2" "$3"
}

chosen_cases() {
  chosen_case "a line" 2 'traffic.c:34: the tests that reach the line: 2' \
    traffic.c 's/walks++/walks += 2/'
  chosen_case "a line behind an if" 7 'traffic.c:36, run_traffic: .*function' \
    traffic.c 's/left = 1;/left = 1, faults++;/'
  chosen_case "a case" 7 'traffic.c:38, run_traffic: the tests.* function' \
    traffic.c "s/case 'f'/case 'g'/"
  chosen_case "a line that comes" 7 'traffic.c:34, run_traffic: .*function' \
    traffic.c '/walks++/a faults--;'
  chosen_case "a line that goes" 7 'traffic.c:34, run_traffic: .*function' \
    traffic.c '/walks++/d'
  chosen_case "a table" 7 'traffic.c:15: outside of functions: .*file: 7' \
    traffic.c 's/"green", 3/"green", 5/'
  chosen_case "a new function" 7 'traffic.c:[0-9]*: outside of functions' \
    traffic.c '$a int more(void) { return 1; }'
  chosen_case "data of all" 40 'limits.c:5: a declaration that other files' \
    limits.c 's/80/81/'
  chosen_case "data that such data refers to" 40 \
    'limits.c:13: a declaration that other files' limits.c 's/75/76/'
  chosen_case "a line of such data comes" 40 'limits.c:4: a declaration that' \
    limits.c '/limits.3/a [2] = 3,'
  chosen_case "a header" 40 'plant.h: not a C or C++ source' \
    plant.h 's/int limit_known/long limit_known/'
  chosen_case "a directive" 40 'traffic.c:5: a directive' \
    traffic.c '/stdio/a #define walks more_walks'
  chosen_case "the last line of a macro" 40 'traffic.c:[0-9]*: a directive' \
    traffic.c "/stdio/a #define more \\\\\\n  1"
  chosen_case "an attribute" 40 'traffic.c:19: a directive, an attribute' \
    traffic.c 's/^int run/__attribute__((constructor)) &/'
  chosen_case "a comment that goes on" 40 'traffic.c:34: a directive' \
    traffic.c 's,walks++,/* &,'
  chosen_edit limits.c 's/80/81/'
  sed -i s/limits/Makefile/ "$chosen/plant.diff"
  check "$label: a file that is not known" chosen_says 40 \
    'limits.c: the file does not match the tested one, and is not in the diff: all'
  check "$label: which is said" grep -q \
    '^  Makefile.c: tests.json lacks this file: all' "$chosen/said"
  chosen_edit traffic.c 's/walks++/walks += 2/'
  sed -i 's/walks += 2/walks += 3/' "$chosen/plant/traffic.c"
  check "$label: another file than that of the diff" chosen_says 40 \
    'traffic.c: the file here does not match the diff: all'
  sed -i 's/walks += 3/walks += 2/; s/"red"/"Red"/' "$chosen/plant/traffic.c"
  check "$label: the diff of another file" chosen_says 40 \
    'traffic.c: the file before the diff does not match the tested one: all'
  rm "$chosen/plant/traffic.c"
  check "$label: no such file" chosen_says 40 \
    'traffic.c: tests.json has this file in another folder: all'
  chosen_edit traffic.c 's/walks++/walks += 2/'
  sed -i '$a Binary files a/x and b/x differ' "$chosen/plant.diff"
  check "$label: a binary file" chosen_says 40 'the diff: a file that the diff deletes,'
  chosen_edit traffic.c '/walks++/,/walks++/{h;s/.*/  y();/}'
  sed 's/traffic.c/README/' "$chosen/plant.diff" >"$chosen/readme"
  cp "$chosen"/plant/kept/* "$chosen/plant"
  mv "$chosen/readme" "$chosen/plant.diff"
  equal "$label: --ignore" "0 of 40 tests" \
    "$(chosen_of plant --ignore '^README$|^docs/' | head -n 1)"
  chosen_formats
  chosen_maps
}

# Tests the output formats for test runners.
chosen_formats() {
  chosen_edit traffic.c 's/walks++/walks += 2/' 3
  equal "$label: --format ctest" '-R
^(traffic_walk|traffic_walk_red)$' "$(chosen_of plant --format ctest)"
  equal "$label: --format pytest" '-k
traffic_walk or traffic_walk_red' "$(chosen_of plant --format pytest)"
  equal "$label: --format json" '{"reasons":[
{"file":"traffic.c","first":34,"last":34,"why":"the tests that reach the '\
'line","all":false,"tests":2}],
"all":false,"unhashed":0,"tests":[
"traffic_walk",
"traffic_walk_red"]}' "$(chosen_of plant --format json)"
  equal "$label: a test without a suite" \
    "bareprof: tests-for: the test traffic_walk has no suite; name dumps \
SUITE::TEST" \
    "$(chosen_of plant --format ztest 2>&1)"
  cp "$chosen/plant/made/tests.json" "$chosen/tests.json"
  sed -i 's/"traffic_walk"/"traffic::walk"/
    s/"traffic_walk_red"/"lights.walk.red"/' "$chosen/plant/made/tests.json"
  equal "$label: --format ztest" '-test=traffic::walk,lights.walk::red' \
    "$(chosen_of plant --format ztest -o "$chosen/ztest" &&
      cat "$chosen/ztest")"
  equal "$label: names that are no words" '-R
^(traffic..walk|lights.walk.red)$' "$(chosen_of plant --format ctest)"
  if needs "$label: ctest" cmake ctest; then
    check "$label: ctest takes the words" chosen_ctest
  fi
  sed -i 's/"\(t[a-z]*\)::walk"/"\1.py::walk"/; s/"lights.walk/"l.py::walk/' \
    "$chosen/plant/made/tests.json"
  equal "$label: pytest's own names" 'traffic.py::walk
l.py::walk.red' "$(chosen_of plant --format pytest)"
  cp "$chosen/tests.json" "$chosen/plant/made/tests.json"
  chosen_edit plant.h 's/run_lift/run_lifts/'
  equal "$label: all, by ctest" '-R
.' "$(chosen_of plant --format ctest)"
  equal "$label: all, by pytest" '-k

.' "$(chosen_of plant --format pytest && echo .)"
  printf '' >"$chosen/plant.diff"
  cp "$chosen"/plant/kept/* "$chosen/plant"
  equal "$label: none" "" "$(chosen_of plant --format ctest &&
    chosen_of plant --format pytest && chosen_of plant --format ztest)"
}

# ctest lists exactly the tests that the words name.
chosen_ctest() {
  mkdir -p "$chosen/ctest" && {
    echo 'cmake_minimum_required(VERSION 3.13)
project(p NONE)
enable_testing()'
    sed -n 's/^{"name":\("[^"]*"\).*/add_test(NAME \1 COMMAND x)/p' \
      "$chosen/plant/made/tests.json"
  } >"$chosen/ctest/CMakeLists.txt" &&
    cmake -S "$chosen/ctest" -B "$chosen/ctest/b" >"$chosen/ctest/said" &&
    chosen_of plant --format ctest |
    (cd "$chosen/ctest/b" && xargs -d '\n' -r ctest -N) >"$chosen/ctest/said"
  [ "$(sed -n 's/.*Test *#[0-9]*: //p' "$chosen/ctest/said" | sort |
    one_line)" = 'lights.walk.red traffic::walk ' ] ||
    { one_line <"$chosen/ctest/said"; return 1; }
}

# Tests maps with times, failed tests, code outside of tests; and files that are
# not maps.
chosen_maps() {
  cat >"$chosen/junit.xml" <<'END'
<testsuite><testcase name="traffic_walk" time="2"/>
<testcase name="traffic_walk_red" time="0.25"/>
<testcase name="lock_first" time="1"><failure/></testcase></testsuite>
END
  cp "$chosen"/plant/kept/* "$chosen/plant"
  check "$label: a report with times" chosen_again --junit ../junit.xml
  chosen_edit traffic.c 's/walks++/walks += 2/'
  equal "$label: failed tests are first, then those that take less" \
    "lock_first traffic_walk_red traffic_walk " \
    "$(chosen_of plant | sed '1,/^$/d' | one_line)"
  check "$label: why is said" chosen_says 3 'failed tests, whose lines are not known: 1$'
  map=$chosen/plant/made/tests.json
  cp "$chosen/tests.json" "$map"
  sed -i 's/"name":"traffic_walk"/"name":null/' "$map"
  equal "$label: what ran outside of tests" \
    "39 of 39 tests  traffic.c:34: it also ran outside of tests, so it \
may affect all: all" "$(chosen_of plant | head -n 2 | tr -d '\n')"
  sed 's/,"sha256":"[0-9a-f]*"//' "$chosen/tests.json" >"$map"
  check "$label: a map of before" chosen_says 40 \
    'traffic.c: tests.json lacks the hash of this file: all'
  check "$label: what is not compared" chosen_says 40 \
    'sources not compared, as tests.json has no hash: 8'
  echo '{"tests":[{"name":"a"}],"lines":[{"lines":[]}]}' >"$map"
  check "$label: another file" chosen_refused "made/tests.json: this is not a list"
  echo '@@ -1 +1 @@' >"$chosen/plant.diff"
  check "$label: no diff" chosen_refused "../plant.diff: line 1: the hunk header"
  equal "$label: two --ignore" 2 \
    "$(chosen_of plant --ignore a --ignore b 2>"$chosen/errors"; echo $?)"
  chosen_included
}

# chosen_again OPTIONS...: makes the report of the runs again.
chosen_again() {
  chosen_build plant program "-g -fprofile-instr-generate \
    -fcoverage-mapping -Wl,--build-id" && (cd "$chosen/plant" &&
    timeout 60 "$tool" report program profiles/*.profraw --tests -o made "$@") \
    >"$chosen/plant.said"
}

chosen_refused() {
  ! chosen_of plant >"$chosen/said" 2>"$chosen/errors" &&
    grep -q "^bareprof: $1" "$chosen/errors" &&
    [ "$(wc -l <"$chosen/errors")" = 1 ] ||
    { one_line <"$chosen/errors"; return 1; }
}

# Data of a source that another one includes belongs to both.
chosen_included() {
  mkdir -p "$chosen/whole/kept" && (
    cd "$chosen/whole/kept" &&
      echo 'static int one = 1; int two(void) { return 2; }' >part.c &&
      printf '%s\n' '#include "part.c"' \
        'int main(int n, char **v) { (void)v; return n > 1 ? one : two(); }' \
        >main.c && echo x >../tests && cp main.c part.c ..
  )
  (cd "$chosen/whole" && clang-22 main.c -fprofile-instr-generate \
    -fcoverage-mapping -Wl,--build-id -o program &&
    LLVM_PROFILE_FILE=one.profraw ./program x
    LLVM_PROFILE_FILE=two.profraw ./program
    "$tool" report program ./*.profraw --tests -o made) >"$chosen/whole.said"
  equal "$label: a source that another one includes" \
    "2 of 2 tests|  part.c: another source includes it: all" \
    "$(chosen_mutate whole part.c 1 change \
      'static int one = 3; int two(void) { return 2; }'
      chosen_of whole | sed -n '1p; /includes/p' | paste -sd '|')"
  chosen_excluded
}

# No line of the excluded functions is in the lists of tests.json. Only the test
# two runs them.
chosen_excluded() {
  mkdir -p "$chosen/left/kept" && (
    cd "$chosen/left/kept" &&
      printf '%s\n' 'static int help(int n) {' '  return n + 2;' '}' \
        'int work(int n) { return help(n); }' >work.c &&
      printf '%s\n' 'int work(int n);' \
        'int main(int n, char **v) { return n > 1 ? work(n) : 0; }' >main.c &&
      echo 'path=work.c reason=other' >../rules && cp main.c work.c ..
  )
  (cd "$chosen/left" && clang-22 main.c work.c -fprofile-instr-generate \
    -fcoverage-mapping -Wl,--build-id -o program &&
    LLVM_PROFILE_FILE=one.profraw ./program
    LLVM_PROFILE_FILE=two.profraw ./program x
    "$tool" report program ./*.profraw --tests -o made --exclusions rules) \
    >"$chosen/left.said"
  for how in change insert; do
    equal "$label: excluded code, $how" \
      "2 of 2 tests|  work.c: excluded code, which any test may reach: all" \
      "$(chosen_mutate left work.c 2 $how '  return n + 3;'
        chosen_of left | sed -n '1p; s/:[0-9]*: ex/: ex/p' | paste -sd '|')"
  done
}
