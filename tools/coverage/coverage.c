/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file turns the counts of all ELFs into coverage->exported, the model
 * that pages and tables read. coverage_make writes the profile of each ELF,
 * evaluates all ELFs together (model/evaluate.c), and evaluates each ELF
 * separately for its summary. Then exclude/ and whole/ change the contents of
 * the model, so the model may be made several times.
 */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../base/source_name.h"
#include "inputs/source.h"
#include "model/view.h"
#include "inputs/inputs.h"
#include "exclude/exclude.h"
#include "model/evaluate.h"
#include "mcdc/mcdc.h"
#include "whole/expected.h"

const char *const line_kinds[] = {"all", "code", NULL};

char *coverage_file_path(const struct coverage *coverage, const char *stem,
                         const char *extension) {
  char name[300];
  snprintf(name, sizeof name, "%s%s", stem, extension);
  return folder_file_path(coverage->folder, name);
}

/* Only the pages need sources, so the report is still made if at least one
 * source exists. */
int coverage_warn_missing_sources(const struct coverage *coverage,
                                  unsigned count, const char *first) {
  size_t all = coverage->exported.summary.count;
  const char *option =
      source_name_is_absolute(first ? first : "")
          ? "--source-map FROM=TO"
          : "--root DIR, the folder that they were compiled in";
  if (count && os_exists(first))
    warn(first,
         "this source is not a file (missing sources: %u of %zu); use %s",
         count, all, option);
  else if (count)
    warn(first, "this source is missing (missing sources: %u of %zu); use %s",
         count, all, option);
  return count && count >= all && !coverage->settings->allow_missing;
}

/* ---- the model ---- */

/* Returns the object code of all ELFs. If only one ELF has a profile, returns
 * the object code of this ELF. */
static const struct object_model *
choose_object_model(const struct inputs *inputs,
                    const struct profile *const *profiles) {
  size_t given = 0, last = 0;
  for (size_t i = 0; i < inputs->count; i++)
    if (profiles[i])
      given++, last = i;
  return given == 1 && inputs->count > 1 ? inputs->subjects[last].object
                                         : inputs->object;
}

static struct evaluation_options
make_evaluate_options(const struct coverage *coverage,
                      const struct object_model *object) {
  const struct report_settings *settings = coverage->settings;
  return (struct evaluation_options){
      .tokens = coverage->tokens,
      .code_only = settings->lines == LINES_CODE,
      .as_llvm_cov = settings->as_llvm_cov,
      .filter = filter_is_set(&settings->filter) ? &settings->filter : NULL,
      .paths = &settings->paths,
      .excluded = coverage->has_exclusions ? coverage->exclusions : NULL,
      .object = object};
}

/* `added` has the functions that no ELF contains, or is NULL. `profiles` has a
 * profile for each ELF; NULL leaves the ELF out. */
static int evaluate_inputs(const struct coverage *coverage,
                           const struct profile *const *profiles,
                           const struct added_functions *added,
                           struct model *exported) {
  const struct inputs *inputs = coverage->inputs;
  size_t count = inputs->count;
  size_t more = added ? added->count : 0;
  struct evaluation_input *list =
      need_memory(calloc(count + more + 1, sizeof *list));
  struct buffer active = {.limit = SIZE_MAX};
  struct evaluation_options mask =
      make_evaluate_options(coverage, choose_object_model(inputs, profiles));
  for (size_t i = 0; i < count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    /* Active calls do not apply to the counts of a single test. */
    if (profiles[i] == &subject->profile)
      need_append(&active, subject->active.calls.data,
                  subject->active.calls.size);
    list[i] = (struct evaluation_input){.elf = &subject->elf,
                                        .names = &subject->names,
                                        .profile = profiles[i],
                                        .saturated = subject->saturated};
  }
  mask.active = (const void *)active.data;
  mask.active_count = active.size / sizeof *mask.active;
  struct profile counts = {.function_count = 0};
  if (more)
    added_make_profile(added, profiles, count, &counts);
  if (more && *profiles)
    counts.bitmaps = (*profiles)->bitmaps;
  for (size_t i = 0; i < more; i++) {
    list[count + i] = added->list[i];
    list[count + i].profile = &counts;
  }
  *exported = (struct model){.name_count = 0};
  const char *error = mask.object
                          ? object_model_evaluate(exported, &mask)
                          : evaluate_elfs(exported, list, count + more, &mask);
  profile_free(&counts);
  buffer_free(&active);
  free(list);
  if (error)
    return report(inputs->subjects[0].name, "%s", error);
  return coverage->tokens->failed;
}

