/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds sections that are not loaded to a linked ELF. What is in the file stays
 * where it is, with one exception, the numbers in its header that say where
 * the section headers are: those go to the end, with the names and the new
 * contents. So cutting the file back to its size and putting the header back
 * undoes it.
 */
#ifndef BASE_ELF_APPEND_H
#define BASE_ELF_APPEND_H

#include "../base/buffer.h"
#include "elf.h"

struct elf_addition {
  const char *name;
  struct bytes contents;
};

/* A section of an addition's name that is not loaded becomes the addition; all
 * are placed at multiples of 8. The file moves in memory. NULL, or what is
 * wrong: then the file is of no use any more. */
const char *elf_append(struct buffer *file, const struct elf_addition *list,
                       size_t count);

#endif
