/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the command of `bareprof cc`: reads the driver's jobs (job.c), runs
 * those with counters in steps (increment.c changes the text between the
 * steps), and runs the others as they are.
 *
 * Compiler messages are kept until all steps are done. The back end knows no
 * source lines, because its input is IR. So if the back end prints a message,
 * the job runs again without steps, and the messages of this run are shown.
 */
#include "launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/program.h"
#include "../base/os.h"
#include "modes.h"

enum { IR_LIMIT = 1 << 30 };

const char *const cc_widths[] = {"auto",      "64",    "32",     "32-atomic",
                                 "32-packed", "byte",  "trace",  NULL};
const char *const cc_outcomes[] = {"auto", "bits", "bytes", NULL};

struct launch_work {
  const struct launch *launch;
  struct jobs jobs;
  const struct job *last; /* the last job that was started */
  struct scratch scratch;
  struct rewriting rewriting; /* of the current job */
  bool gcc;                   /* the compiler is gcc */
  bool no_mcdc;               /* the compiler rejects -fcoverage-mcdc */
  bool merges;                /* the compiler merges counters */
};

/* ---- without steps ---- */

/* Replaces bareprof with the compiler. first: arguments that come before the
 * user's. */
static int become(const struct launch *launch, char *const *first) {
  struct arguments arguments = {0};
  arguments_add(&arguments, "%s", launch->command[0]);
  for (; *first; first++)
    arguments_add(&arguments, "%s", *first);
  for (char **at = launch->command + 1; *at; at++)
    arguments_add(&arguments, "%s", *at);
  if (arguments.failed)
    return report_memory(NULL);
  os_become(arguments.list);
  arguments_free(&arguments);
  return cannot_run(launch->command[0]);
}

static char *const nothing[] = {NULL};

/* Replaces bareprof with the compiler, with the options of --coverage. */
static int become_covered(const struct launch *launch) {
  struct arguments flags = {0};
  cover_arguments(&launch->cover, &flags);
  int status = become(launch, flags.count ? flags.list : nothing);
  arguments_free(&flags);
  return status;
}

/* Whether the program is a compiler cache or distributor. `PROGRAM clang -###`
 * does not print clang's jobs. */
static bool is_cache(const char *program) {
  static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
  const char *slash = strrchr(program, '/');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(slash ? slash + 1 : program, names[i]) == 0)
      return true;
  return false;
}

static bool has_argument(const struct launch *launch, const char *begin) {
  for (char **at = launch->command + 1; *at; at++)
    if (strncmp(*at, begin, strlen(begin)) == 0)
      return true;
  return false;
}

/* ---- steps ---- */

/* Whether a line contains the words. Rewinds the file before and after, and
 * the descriptor's offset too, because a program that is started next inherits
 * it. */
static bool said(FILE *messages, const char *words) {
  char line[1000];
  bool found = false;
  rewind(messages);
  while (!found && fgets(line, sizeof line, messages))
    found = strstr(line, words) != NULL;
  rewind(messages);
  return fflush(messages) == 0 && found;
}

static int cannot_lower(const struct job *job, FILE *messages) {
  char line[400] = "no message";
  rewind(messages);
  (void)!fgets(line, sizeof line, messages);
  line[strcspn(line, "\n")] = 0;
  if (strstr(line, "-profile-correlate="))
    return report(job_source(job), "%s", place_needs_19);
  return report(job_source(job),
                "the counters cannot be lowered: %s; free disk space, or "
                "compile with --counters=64",
                line);
}

/* Runs the front end again without counters in naked functions, if any of them
 * counts. Returns the exit status. */
