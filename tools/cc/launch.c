/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the command of `bareprof cc`. job.c reads the driver's jobs. Jobs with
 * counters run in steps, and the other files of this folder change the text
 * between the steps. All other jobs run as they are.
 *
 * Compiler messages are kept until all steps are done. The back end does not
 * know the source lines, because its input is IR. So if the back end prints a
 * message, the job runs again without steps, and the messages of this run are
 * shown.
 */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/program.h"
#include "../base/os.h"
#include "increment.h"

enum { IR_LIMIT = 1 << 30 };

const char *const cc_widths[] = {"auto",      "64",   "32",    "32-atomic",
                                 "32-packed", "byte", "trace", NULL};
const char *const cc_outcomes[] = {"auto", "bits", "bytes", NULL};

/* With this option, clang 21 does not merge counters. */
static const char merge_off[] = "-enable-global-merge=false";

/* The job's option that names the file of -gsplit-dwarf. */
static const char split_dwarf[] = "-split-dwarf-output";

struct launch_state {
  const struct cc_command *launch;
  struct compiler_jobs jobs;
  struct scratch_folder scratch;
  struct compiler_job *job; /* the last job that was started */
  /* the changes of the code of a job with counters */
  struct trace_points traces;
  struct byte_counters bytes;
  bool gcc;     /* the compiler is gcc */
  bool no_mcdc; /* the compiler rejects -fcoverage-mcdc */
  bool merges;  /* the compiler merges the counters of inlined functions into
                   one global variable. Only clang 21 does; then the linker's
                   --gc-sections drops the function data of inlined functions */
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
  if (file_read_if_exists(&file, name, IR_LIMIT, &found) || !found)
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

/* ---- changes between the steps ---- */

enum rewrite_step {
  REWRITE_MODULE,  /* changes the front end's module: byte counters, trace
                      points */
  REWRITE_LOWERED, /* changes the module after the lowering of counters, in all
                      modes */
  REWRITE_PLACE,   /* changes the last module: only bitcode with --place=bss */
  REWRITE_ASSEMBLY /* changes assembly with trace points */
};

static const char *rewrite_byte_counters(struct launch_state *state,
                                         enum rewrite_step step,
                                         struct bytes file, FILE *out) {
  struct byte_counters *bytes = &state->bytes;
  bytes->keeps = state->launch->keep_implied;
  bytes->bytes = state->launch->outcomes == CC_OUTCOMES_BYTES;
  if (step == REWRITE_LOWERED)
    return byte_lowered_rewrite_module(bytes, file, out);
  const char *error = byte_counters_insert(bytes, file, out);
  if (!error && state->launch->verbose)
    fprintf(stderr,
            "bareprof: %s: %zu byte counters, %zu implied by "
            "others\n",
            job_source_name(state->job), bytes->stores, bytes->dropped);
  return error;
}

static const char *narrow_job_counters(const struct launch_state *state,
                                       struct bytes file, FILE *out) {
  const unsigned counters = state->launch->counters;
  bool packed = counters == CC_32_PACKED;
  struct counter_narrowing narrow = {.packed = packed,
                                     .atomic = counters == CC_AUTO || packed
                                                   ? state->job->atomic
                                                   : counters == CC_32_ATOMIC};
  const char *error = narrow_module(&narrow, file, out);
  if (!error && state->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu increments of 32 bits%s, %zu of 64\n",
            job_source_name(state->job), narrow.narrowed,
            narrow.atomic ? ", atomic" : "", narrow.left);
  return error;
}

static const char *rewrite_trace_points(struct launch_state *state,
                                        enum rewrite_step step,
                                        struct bytes file, FILE *out) {
  struct trace_points *traces = &state->traces;
  if (step == REWRITE_MODULE)
    return trace_points_insert(traces, file, out);
  if (step == REWRITE_LOWERED)
    return trace_points_rewrite_lowered(traces, file, out);
  const char *error = trace_points_rewrite_assembly(traces, file, out);
  if (!error && state->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu nops for trace points\n",
            job_source_name(state->job), traces->nops);
  return error;
}

static const char *rewrite_job_text(struct launch_state *state,
                                    enum rewrite_step step, struct bytes file,
                                    FILE *out) {
  if (step == REWRITE_PLACE)
    return place_module_profile(file, out);
  if (state->launch->counters == CC_TRACE)
    return rewrite_trace_points(state, step, file, out);
  if (state->launch->counters == CC_BYTES)
    return rewrite_byte_counters(state, step, file, out);
  return narrow_job_counters(state, file, out);
}

/* Returns whether the module has to place the counters, because bitcode is not
 * an ELF object that place_object could change. */
static bool must_module_place_counters(const struct launch_state *state) {
  return state->launch->cover.place == CC_BSS && job_writes_bitcode(state->job);
}

/* Returns the reason why the job cannot have these counters, or NULL if it can.
 */
static const char *find_job_refusal(const struct launch_state *state) {
  const unsigned counters = state->launch->counters;
  const char *output = state->job->output;
  if (!job_has_elf_target(state->job))
    return "counters need ELF objects, and addresses of 32 or 64 bits; compile "
           "for such a target, for example --target=thumbv7m-none-eabi";
  if (state->launch->cover.place == CC_BSS && state->job->object &&
      (strcmp(output, "-") == 0 || os_is_open_file_name(output)))
    return "clang writes the object to standard output, where --place=bss "
           "cannot change it; add -o FILE";
  if (!must_module_place_counters(state) || counters < CC_32_PACKED)
    return NULL;
  return counters == CC_TRACE
             ? "clang writes bitcode, which cannot hold trace points; compile "
               "without -flto and -emit-llvm, or without --counters=trace"
             : "clang writes bitcode, where only 8-byte counters can be moved "
               "to .bss; compile without -flto, or without --counters";
}

/* Reads a file, changes the text, and writes it to another file. Returns 0, or
 * prints the error and returns 1. */
static int rewrite_file(struct launch_state *state, enum rewrite_step step,
                        const char *from, const char *to) {
  struct file file;
  bool piped = strcmp(to, "-") == 0;
  FILE *out = piped ? stdout : os_fopen(to, "w");
  if (!out)
    return report(
        to, "cannot be written: %s; set TMPDIR to a folder with free space",
        os_error_text(errno));
  if (file_read(&file, from, IR_LIMIT)) {
    if (!piped)
      fclose(out);
    return 1;
  }
  const char *error = rewrite_job_text(state, step, file.bytes, out);
  const char *where = state->bytes.where;
  file_close(&file);
  bool failed = ferror(out);
  failed |= (piped ? fflush : fclose)(out) != 0;
  if (error)
    return report(job_source_name(state->job), "%s%s%s", where,
                  *where ? ": " : "", error);
  return failed ? report(piped ? "standard output" : to, CHECK_DISK,
                         os_error_text(errno))
                : 0;
}

/* Returns whether a lowered module has counters or a mapping. Sets *bytes if
 * the counters are byte counters. Sets *raw to the raw version that the
 * module's clang writes, or to 0. */
static bool find_module_counters(struct bytes module, bool *bytes,
                                 unsigned *raw) {
  bool any = *bytes = false;
  *raw = 0;
  for (struct text_part line; text_next_line(&module, &line);) {
    if (!part_starts_with(line, "@")) {
      (void)cc_parse_raw_version(line, raw);
      continue;
    }
    bool counters = part_contains(line, "section \"__llvm_prf_cnts\"");
    any |= counters || part_starts_with(line, "@__llvm_coverage_mapping");
    *bytes |= counters && part_contains(line, " x i8] ");
  }
  return any;
}

/* Appends notes to the lowered module: a note about its counters, unless
 * narrow_module writes it, and a note if --place=bss places them. Returns 0, or
 * prints the error and returns 1. */
static int append_counter_notes(const struct launch_state *state,
                                const char *module) {
  const unsigned counters = state->launch->counters;
  const struct bytes name = bytes_of_text(job_source_name(state->job));
  struct file file;
  bool bytes;
  unsigned raw;
  if (file_read(&file, module, IR_LIMIT))
    return 1;
  bool any = find_module_counters(file.bytes, &bytes, &raw);
  file_close(&file);
  FILE *out = os_fopen(module, "a");
  if (out && any && (counters == CC_64 || counters >= CC_BYTES))
    narrow_print_counter_note(out,
                              counters == CC_TRACE ? "trace"
                              : bytes              ? "byte"
                                                   : "64",
                              0, name);
  if (out && any && state->launch->cover.place == CC_BSS)
    narrow_print_counter_note(out, "bss", raw, name);
  return file_close_written(out, module, CHECK_DISK);
}

/* ---- steps ---- */

/* Returns whether a line of the messages contains the words. Rewinds the file
 * before and after the search. Also rewinds the descriptor, because the next
 * program inherits its offset. */
static bool has_message(FILE *messages, const char *words) {
  char line[1000];
  bool found = false;
  rewind(messages);
  while (!found && fgets(line, sizeof line, messages))
    found = strstr(line, words) != NULL;
  rewind(messages);
  return fflush(messages) == 0 && found;
}

static int report_not_lowered(const struct compiler_job *job, FILE *messages) {
  char line[400] = "no message";
  rewind(messages);
  (void)!fgets(line, sizeof line, messages);
  line[strcspn(line, "\n")] = 0;
  if (strstr(line, "-profile-correlate="))
    return report(job_source_name(job), "%s", place_needs_19);
  return report(job_source_name(job),
                "clang cannot generate the code of the counters: %s; free disk "
                "space, or compile with --counters=64 --place=sections",
                line);
}

/* If naked functions have counters, runs the front end again without these
 * counters. Returns the exit status. */
static int recompile_without_naked(const struct launch_state *state,
                                   struct compiler_job *job, const char *front,
                                   FILE *messages) {
  char list[PATH_ROOM], names[100];
  struct file file;
  scratch_make_path(&state->scratch, "naked.list", list);
  FILE *out = os_fopen(list, "w");
  if (!out)
    return report(
        list, "cannot be written: %s; set TMPDIR to a folder with free space",
        os_error_text(errno));
  if (file_read(&file, front, IR_LIMIT)) {
    fclose(out);
    return 1;
  }
  size_t count = cc_list_naked_functions(file.bytes, out, names);
  file_close(&file);
  fclose(out);
  if (!count)
    return 0;
  if (strcmp(job->input, "-") == 0)
    return report("standard input",
                  "the source has naked functions, which must not count: %s%s; "
                  "compile from a file",
                  names, count > 1 ? " and others" : "");
  if (job->ir)
    return report(job_source_name(job),
                  "the IR has naked functions, which must not count: %s%s; "
                  "compile without -save-temps",
                  names, count > 1 ? " and others" : "");
  fprintf(stderr, "bareprof: %s: naked functions are not measured: %s%s\n",
          job_source_name(job), names, count > 1 ? " and others" : "");
  /* Only this step gets the list. Otherwise clang would name the list among the
   * files on which the object depends; the first run has written those names
   * already. */
  job->list = list;
  int status = job_run_step(job, STEP_FRONT_AGAIN, job->input, front, messages);
  job->list = NULL;
  return status;
}

static bool needs_module_text(const struct launch_state *state) {
  return state->launch->cover.place == CC_BSS ||
         state->launch->counters >= CC_BYTES;
}

/* Runs the front end. With -save-temps the input is bitcode already; then the
 * front end runs only if the module is needed as text. Returns the exit status.
 */
static int run_front_end(const struct launch_state *state,
                         struct compiler_job *job, const char *front,
                         FILE *messages) {
  const struct coverage_options *cover = &state->launch->cover;
  bool placed = cover->place == CC_BSS, text = needs_module_text(state);
  if (job->ir && !text)
    return 0;
  enum compile_step step = text ? STEP_FRONT_TEXT : STEP_FRONT;
  int status = job_run_step(job, step, job->input, front, messages);
  /* With -Werror, decisions that clang leaves out are errors. Here they are
   * warnings, because the report lists these decisions. */
  if (status && cover->coverage == CC_MCDC && strcmp(job->input, "-") &&
      has_message(messages, "-Wpgo-coverage]") && os_truncate_file(messages)) {
    job_insert_option(job, "-Wno-error=pgo-coverage", NULL);
    status = job_run_step(job, step, job->input, front, messages);
  }
  return status || !placed
             ? status
             : recompile_without_naked(state, job, front, messages);
}

/* Runs the last step for trace points, in two parts: to assembly, and from the
 * assembly to the object. */
static int run_trace_steps(struct launch_state *state,
                           const struct compiler_job *job, const char *module,
                           FILE *messages) {
  char written[PATH_ROOM], labelled[PATH_ROOM];
  scratch_make_path(&state->scratch, "written.s", written);
  scratch_make_path(&state->scratch, "labelled.s", labelled);
  int status = job_run_step(job, STEP_ASSEMBLY, module, written, messages);
  if (!status)
    status = rewrite_file(state, REWRITE_ASSEMBLY, written,
                          job->object ? labelled : job->output);
  if (!status && job->object)
    status = job_run_step(job, STEP_OBJECT, labelled, NULL, messages);
  return status;
}

/* Returns whether a source is ./NAME, also with several `.` or slashes. */
static bool is_in_dot_folder(const char *name) {
  bool dot = name[0] == '.' && name[1] == '/';
  while (*name == '/' || (*name == '.' && name[1] == '/'))
    name++;
  return dot && !strchr(name, '/');
}

/* Runs the steps of a job. messages[0] is the file for the front end,
 * messages[1] for the other steps. Returns the exit status. *reached is the
 * last step that was started. */
static int run_job_steps(struct launch_state *state, struct compiler_job *job,
                         FILE *const messages[2], enum compile_step *reached) {
  char front[PATH_ROOM], lowered[PATH_ROOM], narrowed[PATH_ROOM];
  const char *ir = job->ir && !needs_module_text(state) ? job->input : front;
  const unsigned counters = state->launch->counters;
  bool before = counters >= CC_BYTES;
  bool after = counters != CC_64;
  scratch_make_path(&state->scratch, "front.bc", front);
  scratch_make_path(&state->scratch, "lowered.ll", lowered);
  scratch_make_path(&state->scratch, "narrowed.ll", narrowed);
  *reached = STEP_FRONT;
  int status = run_front_end(state, job, front, messages[0]);
  if (status)
    return status;
  *reached = STEP_LOWER;
  if (must_module_place_counters(state))
    job_insert_option(job, "-mllvm", "-profile-correlate=binary");
  if (before && rewrite_file(state, REWRITE_MODULE, ir, narrowed))
    return 1;
  status = job_run_step(job, STEP_LOWER, before ? narrowed : ir, lowered,
                        messages[1]);
  if (status)
    return interrupt_is_pending() ? 1 : report_not_lowered(job, messages[1]);
  if (append_counter_notes(state, lowered))
    return 1;
  if (after && rewrite_file(state, REWRITE_LOWERED, lowered, narrowed))
    return 1;
  *reached = STEP_REST;
  rewind(messages[1]);
  if (!os_truncate_file(messages[1]))
    return report(narrowed, "%s; set TMPDIR to a folder with free space",
                  os_error_text(errno));
  if (counters == CC_TRACE) {
    /* For ./main.c, clang's assembly lists a file twice: as main.c, and as
     * main.c in folder `.`. clang's assembler merges the two, and then lacks
     * the second. For an absolute name, it lacks a file with this option. */
    if (is_in_dot_folder(job_source_name(job)))
      job_insert_option(job, "-fno-dwarf-directory-asm", NULL);
    return run_trace_steps(state, job, narrowed, messages[1]);
  }
  const char *last = after ? narrowed : lowered;
  if (!must_module_place_counters(state))
    return job_run_step(job, STEP_REST, last, NULL, messages[1]);
  status = rewrite_file(state, REWRITE_PLACE, last, front);
  return status ? status
                : job_run_step(job, STEP_REST, front, NULL, messages[1]);
}

/* ---- messages ---- */

static bool has_any_message(FILE *messages) {
  struct os_file_info facts;
  return os_stat_open(fileno(messages), &facts) && facts.size > 0;
}

/* Runs the job again without steps, because the back end printed a message.
 * clang then prints the message with source lines. After a failure, this run
 * writes the job's own output, because the message may be about this file: its
 * disk may be full. Returns the exit status. */
static int rerun_for_messages(const struct launch_state *state,
                              const struct compiler_job *job, int status) {
  struct argument_list arguments = {0};
  char again[PATH_ROOM];
  scratch_make_path(&state->scratch, "again", again);
  job_copy_command(job, again, &arguments);
  int own = job_run_arguments(status ? &job->arguments : &arguments, stderr);
  arguments_free(&arguments);
  if (own || !status)
    return own;
  /* The assembler for RISC-V cannot write split debug information, because
   * sizes are not known before linking. */
  if (state->launch->counters == CC_TRACE && job_option_value(job, split_dwarf))
    return report(job_source_name(job),
                  "split debug information is not supported in assembly; "
                  "compile without -gsplit-dwarf, or without --counters=trace");
  return report(job_source_name(job),
                "clang rejects the code that --counters=%s changed; use "
                "another value of --counters",
                cc_widths[state->launch->counters]);
}

static void remove_regular_file(const char *name) {
  struct os_file_info facts;
  if (name && !os_is_link(name) && os_stat(name, &facts) &&
      facts.kind == OS_FILE)
    (void)os_remove(name);
}

static void remove_job_outputs(const struct compiler_job *job) {
  remove_regular_file(job->output);
  remove_regular_file(job_option_value(job, split_dwarf));
}

/* Returns whether the output can be written. If not, the caller runs clang,
 * which reports the error. */
static bool try_opening_to_append(const char *name) {
  FILE *file = strcmp(name, "-") == 0 ? NULL : os_fopen(name, "a");
  return strcmp(name, "-") == 0 || (file && fclose(file) == 0);
}

/* Runs a job with counters. Returns the exit status. */
static int run_job_with_counters(struct launch_state *state,
                                 struct compiler_job *job) {
  FILE *const messages[2] = {os_temporary_file(), os_temporary_file()};
  enum compile_step reached = STEP_FRONT;
  int status = 1;
  bool piped = strcmp(job->input, "-") == 0;
  state->traces = trace_points_none;
  state->bytes = byte_counters_none;
  if (state->launch->counters == CC_BYTES)
    job_add_byte_options(job);
  if (state->merges)
    job_add_llvm_option(job, merge_off + 1);
  if (!try_opening_to_append(job->output)) {
    status = job_run_arguments(&job->arguments, stderr);
  } else if (!messages[0] || !messages[1]) {
    report(os_temporary_files,
           "no temporary file can be created there: %s; check the permissions "
           "and the disk space",
           os_error_text(errno));
  } else {
    status = run_job_steps(state, job, messages, &reached);
    bool stuck = status && reached == STEP_LOWER && !interrupt_is_pending();
    if (stuck && state->launch->fallback && !piped &&
        !must_module_place_counters(state)) {
      status = job_run_arguments(&job->arguments, stderr);
    } else if (reached == STEP_REST && has_any_message(messages[1]) && !piped) {
      status = rerun_for_messages(state, job, status);
    } else {
      job_print_messages(messages[0]);
      if (reached == STEP_REST)
        job_print_messages(messages[1]);
    }
  }
  for (unsigned i = 0; i < 2; i++)
    if (messages[i])
      fclose(messages[i]);
  trace_points_free(&state->traces);
  map_free(&state->bytes.functions);
  if (status)
    remove_job_outputs(job);
  return status;
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
      has_message(messages, "overflowed by"))
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
  const char *error = counts || (placed && job->kind == JOB_PROMOTES)
                          ? find_job_refusal(state)
                          : NULL;
  int status = error        ? report(job_source_name(job), "%s", error)
               : counts     ? run_job_with_counters(state, job)
               : job->input ? job_run_arguments(&job->arguments, stderr)
                            : run_and_explain_overflow(launch, &job->arguments);
  bool ran = !status;
  if (ran && placed)
    status = cc_move_output_counters(job, launch->counters == CC_TRACE,
                                     launch->verbose);
  if (status && (ran || error))
    remove_job_outputs(job);
  return status;
}

