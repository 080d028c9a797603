/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls llvm-cov for tables, exports and HTML.
 */
#ifndef BAREPROF_TOOLS_EXPORT_H
#define BAREPROF_TOOLS_EXPORT_H

#include "coverage.h"

enum { EXPORT_LIMIT = 1 << 30, MESSAGES_LIMIT = 1 << 24 };

/* The name of a group's indexed profile in the report, without extension. Names
 * of ELFs there have no dot. */
const char *group_profile(const struct inputs *inputs,
                          const struct group *group);

/* A file of the report by its name and extension; the caller frees the path.
 * NULL: out of memory. */
char *export_file(const struct coverage *coverage, const char *stem,
                  const char *extension);

/* Runs llvm-profdata: raw profiles STEM.profraw to TO.profdata. */
struct stems {
  const char *const *list;
  size_t count;
  const char *to;
  bool warns; /* pass on llvm-profdata's warnings */
};
int export_merge(const struct coverage *coverage, const struct group *group,
                 const struct stems *stems);

/* Adds the lcov export of another profile than the group's own to out.
 * profile: its name without extension. */
int export_lines(const struct coverage *coverage, const struct group *group,
                 const char *profile, struct buffer *out);

/* Runs `llvm-cov export` for a group and adds the output to out. option: one
 * more option, or NULL. The functions here return 0, or report the error and
 * return 1. */
int export_run(const struct coverage *coverage, const struct group *group,
               const char *option, struct buffer *out);

/* Adds the full JSON export of the group to coverage->json. In the end
 * coverage->json is one export. */
int export_json(struct coverage *coverage, const struct group *group);

/* Writes the HTML to the group's folder. */
int export_html(const struct coverage *coverage, const struct group *group);

/* Passes on a program's warnings, at most three lines. */
void export_warnings(const char *program, const struct buffer *messages);

#endif
