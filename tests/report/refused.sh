# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of errors, and of hostile names and files. `run` sources this file.

row_thresholds() {
  label="report --fail-under"
  wanted "$label" || return 0
  set -- "$out/full-22/fw.elf" "$out/full-22/fw.log"
  lines=$(row_of "$out/made-22.said" total | awk '{ print $3 }')
  check "$label: at what is covered" good under --fail-under \
    "lines=$(echo "$lines" | awk '{ print $1 - 0.01 }'),mcdc=0" "$@"
  above=$(echo "$lines" | awk '{ print $1 + 0.01 }')
  report under "$@" --fail-under "functions=10,lines=$above,mcdc=99.5"
  equal "$label: status above it" 1 "$status"
  equal "$label: a line for each" \
    "bareprof: lines: $lines % covered, below the limit of $above %; add tests" \
    "$(grep lines: "$out/under.errors")"
  equal "$label: and no other" "lines mcdc " \
    "$(sed 's/^bareprof: \([a-z]*\):.*/\1/' "$out/under.errors" | tr '\n' ' ')"
  check "$label: the report is there" test -s "$out/under/html/index.html"
  if have_llvm 14; then
    report under "$out/full-14/fw.elf" "$out/full-14/fw.log" \
      --fail-under mcdc=1
    equal "$label: no MC/DC is no success" "1 bareprof: mcdc: the report has nothing of this kind" \
      "$status $(cut -c1-51 "$out/under.errors")"
  fi
  for list in lines lines=101 lines=x rows=1 lines=1,,; do
    report usage --fail-under "$list" "$@"
    equal "$label $list: wrong usage" 2 "$status"
  done
}

row_missing_inputs() {
  label="report what is missing"
  wanted "$label" || return 0
  a=$out/full-22/fw b=$out/lean/fw
  check "$label: an ELF of another build" bad none 1 \
    "fw.log: a dump has build id [0-9a-f]*, which matches no ELF" \
    "$b.elf" "$a.log"
  check "$label: an ELF without dumps is named" \
    grep -q 'lean/fw.elf: no dump has build id' "$out/none.errors"
  check "$label: a log too many" bad none 1 'which matches no ELF' \
    "$a.elf" "$a.log" "$b.log"
  equal "$label: one line for its dumps, one for the end" 2 \
    "$(wc -l <"$out/none.errors")"
  check "$label: an ELF too many" bad none 1 'lean/fw.elf: no dump has' \
    "$a.elf" "$a.log" "$b.elf"
  report allowed "$a.elf" "$a.log" "$b.elf" "$out/other/fw.log" \
    --allow-missing --lcov "$out/allowed.lcov"
  equal "$label: --allow-missing" 0 "$status"
  check "$label: the report is of what there is" \
    cmp "$out/allowed.lcov" "$out/22.lcov"
  check "$label: what is left out is named" \
    grep -q 'lean/fw.elf: no dump' "$out/allowed.errors"
  check "$label: nothing at all" bad none 1 'no data is left' --allow-missing \
    "$a.elf" "$b.log"
  check "$label: no ELF" bad none 1 'no ELF given' "$a.log"
  check "$label: no dump in a log" bad none 1 'run: no dump found' \
    "$a.elf" "$a.log" $here/run
  check "$label: no such file" bad none 1 'cannot be opened' "$a.elf" \
    "$out/nothing"
  cp "$a.elf" "$out/copy.elf"
  llvm-objcopy-22 -R __llvm_covmap "$a.elf" "$out/bare.elf"
  check "$label: no coverage mapping" bad none 1 \
    'bare.elf: the coverage mapping is missing' "$out/bare.elf" "$a.log"
  check "$label: the same build twice" bad none 1 'has the same build id' \
    "$a.elf" "$out/copy.elf" "$a.log"
  report usage
  equal "$label: no files are wrong usage" 2 "$status"
}

# The mapping of the second of two ELFs is damaged, or has another hash.
row_second_elf() {
  label="report a damaged mapping"
  wanted "$label" || return 0
  e=$(source_folder second-elf)
  echo 'int main(void) { return 0; }' >"$e/first.c"
  cp "$e/first.c" "$e/second.c"
  for name in first second; do
    check "$label: build $name" source_program "$e" $name
  done
  set -- "$e/first" "$e/bad" "$e/first.profraw" "$e/second.profraw"
  # A function's record: name 8, size 4, hash 8, files 8, number of files 1,
  # file 1, number of expressions.
  with_record_bytes 30 177
  check "$label: the second ELF is named" bad second-said 1 \
    '/bad: the coverage mapping is damaged' "$@"
  with_record_bytes 12 177
  report second-said "$@"
  equal "$label: another hash, too" "0 $e/bad: 1 function has counters" \
    "$status $(sed -n 's/^bareprof: \(.* counters\) that.*/\1/p' \
      "$out/second-said.errors")"
}