static int leave_naked(const struct launch_work *work, struct job *job,
                       const char *front, FILE *messages) {
  char list[PATH_ROOM], names[100];
  struct file file;
  scratch_path(&work->scratch, "naked.list", list);
  FILE *out = os_fopen(list, "w");
  if (!out)
    return report(list,
                  "cannot be written: %s; set TMPDIR to a folder with "
                  "free space",
                  os_error(errno));
  if (file_read(&file, front, IR_LIMIT)) {
    fclose(out);
    return 1;
  }
  size_t count = cover_naked(file.bytes, out, names);
  file_close(&file);
  fclose(out);
  if (!count)
    return 0;
  if (job->ir)
    return report(job_source(job),
                  "the IR has naked functions, which must not count: %s%s; "
                  "compile without -save-temps",
                  names, count > 1 ? " and others" : "");
  fprintf(stderr, "bareprof: %s: naked functions are not measured: %s%s\n",
          job_source(job), names, count > 1 ? " and others" : "");
  /* Only this step gets the list: clang would name it among the files on which
   * the object depends, and the first run has written those already. */
  job->list = list;
  int status = run_step(job, STEP_FRONT_AGAIN, job->input, front, messages);
  job->list = NULL;
  return status;
}

/* Whether the front end's module is needed as text. */
static bool reads_front(const struct launch_work *work) {
  return work->launch->cover.place == CC_BSS ||
         work->launch->counters >= CC_FLAGS;
}

/* Runs the front end. With -save-temps the input is bitcode already; then it
 * runs only if the module is needed as text. Returns the exit status. */
static int run_front(const struct launch_work *work, struct job *job,
                     const char *front, FILE *messages) {
  const struct cover *cover = &work->launch->cover;
  bool placed = cover->place == CC_BSS, text = reads_front(work);
  if (job->ir && !text)
    return 0;
  enum step step = text ? STEP_FRONT_TEXT : STEP_FRONT;
  int status = run_step(job, step, job->input, front, messages);
  /* With -Werror, decisions that clang leaves out are errors. The report lists
   * them, so here they are warnings. */
  if (status && cover->coverage == CC_MCDC &&
      said(messages, "-Wpgo-coverage]") && os_shorten(messages)) {
    job_add(job, "-Wno-error=pgo-coverage", NULL);
    status = run_step(job, step, job->input, front, messages);
  }
  return status || !placed ? status : leave_naked(work, job, front, messages);
}

/* Runs the last step for trace points: to assembly, then to the object. */
static int run_assembly(struct launch_work *work, const struct job *job,
                        const char *module, FILE *messages) {
  char written[PATH_ROOM], labelled[PATH_ROOM];
  scratch_path(&work->scratch, "written.s", written);
  scratch_path(&work->scratch, "labelled.s", labelled);
  int status = run_step(job, STEP_ASSEMBLY, module, written, messages);
  if (!status)
    status = rewrite(&work->rewriting, REWRITE_ASSEMBLY, written,
                     job->object ? labelled : job->output);
  if (!status && job->object)
    status = run_step(job, STEP_OBJECT, labelled, NULL, messages);
  return status;
}

/* Runs the steps of a job. messages: one file for the front end, one for the
 * rest. Returns the exit status; *reached is the last step that was started. */
static int run_steps(struct launch_work *work, struct job *job,
                     FILE *const messages[2], enum step *reached) {
  char front[PATH_ROOM], lowered[PATH_ROOM], narrowed[PATH_ROOM];
  const char *ir = job->ir && !reads_front(work) ? job->input : front;
  const unsigned counters = work->launch->counters;
  bool before = counters >= CC_FLAGS;
  bool behind = counters != CC_64;
  scratch_path(&work->scratch, "front.bc", front);
  scratch_path(&work->scratch, "lowered.ll", lowered);
  scratch_path(&work->scratch, "narrowed.ll", narrowed);
  *reached = STEP_FRONT;
  int status = run_front(work, job, front, messages[0]);
  if (status)
    return status;
  *reached = STEP_LOWER;
  if (rewrite_places(&work->rewriting))
    job_add(job, "-mllvm", "-profile-correlate=binary");
  if (before && rewrite(&work->rewriting, REWRITE_MODULE, ir, narrowed))
    return 1;
  status =
      run_step(job, STEP_LOWER, before ? narrowed : ir, lowered, messages[1]);
  if (status)
    return interrupt_waits() ? 1 : cannot_lower(job, messages[1]);
  if (rewrite_note(&work->rewriting, lowered))
    return 1;
  if (behind && rewrite(&work->rewriting, REWRITE_LOWERED, lowered, narrowed))
    return 1;
  *reached = STEP_REST;
  rewind(messages[1]);
  if (!os_shorten(messages[1]))
    return report(narrowed, "%s; set TMPDIR to a folder with free space",
                  os_error(errno));
  if (counters == CC_LABELS)
    return run_assembly(work, job, narrowed, messages[1]);
  const char *last = behind ? narrowed : lowered;
  if (!rewrite_places(&work->rewriting))
    return run_step(job, STEP_REST, last, NULL, messages[1]);
  status = rewrite(&work->rewriting, REWRITE_PLACE, last, front);
  return status ? status : run_step(job, STEP_REST, front, NULL, messages[1]);
}

