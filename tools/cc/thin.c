/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pseudo probes are no code, but keep the optimiser from changing loops and
 * branches. A function loses its probes if its code behind the optimiser is
 * longer with probes than without. Functions that exist only inlined into this
 * function lose theirs, too. The list gets the names: the build that uses the
 * profile must leave out the same probes, and compares nothing.
 *
 * The job itself runs first, and prints its functions behind the optimiser
 * among its messages. Few objects have a function that loses probes, and only
 * these are compiled again.
 *
 * A call of the intrinsic is a probe of the function whose number is the first
 * argument, also where the function is inlined:
 *
 *   call void @llvm.pseudoprobe(i64 -4160128573, i64 2, i32 0, i64 -1)
 *   !14 = !{i64 -4160128573, i64 4294967295, !"its name"}
 */
#include "launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/map.h"
#include "../base/os.h"
#include "../object/digest.h"
#include "increment.h"

enum { TEXT_LIMIT = 1 << 30, WITHOUT = 0, WITH = 1 };

/* How much longer a function may be: the optimiser may turn a loop otherwise,
 * which costs no time. */
enum { LONGER_PERCENT = 10, LONGER_MOST = 4 };

static const char probe_word[] = "call void @llvm.pseudoprobe(i64 ";
/* clang 14 has no semicolon before it. */
static const char dump_word[] = "*** IR Dump After AnnotationRemarksPass";

struct thin_function {
  struct ir_text name; /* empty until the module with probes is read */
  size_t lines[2];     /* instructions, without and with probes; 0: no code */
  bool dropped, listed;
};

struct thin_probe {
  uint64_t into, of;
};

struct thinning {
  const struct launch *launch;
  struct job *job;
  FILE *whole, *rest;      /* messages; of the job itself, with functions */
  struct file list;        /* as it was */
  struct file module;      /* with all probes */
  struct buffer functions; /* struct thin_function */
  struct buffer probes;    /* struct thin_probe, behind the optimiser */
  struct map numbers;      /* of functions, from 1, by the probes' numbers */
  size_t dropped;
};

/* ---- functions ---- */

static uint64_t number_at(const char *at) {
  return (uint64_t)strtoll(at, NULL, 10);
}

static struct thin_function *function_of(const struct thinning *thinning,
                                         uint64_t number) {
  uint64_t *at = map_find(&thinning->numbers, number, 0, 0);
  return at ? (struct thin_function *)(void *)thinning->functions.data + *at - 1
            : NULL;
}

/* The same, and a new function if there is none. NULL: no memory. */
static struct thin_function *add_function(struct thinning *thinning,
                                          uint64_t number) {
  const struct thin_function function = {0};
  uint64_t *place = map_at(&thinning->numbers, number, 0, 0);
  if (place && !*place &&
      !buffer_append(&thinning->functions, &function, sizeof function))
    *place = thinning->functions.size / sizeof function;
  return place && *place ? function_of(thinning, number) : NULL;
}

/* Whether the line describes a function with probes. */
static bool read_description(struct ir_text line, uint64_t *number,
                             struct ir_text *name) {
  if (!text_begins(line, "!") || !text_skip_to(&line, " = !{i64 "))
    return false;
  *number = number_at(line.at);
  if (!text_skip_to(&line, ", i64 ") || !text_skip_to(&line, ", !\""))
    return false;
  *name = line;
  return text_skip_to(&line, "\"}") &&
         (name->size = (size_t)(line.at - name->at) - 2) > 0;
}

static const char *find_names(struct thinning *thinning) {
  const char *at = (const char *)thinning->module.bytes.data;
  const char *end = at + thinning->module.bytes.size;
  struct ir_text name;
  uint64_t number;
  for (struct ir_text line = line_at(at, end); line.at < end;
       line = line_after(line, end)) {
    if (!read_description(line, &number, &name))
      continue;
    struct thin_function *function = add_function(thinning, number);
    if (!function)
      return out_of_memory;
    function->name = name;
  }
  return NULL;
}

static void drop_function(struct thinning *thinning,
                          struct thin_function *function) {
  thinning->dropped += !function->dropped;
  function->dropped = true;
}

/* ---- the comparison ---- */

