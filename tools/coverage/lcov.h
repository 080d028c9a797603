/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the output of `llvm-cov export -format=lcov`: the functions, lines and
 * branches of each source file. Several exports of the same sources add up.
 */
#ifndef BAREPROF_TOOLS_LCOV_H
#define BAREPROF_TOOLS_LCOV_H

#include "../base/bytes.h"

enum lcov_kind { LCOV_FUNCTION, LCOV_LINE, LCOV_BRANCH };

struct lcov_entry {
  const char *file;
  enum lcov_kind kind;
  unsigned line;
  unsigned block;  /* of a branch: which condition of the line */
  unsigned branch; /* of a branch: 0 it was true, 1 it was false */
  char *name;      /* of a function; else NULL */
  uint64_t hits;
};

struct lcov {
  /* Sorted by folder and file. For each file: its functions, then each line
   * followed by its branches. No entry occurs twice. */
  struct lcov_entry *entries;
  size_t count;
  char **files;
  size_t file_count;
};

/* Reads a text. Returns NULL or the error. The caller frees *lcov in both
 * cases, and need not initialise it before. Skips records of other kinds. */
const char *lcov_read(struct lcov *lcov, struct bytes text);
void lcov_free(struct lcov *lcov);

/* Returns the length of the folder in a file's name, without the slash. */
size_t lcov_folder(const char *file);

#endif
