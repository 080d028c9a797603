/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses clang's jobs in the text that `clang -###` prints, makes the command
 * lines of their steps, and runs them. launch.c decides which job runs in
 * steps.
 *
 * The driver prints one line per job. All arguments are in quotes, with a
 * backslash before quotes, backslashes and dollars.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../base/text_part.h"
#include "../base/storage.h"
#include "steps.h"

int job_report_cannot_run(const char *program) {
  return report(program, "cannot be run: %s; check its name and PATH",
                os_error_text(errno));
}

static int shell_exit_status(int status) {
  return os_end_signal(status) ? 128 + os_end_signal(status)
                               : os_exit_status(status);
}

int job_run_arguments(const struct argument_list *arguments, FILE *messages) {
  if (arguments->failed)
    return report_out_of_memory(NULL);
  fflush(NULL);
  int status = os_run_program(arguments->list, stdin, stdout, messages);
  return status == -1 ? job_report_cannot_run(arguments->list[0])
                      : shell_exit_status(status);
}

int job_run_step(const struct compiler_job *job, enum compile_step step,
                 const char *input, const char *output, FILE *messages) {
  struct argument_list arguments = {0};
  job_fill_step_arguments(job, step, input, output, &arguments);
  int status = job_run_arguments(&arguments, messages);
  arguments_free(&arguments);
  return status;
}

void job_print_messages(FILE *messages) {
  char text[4096];
  size_t size;
  rewind(messages);
  while ((size = fread(text, 1, sizeof text, messages)) > 0)
    fwrite(text, 1, size, stderr);
}

const char job_split_dwarf[] = "-split-dwarf-output";

void job_remove_file(const char *name) {
  struct os_file_info facts;
  if (name && !os_is_link(name) && os_stat(name, &facts) &&
      facts.kind == OS_FILE)
    (void)os_remove(name);
}

void job_remove_outputs(const struct compiler_job *job) {
  job_remove_file(job->output);
  job_remove_file(job_option_value(job, job_split_dwarf));
}

bool job_has_message(FILE *messages, const char *words) {
  char line[1000];
  bool found = false;
  rewind(messages);
  while (!found && fgets(line, sizeof line, messages))
    found = strstr(line, words) != NULL;
  rewind(messages);
  return fflush(messages) == 0 && found;
}

/* ==== The next functions parse jobs and make the arguments of their steps. */

/* ---- the driver's output ---- */

static bool is_equal_text(const char *text, const char *word) {
  return strcmp(text, word) == 0;
}

/* Parses the argument at an opening quote into `room`, which is as large as the
 * text. Returns the text after the closing quote, or NULL if the closing quote
 * is missing. */
static const char *parse_argument(const char *text, char *room) {
  for (text++; *text != '"'; text++) {
    if (*text == '\\')
      text++;
    if (!*text)
      return NULL;
    *room++ = *text;
  }
  *room = 0;
  return text + 1;
}

/* Parses a line of arguments. Returns the text after the line, or NULL if the
 * line is broken. */
static const char *parse_job(struct compiler_job *job, const char *text,
                             char *room) {
  while (text && *text == ' ' && text[1] == '"') {
    text = parse_argument(text + 1, room);
    if (text)
      arguments_append(&job->arguments, "%s", room);
  }
  return text && *text == '\n' ? text + 1 : NULL;
}

/* Returns whether a line is a message of this kind, "error: " or "warning: ".
 * The driver also prints its version, target and folders before the jobs. */
static bool has_message_kind(const char *line, size_t size, const char *kind) {
  size_t length = strlen(kind);
  for (; size >= length; line++, size--)
    if (strncmp(line, kind, length) == 0)
      return true;
  return false;
}

/* ---- the meaning of a job ---- */

static bool is_output_kind_option(const char *argument) {
  return is_equal_text(argument, "-emit-obj") ||
         is_equal_text(argument, "-S") ||
         is_equal_text(argument, "-emit-llvm") ||
         is_equal_text(argument, "-emit-llvm-bc");
}

/* Returns whether the program is an assembler beside clang, which clang runs
 * with -fno-integrated-as. */
static bool is_assembler(const char *program) {
  const char *base = os_base_name(program), *dash = strrchr(base, '-');
  return text_is_listed(dash ? dash + 1 : base, "as as.exe");
}

/* Sets the members of a job from its arguments. Only a job that runs passes and
 * writes a file can have counters. */
