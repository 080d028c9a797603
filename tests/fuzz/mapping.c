/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the coverage mapping, what is found in it, and what is cut out
 * of it. The input is the names of the files and the functions' records, whose
 * headers are made to fit; then it edits the sections. Names of Windows are
 * replaced.
 */
#include <string.h>

#include "bytes.h"
#include "cut.h"
#include "elf_write.h"
#include "input.h"
#include "mapping.h"
#include "md5.h"
#include "misjudged.h"
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
  static const char here[] = "\2\7\0\2/d\3a.c";
  static const char windows[] = "\2\11\0\4c:\\d\3a.c";
  unsigned choice = take(input) % 4;
  bool chosen = choice != 0;
  const char *plain = choice == 1 ? windows : here;
  unsigned count = chosen ? (unsigned)strlen(plain + 3) + 3 : take(input) % 64;
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

/* A region that a compiler could write. */
static size_t make_region(struct input *input, unsigned char *to,
                          unsigned file) {
  unsigned kind = take(input) % REGION_KINDS, column = 1 + take(input) % 20;
  unsigned lines = take(input) % 6;
  size_t at = 0;
  if (kind == REGION_EXPANSION && file)
    kind = REGION_CODE;
  if (kind == REGION_CODE || kind == REGION_GAP)
    to[at++] = (unsigned char)(take(input) % 4 << 2 | COUNTER_PLAIN);
  else
    to[at++] =
        (unsigned char)(kind == REGION_EXPANSION ? 1 << 3 | 4 : kind << 3);
  for (unsigned i = kind == REGION_BRANCH || kind == REGION_MCDC_BRANCH ? 2 : 0;
       i; i--)
    to[at++] = (unsigned char)(take(input) % 4 << 2 | COUNTER_PLAIN);
  for (unsigned i = kind == REGION_DECISION      ? 2
                    : kind == REGION_MCDC_BRANCH ? 3
                                                 : 0;
       i; i--)
    to[at++] = (unsigned char)i;
  to[at++] = (unsigned char)(take(input) % 3);
  to[at++] = (unsigned char)column;
  to[at++] = (unsigned char)lines;
  to[at++] = (unsigned char)(column + take(input) % 20);
  if (kind == REGION_GAP) {
    to[at - 1] |= 0x80;
    memcpy(to + at, "\x80\x80\x80\x08", 4);
    at += 4;
  }
  return at;
}

/* A function whose second file is a macro's. */
static void put_made(struct input *input, uint64_t reference) {
  unsigned char data[512] = {2, 1, 1, 0};
  size_t count = 4;
  for (unsigned file = 0; file < 2; file++) {
    unsigned regions = 1 + take(input) % 10;
    data[count++] = (unsigned char)(regions + !file);
    /* All of the function. */
    if (!file) {
      memcpy(data + count, "\1\1\1\x20\2", 5);
      count += 5;
    }
    for (; regions; regions--)
      count += make_region(input, data + count, file);
  }
  put(take(input), 8);
  put(count, 4);
  put(take(input), 8);
  put(reference, 8);
  for (size_t i = 0; i < count; i++)
    put(data[i], 1);
  align();
}

static void put_function(struct input *input, uint64_t reference) {
  if (take(input) % 2) {
    put_made(input, reference);
    return;
  }
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

/* ---- exclusions ---- */

/* Lines of /d/a.c, and perhaps a decision. */
static void exclude(struct exclusions *set, struct input *input) {
  must(!exclusions_add_source(set, "/d/a.c", "/d/a.c"), "a source is added");
  for (unsigned count = 1 + take(input) % 3; count; count--) {
    uint32_t first = 1 + take(input) % 64;
    must(exclusions_add_lines(&set->sources[0], first, first + take(input) % 8,
                              0),
         "lines are added");
  }
  struct excluded_range *last =
      &set->sources[0].ranges[set->sources[0].range_count - 1];
  last->kind = (enum exclusion_kind)(take(input) % 4);
  must(!exclusions_settle(set), "the set is settled");
}

/* What is left has no code in excluded lines. */
static void check_function(const struct exclusions *set,
                           const struct mapping *mapping) {
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    char *name = NULL;
    must(!i || region[-1].file < region->file ||
             region[-1].begin.line <= region->begin.line,
         "regions are in order");
    must(place_order(region->begin) <= place_order(region->end) ||
             region->begin.line == region->end.line,
         "a region ends behind its begin");
    if (region->kind == REGION_CODE &&
        !mapping_file(mapping, region->file, &name) &&
        strcmp(name, "/d/a.c") == 0)
      must(!exclusions_span(&set->sources[0], false, region->begin.line),
           "no code begins in excluded lines");
    free(name);
  }
}

