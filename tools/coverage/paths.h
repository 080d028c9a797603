/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where source files are: what the compiler called them, and what they are
 * called here.
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

/* Whether text is FROM=TO, of which llvm-cov can be told. */
bool paths_map(const char *text);

/* What a source is called here: mapped, and relative if it is below the
 * current folder. The caller frees it. NULL: out of memory. */
char *paths_name(const struct paths *paths, const char *name);

#endif
