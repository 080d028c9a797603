/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file fills the set of exclusions, removes the excluded code from a
 * model, and judges each exclusion: how much code is excluded, which of this
 * code ran, and which exclusions are stale.
 */
#include "exclude.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../object/mapping.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../mcdc/mcdc.h"
#include "../model/coverage_model.h"
#include "../out/out.h"

/* ==== This part fills the set. For each source, it adds the source's
 * markers, then the lines of the exclusions file that match the source. */

enum {
  FILE_LIMIT = 1 << 24,
  SOURCE_LIMIT = 1 << 30,
  ARENA_LIMIT = 1 << 28,
  TEXT_MOST = 4096,
  PROBLEMS_SHOWN = 20
};

static const char no_source[] =
    "no source of the report has this path; correct or remove the exclusion";
static const char no_match[] =
    "the text is not in the source, or not on the line of the exclusion; "
    "correct or remove the exclusion";
static const char not_here[] =
    "the source is missing, so its text cannot be searched; use --source-map";

const char *exclusions_copy_text(struct exclusions *set, struct bytes text) {
  return need_memory(arena_copy(&set->arena, text.data, text.size));
}

/* Reports the first problems, and counts the others, because a binary file that
 * was passed by mistake has thousands of them. */
static void report_and_clear_problems(struct exclusions *set) {
  for (size_t i = 0; i < set->problem_count && i <= PROBLEMS_SHOWN; i++) {
    const struct exclusion_problem *one = &set->problems[i];
    if (i == PROBLEMS_SHOWN)
      report(one->file, "%zu more lines are wrong; correct the first ones",
             set->problem_count - i);
    else
      report(one->file, "line %u: %s%s%s", one->line, one->name,
             *one->name ? " " : "", one->text);
  }
  free(set->problems);
  set->problems = NULL;
  set->problem_count = 0;
}

void exclusions_read_file(struct exclusions *set) {
  set->arena = (struct arena){.limit = ARENA_LIMIT};
  if (!set->name)
    return;
  exit_if_failed(file_read(&set->file, set->name, FILE_LIMIT));
  bool right = rules_parse(set, set->file.bytes);
  report_and_clear_problems(set);
  for (size_t i = 0; i < set->count; i++)
    set->list[i].stale = no_source;
  exit_if_failed(!right);
}

void exclusions_free(struct exclusions *set) {
  for (size_t i = 0; i < set->source_count; i++) {
    free(set->sources[i].contents);
    free(set->sources[i].ranges);
    free(set->sources[i].spans[0]);
    free(set->sources[i].spans[1]);
  }
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].regex)
      ere_free(set->list[i].regex);
  free(set->sources);
  free(set->list);
  free(set->problems);
  file_close(&set->file);
  arena_free(&set->arena);
}

/* ---- sources ---- */

/* Returns the index of a tidied name in the sorted sources, or the index where
 * the name belongs. Sets *found to whether the source is in the list. */
static size_t find_source_index(const struct exclusions *set, const char *name,
                                bool *found) {
  size_t at = search_text(set->sources, set->source_count, name, name);
  *found = at < set->source_count && !strcmp(set->sources[at].name, name);
  return at;
}

/* Returns the source with this compiler's name, or NULL. */
static struct excluded_source *
find_excluded_source(const struct exclusions *set, const char *name) {
  char tidy[4096];
  bool found;
  if (*name == '/' && strlen(name) < sizeof tidy) {
    paths_tidy(strcpy(tidy, name));
    name = tidy;
  }
  size_t at = find_source_index(set, name, &found);
  return found ? &set->sources[at] : NULL;
}

const struct line_span *exclusions_get_line_spans(const struct exclusions *set,
                                                  const char *name,
                                                  size_t *count) {
  const struct excluded_source *source =
      set ? find_excluded_source(set, name) : NULL;
  *count = source ? source->span_count[EXCLUDED_LINES] : 0;
  return source ? source->spans[EXCLUDED_LINES] : NULL;
}

void exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range) {
  if (range.first <= range.last)
    LIST_ADD(source->ranges, source->range_count, range);
}

