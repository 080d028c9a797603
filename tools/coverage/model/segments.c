/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file builds the segments of a source from its regions. Regions nest; a
 * segment begins wherever another region becomes the innermost one. truth.c
 * then corrects the counts, and lines_make turns segments into lines for the
 * pages and writers.
 */
#include "evaluation.h"

#include <stdlib.h>

#include "../../base/compare.h"
#include "../../base/need.h"

struct segment_builder {
  struct evaluation *evaluation;
  struct buffer *list;
  size_t begin; /* byte offset of the first segment in the list */
  /* `active` has the regions that have begun, the innermost last; `ended` has
   * the regions that have ended. */
  const struct model_region **active, **ended;
  size_t active_count;
  uint64_t next_end;        /* position where the next active region ends */
  bool all;                 /* None of the regions is excluded. */
  struct buffer *stretches; /* receives the stretches; may be NULL */
};

static uint64_t region_begin(const struct model_region *region) {
  return span_begin(&region->span);
}

static uint64_t region_end(const struct model_region *region) {
  return span_end(&region->span);
}

/* MODEL_CODE, _EXPANSION, _SKIPPED and _GAP have ascending numbers, so kinds
 * can be compared. If an added region has the same position as another region,
 * the added region must win: merge_equal_regions and stretches use the last
 * region, or the first region of zero width. */
ORDER_BY(by_nesting, struct model_region, region_begin(x), ~region_end(x),
         x->kind, x->added == (region_begin(x) != region_end(x)));

/* ---- segments ---- */

static void add_stretch(struct segment_builder *builder,
                        const struct model_region *region, uint64_t place,
                        bool entry, bool counted) {
  uint64_t begin = region_begin(region);
  const struct counted_stretch made = {
      .place = place,
      .begin = begin,
      .count = region->count,
      .counted = counted,
      .gap = region->kind == MODEL_GAP,
      .entry = entry && !region->added,
      .macro = region->kind == MODEL_EXPANSION && begin == place,
      .empty = begin == region_end(region),
      .dropped = region->added && region->kind == MODEL_SKIPPED,
      .cause = (unsigned char)region->cause};
  if (builder->stretches)
    need_append(builder->stretches, &made, sizeof made);
}

static void add_segment(struct segment_builder *builder,
                        const struct model_region *region, uint64_t place,
                        bool entry, bool skipped) {
  const struct buffer *list = builder->list;
  const struct segment *last = NULL;
  bool counted = !skipped && region->kind != MODEL_SKIPPED;
  if (!entry || region_begin(region) != region_end(region))
    add_stretch(builder, region, place, entry, counted);
  if (list->size > builder->begin)
    last = (void *)(list->data + list->size - sizeof *last);
  if (last && !entry && !skipped && last->counted == counted &&
      last->count == region->count && !last->entry &&
      last->cause == (counted ? region->cause : CAUSE_NONE))
    return;
  const struct segment made = {.line = (uint32_t)(place >> 32),
                               .column = (uint32_t)place,
                               .count = counted ? region->count : 0,
                               .counted = counted,
                               .entry = entry,
                               .gap = counted && region->kind == MODEL_GAP,
                               .cause = counted ? (unsigned char)region->cause
                                                : CAUSE_NONE};
  need_append(builder->list, &made, sizeof made);
}

/* Sorts the active regions by their ends, beginning at index `first`. The
 * regions are nearly sorted, and the sort is stable. */
static void sort_regions_by_ends(struct segment_builder *builder,
                                 size_t first) {
  const struct model_region **active = builder->active;
  for (size_t i = first + 1; i < builder->active_count; i++) {
    const struct model_region *one = active[i];
    size_t k = i;
    for (; k > first && region_end(active[k - 1]) > region_end(one); k--)
      active[k] = active[k - 1];
    active[k] = one;
    if (!evaluation_use_steps(builder->evaluation, i - k))
      return;
  }
}

