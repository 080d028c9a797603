/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First each ELF alone: raw profile, indexed profile, summary. Then groups, as
 * far as the functions allow, and llvm-cov's output for each group.
 */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "built.h"
#include "excluded.h"
#include "export.h"
#include "named.h"
#include "unmeasured.h"
#include "../base/program.h"

/* ---- programs ---- */

static int find_programs(const struct coverage *coverage, struct group *group) {
  const struct wishes *wishes = coverage->wishes;
  static const unsigned firsts[] = {13, 14, 18, 19, 23}; /* of raw 7 to 11 */
  unsigned least = group->release ? group->release : firsts[group->raw - 7];
  struct search search = {.tool = "llvm-profdata",
                          .given = wishes->profdata,
                          .forced = wishes->llvm,
                          .release = group->release,
                          .least = least,
                          .raw = group->raw};
  if (llvm_find(&search, &group->profdata))
    return 1;
  /* This llvm-cov must read the files of llvm-profdata and of the compiler. */
  search.tool = "llvm-cov";
  search.given = wishes->cov;
  search.raw = 0;
  if (group->profdata.release > search.least)
    search.least = group->profdata.release;
  return llvm_find(&search, &group->cov);
}

/* Merges the profiles of a group. If there are several, other code reports
 * llvm-profdata's warnings. */
static int merge(const struct coverage *coverage, const struct group *group,
                 const char *to) {
  const char **list = malloc(group->count * sizeof *list);
  if (!list)
    return report_memory(NULL);
  for (size_t i = 0; i < group->count; i++)
    list[i] = coverage->inputs->subjects[group->members[i]].stem;
  const struct stems stems = {list, group->count, to, group->count == 1};
  int status = export_merge(coverage, group, &stems);
  free(list);
  return status;
}

/* ---- each ELF ---- */

static int write_raw(struct coverage *coverage, struct subject *subject,
                     const struct group *group) {
  char *raw = export_file(coverage, subject->stem, ".profraw");
  unsigned wanted = llvm_raw(group->profdata.release);
  if (!raw)
    return report_memory(NULL);
  if (wanted && wanted != group->raw)
    subject->join.raw = wanted;
  int status = join_write(&subject->join, raw);
  free(raw);
  return status ? status : named_make(subject, coverage->folder);
}

int coverage_measure(const struct coverage *coverage, const struct group *group,
                     struct summary *summary, struct traits *traits) {
  *summary = (struct summary){.rows = NULL};
  struct buffer text = {.limit = EXPORT_LIMIT};
  const char *error = NULL;
  int status =
      export_run(coverage, group, traits ? NULL : "-summary-only", &text);
  struct bytes json = {text.data, text.size};
  if (status && group->cov.release && group->cov.release < group->release)
    error = "it is older than the compiler; leave --llvm out, or give that of "
            "the compiler";
  if (!status)
    error = summary_read(summary, json);
  if (!status && !error && traits)
    error = traits_read(traits, json);
  buffer_free(&text);
  return error ? report("llvm-cov", "%s", error) : status;
}

/* Lists the ELF's files that the user leaves out. */
static int drop_files(struct coverage *coverage, struct group *group,
                      struct subject *subject) {
  const struct wishes *wishes = coverage->wishes;
  const struct paths paths = {wishes->maps, wishes->map_count, NULL};
  struct summary all = {0};
  if (!filter_is_set(&wishes->filter))
    return 0;
  if (coverage_measure(coverage, group, &all, NULL)) {
    summary_free(&all);
    return 1;
  }
  group->warned = true;
  subject->dropped = calloc(all.count + 1, sizeof *subject->dropped);
  bool failed = !subject->dropped;
  for (size_t i = 0; i < all.count && !failed; i++) {
    if (filter_keeps(&wishes->filter, &paths, all.rows[i].name)) {
      coverage->kept += !row_empty(&all.rows[i]);
      continue;
    }
    char *name = strdup(all.rows[i].name);
    failed = !name;
    subject->dropped[subject->dropped_count] = name;
    subject->dropped_count += name != NULL;
  }
  summary_free(&all);
  return failed ? report_memory(NULL) : 0;
}

/* A group of one ELF, which may grow. */
static int measure_one(struct coverage *coverage, size_t which,
                       struct group *group) {
  struct subject *subject = &coverage->inputs->subjects[which];
  struct traits *traits = coverage->traits ? &coverage->traits[which] : NULL;
  group->members = malloc(coverage->inputs->count * sizeof *group->members);
  if (!group->members)
    return report_memory(NULL);
  group->members[0] = which;
  group->count = 1;
  group->release = subject->release;
  group->raw = (unsigned)(uint32_t)subject->join.profile.header.version;
  if (find_programs(coverage, group) || write_raw(coverage, subject, group) ||
      merge(coverage, group, subject->stem) ||
      drop_files(coverage, group, subject))
    return 1;
  return coverage_measure(coverage, group, &subject->summary, traits) ||
         built_compare(subject, coverage->wishes);
}

static void free_group(struct group *group) {
  free(group->members);
  free(group->profdata.path);
  free(group->cov.path);
  free(group->html);
  summary_free(&group->summary);
  summary_free(&group->before);
}

/* ---- groups ---- */

static const struct subject *member(const struct coverage *coverage,
                                    const struct group *group, size_t i) {
  return &coverage->inputs->subjects[group->members[i]];
}

/* Whether an ELF's functions can be distinguished from those of a group. */
static bool joins(const struct coverage *coverage, const struct group *group,
                  const struct group *one) {
  bool fits = group->release == one->release && group->raw == one->raw;
  for (size_t i = 0; fits && i < group->count; i++)
    fits = traits_clashes(&coverage->traits[one->members[0]],
                          &coverage->traits[group->members[i]]) == 0;
  return fits;
}

