/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conditions that the compiler knows: `while (1)`, `if (LIMIT && x)`. The
 * coverage mapping has no counter for the side that cannot be, and llvm-cov
 * does not count that side. Its export has a count of 0 for it, as for one
 * that never came.
 */
#ifndef BAREPROF_TOOLS_CONSTANTS_H
#define BAREPROF_TOOLS_CONSTANTS_H

#include "../base/map.h"
#include "../object/mapping.h"
#include "exported.h"

/* Begins as {0}. */
struct constants {
  struct map sides;
};

/* Adds the constants of an ELF. Returns NULL or the error. An ELF of clang 17
 * or before adds nothing. */
const char *constants_read(struct constants *constants, const struct elf *elf);

/* The sides that cannot be: 1 true, 2 false, 3 both, as in a function that is
 * in no object. name: of the file, as an export has it. */
unsigned constants_at(const struct constants *constants, const char *name,
                      const struct span *span);

void constants_free(struct constants *constants);

#endif