static void classify_job(struct compiler_job *job) {
  char **list = job->arguments.list;
  bool output = false, passes = true, counts = false, promotes = false;
  if (job->arguments.count < 3)
    return;
  job->assembles = is_equal_text(list[1], "-cc1as") || is_assembler(list[0]);
  if (job->assembles)
    job->output = job_option_value(job, "-o");
  if (!is_equal_text(list[1], "-cc1"))
    return;
  for (size_t i = 2; i < job->arguments.count; i++) {
    output |= is_output_kind_option(list[i]);
    passes &= !is_equal_text(list[i], "-disable-llvm-passes") &&
              !is_equal_text(list[i], "-disable-llvm-optzns");
    counts |= is_equal_text(list[i], "-fprofile-instrument=clang");
    promotes |= is_equal_text(list[i], "-fprofile-instrument=llvm") ||
                is_equal_text(list[i], "-fprofile-instrument=csllvm");
    job->atomic |= is_equal_text(list[i], "-fprofile-update=atomic");
    job->ir |= is_equal_text(list[i], "-x") && list[i + 1] &&
               is_equal_text(list[i + 1], "ir");
    job->object |= is_equal_text(list[i], "-emit-obj") ||
                   text_starts_with(list[i], "-flto");
    if (is_equal_text(list[i], "-o") && list[i + 1])
      job->output = list[i + 1];
  }
  job->input = list[job->arguments.count - 1];
  if (output && job->output && counts)
    job->kind = passes ? JOB_COUNTS : JOB_STOPS;
  else if (output && job->output && promotes && passes)
    job->kind = JOB_PROMOTES;
}

static struct compiler_job *append_job(struct compiler_jobs *jobs) {
  if (!list_make_room(&jobs->list, jobs->count, sizeof *jobs->list))
    return NULL;
  jobs->list[jobs->count] = (struct compiler_job){0};
  return &jobs->list[jobs->count++];
}

/* Parses one line. Returns the text after the line, or NULL if the line is
 * broken. */
static const char *parse_driver_line(struct compiler_jobs *jobs,
                                     const char *text, char *room,
                                     bool *error) {
  if (text_starts_with(text, " \"")) {
    struct compiler_job *job = append_job(jobs);
    text = job ? parse_job(job, text, room) : NULL;
    if (text)
      classify_job(job);
    return text;
  }
  size_t size = strcspn(text, "\n");
  *error |= has_message_kind(text, size, "error: ");
  return text + size + (text[size] == '\n');
}

enum jobs_result jobs_parse(struct compiler_jobs *jobs, const char *text) {
  bool error = false, clang = false;
  char *room = malloc(strlen(text) + 1);
  while (room && text && *text)
    text = parse_driver_line(jobs, text, room, &error);
  free(room);
  if (error)
    return JOBS_FAILED;
  if (!room || !text)
    return JOBS_BROKEN;
  for (size_t i = 0; i < jobs->count; i++) {
    const struct argument_list *job = &jobs->list[i].arguments;
    if (job->failed)
      return JOBS_BROKEN;
    clang |= jobs->list[i].assembles ||
             (job->count > 1 && text_starts_with(job->list[1], "-cc1"));
  }
  return clang ? JOBS_READ : JOBS_NONE;
}

void jobs_print_warnings(const char *text) {
  while (*text) {
    size_t size = strcspn(text, "\n");
    if (*text != ' ' && has_message_kind(text, size, "warning: "))
      fprintf(stderr, "%.*s\n", (int)size, text);
    text += size + (text[size] == '\n');
  }
}

void jobs_free(struct compiler_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++)
    arguments_free(&jobs->list[i].arguments);
  free(jobs->list);
  *jobs = (struct compiler_jobs){0};
}

/* ---- steps ---- */

/* The steps that get an option. AGAIN stands for STEP_FRONT_AGAIN, which does
 * not get the names of files that the first run has written. */
enum { FRONT = 1, AGAIN = 2, REST = 4, LOWER = 8, OBJECT = 16 };
enum { SOURCE = FRONT | AGAIN, ALL = SOURCE | REST };
/* The ways in which an option is written: it equals the word, or begins with
 * the word. With VALUE, the next argument is the option's value, which may look
 * like an option. */
enum { BEGINS, EXACT, VALUE, BEGINS_VALUE };

struct option_rule {
  const char *word;
  unsigned char how, steps;
};

/* Options without a rule go to the steps of ALL. The lowering needs the options
 * for the target and for counters. The assembler finds most settings in the
 * text. */
