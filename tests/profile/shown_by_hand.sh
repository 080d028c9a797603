# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests `bareprof show` on profiles that are known by hand, in JSON and text,
# and its errors. shown.sh sources this file.

# ---- by hand ----

# Writes a profile with all kinds of data, and the expected output.
write_known() {
  printf '%s\n' :ir :temporal_prof_traces 1 4 2 'b,a,' '"q\' 16 2 7 0 '$2' \
    0x5 0xff 2 0 1 2 a:1 '** External Symbol **:3' 1 1 1 8:9 \
    a 1 1 18446744073709551615 b 2 1 144115188075855872 b 3 1 2 \
    c 1152921504606846977 1 5 >"$WORK/known.proftext"
}

known_json() {
  show_json - <"$WORK/known.proftext" >"$WORK/ours" || return
  sed '/^{"cutoff"/d' "$WORK/ours" | diff $HERE/known.json - && "$TOLD" \
    <"$WORK/ours" >/dev/null
}

known_text() {
  "$BAREPROF" show --all-functions --counts --bitmap --values \
    "$WORK/known.proftext" 2>/dev/null | diff $HERE/known.txt -
}

known_overview() {
  "$BAREPROF" show "$WORK/known.proftext" 2>/dev/null >"$WORK/ours"
  for words in 'records  *4; some' 'pseudo counts  *1 record: just hot' \
    'suspect  *1 record with counts beyond' 'traces  *1, of 4 runs' \
    'functions  *3, 3 of them ran (100.0 %)' 'context sensitive:' \
    'suspect  *counter 0 is 144115188075855872'; do
    grep -q "$words" "$WORK/ours" || { echo "no $words"; return 1; }
  done
}

# Names contain any bytes: the JSON stays valid, and the text has no control
# character.
hostile() {
  { printf '# %062d\n:fe\n' 0
    printf 'a\033[2J\001"\\\377\302\205\344\275\240\355\240\200\n1\n1\n1\n'
  } >"$WORK/hostile.proftext"
  show_json "$WORK/hostile.proftext" >"$WORK/ours" &&
    "$TOLD" <"$WORK/ours" >/dev/null &&
    grep -qF 'a\u001b[2J\u0001\"\\\u00ff' "$WORK/ours" || return
  for section in --all-functions --covered "--top 1" --ids; do
    "$BAREPROF" show $section "$WORK/hostile.proftext" >"$WORK/ours" || return
    ! LC_ALL=C tr -d '\n -~\200-\377' <"$WORK/ours" | grep -q . ||
      { echo "$section has control characters"; return 1; }
  done
}

# Lines without names have at most 80 columns, and all numbers.
narrow() {
  seq 500 | awk '{ print $1 * $1 }' >"$WORK/theirs"
  { printf ':fe\nf\n1\n500\n'; cat "$WORK/theirs"; } >"$WORK/long.proftext"
  "$BAREPROF" show --counts "$WORK/long.proftext" >"$WORK/text" &&
    equal_text "$(awk 'length > widest { widest = length }
      END { print widest }' "$WORK/text")" 79 &&
    sed '1,2d; s/^    counters//' "$WORK/text" | tr -s ' ' '\n' |
    sed '/^$/d' >"$WORK/ours" && same_lines
}

# A hash of the front end may look context sensitive.
front_end_bit() {
  printf '%s\n' :fe a 1152921504606846977 2 3 4 b 5 2 7 8 >"$WORK/f.proftext"
  alike $LLVM_HOST "$WORK/f.proftext" "$WORK/f.proftext"
}

# Hot and warm merge as in llvm-profdata, but not with counts.
pseudo_merged() {
  printf '%s\n' h 1 3 18446744073709551614 5 6 >"$WORK/warm.proftext"
  printf '%s\n' h 1 3 18446744073709551615 7 8 >"$WORK/hot.proftext"
  printf '%s\n' h 1 3 1 7 8 >"$WORK/plain.proftext"
  for pair in "warm hot" "hot warm" "hot plain" "plain warm"; do
    set -- "$WORK/${pair% *}.proftext" "$WORK/${pair#* }.proftext"
    merged $LLVM_HOST "$@" "$WORK/theirs" &&
      "$BAREPROF" merge "$@" --for-llvm $LLVM_HOST -o "$WORK/ours" \
        2>"$WORK/why" && same_lines || return
  done
  alike $LLVM_HOST "$WORK/warm.proftext" "$WORK/warm.proftext"
}