/* ---- messages ---- */

static bool said_something(FILE *messages) {
  struct os_facts facts;
  return os_look_open(fileno(messages), &facts) && facts.size > 0;
}

/* Runs the job without steps, because the back end printed a message: clang
 * then prints it with source lines. Returns the exit status. */
static int say_as_clang(const struct launch_work *work, const struct job *job,
                        int status) {
  struct arguments arguments = {0};
  char again[PATH_ROOM];
  scratch_path(&work->scratch, "again", again);
  job_again(job, again, &arguments);
  int own = run_arguments(&arguments, stderr);
  arguments_free(&arguments);
  if (own || !status)
    return own;
  /* The assembler for RISC-V cannot write split debug information: sizes are
   * not known before linking. */
  if (work->launch->counters == CC_LABELS && job_split(job))
    return report(job_source(job),
                  "split debug information is not supported in assembly; "
                  "compile without -gsplit-dwarf, or without --counters=trace");
  return report(job_source(job),
                "clang rejects the code that --counters=%s changed; use "
                "another value of --counters",
                cc_widths[work->launch->counters]);
}

static void remove_file(const char *name) {
  struct os_facts facts;
  if (name && !os_is_link(name) && os_look(name, &facts) &&
      facts.kind == OS_FILE)
    (void)os_remove(name);
}

static void remove_output(const struct job *job) {
  remove_file(job->output);
  remove_file(job_split(job));
}

/* Whether the output can be written. If not, clang runs and reports the
 * error. */
static bool can_write(const char *name) {
  FILE *file = strcmp(name, "-") == 0 ? NULL : os_fopen(name, "a");
  return strcmp(name, "-") == 0 || (file && fclose(file) == 0);
}

/* Runs a job with counters. Returns the exit status. */
static int run_counting(struct launch_work *work, struct job *job) {
  FILE *const messages[2] = {os_temporary_file(), os_temporary_file()};
  enum step reached = STEP_FRONT;
  int status = 1;
  bool piped = strcmp(job->input, "-") == 0;
  work->rewriting = (struct rewriting){
      .launch = work->launch,
      .job = job,
      .labels = labels_none,
      .flags = flags_none};
  if (work->launch->counters == CC_FLAGS)
    job_stores_flags(job);
  if (work->merges)
    job_keeps_counters(job);
  const char *error = rewrite_refuses(&work->rewriting);
  if (error) {
    report(job_source(job), "%s", error);
  } else if (!can_write(job->output)) {
    status = run_arguments(&job->arguments, stderr);
  } else if (!messages[0] || !messages[1]) {
    report(os_temporary_files,
           "no temporary file can be created there: %s; free disk space",
           os_error(errno));
  } else {
    status = run_steps(work, job, messages, &reached);
    bool stuck = status && reached == STEP_LOWER && !interrupt_waits();
    if (stuck && work->launch->fallback && !piped &&
        !rewrite_places(&work->rewriting)) {
      status = run_arguments(&job->arguments, stderr);
    } else if (reached == STEP_REST && said_something(messages[1]) && !piped) {
      status = say_as_clang(work, job, status);
    } else {
      show_messages(messages[0]);
      if (reached == STEP_REST)
        show_messages(messages[1]);
    }
  }
  for (unsigned i = 0; i < 2; i++)
    if (messages[i])
      fclose(messages[i]);
  labels_free(&work->rewriting.labels);
  map_free(&work->rewriting.flags.functions);
  if (status)
    remove_output(job);
  return status;
}

