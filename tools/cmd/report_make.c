/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes the report step by step: reads the inputs, runs the command, evaluates
 * the coverage, writes pages and outputs, checks limits. report.c calls it;
 * coverage/ has most steps.
 */
#include "report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/demangle.h"
#include "../base/error.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../base/program.h"
#include "../coverage/exclude/exclude.h"
#include "../doctor/findings.h"
#include "../coverage/model/view.h"
#include "../html/site.h"
#include "../image/trace_counts.h"
#include "live.h"

static void list_places_and_diff_points(struct report_arguments *arguments,
                                        const struct coverage *coverage) {
  if (!arguments->diff && !arguments->uncovered &&
      !outputs_need_places(&arguments->outputs))
    return;
  places_make(&arguments->places, &coverage->exported, coverage->release);
  if (arguments->diff)
    exit_if_failed(!change_collect_points(
        &arguments->change, &arguments->places, &coverage->exported,
        &coverage->unmeasured, &arguments->shown_paths));
}

/* Checks all limits. A diff without code passes. */
static void add_failed_limit_checks(struct report_arguments *arguments,
                                    const struct coverage *coverage) {
  const struct score *lines = &arguments->change.total.scores[LINES];
  struct failed_checks *checks = &arguments->checks;
  limits_add_failed_checks(&arguments->limits, coverage, checks);
  excluded_add_failed_checks(coverage, checks);
  if (lines->count)
    limits_add_failed_score("patch", lines, arguments->limits.patch, checks);
  if (arguments->against_name)
    baseline_add_failed_checks(&arguments->against, &arguments->shown_paths,
                               checks);
}

/* ---- code that runs before .bss is cleared ---- */

struct early_code_count {
  const struct model *exported;
  size_t count; /* the number of names that were printed */
};

/* Prints the name if the function was measured and has count 0.
 * doctor_walk_early_code calls this function for each function that start-up
 * code calls. Returns whether to visit the callees of the function, too. */
static bool print_uncounted_function(void *context, const char *name,
                                     bool certain) {
  (void)certain;
  struct early_code_count *early = context;
  const struct model_function *all = model_functions(early->exported);
  size_t count = early->exported->functions.size / sizeof *all, i = 0;
  char shown[300];
  while (i < count && strcmp(view_name_without_file(all[i].name), name) != 0)
    i++;
  if (i == count || all[i].count)
    return false;
  printf("%s%s",
         early->count++
             ? ", "
             : "\nStart-up code calls these functions before it clears .bss, "
               "so counts up to this point are lost:\n  ",
         make_printable(shown, sizeof shown, name));
  return true;
}

/* Lists functions that ran before .bss was cleared. Only counters in .bss are
 * cleared then: not the counters of other sections, trace points or object
 * code. */
static void print_early_code(const struct coverage *coverage) {
  for (size_t i = 0; i < coverage->inputs->count; i++) {
    const struct elf *elf = &coverage->inputs->subjects[i].elf;
    struct early_code_count early = {.exported = &coverage->exported};
    struct elf_section own;
    if (!elf_find_section(elf, "__llvm_prf_cnts", &own) &&
        !linked_points_present(elf) && !coverage->inputs->object_code)
      doctor_walk_early_code(elf, print_uncounted_function, &early);
    if (early.count)
      puts("\n  Leave out their sources: bareprof cc --ignore REGEX");
  }
}

/* ---- the page ---- */

enum { LINK_ROOM = 3 * 5000 + 10 };

/* Makes the URL of an absolute path: file:///home/a/b, file:///C:/a/b, or
 * file://server/a of the share \\server\a. */
static void make_file_url(char link[LINK_ROOM], const char *path) {
  bool drives = *path != '/', share = path[0] == '\\' && path[1] == '\\';
  int used = sprintf(link, "file:%s", share ? "" : drives ? "///" : "//");
  for (; *path && used < LINK_ROOM - 4; path++) {
    unsigned char c = (unsigned char)*path;
    bool plain = c < 0x80 && (isalnum(c) || strchr("/-._~", c));
    if (drives && c == '\\')
      c = '/', plain = true;
    used += sprintf(link + used,
                    plain || (drives && c == ':') ? "%c" : "%%%02X", c);
  }
}

