/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof run --gdb: starts QEMU with a GDB server of its own, and reads the
 * counts where the program ends. No code on the target.
 */
#ifndef BAREPROF_TOOLS_CMD_RUN_GDB_H
#define BAREPROF_TOOLS_CMD_RUN_GDB_H

#include "../coverage/out/checks.h"
#include "../coverage/inputs/console.h"

struct run_gdb {
  bool wanted;
  const char *at, *until; /* or NULL */
  bool poison;
  double every; /* seconds between looks at the coverage; 0: none */
};

/* What is wrong with the options, or NULL. */
const char *run_gdb_wrong(const struct run_gdb *wishes,
                          const struct console *console);

/* Runs the command of the console, which has the log's name. lcov: the file
 * that is written anew at each look, or NULL. Adds the counts to the ELFs of
 * the inputs. Returns 0, or reports the error and returns 1. */
int run_gdb(const struct run_gdb *wishes, struct console *console,
            struct inputs *inputs, struct checks *checks, const char *lcov);

#endif