/* ---- all jobs ---- */

/* Whether the job needs the output of a job that failed. */
static bool needs_failed(const struct jobs *jobs, size_t number,
                         const bool *failed) {
  const struct arguments *arguments = &jobs->list[number].arguments;
  for (size_t i = 0; i < number; i++)
    for (size_t k = 1; failed[i] && k < arguments->count; k++)
      if (jobs->list[i].output &&
          strcmp(arguments->list[k], jobs->list[i].output) == 0)
        return true;
  return false;
}

/* Runs a job without a source, which may be a link. If memory overflowed,
 * prints which counters are smaller. Returns the exit status. */
static int run_link(const struct launch *launch,
                    const struct arguments *arguments) {
  FILE *messages = os_temporary_file();
  int status = run_arguments(arguments, messages ? messages : stderr);
  if (!messages)
    return status;
  show_messages(messages);
  if (status && launch->counters < CC_LABELS && said(messages, "overflowed by"))
    fprintf(
        stderr,
        "bareprof: smaller counters save memory: --counters=32-packed halves "
        "the RAM of the counters, byte takes an eighth of the RAM and less "
        "code, trace takes none; see docs/how-to/smaller-images\n");
  fclose(messages);
  return status;
}

static int run_job(struct launch_work *work, struct job *job) {
  if (job->kind == JOB_COUNTS)
    return run_counting(work, job);
  return job->input ? run_arguments(&job->arguments, stderr)
                    : run_link(work->launch, &job->arguments);
}

/* Fills arguments with the command and the options of --coverage. */
static void add_command(const struct launch *launch, const char *first,
                        struct arguments *arguments) {
  arguments_add(arguments, "%s", launch->command[0]);
  if (first)
    arguments_add(arguments, "%s", first);
  if (*paint(stderr, PAINT_RED))
    arguments_add(arguments, "-fcolor-diagnostics");
  cover_arguments(&launch->cover, arguments);
  for (char **at = launch->command + 1; *at; at++)
    arguments_add(arguments, "%s", *at);
}

/* Runs the whole command, because only the driver writes the file of -MJ, and
 * only while it compiles. */
static void write_commands(const struct launch *launch) {
  struct arguments arguments = {.quiet = true};
  struct buffer out = {.limit = 1 << 30}, messages = {.limit = 1 << 26};
  add_command(launch, NULL, &arguments);
  (void)program_run(&arguments, &out, &messages);
  buffer_free(&out);
  buffer_free(&messages);
  arguments_free(&arguments);
}

/* Runs all jobs as the driver would: an error does not stop the other sources,
 * and the last failing status is returned. */
static int run_all(struct launch_work *work) {
  struct jobs *jobs = &work->jobs;
  bool *failed = calloc(jobs->count, sizeof *failed);
  int status = failed ? 0 : report_memory(NULL);
  const struct placing place = {work->launch->counters == CC_LABELS,
                                work->launch->verbose};
  scratch_take(&work->scratch, jobs, work->launch->command);
  if (has_argument(work->launch, "-MJ"))
    write_commands(work->launch);
  for (size_t i = 0; failed && i < jobs->count && !interrupt_waits(); i++) {
    struct job *job = &jobs->list[i];
    failed[i] = needs_failed(jobs, i, failed);
    if (failed[i])
      continue;
    work->last = job;
    int own = run_job(work, job);
    if (!own && work->launch->cover.place == CC_BSS &&
        cover_place(job, job_source(job), &place)) {
      remove_output(job);
      own = 1;
    }
    failed[i] = own != 0;
    status = own ? own : status;
  }
  free(failed);
  return status;
}

