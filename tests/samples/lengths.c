/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of all code of an ELF: `ADDRESS KIND TARGET` a line, in
 * hexadecimal; KIND is enum instruction_kind, TARGET - if it is not known.
 * A fourth word says that the instruction synchronizes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "code/code.h"

int main(int argc, char **argv) {
  struct file file;
  struct elf elf;
  struct elf_code code;
  if (argc != 2 || file_read(&file, argv[1], (size_t)1 << 30) ||
      elf_open(&elf, file.bytes) || code_open(&code, &elf))
    return 1;
  for (uint64_t i = 0; i < elf.section_count; i++) {
    struct elf_section section = elf_section(&elf, i);
    struct code_walk walk;
    if (!(section.flags & 4) || !section.bytes)
      continue;
    code_walk_begin(&walk, &code, section.address,
                    section.address + section.size);
    while (code_walk_next(&walk)) {
      printf("%" PRIx64 " %d ", walk.address, walk.instruction.kind);
      if (walk.instruction.direct)
        printf("%" PRIx64, walk.instruction.target);
      else
        putchar('-');
      puts(walk.instruction.synchronizes ? " synchronizes" : "");
    }
    if (walk.at < walk.end)
      printf("stopped at %" PRIx64 "\n", walk.at);
  }
  code_close(&code);
  file_close(&file);
  return 0;
}
