/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A new kind of note is a function here and a word in page.c.
 */
#include "site.h"

#include <stdlib.h>

#include "../base/error.h"
#include "../coverage/mcdc/solver.h"

static bool add_unmeasured(struct marks *marks,
                           const struct coverage *coverage) {
  const struct buffer *list = &coverage->unmeasured;
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured *one = &unmeasured_list(list)[i];
    const struct mark mark = {one->file, one->begin.line, one->begin.line,
                              MARK_UNMEASURED, NULL};
    if (!marks_add(marks, &mark))
      return false;
  }
  return true;
}

/* Who is responsible stands behind the reason. */
static const char *reason_of(const struct exclusion *exclusion, char *text,
                             size_t size) {
  const char *reason = *exclusion->reason ? exclusion->reason : "no reason";
  if (!*exclusion->by)
    return reason;
  snprintf(text, size, "%s (%s)", reason, exclusion->by);
  return text;
}

static bool add_exclusions(struct marks *marks, const struct exclusions *set) {
  char text[2000];
  for (size_t i = 0; i < set->source_count; i++) {
    const struct excluded_source *source = &set->sources[i];
    for (size_t k = 0; k < source->range_count; k++) {
      const struct excluded_range *range = &source->ranges[k];
      const struct mark mark = {
          source->name, range->first, range->last,
          range->kind == EXCLUDED_LINES      ? MARK_EXCLUDED
          : range->kind == EXCLUDED_BRANCHES ? MARK_BRANCHES
                                             : MARK_DECISION,
          reason_of(&set->list[range->exclusion], text, sizeof text)};
      if (range->kind != EXCLUDED_FUNCTION && !marks_add(marks, &mark))
        return false;
    }
  }
  return true;
}

static bool add_change(struct marks *marks, const struct change *change) {
  for (size_t i = 0; change && change->names && i < change->diff.count; i++) {
    const struct unified_file *file = &change->diff.files[i];
    for (size_t k = 0; change->names[i] && k < file->span_count; k++) {
      const struct mark mark = {change->names[i], file->spans[k].first,
                                file->spans[k].last, MARK_CHANGED, NULL};
      if (!marks_add(marks, &mark))
        return false;
    }
  }
  return true;
}

/* ---- tests ---- */

enum { NAMES_SHOWN = 3, NAMES_MOST = 300 };

/* Which tests reached a line. */
struct line_reached {
  bool ran; /* in a test, or outside of all */
  uint32_t count;
  uint32_t first[NAMES_SHOWN]; /* tests by number */
  uint64_t set;                /* a hash of all */
};

static struct line_reached *gather_lines(const struct tests *tests) {
  struct line_reached *list = calloc(tests->line_count + 1, sizeof *list);
  for (size_t i = 0; list && i < tests->count; i++) {
    const struct test *test = &tests->list[i];
    for (size_t k = 0; k < test->line_count; k++) {
      struct line_reached *one = &list[test->lines[k]];
      one->ran = true;
      if (!test->name || test->failed)
        continue;
      if (one->count < NAMES_SHOWN)
        one->first[one->count] = (uint32_t)i;
      one->count++;
      one->set = (one->set ^ (i + 1)) * UINT64_C(0x9E3779B97F4A7C15);
    }
  }
  return list;
}

static void name_tests(const struct tests *tests,
                       const struct line_reached *one, char text[NAMES_MOST]) {
  size_t size = 0;
  *text = 0;
  for (uint32_t i = 0; i < one->count && i < NAMES_SHOWN; i++)
    size += (size_t)snprintf(text + size, NAMES_MOST - size, "%s%.80s",
                             i ? ", " : "", tests->list[one->first[i]].name);
  if (one->count > NAMES_SHOWN)
    snprintf(text + size, NAMES_MOST - size, " and %u more",
             one->count - NAMES_SHOWN);
}

/* A note stands at the first of several lines that the same tests reached. */
static bool add_tests(struct marks *marks, const struct tests *tests) {
  struct line_reached *list = tests ? gather_lines(tests) : NULL;
  bool done = !tests || list;
  const struct line_reached *last = NULL;
  for (size_t i = 0; list && done && i < tests->line_count; i++) {
    const struct test_line *line = &tests->lines[i];
    const struct line_reached *one = &list[i];
    char text[NAMES_MOST];
    if (!one->ran)
      continue;
    bool again = last && last->set == one->set &&
                 tests->lines[last - list].file == line->file;
    last = one;
    if (!one->count || again)
      continue;
    name_tests(tests, one, text);
    const struct mark mark = {line->file, line->line, line->line, MARK_TEST,
                              text};
    done = marks_add(marks, &mark);
  }
  free(list);
  return done;
}

int notes_gather(struct marks *marks, const struct paged *paged) {
  bool done = add_unmeasured(marks, paged->coverage) &&
              add_exclusions(marks, paged->coverage->exclusions) &&
              add_change(marks, paged->change) &&
              add_tests(marks, paged->tests);
  marks_sort(marks);
  return done ? 0 : report_memory(NULL);
}