/* Ends the active regions from index `first` on, which all end at or before
 * `place`. After each region, a segment of the region that ends next begins. */
static void sort_and_end_regions(struct segment_builder *builder, size_t first,
                                 uint64_t place) {
  const struct model_region **active = builder->active;
  size_t count = builder->active_count;
  sort_regions_by_ends(builder, first);
  for (size_t i = first + 1; i < count; i++) {
    uint64_t at = region_end(active[i - 1]);
    size_t last = i;
    if (at == place)
      break;
    if (at == region_end(active[i]))
      continue;
    while (last + 1 < count &&
           region_end(active[last + 1]) == region_end(active[i]))
      last++;
    add_segment(builder, active[last], at, false, false);
  }
  const struct model_region *last = active[count - 1];
  if (region_end(last) != place)
    add_segment(builder, first ? active[first - 1] : last, region_end(last),
                false, !first);
  builder->active_count = first;
}

static void end_past_regions(struct segment_builder *builder, uint64_t place) {
  size_t kept = 0, ended = 0, count = builder->active_count;
  if (builder->next_end > place ||
      !evaluation_use_steps(builder->evaluation, count))
    return;
  builder->next_end = UINT64_MAX;
  for (size_t i = 0; i < count; i++) {
    const struct model_region *one = builder->active[i];
    if (region_end(one) <= place) {
      builder->ended[ended++] = one;
      continue;
    }
    builder->active[kept++] = one;
    if (region_end(one) < builder->next_end)
      builder->next_end = region_end(one);
  }
  memcpy(&builder->active[kept], builder->ended,
         ended * sizeof *builder->ended);
  if (ended)
    sort_and_end_regions(builder, kept, place);
}

/* Ends the regions before this one, and adds its segment. `last`: no region of
 * the file follows. */
static void begin_region(struct segment_builder *builder,
                         const struct model_region *region, bool last) {
  uint64_t place = region_begin(region);
  bool gap = region->kind == MODEL_GAP;
  end_past_regions(builder, place);
  const struct model_region *around =
      builder->active_count ? builder->active[builder->active_count - 1] : NULL;
  if (place == region_end(region)) {
    /* llvm-cov treats an empty last region as a skipped region. But a region
     * that is the last one only because of an exclusion is not skipped. */
    bool skipped = (last && builder->all) || region->kind == MODEL_SKIPPED;
    struct model_region at = around ? *around : *region;
    at.cause = at.cause ? at.cause : region->cause;
    add_segment(builder, &at, place, !gap, skipped);
    if (skipped && around)
      add_segment(builder, around, place, false, false);
    /* The name of a macro from a system header has the count of the region. */
    if (region->kind != MODEL_SKIPPED && !gap)
      add_stretch(builder, region, place, true, true);
    return;
  }
  if (last || place != region_begin(region + 1))
    add_segment(builder, region, place, !gap, false);
  builder->active[builder->active_count++] = region;
  if (region_end(region) < builder->next_end)
    builder->next_end = region_end(region);
}

/* Adds the count of a region to another region with the same span. If one count
 * is not known, the sum is not known. */
static void add_region_count(struct model_region *to,
                             const struct model_region *from) {
  if (!to->cause)
    to->cause = from->cause;
  to->count = to->cause ? 0 : to->count + from->count;
}

/* Unites regions with the same span, which are instantiations, or an expansion
 * and the only macro in it. Returns the number of regions that remain. */
static size_t merge_equal_regions(struct model_region *regions, size_t count) {
  size_t kept = 0;
  for (size_t i = 1; i < count; i++) {
    struct model_region *one = &regions[kept];
    if (regions[i].again)
      continue;
    if (region_begin(one) != region_begin(&regions[i]) ||
        region_end(one) != region_end(&regions[i]) ||
        one->added != regions[i].added)
      regions[++kept] = regions[i];
    else if (one->kind == regions[i].kind)
      add_region_count(one, &regions[i]);
  }
  return count ? kept + 1 : 0;
}

