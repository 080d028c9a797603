/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is written of a coverage: on the terminal, and in the forms that others
 * read. Functions with a stream write to it; the caller checks it for errors.
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
struct measured;
struct tests;

/* ---- result.c ----
 *
 * The checks of a report that failed: limits, exclusions, what was lost, how a
 * command ended. Each makes the exit status 1. They are in evidence.json, and
 * the last lines on standard error say them.
 */

struct check {
  const char *name;   /* a word, of constant text */
  const char *about;  /* what the line begins with; NULL: the name */
  double wanted, got; /* below 0: there is no number */
};

struct failed_check {
  struct check check; /* without `about` */
  char *about, *text; /* text: what is wrong; what to do */
  bool told;
};

/* Begins as {0}. */
struct checks {
  struct failed_check *list;
  size_t count;
};

/* Adds a check that failed, and its text. */
void checks_add(struct checks *checks, const struct check *check,
                const char *format, ...) PRINTS_AS(3, 4);

/* Reports each that was not told before. Returns 1 if any check failed, else
 * 0. */
int checks_tell(struct checks *checks);

/* Writes the list, as JSON. */
void checks_put(const struct checks *checks, FILE *stream);

void checks_free(struct checks *checks);

/* Prints the table: each ELF if there are several, all files, and the total. */
void result_tables(const struct coverage *coverage);

/* Prints FILE:LINE NAME of each function that never ran. */
void result_uncovered(const struct measured *measured);

/* Prints FILE:LINE of each decision that MC/DC does not measure. */
void result_unmeasured(const struct coverage *coverage,
                       const struct paths *paths);

/* Prints how many lines and branches llvm-cov has other counts of; and whether
 * sources are not there. */
void result_differs(const struct coverage *coverage);

/* Warns of what leaves functions without a return. */
void result_left(const struct coverage *coverage);

/* Prints FILE:LINE of what is not known, and why. */
void result_not_known(const struct coverage *coverage,
                      const struct paths *paths);

/* Thresholds: percentages, or below 0 for none. */
struct limits {
  double least[METRICS];
  double patch; /* of changed lines */
  bool instructions; /* That of regions is of instructions. */
};

/* Reads "lines=80,patch=70.5". false: the text has another form. */
bool limits_read(struct limits *limits, const char *text);

/* Adds a check if a score is below its threshold. */
void limit_check(const char *name, const struct score *score, double least,
                 struct checks *checks);

/* Adds a check for each metric below its threshold. */
void limits_check(const struct limits *limits, const struct coverage *coverage,
                  struct checks *checks);

/* ---- table.c ----
 *
 * The coverage table on standard output: for each metric the percentage and the
 * missed number, in at most 100 columns.
 */

struct column_table {
  int width;         /* of the names */
  int indent;        /* of the files */
  int miss[METRICS]; /* of the column of what is missed; 0: not shown */
  size_t folder;     /* bytes of the prefix that all source names share */
};

/* Prepares the table of these summaries. */
void table_begin(struct column_table *table,
                 const struct scores_summary *const *summaries, size_t count,
                 int indent);

/* Adds a name, for the width of its column. */
void table_name(struct column_table *table, const char *name);

void table_head(const struct column_table *table);
void table_rule(const struct column_table *table);
void table_row(const struct column_table *table, int indent, const char *name,
               const struct file_row *row);

/* Prints the rows of the files, except files that have nothing to cover. Those
 * that were added come last, under a heading. */
void table_files(const struct column_table *table,
                 const struct scores_summary *summary);

/* Returns the columns of a text: one for each UTF-8 character. */
int table_columns(const char *text);

/* Returns the bytes of the folder that the names of all files have in common,
 * with its slash, except files that have nothing to cover. */
size_t table_folder(const struct scores_summary *const *summaries,
                    size_t count);

/* Returns the percentage as llvm-cov prints it, except that only a complete
 * score is 100. */
double table_percent(const struct score *score);

/* ---- lcov.c ----
 *
 * The functions, lines and branches of each source file, as lcov's format has
 * them; and that format.
 */

enum lcov_kind { LCOV_FUNCTION, LCOV_LINE, LCOV_BRANCH };

struct lcov_entry {
  const char *file, *name; /* name: of a function; else NULL */
  /* enum lcov_kind; of a branch twice the number of its condition in the line,
   * and one more if it is false; of a function its column and form, see
   * lcov_place. There are millions of entries. */
  uint32_t kind : 2, branch : 30;
  uint32_t line;
  uint64_t hits;
};

/* Where a function begins in its line, and which form of it that is: the last
 * ones are one. */
enum { LCOV_FORMS = 1 << 10, LCOV_COLUMNS = 1 << 20 };
static inline uint32_t lcov_place(uint32_t column, uint32_t form) {
  return (column < LCOV_COLUMNS ? column : LCOV_COLUMNS - 1) * LCOV_FORMS +
         (form < LCOV_FORMS ? form : LCOV_FORMS - 1);
}

