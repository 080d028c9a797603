/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names are compared as text first: the sources need not be here.
 */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

/* ---- patterns ---- */

const char *pattern_compile(struct ere *pattern, const char *text) {
  static char wrong[200];
  const char *error = ere_compile(pattern, text);
  if (error)
    snprintf(wrong, sizeof wrong, "the pattern is wrong: %s", error);
  return error ? wrong : NULL;
}

const char *patterns_add(struct patterns *patterns, const char *text) {
  if (patterns->count == PATTERNS_MOST)
    return "there are too many patterns; join them with |";
  const char *error =
      pattern_compile(&patterns->compiled[patterns->count], text);
  patterns->count += !error;
  return error;
}

static bool matches(const struct patterns *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++)
    if (ere_matches(&patterns->compiled[i], name))
      return true;
  return false;
}

static void free_patterns(struct patterns *patterns) {
  for (size_t i = 0; i < patterns->count; i++)
    ere_free(&patterns->compiled[i]);
  patterns->count = 0;
}

/* ---- folders ---- */

/* The caller frees it. */
static char *absolute(const char *name) {
  char here[4096] = "";
  bool alone = source_is_absolute(name);
  if (!alone && !os_here(here, sizeof here))
    return NULL;
  size_t size = strlen(here) + strlen(name) + 2;
  char *all = need(malloc(size));
  snprintf(all, size, "%s%s%s", here, alone ? "" : "/", name);
  paths_tidy(source_name(all));
  return all;
}

static bool is_below(const char *name, const char *folder) {
  return name && paths_below(name, folder, strlen(folder));
}

int filter_begin(struct filter *filter) {
  if (!filter->root)
    return 0;
  filter->real = os_real_path(filter->root);
  if (!filter->real)
    return report(filter->root, "--root: %s; give the folder of your sources",
                  strerror(errno));
  filter->folder = absolute(filter->root);
  return filter->folder ? 0 : report_memory(NULL);
}

static bool below_root(const struct filter *filter, const char *name) {
  char *all = absolute(name), *real = os_real_path(name);
  bool found = is_below(all, filter->folder) || is_below(all, filter->real) ||
               is_below(real, filter->real);
  free(all);
  free(real);
  return found;
}

/* ---- all ---- */

bool filter_is_set(const struct filter *filter) {
  return filter->root || filter->includes.count || filter->ignores.count;
}

bool filter_keeps(const struct filter *filter, const struct paths *paths,
                  const char *name) {
  if ((filter->includes.count && !matches(&filter->includes, name)) ||
      matches(&filter->ignores, name))
    return false;
  if (!filter->root)
    return true;
  char *here = paths_name(paths, name);
  bool found = here && below_root(filter, here);
  free(here);
  return found;
}

void filter_free(struct filter *filter) {
  free_patterns(&filter->includes);
  free_patterns(&filter->ignores);
  free(filter->folder);
  free(filter->real);
}
