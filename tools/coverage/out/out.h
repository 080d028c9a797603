/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a report's coverage: on the terminal (result.c, table.c), and in file
 * formats that other programs read (outputs.c). Functions with a stream write
 * to it; the caller checks the stream for errors.
 */
#ifndef BAREPROF_TOOLS_OUT_H
#define BAREPROF_TOOLS_OUT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "../../base/error.h"
#include "../../base/text.h"
#include "../coverage.h"

struct baseline;
struct output_data;
struct tests;

/* ---- result.c ----
 *
 * Collects the failed checks of a report: limits, exclusions, lost coverage, a
 * command's exit status. Each failed check makes bareprof's exit status 1.
 * evidence.json has the checks, and the last lines on standard error show them.
 * Also prints the results.
 */

/* A check: the wanted value, and the report's value. */
struct report_check {
  const char *name;   /* one word; a string literal */
  const char *about;  /* subject of the message; NULL: the name */
  double wanted, got; /* below 0: no number */
};

/* A check that failed, and its message. */
struct failed_check {
  struct report_check check; /* check.about is NULL */
  char *about, *text;        /* the fault, and the advice */
  bool reported;             /* The check was reported. */
};

/* The failed checks of a report. Initialise as {0}. */
struct failed_checks {
  struct failed_check *list;
  size_t count;
};

/* Adds a failed check and its message. Copies check->about. */
void checks_add(struct failed_checks *checks, const struct report_check *check,
                const char *format, ...) PRINTS_AS(3, 4);

/* Reports each check that was not reported before. Returns 1 if any check
 * failed, else 0. */
int checks_report(struct failed_checks *checks);

/* Writes the checks as a JSON list. */
void checks_print_json(const struct failed_checks *checks, FILE *stream);

void checks_free(struct failed_checks *checks);

/* Prints the table: each ELF if there are several, all files, and the total. */
void result_print_tables(const struct coverage *coverage);

/* Prints FILE:LINE NAME of each function that never ran. */
void result_print_uncovered_functions(const struct output_data *measured);

/* Prints FILE:LINE of each decision that MC/DC does not measure. */
void result_print_unmeasured(const struct coverage *coverage,
                             const struct source_maps *paths);

/* Prints how many lines and branches have other counts than in llvm-cov, and
 * how many sources are missing. */
void result_print_differences(const struct coverage *coverage);

/* Prints the functions that were active when counts were read. Warns if an ELF
 * can leave functions without a return. */
void result_print_active_calls(const struct coverage *coverage);

/* Prints FILE:LINE of each number that is not known, and why. */
void result_print_unknown_numbers(const struct coverage *coverage,
                                  const struct source_maps *paths);

/* Thresholds as percentages; below 0: not set. */
struct coverage_limits {
  double least[METRICS];
  double patch;      /* threshold of changed lines */
  bool instructions; /* The threshold of regions is for instructions. */
};

/* Parses "lines=80,patch=70.5". Returns false if the text has another form. */
bool limits_parse(struct coverage_limits *limits, const char *text);

/* Adds a check if a score is below its threshold. */
void limits_add_score_check(const char *name, const struct score *score,
                            double least, struct failed_checks *checks);

/* Adds a check for each metric below its threshold. */
void limits_add_checks(const struct coverage_limits *limits,
                       const struct coverage *coverage,
                       struct failed_checks *checks);

/* ---- table.c ----
 *
 * The coverage table on standard output: for each metric the percentage and the
 * missed number, in at most 100 columns.
 */

/* The layout of a table: the widths of its columns. */
struct table_layout {
  int width;  /* width of the column of names */
  int indent; /* indentation of the files' names */
  /* Width of the column with the missed number; 0: not shown. */
  int miss[METRICS];
  size_t folder; /* length of the folder's name that all files share */
};

/* Sets the layout for these summaries. */
void table_set_layout(struct table_layout *table,
                      const struct scores_summary *const *summaries,
                      size_t count, int indent);

/* Makes the column of names wide enough for a name. */
void table_fit_name(struct table_layout *table, const char *name);

/* table_print_head prints the heading, table_print_rule a horizontal line, and
 * table_print_row the scores of a file or of a total. */
void table_print_head(const struct table_layout *table);
void table_print_rule(const struct table_layout *table);
void table_print_row(const struct table_layout *table, int indent,
                     const char *name, const struct file_row *row);

/* Prints the rows of the files, except files that have nothing to cover. Rows
 * that `--sources` has added come last, under a heading. */
void table_print_files(const struct table_layout *table,
                       const struct scores_summary *summary);

/* Returns the width of a text in columns: one for each UTF-8 character. */
int table_count_columns(const char *text);

/* Returns the length of the folder that all files' names begin with, its slash
 * included. Ignores files that have nothing to cover. */
size_t table_common_folder(const struct scores_summary *const *summaries,
                           size_t count);

/* Returns the percentage as llvm-cov prints it, except that only a complete
 * score is 100. */
double table_percent(const struct score *score);

/* ---- lcov.c ----
 *
 * Lists the functions, lines and branches of each source file as lcov's format
 * has them, and writes this format.
 */

enum lcov_kind { LCOV_FUNCTION, LCOV_LINE, LCOV_BRANCH };

/* A function, a line, or one outcome of a branch. */
struct lcov_entry {
  const char *file, *name; /* name: of a function; else NULL */
  /* kind: enum lcov_kind. branch: twice the number of its condition in the
   * line, plus 1 for the outcome false; for a function its column and form, see
   * lcov_pack_place. Both fields share a word, because a list may have millions
   * of entries. */
  uint32_t kind : 2, branch : 30;
  uint32_t line;
  uint64_t hits;
};

/* Packs the column of a function's beginning, and the number of its form. All
 * larger values become the largest one. */
