/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints FILE:LINE:COLUMN of each decision of an ELF that MC/DC leaves out.
 */
#include <stdio.h>

#include "error.h"
#include "file.h"
#include "coverage/mcdc/mcdc.h"

int main(int argc, char **argv) {
  struct buffer list = {.limit = 0};
  struct file file;
  struct elf elf;
  if (argc != 2 || file_map(&file, argv[1], 1 << 30))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  if (!error)
    error = unmeasured_append_elf(&list, &elf, NULL);
  if (error)
    return report(argv[1], "%s", error);
  unmeasured_merge(&list);
  for (size_t i = 0; i < unmeasured_count(&list); i++) {
    const struct unmeasured_decision *one = &unmeasured_list(&list)[i];
    printf("%s:%u:%u\n", one->file, one->begin.line, one->begin.column);
  }
  unmeasured_free(&list);
  file_close(&file);
  return 0;
}
