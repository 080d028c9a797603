/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First everything is measured with what is excluded: what ran of it, and how
 * much it is. Then the model is made again without it.
 */
#include "exclude_apply.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../out/formats.h"
#include "../mcdc/solver.h"

/* What is needed to judge the exclusions. */
struct judging {
  struct exclusions *set;
  size_t *missed;   /* of each exclusion: branches, decisions not covered */
  const char *file; /* the last one that was asked for, and its source */
  struct excluded_source *source;
};

/* ---- sources ---- */

/* Adds an ELF's sources to the set: also those without functions, whose macros
 * and included lines others have. */
static int add_sources(struct coverage *coverage,
                       const struct subject *subject) {
  for (size_t i = 0; i < subject->summary.count; i++)
    if (exclusions_add_source(coverage->exclusions, subject->sources[i].name,
                              subject->sources[i].here))
      return 1;
  return 0;
}

static struct excluded_source *source_of(struct judging *judging,
                                         const char *file) {
  if (judging->file != file)
    judging->source = exclusions_source_of(judging->set, file);
  judging->file = file;
  return judging->source;
}

/* ---- what ran ---- */

static void note_ran(struct exclusion *exclusion,
                     const struct excluded_source *source, uint32_t line) {
  if (exclusion->ran_line)
    return;
  exclusion->ran_file = source->here;
  exclusion->ran_line = line;
}

/* A line of the model is any line between brackets: comments and blank lines
 * are no code. */
static bool has_code(const struct excluded_source *source, uint32_t line) {
  return !source->contents || line > source->lines ||
         source->contents[line] != LINE_EMPTY;
}

/* covered: all branches of the line were taken. `if (error) abort();` runs
 * always, and is excluded for its other half. */
static void judge_line(struct judging *judging, struct excluded_source *source,
                       const struct lcov_entry *line, bool covered) {
  if (!exclusions_span(source, false, line->line) ||
      !has_code(source, line->line))
    return;
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    struct exclusion *exclusion = &judging->set->list[range->exclusion];
    if (range->kind != EXCLUDED_LINES || line->line < range->first ||
        line->line > range->last)
      continue;
    exclusion->used++;
    if (line->hits && covered)
      note_ran(exclusion, source, line->line);
  }
}

/* Whether all branches of a line were taken, which come behind the line. */
static bool all_taken(const struct lcov *lcov, size_t line) {
  const struct lcov_entry *first = &lcov->entries[line];
  for (size_t i = line + 1; i < lcov->count; i++) {
    const struct lcov_entry *branch = &lcov->entries[i];
    if (branch->kind != LCOV_BRANCH || branch->line != first->line ||
        strcmp(branch->file, first->file) != 0)
      break;
    if (!branch->hits)
      return false;
  }
  return true;
}

/* Of a branch, or of a decision: it needs no exclusion if it is covered. */
static void judge_condition(struct judging *judging,
                            const struct excluded_source *source,
                            enum exclusion_kind kind,
                            struct source_position place, bool covered) {
  for (size_t i = 0; i < source->range_count; i++) {
    const struct excluded_range *range = &source->ranges[i];
    if (range->kind != kind || place.line < range->first ||
        place.line > range->last ||
        (range->column && range->column != place.column))
      continue;
    judging->missed[range->exclusion] += !covered;
    if (covered)
      note_ran(&judging->set->list[range->exclusion], source, place.line);
    if (kind == EXCLUDED_BRANCHES)
      judging->set->list[range->exclusion].used++;
  }
}

static void judge_lcov(struct judging *judging, const struct lcov *lcov) {
  judging->file = NULL;
  for (size_t i = 0; i < lcov->count; i++) {
    const struct lcov_entry *entry = &lcov->entries[i];
    struct excluded_source *source = source_of(judging, entry->file);
    const struct source_position place = {entry->line, 0};
    if (source && entry->kind == LCOV_LINE)
      judge_line(judging, source, entry, all_taken(lcov, i));
    else if (source && entry->kind == LCOV_BRANCH)
      judge_condition(judging, source, EXCLUDED_BRANCHES, place, entry->hits);
  }
}

/* ---- MC/DC ---- */

static void judge_decision(struct judging *judging,
                           const struct exported *exported,
                           const struct exported_decision *decision) {
  const unsigned char *conditions =
      exported_conditions(exported) + decision->conditions.begin;
  const struct source_position place = {decision->span.line,
                                        decision->span.column};
  bool covered = !memchr(conditions, 0, decision->conditions.count);
  judge_condition(judging, judging->source, EXCLUDED_BRANCHES, place, covered);
  judge_condition(judging, judging->source, EXCLUDED_DECISION, place, covered);
}

static void judge_mcdc(struct judging *judging,
                       const struct exported *exported) {
  judging->file = NULL;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    const uint32_t *files = exported_files_of(exported, one);
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct exported_decision *decision =
          &exported_decisions_of(exported, one)[k];
      if (files[decision->file] < exported->summary.count &&
          source_of(judging, exported->names[files[decision->file]]))
        judge_decision(judging, exported, decision);
    }
  }
}

/* ---- functions ---- */

