/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the command of `bareprof cc`. job.c reads the driver's jobs.
 * counted_job.c runs jobs with counters in steps. All other jobs run as they
 * are.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/program.h"
#include "../base/os.h"
#include "../base/text_part.h"

enum { RESPONSE_LIMIT = 1 << 30 };

struct launch_state {
  const struct cc_command *launch;
  struct compiler_jobs jobs;
  struct scratch_folder scratch;
  struct compiler_job *job; /* the last job that was started */
  bool gcc;                 /* the compiler is gcc */
  bool no_mcdc;             /* the compiler rejects -fcoverage-mcdc */
  bool merges;              /* see struct counted_job */
};

/* ---- commands that run without steps ---- */

static void append_arguments(struct argument_list *arguments,
                             char *const *list) {
  for (; list && *list; list++)
    arguments_append(arguments, "%s", *list);
}

/* Replaces bareprof with the compiler. `first` lists arguments that come before
 * the user's arguments, or is NULL. Frees `first`. */
static int exec_compiler(const struct cc_command *launch,
                         struct argument_list *first) {
  struct argument_list arguments = {0};
  arguments_append(&arguments, "%s", launch->command[0]);
  append_arguments(&arguments, first ? first->list : NULL);
  append_arguments(&arguments, launch->command + 1);
  bool failed = arguments.failed || (first && first->failed);
  if (!failed)
    os_exec_program(arguments.list);
  arguments_free(&arguments);
  if (first)
    arguments_free(first);
  return failed ? report_out_of_memory(NULL)
                : job_report_cannot_run(launch->command[0]);
}

/* Replaces bareprof with the compiler, with the options of --coverage. */
static int exec_with_coverage(const struct cc_command *launch) {
  struct argument_list first = {0};
  cc_add_coverage_options(&launch->cover, &first);
  return exec_compiler(launch, &first);
}

/* Returns whether the program is a compiler cache or distributor. For these,
 * `PROGRAM clang -###` does not print clang's jobs. */
static bool is_compiler_cache(const char *program) {
  return text_is_listed(os_base_name(program),
                        "ccache sccache distcc icecc buildcache ccache.exe "
                        "sccache.exe distcc.exe buildcache.exe");
}

/* Returns whether a word in a response file begins with `begin`, or, if `whole`
 * is true, equals it. */
static bool has_word_in_file(const char *name, const char *begin, bool whole) {
  struct file file;
  bool found = false;
  if (file_read_if_exists(&file, name, RESPONSE_LIMIT, &found) || !found)
    return false;
  struct text_part text = {(const char *)file.bytes.data, file.bytes.size};
  char *word = malloc(text.size + 1);
  found = false;
  while (word && !found && part_next_word(&text, word))
    found = whole ? !strcmp(word, begin) : text_starts_with(word, begin);
  free(word);
  file_close(&file);
  return found;
}

static bool has_argument_with_prefix(const struct cc_command *launch,
                                     const char *begin) {
  bool found = false;
  for (char **at = launch->command + 1; *at && !found; at++)
    found = text_starts_with(*at, begin) ||
            (**at == '@' && has_word_in_file(*at + 1, begin, false));
  return found;
}

/* ---- all jobs ---- */

/* Returns whether an argument of job `number` is the output of a failed job. */
static bool needs_failed_output(const struct compiler_jobs *jobs, size_t number,
                                const bool *failed) {
  const struct argument_list *arguments = &jobs->list[number].arguments;
  for (size_t i = 0; i < number; i++)
    for (size_t k = 1; failed[i] && k < arguments->count; k++)
      if (jobs->list[i].output &&
          strcmp(arguments->list[k], jobs->list[i].output) == 0)
        return true;
  return false;
}

/* Runs a job or command that may link. If the target's memory overflowed,
 * prints which kinds of counters are smaller. Returns the exit status. */
static int run_and_explain_overflow(const struct cc_command *launch,
                                    const struct argument_list *arguments) {
  FILE *messages = os_temporary_file();
  int status = job_run_arguments(arguments, messages ? messages : stderr);
  if (!messages)
    return status;
  job_print_messages(messages);
  if (status && launch->counters < CC_TRACE &&
      job_has_message(messages, "overflowed by"))
    fprintf(stderr,
            "bareprof: smaller counters save memory: --counters=trace takes "
            "no RAM%s; see docs/how-to/smaller-images\n",
            launch->counters == CC_BYTES ? ""
            : launch->counters == CC_32_PACKED
                ? ", byte a quarter of the RAM and less code"
                : ", byte an eighth of the RAM and less code, 32-packed half");
  fclose(messages);
  return status;
}

