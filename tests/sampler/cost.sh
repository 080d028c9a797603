# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Counts the instructions of a sample in QEMU. `run` sources this file.

# cost BOARD ROOM SHIFT TICKS-OF-AN-INSTRUCTION
cost() {
  label="sampler cost $1 $2" folder=$out/cost-$1-${2%%(*}
  needs "$label" llvm:22 "board:$1" || return 0
  mkdir -p "$folder"
  build $1 cost $here/cost.c "-DROOM='BAREPROF_SAMPLER_$2'" || return
  start $1 cost -icount shift=$3 | awk -v ticks=$4 \
    '{print $1, int($2 / ticks / 32 + 0.5)}' >"$folder/cost"
  sed "s/^/# $label: /" "$folder/cost"
  check "$label: a sample takes at most 60 instructions" awk '
    $1 ~ /^(average|first|second|new|stopped|within)$/ {
      rows++
      if ($2 > 60 || $2 < 5) {print; bad = 1}
    }
    END {exit bad || rows != 6}' "$folder/cost"
  check "$label: the worst takes at most 125" awk '
    $2 > ($1 == "lost" ? 125 : 85) {print; bad = 1}
    END {exit bad || NR != 12}' "$folder/cost"
}

for room in "TABLE(1024)" "RING(100)"; do
  cost virt-riscv32 "$room" 0 1
  cost mps2-an385 "$room" 6 1.6
done
