/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A large program that nobody compiled: 32 bits, little-endian, raw version
 * 10, as -profile-correlate=binary leaves it, which llvm-profdata can join as
 * well:
 *   large FOLDER FUNCTIONS MEGABYTES
 * writes large.elf, counters (bare), large.profraw (a header and them, for
 * llvm-profdata merge --binary-file), and prints the bytes of all sections
 * that are of use: the profile, and what tells of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "digest.h"

static const struct target target = {10, 4, 0};
enum { COUNTERS_AT = 0x20000000, NAME_SIZE = 40 };

struct program {
  unsigned functions;
  size_t counter_count;
  unsigned char *records, *counters, *names;
  size_t names_size;
  struct made_symbol *symbols;
  char (*text)[NAME_SIZE]; /* of the functions' names */
};

static void *allocate(size_t size) {
  void *memory = calloc(1, size);
  if (!memory)
    exit(1);
  return memory;
}

/* Each has 1 to 7 counters. */
static unsigned counters_of(unsigned function) { return 1 + function % 7; }

static void put(unsigned char *record, enum record_field field,
                uint64_t value) {
  store(&target, record + record_offset(&target, field),
        record_width(&target, field), value);
}

static void add_function(struct program *program, unsigned i) {
  size_t record_size = record_offset(&target, R_FIELDS);
  unsigned char *record = program->records + i * record_size;
  char *name = program->text[i];
  int length = snprintf(name, NAME_SIZE, "module_%u_function_%u", i / 40, i);
  put(record, R_NAME_REF, md5_low64(name, (size_t)length));
  put(record, R_FUNC_HASH, function_hash(i));
  put(record, R_COUNTER_PTR, COUNTERS_AT + program->counter_count * 8);
  put(record, R_NUM_COUNTERS, counters_of(i));
  for (unsigned j = 0; j < counters_of(i); j++)
    store(&target, program->counters + 8 * program->counter_count++, 8, i + j);
  program->symbols[i] = (struct made_symbol){name, 0x10000 + 16 * i};
  if (i)
    program->names[program->names_size++] = 1;
  memcpy(program->names + program->names_size, name, (size_t)length);
  program->names_size += (size_t)length;
}

/* One chunk that is not compressed: the sizes before it, in 5 bytes and 1. */
static void make_program(struct program *program, unsigned functions) {
  program->functions = functions;
  program->records = allocate(functions * record_offset(&target, R_FIELDS));
  program->counters = allocate(functions * (size_t)7 * 8);
  program->names = allocate(6 + functions * (size_t)NAME_SIZE);
  program->symbols = allocate((functions + 1) * sizeof *program->symbols);
  program->text = allocate(functions * (size_t)NAME_SIZE);
  program->names_size = 6;
  for (unsigned i = 0; i < functions; i++)
    add_function(program, i);
  size_t size = program->names_size - 6;
  for (unsigned i = 0; i < 5; i++)
    program->names[i] =
        (unsigned char)((size >> 7 * i & 0x7F) | (i < 4 ? 0x80 : 0));
}

static void leave(const char *folder, const char *name, const void *head,
                  size_t head_size, const void *bytes, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(head, 1, head_size, file) != head_size ||
      fwrite(bytes, 1, size, file) != size || fclose(file)) {
    perror(path);
    exit(1);
  }
}

/* What fills the ELF up is debug information, as in life. */
static void leave_elf(const struct program *program, const char *folder,
                      size_t megabytes) {
  static const char comment[] = "clang version 22.1.0";
  static unsigned char note[36] = {4, 0, 0, 0, 20,  0,   0,  0,
                                   3, 0, 0, 0, 'G', 'N', 'U'};
  static unsigned char map[16] = {[12] = 6};
  static unsigned char word[8] = {10};
  size_t records = program->functions * record_offset(&target, R_FIELDS);
  size_t counters = program->counter_count * 8, strings = 4 << 20;
  program->symbols[program->functions] =
      (struct made_symbol){"__llvm_profile_raw_version", 0x7800};
  struct made_section sections[] = {
      {".rodata", 1, 2, 0x7800, word, sizeof word},
      {".note.gnu.build-id", 7, 2, 0x7900, note, sizeof note},
      {"__llvm_prf_cnts", 8, 3, COUNTERS_AT, NULL, counters},
      {"__llvm_covdata", 1, 0, 0, program->records, records},
      {"__llvm_covnames", 1, 0, 0, program->names, program->names_size},
      {"__llvm_covmap", 1, 0, 0, map, sizeof map},
      {".comment", 1, 0, 0, comment, sizeof comment},
      {".debug_str", 1, 0, 0, NULL, strings},
      {".debug_info", 1, 0, 0, NULL, 0}};
  struct made_elf made = {&target, sections, 9, program->symbols,
                          program->functions + 1};
  size_t rest = make_elf_room(&made) - counters;
  size_t fill = (megabytes << 20) > rest ? (megabytes << 20) - rest : 0;
  unsigned char *debug = allocate(fill + strings);
  for (size_t i = 0; i < fill + strings; i++)
    debug[i] = (unsigned char)(i * 2654435761u >> 13);
  memcpy(debug, comment, sizeof comment);
  sections[7].bytes = sections[8].bytes = debug;
  sections[8].size = fill;
  unsigned char *elf = allocate(make_elf_room(&made));
  size_t size = make_elf(elf, &made);
  leave(folder, "large.elf", "", 0, elf, size);
  /* All but .debug_info: a witness is looked for in the strings, too. */
  printf("%zu\n", size - fill + counters);
}

static void leave_profile(const struct program *program, const char *folder) {
  unsigned char header[256] = {0};
  size_t counters = program->counter_count * 8;
  store(&target, header, 8, UINT64_C(0xFF6C70726F665281));
  store(&target, header + header_offset(&target, H_VERSION), 8, 10);
  store(&target, header + header_offset(&target, H_NUM_COUNTERS), 8,
        program->counter_count);
  store(&target, header + header_offset(&target, H_VALUE_KIND_LAST), 8, 2);
  leave(folder, "large.profraw", header, header_offset(&target, H_FIELDS),
        program->counters, counters);
  leave(folder, "counters", "", 0, program->counters, counters);
}

int main(int argc, char **argv) {
  struct program program = {0};
  if (argc != 4)
    return 2;
  make_program(&program, (unsigned)atoi(argv[2]));
  leave_elf(&program, argv[1], (size_t)atoi(argv[3]));
  leave_profile(&program, argv[1]);
  return 0;
}