# A source with more lines than a report can have.
row_long_source() {
  label="report a source that is too long"
  wanted "$label" || return 0
  e=$(source_folder long-source)
  check "$label: build" sh -c "cd '$e' &&
    awk 'BEGIN { for (i = 0; i < 4200000; i++) print \"\"
      print \"int main(void) { return 0; }\" }' >long.c &&
    clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
      -Wl,--build-id long.c -o long && LLVM_PROFILE_FILE=long.profraw ./long"
  check "$label: is refused" bad long-said 1 \
    '/long: a source has more than 4194303 lines' "$e/long" "$e/long.profraw"
}

# A macro uses another one, which uses the first one again, after a jump that
# needs the code around each region.
row_macro_cycle() {
  label="report a mapping with a cycle of macros"
  wanted "$label" || return 0
  e=$(source_folder macro-cycle)
  printf '%s\n' '#define C(x) ((x) + 1)' '#define B(x) C(x)' \
    '#define A(x) B(x)' 'int main(int n, char **v) {' \
    '  void *to = n > 5 ? &&one : &&two;' '  goto *to;' 'one:' \
    '  return A(n);' 'two:' '  return 0;' '}' >"$e/second.c"
  check "$label: build" source_program "$e" second
  # The use of A leads to C's text, and the use of C to A's.
  with_record_bytes 78 34 114 14
  equal "$label: both bytes were expansions" "79 14 34 115 34 14" \
    "$(cmp -l "$e/record" "$e/damaged" | awk '{ print $1, $2, $3 }' |
      one_line | sed 's/ $//')"
  check "$label: ends" good cycle-said "$e/bad" "$e/second.profraw"
}