static void open_in_browser(const char *link) {
  struct argument_list words = {.quiet = true};
  struct buffer messages = {.limit = 1 << 16};
  char *program = os_find_program(os_opener[0]);
  arguments_append(&words, "%s", program ? program : "");
  if (os_opener[1])
    arguments_append(&words, "%s", os_opener[1]);
  arguments_append(&words, "%s", link);
  if (!program || program_run(&words, NULL, &messages))
    warn("--open", "%s is missing or failed; open the link by hand",
         os_opener[0]);
  buffer_free(&messages);
  arguments_free(&words);
  free(program);
}

static bool
has_output_or_limit_options(const struct report_arguments *arguments) {
  const struct coverage_limits *limits = &arguments->limits;
  bool any = arguments->diff || arguments->against_name || limits->patch >= 0 ||
             outputs_are_wanted(&arguments->outputs);
  for (unsigned i = 0; i < METRICS; i++)
    any |= limits->least[i] >= 0;
  return any;
}

/* Prints the page's link. After a successful bareprof run without output
 * options, also suggests the next commands. */
static void print_and_open_page_link(const struct report_arguments *arguments,
                                     bool succeeds) {
  char name[5000], link[LINK_ROOM];
  snprintf(name, sizeof name, "%s/html/index.html", arguments->out);
  char *real = os_real_path(name);
  make_file_url(link, real ? real : name);
  free(real);
  if (!arguments->silent && succeeds && arguments->console.command &&
      !arguments->live && !has_output_or_limit_options(arguments))
    puts("Next: set a limit with --fail-under lines=80, write a file for CI "
         "with --lcov FILE, or watch the firmware with bareprof live");
  if (!arguments->silent)
    printf("Line by line: %s\n", link);
  fflush(stdout);
  if (arguments->open)
    open_in_browser(link);
}

static int print_and_write_results(struct report_arguments *arguments,
                                   const struct output_contents *data) {
  const struct coverage *coverage = data->coverage;
  const struct source_maps *paths = data->paths;
  int status = 0;
  if (arguments->uncovered) {
    if (!arguments->settings.no_demangle)
      demangle_hold_stdout(coverage->release);
    result_print_uncovered_functions(data);
    status = demangle_print_held();
  }
  if (!status)
    status = outputs_write(&arguments->outputs, data);
  if (!arguments->silent) {
    result_print_tables(coverage);
    report_object_print_notes(arguments);
    expected_print(coverage, paths);
    excluded_print_summary(coverage);
    result_print_unmeasured_code(coverage, paths);
    print_early_code(coverage);
    result_print_unknown_numbers(coverage, paths);
    if (!coverage->inputs->object)
      result_print_llvm_differences(coverage);
    result_print_active_calls(stdout, coverage);
  }
  if (data->tests)
    tests_print(data->tests, paths);
  if (!status && arguments->tests.before_reset)
    tests_print_resets(&arguments->tests, &coverage->exported, paths);
  if (data->against)
    baseline_print(data->against, paths);
  if (!arguments->silent)
    putchar('\n');
  if (!status && data->change)
    change_print(data->change, arguments->diff_format);
  print_and_open_page_link(arguments, !status && !arguments->checks.count);
  return status ? status : checks_report(&arguments->checks);
}

/* ---- a command's dumps ---- */

static const char *dump_source_name(const struct console *console) {
  return console->port ? console->port : console->command[0];
}

/* Adds a failed check if the command did not end as expected. The check is
 * about the ELF: the command may be `timeout', and users know the ELF. */
static void add_command_end_checks(const struct console *console,
                                   const struct inputs *inputs,
                                   struct failed_checks *checks) {
  size_t expected = inputs->count * console->count;
  const char *source = dump_source_name(console);
  struct report_check check = {.about = inputs->subjects[0].name};
  int status = console->ended ? os_exit_status(console->status) : 0;
  int signal = console->ended ? os_end_signal(console->status) : 0;
  check.name = console->out_of_time ? "dumps" : signal ? "signal" : "status";
  check.wanted = console->out_of_time ? (double)expected : 0;
  check.got = console->out_of_time ? (double)console->dumps : signal + status;
  if (console->unanswered)
    checks_add_failed(
        checks, &(struct report_check){"answer", check.about, -1, -1},
        "%s: no answer to the last request, so the counts are from the "
        "previous dump; check that the firmware still runs",
        source);
  if (console->out_of_time && console->dumps >= expected)
    checks_add_failed(
        checks, &check,
        "%s: the last dump has no end; check that the sink returns 0", source);
  else if (console->out_of_time && console->timeout)
    checks_add_failed(
        checks, &check,
        "%s: only %zu of %zu dump%s arrived in %g s; use a longer --timeout, "
        "or check --count and what the firmware sends",
        source, console->dumps, expected, expected == 1 ? "" : "s",
        (double)console->timeout / 1000);
  else if (console->out_of_time)
    checks_add_failed(
        checks, &check,
        "%s: no output for %u s, after %zu of %zu dump%s; use a longer "
        "--timeout",
        source, CONSOLE_PATIENCE / 1000, console->dumps, expected,
        expected == 1 ? "" : "s");
  else if (signal)
    checks_add_failed(checks, &check,
                      "%s was ended by signal %d; run the command by hand",
                      source, signal);
  else if (status)
    checks_add_failed(
        checks, &check,
        "%s failed with exit status %d; see the output of the command", source,
        status);
}

