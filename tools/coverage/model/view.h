/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A view has the part of a model that the pages show: the functions, branches
 * and decisions of each file, in source order. If several instantiations (of a
 * template, or of a function in several objects) share a position, the view has
 * the position once.
 *
 * Pages show the code of a macro where the macro is used; `site` is that
 * position.
 */
#ifndef BAREPROF_TOOLS_VIEW_H
#define BAREPROF_TOOLS_VIEW_H

#include "coverage_model.h"

/* A function with all its instantiations. */
struct view_function {
  const char *name; /* name of the first instantiation, as shown */
  struct source_span span;
  uint64_t calls;
  uint32_t row;                        /* row of the function's file */
  uint32_t begin, instantiation_count; /* range in view->instantiations */
  uint32_t lines;                /* number of lines with code that never ran */
  uint32_t branches, conditions; /* number of missing branches and conditions */
  /* The code and the hint for the next test, both in view->texts; NULL without
   * a hint. */
  const char *code, *hint;
  uint32_t hint_line;
};

/* An instantiation of a function. */
struct view_instantiation {
  uint32_t function; /* index of the function in the model */
  uint32_t owner;    /* index of its united function in view->functions */
};

enum view_kind { VIEW_BRANCH, VIEW_DECISION };

/* A branch or decision. */
struct view_item {
  uint32_t row, owner;     /* row of the file; index of the function in
                              view->functions */
  struct source_span site; /* position where the page shows the item; the same
                              as `span` outside of macros */
  struct source_span span;
  uint32_t name;     /* number of the file name that `span` belongs to */
  uint32_t function; /* index in the model of the instantiation that is shown */
  uint32_t index;    /* index of the branch or decision in the model */
  uint32_t depth;    /* number of macros around the item */
  uint32_t path;     /* index in `paths` of the positions of these macros */
  uint32_t instantiation_count; /* number of united instantiations */
  enum view_kind kind;
  uint64_t counts[2]; /* for a branch, the numbers of true and false outcomes */
  uint32_t constant;  /* for a branch, the outcomes that cannot occur */
  uint32_t cause;     /* enum cause, from any instantiation */
  /* For a decision, the number of conditions with an independence pair, and the
   * number of conditions without one, except constants. */
  uint32_t shown, hidden;
};

/* The uses of one file's code in other files. The code is in a macro or an
 * included file, and pages show it where it is used. */
struct view_use_sites {
  uint32_t first; /* index of the first use in `items` */
  uint32_t count; /* number of uses; 0 if other files do not use the code */
};

struct model_view {
  const struct model *exported;
  struct source_lines *lines;      /* lines of each row */
  struct view_function *functions; /* sorted by file and position */
  size_t function_count;
  struct view_instantiation *instantiations; /* sorted by owner */
  size_t instantiation_count;
  struct view_item *items; /* sorted by file and site */
  size_t item_count;
  struct view_use_sites *uses; /* uses of each row's code */
  struct buffer paths;         /* place_number of each macro around each item */
  struct arena texts;
};

/* Makes the view of a model or of an earlier report. The caller calls
 * view_free; *exported must live until then. */
void view_make(struct model_view *view, const struct model *exported);
void view_free(struct model_view *view);

/* Demangles the names of the functions if an llvm-cxxfilt is installed,
 * preferably of this release. */
void view_demangle(struct model_view *view, unsigned release);

/* Returns a function's name without the prefix that a static function has. */
const char *view_name_without_file(const char *name);

/* Returns the outcomes of a branch that can occur but never did, as bits
 * (TRUE_SIDE, FALSE_SIDE). */
unsigned view_missing_outcomes(const struct view_item *branch);

#endif
