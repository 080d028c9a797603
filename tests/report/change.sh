# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of the coverage of a change. `run` sources this file. The short rows have
# counts that are known by hand, the long row has diff-cover's.

# Makes a program of four sources in a repository, whose root has .git. Its main
# gets 1: line 2 ran with vectors 10 and 11 for ints, 01 and 11 for doubles,
# which is MC/DC of both conditions; line 6 ran with 11 twice.
change_program() {
  rm -rf "$c" && mkdir -p "$c/.git" "$c/src" "$c/lib" || return 1
  cat >"$c/src/pump.cpp" <<'END'
template <class T> int twice(T a, T b) {
  if (a && b)
    return 1;
  return 0;
}
#define BOTH(x, y) ((x) && (y))
static int never(int a) {
  return a + 1;
}
int main(int count, char **) {
  int sum = twice(count, 0) + twice(count, count) + twice(0.0, 1.0);
  if (BOTH(count, sum += twice(1.0, 1.0)))
    sum += BOTH(count, count);
  // Only a comment.
  return sum == 9 ? never(sum) : 0;
}
END
  echo 'int spare(void) { return 1; }' >"$c/src/spare.c"
  printf '%s\n' 'int other(void) { return 1; }' 'int wide(int a, int b) {' \
    '  return a &&' '    b;' '}' >"$c/lib/spare.c"
  echo 'int third(void) { return 1; }' >"$c/src/$umlaut, b.c"
  (
    cd "$c" || exit
    for source in src/spare.c lib/spare.c "src/$umlaut, b.c"; do
      clang-22 -fprofile-instr-generate -fcoverage-mapping \
        -fcoverage-mcdc -c "$source" -o "$source.o" || exit
    done
    clang++-22 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc \
      -Wl,--build-id src/pump.cpp src/*.o lib/*.o -o fw &&
      LLVM_PROFILE_FILE=fw.profraw ./fw
  )
}

# changed NAME ARGUMENT...: runs report in the repository, for the diff on
# standard input.
changed() {
  changed_name=$out/$1
  shift
  (
    cd "$c" && timeout 60 "$tool" report -o "$changed_name" fw fw.profraw \
      --diff - "$@" >"$changed_name.said" 2>"$changed_name.errors"
  )
  status=$?
}

# Prints messages about lines, and about missing files, in one line.
said() {
  awk '/^Changed: / { on = 1; print substr($0, 10) }
    /^Not in the report/ { lacks = 1 }
    lacks && /^  / { print "lacks " substr($0, 3) }
    on && /^[^ ].*:[0-9]+: |^::/' "$out/$1.said" | paste -sd ';' -
}

# Prints a diff that adds line 8 of the program, with these names; more lines
# may come before.
line8() { printf '%s\n' "$@" '@@ -7,0 +8 @@ int never' '+  return a + 1;'; }

# One row of names: the diff on standard input shows line 8 as not covered.
# named LABEL EXPECTED [ARGUMENT...]: expects success and this text.
named() {
  named_label=$1 named_expected=$2
  shift 2
  changed named "$@"
  equal "$label: $named_label" "0 $named_expected" "$status $(said named)"
}

row_change() {
  label="report change"
  wanted "$label" || return 0
  mkdir -p "$out/change"
  c=$(cd "$out/change" && pwd)
  out=$(cd "$out" && pwd)
  umlaut=$(printf '\303\244\033')
  case $BAREPROF in /*) tool=$BAREPROF ;; *) tool=$top/$BAREPROF ;; esac
  check "$label: the program" change_program
  group "$label: measured" change_measured
  group "$label: names" change_names
  group "$label: places" change_places
  group "$label: refused" change_refused
  group "$label: next to diff-cover" change_oracle
}

# ---- what counts ----

change_measured() {
  label="report change: measured"
  { echo 'diff --git a/src/pump.cpp b/src/pump.cpp'
    printf '%s\n' '--- /dev/null' '+++ b/src/pump.cpp' '@@ -0,0 +1,16 @@'
    sed 's/^/+/' "$c/src/pump.cpp"; } >"$c.diff"
  changed whole <"$c.diff"
  equal "$label: percent and missed, of lines, branches, MC/DC" \
    "0 80.00 3 61.11 7 50.00 2 " "$status $(row_of "$out/whole.said" change)"
  equal "$label: each line that is not covered" "16 lines, 15 of code;\
src/pump.cpp:6: 2 of 4 branches not taken, 2 of 2 conditions not covered by \
MC/DC;src/pump.cpp:7: not covered;src/pump.cpp:8: not covered;\
src/pump.cpp:9: not covered;src/pump.cpp:12: 2 of 4 branches not taken;\
src/pump.cpp:13: 2 of 4 branches not taken;\
src/pump.cpp:15: 1 of 2 branches not taken" "$(said whole)"
  changed github --diff-format github <"$c.diff"
  equal "$label: for GitHub" "::warning file=src/pump.cpp,line=7::not covered" \
    "$(grep '^::.*line=7' "$out/github.said")"
  equal "$label: as many" 7 "$(grep -c '^::warning' "$out/github.said")"
  changed limit --fail-under patch=80 <"$c.diff"
  equal "$label: patch=80 holds" 0 "$status"
  changed limit --fail-under patch=80.01,functions=99 <"$c.diff"
  equal "$label: patch=80.01 does not, nor does another limit" \
    "1 functions patch " \
    "$status $(sed 's/^bareprof: \([a-z]*\):.*/\1/' "$out/limit.errors" |
      tr '\n' ' ')"
  changed empty --fail-under patch=100 </dev/null
  equal "$label: an empty diff is 100 %, which is said" \
    "0 0 lines, 0 of code, which counts as 100 %" "$status $(said empty)"
  printf '%s\n' '--- a/src/pump.cpp' '+++ b/src/pump.cpp' '@@ -13,0 +14 @@' \
    '+  // Only a comment.' | changed comment --fail-under patch=100
  equal "$label: so is a comment" \
    "1 line, 0 of code, which counts as 100 %" "$(said comment)"
  # Git's -W shows the same lines in two hunks.
  printf '%s\n' '--- a/src/pump.cpp' '+++ b/src/pump.cpp' '@@ -6,2 +6,3 @@' \
    ' #define BOTH' '+static int' ' return' '@@ -7,1 +8,2 @@' ' return' '+}' |
    changed overlap
  equal "$label: hunks that share context" "2 lines, 2 of code;\
src/pump.cpp:7: not covered;src/pump.cpp:9: not covered" "$(said overlap)"
  lacks="2 of 2 branches not taken"
  printf '%s\n' '--- a/lib/spare.c' '+++ b/lib/spare.c' '@@ -3,0 +4 @@' \
    '+    b;' | changed second
  equal "$label: the second line of a decision" "1 line, 1 of code;\
lib/spare.c:4: not covered, $lacks, 2 of 2 conditions not covered by MC/DC" \
    "$(said second)"
  printf '%s\n' '--- a/lib/spare.c' '+++ b/lib/spare.c' '@@ -2,0 +3,2 @@' \
    '+  return a &&' '+    b;' | changed both
  equal "$label: both lines of it" "2 lines, 2 of code;\
lib/spare.c:3: not covered, $lacks, 2 of 2 conditions not covered by MC/DC;\
lib/spare.c:4: not covered, $lacks" "$(said both)"
  printf '%s\n' '--- a/src/pump.cpp' '+++ b/src/pump.cpp' '@@ -1,6 +1,5 @@' \
    ' template' '-x' '+  if (a && b)' '-x' '     return 1;' '' ' }' |
    changed context
  equal "$label: context is no change, a decision of two types is one" \
    "1 line, 1 of code 100.00 0 100.00 0 100.00 0 " \
    "$(said context) $(row_of "$out/context.said" change)"
  line8 '--- a/src/pump.cpp' '+++ b/src/pump.cpp' >"$c/file.diff"
  (cd "$c" && "$tool" run fw fw.profraw -o "$out/ran-change" -q \
    --diff file.diff --fail-under patch=1 -- true) \
    >"$out/ran-change.said" 2>"$out/ran-change.errors"
  equal "$label: run, too" "1 patch" "$? $(sed -n \
    's/^bareprof: \(patch\): 0.00 .*/\1/p' "$out/ran-change.errors")"
}

