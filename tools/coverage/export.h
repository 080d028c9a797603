/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls llvm-cov for exports and its HTML, several calls side by side.
 */
#ifndef BAREPROF_TOOLS_EXPORT_H
#define BAREPROF_TOOLS_EXPORT_H

#include "coverage.h"

enum { EXPORT_LIMIT = 1 << 30, MESSAGES_LIMIT = 1 << 24 };

enum export_kind {
  EXPORT_SUMMARY, /* to group->exported: its summary alone */
  EXPORT_JSON,    /* to group->exported, and to coverage->json if wanted */
  EXPORT_VECTORS, /* to group->vectors, by group->vectors_cov */
  EXPORT_LCOV,    /* to coverage->lcov */
  EXPORT_HTML     /* llvm-cov's own pages, to group->html */
};

struct export_call {
  enum export_kind kind;
  struct group *group;
};

/* The name of a group's indexed profile in the report, without extension. Names
 * of ELFs there have no dot. */
const char *group_profile(const struct inputs *inputs,
                          const struct group *group);

/* A file of the report by its name and extension; the caller frees the path.
 * NULL: out of memory. */
char *export_file(const struct coverage *coverage, const char *stem,
                  const char *extension);

/* Runs llvm-profdata: raw profiles STEM.profraw to TO.profdata. Returns 0, or
 * reports the error and returns 1. */
struct stems {
  const char *const *list;
  size_t count;
  const char *to;
  bool warns; /* pass on llvm-profdata's warnings */
};
int export_merge(const struct coverage *coverage, const struct group *group,
                 const struct stems *stems);

/* Runs one call, and adds the output to out, as it is. profile: another indexed
 * one than the group's own, without extension; NULL: its own. option: one more
 * option. Returns 0, or reports the error and returns 1. */
struct export_text {
  const char *profile, *option;
};
int export_run(const struct coverage *coverage, const struct group *group,
               const struct export_text *what, struct buffer *out);

/* Makes the calls, and takes what they give in the order of the list. Returns
 * 0, or reports the error and returns 1. */
int export_all(struct coverage *coverage, const struct export_call *calls,
               size_t count);

/* Reports that count of the group's sources, which `first` is one of, are not
 * there. Returns 1 if these are all and the user does not allow that. */
int export_missing(const struct coverage *coverage, const struct group *group,
                   unsigned count, const char *first);

/* Passes on a program's warnings, at most three lines. */
void export_warnings(const char *program, const struct buffer *messages);

#endif