/* Fills `arguments` with the command, and with the options of --coverage. */
static void fill_compiler_command(const struct cc_command *launch,
                                  const char *first,
                                  struct argument_list *arguments) {
  arguments_append(arguments, "%s", launch->command[0]);
  if (first)
    arguments_append(arguments, "%s", first);
  if (*paint_code(stderr, PAINT_RED))
    arguments_append(arguments, "-fcolor-diagnostics");
  cc_add_coverage_options(&launch->cover, arguments);
  append_arguments(arguments, launch->command + 1);
}

/* Runs the whole command, because only the driver writes the file of -MJ, and
 * only if the driver compiles. */
static void run_driver_for_mj_file(const struct cc_command *launch) {
  struct argument_list arguments = {.quiet = true};
  struct buffer out = {.limit = 1 << 30}, messages = {.limit = 1 << 26};
  fill_compiler_command(launch, NULL, &arguments);
  (void)program_run(&arguments, &out, &messages);
  buffer_free(&out);
  buffer_free(&messages);
  arguments_free(&arguments);
}

/* Runs one job as the driver would, and moves its counters. Returns the exit
 * status. */
static int run_driver_job(struct launch_state *state,
                          struct compiler_job *job) {
  const struct cc_command *launch = state->launch;
  bool placed = launch->cover.place == CC_BSS;
  bool counts = job->kind == JOB_COUNTS;
  struct counted_job counted = {.launch = launch,
                                .scratch = &state->scratch,
                                .job = job,
                                .merges = state->merges};
  const char *error = counts || (placed && job->kind == JOB_PROMOTES)
                          ? counted_job_find_refusal(&counted)
                          : NULL;
  int status = error        ? report(job_source_name(job), "%s", error)
               : counts     ? counted_job_run(&counted)
               : job->input ? job_run_arguments(&job->arguments, stderr)
                            : run_and_explain_overflow(launch, &job->arguments);
  bool ran = !status;
  if (ran && placed)
    status = cc_move_output_counters(job, launch->counters == CC_TRACE,
                                     launch->verbose);
  if (status && (ran || error))
    job_remove_outputs(job);
  return status;
}

/* Runs all jobs as the driver would. An error does not stop the jobs of other
 * sources. Returns the last status that is not 0. */
static int run_driver_jobs(struct launch_state *state) {
  struct compiler_jobs *jobs = &state->jobs;
  bool *failed = calloc(jobs->count, sizeof *failed);
  int status = failed ? 0 : report_out_of_memory(NULL);
  /* The user keeps these files, also of a source that is named like a
   * temporary file. */
  if (!has_argument_with_prefix(state->launch, "-save-temps") &&
      !has_argument_with_prefix(state->launch, "--save-temps"))
    scratch_redirect_jobs(&state->scratch, jobs);
  if (has_argument_with_prefix(state->launch, "-MJ"))
    run_driver_for_mj_file(state->launch);
  for (size_t i = 0; failed && i < jobs->count && !interrupt_is_pending();
       i++) {
    struct compiler_job *job = &jobs->list[i];
    failed[i] = needs_failed_output(jobs, i, failed);
    if (failed[i])
      continue;
    state->job = job;
    int own = run_driver_job(state, job);
    failed[i] = own != 0;
    status = own ? own : status;
  }
  free(failed);
  return status;
}

static bool is_assembly_file(const char *argument) {
  const char *point = strrchr(argument, '.');
  return point && (!strcmp(point, ".s") || !strcmp(point, ".S"));
}

/* Returns whether the command may add counters, or may compile assembly that
 * has counters. Other commands run without asking the driver for its jobs. */
static bool may_add_counters(const struct cc_command *launch) {
  if (launch->cover.coverage != CC_ASKED)
    return true;
  for (char **at = launch->command + 1; *at; at++)
    if (strstr(*at, "profile") || **at == '@' ||
        strncmp(*at, "--config", 8) == 0 ||
        (launch->cover.place == CC_BSS && is_assembly_file(*at)))
      return true;
  return false;
}

static const struct compiler_job *
find_job_of_kind(const struct compiler_jobs *jobs, enum job_kind kind) {
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->list[i].kind == kind)
      return &jobs->list[i];
  return NULL;
}

/* Asks the driver for its jobs. Shows the driver's warnings, unless the driver
 * will run again. */
