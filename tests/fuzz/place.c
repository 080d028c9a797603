/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects whose counters are placed. The input edits an object of counters, a
 * record, its relocations and symbols: each group of 3 bytes is a place and the
 * byte there. What must hold: unedited input gives an object, in which a second
 * pass finds nothing; all other input gives an object or an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/steps.h"
#include "base/buffer.h"
#include "drafted.h"
#include "input.h"

enum { ROOM = 1 << 13, RECORD = 48, SYMBOLS = 3, HEADER = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An object of Arm or RISC-V, whose section 3 relocates section 2. */
static void make(struct buffer *file, unsigned machine) {
  static const unsigned char record[RECORD], zeros[16];
  static const unsigned char rel[8] = {16, 0, 0, 0, 3, 1},
                             rela[24] = {16, 0, 0, 0, 35, 1, 0, 0, 0, 0, 0, 0,
                                         16, 0, 0, 0, 39, 2, 0, 0, 0, 0, 0, 0};
  bool arm = machine == ELF_ARM;
  const struct elf_section sections[] = {
      {.name = "__llvm_prf_cnts",
       .type = 1,
       .flags = 3,
       .size = 16,
       .align = 8,
       .bytes = zeros},
      {.name = "__llvm_prf_data",
       .type = 1,
       .flags = 3,
       .size = RECORD,
       .align = 8,
       .bytes = record},
      {.name = ".rel__llvm_prf_data",
       .type = arm ? 9 : 4,
       .size = arm ? sizeof rel : sizeof rela,
       .align = 4,
       .bytes = arm ? rel : rela},
      {.name = ".init_array.0",
       .type = 14,
       .flags = 3,
       .size = 4,
       .align = 4,
       .bytes = zeros}};
  const struct elf_symbol symbols[SYMBOLS] = {
      {.name = "__profc_f", .section = 1},
      {.name = "__profd_f", .section = 2},
      {.name = "__llvm_profile_runtime", .binding = 1}};
  const struct elf_draft draft = {.type = ELF_REL,
                                  .machine = (uint16_t)machine,
                                  .sections = sections,
                                  .section_count = 4,
                                  .symbols = symbols,
                                  .symbol_count = SYMBOLS};
  drafted_append(file, &draft);
  /* The writer leaves info out. */
  size_t headers = load32(file->data + 32, false);
  file->data[headers + 3 * HEADER + 28] = 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct buffer file = {.limit = ROOM};
  struct placed_sizes place = {.traces = size % 2};
  if (!size)
    return 0;
  make(&file, *data & 1 ? ELF_ARM : ELF_RISCV);
  for (size_t i = 1; i + 3 <= size; i += 3)
    file.data[(data[i] | data[i + 1] << 8) % file.size] = data[i + 2];
  const char *error = place_object(&place, &file);
  must(size > 3 || (!error && place.counters == 16), "what is right is placed");
  if (!error && place.counters) {
    must(size > 3 || place_is_elf_object((struct bytes){file.data, file.size}),
         "it is an object still");
    size_t before = file.size;
    error = place_object(&place, &file);
    must(size > 3 || (!error && !place.counters), "nothing is left to place");
    must(error || file.size >= before, "nothing is cut");
  }
  buffer_free(&file);
  return 0;
}