int coverage_evaluate(const struct coverage *coverage,
                      const struct profile *const *profiles,
                      struct model *exported) {
  return evaluate_inputs(coverage, profiles,
                         coverage->expected ? &coverage->expected->added : NULL,
                         exported);
}

static bool has_elf_models(const struct coverage *coverage) {
  return coverage->inputs->count > 1 || coverage->expected;
}

/* Makes the model of one ELF without the other ELFs. `profiles` is scratch
 * memory. */
static int make_elf_model(struct coverage *coverage, size_t which,
                          const struct profile **profiles) {
  struct inputs *inputs = coverage->inputs;
  struct input_elf *subject = &inputs->subjects[which];
  struct model *own = &coverage->elf_models[which];
  for (size_t i = 0; i < inputs->count; i++)
    profiles[i] = i == which ? &subject->profile : NULL;
  model_free(own);
  return evaluate_inputs(coverage, profiles, NULL, own);
}

static void free_elf_models(struct coverage *coverage) {
  for (size_t i = 0; coverage->elf_models && i < coverage->inputs->count; i++)
    model_free(&coverage->elf_models[i]);
  free(coverage->elf_models);
  coverage->elf_models = NULL;
}

static void copy_elf_summaries(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct model *model = has_elf_models(coverage)
                                    ? &coverage->elf_models[i]
                                    : &coverage->exported;
    summary_free(&inputs->subjects[i].summary);
    summary_copy(&inputs->subjects[i].summary, &model->summary);
  }
}

/* Makes coverage->exported, and with `own` the model and summary of each ELF.
 * Returns 0, or reports the error and returns 1. */
static int make_models(struct coverage *coverage, bool own) {
  const struct inputs *inputs = coverage->inputs;
  const struct profile **profiles =
      need_memory(calloc(inputs->count + 1, sizeof *profiles));
  for (size_t i = 0; i < inputs->count; i++)
    profiles[i] = &inputs->subjects[i].profile;
  model_free(&coverage->exported);
  int status = coverage_evaluate(coverage, profiles, &coverage->exported);
  own &= has_elf_models(coverage);
  for (size_t i = 0; i < inputs->count && own && !status; i++)
    status = make_elf_model(coverage, i, profiles);
  free(profiles);
  if (!status)
    copy_elf_summaries(coverage);
  return status;
}

/* Returns 1, after a message, if the user's options exclude all sources. Also
 * warns of functions whose counts do not fit their mapping. */
static int refuse_empty_warn_mismatch(const struct coverage *coverage) {
  const struct model *exported = &coverage->exported;
  bool any = !filter_is_set(&coverage->settings->filter);
  for (size_t i = 0; i < exported->summary.count && !any; i++)
    any = !row_is_empty(&exported->summary.rows[i]);
  if (!any)
    return report(
        NULL,
        "report: --root, --include and --ignore leave no source file; use "
        "other patterns: patterns match the file names that the compiler got");
  size_t count = exported->mismatched.count;
  char shown[300];
  if (count)
    warn(coverage->inputs->subjects[0].name,
         "%zu function%s %s counters that do not match the coverage mapping, "
         "and %s left out, first %s; compile all files that define this "
         "function with the same options",
         count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
         count == 1 ? "is" : "are",
         make_printable(shown, sizeof shown, exported->mismatched.names[0]));
  return 0;
}

/* ---- names ---- */

static bool is_stem_taken(const struct inputs *inputs, size_t before,
                          const char *stem) {
  bool found = false;
  for (size_t i = 0; i < before; i++)
    found |= strcmp(inputs->subjects[i].stem, stem) == 0;
  return found;
}

/* Sets the stem of the names that the ELF's files have in the report, from the
 * ELF's name. Letters that a shell or URL could interpret become _. */
static void set_file_stem(struct inputs *inputs, size_t which) {
  static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";
  struct input_elf *subject = &inputs->subjects[which];
  const char *base = os_base_name(subject->name);
  const char *dot = strrchr(base, '.');
  char stem[128], name[160];
  size_t size = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  if (size >= sizeof stem)
    size = sizeof stem - 1;
  for (size_t i = 0; i < size; i++)
    stem[i] = strchr(harmless, base[i]) ? base[i] : '_';
  stem[size] = 0;
  snprintf(name, sizeof name, "%s", stem);
  for (unsigned i = 2; is_stem_taken(inputs, which, name); i++)
    snprintf(name, sizeof name, "%s-%u", stem, i);
  subject->stem = need_memory(strdup(name));
}

