#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A million probes in 95 MB, and 50 samples in each tenth function, with FULL
# also in each: the same profile as llvm-profgen's, in less time. `run` sources
# this file.

build_big() {
  tool_program "$OUT/made" "" tests/probes/made.c &&
    $(host_cc) -D_XOPEN_SOURCE=700 tests/samples/measure.c \
      -o "$OUT/measure" && "$OUT/made" big "$folder/big.elf" 20000 70000000
}

# big_samples EVERY: makes samples in every EVERYth function.
big_samples() {
  awk -v every="$1" 'BEGIN {
    for (i = 0; i < 20000; i += every)
      for (j = 0; j < 250; j += 5)
        printf "%x x%d\n", 1048576 + i * 1000 + j * 4, \
          (i * 31 + j * 7) % 500 + 1
  }' >"$folder/samples-$1"
  {
    wc -l <"$folder/samples-$1"
    awk '{ print $1 "-" $1 ":" substr($2, 2) }' "$folder/samples-$1"
    echo 0
  } >"$folder/ranges-$1"
}

# timed NAME COMMAND...: appends milliseconds and KB to NAME.times. Measures
# processor time, since other programs use this machine, too; and only user
# time, as a virtual machine may take seconds to give the kernel new pages.
timed() {
  timed_name=$1
  shift
  "$OUT/measure" "$folder/said" "$@" >>"$folder/$timed_name.times" ||
    { cat "$folder/said"; return 1; }
}

# both EVERY: runs each tool once; the profiles are the same.
both() {
  timed "ours-$1" "$TOOL" samples "$folder/big.elf" "$folder/samples-$1" \
    --force --no-targets --scale=1 --attribution=first-instruction \
    -o "$folder/ours" &&
    timed "theirs-$1" "llvm-profgen-$LLVM_HOST" --binary="$folder/big.elf" \
      --format=text --unsymbolized-profile="$folder/ranges-$1" --use-offset=0 \
      --output="$folder/theirs" && cmp "$folder/ours" "$folder/theirs"
}

rounds() {
  rm -f "$folder"/*.times
  for every in 10 ${FULL:+1 10 1}; do both $every || return 1; done
  for _ in 1 ${FULL:+2 3}; do
    timed region "$TOOL" samples "$folder/big.elf" "$folder/samples-$most" \
      --force --no-targets -o "$folder/ours" || return 1
  done
}

# best NAME COLUMN
best() {
  sort -n -k "$2,$2" "$folder/$1.times" | awk -v c="$2" '{ print $c; exit }'
}

# fast EVERY WHAT
fast() {
  ours=$(best "ours-$1" 1) theirs=$(best "theirs-$1" 1)
  ratio=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  check "samples speed: a million, in $2, in $ours ms, llvm-profgen \
$theirs ms: $ratio times as fast, of at least 3" [ $((3 * ours)) -le "$theirs" ]
}

speed() {
  have "llvm-profgen-$LLVM_HOST" || {
    skip "samples speed: speed" "no llvm-profgen-$LLVM_HOST"
    return
  }
  folder=$OUT/speed
  mkdir -p "$folder"
  check "samples speed: a large image is made" build_big
  most=10
  [ -z "${FULL:-}" ] || most=1
  for every in 10 ${FULL:+1}; do big_samples $every; done
  check "samples speed: a million probes, as llvm-profgen has them" rounds
  fast 10 "a tenth of the functions"
  [ -z "${FULL:-}" ] || fast 1 "all functions"
  echo "# the same, of regions: $(best region 1) ms"
  echo "$(best ours-$most 2) $(best theirs-$most 2)" | awk '{
    printf "# memory: %d KB, llvm-profgen %d KB, %.1f times as much\n", $1, $2,
      $2 / $1
  }'
  rm -f "$folder/big.elf"
}
