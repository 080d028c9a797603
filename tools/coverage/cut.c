/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions in excluded lines go, and those around them get a skipped region, as
 * the preprocessor's #if 0 makes one. A region that reaches from an excluded
 * line to others still says how often those ran: it becomes a gap, which counts
 * for lines but is no region of code. A place is at most LINE_END in a line, so
 * that what is moved to a line's end is behind all that is in it.
 */
#include "cut_inside.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/search.h"

enum { LINE_END = 1 << 24, MOVED = 2 /* of numbers: clip changed a region */ };
#define STEPS_MOST (UINT64_C(1) << 32)

static const char damaged[] = "its coverage mapping is damaged; link it again";

/* ---- what stays ---- */

/* Whether a region that stays begins before a span and reaches as far as
 * another one. */
static bool has_parent(struct cut *cut, const struct region *region,
                       const struct excluded_span *span) {
  for (size_t i = 0; i < cut->mapping.region_count; i++) {
    const struct region *parent = &cut->mapping.regions[i];
    cut->steps++;
    if (parent->kind == REGION_CODE && !cut->lost[i] &&
        parent->file == region->file && parent->begin.line < span->first &&
        place_order(parent->end) >= place_order(region->end))
      return true;
  }
  return false;
}

/* Moves a region's begin and end out of excluded lines. llvm-cov adds up the
 * counts of regions with the same begin and end: inner ones begin later. */
static struct region clip(struct cut *cut, const struct region *region) {
  const struct excluded_span *from =
      cut_span(cut, region->file, false, region->begin.line);
  const struct excluded_span *to =
      cut_span(cut, region->file, false, region->end.line);
  struct region clipped = *region;
  if (from && region->kind != REGION_SKIPPED && has_parent(cut, region, from)) {
    clipped.kind = REGION_GAP;
    clipped.begin = (struct place){
        from->first - 1, 2 * LINE_END + (uint32_t)(cut->count % LINE_END)};
  } else if (from) {
    clipped.begin = (struct place){from->last + 1, 1};
  }
  clipped.numbers[MOVED] = from || to;
  if (to && to != from)
    clipped.end = (struct place){to->first - 1, LINE_END};
  return clipped;
}

/* Whether a region that stays is around a span. */
static bool is_around(const struct region *region,
                      const struct excluded_span *span) {
  return (region->kind == REGION_CODE || region->kind == REGION_GAP) &&
         region->begin.line < span->first && region->end.line > span->last;
}

/* Adds skipped regions for the spans in a file's regions, from begin on. */
static void skip_spans(struct cut *cut, uint32_t file, size_t begin) {
  const struct excluded_source *source = cut->sources[file];
  size_t end = cut->count;
  for (size_t i = 0; source && i < source->span_count[0]; i++) {
    const struct excluded_span *span = &source->spans[0][i];
    bool around = false, skipped = false;
    for (size_t k = begin; k < end; k++) {
      const struct region *region = &cut->out[k];
      cut->steps++;
      around |= is_around(region, span);
      skipped |= region->kind == REGION_SKIPPED &&
                 region->begin.line < span->first &&
                 region->end.line > span->last;
    }
    if (around && !skipped)
      cut->out[cut->count++] = (struct region){.file = file,
                                               .kind = REGION_SKIPPED,
                                               .begin = {span->first, 1},
                                               .end = {span->last, LINE_END}};
  }
}

/* Regions by their beginning; what was in order stays so. */
static void sort_regions(struct cut *cut, size_t begin) {
  for (size_t i = begin + 1; i < cut->count; i++) {
    struct region region = cut->out[i];
    size_t k = i;
    for (; k > begin &&
           place_order(cut->out[k - 1].begin) > place_order(region.begin);
         k--) {
      cut->out[k] = cut->out[k - 1];
      cut->steps++;
    }
    cut->out[k] = region;
  }
}

/* Lets a region end later than one in it, if both had to begin or end at the
 * same place. */
