/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each halfword of an ELF's code, or each word of Arm's A32, decoded as one
 * instruction: `ADDRESS WHAT` a line, in hexadecimal. WHAT is "unknown", or
 * words: branch, call, returns, stores, loads, saves and restores (the link
 * register).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "code/code.h"

int main(int argc, char **argv) {
  static const char *const kinds[] = {"plain", "branch", "call"};
  static const char *const uses[] = {"", " stores", " loads"};
  static const char *const links[] = {"", " saves", " restores"};
  struct file file;
  struct elf elf;
  struct elf_code code;
  struct elf_section text;
  if (argc != 2 || file_read(&file, argv[1], (size_t)1 << 30) ||
      elf_open(&elf, file.bytes) || code_open(&code, &elf) ||
      !elf_find_section(&elf, ".text", &text))
    return 1;
  size_t unit = elf.machine == ELF_ARM ? 4 : 2;
  for (uint64_t i = 0; i + unit <= text.size; i += unit) {
    struct instruction one;
    struct bytes half = {text.bytes + i, unit};
    printf("%" PRIx64 " ", text.address + i);
    if (!instruction_decode(&one, &code.set, half, text.address + i))
      puts("unknown");
    else
      printf("%s%s%s%s\n", kinds[one.kind], one.returns ? " returns" : "",
             uses[one.memory], links[one.link]);
  }
  code_close(&code);
  file_close(&file);
  return 0;
}
