/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The work of bareprof report, step by step.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/demangle.h"
#include "../base/error.h"
#include "../base/os.h"
#include "../coverage/evidence.h"
#include "../coverage/excluded.h"
#include "../doctor/examine.h"
#include "../html/notes.h"
#include "../html/pages.h"

static struct paths paths_here(const struct report_arguments *arguments,
                               char *here, size_t size) {
  return (struct paths){arguments->wishes.maps, arguments->wishes.map_count,
                        os_here(here, size)};
}

/* Reads what llvm-cov said of lines, and measures the change. */
static int measure(struct report_arguments *arguments,
                   const struct coverage *coverage) {
  char here[4096];
  const struct paths paths = paths_here(arguments, here, sizeof here);
  const struct bytes json = {coverage->json.data, coverage->json.size};
  const char *error =
      lcov_read(&arguments->lines,
                (struct bytes){coverage->lcov.data, coverage->lcov.size});
  if (error)
    return report("llvm-cov", "%s", error);
  return arguments->diff &&
         change_measure(&arguments->change, &arguments->lines, json,
                        &coverage->unmeasured, &paths);
}

/* A change without code is covered. */
static bool patch_missed(const struct report_arguments *arguments) {
  const struct score *lines = &arguments->change.total.scores[LINES];
  return lines->count && limit_missed("patch", lines, arguments->limits.patch);
}

/* Prints the result after the folder is in its place. */
static int tell(struct report_arguments *arguments,
                const struct coverage *coverage) {
  char here[4096];
  const struct paths paths = paths_here(arguments, here, sizeof here);
  int status = 0;
  if (arguments->uncovered) {
    if (!arguments->wishes.no_demangle)
      demangle_begin(coverage->groups[0].cov.release);
    result_uncovered(&arguments->lines, &paths);
    status = demangle_end();
  }
  const struct measured measured = {
      coverage, &arguments->lines,
      arguments->tests.wanted ? &arguments->tests.lcov : &coverage->lcov,
      &paths};
  if (!status)
    status = outputs_write(&arguments->outputs, &measured);
  result_tables(coverage);
  excluded_print(coverage);
  result_unmeasured(coverage, &paths);
  if (arguments->tests.wanted)
    tests_show(&arguments->tests, &paths);
  putchar('\n');
  if (!status && arguments->diff)
    status = change_show(&arguments->change, arguments->diff_format);
  for (size_t i = 0; i < coverage->count; i++) {
    char name[5000], shown[5000];
    snprintf(name, sizeof name, "%s/%s/index.html", arguments->out,
             coverage->groups[i].html);
    if (os_exists(name))
      printf("Line by line: %s\n", printable(shown, sizeof shown, name));
  }
  if (status)
    return status;
  status = limits_missed(&arguments->limits, coverage) != 0;
  status |= excluded_missed(coverage) != 0;
  return status | patch_missed(arguments);
}

/* ---- pages ---- */

static int make_pages(const struct report_arguments *arguments,
                      const struct coverage *coverage) {
  struct marks marks = {0};
  if (arguments->wishes.llvm_html)
    return 0;
  const struct noted noted = {
      coverage, arguments->diff ? &arguments->change : NULL,
      arguments->tests.wanted ? &arguments->tests : NULL};
  int status = notes_gather(&marks, &noted) || pages_make(coverage, &marks);
  marks_free(&marks);
  return status;
}

/* ---- a command's dumps ---- */

/* No dump has come: prints possible causes, as far as an ELF shows them. */
static void examine_all(const struct inputs *inputs) {
  static struct facts facts;
  static struct findings findings;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    examine(&subject->elf, &facts, &findings);
    for (size_t k = 0; k < findings.count; k++)
      if (findings.list[k].severity != NOTE)
        report(subject->name, "%s", findings.list[k].text);
    facts_free(&facts);
  }
}