static void part_ends(struct cut *cut, size_t begin) {
  for (size_t i = cut->count; i-- > begin + 1;) {
    struct region *outer = &cut->out[i - 1];
    const struct region *inner = &cut->out[i];
    if (outer->numbers[MOVED] && inner->numbers[MOVED] &&
        place_order(outer->begin) == place_order(inner->begin) &&
        place_order(outer->end) <= place_order(inner->end)) {
      outer->end = inner->end;
      outer->end.column++;
    }
  }
}

/* llvm-cov takes an empty region that is the last one for a skipped one: it
 * gets another one behind it, if a region around both reaches so far. */
static void guard_last(struct cut *cut, size_t begin) {
  size_t last = cut->count;
  bool around = false;
  while (last > begin && cut_is_branch(&cut->out[last - 1]))
    last--;
  if (last == begin)
    return;
  struct region guard = cut->out[last - 1];
  if (guard.kind != REGION_CODE ||
      place_order(guard.begin) != place_order(guard.end))
    return;
  guard.kind = REGION_GAP;
  guard.begin.column = LINE_END / 2;
  guard.end.column = LINE_END / 2 + 1;
  for (size_t i = begin; i < cut->count; i++)
    around |= !cut_is_branch(&cut->out[i]) &&
              place_order(cut->out[i].end) > place_order(guard.end);
  if (around)
    cut->out[cut->count++] = guard;
  sort_regions(cut, begin);
}

static size_t spans_of(const struct cut *cut) {
  size_t count = 0;
  for (size_t i = 0; i < cut->mapping.file_count; i++)
    count += cut->sources[i] ? cut->sources[i]->span_count[0] : 0;
  return count;
}

/* Gives the files that stay new numbers. */
static void renumber(struct cut *cut) {
  struct mapping *mapping = &cut->mapping;
  uint32_t kept = 0;
  uint64_t *files = (uint64_t *)mapping->files.data;
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    cut->numbers[i] = kept;
    if (!cut->gone[i])
      files[kept++] = files[i];
  }
  for (size_t i = 0; i < cut->count; i++) {
    cut->out[i].file = cut->numbers[cut->out[i].file];
    if (cut->out[i].kind == REGION_EXPANSION)
      cut->out[i].expanded = cut->numbers[cut->out[i].expanded];
  }
  mapping->file_count = kept;
  mapping->regions = cut->out;
  mapping->region_count = cut->count;
}

/* Makes the regions of a file that stay: regions from `from` up to `to`. */
static void rewrite_file(struct cut *cut, size_t from, size_t to) {
  uint32_t file = cut->mapping.regions[from].file;
  size_t begin = cut->count;
  bool last = false; /* the last one of code stays */
  if (cut->gone[file])
    return;
  for (size_t i = from; i < to; i++) {
    const struct region *region = &cut->mapping.regions[i];
    struct region kept = *region;
    if (!cut_is_branch(region))
      last = !cut->lost[i];
    if (cut->lost[i])
      continue;
    if (!cut_is_branch(region))
      kept = clip(cut, region);
    if (place_order(kept.begin) <= place_order(kept.end))
      cut->out[cut->count++] = kept;
  }
  skip_spans(cut, file, begin);
  sort_regions(cut, begin);
  part_ends(cut, begin);
  if (!last)
    guard_last(cut, begin);
}

/* Makes the regions that stay. Returns NULL or the error. */
static const char *rewrite(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  size_t room = mapping->region_count + mapping->file_count + spans_of(cut);
  cut->count = 0;
  cut->out = calloc(room + 1, sizeof *cut->out);
  if (!cut->out)
    return out_of_memory;
  for (size_t i = 0, end = 0; i < mapping->region_count; i = end) {
    while (end < mapping->region_count &&
           mapping->regions[end].file == mapping->regions[i].file)
      end++;
    rewrite_file(cut, i, end);
  }
  renumber(cut);
  return NULL;
}

/* ---- all ---- */

static bool any_lost(const struct cut *cut) {
  for (size_t i = 0; i < cut->mapping.region_count; i++)
    if (cut->lost[i])
      return true;
  return spans_of(cut) != 0;
}