static int name_and_write_profiles(struct coverage *coverage, size_t which) {
  struct input_elf *subject = &coverage->inputs->subjects[which];
  set_file_stem(coverage->inputs, which);
  if (subject->object)
    return 0;
  char *raw = coverage_file_path(coverage, subject->stem, ".profraw");
  char *indexed = coverage_file_path(coverage, subject->stem, ".profdata");
  int status = input_make_and_write_profiles(subject, raw, indexed);
  free(raw);
  free(indexed);
  if (subject->release > coverage->release)
    coverage->release = subject->release;
  return status;
}

/* ---- the steps after the first model ---- */

/* Lists the decisions that MC/DC does not measure. Call this function before
 * anything is excluded, because the list also counts excluded decisions. */
static int list_unmeasured_decisions(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const struct report_settings *settings = coverage->settings;
  struct buffer *all = &coverage->unmeasured;
  if (!settings->mcdc && !coverage->exported.summary.total.scores[MCDC].count)
    return 0;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    const char *error =
        unmeasured_append_elf(all, &subject->elf, &coverage->exported.summary);
    if (error)
      return report(subject->name, "%s", error);
  }
  negated_append_decisions(all, &coverage->exported);
  unmeasured_merge(all);
  return 0;
}

/* Finds the functions that no ELF contains (--sources), and makes the model
 * again with these functions. The models of the ELFs do not change. */
static int add_missing_functions(struct coverage *coverage) {
  struct expected_sources *whole = coverage->expected;
  if (!whole)
    return 0;
  if (expected_set_states_add_code(whole))
    return 1;
  return whole->added.count ? make_models(coverage, false) : 0;
}

/* Finds the excluded code and removes it from all models. */
static int apply_exclusions(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  if (expected_find_exclusions(coverage) ||
      excluded_add_sources_note_use(coverage))
    return 1;
  if (!coverage->has_exclusions)
    return 0;
  struct evaluation_options mask =
      make_evaluate_options(coverage, inputs->object);
  const char *error = evaluate_make_rows(&coverage->exported, &mask);
  for (size_t i = 0; i < inputs->count && has_elf_models(coverage) && !error;
       i++) {
    if (mask.object && inputs->count > 1)
      mask.object = inputs->subjects[i].object;
    error = evaluate_make_rows(&coverage->elf_models[i], &mask);
  }
  if (error)
    return report(inputs->subjects[0].name, "%s", error);
  copy_elf_summaries(coverage);
  for (size_t i = 0; i < inputs->count; i++)
    if (!inputs->subjects[i].summary.total.scores[LINES].count)
      return report(inputs->subjects[i].name,
                    "all code of this file is excluded; exclude less code");
  return 0;
}

/* Makes the model again without the tokens of sources that have changed since
 * the build, because the positions of these tokens do not match the mapping. */
static int remake_without_changed_sources(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  bool any = false;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      if (subject->sources[k].state == SOURCE_CHANGED) {
        token_store_forget(coverage->tokens, subject->summary.rows[k].name);
        any = true;
      }
  }
  return any && make_models(coverage, true);
}

int coverage_make(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  coverage->tokens = need_memory(calloc(1, sizeof *coverage->tokens));
  coverage->elf_models =
      need_memory(calloc(inputs->count + 1, sizeof *coverage->elf_models));
  coverage->tokens->paths = &coverage->settings->paths;
  for (size_t i = 0; i < inputs->count; i++)
    if (name_and_write_profiles(coverage, i))
      return 1;
  /* Branches of several ELFs at one position are united. llvm-cov does this
   * only from this release on. */
  if (inputs->count > 1 && coverage->release &&
      coverage->release < UNITED_FIRST)
    coverage->release = UNITED_FIRST;
  if ((coverage->expected &&
       expected_read_elfs_and_plan(coverage->expected, coverage)) ||
      make_models(coverage, true) || refuse_empty_warn_mismatch(coverage))
    return 1;
  for (size_t i = 0; i < inputs->count; i++)
    if (source_list_and_compare(&inputs->subjects[i], coverage->settings))
      return 1;
  if (remake_without_changed_sources(coverage) ||
      add_missing_functions(coverage) || list_unmeasured_decisions(coverage) ||
      apply_exclusions(coverage))
    return 1;
  free_elf_models(coverage);
  if (coverage->expected)
    expected_mark_added_rows(coverage);
  excluded_drop_and_set_stale(coverage);
  coverage->not_known.limit = UNMEASURED_MOST;
  unknown_numbers_append(&coverage->exported, &coverage->not_known);
  return 0;
}

void coverage_free(struct coverage *coverage) {
  model_free(&coverage->exported);
  free_elf_models(coverage);
  unmeasured_free(&coverage->unmeasured);
  buffer_free(&coverage->not_known);
  if (coverage->tokens)
    token_store_free(coverage->tokens);
  free(coverage->tokens);
}
