#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# llvm-profgen, which gets the same counts as ranges of one instruction, makes
# the same profile, byte for byte. `run` sources this file.

# profgen TARGET
profgen() {
  name=$OUT/$1
  "clang-$LLVM_HOST" --target="$1" -O2 -g1 -ffreestanding $probed \
    -c tests/samples/work.c -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e main "$name.o" -o "$name.elf" || return 1
  "$OUT/lengths" "$name.elf" |
    awk '{ print $1, "x" (NR * 7919 % 1000 + 1) }' >"$name.samples"
  {
    wc -l <"$name.samples"
    awk '{ print $1 "-" $1 ":" substr($2, 2) }' "$name.samples"
    echo 0
  } >"$name.ranges"
  "$TOOL" samples "$name.elf" "$name.samples" --scale=1 --no-targets \
    --attribution=first-instruction -o "$name.ours" 2>/dev/null || return 1
  "llvm-profgen-$LLVM_HOST" --binary="$name.elf" --format=text \
    --unsymbolized-profile="$name.ranges" --use-offset=0 \
    --output="$name.theirs" || return 1
  [ -s "$name.ours" ] && cmp "$name.ours" "$name.theirs"
}
