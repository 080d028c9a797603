/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines of at most 80 columns, and names of any length at their ends.
 */
#ifndef BAREPROF_TOOLS_SHOW_SHOW_LINES_H
#define BAREPROF_TOOLS_SHOW_SHOW_LINES_H

#include "../base/text.h"

/* A list of words that goes on in the column where it began. */
struct line {
  struct text *to;
  int begin, column;
};

/* The line has this label so far, which ends in column begin. */
struct line line_begin(struct text *to, int begin, const char *label);
void line_add(struct line *line, const char *format, ...) PRINTS_AS(2, 3);
void line_number(struct line *line, uint64_t number);
void line_end(struct line *line);

/* A name from a file, as put_printable prints it. size: SIZE_MAX if it is not
 * known. */
void text_printable(struct text *to, const char *name, size_t size);

/* The decimal digits of a number. */
int digits_of(unsigned long long number);

#endif