static bool is_assembly(const char *argument) {
  const char *point = strrchr(argument, '.');
  return point && (!strcmp(point, ".s") || !strcmp(point, ".S"));
}

/* Whether the command may add counters, or compile assembly that has some.
 * Other commands run without asking the driver for its jobs. */
static bool may_count(const struct launch *launch) {
  if (launch->cover.coverage != CC_ASKED)
    return true;
  for (char **at = launch->command + 1; *at; at++)
    if (strstr(*at, "profile") || **at == '@' ||
        strncmp(*at, "--config", 8) == 0 ||
        (launch->cover.place == CC_BSS && is_assembly(*at)))
      return true;
  return false;
}

static bool any_job(const struct jobs *jobs, enum job_kind kind) {
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->list[i].kind == kind)
      return true;
  return false;
}

/* Asks the driver for its jobs. Shows the driver's warnings if the driver does
 * not run again. */
static enum jobs_read ask(struct launch_work *work) {
  const struct launch *launch = work->launch;
  struct arguments arguments = {.quiet = true};
  struct buffer messages = {.limit = 1 << 26};
  enum jobs_read read = JOBS_FAILED;
  add_command(launch, "-###", &arguments);
  if (program_run(&arguments, NULL, &messages) == 0 && messages.data)
    read = jobs_read(&work->jobs, (const char *)messages.data);
  work->no_mcdc = launch->cover.coverage == CC_MCDC && messages.data &&
                  strstr((const char *)messages.data, "'-fcoverage-mcdc'");
  work->gcc = messages.data && jobs_are_of_gcc((const char *)messages.data);
  work->merges =
      messages.data && jobs_merge_counters((const char *)messages.data);
  if (read == JOBS_READ && any_job(&work->jobs, JOB_COUNTS))
    jobs_show_warnings((const char *)messages.data);
  buffer_free(&messages);
  arguments_free(&arguments);
  return read;
}

static int run_narrow(struct launch_work *work) {
  interrupt_delay();
  int status = scratch_begin(&work->scratch);
  if (!status)
    status = run_all(work);
  scratch_end(&work->scratch);
  /* After a signal there must be no object, not even a complete one. A signal
   * from here on comes too late, and waits until the end. */
  if (interrupt_waits()) {
    if (work->last)
      remove_output(work->last);
    interrupt_resume();
  }
  return status;
}

static bool is_chosen(const struct launch *launch, const char *option) {
  for (char **at = launch->command; *at; at++)
    if (strstr(*at, option))
      return true;
  return false;
}

/* Runs a command with IR PGO. clang would count loops in registers and add the
 * counts to memory after the loop in 64 bits, which costs 32-bit cores more
 * than counting in memory. */
static int run_promoting(const struct launch_work *work) {
  const struct launch *launch = work->launch;
  struct arguments first = {0};
  if (!launch->keep_promotion && !is_chosen(launch, "do-counter-promotion")) {
    arguments_add(&first, "-mllvm");
    arguments_add(&first, "-do-counter-promotion=false");
  }
  if (work->merges && !is_chosen(launch, "enable-global-merge")) {
    arguments_add(&first, "-mllvm");
    arguments_add(&first, "%s", job_merge_off);
  }
  char *const *more = first.count ? first.list : nothing;
  int status = first.failed ? report_memory(NULL) : become(launch, more);
  arguments_free(&first);
  return status;
}

/* Returns the source of the first job with IR PGO. */
static const char *promoting_source(const struct jobs *jobs) {
  size_t at = 0;
  while (jobs->list[at].kind != JOB_PROMOTES)
    at++;
  return job_source(&jobs->list[at]);
}

/* ---- caches ---- */

/* Prints a file's size and time, which differ if the file does. */
static void print_file(const char *what, const char *path) {
  struct os_facts facts;
  if (os_look(path, &facts))
    printf("%s %s %lld %lld.%09ld\n", what, path, (long long)facts.size,
           (long long)facts.seconds, facts.nanoseconds);
}

