/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compare RELEASE PROFILE ELF EXPORT: compares the model of an ELF and a
 * profile with the export of that release of llvm-cov. Prints how many facts
 * were compared, and each that differs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "error.h"
#include "evaluate.h"
#include "profile_merge.h"
#include "base/json.h"

enum { SHOWN = 20, LIMIT = 1 << 30 };

static size_t facts, differences;
static unsigned release;
static const char *at_function, *at_file;

static void fact(const char *what, uint64_t ours, uint64_t theirs) {
  facts++;
  /* Of a count below 0 the export has this. */
  ours = ours > INT64_MAX ? INT64_MAX : ours;
  if (ours != theirs && differences++ < SHOWN)
    printf("%s %s: %s: ours %" PRIu64 ", llvm-cov %" PRIu64 "\n",
           at_file ? at_file : "", at_function ? at_function : "", what, ours,
           theirs);
}

static void same_span(const struct source_span *a,
                      const struct source_span *b) {
  fact("line", a->line, b->line);
  fact("column", a->column, b->column);
  fact("end line", a->end_line, b->end_line);
  fact("end column", a->end_column, b->end_column);
}

/* Before release 19 both sides of a condition count unless both are constant.
 */
static bool half_constant(const struct model *ours, uint32_t row) {
  const struct model_function *functions = model_functions(ours);
  for (size_t i = 0; i < model_function_count(ours); i++)
    for (uint32_t k = 0; k < functions[i].branches.count; k++) {
      unsigned constant =
          model_branches(ours)[functions[i].branches.begin + k].constant;
      if ((constant == 1 || constant == 2) &&
          model_files(ours)[functions[i].files.begin + functions[i].main] ==
              row)
        return true;
    }
  return false;
}

static void same_scores(const struct model *ours, uint32_t row,
                        const struct file_row *a, const struct file_row *b) {
  for (unsigned i = 0; i < METRICS; i++) {
    if (i == BRANCHES && release < 19 && half_constant(ours, row))
      continue;
    if (i == MCDC && release < 18)
      continue;
    fact(metric_names[i], a->scores[i].count, b->scores[i].count);
    fact(metric_names[i], a->scores[i].covered, b->scores[i].covered);
  }
}

static void same_segments(const struct model *ours, uint32_t a,
                          const struct model *theirs, uint32_t b) {
  struct slice x = ours->segments[a], y = theirs->segments[b];
  fact("segments", x.count, y.count);
  for (uint32_t i = 0; i < x.count && i < y.count; i++) {
    const struct segment *s = &model_segments(ours)[x.begin + i];
    const struct segment *t = &model_segments(theirs)[y.begin + i];
    fact("segment's line", s->line, t->line);
    fact("segment's column", s->column, t->column);
    fact("segment's count", s->count, t->count);
    fact("segment is counted", s->counted, t->counted);
    fact("segment is an entry", s->entry, t->entry);
    fact("segment is a gap", s->gap, t->gap);
  }
}

static void same_rows(const struct model *ours, const struct model *theirs) {
  fact("sources", ours->summary.count, theirs->summary.count);
  for (uint32_t i = 0; i < ours->summary.count && i < theirs->summary.count;
       i++) {
    at_file = ours->names[i];
    fact("name", (uint64_t)strcmp(ours->names[i], theirs->names[i]), 0);
    same_scores(ours, i, &ours->summary.rows[i], &theirs->summary.rows[i]);
    same_segments(ours, i, theirs, i);
  }
  at_file = NULL;
}

static void same_decisions(const struct model *ours,
                           const struct model_function *a,
                           const struct model *theirs,
                           const struct model_function *b) {
  fact("decisions", a->decisions.count, b->decisions.count);
  for (uint32_t i = 0; i < a->decisions.count && i < b->decisions.count; i++) {
    const struct model_decision *x =
        &model_decisions(ours)[a->decisions.begin + i];
    const struct model_decision *y =
        &model_decisions(theirs)[b->decisions.begin + i];
    same_span(&x->span, &y->span);
    fact("conditions", x->conditions.count, y->conditions.count);
    for (uint32_t k = 0; k < x->conditions.count && k < y->conditions.count;
         k++)
      fact("covered condition", model_conditions(ours)[x->conditions.begin + k],
           model_conditions(theirs)[y->conditions.begin + k]);
    if (release < 22)
      continue;
    fact("decision's file", x->file, y->file);
    fact("vectors", x->vectors, y->vectors);
    for (uint32_t k = 0; k < x->values.count && k < y->values.count; k++)
      fact("value", model_values(ours)[x->values.begin + k],
           model_values(theirs)[y->values.begin + k]);
  }
}

/* Before release 20 a branch that is constant altogether is left out. */
static bool is_exported(const struct model_branch *branch) {
  return release >= 20 || branch->constant != 3;
}

