/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file turns the counts of all ELFs into coverage->exported, the model
 * that pages and tables read.
 */
#include "coverage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/file.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../base/program.h"
#include "../base/source_name.h"
#include "../base/text_part.h"
#include "../object/digest.h"
#include "../objectcode/objectcode.h"
#include "inputs/source.h"
#include "mcdc/mcdc.h"
#include "model/evaluate.h"
#include "model/places.h"
#include "whole/expected.h"

/* ==== This part builds the report's folder next to its final name, so that
 * a rename completes the report. Until then, an existing report stays as it
 * is. */

#define MARKER ".bareprof-report"

static char *join_path(const char *folder, const char *between,
                       const char *name) {
  size_t size = strlen(folder) + strlen(between) + strlen(name) + 1;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s%s", folder, between, name);
  return path;
}

char *folder_file_path(const struct report_folder *folder, const char *name) {
  return need_memory(join_path(folder->temporary, "/", name));
}

static bool stop_at_entry(void *context, const char *path, bool is_folder) {
  (void)context;
  (void)path;
  (void)is_folder;
  return false;
}

/* Returns whether a report may have the name `target`: the name is free, or an
 * empty folder or an older report has it. */
static bool is_folder_replaceable(const char *target) {
  char *path = join_path(target, "/", MARKER);
  bool ours = path && os_exists(path);
  free(path);
  return ours || !os_exists(target) ||
         os_list_folder(target, stop_at_entry, NULL);
}

static void exit_if_folder_failed(const struct report_folder *folder,
                                  bool failed, const char *what) {
  if (failed)
    exit_if_failed(report(folder->name,
                          "the report cannot be %s: %s; check the path, the "
                          "permissions and the disk space",
                          what, os_error_text(errno)));
}

static FILE *open_marker_file(const struct report_folder *folder,
                              const char *mode) {
  char *path = folder_file_path(folder, MARKER);
  FILE *stream = os_fopen(path, mode);
  free(path);
  exit_if_folder_failed(folder, !stream, "written");
  return stream;
}

static void write_marker_file(const struct report_folder *folder) {
  FILE *stream = open_marker_file(folder, "w");
  fputs("A report of bareprof. The next one replaces these files:\n", stream);
  exit_if_folder_failed(folder, fclose(stream), "written");
}

/* ---- files that no report wrote ----
 *
 * The marker file lists the files that a report wrote. When a new report
 * replaces the folder, all other files move to the new folder.
 */

/* The largest size of the marker file, and of the set of its names. */
enum { MARK_LIMIT = 1 << 28 };

struct report_folder_walk {
  const char *from, *to;
  struct map known; /* set of hashes of the names that the report wrote */
  FILE *list;       /* receives the names of the folder's files */
  bool failed;
};

static bool print_entry_names(void *context, const char *path, bool is_folder) {
  const struct report_folder_walk *moving = context;
  fprintf(moving->list, "%s\n", path + strlen(moving->from) + 1);
  return !is_folder || os_list_folder(path, print_entry_names, context);
}

static bool move_unlisted_file(void *context, const char *path,
                               bool is_folder) {
  struct report_folder_walk *moving = context;
  const char *name = path + strlen(moving->from) + 1;
  if (map_find(&moving->known, md5_low64(name, strlen(name)), 0, 0)) {
    if (is_folder)
      os_list_folder(path, move_unlisted_file, context);
    return !moving->failed;
  }
  char *to = join_path(moving->to, "/", name);
  if (!to || os_exists(to) || !os_rename(path, to))
    moving->failed = report(path, "this file is not from a report, and the new "
                                  "report would delete it; move the file away");
  free(to);
  return !moving->failed;
}

/* Moves the files that no report wrote from the old folder to the new one. The
 * marker file of an older bareprof does not list files; then all files are
 * treated as files of the report. */
static int move_unlisted_files(const char *from, const char *to) {
  struct report_folder_walk moving = {
      from, to, {.limit = MARK_LIMIT}, NULL, false};
  char *path = need_memory(join_path(from, "/", MARKER));
  struct file mark;
  struct bytes line;
  bool found = false;
  int status = file_read_if_exists(&mark, path, MARK_LIMIT, &found);
  struct bytes left = found ? mark.bytes : (struct bytes){NULL, 0};
  while (!status && bytes_next_line(&left, &line))
    moving.failed |=
        !map_find_or_add(&moving.known, md5_low64(line.data, line.size), 0, 0);
  if (moving.known.count > 1 && !moving.failed) /* The first is a title. */
    os_list_folder(from, move_unlisted_file, &moving);
  map_free(&moving.known);
  if (found && !status)
    file_close(&mark);
  free(path);
  return status || moving.failed;
}

