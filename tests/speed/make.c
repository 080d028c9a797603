/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raw profiles as a large program leaves them, one for each run:
 *   make FUNCTIONS RUNS PREFIX
 * writes PREFIX-1.profraw and so on: raw version 10, of IR, names as long as
 * those of C++ and packed by zlib, one to eleven counters a function, of which
 * most count little; every fifth function has calls by address and sizes of
 * blocks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "object/digest.h"
#include "format.h"

enum { NAME_MOST = 96, CODE = 0x400000, CODE_STEP = 64 };
static const struct target target = {10, 8, 0};

struct program {
  unsigned functions;
  unsigned char *records, *names;
  size_t records_size, names_size, counters;
};

static uint32_t random_number(uint32_t below) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + 1;
  return (uint32_t)(state >> 33) % below;
}

static void *room(size_t size) {
  void *bytes = calloc(1, size + 1);
  if (!bytes)
    exit(1);
  return bytes;
}

static unsigned counters_of(unsigned function) { return 1 + function * 7 % 11; }
static bool has_values(unsigned function) { return function % 5 == 0; }

static size_t put_uleb128(unsigned char *to, uint64_t value) {
  size_t size = 0;
  for (; value >= 0x80; value >>= 7)
    to[size++] = (unsigned char)(value | 0x80);
  to[size++] = (unsigned char)value;
  return size;
}

static void put_record(struct program *program, unsigned function,
                       const char *name) {
  size_t size = record_offset(&target, R_FIELDS);
  unsigned char *at = program->records + function * size;
  uint64_t sites = has_values(function);
  const struct {
    enum record_field field;
    uint64_t value;
  } fields[] = {
      {R_NAME_REF, md5_low64(name, strlen(name))},
      {R_FUNC_HASH, UINT64_C(0x9E3779B97F4A7C15) * (function + 1) >> 4},
      {R_COUNTER_PTR,
       program->records_size + 8 * program->counters - function * size},
      {R_FUNCTION_PTR, sites ? CODE + CODE_STEP * (uint64_t)function : 0},
      {R_NUM_COUNTERS, counters_of(function)},
      {R_SITES_0, 2 * sites},
      {R_SITES_1, sites}};
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    store(&target, at + record_offset(&target, fields[i].field),
          record_width(&target, fields[i].field), fields[i].value);
  program->counters += counters_of(function);
}

static void make_program(struct program *program) {
  size_t record = record_offset(&target, R_FIELDS), used = 0;
  char *text = room((size_t)program->functions * NAME_MOST);
  program->records_size = program->functions * record;
  program->records = room(program->records_size);
  for (unsigned i = 0; i < program->functions; i++) {
    char *name = text + used + (i != 0);
    if (i)
      text[used] = 1;
    snprintf(name, NAME_MOST,
             "_ZN%uvendor%u9component6module%uE%ufunction%uEiPKc",
             7 + (i % 3 != 0), i % 97, i / 40, 9 + i % 2, i);
    used += (i != 0) + strlen(name);
    put_record(program, i, name);
  }
  uLongf packed = compressBound(used);
  unsigned char *bytes = room(packed);
  if (compress(bytes, &packed, (unsigned char *)text, used) != Z_OK)
    exit(1);
  program->names = room(packed + 32);
  size_t at = put_uleb128(program->names, used);
  at += put_uleb128(program->names + at, packed);
  memcpy(program->names + at, bytes, packed);
  program->names_size = at + packed;
  free(bytes);
  free(text);
}

/* ---- a run ---- */

static void put(FILE *file, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store(&target, bytes, size, value);
  fwrite(bytes, 1, size, file);
}

static void put_header(FILE *file, const struct program *program) {
  uint64_t fields[H_FIELDS] = {[H_MAGIC] = UINT64_C(0xFF6C70726F667281),
                               [H_VERSION] = target.version | UINT64_C(1) << 56,
                               [H_NUM_DATA] = program->functions,
                               [H_NUM_COUNTERS] = program->counters,
                               [H_NAMES_SIZE] = program->names_size,
                               [H_COUNTERS_DELTA] = program->records_size,
                               [H_VALUE_KIND_LAST] = 2};
  for (enum header_field i = 0; i < H_FIELDS; i++)
    if (header_offset(&target, i) != NOWHERE)
      put(file, fields[i], 8);
}

/* Two sites of calls, the second without any, and one of sizes. */
static void put_values(FILE *file, const struct program *program) {
  unsigned calls = random_number(4), sizes = random_number(3);
  uint64_t callee = random_number(program->functions / 5 - 4);
  put(file, 8 + 16 + 16 + 16 * (calls + sizes), 4);
  put(file, 2, 4);
  put(file, 0, 4);
  put(file, 2, 4);
  put(file, calls, 8);
  for (unsigned i = 0; i < calls; i++) {
    put(file, CODE + CODE_STEP * 5 * (callee + i), 8);
    put(file, 1 + random_number(1000), 8);
  }
  put(file, 1, 4);
  put(file, 1, 4);
  put(file, sizes, 8);
  for (unsigned i = 0; i < sizes; i++) {
    put(file, 8 * i, 8);
    put(file, 1 + random_number(1000), 8);
  }
}

static void put_run(FILE *file, const struct program *program) {
  static const unsigned char zeros[8];
  put_header(file, program);
  fwrite(program->records, 1, program->records_size, file);
  for (size_t i = 0; i < program->counters; i++)
    put(file, random_number(3) ? random_number(1u << random_number(24)) : 0, 8);
  fwrite(program->names, 1, program->names_size, file);
  fwrite(zeros, 1, -program->names_size % 8, file);
  for (unsigned i = 0; i < program->functions; i++)
    if (has_values(i))
      put_values(file, program);
}

int main(int argc, char **argv) {
  struct program program = {0};
  if (argc != 4)
    return 2;
  program.functions = (unsigned)atoi(argv[1]);
  make_program(&program);
  for (int run = 1; run <= atoi(argv[2]); run++) {
    char name[512];
    snprintf(name, sizeof name, "%s-%d.profraw", argv[3], run);
    FILE *file = fopen(name, "wb");
    if (!file)
      return 1;
    put_run(file, &program);
    if (fclose(file))
      return 1;
  }
  free(program.records);
  free(program.names);
  return 0;
}
