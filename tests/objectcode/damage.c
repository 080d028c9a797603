/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * damage ELF TRACE RUNS [FORM]: changes a trace in RUNS ways and gives every
 * second one a right sum. The reader refuses it, or no function has more
 * instructions that ran than instructions. Without a right sum the reader may
 * take only the same trace. Of a list of a form, which has no sum, only the
 * numbers must fit. Prints how many traces it refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../damage.h"
#include "base/file.h"
#include "objectcode/objectcode.h"
#include "wire_coder.h"

enum { LIMIT = 1 << 24 };

/* Returns the new size. */
static size_t damage(unsigned char *to, const struct bytes *from) {
  static const char letters[] = "0123456789abcdef ieov\n";
  size_t size = from->size, at = any(size), length = 1 + any(40);
  length = length > size - at ? size - at : length;
  memcpy(to, from->data, size);
  if (any(4))
    return damage_size(to, size, (enum damage)any(3), at, length);
  to[at] = (unsigned char)letters[any(sizeof letters - 1)];
  return size;
}

/* A last line with the sum of what is before. */
static size_t sum_up(unsigned char *bytes, size_t size) {
  while (size && bytes[size - 1] != '\n')
    size--;
  size_t at = size ? size - 1 : 0;
  while (at && bytes[at - 1] != '\n')
    at--;
  if (size - at > 4 && memcmp(bytes + at, "end ", 4) == 0)
    size = at;
  return size + (size_t)sprintf((char *)bytes + size, "end %" PRIx32 "\n",
                                bareprof_crc32(0, bytes, size));
}

static bool sane(const struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->known && !of->functions[one->symbol].refused &&
        one->outcomes[GOES] + one->outcomes[FALLS_THROUGH] != one->count)
      return false;
  }
  for (size_t i = 0; i < of->function_count; i++) {
    const struct instruction_sums *one = &of->functions[i].sums;
    if (one->ran > one->count || one->both + one->unknown > one->branches)
      return false;
  }
  return true;
}

/* Returns whether the trace, or a list of that form, is refused. */
static const char *read_one(struct objectcode *of, struct bytes file,
                            int form) {
  const struct trace_options how = {.least = false};
  const char *error = form < 0 ? objectcode_add_trace(of, file)
                               : objectcode_add_pcs(of, file, form, &how);
  if (!error)
    objectcode_compute_outcomes(of);
  return error;
}

int main(int argc, char **argv) {
  struct file image, trace;
  struct elf elf;
  long refused = 0, wrong = 0, runs = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  if (elf_open_file(&elf, &image, argv[1]) || file_read(&trace, argv[2], LIMIT))
    return 1;
  int form = argc > 4 ? 0 : -1;
  while (form >= 0 && strcmp(pc_forms[form], argv[4]) != 0)
    form++;
  unsigned char *bytes = malloc(2 * trace.bytes.size + 200);
  for (long i = 0; bytes && i < runs; i++) {
    struct objectcode of;
    size_t size = damage(bytes, &trace.bytes);
    if (i & 1 && form < 0)
      size = sum_up(bytes, size);
    bool same =
        size == trace.bytes.size && memcmp(bytes, trace.bytes.data, size) == 0;
    const char *error = objectcode_open(&of, &elf);
    if (error)
      return 1;
    error = read_one(&of, (struct bytes){bytes, size}, form);
    refused += error != NULL;
    wrong += !error && (!sane(&of) || (form < 0 && !(i & 1) && !same));
    objectcode_close(&of);
  }
  printf("%ld refused, %ld wrong of %ld\n", refused, wrong, runs);
  free(bytes);
  file_close(&trace);
  file_close(&image);
  return wrong || (form < 0 && refused < runs / 3);
}