/* Reports how the command ended, unless all is as expected. */
static int verdict(const struct console *console) {
  const char *name = console->command[0];
  if (console->out_of_time && console->timeout)
    return report(name,
                  "ended after %g s, with %zu of the wanted dumps; give "
                  "a longer --timeout, or fewer --count",
                  (double)console->timeout / 1000, console->dumps);
  if (console->out_of_time)
    return report(name,
                  "ended after %u s without output and without the wanted "
                  "dumps; give a longer --timeout",
                  CONSOLE_PATIENCE / 1000);
  if (console->ended && os_signal(console->status))
    return report(name, "was ended by signal %d; run it by hand",
                  os_signal(console->status));
  if (console->ended && os_exit_status(console->status))
    return report(name, "failed with exit status %d; see its output",
                  os_exit_status(console->status));
  return 0;
}

/* Runs the command, and adds its output to the inputs. others: further logs,
 * which the command may have written. */
static int run_command(struct report_arguments *arguments,
                       const struct folder *folder, bool others, int *failed) {
  struct console *console = &arguments->console;
  char *log = folder_path(folder, "console.log");
  if (!log)
    return report_memory(NULL);
  console->log = log;
  int status = console_run(console, &arguments->inputs);
  *failed = status ? 1 : verdict(console);
  if (!status && console->frames)
    status = inputs_log(&arguments->inputs, log, console->command[0]);
  else if (!status && !others) {
    status = report(console->command[0],
                    "there is no dump in its output; does the firmware call "
                    "bareprof_send, on this port?");
    examine_all(&arguments->inputs);
  }
  console->log = NULL;
  free(log);
  return status;
}

/* ---- all ---- */

static int measure_tests(struct report_arguments *arguments,
                         const struct coverage *coverage) {
  const struct paths paths = {arguments->wishes.maps,
                              arguments->wishes.map_count, NULL};
  return tests_measure(&arguments->tests, coverage) ||
         tests_write(&arguments->tests, coverage, &paths);
}

static int read_junits(struct report_arguments *arguments) {
  int status = 0;
  for (size_t i = 0; i < arguments->junit_count && !status; i++)
    status = tests_junit(&arguments->tests, arguments->junits[i]);
  return status;
}

int report_make(struct report_arguments *arguments, char **names,
                size_t count) {
  struct folder folder;
  struct inputs *inputs = &arguments->inputs;
  struct coverage coverage = {.wishes = &arguments->wishes,
                              .inputs = inputs,
                              .folder = &folder,
                              .exclusions = &arguments->exclusions};
  int failed = 0;
  bool runs = arguments->console.command;
  if ((!runs && inputs_check(names, count)) ||
      (arguments->diff && change_read(&arguments->change, arguments->diff)) ||
      read_junits(arguments) || exclusions_begin(&arguments->exclusions) ||
      inputs_elfs(inputs, names, count) ||
      outputs_refuse(&arguments->outputs) ||
      folder_begin(&folder, arguments->out))
    return 1;
  int status = 0;
  for (size_t i = 0; i < count && !status; i++)
    status = folder_holds(&folder, names[i]);
  if (!status && arguments->diff)
    status = folder_holds(&folder, arguments->diff);
  if (!status && arguments->exclusions.name)
    status = folder_holds(&folder, arguments->exclusions.name);
  if (runs && !status)
    status = run_command(arguments, &folder, count > inputs->count, &failed) ||
             inputs_check(names, count);
  if (!status)
    status = inputs_read(inputs, names, count);
  if (!status)
    status = coverage_make(&coverage) || measure(arguments, &coverage);
  if (!status && arguments->tests.wanted)
    status = measure_tests(arguments, &coverage);
  if (!status)
    status = make_pages(arguments, &coverage) ||
             evidence_make(&coverage, arguments->words);
  excluded_free(&coverage);
  if (!status)
    status = folder_commit(&folder);
  else
    folder_abandon(&folder);
  if (!status)
    status = tell(arguments, &coverage);
  coverage_free(&coverage);
  return status | failed;
}