static enum jobs_result ask_driver_for_jobs(struct launch_state *state) {
  const struct cc_command *launch = state->launch;
  struct argument_list arguments = {.quiet = true};
  struct buffer messages = {.limit = 1 << 26};
  enum jobs_result read = JOBS_FAILED;
  fill_compiler_command(launch, "-###", &arguments);
  int status = program_run(&arguments, NULL, &messages);
  const char *text = messages.data ? (const char *)messages.data : "";
  if (status == 0 && messages.data)
    read = jobs_parse(&state->jobs, text);
  state->no_mcdc =
      launch->cover.coverage == CC_MCDC && strstr(text, "'-fcoverage-mcdc'");
  state->gcc = strstr(text, "COLLECT_GCC=");
  state->merges = strstr(text, "clang version 21.");
  if (read == JOBS_READ && find_job_of_kind(&state->jobs, JOB_COUNTS))
    jobs_print_warnings(text);
  buffer_free(&messages);
  arguments_free(&arguments);
  return read;
}

static int run_jobs_in_scratch(struct launch_state *state) {
  interrupt_delay_signals();
  int status = scratch_create_folder(&state->scratch);
  if (!status)
    status = run_driver_jobs(state);
  scratch_remove_folder(&state->scratch);
  /* After a signal, no object may remain, not even a complete one. A later
   * signal waits until the end. */
  if (interrupt_is_pending()) {
    if (state->job)
      job_remove_outputs(state->job);
    interrupt_resume_signals();
  }
  return status;
}

/* Runs a command with IR PGO. clang would count loops in registers, and add the
 * 64-bit counts to memory after the loop. On 32-bit cores this is slower than
 * counting in memory. */
static int exec_ir_pgo_compiler(const struct launch_state *state,
                                const struct compiler_job *job) {
  const struct cc_command *launch = state->launch;
  struct argument_list first = {0};
  if (!launch->keep_promotion &&
      !job_has_llvm_option(job, "do-counter-promotion")) {
    arguments_append(&first, "-mllvm");
    arguments_append(&first, "-do-counter-promotion=false");
  }
  if (state->merges && !job_has_llvm_option(job, cc_merge_off + 1)) {
    arguments_append(&first, "-mllvm");
    arguments_append(&first, "%s", cc_merge_off);
  }
  return exec_compiler(launch, &first);
}

/* ---- caches ---- */

/* Prints a file's size and time, which change if the file changes. */
static void print_file_stamp(const char *what, const char *path) {
  struct os_file_info facts;
  if (os_stat(path, &facts))
    printf("%s %s %lld %lld.%09ld\n", what, path, (long long)facts.size,
           (long long)facts.seconds, facts.nanoseconds);
}

int launch_print_fingerprint(const struct cc_command *launch) {
  struct argument_list arguments = {0};
  struct buffer version = {.limit = 1 << 20}, messages = {.limit = 1 << 20};
  char *path = os_find_program(launch->command[0]);
  if (!path)
    return job_report_cannot_run(launch->command[0]);
  arguments_append(&arguments, "%s", path);
  arguments_append(&arguments, "--version");
  int status = program_run(&arguments, &version, &messages);
  if (!status) {
    printf("counters %s%s%s%s %s\n", cc_widths[launch->counters],
           launch->keep_implied ? " keep" : "",
           launch->keep_promotion ? " promotion" : "",
           launch->fallback ? " fallback" : "", cc_outcomes[launch->outcomes]);
    cc_print_coverage_options(&launch->cover);
    print_file_stamp("bareprof", os_program_path());
    print_file_stamp("compiler", path);
    printf("%s", (const char *)version.data);
  }
  buffer_free(&version);
  buffer_free(&messages);
  arguments_free(&arguments);
  free(path);
  return status;
}

/* Returns whether the command compiles C or C++, if the compiler is not clang.
 */
static bool compiles_sources(const struct cc_command *launch) {
  bool compiles = false, sources = false, reads = false;
  for (char **at = launch->command + 1; *at; at++) {
    const char *point = strrchr(*at, '.');
    compiles |= strcmp(*at, "-c") == 0 ||
                (**at == '@' && has_word_in_file(*at + 1, "-c", true));
    sources |= point && text_is_listed(point, ".c .cc .cpp .cxx");
    reads |= text_is_listed(*at, "-E -M -MM -fsyntax-only");
  }
  return compiles || (sources && !reads);
}

/* Returns the reason why --coverage would measure nothing. Returns NULL if the
 * command will be measured, or if the compiler itself reports the reason. */
