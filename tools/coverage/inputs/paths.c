/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of source files by folder.
 */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

bool paths_map(const char *text) {
  const char *equal = strchr(text, '=');
  /* llvm-cov takes both with a comma between them. */
  return equal && equal != text && equal[1] && !strchr(text, ',');
}

char *paths_map_copy(const char *text) {
  char *map = need(strdup(text)), *equal = strchr(map, '=');
  if (!equal)
    return map;
  source_name(equal + 1);
  size_t from = source_name_sized(map, (size_t)(equal - map));
  memmove(map + from, equal, strlen(equal) + 1);
  return map;
}

const char *paths_below(const char *name, const char *folder, size_t size) {
  while (size && os_is_separator(folder[size - 1]))
    size--;
  return os_same_name(name, folder, size) && os_is_separator(name[size])
             ? name + size
             : NULL;
}

/* What -ffile-prefix-map=DIR=. leaves of names, which then need their folder,
 * unless they are names here. */
static const char *below_dot(const char *name, const char *map, size_t size) {
  while (size > 1 && os_is_separator(map[size - 1]))
    size--;
  if (size != 1 || *map != '.' || source_is_absolute(name) || os_exists(name))
    return NULL;
  return name;
}

char *paths_name(const struct paths *paths, const char *name) {
  const char *to = "", *tail = name, *slash = "";
  for (size_t i = 0; i < paths->count; i++) {
    const char *map = paths->maps[i], *equal = strchr(map, '=');
    const char *found = paths_below(name, map, (size_t)(equal - map));
    if (!found) {
      found = below_dot(name, map, (size_t)(equal - map));
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
  char *mapped = need(malloc(to_size + strlen(tail) + 2));
  memcpy(mapped, to, to_size);
  sprintf(mapped + to_size, "%s%s", slash, tail);
  tail = paths->here ? paths_below(mapped, paths->here, strlen(paths->here))
                     : NULL;
  if (tail && tail[1])
    memmove(mapped, tail + 1, strlen(tail));
  return mapped;
}

const char *paths_shown(const struct paths *paths, const char *name) {
  static char *shown;
  free(shown);
  return shown = paths_name(paths, name);
}

bool paths_end(const char *name, const char *end) {
  size_t all = strlen(name), size = strlen(end);
  return all >= size && os_same_name(name + all - size, end, size) &&
         (all == size || name[all - size - 1] == '/' || *end == '/');
}

unsigned paths_likeness(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  unsigned same = 0;
  for (;; x--, y--) {
    bool ends_a = !x || os_is_separator(a[x - 1]);
    bool ends_b = !y || os_is_separator(b[y - 1]);
    same += ends_a && ends_b;
    if (!x || !y || ends_a != ends_b || (!ends_a && a[x - 1] != b[y - 1]))
      return same;
  }
}

void paths_tidy(char *name) {
  name[source_tidy(name, strlen(name), *name == '/')] = 0;
}

char *paths_tidied(const char *name) {
  char *copy = need(strdup(name));
  if (*copy == '/')
    paths_tidy(copy);
  return copy;
}
