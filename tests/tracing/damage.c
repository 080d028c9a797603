/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * damage ELF TRACE RUNS: changes a trace in RUNS ways (bytes changed, cut out,
 * doubled, swapped; the end lost) and reads it: it is refused, or gives the
 * same counts. Prints how many were refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../damage.h"
#include "base/file.h"
#include "image/trace_counts.h"

enum { LIMIT = 1 << 24 };

/* Returns the new size. */
static size_t damage(unsigned char *to, const struct bytes *from) {
  size_t size = from->size, at = any(size), length = 1 + any(40);
  length = length > size - at ? size - at : length;
  memcpy(to, from->data, size);
  switch (any(5)) {
  case 0:
    to[at] ^= (unsigned char)(1U << any(8));
    return size;
  case 1:
    for (size_t other = any(size); length--; at = (at + 1) % size) {
      unsigned char kept = to[at];
      to[at] = to[other];
      to[other] = kept;
      other = (other + 1) % size;
    }
    return size;
  default:
    return damage_size(to, size, (enum damage)any(3), at, length);
  }
}

int main(int argc, char **argv) {
  struct file image, trace;
  struct elf elf;
  struct trace_counts right, other;
  long refused = 0, wrong = 0, runs = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  if (elf_open_file(&elf, &image, argv[1]) ||
      file_read(&trace, argv[2], LIMIT) ||
      trace_counts_read(&right, &elf, trace.bytes))
    return 1;
  unsigned char *bytes = malloc(2 * trace.bytes.size + 100);
  for (long i = 0; bytes && i < runs; i++) {
    size_t size = damage(bytes, &trace.bytes);
    const char *error =
        trace_counts_read(&other, &elf, (struct bytes){bytes, size});
    refused += error != NULL;
    wrong += !error && (other.lost != right.lost ||
                        memcmp(other.counts, right.counts, right.size) != 0);
    free(other.counts);
  }
  printf("%ld refused, %ld wrong of %ld\n", refused, wrong, runs);
  free(bytes);
  free(right.counts);
  file_close(&trace);
  file_close(&image);
  return wrong || refused < runs / 2;
}
