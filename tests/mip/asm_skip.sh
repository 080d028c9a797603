# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests which functions `bareprof mip instrument` skips, each with its reason;
# and that its output assembles without a message, for compilers that are not in
# the rows. asm.sh sources this file.
# shellcheck disable=SC2086 # Several flags.

folder=$asm_out/skip
mkdir -p "$folder"

# asm_left LABEL NAMES COMPILER...: exactly these are skipped.
asm_left() {
  label=$1 asm_names=$2
  shift 2
  if ! have "$1"; then
    skip "mip asm skips, $label" "no $1"
    return
  fi
  rm -f "$folder/log"
  BAREPROF_MIP="blocks log=$folder/log" "$asm_wrapper" "$@" -O1 -w \
    -c $HERE/asm_left.c -o "$folder/left.o" >"$folder/said" 2>&1
  equal "mip asm skips, $label" "$asm_names" "$(sed -n \
    's/^.*: \([^:]*\): skipped: .*/\1/p' "$folder/log" 2>&1 | sort |
    tr '\n' ' ' | sed 's/ $//')$(cat "$folder/said")"
}

asm_usual="OUTLINED_FUNCTION_7 bare by_hand"
# Cortex-M's hardware saves ip, and A32's handlers say that they resume.
asm_left "Cortex-M, clang" "$asm_usual work.cold" "clang-$LLVM_HOST" \
  --target=thumbv7m-none-eabi
asm_left "Cortex-M, gcc" "OUTLINED_FUNCTION_7 bare by_hand inner.0 work.cold" \
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb
asm_left "Cortex-M0, gcc" "OUTLINED_FUNCTION_7 bare by_hand inner.0 work.cold" \
  arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb
asm_left "Cortex-A, clang" "$asm_usual handler work.cold" \
  "clang-$LLVM_HOST" --target=armv7a-none-eabi -marm
asm_left "Cortex-A, gcc" \
  "OUTLINED_FUNCTION_7 bare by_hand handler inner.0 work.cold" \
  arm-none-eabi-gcc -mcpu=cortex-a15 -marm
asm_left "AArch64" "$asm_usual work.cold" "clang-$LLVM_HOST" \
  --target=aarch64-none-elf
asm_left "RISC-V, clang" "$asm_usual handler work.cold" "clang-$LLVM_HOST" \
  --target=riscv32-none-elf
asm_left "RISC-V, gcc" "$asm_usual handler work.cold" riscv64-unknown-elf-gcc \
  -march=rv32imac -mabi=ilp32

# asm_quiet BOARD COMPILER LEVEL MODES
asm_quiet() {
  board=$1 compiler=$2 asm_level=$3 modes=$4
  asm_command=$(mip_compiler "$board" "$compiler")
  asm_compile quiet "$modes"
}

asm_number=0
for asm_version in $(llvm_versions) gcc; do
  for asm_board in microbit mps2-an385 virt-cortex-a15 virt-aarch64 \
    virt-riscv32 virt-riscv64; do
    case $asm_board-$asm_version in virt-aarch64-gcc) continue ;; esac
    asm_number=$((asm_number + 1))
    [ -n "${FULL:-}" ] || [ $((asm_number % 4)) = 0 ] || continue
    case $((asm_number % 3)) in
      0) asm_how="-O0 blocks" ;;
      1) asm_how="-O2 edges" ;;
      *) asm_how="-Os blocks" ;;
    esac
    check "mip asm assembles, $asm_board $asm_version $asm_how" \
      asm_quiet $asm_board "$asm_version" $asm_how
  done
done

# A long function for a core without movw has the literals of its sleds among its
# code, where they move the code's own literals away.
asm_long() {
  {
    printf '\t.cpu\tarm926ej-s\n\t.text\n\t.type\tf, %%function\nf:\n'
    printf '\tldr\tr0, .Lpool\n'
    seq 200 | sed 's/.*/\tcmp\tr0, #1\n\tbeq\t.L&\n.L&:/'
    printf '.Lpool:\n\t.4byte\t5\n\t.size\tf, .-f\n'
  } >"$folder/long.s"
  rm -f "$folder/log"
  "$BAREPROF" mip instrument --blocks --keep-implied "$folder/long.s" \
    -o "$folder/long.out.s" --log "$folder/log" &&
    grep -q 'too far away' "$folder/log" &&
    arm-none-eabi-as "$folder/long.out.s" -o "$folder/long.o"
}
have arm-none-eabi-as && check "mip asm assembles, a long function" asm_long