# ---- names ----

change_names() {
  label="report change: names"
  {
    line8 '--- a/01' '+++ b/01'
    line8 'diff --git i/02 w/02' 'index 1..2 100644' '--- i/02' '+++ w/02'
    line8 'diff --git b/03 b/03' '--- /dev/null' '+++ b/03'
    line8 'diff --git a/x b/04' 'rename from x' 'rename to 04' '--- a/x' \
      '+++ b/04'
    line8 'diff --git x/05 y/05' 'copy from x/05' 'copy to y/05' '--- x/05' \
      '+++ y/05'
    line8 'diff -ru x/06 y/06' '--- x/06	2026-01-01' '+++ y/06	2026-01-02'
    line8 '--- x/07.orig' '+++ x/07'
    line8 'Index: x/08' '====' '--- ./x/y/../08	(revision 1)' \
      '+++ ./x/y/../08	(working copy)'
    line8 'diff -r abc x/09' '--- /dev/null' '+++ b/x/09' | sed 's/$/\r/'
    line8 "diff --git a/x y b/x y" "--- a/x y	" "+++ b/x y	"
  } >"$c/names.diff"
  named "with and without prefixes, renamed, dates, CRLF, blanks" "10 lines, \
0 of code, which counts as 100 %;lacks 01;lacks 02;lacks 04;lacks 06;\
lacks b/03;lacks x y;lacks x/07;lacks x/08;lacks x/09;lacks y/05" \
    <"$c/names.diff"
  {
    echo 'From: somebody'
    echo '--- is no header'
    line8 'diff --git a/src/pump.cpp b/src/pump.cpp' '--- a/src/pump.cpp' \
      '+++ b/src/pump.cpp'
    printf '%s\n' '\ No newline at end of file' 'diff --git a/x b/x' \
      'deleted file mode 100644' '--- a/x' '+++ /dev/null' '@@ -1 +0,0 @@' \
      '-x' 'diff --git a/p b/p' 'GIT binary patch' 'literal 2' 'Jcmezq' '' \
      'diff --git a/q b/q' 'Binary files a/q and b/q differ' \
      'diff --git a/mode b/mode' 'old mode 100644' 'new mode 100755' \
      'diff --git a/less b/less' '--- a/less' '+++ b/less' '@@ -4,2 +3,0 @@' \
      '-x' '-y' '-- ' '2.39'
  } >"$c/names.diff"
  named "deleted, binary, mode, fewer lines, a mail around" \
    "1 line, 1 of code;src/pump.cpp:8: not covered" <"$c/names.diff"
  # The name is quoted, with a blank, an escape, and a comma, which GitHub's
  # annotations use.
  cat >"$c/names.diff" <<'END'
diff --git "a/src/\303\244\033, b.c" "b/src/\303\244\033, b.c"
--- /dev/null
+++ "b/src/\303\244\033, b.c"	
@@ -0,0 +1 @@
+int third(void) { return 1; }
END
  named "quoted" \
    "1 line, 1 of code;::warning file=src/$(printf '\303\244')%1B%2C b.c,line=1::not covered" \
    --diff-format github <"$c/names.diff"
}