static bool rule_matches_line(const struct exclusion *rule, struct bytes line) {
  char text[TEXT_MOST];
  size_t size = line.size < sizeof text ? line.size : sizeof text - 1;
  memcpy(text, line.data, size);
  text[size] = 0;
  return (!rule->text || strstr(text, rule->text)) &&
         (!rule->regex || ere_matches(rule->regex, text));
}

/* Adds the ranges that a line of the exclusions file has in a source. `text` is
 * NULL if the source is not on this machine. */
static void apply_rule_to_source(struct excluded_source *source,
                                 struct exclusion *rule, uint32_t number,
                                 const struct bytes *text) {
  size_t before = source->range_count;
  struct excluded_range range = {.kind = rule->kind,
                                 .first = rule->first ? rule->first : 1,
                                 .last = rule->first ? rule->last : INT_MAX,
                                 .column = rule->column,
                                 .function = rule->function,
                                 .exclusion = number};
  if (!pattern_matches_file(rule->path, source->name) &&
      !pattern_matches_file(rule->path, source->here))
    return;
  if (rule->stale == no_source)
    rule->stale = no_match;
  if (!rule->text && !rule->regex) {
    exclusions_add_range(source, range);
  } else if (text) {
    struct bytes left = *text, line;
    for (uint32_t i = 1; exclusions_next_line(&left, &line); i++) {
      if ((rule->first && i != rule->first) || !rule_matches_line(rule, line))
        continue;
      range.first = i;
      range.last = rule->first ? rule->last : i;
      exclusions_add_range(source, range);
    }
  } else if (rule->stale) {
    rule->stale = not_here;
  }
  if (source->range_count != before)
    rule->stale = NULL;
}

void exclusions_add_source(struct exclusions *set, const char *name,
                           const char *here) {
  struct file file;
  bool found;
  size_t at = find_source_index(set, name, &found);
  if (found)
    return;
  exit_if_failed(file_read_if_exists(&file, here, SOURCE_LIMIT, &found));
  const struct bytes *text = found ? &file.bytes : NULL;
  struct excluded_source source = {
      .name = exclusions_copy_text(set, bytes_of_text(name)),
      .here = exclusions_copy_text(set, bytes_of_text(here))};
  /* Lines are classified only if the source may have exclusions. */
  const char *error = text && (set->rule_count || markers_may_exist(*text))
                          ? markers_parse(set, &source, *text)
                          : NULL;
  report_and_clear_problems(set);
  for (uint32_t i = 0; i < set->rule_count && !error; i++)
    apply_rule_to_source(&source, &set->list[i], i, text);
  LIST_ADD(set->sources, set->source_count, source);
  memmove(&set->sources[at + 1], &set->sources[at],
          (set->source_count - 1 - at) * sizeof source);
  set->sources[at] = source;
  if (found)
    file_close(&file);
  exit_on_error(here, error);
}

/* ---- spans ---- */

ORDER_BY(by_first, struct line_span, x->first, x->last);

void exclusions_make_spans(struct exclusions *set) {
  for (size_t i = 0; i < 2 * set->source_count; i++) {
    struct excluded_source *source = &set->sources[i / 2];
    enum exclusion_kind kind = i % 2 ? EXCLUDED_BRANCHES : EXCLUDED_LINES;
    struct line_span *spans =
        need_memory(calloc(source->range_count + 1, sizeof *spans));
    size_t count = 0, kept = 0;
    for (size_t k = 0; k < source->range_count; k++)
      if (source->ranges[k].kind == kind)
        spans[count++] =
            (struct line_span){source->ranges[k].first, source->ranges[k].last};
    sort_array(spans, count, sizeof *spans, by_first);
    for (size_t k = 0; k < count; k++) {
      struct line_span *last = kept ? &spans[kept - 1] : NULL;
      if (!last || spans[k].first > (uint64_t)last->last + 1)
        spans[kept++] = spans[k];
      else if (spans[k].last > last->last)
        last->last = spans[k].last;
    }
    free(source->spans[kind]);
    source->spans[kind] = spans;
    source->span_count[kind] = kept;
  }
}

const struct line_span *
exclusions_find_span(const struct excluded_source *source, bool branches,
                     uint32_t line) {
  const struct line_span *spans = source->spans[branches];
  size_t at = search_after(spans, source->span_count[branches], first, line);
  return at && line <= spans[at - 1].last ? &spans[at - 1] : NULL;
}

