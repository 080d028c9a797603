/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First everything is measured with what is excluded: what ran of it, and how
 * much it is. Then ELFs are copied without it.
 */
#include "excluded.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/os.h"
#include "../object/elf_write.h"
#include "../object/md5.h"
#include "cut.h"
#include "export.h"
#include "json.h"
#include "lcov.h"
#include "unmeasured.h"

enum { COPY_LIMIT = (1 << 30) + (1 << 26) };

/* What is needed to judge the exclusions. */
struct judging {
  struct exclusions *set;
  size_t *missed;   /* of each exclusion: branches, decisions not covered */
  const char *file; /* the last one that was asked for, and its source */
  struct excluded_source *source;
  bool failed;
};

/* ---- sources ---- */

/* Adds an ELF's sources to the set. */
static int add_sources(struct coverage *coverage,
                       const struct subject *subject) {
  int failed = 0;
  for (size_t i = 0; i < subject->summary.count && !failed; i++) {
    const struct row *row = &subject->summary.rows[i];
    char *name = row_empty(row) ? NULL : strdup(row->name);
    if (row_empty(row))
      continue;
    if (!name)
      return report_memory(NULL);
    if (*name == '/')
      paths_tidy(name);
    failed = exclusions_add_source(coverage->exclusions, name,
                                   subject->sources[i].here);
    free(name);
  }
  return failed;
}