static void write_file_list(const struct report_folder *folder) {
  struct report_folder_walk moving = {.from = folder->temporary};
  moving.list = open_marker_file(folder, "a");
  os_list_folder(folder->temporary, print_entry_names, &moving);
  exit_if_folder_failed(folder, fclose(moving.list), "written");
}

/* ---- the folder ---- */

static void make_parent_folders(char *name) {
  for (char *at = name + 1; *name && *at; at++)
    if (os_is_separator(*at)) {
      char kept = *at;
      *at = 0;
      if (!os_exists(name))
        (void)os_make_folder(name);
      *at = kept;
    }
}

/* The folder to remove if the command ends early; or NULL. */
static struct report_folder *unfinished;

static void abandon_unfinished_folder(void) {
  if (unfinished)
    folder_abandon(unfinished);
}

void folder_begin(struct report_folder *folder, const char *name) {
  *folder = (struct report_folder){.name = name, .held = -1};
  interrupt_delay_signals();
  unfinished = folder;
  atexit(abandon_unfinished_folder);
  folder->target = os_real_path(name);
  if (!folder->target)
    folder->target = need_memory(os_is_absolute(name) || *name == '.'
                                     ? strdup(name)
                                     : join_path(".", "/", name));
  size_t size = strlen(folder->target);
  while (size > 1 && os_is_separator(folder->target[size - 1]))
    folder->target[--size] = 0;
  if (!is_folder_replaceable(folder->target)) {
    struct os_file_info info;
    bool file = os_stat(folder->target, &info) && info.kind != OS_FOLDER;
    exit_if_failed(
        report(name, file ? "this is a file; pass a folder to -o"
                          : "the folder exists and is not a report; use "
                            "another -o, or remove the folder"));
  }
  make_parent_folders(folder->target);
  os_remove_unfinished(folder->target);
  char *made = need_memory(join_path(folder->target, "", OS_UNFINISHED));
  exit_if_folder_failed(folder, !os_make_shared_folder(made, &folder->held),
                        "made");
  folder->temporary = made;
  write_marker_file(folder);
}

void folder_refuse_input_inside(const struct report_folder *folder,
                                const char *file) {
  char *real = os_real_path(file), *target = os_real_path(folder->target);
  if (real && target && paths_find_part_below(real, target, strlen(target)))
    exit_if_failed(report(file,
                          "the file is inside %s, which the report replaces; "
                          "use another -o",
                          folder->name));
  free(real);
  free(target);
}

/* Returns whether a report may write a file or folder with this name. The empty
 * name is the report's folder itself. */
static bool is_reserved_name(const char *name) {
  static const char *const names[] = {"html", "evidence.json", "tests.json",
                                      "console.log", MARKER};
  size_t size = 0;
  while (name[size] && !os_is_separator(name[size]))
    size++;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && os_are_same_name(names[i], name, size))
      return true;
  const char *dot = strrchr(name, '.');
  return !*name || (dot && (strcmp(dot, ".profraw") == 0 ||
                            strcmp(dot, ".profdata") == 0));
}

void folder_refuse_output(const struct report_folder *folder,
                          const char *output) {
  bool refused = false;
  for (size_t i = 1; *output && output[i - 1] && !refused; i++) {
    if (output[i] && !os_is_separator(output[i]))
      continue;
    char *around = need_memory(strdup(output));
    around[i] = 0;
    if (file_names_same_file(around, folder->target)) {
      while (os_is_separator(output[i]))
        i++;
      refused = is_reserved_name(output + i);
    }
    free(around);
  }
  if (refused)
    exit_if_failed(report(output,
                          "the report in %s uses this name; use another name",
                          folder->name));
}

