/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module writes a report's coverage: on the terminal (result.c, table.c),
 * and in file formats that other programs read (outputs.c). Functions with a
 * stream write to it; the caller checks the stream for errors.
 */
#ifndef BAREPROF_TOOLS_OUT_H
#define BAREPROF_TOOLS_OUT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "../../base/error.h"
#include "../../base/text.h"
#include "../coverage.h"
#include "../model/places.h"

struct baseline;
struct change_coverage;
struct output_contents;
struct tests;

/* ---- result.c ----
 *
 * This file collects the failed checks of a report: limits, exclusions, lost
 * coverage, the exit status of a command. Each failed check makes bareprof's
 * exit status 1. evidence.json contains the checks, and the last lines on
 * standard error show them. The file also prints the results of a report.
 */

/* A check that compares a wanted value with the report's value. */
struct report_check {
  const char *name;   /* name of the check: one word, a string literal */
  const char *about;  /* subject of the message; NULL if it is the name */
  double wanted, got; /* wanted and actual value; below 0: none */
};

/* A check that failed, and its message. */
struct failed_check {
  struct report_check check; /* check.about is NULL */
  char *about, *text;        /* the fault; the advice */
  bool reported;             /* The check has been reported. */
};

/* The failed checks of a report. Initialise as {0}. */
struct failed_checks {
  struct failed_check *list;
  size_t count;
};

/* Adds a failed check and its message. Copies check->about. */
void checks_add_failed(struct failed_checks *checks,
                       const struct report_check *check, const char *format,
                       ...) PRINTS_AS(3, 4);

/* Reports each check that was not reported before. Returns 1 if any check
 * failed, else 0. */
int checks_report(struct failed_checks *checks);

/* Writes the checks as a JSON list. */
void checks_print_json(const struct failed_checks *checks, FILE *stream);

void checks_free(struct failed_checks *checks);

/* Prints the ELFs, and the coverage table: a row for each ELF if there are
 * several, then all files and the total. */
void result_print_tables(const struct coverage *coverage);

/* Prints FILE:LINE NAME of each function that never ran. */
void result_print_uncovered_functions(const struct output_contents *measured);

/* Prints FILE:LINE of each decision that MC/DC does not measure. */
void result_print_unmeasured_code(const struct coverage *coverage,
                                  const struct source_maps *paths);

/* Prints how many lines and branches have counts that differ from llvm-cov's,
 * and how many sources are missing. */
void result_print_llvm_differences(const struct coverage *coverage);

/* The note that counts of an ELF are lower bounds: input_elf.saturated. */
extern const char saturated_note[];

/* Prints the functions that were active when the counts were read. Warns if
 * this is not known, and if an ELF contains code that can leave functions
 * without a return. */
void result_print_active_calls(FILE *stream, const struct coverage *coverage);

/* Prints FILE:LINE of each number that is not known, and the reason. */
void result_print_unknown_numbers(const struct coverage *coverage,
                                  const struct source_maps *paths);

/* The lowest allowed scores as percentages; a value below 0 sets no limit. */
struct coverage_limits {
  double least[METRICS];
  double patch;      /* the limit for changed lines */
  bool instructions; /* The limit of REGIONS was given for instructions. */
};

/* Parses "lines=80,patch=70.5" into struct coverage_limits. Returns NULL or the
 * error. */
const char *limits_parse(void *limits, const char *text);

/* Adds a failed check if a score is below the limit `least`. */
void limits_add_failed_score(const char *name, const struct score *score,
                             double least, struct failed_checks *checks);

/* Adds a failed check for each metric that is below its limit. */
void limits_add_failed_checks(const struct coverage_limits *limits,
                              const struct coverage *coverage,
                              struct failed_checks *checks);

/* ---- table.c ----
 *
 * This file prints the coverage table on standard output. The table has the
 * percentage and the missed number of each metric, in 80 columns, unless the
 * numbers are large.
 */

/* The layout of a table: the widths of its columns. */
struct table_layout {
  int width;  /* width of the column with names */
  int indent; /* indentation of the files' names */
  /* The width of each metric's column of missed numbers; 0 hides the column. */
  int miss[METRICS];
  size_t folder; /* length of the folder's name that all files share */
};

/* Sets the layout for these summaries. */
void table_set_layout(struct table_layout *table,
                      const struct scores_summary *const *summaries,
                      size_t count, int indent);

/* Makes the column of names wide enough for this name. */
void table_widen_for_name(struct table_layout *table, const char *name);

/* table_print_head prints the heading, table_print_rule a horizontal line, and
 * table_print_row the scores of a file or of a total. */
void table_print_head(const struct table_layout *table);
void table_print_rule(const struct table_layout *table);
void table_print_row(const struct table_layout *table, int indent,
                     const char *name, const struct file_row *row);

/* Prints the rows of all files, except files that have nothing to cover. Rows
 * that `--sources` has added come last, under their own heading. */
void table_print_files(const struct table_layout *table,
                       const struct scores_summary *summary);

/* Returns the width of a text in columns: one for each UTF-8 character. */
int table_measure_text(const char *text);

/* Returns the length of the folder's name with which all files' names begin,
 * including its slash. Ignores files that have nothing to cover. */
size_t table_common_folder(const struct scores_summary *const *summaries,
                           size_t count);