static const char *find_coverage_refusal(const struct launch_state *state,
                                         enum jobs_result read) {
  const struct cc_command *launch = state->launch;
  if (launch->cover.coverage == CC_ASKED ||
      (read == JOBS_READ && (!find_job_of_kind(&state->jobs, JOB_STOPS) ||
                             find_job_of_kind(&state->jobs, JOB_COUNTS))))
    return NULL;
  if (read == JOBS_READ)
    return "-disable-llvm-passes leaves out the pass that adds counters, so "
           "nothing would be measured; compile without this option";
  if (state->no_mcdc)
    return "this clang has no MC/DC; use clang 18 or later, or "
           "--coverage=lines";
  if (!compiles_sources(launch) || (read == JOBS_FAILED && !state->gcc))
    return NULL;
  return state->gcc ? "gcc writes its coverage to files, which firmware does "
                      "not have; compile with clang"
                    : "this compiler does not list its jobs (-###), so nothing "
                      "would be measured; pass clang itself";
}

/* Runs a compiler that fails with -###. Usually the command has an error, which
 * the compiler reports again. If the compiler succeeds, its counters are not
 * placed: removes the object. Returns the exit status. */
static int run_unlisted_compiler(const struct cc_command *launch) {
  struct argument_list arguments = {0};
  if (launch->cover.place != CC_BSS || !compiles_sources(launch))
    return exec_with_coverage(launch);
  fill_compiler_command(launch, NULL, &arguments);
  int status = job_run_arguments(&arguments, stderr);
  arguments_free(&arguments);
  for (char **at = launch->command; !status && at[1]; at++)
    if (strcmp(*at, "-o") == 0)
      job_remove_file(at[1]);
  return status ? status
                : report(launch->command[0],
                         "this compiler fails with -###, so its counters "
                         "cannot be placed in .bss; pass clang itself");
}

static bool needs_working_directory(const struct compiler_jobs *jobs) {
  bool found = false;
  for (size_t i = 0; i < jobs->count; i++)
    found |= job_option_value(&jobs->list[i], "-working-directory") != NULL;
  return found;
}

/* Runs the driver's jobs. `read` is the result of jobs_parse. Returns the exit
 * status. */
static int run_command_jobs(struct launch_state *state, enum jobs_result read) {
  const struct cc_command *launch = state->launch;
  bool changed = false;
  const char *error = NULL;
  if (read == JOBS_READ)
    error = cc_drop_or_add_job_options(&launch->cover, &state->jobs, &changed);
  if (error)
    return report("--include, --ignore", "%s; correct the pattern", error);
  if (read == JOBS_BROKEN && !launch->fallback)
    return report(launch->command[0], "%s",
                  launch->cover.coverage == CC_ASKED
                      ? "the job list of this compiler (-###) cannot be read; "
                        "use --counters=64 or --fallback"
                      : "the job list of this compiler (-###) cannot be read, "
                        "so nothing would be measured; pass clang itself");
  const char *unable = find_coverage_refusal(state, read);
  if (unable)
    return report(launch->command[0], "%s", unable);
  if (read == JOBS_FAILED && !state->gcc)
    return run_unlisted_compiler(launch);
  if (read != JOBS_READ && launch->cover.coverage != CC_ASKED)
    return run_and_explain_overflow(
        launch, &(struct argument_list){.list = launch->command});
  if (read != JOBS_READ)
    return exec_compiler(launch, NULL);
  const struct compiler_job *promotes =
      find_job_of_kind(&state->jobs, JOB_PROMOTES);
  if (launch->counters >= CC_32_PACKED && promotes)
    return report(job_source_name(promotes),
                  "counters of -fprofile-generate always have 8 bytes; compile "
                  "with -fprofile-instr-generate, or without "
                  "--counters=32-packed, byte and trace");
  if (changed || find_job_of_kind(&state->jobs, JOB_COUNTS))
    return needs_working_directory(&state->jobs)
               ? report("-working-directory",
                        "bareprof looks for clang's files in the current "
                        "folder; change to the folder of this option, and "
                        "compile there without the option")
               : run_jobs_in_scratch(state);
  if (promotes)
    return exec_ir_pgo_compiler(state, promotes);
  return exec_compiler(launch, NULL);
}

int launch_run_command(struct cc_command *launch) {
  struct launch_state state = {.launch = launch};
  bool adds_nothing = launch->counters == CC_64 &&
                      launch->cover.place == CC_SECTIONS &&
                      launch->cover.coverage == CC_ASKED;
  if (adds_nothing || !may_add_counters(launch))
    return exec_compiler(launch, NULL);
  while (launch->command[1] && is_compiler_cache(*launch->command))
    launch->command++;
  if (has_argument_with_prefix(launch, "-###"))
    return exec_with_coverage(launch);
  int status = run_command_jobs(&state, ask_driver_for_jobs(&state));
  jobs_free(&state.jobs);
  return status;
}
