/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module turns the counts of ELFs into coverage. coverage_make takes the
 * inputs (inputs/inputs.h) and fills a struct coverage, whose model
 * (model/coverage_model.h) the writers of out/ and the HTML pages read. All
 * ELFs make one model, in which functions with the same name, hash and position
 * are one function.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_H
#define BAREPROF_TOOLS_COVERAGE_H

#include "../base/storage.h"
#include "exclude/exclude.h"
#include "inputs/inputs.h"
#include "inputs/paths.h"
#include "model/coverage_model.h"
#include "model/tokens.h"

/* ---- coverage.c: the folder ----
 *
 * A report's folder gets its final name when it is complete. A new report
 * replaces an existing folder if it is empty or contains the marker file of an
 * earlier report. The marker file lists the files that the report wrote; all
 * other files in the folder stay.
 */

struct report_folder {
  const char *name; /* the folder's name, as the user wrote it */
  char *target;     /* the name without slashes at its end, with symbolic links
                       resolved */
  char *temporary;  /* name of the unfinished folder, next to target */
  int held;         /* descriptor that keeps other commands from removing
                       `temporary`; see os_make_shared_folder */
};

/* The next four functions end the command after an error, as do most steps of a
 * report. The end of the command removes the unfinished folder. folder_begin
 * creates this folder, and delays signals until folder_commit or
 * folder_abandon. */
void folder_begin(struct report_folder *folder, const char *name);

/* Refuses an input file inside the folder that the report will replace. */
void folder_refuse_input_inside(const struct report_folder *folder,
                                const char *file);

/* Refuses an output that would replace a file of the report. */
void folder_refuse_output(const struct report_folder *folder,
                          const char *output);

/* Renames the complete folder to its name. */
void folder_commit(struct report_folder *folder);

/* Removes the unfinished folder. Does nothing after folder_commit. */
void folder_abandon(struct report_folder *folder);

/* Returns the path of a file in the unfinished folder. The caller frees the
 * path. */
char *folder_file_path(const struct report_folder *folder, const char *name);

/* ---- coverage.c ---- */

/* The lines that a report counts: all lines, as in llvm-cov, or only lines with
 * a token that runs. */
enum line_kind { LINES_ALL, LINES_CODE };
extern const char *const line_kinds[];
struct expected_sources;

/* The user's options of a report. */
struct report_settings {
  struct source_maps paths; /* if paths.here is NULL, names stay absolute */
  struct source_filter filter;
  bool allow_missing;    /* The report is made even if sources are missing. */
  bool allow_changed;    /* The report is made even if sources have changed. */
  bool mcdc;             /* The user has set an MC/DC limit. */
  bool allow_unmeasured; /* An MC/DC limit accepts unmeasured decisions. */
  bool no_demangle;      /* The report shows mangled names. */
  unsigned lines;        /* enum line_kind: the lines that the report counts */
  bool as_llvm_cov;      /* The numbers are llvm-cov's, even where they are
                            wrong. */
};

struct coverage {
  const struct report_settings *settings;
  struct inputs *inputs;
  struct report_folder *folder;
  struct exclusions *exclusions; /* The caller has read their file. */
  /* the sources that the report should have; may be NULL */
  struct expected_sources *expected;
  /* The next fields are the result. The caller initialises them as zeros. */
  struct model exported;
  struct model *elf_models; /* a model for each ELF; NULL if the report does not
                               show ELFs separately */
  unsigned release;         /* latest clang release of the ELFs; 0: unknown */
  struct file_row total_before; /* the total before any exclusions */
  bool has_exclusions;          /* The model lacks the excluded code. */
  struct buffer unmeasured;     /* a list of struct unmeasured_decision
                               (mcdc/mcdc.h); empty without MC/DC */
  size_t unmeasured_excluded;   /* number of decisions that exclusions have
                                 removed from `unmeasured` */
  /* struct unknown_number list, see unknown_numbers_append */
  struct buffer not_known;
  struct token_store *tokens; /* coverage_make allocates the store */
};

/* Writes the profiles into the folder and makes the model. Ends the command
 * after an error. */
void coverage_make(struct coverage *coverage);
void coverage_free(struct coverage *coverage);

/* Makes a model from other counts. `profiles` has one profile for each ELF;
 * NULL leaves that ELF out. Ends the command after an error. */
void coverage_evaluate(const struct coverage *coverage,
                       const struct profile *const *profiles,
                       struct model *exported);

/* Returns the path of a file in the report's folder. The caller frees the
 * path. */
char *coverage_file_path(const struct coverage *coverage, const char *stem,
                         const char *extension);

/* Warns that `count` sources are missing, of which `first` is one. Ends the
 * command if all sources are missing and the user does not allow this. */
void coverage_warn_missing_sources(const struct coverage *coverage,
                                   unsigned count, const char *first);

#endif
