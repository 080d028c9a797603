# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Arm MPS2 with FPGA image AN500: Cortex-M7.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := thumbv7em-none-eabi
BOARD_CPU := cortex-m7
BOARD_FLAGS := -mfloat-abi=softfp
BOARD_ARCH := arm-m
BOARD_UART := cmsdk
BOARD_DEFINES := -DUART_BASE=0x40004000 -DTIMER_HZ=25000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine mps2-an500
