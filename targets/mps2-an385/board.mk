# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Arm MPS2 with FPGA image AN385: Cortex-M3.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := thumbv7m-none-eabi
BOARD_CPU := cortex-m3
BOARD_FLAGS :=
BOARD_ARCH := arm-m
BOARD_UART := cmsdk
BOARD_DEFINES := -DUART_BASE=0x40004000 -DTIMER_HZ=25000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine mps2-an385
