/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plugin of QEMU that counts labels: its source, which is part of the tool,
 * and its compilation by this machine's compiler.
 */
#ifndef BAREPROF_TOOLS_TRACE_PLUGIN_H
#define BAREPROF_TOOLS_TRACE_PLUGIN_H

#include <stdio.h>

/* Ignores errors of out. */
void plugin_source(FILE *out);

/* Makes plugin.so in a folder, for the interface of the QEMU that the command
 * runs, by $CC, cc, gcc or clang. Returns 0, or prints the error and returns 1.
 */
int plugin_build(const char *folder, char *const *command);

#endif
