# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of what is refused, and of names and files that somebody means ill
# with: sourced by run.

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
    "bareprof: lines: $lines % covered, which is below $above %; test more" \
    "$(grep lines: "$out/under.errors")"
  equal "$label: and no other" "lines mcdc " \
    "$(sed 's/^bareprof: \([a-z]*\):.*/\1/' "$out/under.errors" | tr '\n' ' ')"
  check "$label: the report is there" test -s "$out/under/html/index.html"
  if have_llvm 14; then
    report under "$out/full-14/fw.elf" "$out/full-14/fw.log" \
      --fail-under mcdc=1
    equal "$label: no MC/DC is no success" "1 bareprof: mcdc: there are none" \
      "$status $(cut -c1-30 "$out/under.errors")"
  fi
  for list in lines lines=101 lines=x rows=1 lines=1,,; do
    report usage --fail-under "$list" "$@"
    equal "$label $list: wrong usage" 2 "$status"
  done
}

# only NAME...: a folder with these programs alone, NAME or NAME=PROGRAM.
only() {
  rm -rf "$out/path"
  mkdir -p "$out/path"
  for program; do
    ln -s "$(command -v "${program#*=}")" "$out/path/${program%%=*}"
  done
}

# with_path COMMAND...: where only these can be found.
with_path() {
  saved=$PATH
  PATH=$out/path:$out/tools
  "$@"
  with_status=$?
  PATH=$saved
  return $with_status
}

row_missing_programs() {
  label="report programs"
  wanted "$label" || return 0
  set -- "$out/full-22/fw.elf" "$out/full-22/fw.log"
  # What the checks themselves need.
  mkdir -p "$out/tools"
  for program in timeout grep ls cmp cut tr cat; do
    ln -sf "$(command -v $program)" "$out/tools/$program"
  done
  only llvm-cov-22
  check "$label: llvm-profdata is missing" with_path bad none 1 \
    '^bareprof: llvm-profdata-22: .*install llvm-22.*--llvm-profdata' "$@"
  only llvm-profdata-22
  check "$label: llvm-cov is missing" with_path bad none 1 \
    '^bareprof: llvm-cov-22: .*install llvm-22.*--llvm-cov' "$@"
  only llvm-profdata=llvm-profdata-22 llvm-cov=llvm-cov-22
  check "$label: without numbers" with_path good plain "$@"
  if have_llvm 14; then
    only llvm-profdata=llvm-profdata-14 llvm-cov=llvm-cov-14
    check "$label: without numbers, too old" with_path bad none 1 \
      'llvm-profdata-22: ' "$@"
    only llvm-profdata-22 llvm-cov-22
    check "$label: later ones, by another raw version" with_path good later \
      "$out/full-14/fw.elf" "$out/full-14/fw.log" --lcov "$out/later.lcov"
    check "$label: of the same lines" \
      cmp "$out/later.lcov" "$out/14.lcov"
    only llvm-profdata-22 llvm-cov-14
    check "$label: an llvm-cov that does not read the profile" \
      with_path bad none 1 'llvm-cov-22: it is not there' \
      "$out/full-14/fw.elf" "$out/full-14/fw.log"
  fi
  if have_llvm 19; then
    only llvm-profdata-19 llvm-cov-22
    check "$label: an earlier llvm-profdata that reads it" \
      with_path good earlier "$@" --lcov "$out/earlier.lcov"
    check "$label: by the same counts" cmp "$out/earlier.lcov" "$out/22.lcov"
  fi
  if have_llvm 14; then
    check "$label: --llvm older than the compiler" bad none 1 \
      'before 9 have no MC/DC bitmaps; .*--llvm' "$@" --llvm 14
  fi
  check "$label: --llvm that is missing" bad none 1 llvm-profdata-21 "$@" \
    --llvm 21
  check "$label: --llvm-profdata that is missing" bad none 1 \
    'nowhere: there is no such program' "$@" --llvm-profdata nowhere
  check "$label: one that fails says so" bad none 1 \
    '^bareprof: false: ended with status 1' "$@" \
    --llvm-cov "$(command -v false)"
}

row_missing_inputs() {
  label="report what is missing"
  wanted "$label" || return 0
  a=$out/full-22/fw b=$out/lean/fw
  check "$label: an ELF of another build" bad none 1 \
    "fw.log: a dump in it is of build [0-9a-f]*, and no ELF is" \
    "$b.elf" "$a.log"
  check "$label: an ELF without dumps is named" \
    grep -q 'lean/fw.elf: no dump is of this build' "$out/none.errors"
  check "$label: a log too many" bad none 1 'and no ELF is' \
    "$a.elf" "$a.log" "$b.log"
  equal "$label: one line for its dumps, one for the end" 2 \
    "$(wc -l <"$out/none.errors")"
  check "$label: an ELF too many" bad none 1 'lean/fw.elf: no dump is of' \
    "$a.elf" "$a.log" "$b.elf"
  report allowed "$a.elf" "$a.log" "$b.elf" "$out/other/fw.log" \
    --allow-missing --lcov "$out/allowed.lcov"
  equal "$label: --allow-missing" 0 "$status"
  check "$label: the report is of what there is" \
    cmp "$out/allowed.lcov" "$out/22.lcov"
  check "$label: what is left out is named" \
    grep -q 'lean/fw.elf: no dump' "$out/allowed.errors"
  check "$label: nothing at all" bad none 1 'nothing is left' --allow-missing \
    "$a.elf" "$b.log"
  check "$label: no ELF" bad none 1 'there is no ELF' "$a.log"
  check "$label: no dump in a log" bad none 1 'run: there is no dump in it' \
    "$a.elf" "$a.log" $here/run
  check "$label: no such file" bad none 1 'cannot be opened' "$a.elf" \
    "$out/nothing"
  cp "$a.elf" "$out/copy.elf"
  llvm-objcopy-22 -R __llvm_covmap "$a.elf" "$out/bare.elf"
  check "$label: no coverage mapping" bad none 1 \
    'bare.elf: it has no coverage mapping' "$out/bare.elf" "$a.log"
  check "$label: the same build twice" bad none 1 'is of the same build' \
    "$a.elf" "$out/copy.elf" "$a.log"
  report usage
  equal "$label: no files are wrong usage" 2 "$status"
}

# cut NAME PATTERN LINES: the log up to some lines behind the nth dump.
row_damaged() {
  label="report what is damaged"
  wanted "$label" || return 0
  a=$out/full-22/fw
  last=$(grep -n '^dump 2' "$a.log" | cut -d: -f1)
  head -n $((last + 3)) "$a.log" >"$out/cut.log"
  check "$label: cut short, what ran since the dump before is missing" \
    bad short 1 'the dump of core 0, image 0, boot 1 has gaps; send it again' \
    "$a.elf" "$out/cut.log"
  report short "$a.elf" "$out/cut.log" --lcov "$out/cut.lcov" --allow-missing
  equal "$label: --allow-missing, the dump before counts" 0 "$status"
  check "$label: it is that dump" good first "$a.elf" \
    "$out/full-22/1.profraw" --lcov "$out/first.lcov"
  check "$label: by its counts" cmp "$out/first.lcov" "$out/cut.lcov"
  last=$(grep -n '^dump 3' "$a.log" | cut -d: -f1)
  head -n $((last + 3)) "$a.log" >"$out/cut.log"
  check "$label: a start is lost" bad none 1 \
    'the dump of core 0, image 0, boot 2 has gaps; send it again' "$a.elf" \
    "$out/cut.log"
  head -c 1000 "$out/full-22/5.profraw" >"$out/cut.profraw"
  check "$label: a raw profile" bad none 1 'cut short' "$a.elf" \
    "$out/cut.profraw"
  cat "$out/full-22/4.profraw" "$out/full-22/5.profraw" >"$out/cut.profraw"
  check "$label: two raw profiles in one" bad none 1 'several profiles' \
    "$a.elf" "$out/cut.profraw"
  head -c 3000 "$a.elf" >"$out/cut.elf"
  check "$label: an ELF" bad none 1 'cut.elf: ' "$out/cut.elf" "$a.log"
  tail -c 20000 "$a.elf" >"$out/noise"
  check "$label: noise" bad none 1 'noise: there is no dump' "$a.elf" \
    "$out/noise"
}

# No shell, no option and no response file comes of a name.
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
  check "$label: which is said" grep -q 'mine: it exists and is not a report' \
    "$out/mine.errors"
  check "$label: a report" good again "$@"
  echo old >"$out/again/old"
  report again "$@" --llvm-cov nowhere
  check "$label: an error leaves the report that is there" \
    test "$status" = 1 -a -e "$out/again/old"
  check "$label: the next one replaces it" good again "$@"
  check "$label: all of it" test ! -e "$out/again/old" -a -e "$out/again/html"
  equal "$label: nothing else is left" "again again.errors again.said " \
    "$(cd "$out" && ls -d again* | tr '\n' ' ')"
  mkdir -p "$out/empty"
  check "$label: an empty one is taken" good empty "$@"
  check "$label: exports go into it" good again "$@" \
    --lcov "$out/again/lcov"
  check "$label: and are there" test -s "$out/again/lcov"
  report "no/such/folder" "$@" 2>/dev/null
  report again "$@" --json "$out/no/such/file"
  equal "$label: an export that cannot be written" 1 "$status"
}