static void set_excluded_lines(struct evaluation *evaluation, uint32_t name) {
  if (evaluation->lines_of == name)
    return;
  evaluation->lines_of = name;
  evaluation->lines = exclusions_get_line_spans(evaluation->options->excluded,
                                                evaluation->out->names[name],
                                                &evaluation->line_count);
}

/* Moves the end of a segment from the first column of a line to the end of the
 * previous line, which may be the last line of an included file. */
static void move_segment_ends_up(const struct segment_builder *builder) {
  struct segment *list = (struct segment *)(void *)builder->list->data;
  size_t first = builder->begin / sizeof *list;
  for (size_t i = first; i < builder->list->size / sizeof *list; i++)
    if (list[i].column == 1 && !list[i].counted && !list[i].entry &&
        (i == first || list[i - 1].line < list[i].line)) {
      list[i].line--;
      list[i].column = LINE_END;
    }
}

/* Appends the segments and stretches of sorted regions. `stretches` may be
 * NULL. */
static void build_segments(struct evaluation *evaluation,
                           const struct model_region *regions, size_t count,
                           struct buffer *list, struct buffer *stretches) {
  const struct model_region **room = evaluation_clear_and_reserve(
      &evaluation->active, 2 * count + 1, sizeof *room);
  struct segment_builder builder = {
      evaluation,   list, list->size, room,
      room + count, 0,    UINT64_MAX, !evaluation->line_count,
      stretches};
  for (size_t i = 0; i < count && !evaluation->error; i++)
    begin_region(&builder, &regions[i], i + 1 == count);
  if (builder.active_count && !evaluation->error)
    sort_and_end_regions(&builder, 0, UINT64_MAX);
  if (!evaluation->out->as_llvm_cov)
    move_segment_ends_up(&builder);
}

/* Removes the regions that are not in the mapping. Returns the number of
 * regions that remain. */
static size_t remove_added_regions(struct model_region *regions, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (!regions[i].added)
      regions[kept++] = regions[i];
  return kept;
}

void segments_build(struct evaluation *evaluation, struct model_region *regions,
                    size_t count, struct buffer *list, uint32_t name) {
  struct buffer *stretches = &evaluation->truth.stretches;
  bool added = false;
  set_excluded_lines(evaluation, name);
  sort_array(regions, count, sizeof *regions, by_nesting);
  count = merge_equal_regions(regions, count);
  stretches->size = 0;
  for (size_t i = 0; i < count; i++)
    added |= regions[i].added;
  if (evaluation->out->as_llvm_cov) {
    stretches = NULL;
  } else if (added) {
    size_t size = list->size;
    build_segments(evaluation, regions, count, list, stretches);
    list->size = size;
    stretches = NULL;
    count = remove_added_regions(regions, count);
  }
  build_segments(evaluation, regions, count, list, stretches);
}

/* ---- several variants ---- */

/* A list of segments that is being merged. */
struct segment_cursor {
  const struct segment *at, *end;
  const struct segment *now; /* current segment; NULL before the first one */
  bool entry;                /* A region begins at the current position. */
  bool skips;                /* A skipped region ends here, too. */
};

static struct segment_cursor begin_segment_cursor(const struct buffer *list) {
  const struct segment *at = (const struct segment *)(void *)list->data;
  return (struct segment_cursor){.at = at, .end = at + list->size / sizeof *at};
}

static uint64_t next_segment_place(const struct segment_cursor *cursor) {
  return cursor->at == cursor->end
             ? UINT64_MAX
             : place_number(cursor->at->line, cursor->at->column);
}

static void advance_cursor_to_place(struct segment_cursor *cursor,
                                    uint64_t place) {
  cursor->entry = cursor->skips = false;
  while (next_segment_place(cursor) == place && cursor->at != cursor->end) {
    cursor->now = cursor->at++;
    if (cursor->now->counted || next_segment_place(cursor) != place)
      cursor->entry |= cursor->now->entry;
    else
      cursor->skips |= cursor->now->entry;
  }
}

