/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles from files of any kind (raw, indexed, text) into one. What is wrong
 * with a file, or remarkable in it, is printed.
 */
#ifndef BAREPROF_TOOLS_GATHER_H
#define BAREPROF_TOOLS_GATHER_H

#include "raw.h"

struct gather {
  struct profile profile;
  struct raw_cache cache;
  const struct elf *elf;    /* for raw profiles without records; or NULL */
  const char *const *files; /* names, by profile.source */
  size_t remarks;           /* of single functions, printed or not */
};

/* Begins. files: the names of all that will be added, for messages. */
void gather_new(struct gather *gather, const char *const *files);
void gather_free(struct gather *gather);

/* Adds file number `source` of the list, counts times weight. 0; or 1, and
 * then nothing was added, except if memory did not suffice. */
int gather_file(struct gather *gather, uint32_t source, uint64_t weight);

#endif