/* Whether an exclusion's function is this one. */
static bool is_function(const struct excluded_range *range, const char *name,
                        uint32_t line) {
  const char *plain = strpbrk(name, ":;");
  if (range->kind != EXCLUDED_FUNCTION || line < range->first ||
      line > range->last)
    return false;
  return !range->function || pattern_matches(range->function, name) ||
         (plain && plain[1] != ':' &&
          pattern_matches(range->function, plain + 1));
}

/* Adds the lines of functions that an exclusion names. */
static bool find_function(struct exclusions *set,
                          const struct exported *exported,
                          const struct exported_function *function) {
  const struct exported_region *body = exported_regions_of(exported, function);
  const struct exported_region *end = body + function->regions.count;
  while (body < end && (body->kind != EXPORTED_CODE || body->file))
    body++;
  struct excluded_source *source =
      body < end
          ? exclusions_source_of(set, exported->names[exported_files(
                                          exported)[function->files.begin]])
          : NULL;
  size_t count = source ? source->range_count : 0;
  for (size_t i = 0; i < count; i++)
    if (is_function(&source->ranges[i], function->name, body->span.line) &&
        !exclusions_add_range(
            source,
            (struct excluded_range){.kind = EXCLUDED_LINES,
                                    .first = body->span.line,
                                    .last = body->span.end_line,
                                    .exclusion = source->ranges[i].exclusion}))
      return false;
  return true;
}

static const char *find_functions(struct exclusions *set,
                                  const struct exported *exported) {
  bool any = false;
  for (size_t i = 0; i < set->count; i++)
    any |= set->list[i].kind == EXCLUDED_FUNCTION;
  for (size_t i = 0; any && i < exported_function_count(exported); i++)
    if (!find_function(set, exported, &exported_functions(exported)[i]))
      return out_of_memory;
  return exclusions_settle(set);
}

/* ---- all ---- */

static int judge(struct coverage *coverage) {
  struct exclusions *set = coverage->exclusions;
  struct judging judging = {.set = set};
  struct lcov lcov = {.entries = NULL};
  const char *error = find_functions(set, &coverage->exported);
  judging.missed = calloc(set->count + 1, sizeof *judging.missed);
  if (!error && judging.missed)
    error = lcov_make(&lcov, &coverage->exported, coverage->release);
  if (!error && judging.missed) {
    judge_lcov(&judging, &lcov);
    judge_mcdc(&judging, &coverage->exported);
  }
  for (size_t i = 0; i < set->count && judging.missed; i++)
    if (judging.missed[i])
      set->list[i].ran_line = 0;
  if (!error && !judging.missed)
    error = out_of_memory;
  free(judging.missed);
  lcov_free(&lcov);
  return error ? report(NULL, "report: %s", error) : 0;
}

int excluded_find(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  struct exclusions *set = coverage->exclusions;
  for (size_t i = 0; i < inputs->count; i++)
    if (add_sources(coverage, &inputs->subjects[i]))
      return 1;
  if (!set->count)
    return 0;
  const char *error = exclusions_settle(set);
  if (error)
    return report(NULL, "%s", error);
  if (judge(coverage))
    return 1;
  coverage->before = coverage->exported.summary.total;
  coverage->masked = true;
  return 0;
}

/* ---- the end ---- */

static void settle_decisions(struct coverage *coverage) {
  struct exclusions *set = coverage->exclusions;
  struct buffer *list = &coverage->unmeasured;
  struct unmeasured *all = (struct unmeasured *)list->data;
  size_t kept = 0;
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct excluded_source *source = exclusions_source(set, all[i].file);
    int64_t number = source ? exclusions_decision(source, all[i].begin.line,
                                                  all[i].begin.column)
                            : -1;
    if (number < 0) {
      all[kept++] = all[i];
      continue;
    }
    free(all[i].file);
    coverage->unmeasured_excluded++;
    set->list[number].used += set->list[number].kind == EXCLUDED_DECISION;
    /* Nobody knows whether it is covered. */
    if (set->list[number].kind != EXCLUDED_LINES)
      set->list[number].ran_line = 0;
  }
  list->size = kept * sizeof *all;
}

void excluded_settle(struct coverage *coverage) {
  static const char *const nothing[] = {
      [EXCLUDED_LINES] = "there is no code in its lines; remove it",
      [EXCLUDED_BRANCHES] = "there is no branch in its lines; remove it",
      [EXCLUDED_FUNCTION] = "it finds no function; correct or remove it",
      [EXCLUDED_DECISION] = "no decision begins there; correct or remove it"};
  struct exclusions *set = coverage->exclusions;
  settle_decisions(coverage);
  for (size_t i = 0; i < set->count; i++) {
    struct exclusion *exclusion = &set->list[i];
    if (exclusion->used)
      exclusion->stale = NULL;
    else if (!exclusion->stale)
      exclusion->stale = nothing[exclusion->kind];
  }
}

void excluded_total(const struct coverage *coverage, struct file_row *row) {
  *row = (struct file_row){.name = NULL};
  for (unsigned k = 0; k < METRICS; k++) {
    uint64_t before = coverage->before.scores[k].count;
    uint64_t after = coverage->exported.summary.total.scores[k].count;
    row->scores[k].count = before > after ? before - after : 0;
  }
}
