/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "modes.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/ere.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "increment.h"

enum { OBJECT_LIMIT = 1 << 30, NAKED_SHOWN = 80 };

const char *const cc_places[] = {"auto", "sections", "bss", NULL};
const char *const cc_coverages[] = {"none", "lines", "mcdc", NULL};

void cover_arguments(const struct cover *cover, struct arguments *arguments) {
  if (cover->coverage != CC_ASKED) {
    arguments_add(arguments, "-fprofile-instr-generate");
    arguments_add(arguments, "-fcoverage-mapping");
  }
  if (cover->coverage == CC_MCDC)
    arguments_add(arguments, "-fcoverage-mcdc");
}

void cover_print(const struct cover *cover) {
  printf("place %s\ncoverage %s\n", cc_places[cover->place],
         cc_coverages[cover->coverage]);
  for (size_t i = 0; i < cover->measure_count; i++)
    printf("measure %s\n", cover->measure[i]);
  for (size_t i = 0; i < cover->leave_count; i++)
    printf("leave %s\n", cover->leave[i]);
}

/* ---- which sources ---- */

/* error: of a pattern that is none. */
static bool any_matches(const char *const *patterns, size_t count,
                        const char *source, const char **error) {
  bool found = false;
  for (size_t i = 0; i < count && !found && !*error; i++) {
    struct ere ere = {0};
    *error = ere_compile(&ere, patterns[i]);
    found = !*error && ere_matches(&ere, source);
    ere_free(&ere);
  }
  return found;
}