static const struct option_rule rules[] = {
    /* Options for the output and its format. */
    {"-emit-obj", EXACT, REST},
    {"-S", EXACT, REST},
    {"-emit-llvm", BEGINS, REST},
    {"-o", VALUE, 0},
    {"-x", VALUE, SOURCE},
    {"-flto", BEGINS, REST},
    {"-fthin-link-bitcode=", BEGINS, REST},
    {"-fembed-bitcode", BEGINS, REST},
    {"-split-dwarf-output", VALUE, REST | OBJECT},
    {"-ftime-trace", BEGINS, REST},
    {"-fpass-plugin=", BEGINS, REST},
    /* These options name reports of the back end. The reports contain source
     * lines, which the front end keeps. */
    {"-opt-record-", BEGINS_VALUE, ALL},
    {"-stack-usage-file", VALUE, ALL},
    /* Only the front end sees the source. */
    {"-dependency-file", VALUE, FRONT},
    {"-dependency-dot", VALUE, FRONT},
    {"-module-dependency-dir", VALUE, FRONT},
    {"-header-include-file", VALUE, FRONT},
    {"-serialize-diagnostic-file", VALUE, FRONT},
    {"-diagnostic-log-file", VALUE, FRONT},
    {"-MT", VALUE, FRONT},
    {"-sys-header-deps", EXACT, FRONT},
    {"-MP", EXACT, FRONT},
    {"-H", EXACT, FRONT},
    {"-include-pch", VALUE, SOURCE},
    {"-D", VALUE, ALL},
    {"-I", VALUE, ALL},
    /* STEP_LOWER adds the counters, so STEP_REST does not get the option. */
    {"-fprofile-instrument=", BEGINS, SOURCE | LOWER},
    {"-fprofile-instrument-path=", BEGINS, SOURCE | LOWER},
    {"-fcoverage-", BEGINS, SOURCE},
    /* Options for the target and the counters. */
    {"-mllvm", VALUE, ALL | LOWER}, /* see is_profile_option */
    {"-triple", VALUE, ALL | LOWER | OBJECT},
    {"-target-cpu", VALUE, ALL | LOWER | OBJECT},
    {"-target-feature", VALUE, ALL | LOWER | OBJECT},
    {"-target-abi", VALUE, ALL | LOWER | OBJECT},
    {"-mrelocation-model", VALUE, ALL | LOWER | OBJECT},
    {"-pic-level", VALUE, ALL | LOWER},
    {"-mfloat-abi", VALUE, ALL | LOWER},
    {"-fprofile-update=", BEGINS, ALL | LOWER},
    {"-fprofile-continuous", BEGINS, ALL | LOWER},
    {"-mcmodel=", BEGINS, ALL | LOWER},
    {"-pic-is-pie", EXACT, ALL | LOWER},
    {"-msoft-float", EXACT, ALL | LOWER},
    /* Options for the assembler. */
    {"-main-file-name", VALUE, ALL | OBJECT},
    {"-fdebug-compilation-dir=", BEGINS, ALL | OBJECT},
    {"-fdebug-prefix-map=", BEGINS, ALL | OBJECT},
    {"--compress-debug-sections", BEGINS, ALL | OBJECT},
    {NULL, BEGINS, ALL}};

static const struct option_rule *find_step_rule(const char *argument) {
  const struct option_rule *rule = rules;
  while (rule->word && !(rule->how == EXACT || rule->how == VALUE
                             ? is_equal_text(argument, rule->word)
                             : text_starts_with(argument, rule->word)))
    rule++;
  return rule;
}

/* Words in the names of -mllvm options that concern profiles. The lowering gets
 * no other -mllvm options, because those may stop passes, print them or count
 * them. */
static const char *const profile_words[] = {
    "profil",        "counter",     "name-compression", "correlate", "vp-",
    "sampled-instr", "static-func", "instrprof",        "hash-based"};

static bool is_profile_option(const char *option) {
  size_t words = sizeof profile_words / sizeof *profile_words;
  for (size_t i = 0; option && i < words; i++) {
    const char *found = strstr(option, profile_words[i]);
    if (found && found < option + strcspn(option, "="))
      return true;
  }
  return false;
}