/* Returns the index of the exclusion that applies to a decision, or -1. */
static int64_t find_decision_exclusion(const struct excluded_source *source,
                                       uint32_t line, uint32_t column) {
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    if (range->kind != EXCLUDED_FUNCTION && range->first <= line &&
        line <= range->last && (!range->column || range->column == column))
      return range->exclusion;
  }
  return -1;
}

/* ==== This part marks the excluded elements of a model's functions, and the
 * macros that only excluded lines use. Then it removes all marked elements from
 * the model. Later, segments_exclude_lines removes the excluded lines from the
 * segments of the remaining regions. */

/* The limit of comparisons of conditions with branches, of which a damaged
 * mapping may have too many. */
#define STEPS_MOST (UINT64_C(1) << 32)

/* The function whose elements are marked. */
struct exclusion_mark_state {
  struct exclusions *set;
  const struct model *exported;
  /* The excluded source for each file name of the model; NULL if nothing in the
   * file is excluded. */
  const struct excluded_source **sources;
  struct model_function *function;
  struct model_region *regions, *end;
  bool *gone; /* for each file: all of its code is excluded */
  uint64_t steps;
};

static const struct excluded_source *
find_file_source(const struct exclusion_mark_state *mask, uint32_t file) {
  return mask->sources[model_files_of(mask->exported, mask->function)[file]];
}

static const struct line_span *
find_excluded_span(const struct exclusion_mark_state *mask, uint32_t file,
                   bool branches, uint32_t line) {
  const struct excluded_source *source = find_file_source(mask, file);
  return source ? exclusions_find_span(source, branches, line) : NULL;
}

/* Returns the region that leads to a file of the function, or NULL. */
static const struct model_region *
find_expansion_of_file(const struct exclusion_mark_state *mask, uint32_t file) {
  uint32_t site = mask->exported->sites[mask->function->files.begin + file];
  return site == NO_SITE ? NULL : &mask->regions[site];
}

/* Returns whether all code of a region is excluded. The region may end after
 * the excluded lines if only closing brackets follow, because many sections
 * leave out the last bracket. */
static bool is_region_excluded(const struct exclusion_mark_state *mask,
                               const struct model_region *region) {
  const struct excluded_source *source = find_file_source(mask, region->file);
  const struct line_span *span =
      find_excluded_span(mask, region->file, false, region->span.line);
  if (!span || region->kind == MODEL_EXPANSION ||
      region->span.end_line <= span->last)
    return span;
  if (region->kind != MODEL_CODE || !source->contents)
    return false;
  for (uint32_t line = span->last + 1; line <= region->span.end_line; line++)
    if (line > source->lines || source->contents[line] == LINE_CODE)
      return false;
  return true;
}

/* Marks regions in excluded lines. Then marks files whose code is all excluded,
 * files to which an excluded expansion leads, and expansions that lead to such
 * files. Repeats this until nothing changes. */
static void mark_excluded_regions(struct exclusion_mark_state *mask) {
  uint32_t files = mask->function->files.count;
  bool more = true;
  memset(mask->gone, 0, files);
  for (struct model_region *at = mask->regions; at != mask->end; at++)
    at->excluded = is_region_excluded(mask, at);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    more = false;
    for (struct model_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == MODEL_CODE)
        mask->gone[at->file] = true;
    for (struct model_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == MODEL_CODE && !at->excluded && !at->added)
        mask->gone[at->file] = false;
    for (uint32_t i = 0; i < files; i++) {
      const struct model_region *site = find_expansion_of_file(mask, i);
      mask->gone[i] |= site && site->excluded;
    }
    for (struct model_region *at = mask->regions; at != mask->end; at++) {
      bool lost = mask->gone[at->file] ||
                  (at->kind == MODEL_EXPANSION && mask->gone[at->expanded]);
      more |= lost && !at->excluded;
      at->excluded |= lost;
    }
  }
}

/* Returns whether a branch or decision begins in an excluded line, or is in a
 * macro that an excluded line uses. `decides` says that it is a decision. */