/* An error puts the older report back, with the files that no report wrote. */
void folder_commit(struct report_folder *folder) {
  char *old = need_memory(join_path(folder->temporary, "", OS_REPLACED));
  bool there = os_exists(folder->target);
  write_file_list(folder);
  if (there && move_unlisted_files(folder->target, folder->temporary)) {
    (void)move_unlisted_files(folder->temporary, folder->target);
    exit_if_failed(1);
  }
  bool moved = !there || os_rename(folder->target, old);
  bool done = moved && os_rename(folder->temporary, folder->target);
  if (!done && there) {
    int error = errno;
    /* The end of the command removes the unfinished folder. */
    bool back = !moved || os_rename(old, folder->target);
    (void)move_unlisted_files(folder->temporary, back ? folder->target : old);
    errno = error;
  }
  if (done && there)
    os_remove_folder(old);
  exit_if_folder_failed(folder, !done, "put in its place");
  free(folder->temporary);
  folder->temporary = NULL;
  free(old);
  folder_abandon(folder);
}

void folder_abandon(struct report_folder *folder) {
  unfinished = NULL;
  if (folder->temporary)
    os_remove_folder(folder->temporary);
  os_unlock_folder(folder->held);
  free(folder->temporary);
  free(folder->target);
  folder->temporary = folder->target = NULL;
  interrupt_resume_signals();
}

/* ==== This part makes the model. coverage_make writes the profile of each ELF,
 * evaluates all ELFs together (model/evaluate.c), and evaluates each ELF
 * separately for its summary. Then exclude/ and whole/ change the contents of
 * the model, so the model may be made several times. */

const char *const line_kinds[] = {"all", "code", NULL};

char *coverage_file_path(const struct coverage *coverage, const char *stem,
                         const char *extension) {
  char name[300];
  snprintf(name, sizeof name, "%s%s", stem, extension);
  return folder_file_path(coverage->folder, name);
}

/* Only the pages need sources, so the report is still made if at least one
 * source exists. */
void coverage_warn_missing_sources(const struct coverage *coverage,
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
  exit_if_failed(count && count >= all && !coverage->settings->allow_missing);
}

/* ---- the model ---- */

static struct evaluation_options
make_evaluate_options(const struct coverage *coverage) {
  const struct report_settings *settings = coverage->settings;
  return (struct evaluation_options){
      .tokens = coverage->tokens,
      .code_only = settings->lines == LINES_CODE,
      .as_llvm_cov = settings->as_llvm_cov,
      .filter = filter_is_set(&settings->filter) ? &settings->filter : NULL,
      .paths = &settings->paths,
      .excluded = coverage->has_exclusions ? coverage->exclusions : NULL,
      .object = coverage->inputs->object};
}

static void append_active_calls(struct buffer *list,
                                const struct active_calls *active,
                                uint32_t elf) {
  const struct active_call *calls = (const void *)active->calls.data;
  for (size_t i = 0; i < active->calls.size / sizeof *calls; i++) {
    struct active_call call = calls[i];
    call.elf = elf;
    need_append(list, &call, sizeof call);
  }
}

/* Returns the name of an ELF. Functions that no ELF contains have the number of
 * ELFs as their index, and get the name of the first ELF. */
static const char *get_elf_name(const struct inputs *inputs, size_t which) {
  return inputs->subjects[which < inputs->count ? which : 0].name;
}

/* `whole` has the functions that no ELF contains, or is NULL. `profiles` has a
 * profile for each ELF; NULL leaves the ELF out. */
static void evaluate_inputs(const struct coverage *coverage,
                            const struct profile *const *profiles,
                            const struct expected_sources *whole,
                            struct model *exported) {
  const struct inputs *inputs = coverage->inputs;
  size_t count = inputs->count;
  size_t more = whole ? whole->added_count : 0;
  uint32_t elfs = 0;
  struct evaluation_input *list =
      need_memory(calloc(count + more + 1, sizeof *list));
  struct buffer active = {.limit = SIZE_MAX};
  struct evaluation_options mask = make_evaluate_options(coverage);
  for (size_t i = 0; i < count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    /* Active calls do not apply to the counts of a single test. */
    if (profiles[i] == &subject->profile)
      append_active_calls(&active, &subject->active, elfs);
    if (profiles[i] && inputs->object)
      mask.only = elfs ? NULL : &inputs->object->elfs[i];
    elfs += profiles[i] != NULL;
    list[i] = (struct evaluation_input){.elf = &subject->elf,
                                        .names = &subject->names,
                                        .profile = profiles[i],
                                        .saturated = subject->saturated};
  }
  mask.active = (const void *)active.data;
  mask.active_count = active.size / sizeof *mask.active;
  struct profile counts = {.function_count = 0};
  if (more)
    expected_make_profile(whole, profiles, count, &counts);
  if (more && *profiles)
    counts.bitmaps = (*profiles)->bitmaps;
  for (size_t i = 0; i < more; i++) {
    list[count + i] = whole->added[i];
    list[count + i].profile = &counts;
  }
  *exported = (struct model){.name_count = 0};
  const char *error = mask.object
                          ? object_model_evaluate(exported, &mask)
                          : evaluate_elfs(exported, list, count + more, &mask);
  profile_free(&counts);
  buffer_free(&active);
  free(list);
  exit_on_error(get_elf_name(inputs, exported->failed), error);
  exit_if_failed(coverage->tokens->failed);
}

