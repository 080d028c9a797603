/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions whose exception tables have each opcode, each kind of entry, and
 * no entry.
 */
.syntax unified
.thumb
.text

.macro begin
  .type f\@, %function
  .thumb_func
f\@:
  .size f\@, 2
  .fnstart
  nop
.endm

.macro each first, second
  begin
  .unwind_raw 0, \first, \second
  .fnend
.endm

.macro long bytes:vararg
  begin
  .unwind_raw 0, \bytes
  .fnend
.endm

.irp high, 0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, \
    0xb0, 0xc0, 0xd0, 0xe0, 0xf0
.irp low, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.irp second, 0x00, 0x01, 0x10, 0x7f
  each \high+\low, \second
.endr
.endr
.endr

/* A frame's register, in and out of order; numbers of several bytes; sizes up
 * to those of several words. */
  long 0x97, 0x41, 0x84, 0x08
  long 0x84, 0x08, 0x97, 0x41
  long 0xb2, 0x81, 0x82, 0x03, 0xa8
  long 0xb2, 0x00, 0xc9, 0x87, 0xc8, 0x03, 0xb1, 0x0f, 0xaf, 0xb0, 0xf0, 0xf0
  long 0xb3, 0x81, 0xb9, 0x80, 0x80
  long 0x80, 0x00
  long 0x82, 0x00
  long 0x88, 0x00

/* Kinds of entries. */
  begin
  .cantunwind
  .fnend
.irp index, 0, 1, 2
  begin
  .personalityindex \index
  .unwind_raw 0, 0x01, 0xa9
  .handlerdata
  .fnend
.endr
  begin
  .personality absent
  .unwind_raw 0, 0x01, 0xa9
  .handlerdata
  .word 0
  .fnend

/* No entry. */
  long 0xa8
  .type bare, %function
bare:
  .thumb_func
  nop
  nop
  .size bare, . - bare
  long 0xa9

  .globl absent
absent:
  bx lr
