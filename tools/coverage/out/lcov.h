/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions, lines and branches of each source file, as lcov's format has
 * them; and that format.
 */
#ifndef BAREPROF_TOOLS_LCOV_H
#define BAREPROF_TOOLS_LCOV_H

#include "../model/exported.h"

enum lcov_kind { LCOV_FUNCTION, LCOV_LINE, LCOV_BRANCH };

struct lcov_entry {
  const char *file, *name; /* name: of a function; else NULL */
  /* enum lcov_kind; of a branch twice the number of its condition in the line,
   * and one more if it is false. There are millions of entries. */
  uint32_t kind : 2, branch : 30;
  uint32_t line;
  uint64_t hits;
};

struct lcov {
  /* Sorted by folder and file. For each file: its functions, then each line
   * followed by its branches. No entry occurs twice. */
  struct lcov_entry *entries;
  size_t count;
};

/* Lists what a model has, which must live as long. release: whose llvm-cov
 * lists branches so; 0: the last one. Returns NULL or the error. The caller
 * frees *lcov in both cases, and need not initialise it before. */
const char *lcov_make(struct lcov *lcov, const struct exported *exported,
                      unsigned release);
void lcov_free(struct lcov *lcov);

/* Writes a tracefile as `llvm-cov export -format=lcov` does. test: its name; or
 * NULL, for none. Returns NULL or the error. */
const char *lcov_write(const struct exported *exported, unsigned release,
                       const char *test, FILE *stream);

/* Returns the length of the folder in a file's name, without the slash. */
size_t lcov_folder(const char *file);

#endif
