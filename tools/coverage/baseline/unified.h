/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a unified diff, as git, diff -u, Mercurial and Subversion write it:
 * which lines of the new files are added or changed; and the old files.
 */
#ifndef BAREPROF_TOOLS_UNIFIED_H
#define BAREPROF_TOOLS_UNIFIED_H

#include "../../base/buffer.h"
#include "../../base/bytes.h"

/* Adjacent lines of a new file, the last one included. */
struct unified_span {
  uint32_t first, last;
};

/* The lines of a hunk as the text has them, each behind its mark. old, now:
 * where they begin on either side; without lines there, the line before. */
struct unified_hunk {
  uint32_t old, now;
  struct bytes lines;
};

struct unified_file {
  /* As the repository has it: without a prefix such as b/, not quoted. */
  char *name;
  const struct unified_span *spans; /* ascending */
  size_t span_count;                /* 0: lines were only removed */
  size_t lines;                     /* of all spans */
  size_t first_span, first_hunk;    /* only for unified.c */
  const struct unified_hunk *hunks;
  size_t hunk_count;
};

struct unified {
  /* By name, each name once. Without deleted files, and without files whose
   * text does not change. */
  struct unified_file *files;
  size_t count;
  struct unified_span *spans;
  size_t span_count;
  struct unified_hunk *hunks; /* of the files' hunks, which refer to the text */
  size_t hunk_count;
  bool others; /* A file is deleted, or changes in another way than its text. */
  size_t line; /* of the text, where an error is */
};

/* Reads a text. Text around the diff, such as a commit's message, may be there.
 * An empty text is a diff without changes. Returns NULL or the error. The
 * caller frees *diff in both cases, and need not initialise it before. */
const char *unified_read(struct unified *diff, struct bytes text);
void unified_free(struct unified *diff);

/* Returns the file of this name, or NULL. */
const struct unified_file *unified_find(const struct unified *diff,
                                        const char *name);

/* Whether one of the lines from first to last is in the diff. *line: the first
 * such line. */
bool unified_has(const struct unified_file *file, uint32_t first, uint32_t last,
                 uint32_t *line);

/* Writes the old file into a buffer. text: the new file. Returns false if the
 * diff does not lead to the new file, or there is no memory. */
bool unified_restore(const struct unified_file *file, struct bytes text,
                     struct buffer *old);

#endif
