/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/arm_unwind. The input is the words of an exception
 * index, of which some point to the words of a table, and the table. All of
 * the index is before the table in an ELF of two sections, whose last byte is
 * the last byte of the memory.
 */
#include <string.h>

#include "input.h"
#include "base/bytes.h"
#include "unwind.h"

enum { HEAD = 52, SECTION = 40, FUNCTIONS = 4, TABLE = 64, FUNCTION = 0x100 };
enum { INDEX_AT = 0x8000, TABLE_AT = 0x9000, CODE = 0x1000 };

static void put_section(unsigned char *header, uint32_t type, uint32_t address,
                        size_t offset, size_t size, bool big) {
  store32(header + 4, type, big);
  store32(header + 8, ELF_ALLOC, big);
  store32(header + 12, address, big);
  store32(header + 16, (uint32_t)offset, big);
  store32(header + 20, (uint32_t)size, big);
}

/* The bytes of a word in the order in which a reader takes opcodes. */
static void put_word(struct input *input, unsigned char *to, uint32_t at,
                     bool big) {
  unsigned how = take(input) % 4;
  uint32_t word = (uint32_t)take_number(input, 4);
  if (how == 1)
    word = 0x80000000u | (word & 0x03FFFFFF);
  else if (how == 2)
    word = (TABLE_AT + (word & 0x7C) - at) & 0x7FFFFFFF;
  store32(to, word, big);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  struct input input = {bytes, bytes + count};
  bool big = take(&input) & 1;
  size_t table = HEAD + 3 * SECTION + 8 * FUNCTIONS;
  size_t size = table + take(&input) % (TABLE + 1);
  unsigned char *file = calloc(size, 1), *index = file + table - 8 * FUNCTIONS;
  memcpy(file,
         "\x7F"
         "ELF\1\1\1",
         7);
  file[5] = big ? 2 : 1;
  store16(file + 16, 2, big);
  store16(file + 18, ELF_ARM, big);
  store32(file + 32, HEAD, big);
  store16(file + 46, SECTION, big);
  store16(file + 48, 3, big);
  put_section(file + HEAD + SECTION, 0x70000001, INDEX_AT, HEAD + 3 * SECTION,
              8 * FUNCTIONS, big);
  put_section(file + HEAD + 2 * SECTION, 1, TABLE_AT, table, size - table, big);
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    uint32_t from = CODE + i * FUNCTION;
    if (take(&input) % 8 == 0)
      from = (uint32_t)take_number(&input, 4);
    store32(index + 8 * i, (from - (INDEX_AT + 8 * i)) & 0x7FFFFFFF, big);
    put_word(&input, index + 8 * i + 4, INDEX_AT + 8 * i + 4, big);
  }
  for (size_t at = table; at + 4 <= size; at += 4)
    put_word(&input, file + at, 0, big);
  struct elf elf;
  struct unwind_tables unwind = {.elf = &elf};
  must(!elf_open(&elf, (struct bytes){file, size}), "the ELF opens");
  must(!unwind_open(&unwind, &elf), "the tables open");
  must(unwind.index.bytes == index, "the index is found");
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    struct elf_symbol function = {.value = CODE + i * FUNCTION,
                                  .size = FUNCTION};
    struct unwind_row row;
    if (!unwind_find_row_at_call(&unwind, function.value + 8, &function, &row))
      continue;
    must(row.base == 13 || (row.base >= 4 && row.base <= 11),
         "the frame's address is in a register that calls preserve");
    must(row.returns == 14, "the return address is in LR");
    for (unsigned k = 0; k < UNWIND_REGISTERS; k++)
      must(row.rules[k].how == UNWIND_SAME ||
               (row.rules[k].how == UNWIND_AT && k < 15 && k != 13),
           "registers are preserved or on the stack");
  }
  unwind_close(&unwind);
  free(file);
  return 0;
}