static bool find_and_count_exclusion(const struct exclusion_mark_state *mask,
                                     const struct source_span *span,
                                     uint32_t file, bool decides) {
  bool found = mask->gone[file];
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    const struct excluded_source *source = find_file_source(mask, file);
    int64_t number =
        source && decides
            ? find_decision_exclusion(source, span->line, span->column)
            : -1;
    found = number >= 0 || find_excluded_span(mask, file, false, span->line) ||
            find_excluded_span(mask, file, true, span->line);
    if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
      mask->set->list[number].used++;
    const struct model_region *site = find_expansion_of_file(mask, file);
    if (!site)
      break;
    span = &site->span;
    file = site->file;
  }
  return found;
}

/* Marks a decision that is excluded or that has an excluded condition. The
 * conditions of such a decision become plain branches. */
static void mark_decision_if_excluded(struct exclusion_mark_state *mask,
                                      struct model_decision *decision) {
  struct model_branch *branches =
      model_branches_of(mask->exported, mask->function);
  const struct model_branch *end = branches + mask->function->branches.count;
  const struct model_condition *atoms =
      model_atoms(mask->exported) + decision->conditions.begin;
  decision->excluded =
      find_and_count_exclusion(mask, &decision->span, decision->file, true);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < decision->conditions.count; i++)
      for (struct model_branch *at = branches; at != end; at++) {
        mask->steps++;
        if (at->file != atoms[i].file ||
            memcmp(&at->span, &atoms[i].span, sizeof at->span) != 0)
          continue;
        decision->excluded |= at->excluded;
        if (pass && decision->excluded)
          at->kind = MODEL_BRANCH;
      }
}

static void mark_excluded_elements(struct exclusion_mark_state *mask,
                                   struct model_function *one) {
  const struct model *exported = mask->exported;
  struct model_branch *branches = model_branches_of(exported, one);
  mask->function = one;
  mask->regions = model_regions_of(exported, one);
  mask->end = mask->regions + one->regions.count;
  mark_excluded_regions(mask);
  one->excluded = one->files.count && mask->gone[0];
  for (uint32_t i = 0; i < one->branches.count; i++)
    branches[i].excluded = find_and_count_exclusion(mask, &branches[i].span,
                                                    branches[i].file, false);
  for (uint32_t i = 0; i < one->decisions.count; i++)
    mark_decision_if_excluded(mask, &model_decisions_of(exported, one)[i]);
}

/* Keeps the elements of a function's range that are not excluded, and moves
 * them to index `end` of the array. */
#define KEEP(all, range, end)                      \
  do {                                             \
    uint32_t to = (end);                           \
    for (uint32_t k = 0; k < (range).count; k++)   \
      if (!(all)[(range).begin + k].excluded)      \
        (all)[(end)++] = (all)[(range).begin + k]; \
    (range) = (struct slice){to, (end)-to};        \
  } while (0)

static void drop_marked_elements(struct model *exported) {
  struct model_function *list = model_functions(exported);
  struct model_region *regions = model_regions(exported);
  struct model_branch *branches = model_branches(exported);
  struct model_decision *decisions = model_decisions(exported);
  uint32_t ends[3] = {0};
  size_t kept = 0;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    if (list[i].excluded)
      continue;
    KEEP(regions, list[i].regions, ends[0]);
    KEEP(branches, list[i].branches, ends[1]);
    KEEP(decisions, list[i].decisions, ends[2]);
    list[kept++] = list[i];
  }
  exported->functions.size = kept * sizeof *list;
  exported->regions.size = ends[0] * sizeof *regions;
  exported->branches.size = ends[1] * sizeof *branches;
  exported->decisions.size = ends[2] * sizeof *decisions;
  model_set_sites(exported);
}

const char *mask_drop_excluded(struct exclusions *set, struct model *exported) {
  size_t names = exported->name_count, files = exported->files.size;
  struct exclusion_mark_state mask = {
      .set = set,
      .exported = exported,
      .sources = need_memory(calloc(names + 1, sizeof *mask.sources)),
      .gone = need_memory(malloc(files + 1))};
  for (size_t i = 0; i < names; i++) {
    const struct excluded_source *source =
        find_excluded_source(set, exported->names[i]);
    mask.sources[i] = source && source->range_count ? source : NULL;
  }
  for (size_t i = 0;
       i < model_function_count(exported) && mask.steps <= STEPS_MOST; i++) {
    struct model_function *one = &model_functions(exported)[i];
    bool any = false;
    for (uint32_t k = 0; k < one->files.count; k++)
      any |= mask.sources[model_files_of(exported, one)[k]] != NULL;
    if (any)
      mark_excluded_elements(&mask, one);
  }
  drop_marked_elements(exported);
  free(mask.sources);
  free(mask.gone);
  return mask.steps <= STEPS_MOST ? NULL : mapping_damaged;
}