change_places() {
  label="report change: places"
  spare='1 line, 1 of code;spare.c:1: not covered'
  printf '%s\n' '--- a/spare.c' '+++ b/spare.c' '@@ -0,0 +1 @@' '+x' \
    >"$c/spare.diff"
  # Two sources end in that name, but only one is at the repository's root.
  named "a file that the report lacks is said" \
    "1 line, 0 of code, which counts as 100 %;lacks spare.c" <"$c/spare.diff"
  check "$label: and nothing else is a line for the log" \
    grep -q '^bareprof: standard input: no file of this diff is in the report' \
    "$out/named.errors"
  set -- --source-map "$c=/elsewhere" --allow-missing
  changed elsewhere "$@" <"$c/spare.diff"
  equal "$label: elsewhere it may be two, exit status" 1 "$status"
  check "$label: both are named" \
    grep -q 'spare.c may be /elsewhere/lib/spare.c or' "$out/elsewhere.errors"
  sed 's,/spare,/lib/spare,' "$c/spare.diff" |
    named "elsewhere by the end of a name" \
      "1 line, 1 of code;lib/spare.c:1: not covered" "$@"
  { cat "$c/spare.diff"; sed 's,/spare,/lib/spare,' "$c/spare.diff"; } |
    named "by its longest end" \
      "2 lines, 2 of code;lib/spare.c:1: not covered;spare.c:1: not covered" \
      "$@"
  printf '%s\n' '--- a/are.c' '+++ b/are.c' '@@ -0,0 +1 @@' '+x' |
    named "a part of a name is no end" \
      "1 line, 0 of code, which counts as 100 %;lacks are.c" "$@"
}

# ---- what is refused ----

# refuses WHAT PATTERN [STATUS]: report rejects the diff on standard input, and
# makes no file.
refuses() {
  rm -rf "$out/refused"
  changed refused
  equal "$label: $1" "1 1 bareprof: standard input: $2" "$status $(wc -l \
    <"$out/refused.errors") $(sed "s/\(.*$2\).*/\1/" "$out/refused.errors")"
  [ ! -e "$out/refused" ] || not_ok "$label: $1: leaves nothing" "a folder"
}

