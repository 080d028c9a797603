/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps the compiler's names of source files to their names on this machine.
 */
#ifndef BAREPROF_TOOLS_PATHS_H
#define BAREPROF_TOOLS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct paths {
  const char *const *maps; /* FROM=TO, by the user */
  size_t count;
  char *here; /* the current folder, or NULL */
};

/* Whether text is FROM=TO in a form that llvm-cov accepts. */
bool paths_map(const char *text);

/* The same text, with the names of Windows in the tool's form. The caller frees
 * it. NULL: out of memory. */
char *paths_map_copy(const char *text);

/* Returns the name of a source on this machine: mapped, and relative if the
 * source is below the current folder. The caller frees the name. NULL: out of
 * memory. */
char *paths_name(const struct paths *paths, const char *name);

/* Returns the part of a name behind a folder, from the slash on. size: of the
 * folder's name, which may end in slashes. NULL: the name is elsewhere. */
const char *paths_below(const char *name, const char *folder, size_t size);

/* See source_tidy. */
void paths_tidy(char *name);

/* A copy, tidy if the name is absolute: names of sources are compared so. The
 * caller frees it. NULL: out of memory. */
char *paths_tidied(const char *name);

#endif
