/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Applies the set of exclusions to a report. The first model still has the
 * excluded code: it shows which of that code ran, and how much is excluded.
 * Then coverage.c makes the model again without the excluded code.
 */
#include "exclude.h"

#include <inttypes.h>

#include "../../base/need.h"
#include "../coverage.h"
#include "../mcdc/solver.h"
#include "../out/out.h"

/* ---- what ran ---- */

/* Counts a place for all exclusions of one kind that hold it. covered: the
 * place needs no exclusion. mask.c counts the uses of exclusions of
 * decisions. */
static void judge(struct exclusions *set, const struct excluded_source *source,
                  enum exclusion_kind kind, struct source_position place,
                  bool covered) {
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

/* Whether a line and all of its branches ran; the branches follow the line in
 * the list. The line of `if (error) abort();` always runs, but one of its
 * branches does not: that is why it is excluded. */
static bool all_ran(const struct lcov_entry *line,
                    const struct lcov_entry *end) {
  bool ran = line->hits;
  for (const struct lcov_entry *one = line + 1;
       one < end && one->kind == LCOV_BRANCH && one->line == line->line &&
       !strcmp(one->file, line->file);
       one++)
    ran &= one->hits != 0;
  return ran;
}

static void judge_lcov(struct exclusions *set, const struct lcov *lcov) {
  const struct lcov_entry *end = lcov->entries + lcov->count;
  const struct excluded_source *source = NULL;
  const char *file = NULL;
  for (const struct lcov_entry *one = lcov->entries; one < end; one++) {
    const struct source_position place = {one->line, 0};
    if (one->file != file)
      source = exclusions_source(set, file = one->file);
    if (!source)
      continue;
    if (one->kind == LCOV_BRANCH)
      judge(set, source, EXCLUDED_BRANCHES, place, one->hits);
    /* The model counts every line inside a region, also lines without code. */
    else if (one->kind == LCOV_LINE &&
             (!source->contents || one->line > source->lines ||
              source->contents[one->line] != LINE_EMPTY) &&
             exclusions_span(source, false, one->line))
      judge(set, source, EXCLUDED_LINES, place, all_ran(one, end));
  }
}

static void judge_mcdc(struct exclusions *set,
                       const struct exported *exported) {
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct exported_decision *decision =
          &exported_decisions_of(exported, one)[k];
      uint32_t file = exported_files_of(exported, one)[decision->file];
      const struct excluded_source *source =
          file < exported->summary.count
              ? exclusions_source(set, exported->names[file])
              : NULL;
      const struct source_position place = {decision->span.line,
                                            decision->span.column};
      bool covered = !memchr(
          exported_conditions(exported) + decision->conditions.begin, 0,
          decision->conditions.count);
      if (!source)
        continue;
      judge(set, source, EXCLUDED_BRANCHES, place, covered);
      judge(set, source, EXCLUDED_DECISION, place, covered);
    }
  }
}

/* ---- functions ---- */

/* Whether a range is for the function that begins on this line. The name of a
 * static function may have its file in front. */
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

static void find_functions(struct exclusions *set,
                           const struct exported *exported) {
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    const struct exported_function *one = &exported_functions(exported)[i];
    const struct exported_region *body = exported_regions_of(exported, one);
    const struct exported_region *end = body + one->regions.count;
    while (body < end && (body->kind != EXPORTED_CODE || body->file))
      body++;
    struct excluded_source *source = NULL;
    if (body < end)
      source = exclusions_source(
          set, exported->names[*exported_files_of(exported, one)]);
    size_t count = source ? source->range_count : 0;
    for (size_t k = 0; k < count; k++)
      if (is_function(&source->ranges[k], one->name, body->span.line))
        exclusions_add_range(
            source, (struct excluded_range){
                        .kind = EXCLUDED_LINES,
                        .first = body->span.line,
                        .last = body->span.end_line,
                        .exclusion = source->ranges[k].exclusion});
  }
}

/* ---- all ---- */

int excluded_find(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  struct exclusions *set = coverage->exclusions;
  struct lcov lcov;
  /* Sources without functions are added, too: functions of other sources may
   * use their macros. */
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      if (exclusions_add_source(set, subject->sources[k].name,
                                subject->sources[k].here))
        return 1;
  }
  if (!set->count)
    return 0;
  find_functions(set, &coverage->exported);
  exclusions_settle(set);
  lcov_make(&lcov, &coverage->exported, coverage->release);
  judge_lcov(set, &lcov);
  judge_mcdc(set, &coverage->exported);
  lcov_free(&lcov);
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].missed)
      set->list[i].ran_line = 0;
  coverage->before = coverage->exported.summary.total;
  coverage->masked = true;
  return 0;
}