void segments_merge(struct evaluation *evaluation, const struct buffer *left,
                    const struct buffer *right, struct buffer *list) {
  struct segment_cursor cursors[2] = {begin_segment_cursor(left),
                                      begin_segment_cursor(right)};
  while (!evaluation->error &&
         (cursors[0].at != cursors[0].end || cursors[1].at != cursors[1].end)) {
    if (!evaluation_use_steps(evaluation, 1))
      return;
    uint64_t x = next_segment_place(&cursors[0]),
             y = next_segment_place(&cursors[1]);
    uint64_t place = x < y ? x : y;
    struct segment made = {.line = (uint32_t)(place >> 32),
                           .column = (uint32_t)place,
                           .gap = true};
    bool skipped = false, skips = false;
    for (unsigned i = 0; i < 2; i++) {
      const struct segment_cursor *cursor = &cursors[i];
      advance_cursor_to_place(&cursors[i], place);
      skips |= cursor->skips;
      if (!cursor->now || !cursor->now->counted) {
        skipped |= cursor->entry;
        continue;
      }
      made.counted = true;
      made.cause = made.cause ? made.cause : cursor->now->cause;
      made.count = made.cause ? 0 : made.count + cursor->now->count;
      made.entry |= cursor->entry;
      made.gap &= cursor->now->gap;
    }
    made.gap &= made.counted;
    made.entry |= skipped && !made.counted;
    /* An uncounted segment, after which the region continues. */
    const struct segment empty = {
        .line = made.line, .column = made.column, .entry = true};
    if (skips && made.counted && !made.entry)
      need_append(list, &empty, sizeof empty);
    need_append(list, &made, sizeof made);
  }
}

/* ---- excluded lines ---- */

/* Replaces the segments of excluded lines with one segment that does not count.
 * At the end of the excluded lines, the last segment before their end
 * continues, because the following lines need its count. */
static void append_skipped_segment(struct buffer *list,
                                   const struct line_span *span,
                                   const struct segment *resumed) {
  const struct segment skipped = {
      .line = span->first, .column = 1, .entry = true};
  need_append(list, &skipped, sizeof skipped);
  if (!resumed)
    return;
  struct segment again = *resumed;
  again.line = span->last;
  again.column = LINE_END;
  again.entry = false;
  need_append(list, &again, sizeof again);
}

const struct segment *segments_move_out(struct evaluation *evaluation,
                                        struct buffer *list, size_t begin,
                                        size_t *count) {
  *count = (list->size - begin) / sizeof(struct segment);
  if (!*count || evaluation->error)
    return NULL;
  struct segment *all =
      evaluation_clear_and_reserve(&evaluation->active, *count, sizeof *all);
  memcpy(all, list->data + begin, *count * sizeof *all);
  list->size = begin;
  return all;
}

void segments_exclude_lines(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t name) {
  set_excluded_lines(evaluation, name);
  size_t count = 0, at = 0;
  const struct segment *all =
      evaluation->line_count
          ? segments_move_out(evaluation, list, begin, &count)
          : NULL;
  if (!all)
    return;
  for (size_t i = 0; i < evaluation->line_count; i++) {
    const struct line_span *span = &evaluation->lines[i];
    for (; at < count && all[at].line < span->first; at++)
      need_append(list, &all[at], sizeof *all);
    size_t inside = at;
    while (at < count && all[at].line <= span->last)
      at++;
    if (at != inside || (at && all[at - 1].counted))
      append_skipped_segment(list, span, at < count ? &all[at - 1] : NULL);
  }
  need_append(list, all + at, (count - at) * sizeof *all);
}

/* ---- lines ----
 *
 * The count of a line is the highest count among the region in which the line
 * begins and the regions that begin in the line. A region that #if skips does
 * not have a count.
 */

