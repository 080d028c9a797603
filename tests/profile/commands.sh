# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares `bareprof merge`, as a user runs it, with llvm-profdata merge: lists,
# weights, bad inputs, merges of merges. `run` sources this file.

BAREPROF=$BUILD/bareprof
WORK=$OUT/commands

# make_input KIND FUNCTIONS SEED FILE: makes a random text profile.
make_input() {
  awk -v kind="$1" -v functions="$2" -v seed="$3" -f $HERE/generate.awk >"$4"
}

make_inputs() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  for seed in 1 2 3 4 5; do
    make_input "ir values" 200 $seed "$WORK/$seed.proftext" || return 1
  done
  make_input fe 20 1 "$WORK/front.proftext"
  # llvm-profdata forgets the weight of values that are new to a site.
  for seed in 6 7 8; do
    make_input cs 100 $seed "$WORK/$seed.proftext" || return 1
  done
  printf '# a list\n\n%s \n3,%s\t\n' "$WORK/7.proftext" "$WORK/8.proftext" \
    >"$WORK/list"
}

# Both merge commands give the same bytes for the same arguments.
both_merge() {
  "$BAREPROF" merge "$@" --for-llvm 22 -o "$WORK/ours" 2>"$WORK/errors" || {
    cat "$WORK/errors"
    return 1
  }
  # With several threads, llvm-profdata keeps a random one of equal values.
  llvm-profdata-$LLVM_HOST merge --num-threads=1 "$@" -o "$WORK/theirs" \
    >"$WORK/errors" 2>&1 && cmp "$WORK/theirs" "$WORK/ours"
}

# A merge of merged parts equals the merge of all inputs, in any order.
parts() {
  "$BAREPROF" merge "$WORK"/[1-5].proftext -o "$WORK/whole" "$@" &&
    "$BAREPROF" merge "$WORK"/[45].proftext -o "$WORK/a" "$@" &&
    "$BAREPROF" merge "$WORK"/[13].proftext -o "$WORK/b" "$@" &&
    "$BAREPROF" merge "$WORK/b" "$WORK/2.proftext" "$WORK/a" -o "$WORK/c" \
      "$@" && cmp "$WORK/whole" "$WORK/c"
}

# fails STATUS WORDS ARGUMENTS...: expects one line with these words, and no
# output.
fails() {
  status=$1 words=$2
  shift 2
  rm -f "$WORK/out"
  "$BAREPROF" merge "$@" >"$WORK/errors" 2>&1
  seen=$?
  [ $seen = "$status" ] || { echo "exit status $seen"; return 1; }
  [ ! -e "$WORK/out" ] || { echo "there is an output"; return 1; }
  [ "$(wc -l <"$WORK/errors")" = 1 ] && grep -q -- "$words" "$WORK/errors" ||
    { cat "$WORK/errors"; return 1; }
}

# survives MODE: a bad input after a good one is only a warning in this mode,
# and the output is that of the good one.
survives() {
  "$BAREPROF" merge "$WORK/1.proftext" "$WORK/none" --for-llvm 22 \
    --failure-mode="$1" -o "$WORK/ours" 2>"$WORK/errors" &&
    grep -q "bareprof: $WORK/none: " "$WORK/errors" &&
    llvm-profdata-$LLVM_HOST merge "$WORK/1.proftext" -o "$WORK/theirs" &&
    cmp "$WORK/theirs" "$WORK/ours"
}

# Two shapes of one function and hash: one message for each file names the first
# one.
conflict() {
  printf ':ir\nf\n1\n2\n3\n4\n' >"$WORK/two.proftext"
  printf ':ir\nf\n1\n3\n3\n4\n5\n' >"$WORK/three.proftext"
  "$BAREPROF" merge "$WORK/two.proftext" "$WORK/three.proftext" \
    "$WORK/three.proftext" --text -o "$WORK/ours" 2>"$WORK/errors" || return 1
  [ "$(wc -l <"$WORK/errors")" = 2 ] && [ "$(grep -c \
    "three.proftext: f: .*two.proftext" "$WORK/errors")" = 2 ]
}

full_disk() {
  "$BAREPROF" merge "$WORK/1.proftext" -o /dev/full 2>"$WORK/errors"
  [ $? = 1 ] && grep -q 'bareprof: /dev/full: ' "$WORK/errors"
}

# one FILE KEYWORD COUNT...: writes a function with these counts.
one() {
  one_file=$1 one_kind=$2
  shift 2
  printf '%s\n' ":$one_kind" f 7 $# "$@" >"$one_file"
}

# Counts that reach a cutoff of the summary exactly.
at_a_cutoff() {
  one "$WORK/cutoff.proftext" ir 900000 90000 10000 0
  both_merge "$WORK/cutoff.proftext"
}