/* ==== This part judges the exclusions with a model that still has the code. */

/* ---- covered exclusions ---- */

/* Notes a place in all exclusions of one kind that contain the place. If
 * `covered` is set, the place does not need an exclusion.
 * find_and_count_exclusion counts the uses of exclusions of decisions. */
static void note_exclusion_use(struct exclusions *set,
                               const struct excluded_source *source,
                               enum exclusion_kind kind,
                               struct source_position place, bool covered) {
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    struct exclusion *exclusion = &set->list[range->exclusion];
    if (range->kind != kind || place.line < range->first ||
        place.line > range->last ||
        (range->column && range->column != place.column))
      continue;
    exclusion->used += kind != EXCLUDED_DECISION;
    exclusion->missed += kind != EXCLUDED_LINES && !covered;
    if (covered && !exclusion->ran_line) {
      exclusion->ran_file = source->here;
      exclusion->ran_line = place.line;
    }
  }
}

/* Returns whether a line and all of its branches ran. The branches follow the
 * line in the table. The line of `if (error) abort();` always runs, but one of
 * its branches does not. That branch is why the user excludes the line. */
static bool is_line_fully_covered(const struct place *line,
                                  const struct place *end) {
  struct score score = {0, 0};
  place_add_to_score(line, &score);
  place_add_branches_to_score(line, end, &score);
  return score.covered == score.count;
}

static void note_exclusions_of_file(struct exclusions *set,
                                    const struct excluded_source *source,
                                    const struct place *at,
                                    const struct place *end) {
  for (; at < end; at++) {
    const struct source_position place = {at->line, 0};
    for (unsigned side = 0; at->metric == BRANCHES && side < 2; side++)
      if (place_has_outcome(at, side))
        note_exclusion_use(set, source, EXCLUDED_BRANCHES, place,
                           at->hits[side]);
    /* The model counts every line inside a region, even lines without code. */
    if (at->metric == LINES &&
        (!source->contents || at->line > source->lines ||
         source->contents[at->line] != LINE_EMPTY) &&
        exclusions_find_span(source, false, at->line))
      note_exclusion_use(set, source, EXCLUDED_LINES, place,
                         is_line_fully_covered(at, end));
  }
}

static void note_exclusions_of_places(struct exclusions *set,
                                      const struct places *places) {
  for (size_t i = 0; i < places->file_count; i++) {
    const struct place_file *file = &places->files[i];
    const struct excluded_source *source =
        find_excluded_source(set, file->name);
    if (source)
      note_exclusions_of_file(set, source, places->list + file->begin,
                              places->list + file->end);
  }
}

static void note_exclusions_of_decisions(struct exclusions *set,
                                         const struct model *exported) {
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct model_decision *decision =
          &model_decisions_of(exported, one)[k];
      uint32_t file = model_files_of(exported, one)[decision->file];
      const struct excluded_source *source =
          file < exported->summary.count
              ? find_excluded_source(set, exported->names[file])
              : NULL;
      const struct source_position place = {decision->span.line,
                                            decision->span.column};
      struct score score = {0, 0};
      uint32_t at = decision->conditions.begin;
      for (uint32_t end = at + decision->conditions.count; at < end; at++)
        score_add(&score, model_condition_counts(exported, at),
                  model_conditions(exported)[at]);
      bool covered = score.count && score.covered == score.count;
      if (!source)
        continue;
      note_exclusion_use(set, source, EXCLUDED_BRANCHES, place, covered);
      note_exclusion_use(set, source, EXCLUDED_DECISION, place, covered);
    }
  }
}

/* ---- functions ---- */

/* Returns whether a range applies to the function that begins on this line. The
 * name of a static function may have its file as a prefix. */
