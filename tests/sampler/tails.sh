# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Callers that tail calls left out, in the sampler's samples. leaf runs equally
# long for each of its three callers. `run` sources this file with FULL.

# thirds: each caller has a third of the samples in leaf, give or take 40 of
# 1000.
thirds() {
  awk '
    / / && $1 ~ /;leaf$/ { all += $2 }
    $1 ~ /;workload;(t2;t1;|t1;)?leaf$/ { way[$1] = $2; n++ }
    END {
      for (one in way) {
        share = 1000 * way[one] / all
        printf "%s %d of 1000\n", one, share
        if (share < 285 || share > 375) wrong = 1
      }
      exit wrong || n != 3 || all < 500
    }' "$folder/folded"
}

# tails BOARD RELAX
tails() {
  label="sampler $1 tails" folder=$out/$1-tails
  needs "$label" llvm:22 "board:$1" || return
  mkdir -p "$folder"
  check "$label: builds" $MAKE -s firmware BOARD="$1" LLVM=22 OUT="$folder" \
    NAME=tails SCRIPT=none SOURCES=$here/tails.c \
    PROFILE="-fpseudo-probe-for-profiling $2" \
    CFLAGS_APP="-O2 -g1 -Wall -Wextra -I$here -Iruntime \
      -DPERIOD=$(period_of "$1") \
      -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer" || return
  start "$1" tails -icount shift=0 >"$folder/uart"
  "$BAREPROF" samples --folded "$folder/tails.elf" "$folder/tails.samples" \
    -o "$folder/folded" 2>"$folder/said"
  check "$label: a third of leaf for each caller" thirds
}

if [ -n "${FULL:-}" ]; then
  tails mps2-an385 ""
  tails virt-riscv32 -mno-relax
fi
