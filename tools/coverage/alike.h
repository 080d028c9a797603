/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether two ELFs can be in one report of llvm-cov. It knows functions by
 * their names, and adds up the counts of those of one name: right for one
 * source on two boards, wrong for a bootloader's main and an application's.
 */
#ifndef BAREPROF_TOOLS_ALIKE_H
#define BAREPROF_TOOLS_ALIKE_H

#include "../base/bytes.h"

/* A function, as hashes: its name, its source file, where its regions and
 * branches are. */
struct trait {
  uint64_t name, file, shape;
};

struct traits {
  struct trait *list; /* by name */
  size_t count;
};

/* Reads what `llvm-cov export` says of an ELF. NULL, or what is wrong; in both
 * cases the caller frees *traits, which need not be initialised before. */
const char *traits_read(struct traits *traits, struct bytes json);
void traits_free(struct traits *traits);

/* How many functions of one name are of different files. */
size_t traits_clashes(const struct traits *a, const struct traits *b);

/* How many functions of one name and file are not the same, by #ifdef or by
 * flags of the compiler. */
size_t traits_differ(const struct traits *a, const struct traits *b);

#endif