change_refused() {
  label="report change: refused"
  head='--- a/x
+++ b/x'
  echo 'fw.elf: 3 dumps' | refuses "a log" "no unified diff found"
  printf '\377\376d\0' | refuses "UTF-16" "the diff is UTF-16"
  printf '%s\n' 'diff --cc x' 'index 1,2..3' |
    refuses "combined" "line 1: combined diffs"
  echo "$head
@@ -1 +1,2 @@
-a
+b" | refuses "cut short" "line 5: the number of lines in this hunk"
  echo "$head
@@ -1 +1 @@
-a
+b
+c" | refuses "a line too many" "line 6: the number of lines in this hunk"
  echo "$head
@@ -1 +1 @@
{+word+}" | refuses "--word-diff" "line 4: the number of lines in this hunk"
  # As git writes lines that are indented: no mark is theirs.
  echo "$head
@@ -2,2 +2,2 @@ int work(int n)
  if (n)
    return [-0-]{+1+};" |
    refuses "--word-diff of indented lines" "line 5: this hunk adds"
  echo "$head
@@ -1 +1 @@
 a
-1
+2
~" | refuses "--word-diff=porcelain" "line 4: this hunk adds"
  echo '@@ -1 +1 @@' | refuses "no name" "line 1: the hunk header is not valid"
  echo "$head
@@ -1 +1,99999999999999999999 @@" |
    refuses "a huge hunk" "line 3: the hunk header"
  echo "$head
@@ -0,0 +7 @@
+a
@@ -0,0 +7 @@
+a" | refuses "a line twice" "line 6: the hunks are not in order"
  printf '%s\n' '--- a/x' '+++ "b/\8x"' |
    refuses "a wrong escape" "line 2: a file name is not quoted"
  echo "$head
@@ -0,0 +7 @@
+a
$head
@@ -0,0 +9 @@
+a" | refuses "two versions" "the diff changes a file twice"
  changed usage --fail-under patch=100 - </dev/null
  equal "$label: two of standard input, exit status" 2 "$status"
  for words in "--fail-under patch=1" "--diff-format text" \
    "--diff x --diff-format html"; do
    # shellcheck disable=SC2086 # Words.
    "$BAREPROF" report "$c/fw" -o "$out/usage" $words 2>/dev/null
    equal "$label: wrong usage: $words" 2 $?
  done
  changed in >/dev/null <"$c/file.diff"
  cp "$c/file.diff" "$out/in/"
  "$BAREPROF" report "$c/fw" "$c/fw.profraw" -o "$out/in" \
    --diff "$out/in/file.diff" 2>"$out/in.errors"
  equal "$label: a diff in the folder is not lost" "1 file.diff" \
    "$? $(cd "$out/in" && ls file.diff)"
}

# ---- diff-cover ----

# Deletes, changes and inserts random lines, for a commit.
vary() {
  awk -v seed="$(echo "$2" | cksum)" 'BEGIN { srand(seed + 0) }
    rand() < 0.1 { next }
    rand() < 0.1 { $0 = $0 " //" }
    rand() < 0.05 { print "// more" }
    { print }' "$1" >"$1.new" && mv "$1.new" "$1"
}

