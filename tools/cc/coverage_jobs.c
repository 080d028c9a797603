/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changes the driver's jobs and outputs for --coverage, --include, --ignore and
 * --place=bss. launch.c calls this file.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/ere.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "increment.h"
#include "steps.h"

enum { OBJECT_LIMIT = 1 << 30, NAKED_SHOWN = 80 };

const char *const cc_places[] = {"auto", "sections", "bss", NULL};
const char *const cc_coverages[] = {"none", "lines", "mcdc", NULL};

void cc_add_coverage_options(const struct coverage_options *cover,
                             struct argument_list *arguments) {
  if (cover->coverage != CC_ASKED) {
    arguments_append(arguments, "-fprofile-instr-generate");
    arguments_append(arguments, "-fcoverage-mapping");
    /* Assembly does not use these options, and the user may have -Werror. */
    arguments_append(arguments, "-Wno-error=unused-command-line-argument");
  }
  if (cover->coverage == CC_MCDC)
    arguments_append(arguments, "-fcoverage-mcdc");
}

void cc_print_coverage_options(const struct coverage_options *cover) {
  printf("place %s\ncoverage %s\n", cc_places[cover->place],
         cc_coverages[cover->coverage]);
  for (size_t i = 0; i < cover->measure_count; i++)
    printf("measure %s\n", cover->measure[i]);
  for (size_t i = 0; i < cover->leave_count; i++)
    printf("leave %s\n", cover->leave[i]);
}

/* ---- the choice of sources ---- */

/* Returns whether a pattern matches the source's name. Sets *error if a pattern
 * is not a regular expression. */
static bool matches_any_pattern(const char *const *patterns, size_t count,
                                const char *source, const char **error) {
  static char wrong[300];
  bool found = false;
  for (size_t i = 0; i < count && !found && !*error; i++) {
    struct ere ere = {0};
    const char *why = ere_compile(&ere, patterns[i]);
    found = !why && ere_matches(&ere, source);
    ere_free(&ere);
    if (why) {
      snprintf(wrong, sizeof wrong, "the pattern '%.150s' is not valid: %s",
               patterns[i], why);
      *error = wrong;
    }
  }
  return found;
}

/* Removes the arguments for which `drops` is true from a job. Returns whether
 * any argument was removed. */
static bool remove_job_arguments(struct compiler_job *job,
                                 bool (*drops)(const char *argument)) {
  struct argument_list *arguments = &job->arguments;
  size_t kept = 0, count = arguments->count;
  for (size_t i = 0; i < count; i++) {
    char *argument = arguments->list[i];
    if (drops(argument))
      free(argument);
    else
      arguments->list[kept++] = argument;
  }
  arguments->count = kept;
  arguments->list[kept] = NULL;
  return kept != count;
}

static bool is_counter_option(const char *argument) {
  return text_starts_with(argument, "-fprofile-instrument") ||
         text_starts_with(argument, "-fprofile-update=") ||
         strcmp(argument, "-fcoverage-mapping") == 0 ||
         strcmp(argument, "-fcoverage-mcdc") == 0;
}

/* Returns whether the argument links clang's runtime, which needs an operating
 * system. */
static bool is_runtime_argument(const char *argument) {
  return strstr(os_base_name(argument), "clang_rt.profile") ||
         strcmp(argument, "-u__llvm_profile_runtime") == 0;
}

/* Adds options to an IR PGO job, unless the user has set them: no value
 * profiling, which needs a runtime on the target, and no counters in registers
 * in loops, which are slower on small cores. */
static void add_ir_pgo_options(struct compiler_job *job) {
  job_add_llvm_option(job, "disable-vp=true");
  job_add_llvm_option(job, "do-counter-promotion=false");
}

/* Returns whether a job has profile options. With -save-temps, the job that
 * preprocesses has them, too, but its kind is JOB_OTHER. */
static bool job_has_counters(const struct compiler_job *job) {
  bool found = job->kind != JOB_OTHER;
  for (size_t i = 0; i < job->arguments.count; i++)
    found |= text_starts_with(job->arguments.list[i], "-fprofile-instrument");
  return found;
}

/* Returns the source of a job. With -save-temps, the job's input is a file that
 * an earlier job wrote. */
static const char *find_job_source(const struct compiler_jobs *jobs,
                                   size_t number) {
  const char *name = jobs->list[number].input;
  while (number--) {
    const struct compiler_job *earlier = &jobs->list[number];
    if (earlier->input && earlier->output && strcmp(earlier->output, name) == 0)
      name = earlier->input;
  }
  return name;
}

