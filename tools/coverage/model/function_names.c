/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where an ELF has the names of its functions: in a section that is loaded or,
 * of lean and correlated images, is not; or in its debug information.
 */
#include "model_inside.h"

#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../image/image.h"

enum { SECTION_MOST = 1 << 30 };

const char *evaluate_names(const struct elf *elf, struct names *names) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  unsigned char *memory = NULL;
  struct buffer made = {.limit = SECTION_MOST};
  const char *error = NULL;
  bool lost;
  *names = (struct names){.text.limit = 0};
  if ((elf_find_section(elf, "__llvm_prf_names", &section) && section.size) ||
      elf_find_section(elf, "__llvm_covnames", &section))
    error = elf_contents(elf, &section, SECTION_MOST, &bytes, &memory);
  else
    error = image_names(elf, &made, &lost);
  if (made.size)
    bytes = (struct bytes){made.data, made.size};
  if (!error)
    error = names_read(names, bytes);
  free(memory);
  buffer_free(&made);
  return error;
}
