/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report: ELFs and console logs to a coverage table, HTML, and files
 * for CI servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/error.h"
#include "../base/options.h"
#include "../base/same.h"
#include "commands.h"
#include "../coverage/cobertura.h"
#include "../coverage/coverage.h"
#include "../coverage/result.h"

enum { MAPS_MOST = 64 };

struct arguments {
  const char *out, *lcov, *cobertura, *json;
  const char *maps[MAPS_MOST], *ignores[MAPS_MOST];
  bool uncovered;
  struct limits limits;
  struct wishes wishes;
  struct inputs inputs;
};

/* ---- the work ---- */

static int write_file(const char *name, const struct buffer *bytes) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  if (bytes->size)
    fwrite(bytes->data, 1, bytes->size, output.stream);
  return output_commit(&output);
}

static int write_cobertura(const char *name, const struct lcov *lcov,
                           const struct paths *paths) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  cobertura_write(lcov, paths, output.stream);
  return output_commit(&output);
}

/* What the user sees, once the folder is in its place. */
static int tell(const struct arguments *arguments,
                const struct coverage *coverage) {
  char here[4096];
  const struct paths paths = {arguments->wishes.maps,
                              arguments->wishes.map_count,
                              getcwd(here, sizeof here)};
  struct lcov lcov;
  const char *error = lcov_read(
      &lcov, (struct bytes){coverage->lcov.data, coverage->lcov.size});
  int status = error ? report("llvm-cov", "%s", error) : 0;
  if (!status && arguments->uncovered)
    result_uncovered(&lcov, &paths);
  if (!status)
    status = write_file(arguments->lcov, &coverage->lcov) |
             write_file(arguments->json, &coverage->json) |
             write_cobertura(arguments->cobertura, &lcov, &paths);
  lcov_free(&lcov);
  result_tables(coverage);
  putchar('\n');
  for (size_t i = 0; i < coverage->count; i++) {
    char name[5000], shown[5000];
    snprintf(name, sizeof name, "%s/%s/index.html", arguments->out,
             coverage->groups[i].html);
    if (access(name, F_OK) == 0)
      printf("Line by line: %s\n", printable(shown, sizeof shown, name));
  }
  return status || limits_missed(&arguments->limits, coverage);
}

static int make(struct arguments *arguments) {
  const char *const outputs[] = {arguments->lcov, arguments->json,
                                 arguments->cobertura};
  struct folder folder;
  struct coverage coverage = {.wishes = &arguments->wishes,
                              .inputs = &arguments->inputs,
                              .folder = &folder};
  if (same_refuses_any(outputs, sizeof outputs / sizeof *outputs) ||
      folder_begin(&folder, arguments->out))
    return 1;
  int status = coverage_make(&coverage);
  if (!status)
    status = folder_commit(&folder);
  else
    folder_abandon(&folder);
  if (!status)
    status = tell(arguments, &coverage);
  coverage_free(&coverage);
  return status;
}

/* ---- the command line ---- */

static const char *take_limits(void *context, const char *value) {
  struct arguments *arguments = context;
  return limits_read(&arguments->limits, value)
             ? NULL
             : "--fail-under is a list such as lines=80,mcdc=70.5";
}

static const char *take_map(void *context, const char *value) {
  struct arguments *arguments = context;
  struct wishes *wishes = &arguments->wishes;
  if (!paths_map(value))
    return "--source-map is FROM=TO, without a comma";
  if (wishes->map_count == MAPS_MOST)
    return "there are too many --source-map";
  arguments->maps[wishes->map_count++] = value;
  return NULL;
}

static const char *take_ignore(void *context, const char *value) {
  struct arguments *arguments = context;
  struct wishes *wishes = &arguments->wishes;
  if (wishes->ignore_count == MAPS_MOST)
    return "there are too many --ignore";
  arguments->ignores[wishes->ignore_count++] = value;
  return NULL;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "bareprof-report"};
  struct wishes *wishes = &arguments.wishes;
  for (unsigned i = 0; i < METRICS; i++)
    arguments.limits.least[i] = -1;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  wishes->maps = arguments.maps;
  wishes->ignores = arguments.ignores;
  wishes->lcov = arguments.lcov || arguments.cobertura || arguments.uncovered;
  wishes->json = arguments.json;
  arguments.inputs.allow_missing = wishes->allow_missing;
  status =
      inputs_read(&arguments.inputs, argv + optind, (size_t)(argc - optind));
  if (!status)
    status = make(&arguments);
  inputs_free(&arguments.inputs);
  return status;
}

static const struct option_row options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "the folder; a report that is there is replaced, with all that is "
             "in it (default: bareprof-report)",
     OPTION(struct arguments, out)},
    {.name = "uncovered",
     .help = "first, list the functions that never ran",
     OPTION(struct arguments, uncovered)},
    {.name = "fail-under",
     .value = "LIST",
     .help = "exit with 1 if less is covered, in percent: "
             "functions=N,lines=N,regions=N,branches=N,mcdc=N",
     .take = take_limits},
    {.name = "lcov",
     .value = "FILE",
     .help = "write an lcov tracefile as well",
     OPTION(struct arguments, lcov)},
    {.name = "cobertura",
     .value = "FILE",
     .help = "write Cobertura's XML as well",
     OPTION(struct arguments, cobertura)},
    {.name = "json",
     .value = "FILE",
     .help = "write llvm-cov's JSON as well",
     OPTION(struct arguments, json)},
    {.name = "source-map",
     .value = "FROM=TO",
     .help = "compiled in folder FROM, the sources are in TO",
     .take = take_map},
    {.name = "ignore",
     .value = "REGEX",
     .help = "leave out the source files that match",
     .take = take_ignore},
    {.name = "allow-missing",
     .help = "go on if dumps, ELFs or sources are missing",
     OPTION(struct arguments, wishes.allow_missing)},
    {.name = "llvm",
     .value = "N",
     .help = "use the programs of that release",
     OPTION(struct arguments, wishes.llvm),
     .least = 13,
     .most = 63},
    {.name = "llvm-profdata",
     .value = "PROGRAM",
     .help = "use that one",
     OPTION(struct arguments, wishes.profdata)},
    {.name = "llvm-cov",
     .value = "PROGRAM",
     .help = "use that one",
     OPTION(struct arguments, wishes.cov)},
    {0}};

const struct command command_report = {
    .name = "report",
    .summary = "make a coverage report of console logs",
    .usage = "ELF... LOG... [options]",
    .about =
        "Console logs to coverage: a table here, HTML and profiles in a "
        "folder. Takes ELFs and logs in any order, of several boards, cores "
        "and images, and pairs them by build id. LOG is a log with dumps of "
        "bareprof_send, a .bpdump or a .profraw. The last whole dump of each "
        "start counts; starts add up, and so do files. Needs llvm-profdata and "
        "llvm-cov.",
    .options = options,
    .notes = "The command groups ELFs of one compiler whose function names do "
             "not clash. A function that is in two groups counts in each.",
    .least = 1,
    .files = "the ELFs and logs",
    .run = run};
