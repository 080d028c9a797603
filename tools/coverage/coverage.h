/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns the counts of ELFs into coverage. coverage.c makes one model of all
 * ELFs: functions of the same name, hash and place are one. inputs/ reads what
 * comes in, model/ computes the numbers, out/ and ../html/ write them.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_H
#define BAREPROF_TOOLS_COVERAGE_H

#include "../base/storage.h"
#include "exclude/exclude.h"
#include "inputs/inputs.h"
#include "inputs/paths.h"
#include "model/exported.h"
#include "model/tokens.h"

/* ---- folder.c ----
 *
 * The folder of a report. It is made under a temporary name, and gets its own
 * name when it is complete. An existing folder is replaced only if it is empty
 * or holds the marker of a report. The marker lists the files that the report
 * wrote; other files in the folder are kept.
 */

/* The folder of a report while it is made. */
struct folder {
  const char *name; /* as the user gave it */
  char *target;     /* its path: links followed, no slash at the end */
  char *temporary;  /* the unfinished folder, next to target */
  int held;         /* the lock on temporary, see os_make_shared */
};

/* Makes the unfinished folder, and delays signals until folder_commit or
 * folder_abandon. This function and the next three return 0, or report the
 * error and return 1. */
int folder_begin(struct folder *folder, const char *name);

/* Fails if a file lies in the folder that the report will replace. */
int folder_holds(const struct folder *folder, const char *file);

/* Fails if an output file would replace a file of the report. */
int folder_refuses(const struct folder *folder, const char *output);

/* Gives the folder its name. After an error the unfinished folder is removed.
 * The paths in *folder are freed in both cases. */
int folder_commit(struct folder *folder);

/* Removes the unfinished folder. Call it instead of folder_commit, not after
 * it. */
void folder_abandon(struct folder *folder);

/* Returns the path of a file in the unfinished folder. The caller frees the
 * path. */
char *folder_path(const struct folder *folder, const char *name);

/* Which lines count: all, as in llvm-cov, or only lines with code of their
 * own. */
enum line_kind { LINES_ALL, LINES_CODE };
extern const char *const line_kinds[];
struct whole;

/* The user's options for the model. */
struct report_settings {
  struct paths paths; /* `here` is NULL */
  struct filter filter;
  bool allow_missing;    /* --allow-missing, here for sources */
  bool allow_changed;    /* Sources may differ from those of the build. */
  bool mcdc;             /* The user has set a limit for MC/DC. */
  bool allow_unmeasured; /* Unmeasured decisions do not fail that limit. */
  bool no_demangle;      /* shows mangled names */
  unsigned lines;        /* enum line_kind */
  bool as_llvm_cov;      /* shows impossible numbers as llvm-cov does */
};

/* A report while it is made: inputs, options and the model. */
struct coverage {
  const struct report_settings *settings;
  struct inputs *inputs;
  struct folder *folder;
  struct exclusions *exclusions; /* exclusions_begin was called */
  struct whole *whole;           /* the sources of --sources; or NULL */
  /* The result; all 0 at first. */
  struct exported exported;
  unsigned release;       /* the latest clang of the ELFs; 0: unknown */
  struct file_row before; /* the total before exclusions, if there are any */
  bool masked;            /* The exclusions are applied to the model. */
  struct buffer unmeasured;   /* struct unmeasured; empty without MC/DC */
  size_t unmeasured_excluded; /* decisions that are excluded from it */
  struct buffer not_known;    /* see not_known_list */
  struct token_store *tokens; /* tokens of the sources; on the heap */
};

/* Writes the profiles into the folder, and makes the model. Returns 0, or
 * reports the error and returns 1. */
int coverage_make(struct coverage *coverage);
void coverage_free(struct coverage *coverage);

/* Makes the model of other counts. profiles[i] has the counts of subject i;
 * NULL leaves the ELF out. Returns 0, or reports the error and returns 1. The
 * caller frees *exported in both cases. */
int coverage_evaluate(const struct coverage *coverage,
                      const struct profile *const *profiles,
                      struct exported *exported);

/* Returns the path of a report's file with this name and extension. The caller
 * frees the path. */
char *coverage_file(const struct coverage *coverage, const char *stem,
                    const char *extension);

/* Warns that `count` of the sources, among them `first`, are missing. Returns 1
 * if all are missing and the user does not allow that. */
int coverage_missing(const struct coverage *coverage, unsigned count,
                     const char *first);

#endif