/* Returns the source of a name in llvm-cov's output, or NULL. */
static struct excluded_source *source_of(struct judging *judging,
                                         const char *file) {
  if (judging->file && strcmp(judging->file, file) == 0)
    return judging->source;
  char *name = strdup(file);
  judging->failed |= !name;
  if (name && *name == '/')
    paths_tidy(name);
  judging->file = file;
  judging->source = name ? exclusions_source(judging->set, name) : NULL;
  free(name);
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

static bool add_hits(struct excluded_source *source, uint32_t line,
                     uint64_t hits) {
  if (!list_more(&source->hits, source->hit_count, sizeof *source->hits))
    return false;
  source->hits[source->hit_count].line = line;
  source->hits[source->hit_count++].hits = hits;
  return true;
}

/* A line of llvm-cov's is any line between brackets: comments and blank lines
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
  judging->failed |= !add_hits(source, line->line, line->hits);
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
                            enum exclusion_kind kind, struct place place,
                            bool covered) {
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
  for (size_t i = 0; i < lcov->count && !judging->failed; i++) {
    const struct lcov_entry *entry = &lcov->entries[i];
    struct excluded_source *source = source_of(judging, entry->file);
    const struct place place = {entry->line, 0};
    if (source && entry->kind == LCOV_LINE)
      judge_line(judging, source, entry, all_taken(lcov, i));
    else if (source && entry->kind == LCOV_BRANCH)
      judge_condition(judging, source, EXCLUDED_BRANCHES, place, entry->hits);
  }
}

/* ---- MC/DC ---- */

/* [line, column, line, column, numbers..., [true or false...], ...] */
static void judge_decision(struct judging *judging,
                           struct excluded_source *source, struct json *json) {
  struct place place = {0, 0};
  bool covered = true;
  json_open(json, '[');
  for (unsigned i = 0; json_more(json, ']'); i++) {
    struct json value = *json;
    struct bytes text = json_skip(json);
    if (i < 2)
      *(i ? &place.column : &place.line) = (uint32_t)json_count(&value);
    else if (text.size && *text.data == '[')
      covered &= !memchr(text.data, 'f', text.size);
  }
  judge_condition(judging, source, EXCLUDED_BRANCHES, place, covered);
  judge_condition(judging, source, EXCLUDED_DECISION, place, covered);
}

static void on_file(void *context, const char *name, struct json *decisions) {
  struct judging *judging = context;
  judging->file = NULL;
  struct excluded_source *source = source_of(judging, name);
  while (source && json_more(decisions, ']'))
    judge_decision(judging, source, decisions);
  judging->file = NULL;
}

static bool needs_mcdc(const struct coverage *coverage,
                       const struct group *group) {
  bool found = false;
  for (size_t i = 0; i < coverage->exclusions->count; i++)
    found |= coverage->exclusions->list[i].kind == EXCLUDED_BRANCHES ||
             coverage->exclusions->list[i].kind == EXCLUDED_DECISION;
  return found && group->before.total.scores[MCDC].count;
}

static int judge_mcdc(struct coverage *coverage, const struct group *group,
                      struct judging *judging) {
  struct buffer text = {.limit = EXPORT_LIMIT};
  if (!needs_mcdc(coverage, group))
    return 0;
  int status = export_run(
      coverage, group, &(struct export_text){NULL, "-skip-expansions"}, &text);
  if (!status) {
    struct json json = json_begin((struct bytes){text.data, text.size});
    json_decisions(&json, on_file, judging);
    if (json.failed)
      status = report("llvm-cov", "its export is not what llvm-cov 13 to 22 "
                                  "write; use one of these");
  }
  buffer_free(&text);
  return status;
}

/* ---- with what is excluded ---- */

ORDER_BY(by_hash, struct cut_name, x->hash);

static int find_functions(struct coverage *coverage, const struct lcov *lcov) {
  struct cut_names names = {NULL, 0};
  names.list = calloc(lcov->count + 1, sizeof *names.list);
  if (!names.list)
    return report_memory(NULL);
  for (size_t i = 0; i < lcov->count; i++)
    if (lcov->entries[i].kind == LCOV_FUNCTION)
      names.list[names.count++] = (struct cut_name){
          md5_low64(lcov->entries[i].name, strlen(lcov->entries[i].name)),
          lcov->entries[i].name};
  sort(names.list, names.count, sizeof *names.list, by_hash);
  int status = 0;
  for (size_t i = 0; i < coverage->inputs->count && !status; i++) {
    const struct subject *subject = &coverage->inputs->subjects[i];
    const char *error =
        cut_functions(coverage->exclusions, &subject->elf, &names);
    if (error)
      status = report(subject->name, "%s", error);
  }
  free(names.list);
  const char *error = status ? NULL : exclusions_settle(coverage->exclusions);
  return error ? report(NULL, "%s", error) : status;
}

static int judge(struct coverage *coverage, const struct lcov *lcov) {
  struct exclusions *set = coverage->exclusions;
  struct judging judging = {.set = set};
  int status = find_functions(coverage, lcov);
  judging.missed = calloc(set->count + 1, sizeof *judging.missed);
  if (!status && !judging.missed)
    status = report_memory(NULL);
  if (!status)
    judge_lcov(&judging, lcov);
  for (size_t i = 0; i < coverage->count && !status; i++)
    status = judge_mcdc(coverage, &coverage->groups[i], &judging);
  for (size_t i = 0; i < set->count && !status; i++)
    if (judging.missed[i])
      set->list[i].ran_line = 0;
  free(judging.missed);
  return !status && judging.failed ? report_memory(NULL) : status;
}

static int measure_before(struct coverage *coverage) {
  struct buffer text = {.limit = EXPORT_LIMIT};
  struct lcov lcov;
  int status = 0;
  for (size_t i = 0; i < coverage->count && !status; i++) {
    struct group *group = &coverage->groups[i];
    status =
        summary_copy(&group->before, &group->exported.summary)
            ? export_run(coverage, group,
                         &(struct export_text){NULL, "-format=lcov"}, &text)
            : report_memory(NULL);
  }
  if (!status) {
    const char *error = lcov_read(&lcov, (struct bytes){text.data, text.size});
    status = error ? report("llvm-cov", "%s", error) : judge(coverage, &lcov);
    lcov_free(&lcov);
  }
  buffer_free(&text);
  return status;
}

/* ---- without it ---- */

/* Makes the copy of an ELF. file: the one that llvm-cov would read. */
static const char *copy(struct coverage *coverage, struct bytes bytes,
                        struct buffer *to) {
  struct elf elf;
  struct buffer section = {.limit = COPY_LIMIT};
  const char *error = elf_open(&elf, bytes);
  if (!error)
    error = cut_mapping(coverage->exclusions, &elf, &section);
  if (!error && !section.size)
    error = "all of its code is excluded; exclude less of it";
  if (!error)
    error = buffer_append(to, bytes.data, bytes.size);
  const struct elf_addition addition = {"__llvm_covfun",
                                        {section.data, section.size}};
  if (!error)
    error = elf_append(to, &addition, 1);
  buffer_free(&section);
  return error;
}

static int write_copy(struct coverage *coverage, struct subject *subject) {
  struct buffer bytes = {.limit = COPY_LIMIT};
  struct file named = {.name = NULL};
  struct output output;
  char name[200];
  snprintf(name, sizeof name, "%s.cut.elf", subject->stem);
  subject->cut = folder_path(coverage->folder, name);
  if (!subject->cut)
    return report_memory(NULL);
  if (subject->named && file_read(&named, subject->named, COPY_LIMIT))
    return 1;
  const char *error = copy(
      coverage, subject->named ? named.bytes : subject->file.bytes, &bytes);
  int status = error ? report(subject->name, "%s", error)
                     : output_open(&output, subject->cut);
  if (!status) {
    fwrite(bytes.data, 1, bytes.size, output.stream);
    status = output_commit(&output);
  }
  /* llvm-cov warns of an ELF that is newer than the profile. */
  if (!status)
    os_make_old(subject->cut);
  buffer_free(&bytes);
  file_close(&named);
  return status;
}

/* Rows stay where they are, as other lists go by them. */
static void replace(struct summary *summary, const struct summary *after) {
  for (size_t i = 0; i < summary->count; i++) {
    struct row *row = &summary->rows[i];
    memset(row->scores, 0, sizeof row->scores);
    for (size_t k = 0; k < after->count; k++)
      if (strcmp(row->name, after->rows[k].name) == 0)
        memcpy(row->scores, after->rows[k].scores, sizeof row->scores);
  }
  memcpy(summary->total.scores, after->total.scores,
         sizeof summary->total.scores);
}

static int measure_after(struct coverage *coverage, const struct group *group,
                         size_t which) {
  struct subject *subject = &coverage->inputs->subjects[which];
  struct group one = *group;
  struct summary after;
  one.members = &which;
  one.count = 1;
  int status = coverage_measure(coverage, &one, &after);
  if (!status)
    replace(&subject->summary, &after);
  summary_free(&after);
  return status;
}

int excluded_apply(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  struct exclusions *set = coverage->exclusions;
  for (size_t i = 0; i < inputs->count; i++)
    if (add_sources(coverage, &inputs->subjects[i]))
      return 1;
  if (!set->count)
    return 0;
  const char *error = exclusions_settle(set);
  if (error)
    return report(NULL, "%s", error);
  if (measure_before(coverage))
    return 1;
  for (size_t i = 0; i < inputs->count; i++)
    if (write_copy(coverage, &inputs->subjects[i]))
      return 1;
  for (size_t i = 0; i < coverage->count; i++) {
    const struct group *group = &coverage->groups[i];
    for (size_t k = 0; k < group->count; k++)
      if (measure_after(coverage, group, group->members[k]))
        return 1;
  }
  return 0;
}

void excluded_free(struct coverage *coverage) {
  for (size_t i = 0; i < coverage->inputs->count; i++) {
    struct subject *subject = &coverage->inputs->subjects[i];
    if (subject->cut)
      os_remove(subject->cut);
    free(subject->cut);
    subject->cut = NULL;
  }
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

void excluded_total(const struct coverage *coverage, struct row *row) {
  *row = (struct row){.name = NULL};
  for (size_t i = 0; i < coverage->count; i++)
    for (unsigned k = 0; k < METRICS; k++) {
      const struct group *group = &coverage->groups[i];
      uint64_t before = group->before.total.scores[k].count;
      uint64_t after = group->exported.summary.total.scores[k].count;
      row->scores[k].count += before > after ? before - after : 0;
    }
}
