/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a profile when the program exits through exit() of a C library. A
 * program that calls bareprof_write_at_exit links this file from the archive.
 */
#include "bareprof.h"

static const struct bareprof_sink *exit_sink;

void bareprof_write_at_exit(const struct bareprof_sink *sink) {
  exit_sink = sink;
}

static void write_exit_profile(void) {
  if (exit_sink)
    bareprof_write(exit_sink);
}

/* exit() calls the functions of .fini_array from the highest priority to the
 * lowest. Priority 0 runs last, after destructors have run and counted. */
static void (*const fini)(void)
    __attribute__((section(".fini_array.0"), used)) = write_exit_profile;
