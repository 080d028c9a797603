/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A new kind of note is a function here and a word in page.c.
 */
#include "notes.h"

#include "../base/error.h"
#include "../coverage/unmeasured.h"

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

int notes_gather(struct marks *marks, const struct coverage *coverage,
                 const struct change *change) {
  bool done = add_unmeasured(marks, coverage) &&
              add_exclusions(marks, coverage->exclusions) &&
              add_change(marks, change);
  marks_sort(marks);
  return done ? 0 : report_memory(NULL);
}