# An llvm-cov that says what no compiler would.
row_fake() {
  label="report llvm-cov's words"
  wanted "$label" || return 0
  check "$label: a report" good fake --llvm-html \
    --llvm-cov $here/fake-llvm-cov "$out/full-22/fw.elf" "$out/full-22/fw.log" \
    --cobertura "$out/fake.xml" --lcov "$out/fake.lcov" --uncovered
  check "$label: Cobertura is valid" valid_xml "$out/fake.xml"
  check "$label: its names are escaped" \
    grep -q 'filename="/s/a&#38;b&#34;&#60;c&#62;?.c"' "$out/fake.xml"
  check "$label: Cobertura has a branch of two" \
    grep -q 'condition-coverage="50% (1/2)"' "$out/fake.xml"
  check "$label: Cobertura has names in UTF-8 of four bytes" \
    grep -q "name=\"$(printf '\360\237\230\200')\"" "$out/fake.xml"
  check "$label: at most 100 columns" narrow "$out/fake.said"
  check "$label: a long name keeps its end" \
    grep -q '^\.\.\..*the end.c  *50.00 ' "$out/fake.said"
  check "$label: nearly all is not all" grep -q ' 99.99 ' "$out/fake.said"
  equal "$label: a function in several forms ran once" 1 \
    "$(grep -c "^  [^ ]*:[0-9]* " "$out/fake.said")"
  check "$label: no escape sequences" \
    free_of "$(printf '\033')" "$out/fake.said"
  for wrong in '{"data":[]}' '{"data":[{"totals":{"lines":{"count":1,
    "covered":2}}}]}' '[[[[' ''; do
    printf '%s' "$wrong" >"$out/wrong.json"
    export SUMMARY="$out/wrong.json"
    check "$label: not $(printf '%.16s' "$wrong" | one_line)" bad none 1 \
      'llvm-cov: its export is not' --llvm-cov $here/fake-llvm-cov \
      "$out/full-22/fw.elf" "$out/full-22/fw.log"
    unset SUMMARY
  done
}
