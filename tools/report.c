/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report: ELFs and console logs to a coverage table, HTML, and files
 * for CI servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/options.h"
#include "base/same.h"
#include "commands.h"
#include "report/cobertura.h"
#include "report/coverage.h"
#include "report/result.h"

enum { MAPS_MOST = 64 };

static const char help[] =
    "usage: bareprof report ELF... LOG... [options]\n"
    "\n"
    "Console logs to coverage: a table here, HTML and profiles in a folder.\n"
    "Takes ELFs and logs in any order, of several boards, cores and images,\n"
    "and pairs them by build id. LOG is a log with dumps of bareprof_send, a\n"
    ".bpdump or a .profraw. The last whole dump of each start counts; starts\n"
    "add up, and so do files. Needs llvm-profdata and llvm-cov.\n"
    "\n"
    "  -o, --output DIR       the folder (bareprof-report); a report that is\n"
    "                         there is replaced, with all that is in it\n"
    "      --uncovered        first, list the functions that never ran\n"
    "      --fail-under LIST  exit with 1 if less is covered, in percent:\n"
    "                         functions=N,lines=N,regions=N,branches=N,mcdc=N\n"
    "      --lcov FILE, --cobertura FILE, --json FILE\n"
    "                         write that as well\n"
    "      --source-map FROM=TO\n"
    "                         compiled in folder FROM, the sources are in TO\n"
    "      --ignore REGEX     leave out the source files that match\n"
    "      --allow-missing    go on if dumps, ELFs or sources are missing\n"
    "      --llvm N           use the programs of that release\n"
    "      --llvm-profdata PROGRAM, --llvm-cov PROGRAM\n"
    "                         use that one\n"
    "\n"
    "Of several ELFs, those of one compiler whose functions do not clash by\n"
    "name are taken together; what is in two such groups counts in each.\n";

struct arguments_of_report {
  const char *out, *lcov, *cobertura, *json;
  const char *maps[MAPS_MOST], *ignores[MAPS_MOST];
  bool uncovered;
  struct limits limits;
  struct wishes wishes;
  struct inputs inputs;
};

static int usage(const char *what) { return options_wrong("report", what); }

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
static int tell(const struct arguments_of_report *arguments,
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

static int run(struct arguments_of_report *arguments) {
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

enum {
  UNCOVERED = 256,
  FAIL_UNDER,
  LCOV,
  COBERTURA,
  JSON,
  SOURCE_MAP,
  IGNORE,
  ALLOW_MISSING,
  LLVM,
  LLVM_PROFDATA,
  LLVM_COV
};

static const struct option option_list[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"uncovered", no_argument, NULL, UNCOVERED},
    {"fail-under", required_argument, NULL, FAIL_UNDER},
    {"lcov", required_argument, NULL, LCOV},
    {"cobertura", required_argument, NULL, COBERTURA},
    {"json", required_argument, NULL, JSON},
    {"source-map", required_argument, NULL, SOURCE_MAP},
    {"ignore", required_argument, NULL, IGNORE},
    {"allow-missing", no_argument, NULL, ALLOW_MISSING},
    {"llvm", required_argument, NULL, LLVM},
    {"llvm-profdata", required_argument, NULL, LLVM_PROFDATA},
    {"llvm-cov", required_argument, NULL, LLVM_COV},
    {NULL, 0, NULL, 0}};

/* Options with a list or a number behind them; 0, or the usage's status. */
static int take_checked(struct arguments_of_report *arguments, int option) {
  struct wishes *wishes = &arguments->wishes;
  char *end;
  if (option == FAIL_UNDER)
    return limits_read(&arguments->limits, optarg)
               ? 0
               : usage("--fail-under is a list such as lines=80,mcdc=70.5");
  if (option == LLVM) {
    wishes->llvm = (unsigned)strtoul(optarg, &end, 10);
    return *end || wishes->llvm < 13 || wishes->llvm > 63
               ? usage("--llvm is a release, such as 22")
               : 0;
  }
  if (option == SOURCE_MAP && !paths_map(optarg))
    return usage("--source-map is FROM=TO, without a comma");
  if (wishes->map_count == MAPS_MOST || wishes->ignore_count == MAPS_MOST)
    return usage("there are too many --source-map or --ignore");
  if (option == SOURCE_MAP)
    arguments->maps[wishes->map_count++] = optarg;
  else
    arguments->ignores[wishes->ignore_count++] = optarg;
  return 0;
}

static int take(void *context, int option) {
  struct arguments_of_report *arguments = context;
  const char **texts[] = {&arguments->lcov,       &arguments->cobertura,
                          &arguments->json,       &arguments->wishes.profdata,
                          &arguments->wishes.cov, &arguments->out};
  static const int text_options[] = {LCOV,          COBERTURA, JSON,
                                     LLVM_PROFDATA, LLVM_COV,  'o'};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (option == text_options[i]) {
      *texts[i] = optarg;
      return *optarg ? 0 : usage("the name of a file is missing");
    }
  switch (option) {
  case UNCOVERED:
    arguments->uncovered = true;
    return 0;
  case ALLOW_MISSING:
    arguments->wishes.allow_missing = true;
    arguments->inputs.allow_missing = true;
    return 0;
  case FAIL_UNDER:
  case LLVM:
  case SOURCE_MAP:
  case IGNORE:
    return take_checked(arguments, option);
  default:
    return options_unknown("report");
  }
}

int command_report(int argc, char **argv) {
  static const struct options options = {"report", help, "o:h", option_list,
                                         take};
  struct arguments_of_report arguments = {.out = "bareprof-report"};
  for (unsigned i = 0; i < METRICS; i++)
    arguments.limits.least[i] = -1;
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (optind == argc)
    return usage("the ELFs and logs are missing");
  struct wishes *wishes = &arguments.wishes;
  wishes->maps = arguments.maps;
  wishes->ignores = arguments.ignores;
  wishes->lcov = arguments.lcov || arguments.cobertura || arguments.uncovered;
  wishes->json = arguments.json;
  status =
      inputs_read(&arguments.inputs, argv + optind, (size_t)(argc - optind));
  if (!status)
    status = run(&arguments);
  inputs_free(&arguments.inputs);
  return status;
}
