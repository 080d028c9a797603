/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/unwind. The input is a .debug_frame or .eh_frame,
 * or makes one: a shared entry, functions, and their instructions, with the
 * right sizes. Each row names registers that exist. A section whose header has
 * no byte of the input is read.
 */
#include "input.h"
#include "unwind.h"

enum { ROOM = 4096, BEGIN = 0x1000, SIZE = 0x40 };

static unsigned char made[ROOM];
static size_t size;

static void put(uint64_t value, unsigned bytes, bool big) {
  for (unsigned i = 0; i < bytes && size < ROOM; i++)
    made[size++] = (unsigned char)(value >> 8 * (big ? bytes - 1 - i : i));
}

static void put_size(size_t begin, bool big) {
  size_t end = size;
  while (size % 4)
    put(0, 1, big);
  end = size;
  size = begin;
  put(end - begin - 4, 4, big);
  size = end;
}

/* Instructions: known ones, or bytes of the input. */
static void put_code(struct input *input, bool big) {
  for (unsigned count = take(input) % 12; count; count--) {
    unsigned kind = take(input) % 4;
    if (kind == 0)
      put(0x40 | take(input) % 8, 1, big);
    else if (kind == 1)
      put(0x80 | take(input) % 64, 1, big);
    else
      put(take(input) % 0x18, 1, big);
    if (kind)
      put(take(input) % 0x90, 1, big);
  }
}

static void make(struct input *input, bool eh, bool wide, bool big) {
  size_t begin = size;
  put(0, 4, big);
  put(eh ? 0 : UINT32_MAX, 4, big);
  put(eh ? 1 : 4, 1, big);
  if (eh)
    put('z' | 'R' << 8, 3, false);
  else
    put(0 | (wide ? 8u : 4u) << 8, 3, false);
  put(1, 1, big);    /* of code */
  put(0x7C, 1, big); /* of data: -4 */
  put(take(input) % 34, 1, big);
  if (eh)
    put(0x1B01, 2, false);
  put(0x0D | 0x0C, 1, big); /* the frame's address */
  put(13, 1, big);
  put(0, 1, big);
  put_size(begin, big);
  for (unsigned i = 0; i < 3; i++) {
    size_t function = size;
    put(0, 4, big);
    put(eh ? size - begin : begin, 4, big);
    put(eh ? BEGIN + i * SIZE - size : BEGIN + i * SIZE, eh || !wide ? 4 : 8,
        big);
    put(SIZE, eh || !wide ? 4 : 8, big);
    if (eh)
      put(0, 1, big);
    put_code(input, big);
    put_size(function, big);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  struct input input = {bytes, bytes + count};
  unsigned how = take(&input);
  bool eh = how & 1, wide = how >> 1 & 1, big = how >> 2 & 1;
  const struct elf elf = {.wide = wide, .big = big};
  struct unwind_tables unwind = {.elf = &elf};
  size = 0;
  if (how >> 3 & 1)
    while (more(&input) && size < ROOM)
      put(take(&input), 1, big);
  else
    make(&input, eh, wide, big);
  for (unsigned edits = how >> 4; edits && size && how >> 3 & 1; edits--)
    edit_byte(&input, &made[take_number(&input, 2) % size], take(&input));
  unwind.frames[eh] = (struct bytes){made, size};
  for (uint64_t at = BEGIN; at < BEGIN + 3 * SIZE; at += 2) {
    struct unwind_row row;
    if (!unwind_find_row(&unwind, at, &row))
      continue;
    must(row.base < UNWIND_REGISTERS && row.returns < UNWIND_REGISTERS,
         "the row names registers");
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
      must(row.rules[i].how != UNWIND_REGISTER ||
               (uint64_t)row.rules[i].number < UNWIND_REGISTERS,
           "so does each rule");
  }
  return 0;
}
