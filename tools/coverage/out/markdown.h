/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage table in Markdown, for the summary of a CI job or a comment.
 */
#ifndef BAREPROF_TOOLS_MARKDOWN_H
#define BAREPROF_TOOLS_MARKDOWN_H

#include <stdio.h>

#include "../coverage.h"
#include "../inputs/paths.h"

/* The metrics' names as titles. */
extern const char *const markdown_titles[METRICS];

/* Writes a text without marks. */
void markdown_text(FILE *stream, const char *text);

/* Writes the total, and the files that miss most. The caller checks the stream
 * for errors. */
void markdown_write(const struct coverage *coverage, const struct paths *paths,
                    FILE *stream);

#endif
