/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is said of a profile if nothing else was asked for.
 */
#ifndef BAREPROF_TOOLS_SHOW_OVERVIEW_H
#define BAREPROF_TOOLS_SHOW_OVERVIEW_H

#include "shown.h"

/* Names that JSON has, too: of a kind of file; of a way to count (flag is one
 * bit) in a word, and in words for people. */
const char *format_name(const struct profile_file *file);
struct mode {
  unsigned flag;
  const char *name, *about;
};
enum { SHOW_MODES = 9 };
extern const struct mode show_modes[SHOW_MODES]; /* by ascending flag */

void show_overview(FILE *stream, struct shown *shown,
                   const struct wishes *wishes);

/* Build ids in hex, a line each. */
void show_id(FILE *stream, struct bytes id);

#endif
