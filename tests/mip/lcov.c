/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a reader of lcov's tracefiles, tools/coverage/lcov, finds in one: a line
 * for each function, and the numbers of lines and of those that ran.
 */
#include <inttypes.h>
#include <stdio.h>

#include "file.h"
#include "lcov.h"

int main(int argc, char **argv) {
  struct file file;
  struct lcov lcov;
  unsigned lines = 0, ran = 0;
  if (argc != 2 || file_read(&file, argv[1], 1 << 20))
    return 1;
  const char *error = lcov_read(&lcov, file.bytes);
  for (size_t i = 0; i < lcov.count && !error; i++) {
    const struct lcov_entry *entry = &lcov.entries[i];
    if (entry->kind == LCOV_FUNCTION)
      printf("%s:%u %" PRIu64 "\n", entry->name, entry->line, entry->hits);
    lines += entry->kind == LCOV_LINE;
    ran += entry->kind == LCOV_LINE && entry->hits;
  }
  printf("%s %u %u\n", error ? error : "lines", lines, ran);
  lcov_free(&lcov);
  file_close(&file);
  return error != NULL;
}