/* Copies records from an offset up to another one. */
static const char *copy(const struct cut *cut, size_t from, size_t to,
                        struct buffer *section) {
  return buffer_append(section, cut->mapping.records.data + from, to - from);
}

/* Adds a function to the section, unless all of it is excluded. begin, end: of
 * its record. */
static const char *write_one(struct cut *cut, size_t begin, size_t end,
                             struct buffer *section) {
  bool any;
  const char *error = cut_begin(cut, &any);
  if (!error && any)
    cut_mark(cut);
  if (!error && any && any_lost(cut)) {
    any = !cut->gone[0];
    error = any ? rewrite(cut) : NULL;
    if (!error && any)
      error = mapping_write(&cut->mapping, section);
  } else if (!error) {
    error = copy(cut, begin, end, section);
  }
  cut_end(cut);
  return error || cut->steps <= STEPS_MOST ? error : damaged;
}

const char *cut_mapping(struct exclusions *set, const struct elf *elf,
                        struct buffer *section) {
  struct cut cut = {.set = set, .names = {.limit = CUT_SOURCES_MOST}};
  size_t done = 0;
  section->limit = elf_most(elf);
  const char *error = mapping_open(&cut.mapping, elf);
  const struct bytes *all = &cut.mapping.records;
  while (!error && mapping_next(&cut.mapping, &error)) {
    size_t begin = (size_t)(cut.mapping.record.data - all->data);
    size_t end = (begin + cut.mapping.record.size + 7) / 8 * 8;
    end = end < all->size ? end : all->size;
    /* Records of other forms stay as they are. */
    error = copy(&cut, done, begin, section);
    if (!error)
      error = write_one(&cut, begin, end, section);
    done = end;
  }
  if (!error)
    error = copy(&cut, done, all->size, section);
  mapping_close(&cut.mapping);
  map_free(&cut.names);
  return error;
}

/* ---- functions ---- */

/* Whether an exclusion's function is the one at hand. */
static bool is_function(const struct cut *cut, const struct cut_names *names,
                        const struct excluded_range *range, uint32_t line) {
  if (range->kind != EXCLUDED_FUNCTION || line < range->first ||
      line > range->last)
    return false;
  if (!range->function)
    return true;
  uint64_t hash = cut->mapping.name;
  size_t at = search_from(names->list, names->count, hash, hash);
  for (; at < names->count && names->list[at].hash == hash; at++) {
    const char *name = names->list[at].name;
    const char *plain = strpbrk(name, ":;");
    if (pattern_matches(range->function, name) ||
        (plain && plain[1] != ':' &&
         pattern_matches(range->function, plain + 1)))
      return true;
  }
  return false;
}

static const char *find_one(struct cut *cut, const struct cut_names *names) {
  const struct mapping *mapping = &cut->mapping;
  const struct region *all = NULL;
  bool any;
  const char *error = cut_begin(cut, &any);
  for (size_t i = 0; !error && !all && i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE && !mapping->regions[i].file)
      all = &mapping->regions[i];
  struct excluded_source *source =
      error || !all ? NULL : (struct excluded_source *)cut->sources[0];
  size_t count = source ? source->range_count : 0;
  for (size_t i = 0; i < count && !error; i++)
    if (is_function(cut, names, &source->ranges[i], all->begin.line) &&
        !exclusions_add_lines(source, all->begin.line, all->end.line,
                              source->ranges[i].exclusion))
      error = out_of_memory;
  cut_end(cut);
  return error;
}

const char *cut_functions(struct exclusions *set, const struct elf *elf,
                          const struct cut_names *names) {
  struct cut cut = {.set = set, .names = {.limit = CUT_SOURCES_MOST}};
  const char *error = mapping_open(&cut.mapping, elf);
  while (!error && mapping_next(&cut.mapping, &error))
    error = find_one(&cut, names);
  mapping_close(&cut.mapping);
  map_free(&cut.names);
  return error;
}
