# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The compilers of instrumented firmware, and their flags. Tests of MIP source
# this file.

# mip_compiler BOARD COMPILER: prints the command with the flags of the board.
# COMPILER is gcc, or a release of clang. The archive's enums are ints.
mip_compiler() {
  case $1-$2 in
    microbit-gcc) set -- "$@" cortex-m0 -mthumb ;;
    mps2-an385-gcc) set -- "$@" cortex-m3 -mthumb ;;
    mps2-an505-gcc) set -- "$@" cortex-m33 -mthumb ;;
    mps3-an547-gcc) set -- "$@" cortex-m55 -mthumb ;;
    virt-cortex-a15-gcc) set -- "$@" cortex-a15 -marm ;;
    virt-riscv32-gcc) set -- "$@" -march=rv32imac -mabi=ilp32 ;;
    virt-riscv64-gcc) set -- "$@" -march=rv64imac -mabi=lp64 ;;
  esac
  case $1-$2 in
    virt-riscv*-gcc) echo "${RISCV_GCC:-riscv64-unknown-elf-gcc}" "$3" "$4" \
      -mcmodel=medany ;;
    *-gcc) echo "${ARM_GCC:-arm-none-eabi-gcc}" -mcpu="$3" "$4" \
      -fno-short-enums ;;
    virt-riscv*-1[34]) mip_clang "$1" "$2" -mno-relax ;;
    *) mip_clang "$1" "$2" ;;
  esac
}

mip_clang() {
  # shellcheck disable=SC2046 # Several flags.
  echo "clang-$2 ${3:-} -nostdlibinc" $(sed -n \
    's/^BOARD_TARGET := /--target=/p
    s/^BOARD_CPU := \(.\)/-mcpu=\1/p
    s/^BOARD_FLAGS := //p' "targets/$1/board.mk")
}

# Links the library that gcc's switches need on cores without branch tables; GNU
# ld has read the archive when it comes to the objects.
mip_library() {
  case $1-$2 in
    microbit-gcc) echo -u __gnu_thumb1_case_uqi -u __gnu_thumb1_case_uhi \
      -u __gnu_thumb1_case_sqi -u __gnu_thumb1_case_shi ;;
  esac
  # shellcheck disable=SC2046 # Several flags.
  case $2 in
    gcc) $(mip_compiler "$1" "$2") -print-libgcc-file-name ;;
  esac
}

# mip_nops BOARD: prints the number of nops for -fpatchable-function-entry.
mip_nops() {
  case $1 in
    virt-aarch64 | virt-cortex-a15) echo 3 ;;
    *) echo 4 ;;
  esac
}

mip_bytes() { od -An -v -tu1 -w1 "$1"; }
