/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names are compared without "." and "..", which some parts have and others
 * have not.
 */
#include "site.h"

#include <stdlib.h>

#include "../base/arena.h"
#include "../base/compare.h"
#include "../coverage/inputs/paths.h"

static char *tidy(struct arena *arena, const char *name) {
  char *copy = arena_copy(arena, name, strlen(name));
  if (copy && *copy == '/')
    paths_tidy(copy);
  return copy;
}

bool marks_add(struct marks *marks, const struct mark *mark) {
  struct mark one = *mark;
  marks->texts.limit = UINT32_MAX;
  one.file = tidy(&marks->texts, mark->file);
  if (mark->text)
    one.text = arena_copy(&marks->texts, mark->text, strlen(mark->text));
  if (!one.file || (mark->text && !one.text) ||
      !list_more(&marks->list, marks->count, sizeof one))
    return false;
  marks->list[marks->count++] = one;
  return true;
}

static int by_place(const void *left, const void *right) {
  const struct mark *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (!order)
    order = compare_numbers(a->line, b->line);
  if (!order)
    order = compare_numbers(a->last, b->last);
  if (!order)
    order = compare_numbers(a->kind, b->kind);
  return order || !a->text || !b->text ? order : strcmp(a->text, b->text);
}

void marks_sort(struct marks *marks) {
  sort(marks->list, marks->count, sizeof *marks->list, by_place);
}

const struct mark *marks_of(const struct marks *marks, const char *file,
                            size_t *count) {
  char *name = paths_tidied(file);
  size_t low = name ? search_text(marks->list, marks->count, file, name) : 0;
  size_t end = low;
  while (name && end < marks->count && !strcmp(marks->list[end].file, name))
    end++;
  *count = name ? end - low : 0;
  free(name);
  return marks->list + low;
}

void marks_free(struct marks *marks) {
  free(marks->list);
  arena_free(&marks->texts);
  *marks = (struct marks){0};
}
