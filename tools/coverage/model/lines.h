/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How often the lines of a file ran, from the segments of llvm-cov's export, by
 * the rule of `llvm-cov export -format=lcov`.
 */
#ifndef BAREPROF_TOOLS_LINES_H
#define BAREPROF_TOOLS_LINES_H

#include "exported.h"

struct line_count {
  uint64_t count;
  uint32_t segments;    /* behind those of the line, in the file's list */
  uint32_t missed : 31; /* lines with code up to this one that never ran */
  uint32_t counted : 1; /* There is code. */
};

/* Lines are numbered from 1: list[0] is empty. */
struct lines {
  struct line_count *list;
  uint32_t count; /* the last line with a segment, and 1 */
  const struct segment *segments;
};

/* Counts the lines of a list of segments, and those that ran. */
struct score lines_score(const struct segment *list, size_t count);

/* Returns NULL or the error. The caller frees *lines in both cases. */
const char *lines_count(struct lines *lines, const struct exported *exported,
                        size_t row);
void lines_free(struct lines *lines);

/* Lines with code that never ran, from one to another, both included. */
uint32_t lines_missed(const struct lines *lines, uint32_t from, uint32_t to);

#endif
