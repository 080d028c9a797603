/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps the compiler's names of source files to names on this machine, and
 * selects the sources of a report by name.
 */
#ifndef BAREPROF_TOOLS_PATHS_H
#define BAREPROF_TOOLS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/ere.h"

struct source_maps {
  const char *const *maps; /* FROM=TO, from --source-map */
  size_t count;
  char *here; /* the current folder, or NULL */
};

/* Whether text is FROM=TO in a form that llvm-cov accepts. */
bool paths_is_source_map(const char *text);

/* Returns a copy of FROM=TO with Windows paths in the tool's form
 * (source_name). The caller frees it. */
char *paths_copy_map(const char *text);

/* Returns the name of a source on this machine: mapped, and relative if the
 * source is below the current folder. The caller frees the name. NULL: out of
 * memory. */
char *paths_local_name(const struct source_maps *paths, const char *name);

/* Like paths_local_name, but the result is valid only until the next call. */
const char *paths_shown_name(const struct source_maps *paths, const char *name);

/* Whether a name ends with the path `end`, from the beginning of a component
 * on. */
bool paths_ends_with(const char *name, const char *end);

/* Returns the part of a name after a folder, starting with the slash. size: of
 * the folder's name, which may end in slashes. NULL: the name is not in the
 * folder. */
const char *paths_find_part_below(const char *name, const char *folder,
                                  size_t size);

/* Removes ., .. and repeated slashes in place; see source_name_remove_dots. */
void paths_tidy(char *name);

/* Returns a copy, tidied if the name is absolute; source names are compared in
 * this form. The caller frees it. */
char *paths_copy_tidied(const char *name);

/* Returns the name of a file in a folder. Returns an absolute name as it is,
 * and any name if the folder is "". The caller frees the result. */
char *paths_join(const char *folder, const char *name);

/* Returns the absolute name, tidied. The caller frees it. */
char *paths_absolute(const char *name);

/* ---- filter ----
 *
 * Selects the source files of a report: files below a folder that match an
 * include expression, if there is one, and no ignore expression. The
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
  const char *root;         /* the user's name of a folder, or NULL */
  struct patterns includes; /* If the list has elements, one must match. */
  struct patterns ignores;  /* No element may match. */
  /* Only paths.c uses these: root as an absolute name, and with links
   * followed. */
  char *folder, *real;
};

/* pattern_compile compiles an expression; patterns_add also adds it to a list.
 * Both return NULL or the error. */
const char *pattern_compile(struct ere *pattern, const char *text);
const char *patterns_add(struct patterns *patterns, const char *text);

/* Resolves the root folder. Returns 0, or reports the error and returns 1. */
int filter_resolve_root(struct source_filter *filter);

/* Whether the filter selects anything: false means that it keeps all files. */
bool filter_is_set(const struct source_filter *filter);

/* Whether the filter keeps a source file. name: the compiler's name for the
 * file. */
bool filter_keeps(const struct source_filter *filter,
                  const struct source_maps *paths, const char *name);

void filter_free(struct source_filter *filter);

#endif