/* Whether the line has an instruction, or a value of a switch: the optimiser's
 * notes to itself have no code, and phis hardly any. */
static bool is_code(struct ir_text line) {
  static const char *const others[] = {" = phi ", "@llvm.lifetime.",
                                       "@llvm.dbg.", "@llvm.experimental.",
                                       "uselistorder"};
  if (!text_take(&line, "  ") || !line.size || *line.at == ']')
    return false;
  if (text_take(&line, "  "))
    return text_begins(line, "i");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (text_contains(line, others[i]))
      return false;
  return true;
}

static struct ir_text name_of(struct ir_text define) {
  while (define.size && *define.at != '@')
    text_cut(&define, 1);
  struct ir_text name = text_global(&define);
  size_t quotes = name.size > 2 && name.at[1] == '"';
  return name.size ? (struct ir_text){name.at + 1 + quotes,
                                      name.size - 1 - 2 * quotes}
                   : name;
}

/* Counts the instructions of the functions in the text. */
static const char *measure(struct thinning *thinning, struct bytes text,
                           unsigned with) {
  const char *end = (const char *)text.data + text.size, *error = NULL;
  struct thin_probe probe = {0};
  bool inside = false;
  for (struct ir_text line = line_at((const char *)text.data, end);
       line.at < end && !error; line = line_after(line, end)) {
    struct ir_text call = line;
    if (text_begins(line, "define ")) {
      struct ir_text name = name_of(line);
      probe.into = md5_low64(name.at, name.size);
      inside = add_function(thinning, probe.into) != NULL;
      error = inside ? NULL : out_of_memory;
    } else if (text_begins(line, "}")) {
      inside = false;
    } else if (inside && text_skip_to(&call, probe_word)) {
      probe.of = number_at(call.at);
      error = add_function(thinning, probe.of)
                  ? buffer_add(&thinning->probes, &probe, sizeof probe)
                  : out_of_memory;
    } else if (inside) {
      function_of(thinning, probe.into)->lines[with] += is_code(line);
    }
  }
  return error;
}

static void choose(struct thinning *thinning) {
  struct thin_function *functions = (void *)thinning->functions.data;
  const struct thin_probe *probes = (const void *)thinning->probes.data;
  for (size_t i = 0; i < thinning->functions.size / sizeof *functions; i++) {
    uint64_t without = functions[i].lines[WITHOUT];
    uint64_t with = functions[i].lines[WITH];
    if (without && with > without + LONGER_MOST &&
        with * 100 > without * (100 + LONGER_PERCENT))
      drop_function(thinning, &functions[i]);
  }
  for (size_t i = 0; i < thinning->probes.size / sizeof *probes; i++) {
    struct thin_function *of = function_of(thinning, probes[i].of);
    if (function_of(thinning, probes[i].into)->dropped && !of->lines[WITH])
      drop_function(thinning, of);
  }
}

static int measure_file(struct thinning *thinning, const char *name,
                        unsigned with) {
  struct file file;
  if (file_read(&file, name, TEXT_LIMIT))
    return 1;
  const char *error = measure(thinning, file.bytes, with);
  file_close(&file);
  return error ? report_memory(NULL) : 0;
}

/* ---- files ---- */

/* A build that uses a profile needs a list. */
static int read_list(struct thinning *thinning, bool needed) {
  bool found = false;
  const char *name = thinning->launch->thin;
  if (file_read_if(&thinning->list, name, TEXT_LIMIT, &found))
    return 1;
  return found || !needed
             ? 0
             : report(name, "there is no such list; build without "
                            "-fprofile-sample-use first, as the build "
                            "that was sampled");
}

static bool has_name(struct bytes object, struct ir_text name) {
  const uint8_t *at = object.data, *end = at + object.size;
  while ((at = memchr(at, *name.at, (size_t)(end - at))) &&
         (size_t)(end - at) >= name.size) {
    if (memcmp(at, name.at, name.size) == 0)
      return true;
    at++;
  }
  return false;
}

/* Goes through the list. Sets *found if the object, NULL: none, has one of the
 * names. Drops the functions that are known. */
