/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A simulated computer: 16-bit words, eight registers, and a bus of pages. Each
 * page is memory, a few devices, or nothing. This kind of code profits from a
 * profile: a few of its many cases do nearly all of the work, and only a run
 * shows which. No C library, no division.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses of words: the page is in the upper four bits. */
#define MACHINE_PAGES 16
#define MACHINE_PAGE(address) ((address) >> 12)
#define MACHINE_RAM 4096u /* page 0 */
#define MACHINE_DEVICES 0xF000u
/* write: a word of output */
#define MACHINE_CONSOLE (MACHINE_DEVICES + 0)
/* read: the next random number; write: the seed */
#define MACHINE_RANDOM (MACHINE_DEVICES + 1)
/* read: instructions so far */
#define MACHINE_CLOCK (MACHINE_DEVICES + 2)
/* read: the lamps that are lit; write: the lamps to switch */
#define MACHINE_LAMPS (MACHINE_DEVICES + 3)

/* An instruction has two operands: register a, and a source or destination in
 * one of these modes. The MEMORY modes use the word at register b plus the
 * immediate. MEMORY_UP increments b after the access, MEMORY_DOWN decrements b
 * before the access; in both modes a and b differ. */
enum machine_mode {
  MODE_REGISTER,
  MODE_IMMEDIATE,
  MODE_MEMORY,
  MODE_MEMORY_UP,
  MODE_MEMORY_DOWN
};

enum machine_op {
  OP_HALT,
  OP_LOAD,
  OP_STORE,
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_AND,
  OP_OR,
  OP_EXCLUSIVE_OR,
  OP_SHIFT_LEFT,
  OP_SHIFT_RIGHT,
  OP_COMPARE, /* subtracts only to set the flags */
  OP_JUMP,
  OP_JUMP_ZERO,
  OP_JUMP_NOT_ZERO,
  OP_JUMP_BELOW, /* unsigned */
  OP_JUMP_LESS,  /* signed   */
  OP_CALL,
  OP_RETURN,
  OP_COPY /* copies `immediate` words from where register b points to where
             register a points; both areas are in RAM and do not overlap */
};

struct machine_instruction {
  uint8_t op;
  uint8_t mode;
  uint8_t a;
  uint8_t b;
  uint16_t immediate;
};

enum machine_fault { FAULT_NONE, FAULT_ADDRESS, FAULT_INSTRUCTION };

struct machine;

/* The contents of a page of addresses. */
struct machine_page {
  uint16_t (*read)(struct machine *machine, uint16_t address);
  void (*write)(struct machine *machine, uint16_t address, uint16_t word);
};

/* All members but program, length and console are 0 at first. Register 7 is
 * the stack pointer of OP_CALL and OP_RETURN. */
struct machine {
  const struct machine_instruction *program;
  uint16_t length; /* instructions of the program */
  void (*console)(uint16_t word);
  uint16_t pc;
  uint16_t reg[8];
  bool zero, carry, negative, overflow;
  enum machine_fault fault;
  uint16_t lamps;
  uint16_t random;
  uint32_t instructions;
  uint16_t ram[MACHINE_RAM];
};

/* Runs until the program halts or makes an error. */
enum machine_fault machine_run(struct machine *machine);

#endif
