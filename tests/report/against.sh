# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of comparisons with an earlier report: programs of this machine, whose
# sources move and change. For the same sources, two exports of llvm-cov show
# what is lost. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# against_program NAME LLVM SOURCE...: makes a folder with their program.
against_program() {
  against_folder=$(source_folder "$1") against_llvm=$2
  shift 2
  host_built "$against_folder" "$against_llvm" "$@"
}

# Changes the sources: new lines at the start, sum moved, another name, gone
# removed.
against_moved() {
  m=$(source_folder against-moved) &&
    { yes '// moved' | head -n 10; sed '/^int sum/,/^}/d
      s/^int gone.*/int sum(int n);/; /return 1;$/{N;/\n}/d;}
      s/gone()/1/' "$here/against/main.c"; } >"$m/app.c" &&
    { echo 'int sum(int n);'
      sed -n '/^int sum/,/^}/p' "$here/against/main.c"; } >"$m/sum.c" &&
    against_program against-moved 22 app.c sum.c
}

against_edited() {
  e=$(source_folder against-edited) &&
    sed 's|all += i;|all += i > 7 ? 0 : i;\n// More.\nall += i > 9 ? 1 : 0;|' \
      "$here/against/main.c" >"$e/main.c" &&
    against_program against-edited 22 main.c
}

# against_now NAME FOLDER ARGUMENTS OPTION...: reports a run against the first.
against_now() {
  against_name=$1 against_in=$out/$2
  # shellcheck disable=SC2086 # Several arguments.
  host_ran "$against_in" $3 || return
  shift 3
  report "$against_name" "$against_in/main" "$against_in/main.profraw" \
    --against "$out/then.json" --json "$out/$against_name.json" "$@"
}

# against_lost REPORT [FILE...]: prints the losses in the JSON of a report.
against_lost() {
  against_of=$out/$1.json
  shift
  python3 $here/against/lost.py said "$against_of" "$@"
}

# against_exported LLVM FOLDER REPORT: makes llvm-cov's export.
against_exported() {
  "llvm-cov-$1" export "$out/$2/main" \
    -instr-profile="$out/$3/main.profdata" >"$out/$3.exported" 2>/dev/null
}

# Compares losses for the same sources with llvm-cov's.
against_same() {
  against_exported "$1" "$2" "$3" && against_exported "$1" "$2" "$4" &&
    python3 $here/against/lost.py exports "$out/$3.exported" \
      "$out/$4.exported" >"$out/lost.expected" &&
    against_lost "$4" >"$out/lost.found" &&
    [ "$(cut -d ' ' -f 2 "$out/lost.found" | sort -u | wc -l)" -ge "$5" ] &&
    diff "$out/lost.expected" "$out/lost.found"
}

# Compares the exit status and the messages.
against_fails() {
  against_pattern=$1 against_status=$2
  shift 2
  "$@"
  equal_status "$against_status" && grep -q -e "$against_pattern" \
    "$out/$against_name.errors" "$out/$against_name.said"
}
equal_status() {
  [ "$status" = "$1" ] || { echo "status $status"; return 1; }
}

row_against() {
  label="report --against"
  wanted "$label" || return 0
  most='l111 l100 l010 l101 l330 l303 s3 g' few='l111 l101 s0 g'
  cp $here/against/main.c "$(source_folder against-first)"
  check "$label: build" against_program against-first 22 main.c
  # shellcheck disable=SC2086 # Several arguments.
  check "$label: run" host_ran "$out/against-first" $most
  check "$label: an earlier report" good then "$out/against-first/main" \
    "$out/against-first/main.profraw" --json "$out/then.json"
  check "$label: the same is no loss" against_fails \
    'Covered then, but not now: nothing' 0 against_now against-same \
    against-first "$most" --fail-on lost,lower
  check "$label: a loss fails" against_fails \
    'not covered any more, such as .*main.c:[0-9]*; test' 1 against_now \
    against-few against-first "$few" --fail-on lost --fail-under lines=99 \
    --markdown "$out/against.md"
  check "$label: lines, branches, conditions are llvm-cov's" against_same 22 \
    against-first then against-few 3
  row_against_moved
  row_against_said
  row_against_refused
  [ -z "${FULL:-}" ] || row_against_more
  row_against_macros
}

row_against_moved() {
  check "$label: moved: build" against_moved
  check "$label: moved: no loss" against_fails \
    '^Gone, and not compared: 1 function that ran' 0 against_now \
    against-there against-moved "$most" --fail-on lost
  against_now against-less against-moved "$few"
  equal "$label: moved: what is lost is the same" \
    "$(against_lost against-few | one_line)" \
    "$(against_lost against-less | one_line)"
  equal "$label: moved: it is named where it is now" \
    "$(grep -c '^[0-9]* ' "$out/lost.expected")" \
    "$(against_lost against-less app.c sum.c | wc -l)"
  check "$label: edited: build" against_edited
  check "$label: edited: what was covered in between is said" against_fails \
    'Changed, and not compared: in 1 function .*line' 0 against_now \
    against-edited-all against-edited "$most" --fail-on lost
  against_now against-edited-few against-edited "$few"
  equal "$label: edited: the same but for what lies in between" \
    "$(against_lost against-few | awk '$1 != 21' | one_line)" \
    "$(against_lost against-edited-few | one_line)"
}