void coverage_evaluate(const struct coverage *coverage,
                       const struct profile *const *profiles,
                       struct model *exported) {
  evaluate_inputs(coverage, profiles, coverage->expected, exported);
}

static bool has_elf_models(const struct coverage *coverage) {
  return coverage->inputs->count > 1 || coverage->expected;
}

/* Makes the model of one ELF without the other ELFs. `profiles` is scratch
 * memory. */
static void make_elf_model(struct coverage *coverage, size_t which,
                           const struct profile **profiles) {
  struct inputs *inputs = coverage->inputs;
  struct input_elf *subject = &inputs->subjects[which];
  struct model *own = &coverage->elf_models[which];
  for (size_t i = 0; i < inputs->count; i++)
    profiles[i] = i == which ? &subject->profile : NULL;
  model_free(own);
  evaluate_inputs(coverage, profiles, NULL, own);
}

static void free_elf_models(struct coverage *coverage) {
  for (size_t i = 0; coverage->elf_models && i < coverage->inputs->count; i++)
    model_free(&coverage->elf_models[i]);
  free(coverage->elf_models);
  coverage->elf_models = NULL;
}

static const struct scores_summary *
get_elf_summary(const struct coverage *coverage, size_t which) {
  return has_elf_models(coverage) ? &coverage->elf_models[which].summary
                                  : &coverage->exported.summary;
}

static void copy_elf_summaries(struct coverage *coverage) {
  struct inputs *inputs = coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++) {
    summary_free(&inputs->subjects[i].summary);
    summary_copy(&inputs->subjects[i].summary, get_elf_summary(coverage, i));
  }
}

/* Makes coverage->exported, and with `own` the model and summary of each
 * ELF. */
static void make_models(struct coverage *coverage, bool own) {
  const struct inputs *inputs = coverage->inputs;
  const struct profile **profiles =
      need_memory(calloc(inputs->count + 1, sizeof *profiles));
  for (size_t i = 0; i < inputs->count; i++)
    profiles[i] = &inputs->subjects[i].profile;
  model_free(&coverage->exported);
  coverage_evaluate(coverage, profiles, &coverage->exported);
  own &= has_elf_models(coverage);
  for (size_t i = 0; i < inputs->count && own; i++)
    make_elf_model(coverage, i, profiles);
  free(profiles);
  copy_elf_summaries(coverage);
}

/* Ends the command if the user's options exclude all sources. Also warns of
 * functions whose counts do not fit their mapping. */
static void refuse_empty_warn_mismatch(const struct coverage *coverage) {
  const struct model *exported = &coverage->exported;
  bool any = !filter_is_set(&coverage->settings->filter);
  for (size_t i = 0; i < exported->summary.count && !any; i++)
    any = !row_is_empty(&exported->summary.rows[i]);
  if (!any)
    exit_on_error(
        NULL,
        "report: --root, --include and --ignore leave no source file; use "
        "other patterns: patterns match the file names that the compiler got");
  size_t count = exported->mismatched.count;
  char shown[300];
  if (count)
    warn(get_elf_name(coverage->inputs, exported->mismatched.instance),
         "%zu function%s %s counters that do not match the coverage mapping, "
         "and %s left out, first %s; compile all files that define this "
         "function with the same options",
         count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
         count == 1 ? "is" : "are",
         make_printable(shown, sizeof shown, exported->mismatched.names[0]));
}

/* ---- names ---- */

/* Capital letters do not make another name: some disks do not distinguish them.
 */
