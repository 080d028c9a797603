/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Apart from elf.c, which reads memory only.
 */
#include "../base/error.h"
#include "../base/file.h"
#include "elf.h"

int elf_map(struct elf *elf, struct file *file, const char *name) {
  if (file_map(file, name, (size_t)1 << 30))
    return 1;
  const char *error = elf_open(elf, file->bytes);
  if (!error)
    return 0;
  file_close(file);
  return report(name, "%s", error);
}
