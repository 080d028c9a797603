/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What llvm-cov is asked for: tables, exports, HTML.
 */
#ifndef BAREPROF_TOOLS_EXPORT_H
#define BAREPROF_TOOLS_EXPORT_H

#include "coverage.h"

enum { EXPORT_LIMIT = 1 << 30, MESSAGES_LIMIT = 1 << 24 };

/* The name, in the report, of a group's indexed profile, without extension. No
 * ELF's has a dot. */
const char *group_profile(const struct inputs *inputs,
                          const struct group *group);

/* `llvm-cov export` of a group; option: one more, or NULL. Adds its output to
 * out. These report what is wrong, and return 0 or 1. */
int export_run(const struct coverage *coverage, const struct group *group,
               const char *option, struct buffer *out);

/* All that it can tell as JSON: added to coverage->json, which is one export
 * in the end. */
int export_json(struct coverage *coverage, const struct group *group);

/* Writes the HTML to the group's folder. */
int export_html(const struct coverage *coverage, const struct group *group);

/* Passes on what a program warns of, at most three lines. */
void export_warnings(const char *program, const struct buffer *messages);

#endif
