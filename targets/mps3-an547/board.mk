# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Arm MPS3 with FPGA image AN547: Cortex-M55, in secure state.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := thumbv8.1m.main-none-eabi
BOARD_CPU := cortex-m55
BOARD_FLAGS := -mfloat-abi=softfp
BOARD_ARCH := arm-m
BOARD_UART := cmsdk
BOARD_DEFINES := -DUART_BASE=0x59303000 -DTIMER_HZ=32000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine mps3-an547
