/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The QEMU plugin that counts trace points: its source text, which is part of
 * the tool, and its compilation with a compiler of this machine. cmd/trace.c
 * uses it; image/trace_counts.c reads the plugin's trace.
 */
#ifndef BAREPROF_TOOLS_TRACE_PLUGIN_H
#define BAREPROF_TOOLS_TRACE_PLUGIN_H

#include <stdio.h>

/* Prints the source of the plugin. The caller checks `out` for errors. */
void plugin_print_source(FILE *out);

/* Builds plugin.so in a folder, for the plugin interface of the QEMU that the
 * command runs, with $CC, cc, gcc or clang. Returns 0; or prints the error and
 * returns 1. */
int plugin_build(const char *folder, char *const *command);

#endif