static void use_list(struct thinning *thinning, const struct file *object,
                     bool *found) {
  const char *at = (const char *)thinning->list.bytes.data;
  const char *end = at + thinning->list.bytes.size;
  for (struct ir_text line = line_at(at, end); line.at < end;
       line = line_after(line, end)) {
    struct thin_function *function =
        function_of(thinning, md5_low64(line.at, line.size));
    *found = *found || (object && line.size && has_name(object->bytes, line));
    if (!function)
      continue;
    drop_function(thinning, function);
    function->listed = true;
  }
}

/* Adds what the list lacks, in one piece: other jobs of the build add theirs.
 */
static int add_to_list(const struct thinning *thinning) {
  const char *name = thinning->launch->thin;
  const struct thin_function *functions =
      (const void *)thinning->functions.data;
  FILE *out = os_fopen(name, "a");
  if (!out)
    return report(name, "cannot be written: %s; give another file",
                  os_error(errno));
  struct buffer text = {.limit = TEXT_LIMIT};
  bool failed = false;
  for (size_t i = 0; i < thinning->functions.size / sizeof *functions; i++)
    if (functions[i].dropped && !functions[i].listed)
      failed |= buffer_append(&text, functions[i].name.at,
                              functions[i].name.size) ||
                buffer_append(&text, "\n", 1);
  setvbuf(out, NULL, _IONBF, 0);
  failed |= text.size && fwrite(text.data, 1, text.size, out) != text.size;
  buffer_free(&text);
  failed |= fclose(out) != 0;
  return failed ? report(name, "cannot be written: %s; free the disk",
                         os_error(errno))
                : 0;
}

/* Writes the module without the probes of functions that were dropped. */
static int write_thin(const struct thinning *thinning, const char *name) {
  const char *at = (const char *)thinning->module.bytes.data;
  const char *end = at + thinning->module.bytes.size;
  FILE *out = os_fopen(name, "w");
  if (!out)
    return report(name, "cannot be written: %s; set TMPDIR", os_error(errno));
  for (struct ir_text line = line_at(at, end); line.at < end;
       line = line_after(line, end)) {
    struct ir_text call = line;
    const struct thin_function *of =
        text_begins(line, "  ") && text_skip_to(&call, probe_word)
            ? function_of(thinning, number_at(call.at))
            : NULL;
    if (of && of->dropped)
      continue;
    part_put(out, line);
    fputc('\n', out);
  }
  bool failed = ferror(out);
  failed |= fclose(out) != 0;
  return failed ? report(name, "cannot be written: %s; free the disk",
                         os_error(errno))
                : 0;
}

/* ---- a job ---- */

struct thin_paths {
  char whole[PATH_ROOM], object[PATH_ROOM];
  char front[PATH_ROOM], probed[PATH_ROOM], thin[PATH_ROOM];
  char without[PATH_ROOM];
};

/* Shows what the job said, without the functions that it printed. */
static void show_whole(const struct file *file) {
  const char *at = (const char *)file->bytes.data, *end = at + file->bytes.size;
  bool dump = false;
  for (struct ir_text line = line_at(at, end); line.at < end;
       line = line_after(line, end)) {
    struct ir_text word = line;
    (void)text_take(&word, "; ");
    dump |= text_begins(word, dump_word);
    if (!dump)
      fprintf(stderr, "%.*s\n", (int)line.size, line.at);
    dump &= !text_begins(line, "}");
  }
}

/* Runs the job as it is. Without a profile it prints its functions, which are
 * measured. */
static int run_whole(struct thinning *thinning, const char *output,
                     const char *messages, bool uses) {
  struct arguments arguments = {0};
  struct file said;
  job_again(thinning->job, output, &arguments);
  static const char *const more[] = {
      "-mllvm", "-enable-npm-pgo-inline-deferral=false", "-mllvm",
      "-print-after=annotation-remarks"};
  for (size_t i = 0; !uses && i < sizeof more / sizeof *more; i++)
    arguments_add(&arguments, "%s", more[i]);
  int status = run_arguments(&arguments, thinning->whole);
  arguments_free(&arguments);
  if (file_read(&said, messages, TEXT_LIMIT))
    return 1;
  show_whole(&said);
  if (!status && !uses && measure(thinning, said.bytes, WITH))
    status = report_memory(NULL);
  file_close(&said);
  return status;
}