# Sums and products of counts saturate.
at_the_most() {
  one "$WORK/large.proftext" ir 18446744073709551000 9223372036854775808 5
  one "$WORK/small.proftext" ir 1000 9223372036854775808 6
  both_merge "$WORK/large.proftext" "$WORK/small.proftext" &&
    both_merge --weighted-input=3,"$WORK/large.proftext" "$WORK/small.proftext"
}

# A function has several records, in the order of older releases.
by_older() {
  # Uses one function, since LLVM 14's table has another order.
  awk 'BEGIN {
    print ":ir"
    for (i = 1; i < 40; i++) printf "f\n%.0f\n1\n%d\n\n", i * 123456789, i
  }' >"$WORK/several.proftext"
  for llvm in 19 14; do
    have "llvm-profdata-$llvm" || continue
    for way in ours theirs; do
      tool="llvm-profdata-$llvm merge"
      [ $way = theirs ] || tool="$BAREPROF merge --for-llvm $llvm"
      # shellcheck disable=SC2086 # A command and its arguments.
      $tool "$WORK/several.proftext" -o "$WORK/$way" 2>"$WORK/errors" ||
        { cat "$WORK/errors"; return 1; }
    done
    cmp "$WORK/theirs" "$WORK/ours" || { echo "by $llvm"; return 1; }
  done
}

# A site keeps the 8,192 most frequent values: two files have 9,000 values with
# the counts 1 to 9,000.
values_thinned() {
  for part in 1 2; do
    awk -v part=$part 'BEGIN {
      print ":ir\nf\n7\n1\n5\n1\n1\n1\n4500"
      for (i = part; i <= 9000; i += 2) print 100000 - i ":" i
    }' >"$WORK/values$part.proftext"
  done
  "$BAREPROF" merge "$WORK/values1.proftext" "$WORK/values2.proftext" --text \
    -o "$WORK/ours" 2>"$WORK/errors" || { cat "$WORK/errors"; return 1; }
  awk -F : 'NF == 2 && $2 != "" && $1 != "" {
      if ($1 + $2 != 100000) bad = 1
      n++
      if (!least || $2 < least) least = $2
    }
    END {
      print n, "values, the least count is", least
      exit bad || !n || least != 9001 - n
    }' "$WORK/ours"
}

# swapped FROM TO: swaps the hashes of functions f1 and f2 in an indexed
# profile. The hash is 24 bytes before the name.
swapped() {
  cp "$1" "$2"
  for of in "f1 f2" "f2 f1"; do
    from=$(grep -abo "${of% *}" "$1" | head -n 1)
    to=$(grep -abo "${of#* }" "$1" | head -n 1)
    dd if="$1" of="$2" bs=1 count=8 conv=notrunc skip=$((${from%%:*} - 24)) \
      seek=$((${to%%:*} - 24)) 2>/dev/null
  done
  ! cmp -s "$1" "$2"
}

# Wrong hashes in a file cannot merge two functions.
wrong_hashes() {
  printf ':ir\nf1\n7\n1\n3\n\nf2\n7\n1\n5\n' >"$WORK/two.proftext"
  llvm-profdata-$LLVM_HOST merge "$WORK/two.proftext" -o "$WORK/two" &&
    swapped "$WORK/two" "$WORK/swapped" &&
    llvm-profdata-$LLVM_HOST merge "$WORK/two" "$WORK/two" -o "$WORK/theirs" || return 1
  for list in "swapped two" "two swapped" "swapped swapped"; do
    "$BAREPROF" merge "$WORK/${list% *}" "$WORK/${list#* }" --for-llvm 22 \
      -o "$WORK/ours" && cmp "$WORK/theirs" "$WORK/ours" || {
      echo "$list"
      return 1
    }
  done
}

# Files have functions in another order, and other functions.
indexed_inputs() {
  for seed in 1 2 3 4 5; do
    llvm-profdata-$LLVM_HOST merge "$WORK/$seed.proftext" -o "$WORK/$seed.profdata" ||
      return 1
  done
  llvm-profdata-$LLVM_HOST merge --sparse "$WORK/7.proftext" -o "$WORK/7.profdata" &&
    both_merge "$WORK"/[12].profdata "$WORK/7.profdata" "$WORK/6.proftext" \
      "$WORK"/[345].profdata "$WORK/7.profdata"
}

