/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage mapping without what is excluded. llvm-cov gets a copy of the
 * ELF with it, so that all of its output agrees.
 */
#ifndef BAREPROF_TOOLS_CUT_H
#define BAREPROF_TOOLS_CUT_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "exclusions.h"

/* A name of a function, to find by its hash. */
struct cut_name {
  uint64_t hash; /* MD5, low 64 bits */
  const char *name;
};

struct cut_names {
  struct cut_name *list; /* by hash */
  size_t count;
};

/* Finds the functions of an ELF that are excluded, and adds their lines to the
 * set. Returns NULL or the error. */
const char *cut_functions(struct exclusions *set, const struct elf *elf,
                          const struct cut_names *names);

/* Makes the section __llvm_covfun without what is excluded; empty if that is
 * all. Counts the uses of decisions' exclusions. Returns NULL or the error. */
const char *cut_mapping(struct exclusions *set, const struct elf *elf,
                        struct buffer *section);

#endif
