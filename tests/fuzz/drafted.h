/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the ELF of a draft to a buffer, for targets that make their own
 * images.
 */
#ifndef DRAFTED_H
#define DRAFTED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "input.h"
#include "object/elf_write.h"

/* Appends the ELF to the file. */
static inline void drafted_append(struct buffer *file,
                                  const struct elf_draft *draft) {
  char *bytes = NULL;
  size_t length;
  FILE *out = open_memstream(&bytes, &length);
  must(!elf_write(draft, out), "the ELF is written");
  fclose(out);
  must(!buffer_append_bytes(file, bytes, length), "there is room");
  free(bytes);
}

#endif
