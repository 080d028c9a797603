/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the pages show of a model: for each file the functions, branches and
 * decisions, in the order of the source. A place that the compiler
 * knows in several forms (a template, a function of several objects) is one.
 *
 * What is in a macro is shown where the macro is used. `site` is that place.
 */
#ifndef BAREPROF_TOOLS_VIEW_H
#define BAREPROF_TOOLS_VIEW_H

#include "exported.h"

/* ---- by_file.c ----
 *
 * What each source of a model has: its functions, and its branches as lcov's
 * format lists them.
 */

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
  struct source_span span;
  uint64_t counts[2];
  struct slice path; /* in places: where it is used, from outside; or begins */
  uint32_t constant; /* sides that cannot be, and are no branches */
  uint32_t number;   /* of its kind, in the order of the functions */
  uint32_t function; /* that uses it, by number; NO_SITE: where it is defined */
};

/* The caller frees *files. */
void by_file_make(struct by_file *files, const struct exported *exported,
                  unsigned release);
void by_file_free(struct by_file *files);

/* Whether a branch is one of a source itself: not only where it is used. */
bool by_file_owns(const struct by_file *files,
                  const struct exported_function *function,
                  const struct exported_branch *branch, size_t row);

/* The branches of a source by line, until the next call. */
const struct file_branch *file_branches(struct by_file *files, size_t row,
                                        size_t *count);

/* A function in all its forms. */
struct view_function {
  const char *name; /* of the first form, as it is shown */
  struct source_span span;
  uint64_t calls;
  uint32_t row;                  /* its file */
  uint32_t begin, forms;         /* in view->forms */
  uint32_t lines;                /* with code that never ran */
  uint32_t branches, conditions; /* that are missing */
  /* What to do first; NULL: nothing is known. From the view's arena. */
  const char *code, *hint;
  uint32_t hint_line;
};

/* A form of a function. */
struct view_form {
  uint32_t function; /* of the export */
  uint32_t owner;    /* in view->functions */
};

enum view_kind { VIEW_BRANCH, VIEW_DECISION };

/* A branch or decision. */
struct view_item {
  uint32_t row, owner;     /* its file and its function */
  struct source_span site; /* in the file; the same as span outside a macro */
  struct source_span span;
  uint32_t name;     /* of the file that span is in */
  uint32_t function; /* the form that is shown, of the export */
  uint32_t index;    /* of the branch or decision in the export */
  uint32_t depth;    /* macros around it */
  uint32_t path;     /* where their places begin in view->paths */
  uint32_t forms;    /* how many are united here */
  enum view_kind kind;
  uint64_t counts[2]; /* of a branch: true, false */
  uint32_t constant;  /* of a branch: sides that cannot be */
  uint32_t cause;     /* enum cause, of one form at least */
  /* Of a decision: conditions that a pair shows, and that none shows, though
   * they are not constant. */
  uint32_t shown, hidden;
};

/* Items that a file has, in macros and in text that functions include, and that
 * are at their uses in other files. */
struct view_uses {
  uint32_t first; /* in items */
  uint32_t count; /* 0: there is none */
};

struct view {
  const struct exported *exported;
  struct lines *lines;             /* of each row */
  struct view_function *functions; /* by file and place */
  size_t function_count;
  struct view_form *forms; /* by owner */
  size_t form_count;
  struct view_item *items; /* by file and site */
  size_t item_count;
  struct view_uses *uses; /* of each row */
  struct buffer paths;    /* place_number of macros around items */
  struct arena texts;
};

/* Makes the view of a model, or of an earlier report. The caller frees *view,
 * and *exported lives as long. */
void view_make(struct view *view, const struct exported *exported);
void view_free(struct view *view);

/* Demangles the functions' names, if an llvm-cxxfilt is installed, best of this
 * release. */
void view_demangle(struct view *view, unsigned release);

/* Returns the name of a static function without the file in front. */
const char *view_plain_name(const char *name);

/* Sides of a branch that are missing. */
unsigned view_missing(const struct view_item *branch);

#endif
