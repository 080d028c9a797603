/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes one page of HTML: markup as it is, text of sources and names escaped.
 */
#ifndef BAREPROF_TOOLS_WRITER_H
#define BAREPROF_TOOLS_WRITER_H

#include "../base/bytes.h"
#include "../base/text.h"
#include "../coverage/model/file_scores.h"

struct writer {
  struct text text;
  char *path;
};

/* Opens a file of a folder. Returns 0, or reports the error and returns 1. */
int writer_open(struct writer *writer, const char *folder, const char *name);

/* Returns 0, or reports the error and returns 1. */
int writer_close(struct writer *writer);

/* Markup. */
static inline void put(struct writer *writer, const char *markup) {
  text_put(&writer->text, markup);
}

static inline void put_number(struct writer *writer, uint64_t number) {
  text_decimal(&writer->text, number, 0);
}

/* Text, which may hold any bytes: what HTML would read as markup is escaped, a
 * control character becomes its picture (U+2400 on), another one that does not
 * show \uNNNN, what is not UTF-8 U+FFFD. A tab stays, and so does a line end,
 * but not in a name. */
void put_text(struct writer *writer, struct bytes text);
void put_sized(struct writer *writer, const char *name, size_t size);
void put_string(struct writer *writer, const char *name);

/* A count, shortened from 10,000 on. */
void put_count(struct writer *writer, uint64_t count);

/* "1 line", "2 lines". */
void put_some(struct writer *writer, uint64_t count, const char *what,
              const char *more);

/* A percentage with a bar, as the cell of a table or a span. */
void put_score(struct writer *writer, const char *element,
               const struct score *score);

/* The beginning of a page up to <body>, and the end. */
void put_head(struct writer *writer, const char *title);
void put_foot(struct writer *writer);

#endif
