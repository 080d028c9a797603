/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of ELFs into coverage. All ELFs make one model: functions of the
 * same name, hash and place are one.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_H
#define BAREPROF_TOOLS_COVERAGE_H

#include "../base/buffer.h"
#include "exclude/exclude_set.h"
#include "model/exported.h"
#include "inputs/filter.h"
#include "folder.h"
#include "inputs/inputs.h"

/* The user's options. */
struct wishes {
  struct paths paths; /* without the current folder */
  struct filter filter;
  bool allow_missing;    /* sources, too */
  bool allow_changed;    /* sources since the build */
  bool mcdc;             /* A limit of MC/DC is set. */
  bool allow_unmeasured; /* decisions, below that limit */
  bool no_demangle;      /* names as the compiler has them */
};

struct coverage {
  const struct wishes *wishes;
  struct inputs *inputs;
  struct folder *folder;
  struct exclusions *exclusions; /* begun by the caller */
  /* The result, 0 at first. */
  struct exported exported;
  unsigned release;  /* the latest clang of the ELFs; 0: not known */
  struct row before; /* the total with what is excluded, if anything is */
  bool masked;       /* The model lacks what is excluded. */
  struct buffer unmeasured;   /* see mcdc_skipped.h; empty without MC/DC */
  size_t unmeasured_excluded; /* decisions that were in it */
};

/* Fills the folder with profiles, and makes the model. Returns 0, or reports
 * the error and returns 1. */
int coverage_make(struct coverage *coverage);
void coverage_free(struct coverage *coverage);

/* Makes the model of other counts: of each subject, or NULL. Returns 0, or
 * reports the error and returns 1. The caller frees *exported in both cases. */
int coverage_evaluate(const struct coverage *coverage,
                      const struct profile *const *profiles,
                      struct exported *exported);

/* Makes coverage->exported, and the summaries of the ELFs. Returns 0, or
 * reports the error and returns 1. */
int coverage_measure(struct coverage *coverage);

/* A file of the report by its name and extension; the caller frees the path.
 * NULL: out of memory. */
char *coverage_file(const struct coverage *coverage, const char *stem,
                    const char *extension);

/* Reports that count of the sources, which `first` is one of, are not there.
 * Returns 1 if these are all and the user does not allow that. */
int coverage_missing(const struct coverage *coverage, unsigned count,
                     const char *first);

#endif