static bool is_stem_taken(const struct inputs *inputs, size_t before,
                          const char *stem) {
  bool found = false;
  for (size_t i = 0; i < before; i++)
    found |= text_equals_ignoring_case(inputs->subjects[i].stem, stem);
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

static void name_and_write_profiles(struct coverage *coverage, size_t which) {
  struct input_elf *subject = &coverage->inputs->subjects[which];
  set_file_stem(coverage->inputs, which);
  if (coverage->inputs->object)
    return;
  char *raw = coverage_file_path(coverage, subject->stem, ".profraw");
  char *indexed = coverage_file_path(coverage, subject->stem, ".profdata");
  exit_if_failed(input_make_and_write_profiles(subject, raw, indexed));
  free(raw);
  free(indexed);
  if (subject->release > coverage->release)
    coverage->release = subject->release;
}

/* ---- the steps after the first model ---- */

/* Lists the decisions that MC/DC does not measure. Call this function before
 * anything is excluded, because the list also counts excluded decisions. */
static void list_unmeasured_decisions(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const struct report_settings *settings = coverage->settings;
  struct buffer *all = &coverage->unmeasured;
  if (!settings->mcdc && !coverage->exported.summary.total.scores[MCDC].count)
    return;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    exit_on_error(
        subject->name,
        unmeasured_append_elf(all, &subject->elf, &coverage->exported.summary));
  }
  negated_append_decisions(all, &coverage->exported);
  unmeasured_merge(all);
}

/* Finds the functions that no ELF contains (--sources), and makes the model
 * again with these functions. The models of the ELFs do not change. */
static void add_missing_functions(struct coverage *coverage) {
  struct expected_sources *whole = coverage->expected;
  if (!whole)
    return;
  exit_if_failed(expected_set_states_add_code(whole));
  if (whole->added_count)
    make_models(coverage, false);
}

/* Finds the excluded code and removes it from all models. */
static void apply_exclusions(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  excluded_add_sources_note_use(coverage);
  if (!coverage->has_exclusions)
    return;
  struct evaluation_options mask = make_evaluate_options(coverage);
  exit_on_error(inputs->subjects[0].name,
                evaluate_make_rows(&coverage->exported, &mask));
  for (size_t i = 0; i < inputs->count && has_elf_models(coverage); i++) {
    mask.only = inputs->object ? &inputs->object->elfs[i] : NULL;
    exit_on_error(inputs->subjects[i].name,
                  evaluate_make_rows(&coverage->elf_models[i], &mask));
  }
  /* The inputs still have the summaries without exclusions. --include may have
   * left an ELF without lines there. */
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->subjects[i].summary.total.scores[LINES].count &&
        !get_elf_summary(coverage, i)->total.scores[LINES].count)
      exit_on_error(inputs->subjects[i].name,
                    "all code of this file is excluded; exclude less code");
  copy_elf_summaries(coverage);
}

/* Makes the model again without the tokens of sources that have changed since
 * the build, because the positions of these tokens do not match the mapping. */
static void remake_models_if_sources_changed(struct coverage *coverage) {
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
  if (any)
    make_models(coverage, true);
}

void coverage_make(struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  coverage->tokens = need_memory(calloc(1, sizeof *coverage->tokens));
  coverage->elf_models =
      need_memory(calloc(inputs->count + 1, sizeof *coverage->elf_models));
  coverage->tokens->paths = &coverage->settings->paths;
  for (size_t i = 0; i < inputs->count; i++)
    name_and_write_profiles(coverage, i);
  /* Branches of several ELFs at one position are united. llvm-cov does this
   * only from this release on. */
  if (inputs->count > 1 && coverage->release &&
      coverage->release < UNITED_FIRST)
    coverage->release = UNITED_FIRST;
  if (coverage->expected)
    exit_if_failed(expected_read_elfs_and_plan(coverage->expected, coverage));
  make_models(coverage, true);
  refuse_empty_warn_mismatch(coverage);
  for (size_t i = 0; i < inputs->count; i++)
    source_list_and_compare(&inputs->subjects[i], coverage->settings);
  remake_models_if_sources_changed(coverage);
  add_missing_functions(coverage);
  list_unmeasured_decisions(coverage);
  apply_exclusions(coverage);
  free_elf_models(coverage);
  if (coverage->expected)
    expected_mark_added_rows(coverage);
  excluded_drop_and_set_stale(coverage);
  coverage->not_known.limit = UNMEASURED_MOST;
  unknown_numbers_append(&coverage->exported, &coverage->not_known);
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
