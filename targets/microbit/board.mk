# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# BBC micro:bit: nRF51822, Cortex-M0.
# Data only; targets/README.md explains the variables.
BOARD_TARGET := thumbv6m-none-eabi
BOARD_CPU := cortex-m0
BOARD_FLAGS :=
BOARD_ARCH := arm-m
BOARD_UART := nrf51
BOARD_DEFINES := -DUART_BASE=0x40002000 -DTIMER_HZ=16000000
BOARD_LDFLAGS :=
BOARD_QEMU := qemu-system-arm -machine microbit
