/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs one job with counters in steps. The other files of this folder change
 * the text between the steps.
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

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "increment.h"

enum { IR_LIMIT = 1 << 30 };

const char *const cc_widths[] = {"auto",      "64",   "32",    "32-atomic",
                                 "32-packed", "byte", "trace", NULL};
const char *const cc_outcomes[] = {"auto", "bits", "bytes", NULL};

const char cc_merge_off[] = "-enable-global-merge=false";

/* ---- changes between the steps ---- */

enum rewrite_step {
  REWRITE_MODULE,  /* changes the front end's module: byte counters, trace
                      points */
  REWRITE_LOWERED, /* changes the module after the lowering of counters, in all
                      modes */
  REWRITE_PLACE,   /* changes the last module: only bitcode with --place=bss */
  REWRITE_ASSEMBLY /* changes assembly with trace points */
};

static const char *rewrite_byte_counters(struct counted_job *counted,
                                         enum rewrite_step step,
                                         struct bytes file, FILE *out) {
  struct byte_counters *bytes = &counted->bytes;
  bytes->keeps = counted->launch->keep_implied;
  bytes->bytes = counted->launch->outcomes == CC_OUTCOMES_BYTES;
  if (step == REWRITE_LOWERED)
    return byte_lowered_rewrite_module(bytes, file, out);
  const char *error = byte_counters_insert(bytes, file, out);
  if (!error && counted->launch->verbose)
    fprintf(stderr,
            "bareprof: %s: %zu byte counter%s, %zu implied by "
            "others\n",
            job_source_name(counted->job), bytes->stores,
            bytes->stores == 1 ? "" : "s", bytes->dropped);
  return error;
}

static const char *narrow_job_counters(const struct counted_job *counted,
                                       struct bytes file, FILE *out) {
  const unsigned counters = counted->launch->counters;
  bool packed = counters == CC_32_PACKED;
  struct counter_narrowing narrow = {.packed = packed,
                                     .atomic = counters == CC_AUTO || packed
                                                   ? counted->job->atomic
                                                   : counters == CC_32_ATOMIC};
  const char *error = narrow_module(&narrow, file, out);
  if (!error && counted->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu increment%s of 32 bits%s, %zu of 64\n",
            job_source_name(counted->job), narrow.narrowed,
            narrow.narrowed == 1 ? "" : "s", narrow.atomic ? ", atomic" : "",
            narrow.left);
  return error;
}

static const char *rewrite_trace_points(struct counted_job *counted,
                                        enum rewrite_step step,
                                        struct bytes file, FILE *out) {
  struct trace_points *traces = &counted->traces;
  if (step == REWRITE_MODULE)
    return trace_points_insert(traces, file, out);
  if (step == REWRITE_LOWERED)
    return trace_points_rewrite_lowered(traces, file, out);
  const char *error = trace_points_rewrite_assembly(traces, file, out);
  if (!error && counted->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu nop%s for trace points\n",
            job_source_name(counted->job), traces->nops,
            traces->nops == 1 ? "" : "s");
  return error;
}

static const char *rewrite_job_text(struct counted_job *counted,
                                    enum rewrite_step step, struct bytes file,
                                    FILE *out) {
  if (step == REWRITE_PLACE)
    return place_module_profile(file, out);
  if (counted->launch->counters == CC_TRACE)
    return rewrite_trace_points(counted, step, file, out);
  if (counted->launch->counters == CC_BYTES)
    return rewrite_byte_counters(counted, step, file, out);
  return narrow_job_counters(counted, file, out);
}

/* Returns whether the module has to place the counters, because bitcode is not
 * an ELF object that place_object could change. */
static bool must_module_place_counters(const struct counted_job *counted) {
  return counted->launch->cover.place == CC_BSS &&
         job_writes_bitcode(counted->job);
}