# with_record_bytes OFFSET BYTE...: writes $e/bad, with other bytes (in octal) in
# the mapping of $e/second.
with_record_bytes() {
  llvm-objcopy-22 --dump-section "__llvm_covfun=$e/record" "$e/second" \
    /dev/null && cp "$e/record" "$e/damaged" || return 1
  while [ $# -gt 0 ]; do
    printf "\\$2" | dd of="$e/damaged" bs=1 seek="$1" conv=notrunc 2>/dev/null
    shift 2
  done
  llvm-objcopy-22 --update-section "__llvm_covfun=$e/damaged" "$e/second" \
    "$e/bad"
}

# cut NAME PATTERN LINES: truncates the log some lines after the nth dump.
row_damaged() {
  label="report what is damaged"
  wanted "$label" || return 0
  a=$out/full-22/fw
  last=$(grep -n '^dump 2' "$a.log" | cut -d: -f1)
  head -n $((last + 3)) "$a.log" >"$out/cut.log"
  check "$label: cut short, what ran since the dump before is missing" \
    bad short 1 'the dump of core 0, image 0, boot 1 has gaps; send the dump again' \
    "$a.elf" "$out/cut.log"
  report short "$a.elf" "$out/cut.log" --lcov "$out/cut.lcov" --allow-missing
  equal "$label: --allow-missing, the dump before counts" 0 "$status"
  check "$label: it is that dump" good first "$a.elf" \
    "$out/full-22/1.profraw" --lcov "$out/first.lcov"
  check "$label: by its counts" cmp "$out/first.lcov" "$out/cut.lcov"
  last=$(grep -n '^dump 3' "$a.log" | cut -d: -f1)
  head -n $((last + 3)) "$a.log" >"$out/cut.log"
  check "$label: a start is lost" bad none 1 \
    'the dump of core 0, image 0, boot 2 has gaps; send the dump again' "$a.elf" \
    "$out/cut.log"
  head -c 1000 "$out/full-22/5.profraw" >"$out/cut.profraw"
  check "$label: a raw profile" bad none 1 'truncated' "$a.elf" \
    "$out/cut.profraw"
  cat "$out/full-22/4.profraw" "$out/full-22/5.profraw" >"$out/cut.profraw"
  check "$label: two raw profiles in one" bad none 1 'several profiles' \
    "$a.elf" "$out/cut.profraw"
  head -c 3000 "$a.elf" >"$out/cut.elf"
  check "$label: an ELF" bad none 1 'cut.elf: ' "$out/cut.elf" "$a.log"
  # A part of the noise may look like the rest of a damaged dump.
  tail -c 20000 "$a.elf" >"$out/noise"
  check "$label: noise" bad none 1 \
    'noise: \(no dump found\|data is lost\)' "$a.elf" "$out/noise"
}

# A name never runs a shell, and never becomes an option or a response file.
row_names() {
  label="report hostile names"
  wanted "$label" || return 0
  folder="$out/a 'b\" \$(touch $out/touched)
c;&"
  mkdir -p "$folder"
  cp "$out/full-22/fw.elf" "$folder/@e l'f\"
.elf"
  cp "$out/full-22/fw.log" "$folder/-l
og"
  echo "-name=nothing" >"$folder/e l'f\"
.elf"
  check "$label: a report" with_names
  check "$label: of the same lines" cmp "$folder/lcov" "$out/22.lcov"
  check "$label: nothing was run" test ! -e "$out/touched"
  check "$label: HTML" test -s "$folder/-report/html/index.html"
  equal "$label: two lines of a name are one" 1 \
    "$(grep -c 'e l.f"\\x0A.elf: clang' "$folder/said")"
  report names "$folder/e l'f\"
.elf"
  equal "$label: an error is one line" 1 "$(wc -l <"$out/names.errors")"
}

with_names() {
  case $BAREPROF in /*) program=$BAREPROF ;; *) program=$top/$BAREPROF ;; esac
  (
    cd "$folder" &&
      "$program" report --lcov=lcov -o -report -- "@e l'f\"
.elf" "-l
og" >said
  )
}

row_folders() {
  label="report folders"
  wanted "$label" || return 0
  set -- "$out/full-22/fw.elf" "$out/full-22/fw.log"
  mkdir -p "$out/mine"
  echo mine >"$out/mine/file"
  report mine "$@"
  equal "$label: one that is no report stays" "1 mine" \
    "$status $(cat "$out/mine/file")"
  check "$label: which is said" grep -q 'mine: the folder exists and is not a report' \
    "$out/mine.errors"
  check "$label: a report" good again "$@"
  echo old >"$out/again/old"
  echo 0 >"$out/damaged.log"
  report again "$@" "$out/damaged.log"
  check "$label: an error leaves the report that is there" \
    test "$status" = 1 -a -e "$out/again/old"
  check "$label: the next one replaces it" good again "$@"
  check "$label: what no report wrote stays" test -e "$out/again/old" \
    -a -e "$out/again/html"
  mkdir "$out/again/notes" && echo mine >"$out/again/notes/mine" &&
    echo mine >"$out/again/html/mine" && echo old >"$out/again/fw-2.profraw" &&
    sed -i 's/^html$/&\nfw-2.profraw/' "$out/again/.bareprof-report"
  check "$label: one more" good again "$@"
  equal "$label: files of others stay in its folders, too" "mine mine old " \
    "$(cd "$out/again" && cat notes/mine html/mine old | tr '\n' ' ')"
  check "$label: but not what a report wrote" test ! -e "$out/again/fw-2.profraw"
  # As an earlier bareprof marks it.
  echo 'A report of bareprof: made anew, this folder is replaced.' \
    >"$out/again/.bareprof-report"
  check "$label: a report without a list" good again "$@"
  check "$label: is replaced with all in it" test ! -e "$out/again/old"
  rm -f "$out/again/evidence.json"
  sed -i '/^evidence/d' "$out/again/.bareprof-report"
  echo mine >"$out/again/evidence.json"
  mkdir -p "$out/again/kept" && echo mine >"$out/again/kept/mine"
  report again "$@"
  equal "$label: a file in the way of the report's" "1 mine mine" \
    "$status $(cat "$out/again/evidence.json" "$out/again/kept/mine" |
      one_line | sed 's/ $//')"
  check "$label: is named" grep -q 'again/evidence.json: this file is not from a report' \
    "$out/again.errors"
  rm "$out/again/evidence.json"
  # As on Windows, where a program is in the folder.
  check "$label: a rename that fails" no_renames "$out/no-renames.so"
  LD_PRELOAD=$out/no-renames.so report again "$@"
  equal "$label: what no report wrote stays then, too" "1 mine" \
    "$status $(cat "$out/again/kept/mine")"
  check "$label: and the older report" test -s "$out/again/html/index.html"
  for name in html/index.html evidence.json fw.profraw html ''; do
    report again "$@" --lcov "$out/again/$name"
    equal "$label: an output at again/$name is refused" "1 mine" \
      "$status $(cat "$out/again/kept/mine")"
    check "$label: with its name, $name" grep -q \
      "again/$name: the report in .*again uses this name" "$out/again.errors"
    [ ! -e "$out/again/evidence.json" ] ||
      not_ok "$label: nothing is written" "$name"
  done
  report never "$@" --lcov "$out/never/html/x"
  equal "$label: nor in a report that is not there" 1 "$status"
  check "$label: which leaves none" test ! -e "$out/never"
  report again "$@" --lcov "$out/twice" --json "$out/./twice"
  equal "$label: two outputs of one name" 1 "$status"
  "$BAREPROF" report -o - "$@" >"$out/again.said" 2>"$out/again.errors"
  equal "$label: -o - is wrong usage" "2 " \
    "$? $(ls -d ./- "$out/-" 2>/dev/null)"
  check "$label: once more" good again "$@"
  rm -r "$out/again/kept"
  equal "$label: nothing else is left" "again again.errors again.said " \
    "$(cd "$out" && ls -d again* | tr '\n' ' ')"
  mkdir -p "$out/empty"
  check "$label: an empty one is taken" good empty "$@"
  check "$label: exports go into it" good again "$@" \
    --lcov "$out/again/lcov"
  check "$label: and are there" test -s "$out/again/lcov"
  mkdir -p "$out/no"
  check "$label: folders around it are made" "$BAREPROF" report "$@" \
    -o "$out/no/such/folder/"
  check "$label: around its pages" test -s "$out/no/such/folder/html/index.html"
  rm -r "$out/no"
  report again "$@" --json "$out/no/such/file"
  equal "$label: an export that cannot be written" 1 "$status"
}

# no_renames LIBRARY: makes a library in which a report's folder, which gets the
# ending .old when the next one replaces it, cannot be renamed.
no_renames() {
  cat >"$1.c" <<'EOF'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
int rename(const char *from, const char *to) {
  size_t size = strlen(to);
  errno = EBUSY;
  return size > 4 && strcmp(to + size - 4, ".old") == 0
             ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}
EOF
  clang-22 -shared -fPIC -o "$1" "$1.c"
}

# An llvm-cov that prints impossible output, names that are hard to show, and a
# file of which nearly all lines ran.
hard_built() {
  hard_long=$(printf '%0100d' 0)
  mkdir -p "$h/$hard_long/$hard_long" || return 1
  printf '%s\n' 'static inline int unused(int a) { return a; }' \
    'int half(int a) {' '  if (a > 9)' '    return unused(a);' \
    '  return 0;' '}' >"$h/$hard_name"
  cp "$h/$hard_name" "$h/$hard_long/$hard_long/the end.c"
  sed -i 's/half/long_half/' "$h/$hard_long/$hard_long/the end.c"
  { echo 'int half(int), long_half(int); int main(int n, char **v) {'
    awk 'BEGIN { for (i = 0; i < 25000; i++) print "n++;" }'
    printf '%s\n' 'if (n < 0)' '  n = 1;' 'return half(1) + long_half(1); }'
  } >"$h/all.c"
  (cd "$h" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -Wl,--build-id "$hard_name" "$hard_long/$hard_long/the end.c" all.c -o h &&
    LLVM_PROFILE_FILE=h.profraw ./h)
}

row_hard_names() {
  label="report hard names"
  wanted "$label" || return 0
  h=$(source_folder hard-of)
  hard_name=$(printf 'a&b"<c>\360\237\230\200\033\002.c')
  check "$label: build" hard_built
  check "$label: a report" good hard "$h/h" "$h/h.profraw" \
    --cobertura "$out/hard.xml" --lcov "$out/hard.lcov"
  check "$label: Cobertura is valid" valid_xml "$out/hard.xml"
  check "$label: its names are escaped, in UTF-8 of four bytes" grep -q \
    "filename=\".*/a&#38;b&#34;&#60;c&#62;$(printf '\360\237\230\200')??.c\"" \
    "$out/hard.xml"
  check "$label: Cobertura has a branch of two" \
    grep -q 'condition-coverage="50% (1/2)"' "$out/hard.xml"
  # But for the folder of this clone.
  sed "s,^$h/,," "$out/hard.said" >"$out/hard.table"
  check "$label: at most 100 columns" narrow "$out/hard.table"
  check "$label: a long name keeps its end" \
    grep -q '^\.\.\..*the end.c  *50.00 ' "$out/hard.said"
  check "$label: nearly all is not all" grep -q ' 99.99 ' "$out/hard.said"
  check "$label: no escape sequences" \
    free_of "$(printf '\033')" "$out/hard.said"
}