static bool is_argument_for_step(enum compile_step step, const char *argument,
                                 const char *value,
                                 const struct option_rule *rule) {
  static const unsigned steps[] = {
      [STEP_FRONT] = FRONT,       [STEP_FRONT_TEXT] = FRONT,
      [STEP_FRONT_AGAIN] = AGAIN, [STEP_LOWER] = LOWER,
      [STEP_REST] = REST,         [STEP_ASSEMBLY] = REST,
      [STEP_OBJECT] = OBJECT};
  /* The assembler would print that it does not know this feature. */
  if ((step == STEP_OBJECT && is_equal_text(value, "+soft-float-abi")) ||
      (step == STEP_ASSEMBLY && is_output_kind_option(argument)) ||
      (step == STEP_LOWER && is_equal_text(argument, "-mllvm") &&
       !is_profile_option(value)))
    return false;
  return rule->steps & steps[step];
}

static void add_step_options(const struct compiler_job *job,
                             enum compile_step step,
                             struct argument_list *arguments) {
  if (step == STEP_OBJECT) {
    arguments_append(arguments, "-filetype");
    arguments_append(arguments, "obj");
    return;
  }
  if (step <= STEP_FRONT_AGAIN) {
    arguments_append(arguments,
                     step == STEP_FRONT ? "-emit-llvm-bc" : "-emit-llvm");
    arguments_append(arguments, "-disable-llvm-passes");
    arguments_append(arguments, "-discard-value-names");
    if (step == STEP_FRONT_AGAIN) {
      arguments_append(arguments, "-w");
      arguments_append(arguments, "-fprofile-list=%s", job->list);
    }
    return;
  }
  if (step == STEP_LOWER) {
    arguments_append(arguments, "-emit-llvm");
    arguments_append(arguments, "-w");
    arguments_append(arguments, "-O0");
  }
  if (step == STEP_ASSEMBLY)
    arguments_append(arguments, "-S");
  arguments_append(arguments, "-x");
  arguments_append(arguments, "ir");
}

void job_fill_step_arguments(const struct compiler_job *job,
                             enum compile_step step, const char *input,
                             const char *output,
                             struct argument_list *arguments) {
  char **list = job->arguments.list;
  size_t last = job->arguments.count - 1;
  arguments_append(arguments, "%s", list[0]);
  arguments_append(arguments, "%s", step == STEP_OBJECT ? "-cc1as" : list[1]);
  for (size_t i = 2; i < last;) {
    const struct option_rule *rule = find_step_rule(list[i]);
    bool takes = is_argument_for_step(step, list[i], list[i + 1], rule);
    size_t end = i + ((rule->how >= VALUE ? 2 : 1));
    for (; i < end && i < last; i++)
      if (takes)
        arguments_append(arguments, "%s", list[i]);
  }
  add_step_options(job, step, arguments);
  arguments_append(arguments, "-o");
  arguments_append(arguments, "%s", output ? output : job->output);
  arguments_append(arguments, "%s", input);
}

const char *job_source_name(const struct compiler_job *job) {
  const char *name = job->ir ? job_option_value(job, "-main-file-name") : NULL;
  return name ? name : job->input ? job->input : job->output;
}

bool job_writes_bitcode(const struct compiler_job *job) {
  for (size_t i = 2; i < job->arguments.count; i++)
    if (text_starts_with(job->arguments.list[i], "-emit-llvm") ||
        text_starts_with(job->arguments.list[i], "-flto"))
      return true;
  return false;
}

const char *job_option_value(const struct compiler_job *job,
                             const char *option) {
  for (size_t i = 1; i + 1 < job->arguments.count; i++)
    if (is_equal_text(job->arguments.list[i], option))
      return job->arguments.list[i + 1];
  return NULL;
}

static const char *job_triple(const struct compiler_job *job) {
  const char *triple = job_option_value(job, "-triple");
  return triple ? triple : "";
}

bool job_has_elf_target(const struct compiler_job *job) {
  const char *triple = job_triple(job);
  if (text_starts_with_any(triple, "avr msp430 wasm"))
    return false;
  return strstr(triple, "elf") ||
         !(strstr(triple, "-windows") || strstr(triple, "-apple") ||
           strstr(triple, "-uefi") || strstr(triple, "macho") ||
           strstr(triple, "coff"));
}

void job_insert_option(struct compiler_job *job, const char *option,
                       const char *value) {
  enum { AT = 2 };
  struct argument_list *arguments = &job->arguments;
  for (unsigned i = 0; i < (value ? 2u : 1u); i++) {
    arguments_append(arguments, "%s", i ? value : option);
    if (arguments->failed)
      return;
    char *last = arguments->list[arguments->count - 1];
    memmove(&arguments->list[AT + i + 1], &arguments->list[AT + i],
            (arguments->count - AT - i - 1) * sizeof last);
    arguments->list[AT + i] = last;
  }
}

