/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Words that do not fit any more begin a line.
 */
#include "lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum { COLUMNS = 80 };

struct line line_begin(FILE *stream, int begin, const char *label) {
  fprintf(stream, "%-*s", begin, label);
  return (struct line){stream, begin, begin};
}

void line_add(struct line *line, const char *format, ...) {
  char word[64];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  if (line->column > line->begin && line->column + 1 + size > COLUMNS) {
    fprintf(line->stream, "\n%*s", line->begin, "");
    line->column = line->begin;
  } else if (line->column > line->begin) {
    fputc(' ', line->stream);
    line->column++;
  }
  fputs(word, line->stream);
  line->column += size;
}

void line_end(struct line *line) { fputc('\n', line->stream); }

/* Names are rarely long. If memory for a long name is missing, prints its
 * beginning. */
void put_name(FILE *stream, const char *name) {
  char usual[1000];
  size_t room = 4 * strlen(name) + 5;
  char *more = room > sizeof usual ? malloc(room) : NULL;
  fputs(printable(more ? more : usual, more ? room : sizeof usual, name),
        stream);
  free(more);
}

int digits_of(unsigned long long number) {
  int digits = 1;
  while (number /= 10)
    digits++;
  return digits;
}