/* Takes arguments out of a job. Returns whether there were some. */
static bool drop(struct job *job, bool (*drops)(const char *argument)) {
  struct arguments *arguments = &job->arguments;
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

static bool asks_for_counters(const char *argument) {
  return text_begins(argument, "-fprofile-instrument") ||
         text_begins(argument, "-fprofile-update=") ||
         strcmp(argument, "-fcoverage-mapping") == 0 ||
         strcmp(argument, "-fcoverage-mcdc") == 0;
}

/* clang's, which needs an operating system. */
static bool is_runtime(const char *argument) {
  return strstr(argument, "clang_rt.profile") ||
         strcmp(argument, "-u__llvm_profile_runtime") == 0;
}

/* Values need a runtime; counters that stay in registers in loops cost small
 * cores more than others. */
static void leave_values(struct job *job) {
  static const char *const options[] = {"disable-vp", "do-counter-promotion"};
  static const char *const values[] = {"true", "false"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char text[64];
    bool given = false;
    for (size_t k = 0; k < job->arguments.count; k++)
      given |= strstr(job->arguments.list[k], options[i]) != NULL;
    if (given)
      continue;
    snprintf(text, sizeof text, "-%s=%s", options[i], values[i]);
    job_add(job, "-mllvm", text);
  }
}

static bool counts(const struct job *job) {
  bool found = job->kind != JOB_OTHER;
  for (size_t i = 0; i < job->arguments.count; i++)
    found |= text_begins(job->arguments.list[i], "-fprofile-instrument");
  return found;
}

/* The source of a job: with -save-temps, its input is what an earlier job has
 * made. */
static const char *source_of(const struct jobs *jobs, size_t number) {
  const char *name = jobs->list[number].input;
  while (number--) {
    const struct job *earlier = &jobs->list[number];
    if (earlier->input && earlier->output && strcmp(earlier->output, name) == 0)
      name = earlier->input;
  }
  return name;
}

const char *cover_choose(const struct cover *cover, struct jobs *jobs,
                         bool *changed) {
  const char *error = NULL;
  for (size_t i = 0; i < jobs->count && !error; i++) {
    struct job *job = &jobs->list[i];
    const char *source = job->input ? source_of(jobs, i) : NULL;
    if (source && counts(job) &&
        ((cover->measure_count &&
          !any_matches(cover->measure, cover->measure_count, source, &error)) ||
         any_matches(cover->leave, cover->leave_count, source, &error))) {
      drop(job, asks_for_counters);
      job->kind = JOB_OTHER;
      *changed = true;
    }
    if (cover->place != CC_BSS)
      continue;
    if (job->kind == JOB_PROMOTES)
      leave_values(job);
    if (drop(job, is_runtime) || job->kind == JOB_PROMOTES || job->assembles)
      *changed = true;
  }
  return error;
}

/* ---- naked functions ---- */

static bool next_line(struct bytes *module, struct part *line) {
  struct bytes one;
  if (!bytes_line(module, &one))
    return false;
  *line = (struct part){(const char *)one.data, one.size};
  return true;
}

/* Finds the groups of attributes with `naked`; false: none. */
static bool find_groups(struct bytes module, bool groups[], long most) {
  struct part line;
  bool any = false;
  while (next_line(&module, &line)) {
    long group = part_begins(line, "attributes #") ? text_group(line) : -1;
    if (group < 0 || !part_contains(line, " naked "))
      continue;
    if (group < most)
      any = groups[group] = true;
  }
  return any;
}

/* The name of the function that a line defines. */
static struct part name_of(struct part line) {
  while (line.size && *line.at != '@')
    part_cut(&line, 1);
  struct part name = text_global(&line);
  part_take(&name, "@");
  if (part_take(&name, "\""))
    name.size--;
  return name;
}

size_t cover_naked(struct bytes module, FILE *list, char names[100]) {
  enum { GROUPS = 4096 };
  bool groups[GROUPS] = {false}, naked = false;
  struct part line, name = {NULL, 0};
  size_t count = 0, used = 0;
  names[0] = 0;
  if (!find_groups(module, groups, GROUPS))
    return 0;
  while (next_line(&module, &line)) {
    if (part_begins(line, "define ")) {
      long group = text_group(line);
      naked = group >= 0 && group < GROUPS && groups[group];
      name = name_of(line);
    }
    if (!naked || !part_contains(line, "call void @llvm.instrprof."))
      continue;
    naked = false; /* once a function */
    fprintf(list, "!fun:%.*s\n", (int)name.size, name.at);
    if (used + name.size < NAKED_SHOWN)
      used += (size_t)snprintf(names + used, 100 - used, "%s%.*s",
                               count ? ", " : "", (int)name.size, name.at);
    count++;
  }
  return count;
}

/* ---- objects ---- */

static int write_object(const char *name, const struct buffer *object) {
  struct output output;
  same_forget();
  if (output_open(&output, name))
    return 1;
  fwrite(object->data, 1, object->size, output.stream);
  return output_commit(&output);
}

int cover_place(const struct job *job, const char *source,
                const struct placing *how) {
  struct os_facts facts;
  struct file file;
  struct cc_placing place = {.labels = how->labels};
  struct buffer object = {.limit = OBJECT_LIMIT};
  if (!job->output || !os_look(job->output, &facts) || facts.kind != OS_FILE)
    return 0;
  if (file_read(&file, job->output, OBJECT_LIMIT))
    return 1;
  bool is_object = place_is_object(file.bytes);
  bool bitcode = job->kind == JOB_PROMOTES && job->object &&
                 file.bytes.size > 1 && memcmp(file.bytes.data, "BC", 2) == 0;
  const char *error =
      is_object ? buffer_append(&object, file.bytes.data, file.bytes.size)
                : NULL;
  file_close(&file);
  if (bitcode)
    error = "it is compiled to bitcode, whose counters of -fprofile-generate "
            "cannot be placed; compile without -flto, or without --place=bss";
  if (is_object && !error)
    error = place_object(&place, &object);
  int status = error ? report(source, "%s", error) : 0;
  if (!status && is_object && object.size != file.bytes.size)
    status = write_object(job->output, &object);
  if (!status && is_object && how->verbose)
    fprintf(stderr,
            "bareprof: %s: %llu bytes of counters and %llu of bitmaps in %s, "
            "%llu in .data\n",
            source, (unsigned long long)place.counters,
            (unsigned long long)place.bitmaps,
            how->labels ? "no memory" : ".bss", (unsigned long long)place.data);
  buffer_free(&object);
  return status;
}
