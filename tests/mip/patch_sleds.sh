# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof mip patch`: sleds for places near and far, read by llvm-mc. A part
# of patch.sh.
sleds=$patch_out/sleds

# sleds_read ISA BYTES TRIPLE...: a call has BYTES bytes of code, and then its
# index.
sleds_read() {
  sleds_isa=$1 sleds_code=$2
  shift 2
  "$sleds" "$sleds_isa" >"$sleds.$sleds_isa" || return 1
  awk -v code="$sleds_code" '$5 != "none" {
    line = ""
    for (i = 5; i <= NF && ($1 == "store" || i < 5 + code); i++)
      line = line " " $i
    print line
  }' "$sleds.$sleds_isa" |
    "llvm-mc-$LLVM_HOST" -disassemble "-triple=$1" ${2-} 2>&1 |
    sed 's/^[[:space:]]*//;/^\./d;s/[[:space:]]\{1,\}/ /g
      s/ *[@\/#][@\/ ].*//' >"$sleds.read"
  awk -v isa="$sleds_isa" -f $patch_here/patch_sleds.awk "$sleds.$sleds_isa" \
    "$sleds.read" >"$sleds.wrong"
  cat "$sleds.wrong"
  [ ! -s "$sleds.wrong" ]
}

check "patch sleds: compile" tool_program "$sleds" "$SANITIZERS" \
  $patch_here/patch_sleds.c
check "patch sleds: Thumb" sleds_read thumb 6 thumbv7a-none-eabi
# Arm does not define mov.w of 0xXY00XY00 with XY = 0, which llvm-mc accepts.
equal "patch sleds: Thumb, RAM at address 0" \
  "store 0 256 0 0x4f 0xf0 0x00 0x0c 0x8c 0xf8 0x00 0xc1" "$("$sleds" low)"
check "patch sleds: A32" sleds_read a32 8 armv7a-none-eabi
check "patch sleds: AArch64" sleds_read aarch64 8 aarch64
check "patch sleds: RV32" sleds_read riscv32 8 riscv32 -mattr=+c
check "patch sleds: RV64" sleds_read riscv64 8 riscv64 -mattr=+c