/* Runs all jobs as the driver would. An error does not stop the jobs of other
 * sources. Returns the last status that is not 0. */
static int run_driver_jobs(struct launch_state *state) {
  struct compiler_jobs *jobs = &state->jobs;
  bool *failed = calloc(jobs->count, sizeof *failed);
  int status = failed ? 0 : report_out_of_memory(NULL);
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
      remove_job_outputs(state->job);
    interrupt_resume_signals();
  }
  return status;
}

static bool has_option_word(const struct compiler_job *job,
                            const char *option) {
  for (size_t i = 0; i < job->arguments.count; i++)
    if (strstr(job->arguments.list[i], option))
      return true;
  return false;
}

/* Runs a command with IR PGO. clang would count loops in registers, and add the
 * 64-bit counts to memory after the loop. On 32-bit cores this is slower than
 * counting in memory. */
static int exec_ir_pgo_compiler(const struct launch_state *state,
                                const struct compiler_job *job) {
  const struct cc_command *launch = state->launch;
  struct argument_list first = {0};
  if (!launch->keep_promotion &&
      !has_option_word(job, "do-counter-promotion")) {
    arguments_append(&first, "-mllvm");
    arguments_append(&first, "-do-counter-promotion=false");
  }
  if (state->merges && !has_option_word(job, "enable-global-merge")) {
    arguments_append(&first, "-mllvm");
    arguments_append(&first, "%s", merge_off);
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
      remove_regular_file(at[1]);
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
  bool plain = launch->counters == CC_64 &&
               launch->cover.place == CC_SECTIONS &&
               launch->cover.coverage == CC_ASKED;
  if (plain || !may_add_counters(launch))
    return exec_compiler(launch, NULL);
  while (launch->command[1] && is_compiler_cache(*launch->command))
    launch->command++;
  if (has_argument_with_prefix(launch, "-###"))
    return exec_with_coverage(launch);
  int status = run_command_jobs(&state, ask_driver_for_jobs(&state));
  jobs_free(&state.jobs);
  return status;
}
