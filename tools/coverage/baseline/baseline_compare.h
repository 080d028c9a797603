/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Only for baseline.c: compares a function of the earlier report with those
 * that it has become.
 *
 *     comparing_begin(&comparing, against);
 *     compare_begin(&comparing, part, function);
 *     compare_with(&comparing, name);  once for each
 *     error = compare_end(&comparing);
 *     comparing_end(&comparing);
 */
#ifndef BAREPROF_TOOLS_BASELINE_COMPARE_H
#define BAREPROF_TOOLS_BASELINE_COMPARE_H

#include "baseline.h"

struct comparing {
  struct against *against;
  uint32_t part, function;  /* of the earlier report */
  struct buffer then, now;  /* struct spot */
  struct against_name last; /* that it was compared with; name NULL: none */
  size_t left;              /* lines that may still be looked at */
  size_t open;              /* covered then, and not found covered now */
  const char *error;
};

void comparing_begin(struct comparing *comparing, struct against *against);
void comparing_end(struct comparing *comparing);

void compare_begin(struct comparing *comparing, uint32_t part,
                   uint32_t function);
void compare_with(struct comparing *comparing, const struct against_name *name);

/* Whether nothing can be lost any more, or an error has come. */
bool compare_done(const struct comparing *comparing);

/* Returns NULL or the error of all of these functions. */
const char *compare_end(struct comparing *comparing);

/* Sorts what is lost or gone, and counts each once. */
void comparing_settle(struct against *against);

#endif
