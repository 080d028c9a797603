/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line's count is the highest of the regions that begin in it and of the one
 * that it begins in. A region that is skipped (by #if) has no count.
 */
#include "exported.h"

#include <stdlib.h>

#include "../../base/error.h"

enum { LINES_MOST = 1 << 22 };

static bool begins_region(const struct segment *segment) {
  return !segment->gap && segment->counted && segment->entry;
}

/* wrapped: the last segment before the line, or NULL. */
static void count_line(struct line_count *line, const struct segment *from,
                       const struct segment *to,
                       const struct segment *wrapped) {
  bool skipped = from != to && !from->counted && from->entry;
  bool entries = false;
  for (const struct segment *at = from; at != to; at++)
    entries |= at->counted && at->entry;
  line->counted = entries || (!skipped && wrapped && wrapped->counted);
  if (!line->counted)
    return;
  line->count = wrapped ? wrapped->count : 0;
  for (const struct segment *at = from; at != to; at++)
    if (begins_region(at) && at->count > line->count)
      line->count = at->count;
}

struct score lines_score(const struct segment *list, size_t count) {
  struct score score = {0, 0};
  for (size_t from = 0, to; from < count; from = to) {
    struct line_count line = {.count = 0};
    for (to = from; to < count && list[to].line == list[from].line;)
      to++;
    count_line(&line, list + from, list + to, from ? &list[from - 1] : NULL);
    score.count += line.counted;
    score.covered += line.counted && line.count;
    /* Lines up to the next segment are as the end of this one. */
    if (to < count && list[to - 1].counted) {
      uint64_t between = list[to].line - list[from].line - 1;
      score.count += between;
      score.covered += list[to - 1].count ? between : 0;
    }
  }
  return score;
}

const char *lines_count(struct lines *lines, const struct exported *exported,
                        size_t row) {
  struct slice slice = exported->segments[row];
  const struct segment *list = exported_segments(exported) + slice.begin;
  *lines = (struct lines){.segments = list, .count = 1};
  for (uint32_t i = 0; i < slice.count; i++)
    if (list[i].line >= LINES_MOST || (i && list[i].line < list[i - 1].line))
      return "its segments are not those of llvm-cov 13 to 22; use one of "
             "these";
  if (slice.count)
    lines->count = list[slice.count - 1].line + 1;
  lines->list = calloc(lines->count, sizeof *lines->list);
  if (!lines->list)
    return out_of_memory;
  const struct segment *wrapped = NULL;
  uint32_t at = 0;
  for (uint32_t line = 1; line < lines->count; line++) {
    struct line_count *one = &lines->list[line];
    uint32_t from = at;
    while (at < slice.count && list[at].line == line)
      at++;
    if (from || at)
      count_line(one, list + from, list + at, wrapped);
    if (at != from)
      wrapped = &list[at - 1];
    one->segments = at;
    one->missed = lines->list[line - 1].missed + (one->counted && !one->count);
  }
  return NULL;
}

void lines_free(struct lines *lines) {
  free(lines->list);
  *lines = (struct lines){0};
}

uint32_t lines_missed(const struct lines *lines, uint32_t from, uint32_t to) {
  if (to >= lines->count)
    to = lines->count - 1;
  if (!from || from > to)
    return 0;
  return lines->list[to].missed - lines->list[from - 1].missed;
}