/* Compares the functions with those of the same source without probes. */
static int compare(struct thinning *thinning, const char *without) {
  int status = run_step(thinning->job, STEP_OPTIMISE, thinning->job->input,
                        without, thinning->rest);
  if (!status)
    status = measure_file(thinning, without, WITHOUT);
  if (!status)
    choose(thinning);
  return status;
}

static void say(const struct thinning *thinning) {
  const struct thin_function *functions =
      (const void *)thinning->functions.data;
  size_t count = thinning->functions.size / sizeof *functions;
  fprintf(stderr, "bareprof: %s: %zu of %zu functions have no probes",
          job_source(thinning->job), thinning->dropped, count);
  for (size_t i = 0, said = 0; i < count; i++)
    if (functions[i].dropped)
      fprintf(stderr, "%s%.*s", said++ ? ", " : ": ",
              (int)functions[i].name.size, functions[i].name.at);
  fputc('\n', stderr);
}

/* Compiles once more, without the probes of functions that were dropped. */
static int run_thin(struct thinning *thinning, const struct thin_paths *paths) {
  struct job *job = thinning->job;
  bool found = false;
  int status = run_step(job, STEP_FRONT_TEXT, job->input, paths->front,
                        thinning->rest);
  if (!status)
    status = run_step(job, STEP_PROBES, paths->front, paths->probed,
                      thinning->rest);
  if (!status)
    status = file_read(&thinning->module, paths->probed, TEXT_LIMIT);
  if (status)
    return status;
  if (find_names(thinning))
    return report_memory(NULL);
  use_list(thinning, NULL, &found);
  status = write_thin(thinning, paths->thin);
  return status ? status
                : run_step(job, STEP_REST, paths->thin, NULL, thinning->rest);
}

static int run_steps(struct thinning *thinning,
                     const struct thin_paths *paths) {
  struct job *job = thinning->job;
  struct file object;
  bool uses = job_uses_samples(job);
  /* What has gone to standard output cannot be written again. */
  bool piped = strcmp(job->output, "-") == 0, thin = piped;
  const char *output = piped ? paths->object : job->output;
  int status = read_list(thinning, uses);
  if (!status)
    status = run_whole(thinning, output, paths->whole, uses);
  if (!status && !uses)
    status = compare(thinning, paths->without);
  if (!status)
    status = file_read(&object, output, TEXT_LIMIT);
  if (status)
    return status;
  use_list(thinning, &object, &thin);
  file_close(&object);
  if (thin || thinning->dropped)
    status = run_thin(thinning, paths);
  if (!status && !uses)
    status = add_to_list(thinning);
  if (!status && thinning->launch->verbose)
    say(thinning);
  return status;
}

int thin_run(const struct launch *launch, const struct scratch *scratch,
             struct job *job) {
  struct thinning thinning = {.launch = launch,
                              .job = job,
                              .rest = os_temporary_file(),
                              .functions.limit = TEXT_LIMIT,
                              .probes.limit = TEXT_LIMIT,
                              .numbers.limit = TEXT_LIMIT};
  struct thin_paths paths;
  int status = 1;
  scratch_path(scratch, "whole", paths.whole);
  scratch_path(scratch, "object", paths.object);
  scratch_path(scratch, "front.ll", paths.front);
  scratch_path(scratch, "probed.ll", paths.probed);
  scratch_path(scratch, "thin.ll", paths.thin);
  scratch_path(scratch, "without.ll", paths.without);
  if (job_is_bitcode(job)) {
    report(job_source(job), "it is compiled to bitcode, whose code is not "
                            "known yet; compile without -flto, or without "
                            "--thin-probes");
  } else if (!(thinning.whole = os_fopen(paths.whole, "w+")) ||
             !thinning.rest) {
    report(os_temporary_files, "no file can be made there: %s; free the disk",
           os_error(errno));
  } else {
    status = run_steps(&thinning, &paths);
    if (status)
      show_messages(thinning.rest);
  }
  if (thinning.whole)
    fclose(thinning.whole);
  if (thinning.rest)
    fclose(thinning.rest);
  file_close(&thinning.list);
  file_close(&thinning.module);
  buffer_free(&thinning.functions);
  buffer_free(&thinning.probes);
  map_free(&thinning.numbers);
  return status;
}