int launch_fingerprint(const struct launch *launch) {
  struct arguments arguments = {0};
  struct buffer version = {.limit = 1 << 20}, messages = {.limit = 1 << 20};
  char *path = os_find_program(launch->command[0]);
  if (!path)
    return cannot_run(launch->command[0]);
  arguments_add(&arguments, "%s", path);
  arguments_add(&arguments, "--version");
  int status = program_run(&arguments, &version, &messages);
  if (!status) {
    printf("counters %s%s %s\n", cc_widths[launch->counters],
           launch->keep_implied ? " keep" : "", cc_outcomes[launch->outcomes]);
    cover_print(&launch->cover);
    print_file("bareprof", os_own_name());
    print_file("compiler", path);
    printf("%s", (const char *)version.data);
  }
  buffer_free(&version);
  buffer_free(&messages);
  arguments_free(&arguments);
  free(path);
  return status;
}

static int refuse_promoting(const struct launch_work *work) {
  return report(promoting_source(&work->jobs),
                "counters of -fprofile-generate always have 8 bytes; compile "
                "with -fprofile-instr-generate, or without "
                "--counters=32-packed, byte and trace");
}

/* Returns why --coverage would measure nothing. NULL: it measures, or the
 * compiler reports the reason itself. */
static const char *cannot_cover(const struct launch_work *work,
                                enum jobs_read read) {
  const struct launch *launch = work->launch;
  if (launch->cover.coverage == CC_ASKED || read == JOBS_READ)
    return NULL;
  if (work->no_mcdc)
    return "this clang has no MC/DC; use clang 18 or later, or "
           "--coverage=lines";
  if (!has_argument(launch, "-c") || (read == JOBS_FAILED && !work->gcc))
    return NULL;
  return work->gcc ? "gcc writes its coverage to files, which firmware does "
                     "not have; compile with clang"
                   : "this compiler does not list its jobs (-###), so nothing "
                     "would be measured; pass clang itself";
}

/* Runs the driver's jobs. read: the result of reading them. Returns the exit
 * status. */
static int run_jobs(struct launch_work *work, enum jobs_read read) {
  const struct launch *launch = work->launch;
  bool changed = false;
  const char *error = NULL;
  if (read == JOBS_READ)
    error = cover_choose(&launch->cover, &work->jobs, &changed);
  if (error)
    return report("--include, --ignore", "%s; use a valid regular expression",
                  error);
  if (read == JOBS_BROKEN && !launch->fallback)
    return report(launch->command[0],
                  "the job list of this compiler (-###) cannot be read; use "
                  "--counters=64 or --fallback");
  const char *unable = cannot_cover(work, read);
  if (unable)
    return report(launch->command[0], "%s", unable);
  if (read == JOBS_FAILED && !work->gcc)
    return become_covered(launch);
  if (read != JOBS_READ && launch->cover.coverage != CC_ASKED)
    return run_link(launch, &(struct arguments){.list = launch->command});
  if (read != JOBS_READ)
    return become(launch, nothing);
  if (launch->counters >= CC_32_PACKED && any_job(&work->jobs, JOB_PROMOTES))
    return refuse_promoting(work);
  if (changed || any_job(&work->jobs, JOB_COUNTS))
    return run_narrow(work);
  if (any_job(&work->jobs, JOB_PROMOTES))
    return run_promoting(work);
  return become(launch, nothing);
}

int launch(struct launch *launch) {
  struct launch_work work = {.launch = launch};
  bool plain = launch->counters == CC_64 &&
               launch->cover.place == CC_SECTIONS &&
               launch->cover.coverage == CC_ASKED;
  if (plain || !may_count(launch))
    return become(launch, nothing);
  while (launch->command[1] && is_cache(*launch->command))
    launch->command++;
  if (has_argument(launch, "-###"))
    return become_covered(launch);
  int status = run_jobs(&work, ask(&work));
  jobs_free(&work.jobs);
  return status;
}
