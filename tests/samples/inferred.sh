#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the counts of all blocks, after clang has inferred counts that
# samples lack, with the counts of all instructions that ran. Nothing is inlined,
# so each probe occurs once. `run` sources this file.

# loaded PROFILE: writes the module after the pass that reads the profile to
# inferred.ll. The line above the module is a comment since clang 18.
loaded() {
  flags="-fprofile-sample-use=$(realpath "$1") -fno-discard-value-names"
  flags="$flags -mllvm -disable-sample-loader-inlining"
  flags="$flags -mllvm -print-after=sample-profile"
  flags="$flags -mllvm -print-module-scope"
  firmware "$board" inferred "$probed $relax" >"$folder/inferred.ll" 2>&1 ||
    { one_line <"$folder/inferred.ll"; return 1; }
  sed -i 's/^\*\*\* IR Dump/; &/' "$folder/inferred.ll"
  flags=
}

# Builds the same module as firmware, without optimisation: it has each block
# and its probe. Its log has the counts of all.
all_blocks() {
  loaded "$folder/exact.prof" &&
    $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" OUT="$folder" \
      NAME=blocks SOURCES="$folder/inferred.ll" SCRIPT=none FRAGMENT= \
      PROFILE= CFLAGS_APP="-O0 $relax" || return 1
  tests/samples/log.sh "$board" "$folder/blocks.elf" "$folder" |
    awk '{ count[$1]++ } END { for (l in count) print l, "x" count[l] }' \
      >"$folder/blocks"
  "$TOOL" samples "$folder/blocks.elf" "$folder/blocks" --no-targets \
    --attribution=first-instruction -o "$folder/blocks.prof"
}

# inferred PROFILE: prints how much of the true counts clang infers from it.
inferred() {
  loaded "$1" || return 1
  "opt-$LLVM_HOST" -passes='print<block-freq>' -disable-output \
    "$folder/inferred.ll" 2>"$folder/inferred.freq" ||
    { one_line <"$folder/inferred.freq"; return 1; }
  awk -f tests/samples/inferred.awk "$folder/blocks.prof" \
    "$folder/inferred.ll" "$folder/inferred.freq"
}

# For each attribution, and first for all instructions, which is the upper
# limit. With FULL prints a curve, else only the judged point.
inferred_curve() {
  printf '# %s inferred, of exact counts: %s\n' "$board" \
    "$(inferred "$folder/exact.prof")"
  for how in region block ${FULL:+first-instruction}; do
    printf '# %s inferred, %s:' "$board" "$how"
    for count in ${FULL:+400 2000} 8000 ${FULL:+40000}; do
      value=$(inferred "$folder/$count.$how") || return 1
      printf ' %s %s' "$count" "$value"
      [ $count = 8000 ] && echo "$value" >"$folder/inferred.$how"
    done
    echo
  done
}

# placed_round OPTION...: prints how a round of the loop ends, with its exact
# counts.
placed_round() {
  "clang-$LLVM_HOST" --target=thumbv7m-none-eabi -mcpu=cortex-m3 -Os -g1 \
    -fpseudo-probe-for-profiling -S "$folder/placed.c" -o - "$@"
}

# clang places blocks otherwise if a profile is of probes. Here the other way
# costs a jump in each round, however right the counts are. Counters' profiles
# have the usual way. When this fails, docs/how-to/sampling-pgo has to change.
placed() {
  echo 'int leaf(int);
    int total(void) {
      int all = 1;
      for (int i = 0; i < 60; i++)
        if ((all = all * 31 + i) % 64 == 0)
          all += leaf(i);
      return all;
    }' >"$folder/placed.c"
  placed_sum=$(placed_round -emit-llvm |
    sed -n 's/^!.* = !{i64 -*[0-9]*, i64 \([0-9]*\), !"total"}$/\1/p')
  printf '%s\n' total:443760:240 ' 1: 240' ' 2: 14400' ' 3: 240' ' 4: 14400' \
    ' 5: 500' ' 6: 500 leaf:500' ' 7: 14400' ' 8: 14400' ' 9: 240' \
    " !CFGChecksum: $placed_sum" >"$folder/placed.prof"
  for placed_way in "" "-mllvm -enable-ext-tsp-block-placement=false"; do
    # shellcheck disable=SC2086 # Two words, or none.
    placed_round "-fprofile-sample-use=$folder/placed.prof" $placed_way |
      grep -c '^	bne	' || true
  done | one_line
}

placed_all() {
  folder=$OUT/placed
  mkdir -p "$folder"
  equal "samples placed: rounds that end by a branch, without ext-tsp alone" \
    "0 1 " "$(placed)"
}

# Runs on one board; with FULL on both.
inference() {
  [ -n "${FULL:-}" ] || [ "$board" = mps2-an385 ] || return 0
  have "opt-$LLVM_HOST" || {
    skip "samples $board: inference" "no opt-$LLVM_HOST"
    return
  }
  check "samples $board: the counts of all blocks" all_blocks
  inferred_curve >"$folder/inferred" ||
    not_ok "samples $board: inference" "$(one_line <"$folder/inferred")"
  cat "$folder/inferred"
  for how in region block; do
    check "samples $board: $how of 8,000, inferred, overlaps" \
      at_least $least "$(cat "$folder/inferred.$how")"
  done
}