enum { LCOV_FORMS = 1 << 10, LCOV_COLUMNS = 1 << 20 };
static inline uint32_t lcov_pack_place(uint32_t column, uint32_t form) {
  return (column < LCOV_COLUMNS ? column : LCOV_COLUMNS - 1) * LCOV_FORMS +
         (form < LCOV_FORMS ? form : LCOV_FORMS - 1);
}

/* All entries of a model. */
struct lcov_list {
  /* Sorted by folder and file. For each file: its functions, then its lines,
   * each with its branches after it. No entry occurs twice. */
  struct lcov_entry *entries;
  size_t count;
};

/* Makes the list of a model, which must live as long as the list. release:
 * lists branches as this release of llvm-cov does; 0: the latest. The caller
 * frees *lcov, and need not initialise it before. */
void lcov_make_list(struct lcov_list *lcov, const struct model *exported,
                    unsigned release);
void lcov_free_list(struct lcov_list *lcov);

/* Writes a tracefile as `llvm-cov export -format=lcov` does. test: the test's
 * name in the tracefile, or NULL. */
void lcov_print_tracefile(const struct model *exported, unsigned release,
                          const char *test, FILE *stream);

/* lcov_folder_size returns the length of the folder in a file's name, without
 * the slash. The two other functions compare the folders of two files, and
 * order two files by folder, then name. */
size_t lcov_folder_size(const char *file);
bool lcov_is_same_folder(const char *a, const char *b);
int lcov_compare_folders(const char *a, const char *b);

/* Writes Cobertura's XML (coverage-04.dtd), which CI servers read. A package is
 * a folder, a class is a source file. */
void cobertura_print_xml(const struct lcov_list *lcov,
                         const struct source_maps *paths, FILE *stream);

/* Returns the end of the part that begins at index `from` of the list. A part
 * has as many source files as fit into `limit` bytes, but at least one file.
 * GitLab does not read files above 10 MB, so a large report is written in
 * parts. */
size_t cobertura_find_part_end(const struct lcov_list *lcov, size_t from,
                               size_t limit, const struct source_maps *paths);

/* Writes the table in Markdown, for the summary of a CI job or a comment: the
 * total, and the files that miss most. markdown_print_text writes a text and
 * escapes its markup. */
void markdown_print_table(const struct coverage *coverage,
                          const struct source_maps *paths, FILE *stream);
void markdown_print_text(FILE *stream, const char *text);

/* How to write the JSON, which has the form of `llvm-cov export`: version 2.0.1
 * for releases 13 to 21, 3.1.0 for release 22. coverage_model.c reads it. */
struct json_export_options {
  unsigned release; /* release of llvm-cov; 0: the latest */
  bool expansions;  /* The JSON has the expansions of each file. */
  const char *more; /* value of the element "bareprof", or NULL */
};
void json_export(const struct model *exported,
                 const struct json_export_options *as, FILE *stream);

/* ---- outputs.c ----
 *
 * Writes the files next to the report's folder, each in a format that some CI
 * server or tool reads.
 */

/* The formats, as X(FIELD, OPTION, HELP); FIELD_print_output writes the format.
 * A new format needs a file with this function, and a row here. */
#define OUTPUT_FORMATS(X)                                                      \
  X(lcov, "lcov", "also write an lcov tracefile to FILE")                      \
  X(cobertura, "cobertura", "also write Cobertura XML to FILE")                \
  X(sonar, "sonarqube", "also write SonarQube's generic coverage XML to FILE") \
  X(markdown, "markdown", "also write the table in Markdown to FILE")          \
  X(json, "json",                                                              \
    "also write JSON to FILE: llvm-cov's export format, plus the inputs, "     \
    "totals and limits of the report (as in evidence.json in the report's "    \
    "folder)")

/* The names of the files that the user wants; NULL: not wanted. */
struct output_names {
#define OUTPUT_FIELD(field, option, about) const char *field;
  OUTPUT_FORMATS(OUTPUT_FIELD)
  unsigned cobertura_limit; /* limit of a file in megabytes; 0: no limit */
};

/* The input of the writers. */
struct output_data {
  const struct coverage *coverage;
  const struct lcov_list *lcov; /* empty if no output needs the list */
  const struct source_maps *paths;
  const struct baseline *against; /* may be NULL */
  const struct tests *tests;      /* may be NULL */
  const char *evidence;           /* text of evidence_write, for the JSON */
  bool expansions;                /* The JSON has expansions. */
};

/* Writes a format. The caller checks the stream for errors. */
typedef void output_printer(const struct output_data *measured, FILE *stream);
#define OUTPUT_PUT(field, option, about) output_printer field##_print_output;
OUTPUT_FORMATS(OUTPUT_PUT)

/* Whether an output needs measured->lcov. */
bool outputs_need_lcov(const struct output_names *outputs);

/* Fails if an output would overwrite an input, another output, or a file of the
 * report's folder. Returns 0, or reports the error and returns 1. */
int outputs_check_names(const struct output_names *outputs,
                        const struct report_folder *folder);

/* Writes all outputs. Returns 0, or reports each error and returns 1. */
int outputs_write(const struct output_names *outputs,
                  const struct output_data *measured);

/* The contents of evidence.json besides the coverage: the command line,
 * versions, and each ELF, log and source with its SHA-256.
 * docs/reference/json.md describes the elements. */
struct evidence {
  char *const *words; /* the words of the command line, then NULL */
  const struct failed_checks *checks;
  const struct baseline *against; /* may be NULL */
};

/* Writes evidence.json into the report's folder. *text: the same JSON on one
 * line, which the caller frees in both cases. Returns 0, or reports the error
 * and returns 1. */
int evidence_write(const struct coverage *coverage,
                   const struct evidence *evidence, char **text);

#endif
