/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Words that do not fit any more begin a line.
 */
#include "shown.h"

#include <stdarg.h>
#include <string.h>

#include "../base/error.h"
#include "../base/text.h"

enum { COLUMNS = 80 };

static void put_blanks(struct text *to, int count) {
  while (count-- > 0)
    text_letter(to, ' ');
}

struct word_line line_begin(struct text *to, int begin, const char *label) {
  int size = (int)strlen(label);
  text_bytes(to, label, (size_t)size);
  put_blanks(to, begin - size);
  return (struct word_line){to, begin, begin};
}

/* What goes before a word of this size. */
static void make_room(struct word_line *line, int size) {
  if (line->column > line->begin && line->column + 1 + size > COLUMNS) {
    text_letter(line->to, '\n');
    put_blanks(line->to, line->begin);
    line->column = line->begin;
  } else if (line->column > line->begin) {
    text_letter(line->to, ' ');
    line->column++;
  }
  line->column += size;
}

void line_add(struct word_line *line, const char *format, ...) {
  char word[64];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  make_room(line, size);
  text_put(line->to, word);
}

void line_number(struct word_line *line, uint64_t number) {
  size_t digits = digits_of(number);
  make_room(line, (int)digits);
  text_digits(line->to, number, digits, 0);
}

void line_end(struct word_line *line) { text_letter(line->to, '\n'); }

/* Most names are shown as they are. */
void text_printable(struct text *to, const char *name, size_t size) {
  char one[PRINTABLE_ROOM];
  size_t left = size == SIZE_MAX ? strlen(name) : size;
  for (size_t taken; left; left -= taken, name += taken) {
    taken = utf8_plain(name, left);
    if (taken)
      text_bytes(to, name, taken);
    else
      text_bytes(to, one, printable_character(one, name, left, &taken));
  }
}
