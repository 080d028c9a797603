/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof cc` adds to a project that knows nothing of profiles: clang's
 * flags, the choice of sources, a look at each object (--place=bss), and the
 * functions that cannot count.
 */
#ifndef CC_COVER_H
#define CC_COVER_H

#include <stdio.h>

#include "../base/bytes.h"
#include "job.h"

/* The words of --place and --coverage, by these enums; NULL ends them. */
enum cc_place { CC_PLACE_AUTO, CC_SECTIONS, CC_BSS };
enum cc_coverage { CC_ASKED, CC_LINES, CC_MCDC }; /* ASKED: by the command */
extern const char *const cc_places[], *const cc_coverages[];

enum { PATTERNS_MOST = 32 };

/* Regular expressions of sources' names. A source is measured that one of
 * `measure` matches (or there is none) and none of `leave`. */
struct cover {
  unsigned place, coverage;
  const char *measure[PATTERNS_MOST], *leave[PATTERNS_MOST];
  size_t measure_count, leave_count;
};

/* Adds clang's flags for coverage. */
void cover_arguments(const struct cover *cover, struct arguments *arguments);

/* Prints what objects depend on, for caches. */
void cover_print(const struct cover *cover);

/* Takes the profile out of jobs whose source is not measured, and with
 * --place=bss clang's runtime out of links, and values out of profiles. Returns
 * NULL or the error: a pattern is none. *changed: the driver's own jobs would
 * do something else. */
const char *cover_choose(const struct cover *cover, struct jobs *jobs,
                         bool *changed);

/* Finds naked functions that count, in a module of the front end: they would
 * destroy registers. Writes a list for -fprofile-list. Returns their number;
 * names: the first of them. */
size_t cover_naked(struct bytes module, FILE *list, char names[100]);

/* Changes the object that a job wrote, as place.h says. Other outputs stay.
 * Returns 0, or prints the error and returns 1. */
struct placing {
  bool labels, verbose;
};
int cover_place(const struct job *job, const char *source,
                const struct placing *how);

#endif
