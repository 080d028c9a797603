/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of a model that the pages show: for each file the functions,
 * branches and decisions, in source order. If the compiler has a position in
 * several instantiations (a template, a function in several objects), the view
 * has the position once. Members of the view call the instantiations forms.
 *
 * Code in a macro is shown where the macro is used; `site` is that position.
 */
#ifndef BAREPROF_TOOLS_VIEW_H
#define BAREPROF_TOOLS_VIEW_H

#include "coverage_model.h"

/* ---- file_index.c ----
 *
 * For each source of a model its functions, and its branches as lcov's format
 * lists them.
 */

/* From this release on, llvm-cov adds up the branches of instantiations and
 * lists a macro's branches also where the macro is defined. */
enum { UNITED_FIRST = 20 };

struct file_index {
  const struct model *exported;
  unsigned release; /* list branches as the llvm-cov of this release; 0: the
                       latest */
  uint32_t *begin;  /* for each name its first index in functions, and the
                       end */
  uint32_t *functions;
  struct buffer branches, places; /* only file_index_list_branches uses these */
};

/* A branch, on the line where lcov counts it: for a branch in a macro, where
 * the macro is used. */
struct file_branch {
  uint32_t line;
  struct source_span span;
  uint64_t counts[2];
  struct slice path; /* in places: uses, outermost first; or the position */
  uint32_t constant; /* outcomes that cannot occur and are not listed */
  uint32_t number;   /* ordinal, in the order of the functions */
  uint32_t function; /* that uses it; NO_SITE: listed where it is defined */
};

/* Prepares the lists. The caller calls file_index_free. */
void file_index_make(struct file_index *files, const struct model *exported,
                     unsigned release);
void file_index_free(struct file_index *files);

/* Whether a source contains a branch itself, not only a use of its macro. */
bool file_index_owns_branch(const struct file_index *files,
                            const struct model_function *function,
                            const struct model_branch *branch, size_t row);

/* Returns the branches of a source, by line; valid until the next call. */
const struct file_branch *file_index_list_branches(struct file_index *files,
                                                   size_t row, size_t *count);

/* A function with all its instantiations. */
struct view_function {
  const char *name; /* name of the first instantiation, as shown */
  struct source_span span;
  uint64_t calls;
  uint32_t row;                  /* row of the file */
  uint32_t begin, instantiation_count; /* range in view->forms */
  uint32_t lines;                /* lines with code that never ran */
  uint32_t branches, conditions; /* number of missing branches and conditions */
  /* The hint for the next test, in view->texts. NULL: without a hint. */
  const char *code, *hint;
  uint32_t hint_line;
};

/* An instantiation of a function. */
struct view_instantiation {
  uint32_t function; /* index in the model */
  uint32_t owner;    /* index in view->functions */
};

enum view_kind { VIEW_BRANCH, VIEW_DECISION };

/* A branch or decision. */
struct view_item {
  uint32_t row, owner;     /* row of the file; index of the function */
  struct source_span site; /* where it is shown; equal to span outside macros */
  struct source_span span;
  uint32_t name;     /* number of the name of the file that contains span */
  uint32_t function; /* index in the model of the instantiation that is shown */
  uint32_t index;    /* index of the branch or decision in the model */
  uint32_t depth;    /* number of macros around it */
  uint32_t path;     /* index of their positions in view->paths */
  uint32_t instantiation_count; /* number of united instantiations */
  enum view_kind kind;
  uint64_t counts[2]; /* for a branch: counts of true and false */
  uint32_t constant;  /* for a branch: outcomes that cannot occur */
  uint32_t cause;     /* enum cause of any instantiation */
  /* For a decision: the number of conditions with an independence pair; the
   * number of conditions without one, except constants. */
  uint32_t shown, hidden;
};

/* Items whose text is in one file, which may be a macro's file or an included
 * file, and which are shown where other files use it. */
struct view_use_sites {
  uint32_t first; /* index in items */
  uint32_t count; /* 0: no such items in the file */
};

struct model_view {
  const struct model *exported;
  struct source_lines *lines;      /* for each row */
  struct view_function *functions; /* sorted by file and position */
  size_t function_count;
  struct view_instantiation *instantiations; /* sorted by owner */
  size_t instantiation_count;
  struct view_item *items; /* sorted by file and site */
  size_t item_count;
  struct view_use_sites *uses; /* for each row */
  struct buffer paths;    /* place_number of each macro around each item */
  struct arena texts;
};

/* Makes the view of a model or of an earlier report. The caller calls
 * view_free; *exported must live as long. */
void view_make(struct model_view *view, const struct model *exported);
void view_free(struct model_view *view);

/* Demangles the functions' names if there is an llvm-cxxfilt, preferably of
 * this release. */
void view_demangle(struct model_view *view, unsigned release);

/* Returns the name of a static function without its file prefix. */
const char *view_plain_name(const char *name);

/* Returns the outcomes of a branch that never occurred but can (TRUE_SIDE,
 * FALSE_SIDE). */
unsigned view_missing_outcomes(const struct view_item *branch);

#endif