/* Reports functions that llvm-cov shows for one ELF only. */
static void tell_differences(const struct coverage *coverage,
                             const struct group *group, size_t which) {
  for (size_t i = 0; i < group->count; i++) {
    size_t differ = traits_differ(&coverage->traits[which],
                                  &coverage->traits[group->members[i]]);
    if (differ)
      report(coverage->inputs->subjects[which].name,
             "%zu of its functions are compiled differently in %s; the sum "
             "counts them as in one of the two",
             differ, member(coverage, group, i)->name);
  }
}

static int make_groups(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  coverage->groups = calloc(inputs->count, sizeof *coverage->groups);
  if (inputs->count > 1)
    coverage->traits = calloc(inputs->count, sizeof *coverage->traits);
  if (!coverage->groups || (inputs->count > 1 && !coverage->traits))
    return report_memory(NULL);
  for (size_t i = 0; i < inputs->count; i++) {
    struct group *group = coverage->groups;
    struct group *one = &coverage->groups[coverage->count++];
    if (measure_one(coverage, i, one))
      return 1;
    while (group != one && !joins(coverage, group, one))
      group++;
    if (group == one)
      continue;
    tell_differences(coverage, group, i);
    group->members[group->count++] = i;
    free_group(one);
    *one = (struct group){0};
    coverage->count--;
  }
  return 0;
}

/* Measures a group. */
static int measure_group(struct coverage *coverage, struct group *group) {
  const char *stem = member(coverage, group, 0)->stem;
  char name[256] = "html";
  if (coverage->count > 1)
    snprintf(name, sizeof name, "html/%s", stem);
  group->html = strdup(name);
  if (!group->html)
    return report_memory(NULL);
  if (group->count > 1 &&
      merge(coverage, group, group_profile(coverage->inputs, group)))
    return 1;
  if (coverage_measure(coverage, group, &group->summary, NULL) ||
      export_html(coverage, group) || built_mark(coverage, group))
    return 1;
  if (coverage->wishes->lcov &&
      export_run(coverage, group, "-format=lcov", &coverage->lcov))
    return 1;
  return coverage->wishes->json ? export_json(coverage, group) : 0;
}

/* ---- names ---- */

static bool taken(const struct inputs *inputs, size_t before,
                  const char *stem) {
  bool found = false;
  for (size_t i = 0; i < before; i++)
    found |= strcmp(inputs->subjects[i].stem, stem) == 0;
  return found;
}

/* Names the files of an ELF after the ELF, in harmless letters. */
static int name_stem(struct inputs *inputs, size_t which) {
  static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";
  struct subject *subject = &inputs->subjects[which];
  const char *slash = strrchr(subject->name, '/');
  const char *base = slash ? slash + 1 : subject->name;
  const char *dot = strrchr(base, '.');
  char stem[128], name[160];
  size_t size = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  if (size >= sizeof stem)
    size = sizeof stem - 1;
  for (size_t i = 0; i < size; i++)
    stem[i] = strchr(harmless, base[i]) ? base[i] : '_';
  stem[size] = 0;
  snprintf(name, sizeof name, "%s", stem);
  for (unsigned i = 2; taken(inputs, which, name); i++)
    snprintf(name, sizeof name, "%s-%u", stem, i);
  subject->stem = strdup(name);
  return subject->stem ? 0 : report_memory(NULL);
}

/* ---- decisions that nothing counts ---- */

static bool has_mcdc(const struct coverage *coverage) {
  bool found = coverage->wishes->mcdc;
  for (size_t i = 0; i < coverage->count; i++)
    found |= coverage->groups[i].summary.total.scores[MCDC].count ||
             coverage->groups[i].before.total.scores[MCDC].count;
  return found;
}

static int find_unmeasured(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  struct buffer *all = &coverage->unmeasured;
  for (size_t i = 0; i < inputs->count && has_mcdc(coverage); i++) {
    const struct subject *subject = &inputs->subjects[i];
    size_t before = all->size;
    const char *error = unmeasured_read(all, &subject->elf);
    if (!error)
      error = unmeasured_keep(all, before, &subject->summary);
    if (error)
      return report(subject->name, "%s", error);
  }
  unmeasured_settle(all);
  return 0;
}

static int make(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++)
    if (name_stem(inputs, i))
      return 1;
  if (make_groups(coverage))
    return 1;
  if (filter_is_set(&coverage->wishes->filter) && !coverage->kept)
    return report(NULL,
                  "report: --root, --include and --ignore leave no source "
                  "file; give others, names are as the compiler had "
                  "them");
  if (excluded_apply(coverage))
    return 1;
  for (size_t i = 0; i < coverage->count; i++)
    if (measure_group(coverage, &coverage->groups[i]))
      return 1;
  int status = find_unmeasured(coverage);
  if (!status)
    excluded_settle(coverage);
  return status;
}

int coverage_make(struct coverage *coverage) {
  int status = make(coverage);
  excluded_free(coverage);
  return status;
}

void coverage_free(struct coverage *coverage) {
  for (size_t i = 0; i < coverage->count; i++)
    free_group(&coverage->groups[i]);
  for (size_t i = 0; coverage->traits && i < coverage->inputs->count; i++)
    traits_free(&coverage->traits[i]);
  free(coverage->groups);
  free(coverage->traits);
  buffer_free(&coverage->lcov);
  buffer_free(&coverage->json);
  unmeasured_free(&coverage->unmeasured);
}
