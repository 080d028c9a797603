/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module maps the compiler's names of source files to names on this
 * machine, and selects the sources of a report by name.
 */
#ifndef BAREPROF_TOOLS_PATHS_H
#define BAREPROF_TOOLS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/ere.h"

struct source_maps {
  const char *const *maps; /* FROM=TO, from --source-map */
  size_t count;
  char *here; /* name of the current folder, or NULL */
};

/* Returns NULL if a text is FROM=TO in a form that llvm-cov accepts, else the
 * error. */
const char *paths_refuse_map(const char *text);

/* Returns a copy of FROM=TO with Windows paths in the tool's form
 * (source_name). The caller frees the copy. */
char *paths_copy_map(const char *text);

/* Returns the name of a source on this machine. The name is mapped, and is
 * relative if the source is below the current folder. The caller frees the
 * name. */
char *paths_local_name(const struct source_maps *paths, const char *name);

/* Like paths_local_name, but the result is valid only until the next call. */
const char *paths_shown_name(const struct source_maps *paths, const char *name);

/* Returns whether a name ends with the path `end`, which must begin at the
 * start of a component. */
bool paths_ends_with(const char *name, const char *end);

/* Returns the part of a name after a folder, starting with the slash, or NULL
 * if the name is not in the folder. `size` is the length of the folder's name,
 * which may end in slashes. */
const char *paths_find_part_below(const char *name, const char *folder,
                                  size_t size);

/* Removes ".", ".." and repeated slashes from a name in place; see
 * source_name_remove_dots. */
void paths_tidy(char *name);

/* Returns a copy of a name, tidied if the name is absolute. Source names are
 * compared in this form. The caller frees the copy. */
char *paths_copy_tidied(const char *name);

/* Returns the name of a file in a folder. An absolute name, or any name if the
 * folder is "", stays as it is. The caller frees the result. */
char *paths_join(const char *folder, const char *name);

/* Returns the absolute form of a name, tidied. The caller frees the result. */
char *paths_make_absolute(const char *name);

/* ---- filter ----
 *
 * A filter selects the source files of a report: files below a folder that
 * match an include expression, if there is one, and no ignore expression. The
 * expressions are POSIX extended regular expressions, as in llvm-cov, and match
 * any part of a name.
 */

enum { PATTERNS_MOST = 64 };

struct patterns {
  struct ere compiled[PATTERNS_MOST];
  size_t count;
};

/* A source filter. Initialise as {0}. */
struct source_filter {
  const char *root;         /* the folder as the user wrote it, or NULL */
  struct patterns includes; /* If there are elements, one must match. */
  struct patterns ignores;  /* No element of this list may match. */
  /* `root` as an absolute name, and the same with links resolved. Only paths.c
   * uses these fields. */
  char *folder, *real;
};

/* pattern_compile compiles an expression; patterns_add also adds it to a list.
 * Both return NULL or the error. */
const char *pattern_compile(struct ere *pattern, const char *text);
const char *patterns_add(void *patterns, const char *text);

/* Resolves the root folder. Returns 0, or reports the error and returns 1. */
int filter_resolve_root(struct source_filter *filter);

/* Returns whether the filter restricts anything. If not, it keeps all files. */
bool filter_is_set(const struct source_filter *filter);

/* Returns whether the filter keeps a source file. `name` is the compiler's name
 * of the file. */
bool filter_keeps(const struct source_filter *filter,
                  const struct source_maps *paths, const char *name);

void filter_free(struct source_filter *filter);

#endif