const char *cc_drop_or_add_job_options(const struct coverage_options *cover,
                                       struct compiler_jobs *jobs,
                                       bool *changed) {
  const char *error = NULL;
  for (size_t i = 0; i < jobs->count && !error; i++) {
    struct compiler_job *job = &jobs->list[i];
    const char *source = job->input ? find_job_source(jobs, i) : NULL;
    if (source && job_has_counters(job) &&
        ((cover->measure_count &&
          !matches_any_pattern(cover->measure, cover->measure_count, source,
                               &error)) ||
         matches_any_pattern(cover->leave, cover->leave_count, source,
                             &error))) {
      remove_job_arguments(job, is_counter_option);
      job->kind = JOB_OTHER;
      *changed = true;
    }
    if (cover->place != CC_BSS)
      continue;
    if (job->kind == JOB_PROMOTES)
      add_ir_pgo_options(job);
    if (remove_job_arguments(job, is_runtime_argument) ||
        job->kind == JOB_PROMOTES || job->assembles)
      *changed = true;
  }
  return error;
}

/* ---- naked functions ---- */

/* Marks the attribute groups that contain `naked`. Returns whether any group
 * contains it. */
static bool mark_naked_attribute_groups(struct bytes module, bool groups[],
                                        long most) {
  struct text_part line;
  bool any = false;
  while (text_next_line(&module, &line)) {
    long group = part_starts_with(line, "attributes #")
                     ? text_find_attribute_group(line)
                     : -1;
    if (group < 0 || !part_contains(line, " naked "))
      continue;
    if (group < most)
      any = groups[group] = true;
  }
  return any;
}

size_t cc_list_naked_functions(struct bytes module, FILE *list,
                               char names[100]) {
  enum { GROUPS = 4096 };
  bool groups[GROUPS] = {false}, naked = false;
  struct text_part line, name = {NULL, 0};
  size_t count = 0, used = 0;
  names[0] = 0;
  if (!mark_naked_attribute_groups(module, groups, GROUPS))
    return 0;
  while (text_next_line(&module, &line)) {
    if (part_starts_with(line, "define ")) {
      long group = text_find_attribute_group(line);
      naked = group >= 0 && group < GROUPS && groups[group];
      name = text_defined_name(line);
      part_skip_word(&name, "@");
      if (part_skip_word(&name, "\""))
        name.size--;
    }
    if (!naked || !part_contains(line, "call void @llvm.instrprof."))
      continue;
    naked = false; /* list only one entry for each function */
    fprintf(list, "!fun:%.*s\n", (int)name.size, name.at);
    if (used + name.size < NAKED_SHOWN)
      used += (size_t)snprintf(names + used, 100 - used, "%s%.*s",
                               count ? ", " : "", (int)name.size, name.at);
    count++;
  }
  return count;
}

/* ---- objects ---- */

int cc_move_output_counters(const struct compiler_job *job, bool traces,
                            bool verbose) {
  struct os_file_info facts;
  struct file file;
  struct placed_sizes place = {.traces = traces};
  struct buffer object = {.limit = OBJECT_LIMIT};
  const char *error = NULL, *source = job_source_name(job);
  if (!job->output || !os_stat(job->output, &facts) || facts.kind != OS_FILE)
    return 0;
  if (file_read(&file, job->output, OBJECT_LIMIT))
    return 1;
  size_t size = file.bytes.size;
  bool is_object = place_is_elf_object(file.bytes);
  if (is_object)
    error = buffer_append_bytes(&object, file.bytes.data, file.bytes.size);
  else if (job->kind == JOB_PROMOTES && job->object && file.bytes.size > 1 &&
           memcmp(file.bytes.data, "BC", 2) == 0)
    error = "clang writes bitcode, where counters of -fprofile-generate cannot "
            "be moved to .bss; compile without -flto, or without --place=bss";
  file_close(&file);
  if (is_object && !error)
    error = place_object(&place, &object);
  int status = error ? report(source, "%s", error) : 0;
  if (!status && is_object && object.size != size) {
    file_forget_identities(); /* the object was read: do not refuse it */
    status = output_write_bytes(job->output, buffer_bytes(&object));
  }
  if (!status && is_object && verbose)
    fprintf(stderr,
            "bareprof: %s: %llu bytes of counters and %llu of bitmaps in %s, "
            "%llu in .data\n",
            source, (unsigned long long)place.counters,
            (unsigned long long)place.bitmaps, traces ? "no memory" : ".bss",
            (unsigned long long)place.data);
  buffer_free(&object);
  return status;
}
