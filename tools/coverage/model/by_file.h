/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What each source of a model has: its functions, and its branches as lcov's
 * format lists them.
 */
#ifndef BAREPROF_TOOLS_BY_FILE_H
#define BAREPROF_TOOLS_BY_FILE_H

#include "exported.h"

/* From this release on llvm-cov adds up the branches of instantiations, and
 * lists those of a macro also where the macro is defined. */
enum { UNITED_FIRST = 20 };

struct by_file {
  const struct exported *exported;
  unsigned release; /* whose llvm-cov lists branches so; 0: the last one */
  uint32_t *begin;  /* of each name, in functions; and of the end */
  uint32_t *functions;
  struct buffer branches, places; /* of file_branches */
};

/* A branch on the line where it counts: that of the macro's use, if it is in a
 * macro. */
struct file_branch {
  uint32_t line;
  struct span span;
  uint64_t counts[2];
  struct slice path; /* in places: where it is used, from outside; or begins */
  uint32_t number;   /* of its kind, in the order of the functions */
  uint32_t function; /* that uses it, by number; NO_SITE: where it is defined */
};

/* Returns NULL or the error. The caller frees *files in both cases. */
const char *by_file_make(struct by_file *files, const struct exported *exported,
                         unsigned release);
void by_file_free(struct by_file *files);

/* Whether a branch is one of a source itself: not only where it is used. */
bool by_file_owns(const struct by_file *files,
                  const struct exported_function *function,
                  const struct exported_branch *branch, size_t row);

/* Whether that llvm-cov lists the branch. */
static inline bool by_file_lists(const struct by_file *files,
                                 const struct exported_branch *branch) {
  return branch->constant != 3 || !files->release ||
         files->release >= UNITED_FIRST;
}

/* Lists the branches of a source by line until the next call. Returns NULL or
 * the error. */
const char *file_branches(struct by_file *files, size_t row,
                          const struct file_branch **list, size_t *count);

#endif