static void check_cut(const struct elf *elf, struct input *input) {
  struct exclusions set = {.name = NULL};
  struct buffer section = {.limit = 0}, copy = {.limit = 1 << 20};
  struct mapping mapping;
  struct cut_name name = {take(input), "main"};
  const struct cut_names names = {&name, 1};
  must(!exclusions_begin(&set), "a set begins");
  struct exclusion one = {.kind = EXCLUDED_LINES, .reason = "", .by = ""};
  set.list = malloc(sizeof one);
  set.list[0] = one;
  set.count = 1;
  exclude(&set, input);
  const char *error = cut_functions(&set, elf, &names);
  if (!error)
    error = exclusions_settle(&set);
  if (!error)
    error = cut_mapping(&set, elf, &section);
  must(!error || *error, "an error says something");
  const struct elf_addition addition = {"__llvm_covfun",
                                        {section.data, section.size}};
  if (!error)
    error = buffer_append(&copy, elf->file.data, elf->file.size);
  if (!error && section.size && !elf_append(&copy, &addition, 1)) {
    struct elf again;
    must(!elf_open(&again, (struct bytes){copy.data, copy.size}),
         "the copy is an ELF");
    error = mapping_open(&mapping, &again);
    while (!error && mapping_next(&mapping, &error))
      check_function(&set, &mapping);
    mapping_close(&mapping);
    must(!error, "the copy is read");
  }
  buffer_free(&section);
  buffer_free(&copy);
  exclusions_free(&set);
}

/* ---- names of Windows ---- */

/* Whether a file is the compiler's folder, the first name: no compiler writes
 * that, and no name is in a folder any more. */
static bool is_folder(const struct mapping *mapping, uint32_t file) {
  uint64_t number;
  memcpy(&number, mapping->files.data + file * sizeof number, sizeof number);
  return number == 0;
}

/* Functions keep their files, by the same names. */
static void check_renamed(struct mapping *before, struct mapping *after) {
  const char *error = NULL;
  while (mapping_next(before, &error)) {
    must(mapping_next(after, &error), "the copy has all functions");
    must(before->file_count == after->file_count, "which have all files");
    for (uint32_t i = 0; i < before->file_count; i++) {
      char *name = NULL, *other = NULL;
      error = mapping_file(before, i, &name);
      must(error == mapping_file(after, i, &other), "the same files are right");
      must(error || is_folder(before, i) || strcmp(name, other) == 0,
           "names are the same");
      free(name);
      free(other);
    }
    error = NULL;
  }
}

static void check_rename(const struct elf *elf) {
  struct buffer names = {.limit = 1 << 20}, records = {.limit = 1 << 20};
  struct buffer copy = {.limit = 1 << 20};
  struct mapping mapping, renamed;
  struct elf again;
  const char *error = mapping_open(&mapping, elf);
  if (!error)
    error = mapping_rename(&mapping, &names, &records);
  must(!error || *error, "an error says something");
  const struct elf_addition additions[] = {
      {"__llvm_covmap", {names.data, names.size}},
      {"__llvm_covfun", {records.data, records.size}}};
  if (!error)
    error = buffer_append(&copy, elf->file.data, elf->file.size);
  if (!error && names.size && !elf_append(&copy, additions, 2)) {
    must(!elf_open(&again, (struct bytes){copy.data, copy.size}),
         "the copy is an ELF");
    must(!mapping_open(&renamed, &again), "its mapping is opened");
    check_renamed(&mapping, &renamed);
    mapping_close(&renamed);
  }
  mapping_close(&mapping);
  buffer_free(&names);
  buffer_free(&records);
  buffer_free(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + count};
  struct buffer list = {.limit = 0};
  struct elf elf;
  make(&input);
  unsigned char *block = malloc(size);
  memcpy(block, file, size);
  must(!elf_open(&elf, (struct bytes){block, size}), "the ELF is opened");
  const struct paths paths = {0};
  const char *error = unmeasured_read(&list, &elf);
  if (!error)
    misjudged_read(&list, "elf", &elf, &paths);
  must(!error || *error, "an error says something");
  check_rename(&elf);
  unmeasured_settle(&list);
  const struct unmeasured *all = unmeasured_list(&list);
  for (size_t i = 1; i < unmeasured_count(&list); i++)
    must(strcmp(all[i - 1].file, all[i].file) < 0 ||
             all[i - 1].begin.line <= all[i].begin.line,
         "decisions are in order");
  unmeasured_free(&list);
  check_cut(&elf, &input);
  free(block);
  return 0;
}
