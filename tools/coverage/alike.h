/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether two ELFs can be in one report of llvm-cov. llvm-cov adds up the
 * counts of functions with the same name. The sum is right for one source on
 * two boards, and wrong for a bootloader's main and an application's main.
 */
#ifndef BAREPROF_TOOLS_ALIKE_H
#define BAREPROF_TOOLS_ALIKE_H

#include "exported.h"

/* A function as hashes: of its name, of its source file, of the places of its
 * regions and branches. */
struct trait {
  uint64_t name, file, shape;
};

struct traits {
  struct trait *list; /* by name */
  size_t count;
};

/* Lists the functions of an ELF's export. Returns NULL or the error. The caller
 * frees *traits in both cases, and need not initialise it before. */
const char *traits_make(struct traits *traits, const struct exported *exported);
void traits_free(struct traits *traits);

/* Returns how many functions of the same name are from different files. */
size_t traits_clashes(const struct traits *a, const struct traits *b);

/* Returns how many functions of the same name and file differ, by #ifdef or by
 * compiler flags. */
size_t traits_differ(const struct traits *a, const struct traits *b);

#endif
