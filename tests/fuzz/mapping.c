/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the coverage mapping, and what is found in it. The input is the
 * names of the files and the functions' records, whose headers are made to fit;
 * then it edits the sections.
 */
#include <string.h>

#include "bytes.h"
#include "input.h"
#include "md5.h"
#include "unmeasured.h"

enum { ROOM = 4096, HEADERS = 64 + 4 * 64 };

static unsigned char file[ROOM];
static size_t size;

static void put(uint64_t value, unsigned bytes) {
  store_number(file + size, value, bytes, false);
  size += bytes;
}

static void put_input(struct input *input, unsigned count) {
  for (; count; count--)
    put(take(input), 1);
}

static void align(void) {
  while (size % 8)
    put(0, 1);
}

static uint64_t put_names(struct input *input) {
  static const char plain[] = "\2\7\0\2/d\3a.c";
  bool chosen = take(input) % 4;
  unsigned count = chosen ? sizeof plain - 1 : take(input) % 64;
  put(0, 4);
  put(count, 4);
  put(0, 4);
  put(take(input) % 8 ? 6 : 5, 4);
  size_t at = size;
  if (chosen)
    for (unsigned i = 0; i < count; i++)
      put((unsigned char)plain[i], 1);
  else
    put_input(input, count);
  uint64_t reference = md5_low64(file + at, count);
  align();
  return reference;
}

static void put_function(struct input *input, uint64_t reference) {
  unsigned count = take(input) % 200;
  put(take(input), 8);
  put(count, 4);
  put(take(input), 8);
  put(reference, 8);
  put_input(input, count);
  align();
}

static void put_section(unsigned name, unsigned type, size_t from, size_t to) {
  put(name, 4);
  put(type, 4);
  put(0, 8);
  put(0, 8);
  put(from, 8);
  put(to - from, 8);
  put(0, 8);
  put(8, 8);
  put(0, 8);
}

static void make(struct input *input) {
  static const char names[] = "\0__llvm_covmap\0__llvm_covfun\0.s";
  size = HEADERS;
  memcpy(file + size, names, sizeof names);
  size_t at = size;
  size += sizeof names;
  align();
  size_t map = size;
  uint64_t reference = put_names(input);
  size_t functions = size;
  for (unsigned count = 1 + take(input) % 3; count; count--)
    put_function(input, reference);
  size_t end = size;
  for (unsigned count = take(input) % 4; count; count--) {
    size_t where = map + take_number(input, 2) % (end - map);
    file[where] = (unsigned char)take(input);
  }
  static const unsigned char header[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  memset(file, 0, HEADERS);
  memcpy(file, header, sizeof header);
  store16(file + 16, 2, false);
  store16(file + 18, 183, false);
  store32(file + 20, 1, false);
  store64(file + 40, 64, false);
  store16(file + 52, 64, false);
  store16(file + 58, 64, false);
  store16(file + 60, 4, false);
  store16(file + 62, 1, false);
  size = 64 + 64;
  put_section(29, 3, at, at + sizeof names);
  put_section(1, 1, map, functions);
  put_section(15, 1, functions, end);
  size = end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + count};
  struct buffer list = {.limit = 0};
  struct elf elf;
  make(&input);
  unsigned char *block = malloc(size);
  memcpy(block, file, size);
  must(!elf_open(&elf, (struct bytes){block, size}), "the ELF is opened");
  const char *error = unmeasured_read(&list, &elf);
  must(!error || *error, "an error says something");
  unmeasured_settle(&list);
  const struct unmeasured *all = unmeasured_list(&list);
  for (size_t i = 1; i < unmeasured_count(&list); i++)
    must(strcmp(all[i - 1].file, all[i].file) < 0 ||
             all[i - 1].begin.line <= all[i].begin.line,
         "decisions are in order");
  unmeasured_free(&list);
  free(block);
  return 0;
}
