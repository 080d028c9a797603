# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Arm MPS2 with FPGA image AN505: Cortex-M33, in secure state.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := thumbv8m.main-none-eabi
BOARD_CPU := cortex-m33
BOARD_FLAGS := -mfloat-abi=softfp
BOARD_ARCH := arm-m
BOARD_UART := cmsdk
BOARD_DEFINES := -DUART_BASE=0x50200000 -DTIMER_HZ=20000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine mps2-an505
