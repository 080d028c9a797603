/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof receive --gdb: counts by a GDB server, without code on the target.
 */
#ifndef BAREPROF_TOOLS_CMD_RECEIVE_GDB_H
#define BAREPROF_TOOLS_CMD_RECEIVE_GDB_H

#include <stdbool.h>

#include "../wire/gdb.h"

struct gdb_settings {
  const char *server; /* HOST:PORT */
  const char *at, *until, *console;
  unsigned long baud;
  bool poison, reset, halt, quiet, increments;
  uint64_t timeout; /* ms; 0: none */
  uint64_t every;   /* ms; 0: read once */
  unsigned count;   /* of reads; 0: any */
  const char *out;
};

/* What is wrong with these settings, or NULL. */
const char *receive_gdb_wrong(const struct gdb_settings *settings);

/* Reads the counts of an ELF, and writes the profile. Returns the exit
 * status. */
int receive_gdb(const struct gdb_settings *settings, const char *elf_name);

#endif
