/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module splits a source file into lines, which it numbers as clang does:
 * a line ends in LF, CR or both. The module also compares sources on this
 * machine with the sources of the build. The pages show the lines, and
 * whole/code_lines.c finds the lines with code.
 */
#ifndef BAREPROF_TOOLS_SOURCE_H
#define BAREPROF_TOOLS_SOURCE_H

#include "../../base/file.h"
#include "../coverage.h"
#include "../model/coverage_model.h"

struct source_text {
  struct file file;
  bool found;
  uint32_t *starts; /* offset of each line, from index 1, then of the end */
  uint32_t count;   /* number of lines + 1 */
};

/* Reads a source file. A missing file has 0 lines. Returns 0, or reports the
 * error and returns 1. The caller frees *source in both cases. */
int source_read(struct source_text *source, const char *name);
void source_free(struct source_text *source);

/* Returns a line's text without its line end, or an empty text if the line does
 * not exist. */
struct bytes source_line_text(const struct source_text *source, uint32_t line);

/* Returns the text of a span; empty if the span is not within the file. */
struct bytes source_span_text(const struct source_text *source,
                              const struct source_span *span);

/* ---- source.c ----
 *
 * This file checks whether sources are the same as when an ELF was built. A
 * report shows counts at the line numbers of the build, so in a changed file
 * the counts stand next to the wrong lines. The line table of DWARF 5 contains
 * the MD5 of each file.
 */

/* Lists the sources in the summary of an ELF in subject->sources, and compares
 * them with the build. Ends the command if a source cannot be read, or has
 * changed although the user does not allow that. */
void source_list_and_compare(struct input_elf *subject,
                             const struct report_settings *settings);
void source_free_list(struct input_elf *subject);

/* Prints which sources have changed or could not be compared, if any. */
void source_print_changed(const struct input_elf *subject);

#endif