/* Rejects images that send no dumps: they have only trace points, or counters
 * in .bss. */
static int refuse_silent_elfs(const struct report_arguments *arguments,
                              bool by_gdb) {
  const struct inputs *inputs = &arguments->inputs;
  for (size_t i = 0; i < inputs->count && !arguments->trace; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    struct counter_widths widths;
    struct elf_section own;
    if (linked_points_present(&subject->elf))
      return report(
          subject->name,
          "the ELF has trace points instead of counters; add --trace for "
          "QEMU, or pass the trace of a board to bareprof trace");
    counter_width_read(&widths, &subject->elf);
    if (!by_gdb && widths.placed.objects &&
        !(elf_find_section(&subject->elf, "__llvm_prf_cnts", &own) && own.size))
      return report(subject->name,
                    "the firmware does not send counters of --place=bss; add "
                    "--gdb, or use --port gdb:HOST:PORT for a board");
  }
  return 0;
}

static int show_log_counts(void *live) { return live_show_counts(live, NULL); }

static void refresh_live(void *live) { live_serve_and_redraw(live); }

static int run_console(struct report_arguments *arguments,
                       struct live_session *live) {
  struct console *console = &arguments->console;
  console->context = live;
  arguments->inputs.polled = console->polls;
  if (console->every) {
    console->on_dumps = show_log_counts;
    console->tick = refresh_live;
    console->endless = !arguments->counted;
  }
  return console_listen(console, &arguments->inputs);
}

static int begin_live_session(struct report_arguments *arguments,
                              struct live_session *live) {
  live->lcov = arguments->outputs.lcov;
  live->log = arguments->console.log;
  live->tokens.paths = &arguments->settings.paths;
  live->settings = &arguments->settings;
  live->inputs = &arguments->inputs;
  live->screen = arguments->live && os_is_ansi_terminal(1);
  arguments->console.quiet |= live->screen;
  if (!arguments->has_page)
    return 0;
  snprintf(arguments->first_page, sizeof arguments->first_page,
           "%s/html/index.html", arguments->out);
  live->page = live_page_open(arguments->page,
                              os_base_name(arguments->inputs.subjects[0].name),
                              arguments->first_page);
  return !live->page;
}

/* Runs the command or reads the port, and adds the dumps to the inputs.
 * `others` says that there are other logs, which the command may have written.
 */
static int collect_command_dumps(struct report_arguments *arguments,
                                 const struct report_folder *folder,
                                 bool others) {
  struct console *console = &arguments->console;
  bool by_gdb = arguments->gdb.wanted || run_gdb_find_server_address(console);
  if (refuse_silent_elfs(arguments, by_gdb))
    return 1;
  struct live_session live = {0};
  char *log = need_memory(folder_file_path(folder, "console.log"));
  console->log = log;
  int status = begin_live_session(arguments, &live) ? 1
               : by_gdb           ? run_gdb_program(arguments, &live)
               : arguments->trace ? trace_run_command(arguments, folder)
                                  : run_console(arguments, &live);
  live_free(&live);
  if (by_gdb) {
    console->log = NULL;
    free(log);
    return status;
  }
  if (!status || arguments->trace)
    add_command_end_checks(console, &arguments->inputs, &arguments->checks);
  checks_report(&arguments->checks);
  if (console->port)
    arguments->inputs.headless_log = dump_source_name(console);
  bool heard = !status && !arguments->trace; /* the dumps are in the log */
  if (heard && console->frames)
    status =
        inputs_read_log(&arguments->inputs, log, dump_source_name(console));
  else if (heard && !others) {
    status =
        report(arguments->inputs.subjects[0].name, "%s: %s%s",
               dump_source_name(console), console->lost ? "data is lost: " : "",
               console->lost ? console->lost : console->lacks);
    /* An ELF may show possible causes. */
    for (size_t i = 0; i < arguments->inputs.count && !console->lost; i++)
      doctor_check_and_report(arguments->inputs.subjects[i].name,
                              &arguments->inputs.subjects[i].elf);
  }
  console->log = NULL;
  free(log);
  return status;
}

