/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles the QEMU plugin that counts trace points. The plugin's source text is
 * part of the tool, and a compiler of this machine compiles the text.
 * cmd/trace.c runs the plugin; image/trace_counts.c reads the plugin's trace.
 */
#ifndef BAREPROF_TOOLS_TRACE_PLUGIN_H
#define BAREPROF_TOOLS_TRACE_PLUGIN_H

#include <stdio.h>

#include "../base/program.h"

/* Prints the source of the plugin. The caller checks `out` for errors. */
void plugin_print_source(FILE *out);

/* Builds plugin.so in a folder with $CC, cc, gcc or clang. The plugin fits the
 * QEMU that the command runs. Returns 0, or prints the error and returns 1. */
int plugin_build(const char *folder, char *const *command);

/* Appends the words of a command that starts QEMU, and -plugin with the name of
 * a plugin and its arguments. */
void plugin_append_command(struct argument_list *to, char *const *command,
                           const char *plugin);

#endif
