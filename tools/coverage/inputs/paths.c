/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file maps source names through FROM=TO, and filters them by folder and
 * expression.
 */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text_part.h"
#include "../../base/source_name.h"

const char *paths_refuse_map(const char *text) {
  const char *equal = strchr(text, '=');
  /* llvm-cov separates FROM and TO with a comma, so neither may have a
   * comma. */
  return equal && equal != text && equal[1] && !strchr(text, ',')
             ? NULL
             : "--source-map must be FROM=TO, without a comma";
}

char *paths_copy_map(const char *text) {
  char *map = need_memory(strdup(text)), *equal = strchr(map, '=');
  if (!equal)
    return map;
  source_name_normalise(equal + 1);
  size_t from = source_name_normalise_bytes(map, (size_t)(equal - map));
  memmove(map + from, equal, strlen(equal) + 1);
  return map;
}

const char *paths_find_part_below(const char *name, const char *folder,
                                  size_t size) {
  while (size && os_is_separator(folder[size - 1]))
    size--;
  return os_are_same_name(name, folder, size) && os_is_separator(name[size])
             ? name + size
             : NULL;
}

/* Returns the name if a map with the FROM "." applies, or NULL.
 * -ffile-prefix-map=DIR=. leaves relative names, to which the folder must be
 * added, unless a file of that name exists. */
static const char *match_dot_map(const char *name, const char *map,
                                 size_t size) {
  while (size > 1 && os_is_separator(map[size - 1]))
    size--;
  if (size != 1 || *map != '.' || source_name_is_absolute(name) ||
      os_exists(name))
    return NULL;
  return name;
}

char *paths_local_name(const struct source_maps *paths, const char *name) {
  const char *to = "", *tail = name, *slash = "";
  for (size_t i = 0; i < paths->count; i++) {
    const char *map = paths->maps[i], *equal = strchr(map, '=');
    const char *found = paths_find_part_below(name, map, (size_t)(equal - map));
    if (!found) {
      found = match_dot_map(name, map, (size_t)(equal - map));
      slash = found ? "/" : "";
    }
    if (found) {
      to = equal + 1;
      tail = found;
      break;
    }
  }
  size_t to_size = strlen(to);
  while (to_size && to[to_size - 1] == '/')
    to_size--;
  char *mapped = need_memory(malloc(to_size + strlen(tail) + 2));
  memcpy(mapped, to, to_size);
  sprintf(mapped + to_size, "%s%s", slash, tail);
  tail = paths->here
             ? paths_find_part_below(mapped, paths->here, strlen(paths->here))
             : NULL;
  if (tail && tail[1])
    memmove(mapped, tail + 1, strlen(tail));
  return mapped;
}

const char *paths_shown_name(const struct source_maps *paths,
                             const char *name) {
  static char *shown;
  free(shown);
  return shown = paths_local_name(paths, name);
}

bool paths_ends_with(const char *name, const char *end) {
  size_t all = strlen(name), size = strlen(end);
  return all >= size && os_are_same_name(name + all - size, end, size) &&
         (all == size || name[all - size - 1] == '/' || *end == '/');
}

void paths_tidy(char *name) {
  name[source_name_remove_dots(name, strlen(name), *name == '/')] = 0;
}

char *paths_copy_tidied(const char *name) {
  char *copy = need_memory(strdup(name));
  if (*copy == '/')
    paths_tidy(copy);
  return copy;
}

/* ---- filter ----
 *
 * Names are compared as text first, because the sources may be missing on this
 * machine.
 */

/* ---- patterns ---- */

const char *pattern_compile(struct ere *pattern, const char *text) {
  static char wrong[200];
  const char *error = ere_compile(pattern, text);
  if (error)
    snprintf(wrong, sizeof wrong, "the pattern is not valid: %s", error);
  return error ? wrong : NULL;
}

const char *patterns_add(void *context, const char *text) {
  struct patterns *patterns = context;
  if (patterns->count == PATTERNS_MOST)
    return "too many patterns; join several with |";
  const char *error = text_refuse_glob(text);
  if (error)
    return error;
  error = pattern_compile(&patterns->compiled[patterns->count], text);
  patterns->count += !error;
  return error;
}

static bool matches_any_pattern(const struct patterns *patterns,
                                const char *name) {
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

char *paths_join(const char *folder, const char *name) {
  bool alone = source_name_is_absolute(name) || !*folder;
  size_t size = strlen(folder) + strlen(name) + 2;
  char *all = need_memory(malloc(size));
  snprintf(all, size, "%s%s%s", alone ? "" : folder, alone ? "" : "/", name);
  return all;
}

char *paths_make_absolute(const char *name) {
  char here[4096] = "";
  os_current_folder(here, sizeof here);
  char *all = paths_join(here, name);
  paths_tidy(source_name_normalise(all));
  return all;
}

static bool is_below_folder(const char *name, const char *folder) {
  return name && paths_find_part_below(name, folder, strlen(folder));
}

int filter_resolve_root(struct source_filter *filter) {
  if (!filter->root)
    return 0;
  filter->real = os_real_path(filter->root);
  if (!filter->real)
    return report(filter->root, "--root: %s; pass the folder of your sources",
                  strerror(errno));
  filter->folder = paths_make_absolute(filter->root);
  return 0;
}

static bool is_below_root(const struct source_filter *filter,
                          const char *name) {
  char *all = paths_make_absolute(name), *real = os_real_path(name);
  bool found = is_below_folder(all, filter->folder) ||
               is_below_folder(all, filter->real) ||
               is_below_folder(real, filter->real);
  free(all);
  free(real);
  return found;
}

/* ---- the filter ---- */

bool filter_is_set(const struct source_filter *filter) {
  return filter->root || filter->includes.count || filter->ignores.count;
}

bool filter_keeps(const struct source_filter *filter,
                  const struct source_maps *paths, const char *name) {
  if ((filter->includes.count &&
       !matches_any_pattern(&filter->includes, name)) ||
      matches_any_pattern(&filter->ignores, name))
    return false;
  if (!filter->root)
    return true;
  char *here = paths_local_name(paths, name);
  bool found = here && is_below_root(filter, here);
  free(here);
  return found;
}

void filter_free(struct source_filter *filter) {
  free_patterns(&filter->includes);
  free_patterns(&filter->ignores);
  free(filter->folder);
  free(filter->real);
}
