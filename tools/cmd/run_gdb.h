/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof run --gdb: starts QEMU with a GDB server of its own, and reads the
 * counts where the program ends. Or --port gdb:HOST:PORT: reads those of a
 * board while it runs, by the server of its debug probe. No code on the target.
 */
#ifndef BAREPROF_TOOLS_CMD_RUN_GDB_H
#define BAREPROF_TOOLS_CMD_RUN_GDB_H

#include "../coverage/out/checks.h"
#include "../coverage/inputs/console.h"
#include "live.h"

struct run_gdb {
  bool wanted;
  const char *at, *until; /* or NULL */
  bool poison;
  double every; /* seconds between looks at the coverage; 0: none */
};

/* What is wrong with the options, or NULL. */
const char *run_gdb_wrong(const struct run_gdb *wishes,
                          const struct console *console);

/* The server of a board, HOST:PORT, or NULL. */
const char *run_gdb_board(const struct console *console);

/* Where the counts go: to the ELFs of the inputs; in between to what is live.
 */
struct run_gdb_result {
  struct inputs *inputs;
  struct checks *checks;
  struct live *live;
};

/* Runs the command of the console, which has the log's name, or visits its
 * board. Returns 0, or reports the error and returns 1. */
int run_gdb(const struct run_gdb *wishes, struct console *console,
            const struct run_gdb_result *result);

#endif
