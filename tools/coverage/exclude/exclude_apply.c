/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First everything is measured with what is excluded: what ran of it, and how
 * much it is. Then the model is made again without it.
 */
#include "exclude_apply.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../mcdc/solver.h"
#include "../out/formats.h"

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

/* ---- what is shown ----
 *
 * Exclusions in words.
 */

enum { SHOWN_MOST = 20 };

/* What may be wrong with an exclusion. */
enum fault { FAULT_STALE, FAULT_RAN, FAULT_REASON, FAULTS };

static const char *const headings[FAULTS] = {
    [FAULT_STALE] = "Exclusions that exclude nothing:",
    [FAULT_RAN] = "Excluded, and covered nevertheless:",
    [FAULT_REASON] = "Exclusions without a reason:"};

static bool has_fault(const struct exclusion *one, enum fault fault) {
  return fault == FAULT_STALE ? one->stale != NULL
         : fault == FAULT_RAN ? one->ran_line && !one->stale
                              : !*one->reason;
}

/* The first exclusion with a fault, or NULL; *count: of them. */
static const struct exclusion *find(const struct exclusions *set,
                                    enum fault fault, size_t *count) {
  const struct exclusion *first = NULL;
  *count = 0;
  for (size_t i = 0; i < set->count; i++)
    if (has_fault(&set->list[i], fault) && (*count)++ == 0)
      first = &set->list[i];
  return first;
}

/* ---- lists ---- */

static void put_one(const struct exclusion *one, enum fault fault) {
  char shown[1000];
  printf("  %s:%" PRIu32 ": %s", printable(shown, sizeof shown, one->file),
         one->line, one->name);
  if (fault == FAULT_STALE)
    printf(", %s", one->stale);
  if (fault == FAULT_RAN)
    printf(", of %s:%" PRIu32, printable(shown, sizeof shown, one->ran_file),
           one->ran_line);
  if (*one->reason)
    printf(" (%s)", printable(shown, sizeof shown, one->reason));
  putchar('\n');
}

static void put_list(const struct exclusions *set, enum fault fault) {
  size_t count, shown = 0;
  find(set, fault, &count);
  if (!count)
    return;
  printf("\n%s\n", headings[fault]);
  for (size_t i = 0; i < set->count && shown < SHOWN_MOST; i++)
    if (has_fault(&set->list[i], fault)) {
      put_one(&set->list[i], fault);
      shown++;
    }
  if (count > shown)
    printf("  and %zu more, in evidence.json\n", count - shown);
}

static void put_totals(const struct coverage *coverage) {
  size_t decisions = coverage->unmeasured_excluded;
  size_t exclusions = coverage->exclusions->count;
  struct file_row total;
  uint64_t counts[METRICS];
  excluded_total(coverage, &total);
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = total.scores[i].count;
  fputs("\nExcluded, and not counted: ", stdout);
  bool any = metrics_put(stdout, counts);
  if (decisions)
    printf("%s%zu decision%s not measured", any ? ", " : "", decisions,
           decisions == 1 ? "" : "s");
  printf("%s, by %zu exclusion%s\n", any || decisions ? "" : "nothing",
         exclusions, exclusions == 1 ? "" : "s");
}

void excluded_print(const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  if (!set->count)
    return;
  put_totals(coverage);
  put_list(set, FAULT_STALE);
  put_list(set, FAULT_RAN);
  if (set->require_reasons)
    put_list(set, FAULT_REASON);
}

/* ---- checks ---- */

static void check(const struct exclusions *set, enum fault fault,
                  struct checks *checks) {
  static const char *const names[FAULTS] = {
      [FAULT_STALE] = "stale", [FAULT_RAN] = "ran", [FAULT_REASON] = "reasons"};
  static const char *const what[FAULTS] = {
      [FAULT_STALE] = "this exclusion excludes nothing%s; remove or correct it",
      [FAULT_RAN] = "what this exclusion excludes is covered%s; remove it, or "
                    "find out why",
      [FAULT_REASON] = "this exclusion has no reason%s; write it behind a "
                       "marker, or as reason="};
  size_t count;
  const struct exclusion *first = find(set, fault, &count);
  char about[1000], others[60] = "", text[300];
  if (!first)
    return;
  snprintf(about, sizeof about, "%s:%" PRIu32, first->file, first->line);
  if (count > 1)
    snprintf(others, sizeof others, ", as %zu more", count - 1);
  snprintf(text, sizeof text, what[fault], others);
  const struct check one = {
      .name = names[fault], .about = about, .got = (double)count};
  checks_add(checks, &one, "%s", text);
}

void excluded_check(const struct coverage *coverage, struct checks *checks) {
  const struct exclusions *set = coverage->exclusions;
  if (set->fail_stale)
    check(set, FAULT_STALE, checks);
  if (set->fail_ran)
    check(set, FAULT_RAN, checks);
  if (set->require_reasons)
    check(set, FAULT_REASON, checks);
}