static bool is_excluded_function(const struct excluded_range *range,
                                 const char *name, uint32_t line) {
  const char *plain = strpbrk(name, ":;");
  if (range->kind != EXCLUDED_FUNCTION || line < range->first ||
      line > range->last)
    return false;
  return !range->function || pattern_matches(range->function, name) ||
         (plain && plain[1] != ':' &&
          pattern_matches(range->function, plain + 1));
}

/* Adds the lines of the marked functions of a source that is counted without
 * its functions, as one function with the name of the file. */
static void add_marked_lines(struct excluded_source *source) {
  size_t count = source->range_count;
  for (size_t i = 0; i < count; i++) {
    struct excluded_range range = source->ranges[i];
    if (range.kind != EXCLUDED_FUNCTION || !range.end)
      continue;
    range.kind = EXCLUDED_LINES;
    range.last = range.end;
    exclusions_add_range(source, range);
  }
}

static void add_function_ranges(struct exclusions *set,
                                const struct model *exported) {
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const struct model_region *body = model_regions_of(exported, one);
    const struct model_region *end = body + one->regions.count;
    while (body < end && (body->kind != MODEL_CODE || body->file))
      body++;
    struct excluded_source *source = NULL;
    if (body < end)
      source = find_excluded_source(
          set, exported->names[*model_files_of(exported, one)]);
    if (source && !strcmp(one->name, os_base_name(source->name))) {
      add_marked_lines(source);
      continue;
    }
    size_t count = source ? source->range_count : 0;
    for (size_t k = 0; k < count; k++)
      if (is_excluded_function(&source->ranges[k], one->name, body->span.line))
        exclusions_add_range(
            source,
            (struct excluded_range){.kind = EXCLUDED_LINES,
                                    .first = body->span.line,
                                    .last = body->span.end_line,
                                    .exclusion = source->ranges[k].exclusion});
  }
}

/* ---- the report ---- */

void excluded_add_sources_note_use(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  struct exclusions *set = coverage->exclusions;
  struct places places;
  /* Sources without functions are added, too, because functions of other
   * sources may use their macros. */
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      exclusions_add_source(set, subject->sources[k].name,
                            subject->sources[k].here);
  }
  if (!set->count)
    return;
  add_function_ranges(set, &coverage->exported);
  exclusions_make_spans(set);
  places_make(&places, &coverage->exported, coverage->release);
  note_exclusions_of_places(set, &places);
  note_exclusions_of_decisions(set, &coverage->exported);
  places_free(&places);
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].missed)
      set->list[i].ran_line = 0;
  coverage->total_before = coverage->exported.summary.total;
  coverage->has_exclusions = true;
}

static void drop_excluded_decisions(struct coverage *coverage) {
  struct exclusions *set = coverage->exclusions;
  struct unmeasured_decision *all =
      (struct unmeasured_decision *)coverage->unmeasured.data;
  size_t kept = 0;
  for (size_t i = 0; i < unmeasured_count(&coverage->unmeasured); i++) {
    const struct excluded_source *source =
        find_excluded_source(set, all[i].file);
    int64_t number = source ? find_decision_exclusion(source, all[i].begin.line,
                                                      all[i].begin.column)
                            : -1;
    if (number < 0) {
      all[kept++] = all[i];
      continue;
    }
    free(all[i].file);
    coverage->unmeasured_excluded++;
    set->list[number].used += set->list[number].kind == EXCLUDED_DECISION;
    /* clang did not measure the decision, so the decision may be uncovered. */
    if (set->list[number].kind != EXCLUDED_LINES)
      set->list[number].ran_line = 0;
  }
  coverage->unmeasured.size = kept * sizeof *all;
}

void excluded_drop_and_set_stale(struct coverage *coverage) {
  static const char *const nothing[] = {
      [EXCLUDED_LINES] = "no code in these lines; remove the exclusion",
      [EXCLUDED_BRANCHES] = "no branch in these lines; remove the exclusion",
      [EXCLUDED_FUNCTION] =
          "the exclusion matches no function; correct or remove the exclusion",
      [EXCLUDED_DECISION] =
          "no decision begins at this place; correct or remove the exclusion"};
  drop_excluded_decisions(coverage);
  for (size_t i = 0; i < coverage->exclusions->count; i++) {
    struct exclusion *one = &coverage->exclusions->list[i];
    one->stale = one->used    ? NULL
                 : one->stale ? one->stale
                              : nothing[one->kind];
  }
}

