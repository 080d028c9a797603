/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile at exit, for programs with a C library. Linked with the call of
 * bareprof_write_at_exit only.
 */
#include "bareprof.h"

static const struct bareprof_sink *exit_sink;

void bareprof_write_at_exit(const struct bareprof_sink *sink) {
  exit_sink = sink;
}

static void write_at_exit(void) {
  if (exit_sink)
    bareprof_write(exit_sink);
}

/* The array is walked backwards, by priority: 0 comes last, when destructors
 * have run and counted. */
static void (*const fini)(void)
    __attribute__((section(".fini_array.0"), used)) = write_at_exit;
