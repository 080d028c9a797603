/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof run --trace: starts QEMU with the plugin that counts labels.
 */
#ifndef BAREPROF_TOOLS_CMD_RUN_TRACE_H
#define BAREPROF_TOOLS_CMD_RUN_TRACE_H

#include "../coverage/inputs/console.h"

/* Runs the console's command with the plugin, and adds the trace to the inputs,
 * which have one ELF. Returns 0, or reports the error and returns 1. */
int run_trace(struct console *console, struct inputs *inputs);

#endif
