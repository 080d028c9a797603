#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A million probes in 95 MB, and 100,000 samples in each tenth function: the
# same profile as llvm-profgen's, sooner. Sourced by run.

build_big() {
  # shellcheck disable=SC2046,SC2086 # Several sources.
  ${HOST_CC:-cc} -std=c11 -O1 -D_POSIX_C_SOURCE=200809L -DBAREPROF_FOREIGN \
    -Iinclude -Iruntime -I"$TOOLS/base" -I"$TOOLS/probe" \
    tests/probes/made.c $(printf " $TOOLS/%s.c" probe/decode probe/encode \
      probe/functions probe/place probe/read probe/symbols probe/tree \
      base/arena base/buffer base/elf base/elf_find base/elf_write base/error \
      base/file base/inflate base/md5) -o "$OUT/made" &&
    "$OUT/made" big "$folder/big.elf" 20000 70000000
}

big_samples() {
  awk 'BEGIN {
    for (i = 0; i < 20000; i += 10)
      for (j = 0; j < 250; j += 5)
        printf "%x x%d\n", 1048576 + i * 1000 + j * 4, \
          (i * 31 + j * 7) % 500 + 1
  }' >"$folder/samples"
  {
    wc -l <"$folder/samples"
    awk '{ print $1 "-" $1 ":" substr($2, 2) }' "$folder/samples"
    echo 0
  } >"$folder/ranges"
}

# Seconds of the processor, as others use this machine too. In a shell of its
# own.
seconds() {
  times >"$folder/before"
  "$@" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; return 1; }
  times >"$folder/after"
  cat "$folder/before" "$folder/after" | tr 'ms' '  ' | awk '
    NR % 2 == 0 { now = $1 * 60 + $2 + $3 * 60 + $4 } NR == 2 { then = now }
    END { printf "%.2f\n", now - then }'
}

fast_enough() {
  awk -v ours="$1" -v theirs="$2" 'BEGIN {
    exit !(ours > 0 && theirs >= 3 * ours)
  }'
}

speed() {
  have "llvm-profgen-$LLVM_HOST" || {
    skip "samples: speed" "no llvm-profgen-$LLVM_HOST"
    return
  }
  folder=$OUT/speed
  mkdir -p "$folder"
  check "samples: a large image is made" build_big
  big_samples
  ours=$(seconds "$TOOL" samples "$folder/big.elf" "$folder/samples" --force \
    --no-targets --scale=1 --attribution=first-instruction -o "$folder/ours")
  theirs=$(seconds "llvm-profgen-$LLVM_HOST" --binary="$folder/big.elf" \
    --format=text --unsymbolized-profile="$folder/ranges" --use-offset=0 \
    --output="$folder/theirs")
  check "samples: a million probes, as llvm-profgen has them" \
    cmp "$folder/ours" "$folder/theirs"
  ratio=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  check "samples: a million probes in $ours s, llvm-profgen $theirs s: $ratio \
times as fast, of at least 3" fast_enough "$ours" "$theirs"
  rm -f "$folder/big.elf"
}
