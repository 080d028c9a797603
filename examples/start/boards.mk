# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The board's settings for the Makefile. Yours has one such set.
ifeq ($(BOARD),mps2-an385)
TARGET = thumbv7m-none-eabi
BOARD_FLAGS = -mcpu=cortex-m3
GNU_LD = arm-none-eabi-ld
QEMU = qemu-system-arm -machine mps2-an385 -nographic -monitor none
else ifeq ($(BOARD),virt-riscv32)
TARGET = riscv32-none-elf
BOARD_FLAGS = -march=rv32imac -mabi=ilp32 -mno-relax
GNU_LD = riscv64-unknown-elf-ld -m elf32lriscv --no-warn-rwx-segments
QEMU = qemu-system-riscv32 -machine virt -bios none -nographic -monitor none
else
$(error BOARD is mps2-an385 or virt-riscv32)
endif
LD = $(if $(filter gnu,$(LINKER)),$(GNU_LD),ld.lld-$(LLVM))