# against_texts NAME SED: builds texts.c in a separate folder, with another
# header.
against_texts() {
  t=$(source_folder "$1") && cp $here/against/texts.c "$t" &&
    sed "$2" $here/against/texts.h >"$t/texts.h" &&
    against_program "$1" 22 texts.c
}

# Lines of macros, in a header and in a source. No value is above 5 now.
row_against_macros() {
  for change in 'same s/x/x/' 'lower 1i// More.' \
    'more /^static/i#define NO(x) x' \
    'other s/(int k = 0; k < 2; k++)/(int k = 0; k < 2 || k > 9; k++)/'; do
    check "$label: macros: build, ${change%% *}" against_texts \
      "against-${change%% *}" "${change#* }"
  done
  # shellcheck disable=SC2086 # Several arguments.
  host_ran "$out/against-same" c9 o4 c3
  check "$label: macros: an earlier report" good then "$out/against-same/main" \
    "$out/against-same/main.profraw" --json "$out/then.json"
  check "$label: macros: a loss fails" against_fails 'not covered any more' 1 \
    against_now texts-same against-same 'c2 o5' --fail-on lost
  check "$label: macros: what is lost is llvm-cov's" against_same 22 \
    against-same then texts-same 2
  equal "$label: macros: lines of the header" "8 lines 9 lines " \
    "$(against_lost texts-same texts.h | grep lines | sort -n | one_line)"
  for change in lower more; do
    against_now "texts-$change" "against-$change" 'c2 o5'
    equal "$label: macros: the header has other lines: $change" \
      "$(against_lost texts-same | one_line)" \
      "$(against_lost "texts-$change" | one_line)"
  done
  against_now texts-other against-other 'c2 o5'
  equal "$label: macros: one has changed, after those lines" \
    "8 lines 9 lines " \
    "$(against_lost texts-other texts.h | grep lines | sort -n | one_line)"
}

# Tests the causes of failure in JSON, and Markdown.
row_against_said() {
  equal "$label: causes of failure in --json" "lines 99 lost 0" \
    "$(python3 -c 'import json, sys
print(*(x for f in json.load(open(sys.argv[1]))["bareprof"]["failures"]
        for x in (f["check"], f["wanted"])))' "$out/against-few.json")"
  equal "$label: the lines of all places are the lines that are lost" \
    "$(sed -n 's/^Covered then, but not now:.* \([0-9]* lines\).*/\1/p' \
      "$out/against-few.said")" \
    "$(sed -n 's/^  .*main.c:[-0-9]*: //p' "$out/against-few.said" |
      awk -v RS='[,\n]' '/ lines?$/ { n += $1 } END { print n, "lines" }')"
  check "$label: lines that follow each other are one place" \
    grep -q '^  .*main.c:[0-9]*-[0-9]*: .*lines' "$out/against-few.said"
  equal "$label: Markdown has each place" \
    "$(grep -c '^  .*main.c:[-0-9]*: ' "$out/against-few.said")" \
    "$(grep -c '^| .*main.c:[-0-9]* | ' "$out/against.md")"
}

row_against_refused() {
  a=$out/against-first/main
  head -c 2000 "$out/then.json" >"$out/cut.json"
  check "$label: a file that is cut" bad against-cut 1 \
    'cut.json: this is not a coverage report; pass the file of' "$a" "$a.profraw" \
    --against "$out/cut.json"
  check "$label: --fail-on lost alone" bad against-alone 2 \
    'lost and lower need --against' "$a" "$a.profraw" --fail-on lost
}

# Compares with exports of other releases, and of llvm-cov; two groups in
# another order.
row_against_more() {
  for version in 14 19; do
    cp $here/against/main.c "$(source_folder "against-$version")"
    check "$label: build, llvm-$version" against_program "against-$version" \
      "$version" main.c
    # shellcheck disable=SC2086 # Several arguments.
    host_ran "$out/against-$version" $most
    a=$out/against-$version/main
    check "$label: llvm-$version" good "then-$version" "$a" "$a.profraw" \
      --json "$out/then.json"
    against_now "few-$version" "against-$version" "$few"
    check "$label: as llvm-cov-$version" against_same "$version" \
      "against-$version" "then-$version" "few-$version" 2
  done
  # shellcheck disable=SC2086 # Several arguments.
  host_ran "$out/against-first" $most
  b=$out/against-first/main
  for order in "$a $b" "$b $a"; do
    # shellcheck disable=SC2086 # Two.
    set -- $order
    check "$label: two compilers" good "two" "$1" "$2" "$1.profraw" \
      "$2.profraw" --json "$out/two.json"
    [ -e "$out/then-two.json" ] || cp "$out/two.json" "$out/then-two.json"
  done
  check "$label: two compilers, in another order" good two "$b" "$a" \
    "$b.profraw" "$a.profraw" --against "$out/then-two.json" --fail-on lost
  # shellcheck disable=SC2086 # Several arguments.
  host_ran "$out/against-19" $few
  check "$label: one of two programs" good two "$b" "$a" "$b.profraw" \
    "$a.profraw" --json "$out/then.json"
  check "$label: the other one's functions are gone, not lost" against_fails \
    '^Gone, and not compared: 4 functions' 0 against_now against-one \
    against-19 "$few" --fail-on lost
  cp "$out/then.exported" "$out/then.json"
  check "$label: llvm-cov's own export" against_fails \
    'Covered then, but not now: nothing' 0 against_now against-export \
    against-first "$most" --fail-on lost,lower
}
