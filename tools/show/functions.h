/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of functions, with what was asked for of each.
 */
#ifndef BAREPROF_TOOLS_SHOW_FUNCTIONS_H
#define BAREPROF_TOOLS_SHOW_FUNCTIONS_H

#include "shown.h"

/* What was asked for; says so if there is nothing. */
void show_functions(FILE *stream, struct shown *shown, const struct part *part,
                    const struct wishes *wishes);

/* The first ones, without those that have pseudo counts. */
void show_hottest(FILE *stream, struct shown *shown, const struct part *part,
                  uint64_t most);

#endif