struct lcov {
  /* Sorted by folder and file. For each file: its functions, then each line
   * followed by its branches. No entry occurs twice. */
  struct lcov_entry *entries;
  size_t count;
};

/* Lists what a model has, which must live as long. release: whose llvm-cov
 * lists branches so; 0: the last one. The caller frees *lcov, and need not
 * initialise it before. */
void lcov_make(struct lcov *lcov, const struct exported *exported,
               unsigned release);
void lcov_free(struct lcov *lcov);

/* Writes a tracefile as `llvm-cov export -format=lcov` does. test: its name; or
 * NULL, for none. */
void lcov_write(const struct exported *exported, unsigned release,
                const char *test, FILE *stream);

/* Returns the length of the folder in a file's name, without the slash; whether
 * two files have one folder; their order by folder, then name. */
size_t lcov_folder(const char *file);
bool lcov_same_folder(const char *a, const char *b);
int lcov_by_folder(const char *a, const char *b);

/* Cobertura's XML (coverage-04.dtd), which CI servers read. A package is a
 * folder, a class is a source file. */
void cobertura_write(const struct lcov *lcov, const struct paths *paths,
                     FILE *stream);

/* GitLab reads no file of more than 10 MB, so a large report is written in
 * parts. Returns the entry after the part from `from` on: as many source files
 * as fit into limit bytes, but at least one. */
size_t cobertura_part(const struct lcov *lcov, size_t from, size_t limit,
                      const struct paths *paths);

/* The table in Markdown, for the summary of a CI job or a comment: the total,
 * and the files that miss most. Also a text without marks. */
void markdown_write(const struct coverage *coverage, const struct paths *paths,
                    FILE *stream);
void markdown_text(FILE *stream, const char *text);

/* JSON, in the form of `llvm-cov export`: version 2.0.1 of releases 13 to 21,
 * 3.1.0 of release 22. exported.c reads it. */
struct json_export {
  unsigned release; /* of llvm-cov; 0: the last one */
  bool expansions;  /* with the expansions of each file */
  const char *more; /* the value of the element "bareprof"; NULL: none */
};
void json_export(const struct exported *exported, const struct json_export *as,
                 FILE *stream);

/* ---- outputs.c ----
 *
 * The files beside the report's folder, each in a form that some CI server or
 * tool reads.
 */

/* The formats: X(FIELD, OPTION, HELP), FIELD_put writes it. A new one is a file
 * with that function, and a row here. */
#define OUTPUT_FORMATS(X)                                        \
  X(lcov, "lcov", "write an lcov tracefile as well")             \
  X(cobertura, "cobertura", "write Cobertura's XML as well")     \
  X(sonar, "sonarqube", "write SonarQube's generic XML as well") \
  X(markdown, "markdown", "write the table in Markdown as well") \
  X(json, "json",                                                \
    "write JSON in llvm-cov's form as well, with what evidence.json has")

/* Names of files, or NULL. */
struct outputs {
#define OUTPUT_FIELD(field, option, about) const char *field;
  OUTPUT_FORMATS(OUTPUT_FIELD)
  unsigned cobertura_limit; /* megabytes of a file; 0: any */
};

/* What is written. */
struct measured {
  const struct coverage *coverage;
  const struct lcov *lcov; /* if outputs_need_lcov */
  const struct paths *paths;
  const struct baseline *against; /* or NULL */
  const struct tests *tests;      /* or NULL */
  const char *evidence;           /* an element of the JSON */
  bool expansions;                /* in the JSON */
};

/* The caller checks the stream for errors. */
typedef void output_put(const struct measured *measured, FILE *stream);
#define OUTPUT_PUT(field, option, about) output_put field##_put;
OUTPUT_FORMATS(OUTPUT_PUT)

/* Whether an output needs lines and branches. */
bool outputs_need_lcov(const struct outputs *outputs);

/* Refuses outputs that would overwrite an input, another output, or a file of
 * the report's folder. Returns 0,
 * or reports the error and returns 1. */
int outputs_refuse(const struct outputs *outputs, const struct folder *folder);

/* Writes all. Returns 0, or reports each error and returns 1. */
int outputs_write(const struct outputs *outputs,
                  const struct measured *measured);

/* What a report is of, as JSON: the command line, versions, and each ELF, log
 * and source by its SHA-256. docs/reference/json.md describes the elements. */
struct evidence {
  char *const *words; /* the command line, up to NULL */
  const struct checks *checks;
  const struct baseline *against; /* or NULL */
};

/* Writes evidence.json into the report's folder. *text: the same in one line,
 * which the caller frees in both cases. Returns 0, or reports the error and
 * returns 1. */
int evidence_make(const struct coverage *coverage,
                  const struct evidence *evidence, char **text);

#endif
