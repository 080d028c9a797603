/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets a target run by a GDB server until it reaches a function, ends, or was
 * given enough time. Functions that return a text return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_GDB_STOPS_H
#define BAREPROF_TOOLS_GDB_STOPS_H

#include "../object/elf.h"
#include "gdb.h"

enum stop {
  STOP_AT,   /* at the function that the user named */
  STOP_EXIT, /* at a function, or at a trap, that ends the program */
  STOP_TRAP, /* semihosting; ends the program if a register says so */
  STOP_ASKED,
  STOP_TIME,
  STOP_OTHER /* by itself: a fault, or the program turned the machine off */
};

enum { STOPS_MOST = 256 };

struct stops {
  struct {
    uint64_t address;
    unsigned size;
    enum stop why;
  } list[STOPS_MOST];
  size_t count;
  const struct elf *elf; /* one of the target's: its machine */
  /* Whether the target is to be halted; or NULL. */
  bool (*asked)(void *context);
  void *context;
  uint64_t timeout; /* ms; 0: none */
};

/* Stops at a function, or at an address that begins with 0x; on Arm, bit 0 says
 * Thumb. false: the ELF has no such symbol, or there are too many stops. */
bool stops_at(struct stops *stops, const struct elf *elf, const char *symbol,
              enum stop why);

/* Stops where the program ends: in _exit (or exit) and abort, and at the traps
 * of semihosting that end it. */
void stops_at_ends(struct stops *stops, const struct elf *elf);

/* Lets the target run until a stop, and takes the breakpoints away. *why tells
 * which stop. If the program has ended, gdb->state tells so. */
const char *stops_run(struct stops *stops, struct gdb *gdb, enum stop *why);

#endif