static void settle_decisions(struct coverage *coverage) {
  struct exclusions *set = coverage->exclusions;
  struct unmeasured *all = (struct unmeasured *)coverage->unmeasured.data;
  size_t kept = 0;
  for (size_t i = 0; i < unmeasured_count(&coverage->unmeasured); i++) {
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
    /* clang did not measure the decision, so it may be uncovered. */
    if (set->list[number].kind != EXCLUDED_LINES)
      set->list[number].ran_line = 0;
  }
  coverage->unmeasured.size = kept * sizeof *all;
}

void excluded_settle(struct coverage *coverage) {
  static const char *const nothing[] = {
      [EXCLUDED_LINES] = "no code in these lines; remove the exclusion",
      [EXCLUDED_BRANCHES] = "no branch in these lines; remove the exclusion",
      [EXCLUDED_FUNCTION] =
          "the exclusion matches no function; correct or remove the exclusion",
      [EXCLUDED_DECISION] =
          "no decision begins on this line; correct or remove the exclusion"};
  settle_decisions(coverage);
  for (size_t i = 0; i < coverage->exclusions->count; i++) {
    struct exclusion *one = &coverage->exclusions->list[i];
    one->stale = one->used    ? NULL
                 : one->stale ? one->stale
                              : nothing[one->kind];
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

/* ---- what is shown ---- */

enum { SHOWN_MOST = 20 };

/* What may be wrong with an exclusion. */
enum fault { STALE, RAN, REASON };
static const struct {
  const char *name, *heading, *check;
} faults[] = {
    [STALE] = {"stale", "Exclusions that exclude nothing:",
               "the exclusion excludes nothing%s; remove or correct it"},
    [RAN] = {"ran", "Excluded, and covered nevertheless:",
             "the excluded code is covered%s; remove the exclusion, or find "
             "out why"},
    [REASON] = {"reasons", "Exclusions without a reason:",
                "the exclusion lacks a reason%s; write the reason after the "
                "marker, or as reason="}};

static bool has_fault(const struct exclusion *one, enum fault fault) {
  return fault == STALE ? one->stale != NULL
         : fault == RAN ? one->ran_line && !one->stale
                        : !*one->reason;
}

static void put_list(const struct exclusions *set, enum fault fault) {
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++) {
    const struct exclusion *one = &set->list[i];
    char shown[1000];
    if (!has_fault(one, fault) || count++ >= SHOWN_MOST)
      continue;
    if (count == 1)
      printf("\n%s\n", faults[fault].heading);
    printf("  %s:%" PRIu32 ": %s", printable(shown, sizeof shown, one->file),
           one->line, one->name);
    if (fault == STALE)
      printf(", %s", one->stale);
    if (fault == RAN)
      printf(", of %s:%" PRIu32,
             printable(shown, sizeof shown, one->ran_file), one->ran_line);
    if (*one->reason)
      printf(" (%s)", printable(shown, sizeof shown, one->reason));
    putchar('\n');
  }
  if (count > SHOWN_MOST)
    printf("  and %zu more, in evidence.json\n", count - SHOWN_MOST);
}

void excluded_print(const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  size_t decisions = coverage->unmeasured_excluded;
  struct file_row total;
  uint64_t counts[METRICS];
  if (!set->count)
    return;
  excluded_total(coverage, &total);
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = total.scores[i].count;
  fputs("\nExcluded, and not counted: ", stdout);
  bool any = metrics_put(stdout, counts);
  if (decisions)
    printf("%s%zu decision%s not measured", any ? ", " : "", decisions,
           decisions == 1 ? "" : "s");
  printf("%s, by %zu exclusion%s\n", any || decisions ? "" : "nothing",
         set->count, set->count == 1 ? "" : "s");
  put_list(set, STALE);
  put_list(set, RAN);
  if (set->require_reasons)
    put_list(set, REASON);
}

void excluded_check(const struct coverage *coverage, struct checks *checks) {
  const struct exclusions *set = coverage->exclusions;
  const bool wanted[] = {set->fail_stale, set->fail_ran, set->require_reasons};
  for (unsigned fault = STALE; fault <= REASON; fault++) {
    char about[1000], others[60] = "", text[300];
    size_t count = 0;
    for (size_t i = 0; i < set->count && wanted[fault]; i++)
      if (has_fault(&set->list[i], fault) && count++ == 0)
        snprintf(about, sizeof about, "%s:%" PRIu32, set->list[i].file,
                 set->list[i].line);
    if (!count)
      continue;
    if (count > 1)
      snprintf(others, sizeof others, ", as %zu more", count - 1);
    snprintf(text, sizeof text, faults[fault].check, others);
    checks_add(checks,
               &(struct check){.name = faults[fault].name,
                               .about = about,
                               .got = (double)count},
               "%s", text);
  }
}
