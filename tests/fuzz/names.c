/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/names. The input is a section of names; or it says
 * what objects have which names, stored or packed by zlib, and what is then
 * edited. An accepted section gives a table of names, which are all found by
 * their MD5, in its order; from unedited input, the table has exactly the names
 * of the objects.
 */
#include <string.h>
#include <zlib.h>

#include "input.h"
#include "digest.h"
#include "names.h"

enum { MOST = 4096, CHUNK = 300 };

static unsigned char section[2 * MOST];
static size_t section_size;
static unsigned name_count;
static uint64_t last_reference;

static void put_leb(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    section[section_size++] = (unsigned char)(value | 0x80);
  section[section_size++] = (unsigned char)value;
}

/* The names of an object: the letters of each are taken from the input. */
static void put_chunk(struct input *input) {
  unsigned char text[CHUNK], packed[CHUNK + 100];
  unsigned how = take(input), count = 1 + take(input) % 4;
  size_t size = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned length = 1 + take(input) % 60;
    if (i)
      text[size++] = 1;
    unsigned letter = 32 + take(input) % 64;
    memset(text + size, (int)letter, length);
    text[size] = (unsigned char)(2 + take(input) % 250);
    last_reference = md5_low64(text + size, length);
    size += length;
  }
  name_count += count;
  uLongf packed_size = sizeof packed;
  compress2(packed, &packed_size, text, size, (int)(how / 2 % 10));
  put_leb(size);
  put_leb(how & 1 ? packed_size : 0);
  const unsigned char *from = how & 1 ? packed : text;
  if (!(how & 1))
    packed_size = size;
  memcpy(section + section_size, from, packed_size);
  section_size += packed_size + how / 32;
}

static void edit(struct input *input) {
  while (more(input)) {
    unsigned what = take(input) % 4;
    size_t at = take_number(input, 2) % section_size;
    if (what == 0)
      section[at] ^= take(input);
    else if (what == 1)
      section[at % 4] += take_step(input);
    else if (what == 2)
      section[at] = 0;
    else
      section_size = at + 1;
  }
}

/* Returns whether all is as it was put together. */
static bool compose(struct input *input) {
  memset(section, 0, sizeof section);
  section_size = name_count = 0;
  unsigned chunks = 1 + take(input) % 4;
  for (unsigned i = 0; i < chunks; i++)
    put_chunk(input);
  bool whole = !more(input);
  edit(input);
  return whole;
}

static void check(const struct name_table *names) {
  uint64_t before = 0;
  for (size_t i = 0; i < names_count(names); i++) {
    const char *name = names_at(names, i);
    uint64_t reference = md5_low64(name, strlen(name));
    const char *found = names_find(names, reference);
    must(*name, "no name is empty");
    must(reference >= before, "names are in order");
    must(found && !strcmp(found, name), "a name is found");
    before = reference;
  }
  must(!names_find(names, before + 1) || before == UINT64_MAX,
       "nothing else is found");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + (size < MOST ? size : MOST)};
  bool whole = false;
  if (take(&input) % 4) {
    whole = compose(&input);
  } else {
    section_size = (size_t)(input.end - input.at);
    if (section_size)
      memcpy(section, input.at, section_size);
  }
  /* Of its very size, for the sanitizer. */
  unsigned char *block = malloc(section_size + !section_size);
  memcpy(block, section, section_size);
  struct name_table names;
  const char *error = names_read(&names, (struct bytes){block, section_size});
  free(block);
  must(!whole || !error, "what compilers leave is accepted");
  if (!error)
    check(&names);
  if (whole)
    must(names_count(&names) == name_count &&
             names_find(&names, last_reference),
         "all names are there");
  names_free(&names);
  return 0;
}
