/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether an output would overwrite an input, or another output, under any
 * name: links are followed. Devices and pipes are never the same.
 */
#ifndef BASE_SAME_H
#define BASE_SAME_H

#include <stddef.h>

/* The open file is an input, or an output that is whole, until the program
 * ends. Any thread may call these. */
void same_input(int file);
void same_output(int file);

/* Prints why a file may not be written under that name, and returns 1; or 0. */
int same_refuses(const char *name);

/* The same for all outputs of a command, before it writes the first: also if
 * two are one file. A name may be NULL. */
int same_refuses_any(const char *const *names, size_t count);

#endif