# says WORDS STATUS ARGUMENTS...: show prints WORDS on standard output.
says() {
  words=$1 status=$2
  shift 2
  "$BAREPROF" show "$@" >"$WORK/ours" 2>"$WORK/why"
  seen=$?
  [ $seen = "$status" ] && grep -q -- "$words" "$WORK/ours" && return
  echo "status $seen"
  cat "$WORK/ours" "$WORK/why"
  return 1
}

by_hand() {
  write_known
  printf ':ir\n' >"$WORK/none.proftext"
  printf ':ir\nf\n1\n2\n0\n0\n' >"$WORK/idle.proftext"
  check "profile show: a document known by hand" known_json
  check "profile show: a text known by hand" known_text
  check "profile show: an overview known by hand" known_overview
  check "profile show: names of any bytes" hostile
  check "profile show: 80 columns" narrow
  check "profile show: why there are no functions" says 'was the code built' \
    0 "$WORK/none.proftext"
  check "profile show: nothing ran" says 'nothing ran' 0 "$WORK/idle.proftext"
  check "profile show: no such name" says 'no such function' 0 --function xyz \
    "$WORK/known.proftext"
  check "profile show: by part of a name" says '0000000002  .* b$' 0 \
    --function b "$WORK/known.proftext"
}

# ---- what goes wrong ----

# wrong STATUS WORDS ARGUMENTS...: expects one line with these words, and no
# output.
wrong() {
  status=$1 words=$2
  shift 2
  "$BAREPROF" show "$@" >"$WORK/ours" 2>"$WORK/why"
  seen=$?
  [ $seen = "$status" ] && [ ! -s "$WORK/ours" ] && [ ! -e "$WORK/out" ] &&
    [ "$(wc -l <"$WORK/why")" = 1 ] && grep -q -- "$words" "$WORK/why" && return
  echo "status $seen"
  cat "$WORK/why"
  return 1
}

closed_pipe() {
  { "$BAREPROF" show --all-functions "$WORK/g.txt" 2>"$WORK/why"
    echo $? >"$WORK/status"; } | true
  equal_text "$(cat "$WORK/status") $(grep -c 'cannot be written' \
    "$WORK/why")" '1 1'
}

full_disk() {
  "$BAREPROF" show "$WORK/f" >/dev/full 2>"$WORK/why"
  equal_text "$? $(grep -c 'standard output: cannot be written' \
    "$WORK/why")" '1 1'
}

to_a_file() {
  "$BAREPROF" show "$WORK/f" >"$WORK/theirs" &&
    "$BAREPROF" show "$WORK/f" -o "$WORK/ours" && same_lines
}

errors() {
  made ir 3000 1 "$WORK/g.txt"
  printf ':fe\nf\n1\n1\n1\n' >"$WORK/f"
  : >"$WORK/empty"
  printf '\001\002\003' >"$WORK/no"
  check "profile show: no file" wrong 2 'pass one profile'
  check "profile show: two files" wrong 2 'pass one profile' "$WORK/f" "$WORK/f"
  check "profile show: unknown option" wrong 2 'unknown option' --what
  check "profile show: no number" wrong 2 '--top must be a number' --top x "$WORK/f"
  check "profile show: no such file" wrong 1 'none: ' "$WORK/none"
  check "profile show: an empty file" wrong 1 'the file is empty' "$WORK/empty"
  check "profile show: another file" wrong 1 'not a profile' "$WORK/no" \
    -o "$WORK/out"
  check "profile show: an ELF that is none" wrong 1 'no: ' --elf "$WORK/no" \
    "$WORK/f"
  check "profile show: a closed pipe" closed_pipe
  check "profile show: a full disk" full_disk
  check "profile show: into a file" to_a_file
}