# Makes a repository with the example's sources: main has the sources that ran,
# each branch an older state.
oracle_repository() {
  r=$out/oracle
  rm -rf "$r" && mkdir -p "$r/src/gps" "$r/app" && cd "$r" || return 1
  cp "$top/$coverage"/nmea.[ch] src/gps && cp "$top/$coverage"/monitor.[ch] app
  cp "$c/src/pump.cpp" "src/my pump.cpp"
  sed -i 's/^int main(/int pump(/' "src/my pump.cpp"
  cat >app/main.cpp <<'END'
extern "C" {
#include "monitor.h"
}
int pump(int, char **);
int main(int, char **v) {
  nmea_parser parser = {};
  nmea_message message = {};
  monitor monitor = {};
  const char *all = "$GPGGA,1,2,3,4*11\n$GPXXX*5B\r\n$x$GPRMC,,V,,,,,,,,,*";
  for (; *all; all++)
    monitor_take(&monitor, nmea_feed(&parser, *all, &message), &message);
  return pump(1, v);
}
END
  echo words >README
  {
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a \
      GIT_COMMITTER_EMAIL=a GIT_CONFIG_GLOBAL=/dev/null
    git init -q -b main . && git add . && git commit -q -m now || return 1
    for turn in $oracle_turns; do
      git checkout -q -b "was$turn" main || return 1
      for source in src/gps/nmea.[ch] app/* "src/my pump.cpp"; do
        vary "$source" "$turn$source"
      done
      case $turn in
        *2) git mv app/monitor.c app/watch.c ;;
        *3) git rm -q -f src/gps/nmea.c ;;
        *4) git mv "src/my pump.cpp" pump.cpp; echo old >old.c ;;
      esac
      git add -A . && git commit -q -m "$turn" && git checkout -q main ||
        return 1
    done
  }
  for source in src/gps/nmea.c app/monitor.c; do
    clang-22 -c -Iapp -Isrc/gps "$source" -fprofile-instr-generate \
      -fcoverage-mapping -fcoverage-mcdc -o "$source.o" || return 1
  done
  clang++-22 -Iapp -Isrc/gps app/main.cpp "src/my pump.cpp" app/monitor.c.o \
    src/gps/nmea.c.o -fprofile-instr-generate -fcoverage-mapping \
    -fcoverage-mcdc -Wl,--build-id -o "$out/oracle.elf" &&
    LLVM_PROFILE_FILE=$out/oracle.profraw "$out/oracle.elf" &&
    rm app/*.o src/gps/*.o && [ -z "$(git status --porcelain)" ]
}

# Prints each file with its percentage and its lines; then the total of lines,
# and of missed ones.
facts_of_diff_cover() {
  sed 's/.*"src_stats": {//; s/}, "/\n"/g' "$1" |
    sed -n 's/^"\(.*\)": {"percent_cov.*": \(.*\), "vio.*_lines": /\1:\2:/p' |
    sed 's/\[\([0-9, ]*\)\].*/\1/' |
    awk -F : '{ printf "%s: %.2f %s\n", $1, $2, $3 }' | tr -d , | sort
  tr , '\n' <"$1" | awk -F : '/"total_num_lines"/ { lines = $2 + 0 }
    /"total_num_violations"/ { print "all: " lines, $2 + 0 }'
}
facts_of_ours() {
  sed -n '/^Changed/,/^Not in/p' "$1" | awk '
    /^Changed/ { lines = $4 }
    /^--/ { on++; next }
    /: not covered/ {
      at = index($0, ": not covered")
      name = line = substr($0, 1, at - 1)
      sub(/:[0-9]*$/, "", name)
      sub(/.*:/, "", line)
      missing[name] = missing[name] " " line
    }
    on == 1 {
      name = $0
      sub(/ +[0-9.-]+ +.*$/, "", name)
      rest = substr($0, length(name) + 1)
      split(rest, part, " ")
      if (part[1] != "-") percent[name] = part[1]
    }
    on == 2 && /^change / { missed = $3 }
    END {
      for (name in percent)
        print name ": " percent[name] \
          (missing[name] == "" ? " " : missing[name])
      print "all: " lines " " missed + 0 | "cat >&2"
    }' 2>"$1.all" | sort
  cat "$1.all"
}

# Compares one diff, as git writes it with these options.
oracle_diff() {
  turn=$1
  shift
  (cd "$r" && git "$@" "was$turn..main") >"$out/oracle.diff" &&
    (cd "$r" && timeout 60 "$tool" report "$out/oracle.elf" \
      "$out/oracle.profraw" -o "$out/oracle-made" --diff "$out/oracle.diff" \
      --lcov "$out/oracle.info" --cobertura "$out/oracle.xml") \
      >"$out/oracle.said" || return 1
  facts_of_ours "$out/oracle.said" >"$out/oracle.ours"
  # All versions of diff-cover treat lcov 2's MC/DC records as an error.
  sed -i '/^MC[DFH]/d' "$out/oracle.info"
  for form in info xml; do
    (cd "$r" && diff-cover "$out/oracle.$form" -q --compare-branch "was$turn" \
      --diff-range-notation .. --json-report "$out/oracle.json") || return 1
    facts_of_diff_cover "$out/oracle.json" >"$out/oracle.$form.facts"
    [ "$(wc -l <"$out/oracle.$form.facts")" -ge 2 ] &&
      diff "$out/oracle.$form.facts" "$out/oracle.ours" || return 1
  done
}

change_oracle() {
  label="report change: next to diff-cover"
  [ -n "${FULL:-}" ] || return 0
  needs "$label" git diff-cover || return 0
  oracle_turns="1 2 3 4 12 13 14"
  oracle_why=$(oracle_repository 2>&1) || {
    not_ok "$label" "$(echo "$oracle_why" | one_line)"
    return
  }
  r=$out/oracle
  for turn in $oracle_turns; do
    check "$label: $turn" oracle_diff "$turn" diff -U0
    check "$label: $turn, context" oracle_diff "$turn" diff -W
    check "$label: $turn, --no-prefix" oracle_diff "$turn" diff --no-prefix
    check "$label: $turn, other prefixes" oracle_diff "$turn" -c \
      diff.mnemonicPrefix=true diff -U1
  done
}
