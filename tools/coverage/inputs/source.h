/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A source file in lines, as clang numbers them: a line ends in LF, CR or both.
 */
#ifndef BAREPROF_TOOLS_SOURCE_H
#define BAREPROF_TOOLS_SOURCE_H

#include "../../base/file.h"
#include "../coverage.h"
#include "../model/exported.h"

struct source_text {
  struct file file;
  bool found;
  uint32_t *starts; /* of each line, from 1 on, and of the end */
  uint32_t count;   /* lines, and 1 */
};

/* Reads the file. If there is none, it has no lines. Returns 0, or reports the
 * error and returns 1. The caller frees *source in both cases. */
int source_read(struct source_text *source, const char *name);
void source_free(struct source_text *source);

/* A line without its end. */
struct bytes source_line(const struct source_text *source, uint32_t line);

/* What is between two places; nothing if they are not in the file. */
struct bytes source_piece(const struct source_text *source,
                          const struct source_span *span);

/* ---- source_digest.c ----
 *
 * Whether sources are as they were when an ELF was built. A report shows counts
 * by line numbers of the build: in a file that has changed since, they stand
 * beside other lines. The line table of DWARF 5 has the MD5 of each file.
 */

/* Compares the sources in the subject's summary, and fills subject->sources.
 * Returns 0, or reports the error and returns 1: a source cannot be read, or
 * has changed and the user does not allow that. */
int built_compare(struct subject *subject,
                  const struct report_settings *settings);
void built_free(struct subject *subject);

/* Prints how an ELF's sources compare, if there is anything to say. */
void built_print(const struct subject *subject);

#endif
