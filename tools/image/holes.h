/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a dump with gaps lacks, in the user's words, and what the ELF can give
 * back of it.
 */
#ifndef BAREPROF_TOOLS_HOLES_H
#define BAREPROF_TOOLS_HOLES_H

#include "../object/elf.h"
#include "snapshot.h"

/* Fills holes in records, names and the like, which are constant, from the
 * sections of the ELF, if it is of the same build. */
void holes_fill(struct snapshot *snapshot, const struct elf *elf);

/* Lists the holes on standard error: which elements, and, with an ELF of the
 * same build, of which functions. elf may be NULL. */
void holes_list(const struct snapshot *snapshot, const char *elf_name,
                const struct elf *elf);

#endif
