/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions in excluded lines go, and those around them get a skipped region, as
 * the preprocessor's #if 0 makes one. A region that reaches from an excluded
 * line to others still says how often those ran: it becomes a gap, which counts
 * for lines but is no region of code. A place is at most LINE_END in a line, so
 * that what is moved to a line's end is behind all that is in it.
 */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../base/search.h"
#include "../object/mapping.h"
#include "paths.h"

enum { LINE_END = 1 << 24, NESTED_MOST = 64, SOURCES_MOST = 1 << 22 };
enum { NO_SITE = -1 };
#define STEPS_MOST (UINT64_C(1) << 32)

static const char damaged[] = "its coverage mapping is damaged; link it again";

/* The function at hand. */
struct cut {
  struct exclusions *set;
  struct mapping mapping;
  struct map names; /* from a file's number in an object to its source */
  const struct excluded_source **sources; /* of each file, or NULL */
  int64_t *sites;                         /* expansions that lead to files */
  uint32_t *numbers;                      /* new ones of files */
  bool *gone;                             /* files */
  bool *lost;                             /* regions */
  struct region *out;
  size_t count;
  uint64_t steps;
};

static uint64_t order(struct place place) {
  return (uint64_t)place.line << 32 | place.column;
}

/* ---- sources ---- */

/* Number of the source + 2; 1: nothing is excluded in the file. */
static const char *look_up(struct cut *cut, uint32_t file, uint64_t *number) {
  char *name;
  const char *error = mapping_file(&cut->mapping, file, &name);
  if (error)
    return error;
  if (*name == '/')
    paths_tidy(name);
  const struct excluded_source *source = exclusions_source(cut->set, name);
  *number = source && source->range_count
                ? (uint64_t)(source - cut->set->sources) + 2
                : 1;
  free(name);
  return NULL;
}

/* *any: something is excluded in one of the function's files. */
static const char *find_sources(struct cut *cut, bool *any) {
  const struct mapping *mapping = &cut->mapping;
  *any = false;
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    uint64_t index;
    memcpy(&index, mapping->files.data + i * sizeof index, sizeof index);
    uint64_t *number = map_at(&cut->names, mapping->reference, index, 0);
    if (!number)
      return out_of_memory;
    const char *error = *number ? NULL : look_up(cut, i, number);
    if (error)
      return error;
    cut->sources[i] = *number > 1 ? &cut->set->sources[*number - 2] : NULL;
    *any |= cut->sources[i] != NULL;
  }
  return NULL;
}

static bool begin_function(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  size_t files = mapping->file_count + 1, regions = mapping->region_count + 1;
  cut->sources = calloc(files, sizeof *cut->sources);
  cut->sites = calloc(files, sizeof *cut->sites);
  cut->numbers = calloc(files, sizeof *cut->numbers);
  cut->gone = calloc(files, sizeof *cut->gone);
  cut->lost = calloc(regions, sizeof *cut->lost);
  if (!cut->sources || !cut->sites || !cut->numbers || !cut->gone || !cut->lost)
    return false;
  for (size_t i = 0; i < mapping->file_count; i++)
    cut->sites[i] = NO_SITE;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      cut->sites[region->expanded] = (int64_t)i;
  }
  return true;
}

static void end_function(struct cut *cut) {
  free(cut->sources);
  free(cut->sites);
  free(cut->numbers);
  free(cut->gone);
  free(cut->lost);
  free(cut->out);
  cut->sources = NULL;
  cut->sites = NULL;
  cut->numbers = NULL;
  cut->gone = cut->lost = NULL;
  cut->out = NULL;
}

/* The expansion that leads to a region's file, or NULL. */
static const struct region *site_of(const struct cut *cut, uint32_t file) {
  return cut->sites[file] == NO_SITE ? NULL
                                     : &cut->mapping.regions[cut->sites[file]];
}

/* ---- what goes ---- */

static const struct excluded_span *span_of(const struct cut *cut, uint32_t file,
                                           bool branches, uint32_t line) {
  const struct excluded_source *source = cut->sources[file];
  return source ? exclusions_span(source, branches, line) : NULL;
}

static bool is_branch(const struct region *region) {
  return region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
}

/* Whether a source has code behind a line, up to another one: more than closing
 * brackets. */
static bool has_code(const struct excluded_source *source, uint32_t line,
                     uint32_t last) {
  for (; line < last && source->contents && line < source->lines; line++)
    if (source->contents[line + 1] == LINE_CODE)
      return true;
  return line < last;
}

/* Whether no code of a region is left: it may reach beyond what is excluded.
 * Many sections end at the last bracket, which is not in them. */
static bool is_inside(const struct cut *cut, const struct region *region) {
  const struct excluded_span *span =
      span_of(cut, region->file, false, region->begin.line);
  if (!span || region->kind == REGION_EXPANSION)
    return span;
  return region->end.line <= span->last ||
         (region->kind == REGION_CODE &&
          !has_code(cut->sources[region->file], span->last, region->end.line));
}

/* Marks files of which no code is left, or that no expansion leads to any
 * more. */
static void mark_files(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE)
      cut->gone[mapping->regions[i].file] = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE && !cut->lost[i])
      cut->gone[mapping->regions[i].file] = false;
  for (size_t i = 0; i < mapping->file_count; i++)
    cut->gone[i] |= cut->sites[i] != NO_SITE && cut->lost[cut->sites[i]];
}

/* Marks regions in excluded lines, and what goes with them. */
static void mark_code(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  bool more = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    cut->lost[i] = !is_branch(&mapping->regions[i]) &&
                   mapping->regions[i].kind != REGION_DECISION &&
                   is_inside(cut, &mapping->regions[i]);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    mark_files(cut);
    more = false;
    for (size_t i = 0; i < mapping->region_count; i++) {
      const struct region *region = &mapping->regions[i];
      bool lost =
          cut->gone[region->file] ||
          (region->kind == REGION_EXPANSION && cut->gone[region->expanded]);
      more |= lost && !cut->lost[i];
      cut->lost[i] |= lost;
    }
  }
}