# An error at the end of a file gives one line and no output.
wrong_at_the_end() {
  llvm-profdata-$LLVM_HOST merge "$WORK/two.proftext" -o "$WORK/two" &&
    at=$(od -An -tu8 -j 32 -N 8 "$WORK/two" | tr -d ' ') &&
    printf '\377' | dd of="$WORK/two" bs=1 conv=notrunc seek=$((at - 8)) \
      2>/dev/null && fails 1 "two: the value data" "$WORK/two" -o "$WORK/out" &&
    "$BAREPROF" merge "$WORK/two" "$WORK/1.proftext" --failure-mode=warn \
      --for-llvm 22 -o "$WORK/ours" 2>/dev/null &&
    llvm-profdata-$LLVM_HOST merge "$WORK/1.proftext" -o "$WORK/theirs" &&
    cmp "$WORK/theirs" "$WORK/ours"
}

# A remark about a readable file is not printed for a damaged one.
remark_then_error() {
  for name in f g; do
    printf '%s\n1\n2\n3\n18446744073709551614\n\n' $name
  done >"$WORK/large.proftext"
  llvm-profdata-$LLVM_HOST merge "$WORK/large.proftext" -o "$WORK/large" &&
    "$BAREPROF" merge "$WORK/large" -o "$WORK/ours" 2>"$WORK/errors" &&
    [ "$(grep -c "(and 1 more): .*its maximum" "$WORK/errors")" = 1 ] &&
    at=$(od -An -tu8 -j 32 -N 8 "$WORK/large" | tr -d ' ') &&
    printf '\377' | dd of="$WORK/large" bs=1 conv=notrunc seek=$((at - 8)) \
      2>/dev/null && fails 1 "large: the value data" "$WORK/large" -o "$WORK/out"
}

merging() {
  if ! have_llvm $LLVM_HOST; then
    skip "profile merge" "llvm-profdata-$LLVM_HOST is not here"
    return
  fi
  check "profile merge: five files as llvm-profdata's" \
    both_merge "$WORK"/[1-5].proftext
  check "profile merge: indexed files, in any order" indexed_inputs
  check "profile merge: wrong hashes of names" wrong_hashes
  check "profile merge: an indexed file, wrong at its end" wrong_at_the_end
  check "profile merge: a remark, then an error" remark_then_error
  check "profile merge: weights" both_merge \
    --weighted-input=7,"$WORK/6.proftext" "$WORK/7.proftext"
  check "profile merge: a list with weights" both_merge "$WORK/6.proftext" \
    --input-files="$WORK/list"
  check "profile merge: sparse" both_merge --sparse "$WORK/1.proftext"
  check "profile merge: parts of parts, indexed" parts
  check "profile merge: parts of parts, text" parts --text
  check "profile merge: warns of a bad input" survives warn
  check "profile merge: one good input is enough" survives all
  check "profile merge: a conflict, once a file" conflict
  check "profile merge: counts at a cutoff" at_a_cutoff
  check "profile merge: counts at the most" at_the_most
  check "profile merge: records of a function, for 14 and 19" by_older
  check "profile merge: 9,000 values of a site" values_thinned
}

refusing() {
  good=$WORK/1.proftext
  : >"$WORK/empty"
  printf '\001\002\003' >"$WORK/no"
  check "profile merge: no output" fails 2 '-o OUT is missing' "$good"
  check "profile merge: no input" fails 2 'an input is missing' -o "$WORK/out"
  check "profile merge: unknown option" fails 2 'unknown option' --what
  check "profile merge: bad weight" fails 2 'must be W,FILE' \
    --weighted-input=0,x -o "$WORK/out"
  check "profile merge: no such LLVM" fails 2 'from 13 to 23' --for-llvm 24
  check "profile merge: no such file" fails 1 "none: " "$WORK/none" \
    -o "$WORK/out"
  check "profile merge: an empty file" fails 1 'the file is empty' "$good" \
    "$WORK/empty" -o "$WORK/out"
  printf '%s\0%s\0' "$good" "$good" >"$WORK/zeros"
  check "profile merge: a list by find -print0" fails 1 \
    'the list has a zero byte' --input-files="$WORK/zeros" -o "$WORK/out"
  check "profile merge: another file" fails 1 'not a profile' "$WORK/no" \
    -o "$WORK/out"
  check "profile merge: all bad" fails 1 'not a profile' "$WORK/no" \
    --failure-mode=all -o "$WORK/out"
  check "profile merge: front end and IR" fails 1 'the two kinds' "$good" \
    "$WORK/front.proftext" -o "$WORK/out"
  printf ':ir\n:entry_first\nf\n1\n2\n3\n4\n' >"$WORK/entry.proftext"
  check "profile merge: entries first and not" fails 1 'count other blocks' \
    "$good" "$WORK/entry.proftext" -o "$WORK/out"
  check "profile merge: a full disk" full_disk
}

if ! $MAKE -s tool || ! make_inputs; then
  not_ok "profile merge" "the tool or its inputs cannot be made"
else
  merging
  refusing
fi