/* Returns the part of a file's name that a table shows: the name in the common
 * folder, whose length is `folder`. A header of the toolchain may leave no
 * common folder; then names in the current folder are relative to it. */
const char *table_short_name(size_t folder, const char *name);

/* Returns a percentage as llvm-cov prints it. However, only a complete score is
 * 100. */
double table_percent(const struct score *score);

/* markdown_print_table writes the coverage table in Markdown, for the summary
 * of a CI job or a comment. The table has the total and the files with the most
 * missed lines. markdown_print_text writes a text and escapes its markup. */
void markdown_print_table(const struct coverage *coverage,
                          const struct source_maps *paths, FILE *stream);
void markdown_print_text(FILE *stream, const char *text);

/* ---- lcov.c ---- */

/* Writes a tracefile as `llvm-cov export -format=lcov` does. `test` is the name
 * of the test in the tracefile, or NULL. */
void lcov_print_tracefile(const struct model *exported, unsigned release,
                          const char *test, FILE *stream);

/* ---- cobertura.c ---- */

/* Writes Cobertura's XML (coverage-04.dtd), which CI servers read. A package is
 * a folder, a class is a source file. */
void cobertura_print_xml(const struct places *places,
                         const struct source_maps *paths, FILE *stream);

/* Returns how many of the first files fit into a part of `limit` bytes, but at
 * least one file. GitLab does not read files above 10 MB, so a large report is
 * written in parts. */
size_t cobertura_count_files_of_part(const struct places *places, size_t limit,
                                     const struct source_maps *paths);

/* ---- json_export.c ---- */

/* The options of the JSON, which has the format of `llvm-cov export`: version
 * 2.0.1 for releases 13 to 21, 3.1.0 from release 22 on. coverage_model.c reads
 * this format. */
struct json_export_options {
  unsigned release; /* the release whose format is written; 0: the latest */
  bool expansions;  /* The JSON contains the expansions of each file. */
  const char *more; /* the value of the element "bareprof", or NULL */
};
void json_export(const struct model *exported,
                 const struct json_export_options *as, FILE *stream);

/* ---- outputs.c ----
 *
 * This file writes the output files of a report, each in a format that CI
 * servers or other tools read.
 */

/* Whether a format reads output_contents.places. */
enum { WITHOUT_PLACES, WITH_PLACES };

/* The formats, as X(FIELD, TABLE, OPTION, HELP). The function
 * FIELD_print_output writes the format, and may read the table of places only
 * if the format is WITH_PLACES. A new format needs a row here and this
 * function: in outputs.c, if the function only calls a writer that exists,
 * otherwise in a file of its own. */
#define OUTPUT_FORMATS(X)                                                    \
  X(lcov, WITHOUT_PLACES, "lcov", "also write an lcov tracefile to FILE")    \
  X(cobertura, WITH_PLACES, "cobertura", "also write Cobertura XML to FILE") \
  X(sonar, WITH_PLACES, "sonarqube",                                         \
    "also write SonarQube's generic coverage XML to FILE")                   \
  X(markdown, WITHOUT_PLACES, "markdown",                                    \
    "also write the table in Markdown to FILE")                              \
  X(json, WITHOUT_PLACES, "json",                                            \
    "also write JSON to FILE: llvm-cov's export format, plus the inputs, "   \
    "totals and limits of the report (as in evidence.json in the report's "  \
    "folder)")

/* The names of the output files that the user wants. NULL means that the format
 * is not wanted. */
struct output_file_names {
#define OUTPUT_FIELD(field, list, option, about) const char *field;
  OUTPUT_FORMATS(OUTPUT_FIELD)
  unsigned cobertura_limit; /* limit of a file in megabytes; 0: no limit */
};

/* The results of a report, which the pages, evidence.json and the outputs
 * contain. */
struct output_contents {
  const struct coverage *coverage;
  const struct places *places; /* empty if no output needs them */
  const struct source_maps *paths;
  const struct baseline *against;       /* may be NULL */
  const struct tests *tests;            /* may be NULL */
  const struct change_coverage *change; /* may be NULL */
  char *const *words; /* words of the command line, then NULL */
  const struct failed_checks *checks;
  char *evidence;  /* text of evidence_write, for the JSON */
  bool expansions; /* The JSON contains expansions. */
};

/* A function that writes a format. The caller checks the stream for errors. */
typedef void output_printer(const struct output_contents *measured,
                            FILE *stream);
#define OUTPUT_PUT(field, list, option, about) \
  output_printer field##_print_output;
OUTPUT_FORMATS(OUTPUT_PUT)

/* Returns whether the user wants any output. */
bool outputs_are_wanted(const struct output_file_names *outputs);

/* Returns whether one of the outputs needs the table of places. */
bool outputs_need_places(const struct output_file_names *outputs);

/* Checks that no output overwrites an input, another output, or a file in the
 * report's folder. */
void outputs_check_names(const struct output_file_names *outputs,
                         const struct report_folder *folder);

/* Writes all outputs. Returns 0, or reports each error and returns 1. */
int outputs_write(const struct output_file_names *outputs,
                  const struct output_contents *measured);

/* Writes evidence.json into the report's folder: the command line, versions,
 * and the SHA-256 of each ELF, log and source. docs/reference/json.md describes
 * the elements. Sets data->evidence to the same JSON on one line, which the
 * caller frees. Ends the command after an error. */
void evidence_write(struct output_contents *data);

#endif