enum { ALL_LINES_MOST = 1 << 24 };

const char *segments_check_order(const struct model *exported) {
  size_t all = 0;
  for (size_t row = 0; row < exported->summary.count; row++) {
    struct slice slice = exported->segments[row];
    const struct segment *list = model_segments(exported) + slice.begin;
    for (uint32_t i = 0; i < slice.count; i++) {
      if (list[i].line >= LINES_MOST)
        return "a source has more than 4194303 lines; leave the source out "
               "with --ignore";
      if (i && list[i].line < list[i - 1].line)
        return "the segments are not sorted by line; export again with "
               "bareprof report --json, or with llvm-cov 13 or later";
    }
    all += slice.count ? list[slice.count - 1].line : 0;
  }
  return all > ALL_LINES_MOST ? "the sources have more than 16777216 lines in "
                                "all; leave sources out with --ignore"
                              : NULL;
}

static bool begins_region(const struct segment *segment) {
  return !segment->gap && segment->counted && segment->entry;
}

struct line_count segments_line_count(const struct segment *from,
                                      const struct segment *to,
                                      const struct segment *wrapped) {
  struct line_count line = {.count = 0};
  bool skipped = from != to && !from->counted && from->entry;
  bool entries = false;
  for (const struct segment *at = from; at != to; at++)
    entries |= at->counted && at->entry;
  line.counted = entries || (!skipped && wrapped && wrapped->counted);
  if (!line.counted)
    return line;
  line.count = wrapped ? wrapped->count : 0;
  line.cause = wrapped ? wrapped->cause & 127u : CAUSE_NONE;
  for (const struct segment *at = from; at != to; at++) {
    if (begins_region(at) && at->cause)
      line.cause = at->cause & 127u;
    if (begins_region(at) && at->count > line.count)
      line.count = at->count;
  }
  line.count = line.cause ? 0 : line.count;
  return line;
}

struct score segments_score_lines(const struct segment *list, size_t count) {
  struct score score = {0, 0};
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from; to < count && list[to].line == list[from].line;)
      to++;
    struct line_count line = segments_line_count(list + from, list + to,
                                                 from ? &list[from - 1] : NULL);
    score.count += line.counted;
    score.covered += line.counted && line.count;
    /* The lines up to the next segment have the same count as the end of this
     * line. */
    if (to < count && list[to - 1].counted) {
      uint64_t between = list[to].line - list[from].line - 1;
      score.count += between;
      score.covered += list[to - 1].count ? between : 0;
    }
  }
  return score;
}

struct source_lines lines_make(const struct model *exported, size_t row) {
  struct slice slice = exported->segments[row];
  const struct segment *list = model_segments(exported) + slice.begin;
  struct source_lines lines = {.segments = list, .count = 1};
  if (slice.count)
    lines.count = list[slice.count - 1].line + 1;
  lines.list = need_memory(calloc(lines.count, sizeof *lines.list));
  const struct segment *wrapped = NULL;
  uint32_t at = 0;
  for (uint32_t line = 1; line < lines.count; line++) {
    struct line_count *one = &lines.list[line];
    uint32_t from = at;
    while (at < slice.count && list[at].line == line)
      at++;
    if (from || at)
      *one = segments_line_count(list + from, list + at, wrapped);
    if (at != from)
      wrapped = &list[at - 1];
    one->segments = at;
    one->missed = lines.list[line - 1].missed + (one->counted && !one->count);
  }
  return lines;
}

void lines_free(struct source_lines *lines) {
  free(lines->list);
  *lines = (struct source_lines){0};
}

uint32_t lines_count_missed(const struct source_lines *lines, uint32_t from,
                            uint32_t to) {
  if (to >= lines->count)
    to = lines->count - 1;
  if (!from || from > to)
    return 0;
  return lines->list[to].missed - lines->list[from - 1].missed;
}
