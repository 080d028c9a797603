/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Judges each exclusion: how much code is excluded, which of this code ran, and
 * which exclusions are stale. exclude_mask.c removes the excluded code from the
 * model.
 */
#include "exclude.h"

#include <inttypes.h>

#include "../../base/need.h"
#include "../coverage.h"
#include "../mcdc/mcdc.h"
#include "../out/out.h"

/* ---- covered exclusions ---- */

/* Notes a place in all exclusions of one kind that contain the place. If
 * `covered` is set, the place does not need an exclusion. exclude_mask.c counts
 * the uses of exclusions of decisions. */
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
  for (const struct place *one = line + 1;
       one < end && one->metric == BRANCHES && one->line == line->line; one++)
    place_add_to_score(one, &score);
  return score.covered == score.count;
}

static void note_exclusions_of_file(struct exclusions *set,
                                    const struct excluded_source *source,
                                    const struct place *at,
                                    const struct place *end) {
  for (; at < end; at++) {
    const struct source_position place = {at->line, 0};
    for (unsigned side = 0; at->metric == BRANCHES && side < 2; side++)
      if (!(at->constant >> side & 1))
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
        exclusions_find_source(set, file->name);
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
              ? exclusions_find_source(set, exported->names[file])
              : NULL;
      const struct source_position place = {decision->span.line,
                                            decision->span.column};
      bool covered =
          !memchr(model_conditions(exported) + decision->conditions.begin, 0,
                  decision->conditions.count);
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
      source = exclusions_find_source(
          set, exported->names[*model_files_of(exported, one)]);
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
        exclusions_find_source(set, all[i].file);
    int64_t number =
        source ? exclusions_find_for_decision(source, all[i].begin.line,
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
          "no decision begins on this line; correct or remove the exclusion"};
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
      snprintf(others, sizeof others, ", as %zu more", count - 1);
    snprintf(text, sizeof text, faults[fault].check, others);
    checks_add_failed(checks,
                      &(struct report_check){.name = faults[fault].name,
                                             .about = about,
                                             .got = (double)count},
                      "%s", text);
  }
}
