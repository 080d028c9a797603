# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU's virt machine with a Cortex-A57, big-endian.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := aarch64_be-none-elf
BOARD_CPU := cortex-a57
BOARD_FLAGS := -mno-unaligned-access
BOARD_ARCH := aarch64
BOARD_UART := pl011
BOARD_DEFINES := -DUART_BASE=0x09000000 -DTIMER_HZ=62500000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-aarch64 -machine virt -cpu cortex-a57 -net none