void excluded_compute_total(const struct coverage *coverage,
                            struct file_row *row) {
  *row = (struct file_row){.name = NULL};
  for (unsigned k = 0; k < METRICS; k++) {
    uint64_t before = coverage->total_before.scores[k].count;
    uint64_t after = coverage->exported.summary.total.scores[k].count;
    row->scores[k].count = before > after ? before - after : 0;
  }
}

/* ---- output ---- */

enum { SHOWN_MOST = 20 };

/* The faults of an exclusion. */
enum exclusion_fault { STALE, RAN, REASON };
static const struct {
  const char *name, *heading, *check;
} faults[] = {
    [STALE] = {"stale", "Exclusions that exclude nothing:",
               "the exclusion excludes nothing%s; remove or correct it"},
    [RAN] = {"ran", "Excluded, and covered nevertheless:",
             "the excluded code is covered%s; remove the exclusion, or find "
             "out why"},
    [REASON] = {"reasons", "Exclusions without a reason:",
                "the exclusion has no reason%s; write the reason after the "
                "marker, or as reason="}};

static bool has_exclusion_fault(const struct exclusion *one,
                                enum exclusion_fault fault) {
  return fault == STALE ? one->stale != NULL
         : fault == RAN ? one->ran_line && !one->stale
                        : !*one->reason;
}

static void print_exclusion_faults(const struct exclusions *set,
                                   enum exclusion_fault fault) {
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++) {
    const struct exclusion *one = &set->list[i];
    char shown[1000];
    if (!has_exclusion_fault(one, fault) || count++ >= SHOWN_MOST)
      continue;
    if (count == 1)
      printf("\n%s\n", faults[fault].heading);
    printf("  %s:%" PRIu32 ": %s",
           make_printable(shown, sizeof shown, one->file), one->line,
           one->name);
    if (fault == STALE)
      printf(", %s", one->stale);
    if (fault == RAN)
      printf(", of %s:%" PRIu32,
             make_printable(shown, sizeof shown, one->ran_file), one->ran_line);
    if (*one->reason)
      printf(" (%s)", make_printable(shown, sizeof shown, one->reason));
    putchar('\n');
  }
  if (count > SHOWN_MOST)
    printf("  and %zu more, in evidence.json\n", count - SHOWN_MOST);
}

void excluded_print_summary(const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  size_t decisions = coverage->unmeasured_excluded;
  struct file_row total;
  uint64_t counts[METRICS];
  if (!set->count)
    return;
  excluded_compute_total(coverage, &total);
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = total.scores[i].count;
  fputs("\nExcluded, and not counted: ", stdout);
  bool any = metrics_print_counts(stdout, counts);
  if (decisions)
    printf("%s%zu decision%s not measured", any ? ", " : "", decisions,
           decisions == 1 ? "" : "s");
  printf("%s, by %zu exclusion%s\n", any || decisions ? "" : "nothing",
         set->count, set->count == 1 ? "" : "s");
  print_exclusion_faults(set, STALE);
  print_exclusion_faults(set, RAN);
  if (set->require_reasons)
    print_exclusion_faults(set, REASON);
}

void excluded_add_failed_checks(const struct coverage *coverage,
                                struct failed_checks *checks) {
  const struct exclusions *set = coverage->exclusions;
  const bool wanted[] = {set->fail_stale, set->fail_ran, set->require_reasons};
  for (unsigned fault = STALE; fault <= REASON; fault++) {
    char about[1000], others[60] = "", text[300];
    size_t count = 0;
    for (size_t i = 0; i < set->count && wanted[fault]; i++)
      if (has_exclusion_fault(&set->list[i], fault) && count++ == 0)
        snprintf(about, sizeof about, "%s:%" PRIu32, set->list[i].file,
                 set->list[i].line);
    if (!count)
      continue;
    if (count > 1)
      snprintf(others, sizeof others, ", and the same holds for %zu more",
               count - 1);
    snprintf(text, sizeof text, faults[fault].check, others);
    checks_add_failed(checks,
                      &(struct report_check){.name = faults[fault].name,
                                             .about = about,
                                             .got = (double)count},
                      "%s", text);
  }
}