/* ---- the steps of a report ---- */

/* Reads the diff, the earlier report, test results and exclusions before any
 * work is done, so that errors in them come early. */
static void read_option_files(struct report_arguments *arguments) {
  if (arguments->diff)
    change_read(&arguments->change, arguments->diff);
  if (arguments->against_name)
    baseline_read(&arguments->against, arguments->against_name);
  for (size_t i = 0; i < arguments->junit_count; i++)
    tests_read_junit(&arguments->tests, arguments->junits[i]);
  exclusions_read_file(&arguments->exclusions);
}

/* Rejects inputs inside the report's folder, which will be replaced. */
static void refuse_inputs_in_folder(const struct report_arguments *arguments,
                                    struct report_folder *folder, char **names,
                                    size_t count) {
  const char *const others[] = {arguments->diff, arguments->exclusions.name,
                                arguments->against_name};
  for (size_t i = 0; i < count; i++)
    folder_refuse_input_inside(folder, names[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i])
      folder_refuse_input_inside(folder, others[i]);
}

static int refuse_object_options(const struct report_arguments *arguments) {
  return arguments->limits.instructions
             ? report(NULL, "--fail-under instructions=N works with "
                            "--object-code only; use regions=N")
         : arguments->moved_count
             ? report(NULL, "--moved works with object code only; add "
                            "--object-code")
             : 0;
}

static int evaluate_and_write_report(struct report_arguments *arguments,
                                     struct coverage *coverage,
                                     struct report_folder *folder) {
  struct tests *tests = arguments->tests.wanted ? &arguments->tests : NULL;
  struct output_contents data = {
      .coverage = coverage,
      .places = &arguments->places,
      .paths = &arguments->shown_paths,
      .against = arguments->against_name ? &arguments->against : NULL,
      .tests = tests,
      .change = arguments->diff ? &arguments->change : NULL,
      .words = arguments->words,
      .checks = &arguments->checks,
      .expansions = arguments->expansions};
  coverage_make(coverage);
  list_places_and_diff_points(arguments, coverage);
  if (tests) {
    tests_measure_lines(tests, coverage);
    tests_write(tests, coverage, data.paths);
  }
  if (data.against)
    baseline_compare(&arguments->against, coverage);
  add_failed_limit_checks(arguments, coverage);
  pages_write(&data);
  evidence_write(&data);
  folder_commit(folder);
  int status = print_and_write_results(arguments, &data);
  free(data.evidence);
  return status;
}

int report_make(struct report_arguments *arguments, char **names,
                size_t count) {
  struct report_folder folder;
  struct inputs *inputs = &arguments->inputs;
  struct coverage coverage = {
      .settings = &arguments->settings,
      .inputs = inputs,
      .folder = &folder,
      .exclusions = &arguments->exclusions,
      .expected = arguments->whole.what_count ? &arguments->whole : NULL};
  bool runs = arguments->console.command;
  bool written = runs && !arguments->console.port; /* the command may still
                                                      write some inputs */
  exit_if_failed(!written && inputs_check_readable(names, count));
  inputs->object_code = arguments->object_code || arguments->lists;
  inputs->traced = arguments->trace;
  exit_if_failed(inputs_open_elfs(inputs, names, count) ||
                 (inputs->object_code ? report_object_begin(arguments, names[0])
                                      : refuse_object_options(arguments)));
  read_option_files(arguments);
  folder_begin(&folder, arguments->out);
  outputs_check_names(&arguments->outputs, &folder);
  refuse_inputs_in_folder(arguments, &folder, names, count);
  int status = inputs->object_code && report_object_open(arguments);
  if (!status && runs)
    status = collect_command_dumps(arguments, &folder, count > inputs->count) ||
             inputs_check_readable(names, count);
  if (!status)
    status = inputs->object_code
                 ? report_object_read(arguments, names, count, &folder)
                 : inputs_read_and_add_files(inputs, names, count);
  if (status || (inputs->object_code && !inputs->object)) {
    folder_abandon(&folder);
    return status || checks_report(&arguments->checks);
  }
  status = evaluate_and_write_report(arguments, &coverage, &folder);
  baseline_free(&arguments->against); /* freed before the coverage, to which it
                                         refers */
  coverage_free(&coverage);
  return status;
}
