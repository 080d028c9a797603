/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First each ELF alone: raw profile, indexed profile, summary. Then groups, as
 * far as the functions allow, and llvm-cov's output for each group.
 */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "built.h"
#include "excluded.h"
#include "export.h"
#include "misjudged.h"
#include "named.h"
#include "unmeasured.h"
#include "../base/program.h"

enum { VECTORS_FIRST = 22 }; /* llvm-cov that exports vectors */

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

int coverage_measure(const struct coverage *coverage, const struct group *group,
                     struct summary *summary) {
  struct buffer text = {.limit = EXPORT_LIMIT};
  struct exported exported = {.name_count = 0};
  *summary = (struct summary){.rows = NULL};
  int status = export_run(coverage, group,
                          &(struct export_text){NULL, "-summary-only"}, &text);
  const char *error =
      status ? NULL
             : exported_read(&exported, (struct bytes){text.data, text.size});
  if (!status && !error && !summary_copy(summary, &exported.summary))
    error = out_of_memory;
  exported_free(&exported);
  buffer_free(&text);
  return error ? report("llvm-cov", "%s", error) : status;
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

/* Lists the files of a group of one ELF that the user leaves out. */
static int drop_files(struct coverage *coverage, const struct group *group) {
  const struct wishes *wishes = coverage->wishes;
  const struct paths paths = {wishes->maps, wishes->map_count, NULL};
  const struct summary *all = &group->exported.summary;
  struct subject *subject = &coverage->inputs->subjects[group->members[0]];
  subject->dropped = calloc(all->count + 1, sizeof *subject->dropped);
  bool failed = !subject->dropped;
  for (size_t i = 0; i < all->count && !failed; i++) {
    if (filter_keeps(&wishes->filter, &paths, all->rows[i].name)) {
      coverage->kept += !row_empty(&all->rows[i]);
      continue;
    }
    char *name = strdup(all->rows[i].name);
    failed = !name;
    subject->dropped[subject->dropped_count] = name;
    subject->dropped_count += name != NULL;
  }
  return failed ? report_memory(NULL) : 0;
}

/* Exports each group in the same form. */
static int export_each(struct coverage *coverage, enum export_kind kind) {
  struct export_call *calls = calloc(coverage->count + 1, sizeof *calls);
  if (!calls)
    return report_memory(NULL);
  for (size_t i = 0; i < coverage->count; i++)
    calls[i] = (struct export_call){kind, &coverage->groups[i]};
  int status = export_all(coverage, calls, coverage->count);
  free(calls);
  return status;
}

static int filter_files(struct coverage *coverage) {
  if (!filter_is_set(&coverage->wishes->filter))
    return 0;
  int status = export_each(coverage, EXPORT_SUMMARY);
  for (size_t i = 0; i < coverage->count && !status; i++)
    status = drop_files(coverage, &coverage->groups[i]);
  return status ? status
         : coverage->kept
             ? 0
             : report(NULL, "report: --root, --include and --ignore leave no "
                            "source file; give others, names are as the "
                            "compiler had them");
}

/* A group of one ELF, which may grow. */
static int begin_one(struct coverage *coverage, size_t which,
                     struct group *group) {
  struct subject *subject = &coverage->inputs->subjects[which];
  group->members = malloc(coverage->inputs->count * sizeof *group->members);
  if (!group->members)
    return report_memory(NULL);
  group->members[0] = which;
  group->count = 1;
  group->release = subject->release;
  group->raw = (unsigned)(uint32_t)subject->join.profile.header.version;
  return find_programs(coverage, group) ||
         write_raw(coverage, subject, group) ||
         merge(coverage, group, subject->stem);
}

static void free_group(struct group *group) {
  free(group->members);
  free(group->profdata.path);
  free(group->cov.path);
  free(group->vectors_cov.path);
  free(group->html);
  exported_free(&group->exported);
  exported_free(&group->vectors);
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

/* The ELF of a group has been exported. */
static int settle_one(struct coverage *coverage, const struct group *group) {
  struct subject *subject = &coverage->inputs->subjects[group->members[0]];
  return summary_copy(&subject->summary, &group->exported.summary)
             ? built_compare(subject, coverage->wishes)
             : report_memory(NULL);
}

/* Unites groups of one ELF, which are in the ELFs' order. */
static int unite_groups(struct coverage *coverage) {
  size_t all = coverage->count;
  coverage->traits = calloc(all, sizeof *coverage->traits);
  if (!coverage->traits)
    return report_memory(NULL);
  coverage->count = 0;
  for (size_t i = 0; i < all; i++) {
    struct group *group = coverage->groups;
    struct group *one = &coverage->groups[coverage->count];
    struct group *from = &coverage->groups[i];
    const char *error = traits_make(&coverage->traits[i], &from->exported);
    if (error)
      return report("llvm-cov", "%s", error);
    while (group != one && !joins(coverage, group, from))
      group++;
    if (group == one) {
      struct group kept = *from;
      *from = (struct group){0};
      *one = kept;
      coverage->count++;
      continue;
    }
    tell_differences(coverage, group, i);
    group->members[group->count++] = i;
    free_group(from);
    *from = (struct group){0};
  }
  return 0;
}

/* Whether an ELF of the group may have MC/DC. */
static bool has_bitmap(const struct coverage *coverage,
                       const struct group *group) {
  struct elf_section section;
  bool found = false;
  for (size_t i = 0; i < group->count; i++)
    found |= elf_find_section(&member(coverage, group, i)->elf,
                              "__llvm_prf_bits", &section) &&
             section.size;
  return found;
}

/* Finds the latest llvm-cov, if the group's own exports no vectors and the user
 * asks for no other. */
static void find_vectors(const struct coverage *coverage, struct group *group) {
  const struct wishes *wishes = coverage->wishes;
  struct search search = {
      .tool = "llvm-cov", .least = VECTORS_FIRST, .quiet = true};
  if (!wishes->llvm_html && !wishes->llvm && !wishes->cov &&
      group->cov.release && group->cov.release < VECTORS_FIRST &&
      has_bitmap(coverage, group) && llvm_find(&search, &group->vectors_cov))
    group->vectors_cov = (struct program){0};
}

/* Makes a group's folder and profile. */
static int plan_group(struct coverage *coverage, struct group *group) {
  const char *stem = member(coverage, group, 0)->stem;
  char name[256] = "html";
  if (coverage->count > 1)
    snprintf(name, sizeof name, "html/%s", stem);
  group->html = strdup(name);
  group->final = true;
  if (!group->html)
    return report_memory(NULL);
  if (group->count > 1 &&
      merge(coverage, group, group_profile(coverage->inputs, group)))
    return 1;
  find_vectors(coverage, group);
  return 0;
}

/* again: the ELFs are others than before, without what is excluded. */
static void add_calls(const struct coverage *coverage, struct group *group,
                      bool again, struct export_call *calls, size_t *count) {
  const struct wishes *wishes = coverage->wishes;
  if (again || group->count > 1 || coverage->inputs->count == 1 || wishes->json)
    calls[(*count)++] = (struct export_call){EXPORT_JSON, group};
  if (group->vectors_cov.path)
    calls[(*count)++] = (struct export_call){EXPORT_VECTORS, group};
  if (wishes->lcov)
    calls[(*count)++] = (struct export_call){EXPORT_LCOV, group};
}

enum { CALLS_MOST = 3 }; /* of a group, at a time */

static int export_groups(struct coverage *coverage, bool again) {
  struct export_call *calls =
      calloc(coverage->count * CALLS_MOST + 1, sizeof *calls);
  size_t count = 0;
  if (!calls)
    return report_memory(NULL);
  buffer_free(&coverage->lcov);
  buffer_free(&coverage->json);
  for (size_t i = 0; i < coverage->count; i++)
    add_calls(coverage, &coverage->groups[i], again, calls, &count);
  int status = export_all(coverage, calls, count);
  free(calls);
  return status;
}

static int plan_groups(struct coverage *coverage) {
  int status = 0;
  for (size_t i = 0; i < coverage->count && !status; i++)
    status = plan_group(coverage, &coverage->groups[i]);
  return status;
}

/* Several ELFs are exported one by one before they form groups. */
static int make_groups(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  coverage->groups = calloc(inputs->count, sizeof *coverage->groups);
  if (!coverage->groups)
    return report_memory(NULL);
  for (size_t i = 0; i < inputs->count; i++)
    if (begin_one(coverage, i, &coverage->groups[coverage->count++]))
      return 1;
  if (filter_files(coverage))
    return 1;
  if (inputs->count == 1)
    return plan_groups(coverage) || export_groups(coverage, false) ||
           settle_one(coverage, coverage->groups);
  if (export_each(coverage, EXPORT_JSON))
    return 1;
  for (size_t i = 0; i < coverage->count; i++)
    if (settle_one(coverage, &coverage->groups[i]))
      return 1;
  return unite_groups(coverage) || plan_groups(coverage) ||
         export_groups(coverage, false);
}

static int leave_out(struct coverage *coverage) {
  if (excluded_apply(coverage))
    return 1;
  return coverage->exclusions->count ? export_groups(coverage, true) : 0;
}

/* llvm-cov's own pages. */
static int make_html(struct coverage *coverage) {
  int status =
      coverage->wishes->llvm_html ? export_each(coverage, EXPORT_HTML) : 0;
  for (size_t i = 0; coverage->wishes->llvm_html && i < coverage->count; i++)
    status = status || built_mark(coverage, &coverage->groups[i]);
  return status;
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
  const char *base = os_base(subject->name);
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
    found |= coverage->groups[i].exported.summary.total.scores[MCDC].count ||
             coverage->groups[i].before.total.scores[MCDC].count;
  return found;
}

static int find_unmeasured(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const struct wishes *wishes = coverage->wishes;
  const struct paths paths = {wishes->maps, wishes->map_count, NULL};
  struct buffer *all = &coverage->unmeasured;
  for (size_t i = 0; i < inputs->count && has_mcdc(coverage); i++) {
    const struct subject *subject = &inputs->subjects[i];
    size_t before = all->size;
    const char *error = unmeasured_read(all, &subject->elf);
    if (!error && misjudged_read(all, subject->name, &subject->elf, &paths))
      return 1;
    if (!error)
      error = unmeasured_keep(all, before, &subject->summary);
    if (error)
      return report(subject->name, "%s", error);
  }
  unmeasured_settle(all);
  return 0;
}

int coverage_make(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++)
    if (name_stem(inputs, i))
      return 1;
  if (make_groups(coverage) || leave_out(coverage) || make_html(coverage) ||
      find_unmeasured(coverage))
    return 1;
  excluded_settle(coverage);
  return 0;
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