const char *counted_job_find_refusal(const struct counted_job *counted) {
  const unsigned counters = counted->launch->counters;
  const char *output = counted->job->output;
  if (!job_has_elf_target(counted->job))
    return "counters need ELF objects, and addresses of 32 or 64 bits; compile "
           "for such a target, for example --target=thumbv7m-none-eabi";
  if (counted->launch->cover.place == CC_BSS && counted->job->object &&
      (strcmp(output, "-") == 0 || os_is_open_file_name(output)))
    return "clang writes the object to standard output, where --place=bss "
           "cannot change it; add -o FILE";
  if (!must_module_place_counters(counted) || counters < CC_32_PACKED)
    return NULL;
  return counters == CC_TRACE
             ? "clang writes bitcode, which cannot hold trace points; compile "
               "without -flto and -emit-llvm, or without --counters=trace"
             : "clang writes bitcode, where only 8-byte counters can be moved "
               "to .bss; compile without -flto, or without --counters";
}

/* Reads a file, changes the text, and writes it to another file. Returns 0, or
 * prints the error and returns 1. */
static int rewrite_file(struct counted_job *counted, enum rewrite_step step,
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
  const char *error = rewrite_job_text(counted, step, file.bytes, out);
  const char *where = counted->bytes.where;
  file_close(&file);
  bool failed = ferror(out);
  failed |= (piped ? fflush : fclose)(out) != 0;
  if (error)
    return report(job_source_name(counted->job), "%s%s%s", where,
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
static int append_counter_notes(const struct counted_job *counted,
                                const char *module) {
  const unsigned counters = counted->launch->counters;
  const struct bytes name = bytes_of_text(job_source_name(counted->job));
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
  if (out && any && counted->launch->cover.place == CC_BSS)
    narrow_print_counter_note(out, "bss", raw, name);
  return file_close_written(out, module, CHECK_DISK);
}

/* ---- steps ---- */

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
static int recompile_without_naked(const struct counted_job *counted,
                                   const char *front, FILE *messages) {
  struct compiler_job *job = counted->job;
  char list[PATH_ROOM], names[100];
  struct file file;
  scratch_make_path(counted->scratch, "naked.list", list);
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

static bool needs_module_text(const struct counted_job *counted) {
  return counted->launch->cover.place == CC_BSS ||
         counted->launch->counters >= CC_BYTES;
}

/* Runs the front end. With -save-temps the input is bitcode already; then the
 * front end runs only if the module is needed as text. Returns the exit status.
 */
static int run_front_end(const struct counted_job *counted, const char *front,
                         FILE *messages) {
  struct compiler_job *job = counted->job;
  const struct coverage_options *cover = &counted->launch->cover;
  bool placed = cover->place == CC_BSS, text = needs_module_text(counted);
  if (job->ir && !text)
    return 0;
  enum compile_step step = text ? STEP_FRONT_TEXT : STEP_FRONT;
  int status = job_run_step(job, step, job->input, front, messages);
  /* With -Werror, decisions that clang leaves out are errors. Here they are
   * warnings, because the report lists these decisions. */
  if (status && cover->coverage == CC_MCDC && strcmp(job->input, "-") &&
      job_has_message(messages, "-Wpgo-coverage]") &&
      os_truncate_file(messages)) {
    job_insert_option(job, "-Wno-error=pgo-coverage", NULL);
    status = job_run_step(job, step, job->input, front, messages);
  }
  return status || !placed ? status
                           : recompile_without_naked(counted, front, messages);
}

/* Runs the last step for trace points, in two parts: to assembly, and from the
 * assembly to the object. */
static int run_trace_steps(struct counted_job *counted, const char *module,
                           FILE *messages) {
  const struct compiler_job *job = counted->job;
  char written[PATH_ROOM], labelled[PATH_ROOM];
  scratch_make_path(counted->scratch, "written.s", written);
  scratch_make_path(counted->scratch, "labelled.s", labelled);
  int status = job_run_step(job, STEP_ASSEMBLY, module, written, messages);
  if (!status)
    status = rewrite_file(counted, REWRITE_ASSEMBLY, written,
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
static int run_job_steps(struct counted_job *counted, FILE *const messages[2],
                         enum compile_step *reached) {
  struct compiler_job *job = counted->job;
  char front[PATH_ROOM], lowered[PATH_ROOM], narrowed[PATH_ROOM];
  const char *ir = job->ir && !needs_module_text(counted) ? job->input : front;
  const unsigned counters = counted->launch->counters;
  bool before = counters >= CC_BYTES;
  bool after = counters != CC_64;
  scratch_make_path(counted->scratch, "front.bc", front);
  scratch_make_path(counted->scratch, "lowered.ll", lowered);
  scratch_make_path(counted->scratch, "narrowed.ll", narrowed);
  *reached = STEP_FRONT;
  int status = run_front_end(counted, front, messages[0]);
  if (status)
    return status;
  *reached = STEP_LOWER;
  if (must_module_place_counters(counted))
    job_insert_option(job, "-mllvm", "-profile-correlate=binary");
  if (before && rewrite_file(counted, REWRITE_MODULE, ir, narrowed))
    return 1;
  status = job_run_step(job, STEP_LOWER, before ? narrowed : ir, lowered,
                        messages[1]);
  if (status)
    return interrupt_is_pending() ? 1 : report_not_lowered(job, messages[1]);
  if (append_counter_notes(counted, lowered))
    return 1;
  if (after && rewrite_file(counted, REWRITE_LOWERED, lowered, narrowed))
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
    return run_trace_steps(counted, narrowed, messages[1]);
  }
  const char *last = after ? narrowed : lowered;
  if (!must_module_place_counters(counted))
    return job_run_step(job, STEP_REST, last, NULL, messages[1]);
  status = rewrite_file(counted, REWRITE_PLACE, last, front);
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
static int rerun_for_messages(const struct counted_job *counted, int status) {
  const struct compiler_job *job = counted->job;
  struct argument_list arguments = {0};
  char again[PATH_ROOM];
  scratch_make_path(counted->scratch, "again", again);
  job_copy_command(job, again, &arguments);
  int own = job_run_arguments(status ? &job->arguments : &arguments, stderr);
  arguments_free(&arguments);
  if (own || !status)
    return own;
  /* The assembler for RISC-V cannot write split debug information, because
   * sizes are not known before linking. */
  if (counted->launch->counters == CC_TRACE &&
      job_option_value(job, job_split_dwarf))
    return report(job_source_name(job),
                  "split debug information is not supported in assembly; "
                  "compile without -gsplit-dwarf, or without --counters=trace");
  return report(job_source_name(job),
                "clang rejects the code that --counters=%s changed; use "
                "another value of --counters",
                cc_widths[counted->launch->counters]);
}

/* Returns whether the output can be written. If not, the caller runs clang,
 * which reports the error. */
static bool try_opening_to_append(const char *name) {
  FILE *file = strcmp(name, "-") == 0 ? NULL : os_fopen(name, "a");
  return strcmp(name, "-") == 0 || (file && fclose(file) == 0);
}

int counted_job_run(struct counted_job *counted) {
  struct compiler_job *job = counted->job;
  FILE *const messages[2] = {os_temporary_file(), os_temporary_file()};
  enum compile_step reached = STEP_FRONT;
  int status = 1;
  bool piped = strcmp(job->input, "-") == 0;
  counted->traces = trace_points_none;
  counted->bytes = byte_counters_none;
  if (counted->launch->counters == CC_BYTES)
    job_add_byte_options(job);
  if (counted->merges)
    job_add_llvm_option(job, cc_merge_off + 1);
  if (!try_opening_to_append(job->output)) {
    status = job_run_arguments(&job->arguments, stderr);
  } else if (!messages[0] || !messages[1]) {
    report(os_temporary_files,
           "no temporary file can be created there: %s; check the permissions "
           "and the disk space",
           os_error_text(errno));
  } else {
    status = run_job_steps(counted, messages, &reached);
    bool stuck = status && reached == STEP_LOWER && !interrupt_is_pending();
    if (stuck && counted->launch->fallback && !piped &&
        !must_module_place_counters(counted)) {
      status = job_run_arguments(&job->arguments, stderr);
    } else if (reached == STEP_REST && has_any_message(messages[1]) && !piped) {
      status = rerun_for_messages(counted, status);
    } else {
      job_print_messages(messages[0]);
      if (reached == STEP_REST)
        job_print_messages(messages[1]);
    }
  }
  for (unsigned i = 0; i < 2; i++)
    if (messages[i])
      fclose(messages[i]);
  trace_points_free(&counted->traces);
  map_free(&counted->bytes.functions);
  if (status)
    job_remove_outputs(job);
  return status;
}