static void same_branches(const struct model *ours,
                          const struct model_function *a,
                          const struct model *theirs,
                          const struct model_function *b) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < a->branches.count; i++) {
    const struct model_branch *x = &model_branches(ours)[a->branches.begin + i];
    const struct model_branch *y =
        &model_branches(theirs)[b->branches.begin + at];
    if (!is_exported(x) || at++ >= b->branches.count)
      continue;
    same_span(&x->span, &y->span);
    fact("true", x->counts[0], y->counts[0]);
    fact("false", x->counts[1], y->counts[1]);
    fact("branch's file", x->file, y->file);
  }
  fact("branches", at, b->branches.count);
}

static void same_function(const struct model *ours,
                          const struct model_function *a,
                          const struct model *theirs,
                          const struct model_function *b) {
  at_function = a->name;
  fact("name", (uint64_t)strcmp(a->name, b->name), 0);
  fact("count", a->count, b->count);
  fact("regions", a->regions.count, b->regions.count);
  for (uint32_t i = 0; i < a->regions.count && i < b->regions.count; i++) {
    const struct model_region *x = &model_regions(ours)[a->regions.begin + i];
    const struct model_region *y = &model_regions(theirs)[b->regions.begin + i];
    same_span(&x->span, &y->span);
    fact("region's count", x->count, y->count);
    fact("region's file", x->file, y->file);
    fact("region's expanded", x->expanded, y->expanded);
    fact("region's kind", x->kind, y->kind);
  }
  same_branches(ours, a, theirs, b);
  same_decisions(ours, a, theirs, b);
  at_function = NULL;
}

static const struct model *sorted;

static const char *file_of(const struct model_function *function) {
  return sorted->names[model_files(sorted)[function->files.begin]];
}

/* By name and file, then as they stand. */
static int by_name(const void *left, const void *right) {
  const struct model_function *a = *(struct model_function *const *)left;
  const struct model_function *b = *(struct model_function *const *)right;
  int order = strcmp(a->name, b->name);
  if (!order)
    order = strcmp(file_of(a), file_of(b));
  return order ? order : (a > b) - (a < b);
}

/* llvm-cov has a function at the place of the first record of that name, which
 * may be of a source that does not use it. */
static const struct model_function **in_order(const struct model *of) {
  size_t count = model_function_count(of);
  const struct model_function **list = malloc((count + 1) * sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = &model_functions(of)[i];
  sorted = of;
  if (list)
    qsort(list, count, sizeof *list, by_name);
  return list;
}

static void same(const struct model *ours, const struct model *theirs) {
  size_t a = model_function_count(ours), b = model_function_count(theirs);
  const struct model_function **x = in_order(ours), **y = in_order(theirs);
  same_rows(ours, theirs);
  fact("functions", a, b);
  for (size_t i = 0; x && y && i < a && i < b; i++)
    same_function(ours, x[i], theirs, y[i]);
  fact("memory", x && y, 1);
  free(x);
  free(y);
}

/* The element of the array `data`. */
static struct bytes export_of(struct bytes text) {
  struct json_reader json = json_make_reader(text);
  struct bytes found = {NULL, 0};
  char key[JSON_KEY];
  json_enter_bracket(&json, '{');
  while (json_next_member(&json, key)) {
    struct bytes value = json_skip_and_get_text(&json);
    if (strcmp(key, "data") == 0 && value.size)
      found = (struct bytes){value.data + 1, value.size - 1};
  }
  return found;
}

int main(int argc, char **argv) {
  struct profile_merge gather;
  struct file image, json;
  struct elf elf;
  struct name_table names = {.text = {.limit = 0}};
  struct model ours, theirs;
  if (argc != 5)
    return 2;
  release = (unsigned)atoi(argv[1]);
  profile_merge_init(&gather, (const char *const *)&argv[2]);
  if (profile_merge_add_file(&gather, 0, 1) ||
      file_read(&image, argv[3], LIMIT) || file_read(&json, argv[4], LIMIT))
    return 1;
  const char *error = elf_open(&elf, image.bytes);
  if (!error)
    error = evaluation_read_function_names(&elf, &names);
  const struct evaluation_input one = {&elf, &names, &gather.profile,
                                       .least = false};
  const struct evaluation_options mask = {.as_llvm_cov = true};
  if (release == 18)
    gather.profile.bitmaps = BITMAPS_18;
  if (!error)
    error = evaluate_elfs(&ours, &one, 1, &mask);
  if (!error)
    error = model_parse(&theirs, export_of(json.bytes));
  if (error)
    return report(argv[3], "%s", error);
  same(&ours, &theirs);
  printf("%zu facts, %zu differ\n", facts, differences);
  model_free(&ours);
  model_free(&theirs);
  names_free(&names);
  profile_merge_free(&gather);
  file_close(&image);
  file_close(&json);
  return differences != 0;
}
