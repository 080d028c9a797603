# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU's virt machine, 32-bit RISC-V.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := riscv32-none-elf
BOARD_CPU :=
BOARD_FLAGS := -march=rv32imac -mabi=ilp32 -mcmodel=medany
BOARD_ARCH := riscv
BOARD_UART := ns16550
BOARD_DEFINES := -DUART_BASE=0x10000000 -DTIMER_HZ=10000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-riscv32 -machine virt -bios none -net none
