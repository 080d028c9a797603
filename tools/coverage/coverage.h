/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns counts of ELFs into coverage. All ELFs make one model: functions of the
 * same name, hash and place are one.
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
 * The folder of a report gets its name when it is complete. An existing folder
 * is replaced if it is empty or holds the file that marks a report, and lists
 * what that wrote. Anything else stays.
 */

struct folder {
  const char *name; /* as the user gave it */
  char *target;     /* the same without slashes at its end, links followed */
  char *temporary;  /* where it is made, beside target */
  int held;         /* the hold on that, see os_make_shared */
};

/* These functions return 0, or report the error and return 1. */
int folder_begin(struct folder *folder, const char *name);

/* Whether a file lies in what the folder will replace; that is reported, and 1
 * returned. */
int folder_holds(const struct folder *folder, const char *file);

/* Refuses an output that would replace a file of the report. */
int folder_refuses(const struct folder *folder, const char *output);

/* Gives the folder its name. After an error it is abandoned. */
int folder_commit(struct folder *folder);

/* Removes the unfinished folder. Does nothing after folder_commit. */
void folder_abandon(struct folder *folder);

/* Returns the path of a name in the unfinished folder. The caller frees the
 * path. */
char *folder_path(const struct folder *folder, const char *name);

/* Which lines count: all, as in llvm-cov, or only those with own code. */
enum line_kind { LINES_ALL, LINES_CODE };
extern const char *const line_kinds[];
struct whole;

/* The user's options. */
struct report_settings {
  struct paths paths; /* without the current folder */
  struct filter filter;
  bool allow_missing;    /* sources, too */
  bool allow_changed;    /* sources since the build */
  bool mcdc;             /* A limit of MC/DC is set. */
  bool allow_unmeasured; /* decisions, below that limit */
  bool no_demangle;      /* names as the compiler has them */
  unsigned lines;        /* enum line_kind */
  bool as_llvm_cov;      /* numbers that cannot be are as llvm-cov has them */
};

struct coverage {
  const struct report_settings *settings;
  struct inputs *inputs;
  struct folder *folder;
  struct exclusions *exclusions; /* begun by the caller */
  struct whole *whole;           /* what should be in it; or NULL */
  /* The result, 0 at first. */
  struct exported exported;
  unsigned release;       /* the latest clang of the ELFs; 0: not known */
  struct file_row before; /* the total with what is excluded, if anything is */
  bool masked;            /* The model lacks what is excluded. */
  struct buffer unmeasured;   /* see mcdc_skipped.c; empty without MC/DC */
  size_t unmeasured_excluded; /* decisions that were in it */
  struct buffer not_known;    /* see not_known_list */
  struct token_store *tokens; /* of the sources; from the heap */
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

/* A file of the report by its name and extension; the caller frees the path. */
char *coverage_file(const struct coverage *coverage, const char *stem,
                    const char *extension);

/* Reports that count of the sources, which `first` is one of, are not there.
 * Returns 1 if these are all and the user does not allow that. */
int coverage_missing(const struct coverage *coverage, unsigned count,
                     const char *first);

#endif
