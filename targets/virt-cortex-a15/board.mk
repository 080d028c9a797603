# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU's virt machine with a Cortex-A15, in ARM state.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := armv7a-none-eabi
BOARD_CPU := cortex-a15
BOARD_FLAGS := -marm -mfloat-abi=softfp -mno-unaligned-access
BOARD_ARCH := arm-a
BOARD_UART := pl011
BOARD_DEFINES := -DUART_BASE=0x09000000 -DTIMER_HZ=62500000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine virt -cpu cortex-a15 -net none