/* Returns whether the job compiles for Thumb, and code may load constants that
 * are between functions. With +execute-only, code must not. A precompiled
 * header or module must have been compiled for the same features. */
static bool may_load_literals(const struct compiler_job *job) {
  for (size_t i = 2; i < job->arguments.count; i++)
    if (text_starts_with_any(job->arguments.list[i],
                             "+execute-only -include-pch -fmodule-file="))
      return false;
  return text_starts_with(job_triple(job), "thumb");
}

bool job_has_llvm_option(const struct compiler_job *job, const char *option) {
  size_t size = strcspn(option, "=");
  char **list = job->arguments.list;
  for (size_t i = 2; i + 1 < job->arguments.count; i++) {
    const char *name = list[i + 1] + strspn(list[i + 1], "-");
    if (is_equal_text(list[i], "-mllvm") && strcspn(name, "=") == size &&
        memcmp(name, option, size) == 0)
      return true;
  }
  return false;
}

void job_add_llvm_option(struct compiler_job *job, const char *option) {
  char text[64];
  snprintf(text, sizeof text, "-%s", option);
  if (!job_has_llvm_option(job, option))
    job_insert_option(job, "-mllvm", text);
}

void job_add_byte_options(struct compiler_job *job) {
  job_add_llvm_option(job, "sink-common-insts=false");
  job_insert_option(job, "-fno-unroll-loops", NULL);
  if (may_load_literals(job))
    job_insert_option(job, "-target-feature", "+no-movt");
}

void job_copy_command(const struct compiler_job *job, const char *output,
                      struct argument_list *arguments) {
  static const char reports[] =
      "-split-dwarf-output -stack-usage-file -opt-record-file";
  char **list = job->arguments.list;
  for (size_t i = 0; i < job->arguments.count; i++) {
    bool object = is_equal_text(list[i], "-o");
    arguments_append(arguments, "%s", list[i]);
    if ((!object && !text_is_listed(list[i], reports)) ||
        i + 2 >= job->arguments.count)
      continue;
    i++;
    if (object)
      arguments_append(arguments, "%s", output);
    else
      arguments_append(arguments, "%s.%zu", output, i);
  }
}

/* ---- scratch files ---- */

int scratch_create_folder(struct scratch_folder *scratch) {
  int status = make_private_folder(scratch->path);
  if (status)
    *scratch->path = 0;
  return status;
}

void scratch_make_path(const struct scratch_folder *scratch, const char *name,
                       char path[PATH_ROOM]) {
  snprintf(path, PATH_ROOM, "%.*s/%.*s", PATH_ROOM - 32, scratch->path, 30,
           name);
}

void scratch_remove_folder(const struct scratch_folder *scratch) {
  if (*scratch->path)
    os_remove_folder(scratch->path);
}

/* Moves a job's output to the folder if a later job reads the output. */
static void redirect_job_output(const struct scratch_folder *scratch,
                                struct compiler_jobs *jobs, size_t number) {
  const char *output = jobs->list[number].output;
  char *name = output ? strdup(output) : NULL, path[PATH_ROOM], file[30];
  const char *point = name ? strrchr(name, '.') : NULL;
  bool used = false;
  snprintf(file, sizeof file, "%zu%.8s", number, point ? point : "");
  scratch_make_path(scratch, file, path);
  for (size_t i = jobs->count; name && i-- > number;) {
    struct compiler_job *job = &jobs->list[i];
    for (size_t k = 1; k < job->arguments.count; k++) {
      char *copy, **at = &job->arguments.list[k];
      if (strcmp(*at, name) != 0 || (i == number && !used) ||
          !(copy = strdup(path)))
        continue;
      used = true;
      job->output = job->output == *at ? copy : job->output;
      job->input = job->input == *at ? copy : job->input;
      free(*at);
      *at = copy;
    }
  }
  free(name);
}

/* Returns whether the driver made the name: NAME-xxxxxx.SUFFIX, where x is a
 * hexadecimal digit. With -save-temps, the driver does not make such names. */
static bool is_temporary_name(const char *name) {
  enum { DIGITS = 6 };
  const char *dash = name ? strrchr(name, '-') : NULL;
  return dash && strspn(dash + 1, "0123456789abcdef") == DIGITS &&
         dash[1 + DIGITS] == '.' && !strpbrk(dash, "/\\");
}

void scratch_redirect_jobs(const struct scratch_folder *scratch,
                           struct compiler_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++)
    if (is_temporary_name(jobs->list[i].output))
      redirect_job_output(scratch, jobs, i);
}
