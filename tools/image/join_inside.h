/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What join.c and join_memory.c share, and nobody else needs. What is wrong is
 * printed, and 1 returned.
 */
#ifndef BAREPROF_TOOLS_JOIN_INSIDE_H
#define BAREPROF_TOOLS_JOIN_INSIDE_H

#include "join.h"

/* Begins the profile, if that is not done; word: of a dump, or 0. */
int join_begin(struct join *join, uint64_t word);

/* Adds counts of the profile's layout, and may take them away. */
int join_take(struct join *join, const char *name, struct snapshot *counts);

/* Says that counts are of another build; 1. */
int join_other_build(const struct join *join, const char *name);

/* Files that are an ELF, and those that are nothing else. */
int join_core(struct join *join, const char *name, struct bytes file);
int join_bare(struct join *join, const char *name, struct bytes file);

#endif