/* Counts a use of a decision's exclusion. */
static void use_decision(struct cut *cut, const struct excluded_source *source,
                         struct place place, bool *found) {
  int64_t number =
      source ? exclusions_decision(source, place.line, place.column) : -1;
  *found |= number >= 0;
  if (number >= 0 && cut->set->list[number].kind == EXCLUDED_DECISION)
    cut->set->list[number].used++;
}

/* Whether a condition or decision begins in an excluded line, or its macro, or
 * the macro's use. */
static bool is_out(struct cut *cut, const struct region *region) {
  uint32_t file = region->file;
  struct place place = region->begin;
  bool found = false, decision = region->kind == REGION_DECISION;
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    found = span_of(cut, file, false, place.line) ||
            span_of(cut, file, true, place.line);
    if (decision)
      use_decision(cut, cut->sources[file], place, &found);
    const struct region *site = site_of(cut, file);
    if (!site)
      break;
    file = site->file;
    place = site->begin;
  }
  return found;
}

/* Whether a condition is one of a decision's. */
static bool is_of(const struct cut *cut, const struct region *condition,
                  const struct region *decision) {
  const struct region *at = condition;
  for (unsigned i = 0; at && i < NESTED_MOST; i++) {
    if (at->file == decision->file)
      return order(decision->begin) <= order(at->begin) &&
             order(at->end) <= order(decision->end);
    at = site_of(cut, at->file);
  }
  return false;
}

/* A decision needs all of its conditions. Those of one that goes are plain
 * ones. */
static void mark_decision(struct cut *cut, size_t which) {
  struct mapping *mapping = &cut->mapping;
  const struct region *decision = &mapping->regions[which];
  bool lost = cut->lost[which] || is_out(cut, decision);
  for (unsigned pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < mapping->region_count; i++) {
      struct region *region = &mapping->regions[i];
      cut->steps++;
      if (region->kind != REGION_MCDC_BRANCH || !is_of(cut, region, decision))
        continue;
      lost |= cut->lost[i];
      if (pass && lost)
        region->kind = REGION_BRANCH;
    }
  cut->lost[which] = lost;
}

static void mark(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  mark_code(cut);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (is_branch(&mapping->regions[i]))
      cut->lost[i] |= is_out(cut, &mapping->regions[i]);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION)
      mark_decision(cut, i);
}

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
        order(parent->end) >= order(region->end))
      return true;
  }
  return false;
}

/* Moves a region's begin and end out of excluded lines. */
static struct region clip(struct cut *cut, const struct region *region) {
  const struct excluded_span *from =
      span_of(cut, region->file, false, region->begin.line);
  const struct excluded_span *to =
      span_of(cut, region->file, false, region->end.line);
  struct region clipped = *region;
  if (from && region->kind != REGION_SKIPPED && has_parent(cut, region, from)) {
    clipped.kind = REGION_GAP;
    clipped.begin = (struct place){from->first - 1, LINE_END};
  } else if (from) {
    clipped.begin = (struct place){from->last + 1, 1};
  }
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
    for (; k > begin && order(cut->out[k - 1].begin) > order(region.begin);
         k--) {
      cut->out[k] = cut->out[k - 1];
      cut->steps++;
    }
    cut->out[k] = region;
  }
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

/* Makes the regions that stay. Returns NULL or the error. */
static const char *rewrite(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  cut->count = 0;
  cut->out =
      calloc(mapping->region_count + spans_of(cut) + 1, sizeof *cut->out);
  if (!cut->out)
    return out_of_memory;
  for (size_t i = 0; i < mapping->region_count;) {
    uint32_t file = mapping->regions[i].file;
    size_t begin = cut->count;
    for (; i < mapping->region_count && mapping->regions[i].file == file; i++) {
      const struct region *region = &mapping->regions[i];
      struct region kept = *region;
      if (cut->lost[i] || cut->gone[file])
        continue;
      if (!is_branch(region) && region->kind != REGION_DECISION)
        kept = clip(cut, region);
      if (order(kept.begin) <= order(kept.end))
        cut->out[cut->count++] = kept;
    }
    if (!cut->gone[file])
      skip_spans(cut, file, begin);
    sort_regions(cut, begin);
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
  const char *error =
      begin_function(cut) ? find_sources(cut, &any) : out_of_memory;
  if (!error && any)
    mark(cut);
  if (!error && any && any_lost(cut)) {
    any = !cut->gone[0];
    error = any ? rewrite(cut) : NULL;
    if (!error && any)
      error = mapping_write(&cut->mapping, section);
  } else if (!error) {
    error = copy(cut, begin, end, section);
  }
  end_function(cut);
  return error || cut->steps <= STEPS_MOST ? error : damaged;
}

const char *cut_mapping(struct exclusions *set, const struct elf *elf,
                        struct buffer *section) {
  struct cut cut = {.set = set, .names = {.limit = SOURCES_MOST}};
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
  const char *error =
      begin_function(cut) ? find_sources(cut, &any) : out_of_memory;
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
  end_function(cut);
  return error;
}

const char *cut_functions(struct exclusions *set, const struct elf *elf,
                          const struct cut_names *names) {
  struct cut cut = {.set = set, .names = {.limit = SOURCES_MOST}};
  const char *error = mapping_open(&cut.mapping, elf);
  while (!error && mapping_next(&cut.mapping, &error))
    error = find_one(&cut, names);
  mapping_close(&cut.mapping);
  map_free(&cut.names);
  return error;
}
