/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `llvm-cov export -format=lcov` says, read: the functions, lines and
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
  /* In order: by folder and file; its functions; then each line, followed by
   * its branches. Nothing is there twice. */
  struct lcov_entry *entries;
  size_t count;
  char **files;
  size_t file_count;
};

/* Reads a text. NULL, or what is wrong; in both cases the caller frees *lcov,
 * which need not be initialised before. Records of other kinds are passed
 * over. */
const char *lcov_read(struct lcov *lcov, struct bytes text);
void lcov_free(struct lcov *lcov);

/* How much of a file's name is its folder, without the slash. */
size_t lcov_folder(const char *file);

#endif
