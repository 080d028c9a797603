/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A coverage in the forms that others read, one file each. The functions write
 * to a stream; the caller checks that for errors.
 */
#ifndef BAREPROF_TOOLS_FORMATS_H
#define BAREPROF_TOOLS_FORMATS_H

#include <inttypes.h>
#include <stdio.h>

#include "../../base/text.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../model/exported.h"

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

/* Returns the length of the folder in a file's name, without the slash. */
size_t lcov_folder(const char *file);

/* Cobertura's XML (coverage-04.dtd), which CI servers read. A package is a
 * folder, a class is a source file. */
void cobertura_write(const struct lcov *lcov, const struct paths *paths,
                     FILE *stream);

/* GitLab reads no file of more than 10 MB, so a large report is written in
 * parts. Returns the entry behind the part from `from` on: as many source files
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

#endif
