/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The contents that made.c puts into images.
 */
#ifndef COMPOSED_H
#define COMPOSED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "digest.h"

enum { RISCV = 243, AARCH64 = 183, EXECUTES = 4, TEXT = 0x1000, NOP_SIZE = 4 };

static void need(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "made: %s\n", what);
  exit(1);
}

static uint64_t guid_of(const char *name) {
  return md5_low64(name, strlen(name));
}

struct image {
  struct probes probes;
  unsigned encoding;
  bool wide, big, again; /* again: the image lacks code */
  size_t padding;        /* bytes of a section that is no code */
};

static struct code_symbol symbol_at(uint64_t address, const char *name,
                                    uint64_t size) {
  return (struct code_symbol){address, size, guid_of(name), name};
}

static void compose(struct image *image) {
  static struct code_symbol symbols[5];
  static struct probe_function functions[6];
  static struct probe_inlining frames[3];
  symbols[0] = symbol_at(TEXT, "main", 64);
  symbols[1] = symbol_at(TEXT + 64, "twin", 32);
  symbols[2] = symbol_at(TEXT + 96, "main.cold", 32);
  symbols[3] = symbol_at(TEXT + 128, "twin", 32);
  static const char *const names[] = {"main", "twin", "foo", "bar", "gone"};
  for (unsigned i = 0; i < 5; i++)
    functions[i] =
        (struct probe_function){guid_of(names[i]), 100 + i, names[i], false};
  /* bar in foo at 2, foo in main at 3; and main in twin at 300. */
  frames[0] = (struct probe_inlining){NULL, guid_of("main"), 3, 0};
  frames[1] = (struct probe_inlining){&frames[0], guid_of("foo"), 2, 0};
  frames[2] = (struct probe_inlining){NULL, guid_of("twin"), 300, 0};
  if (image->encoding == PROBE_RFC_LINES)
    frames[0].discriminator = 7;
  const uint64_t main_ = guid_of("main"), foo = guid_of("foo"),
                 bar = guid_of("bar"), twin = guid_of("twin"),
                 gone = guid_of("gone");
  static struct probe list[16];
  const struct probe made[] = {
      {TEXT, main_, NULL, 1, 0, 0, 0, 0, 0},
      {TEXT + 4, main_, NULL, 2, 0, 0, 1, 0, 0},
      {TEXT + 8, main_, NULL, 200, 0, 0, 2, 1, 0},
      {TEXT + 8, foo, &frames[0], 1, 0, 0, 0, 0, 0},
      {TEXT + 4, bar, &frames[1], 1, 0, 0, 0, 0, 0},
      {TEXT + 60, bar, &frames[1], 2, 500, 0, 0, 4, 0},
      {TEXT + 32, main_, NULL, 9, 0, 0, 0, 3, PROBE_DANGLING},
      {TEXT + 64, twin, NULL, 1, 0, 1, 0, 0, 0},
      {TEXT + 68, main_, &frames[2], 1, 0, 1, 0, 0, 0},
      {TEXT + 100, main_, NULL, 4, 0, 2, 0, 0, 0},
      {TEXT + 128, twin, NULL, 1, 0, 3, 0, 0, 0},
  };
  static struct probe lost[1];
  memcpy(list, made, sizeof made);
  lost[0] = (struct probe){12, gone, NULL, 1, 0, 4, 0, 0, 0};
  static struct probe_record records[5];
  records[0] = (struct probe_record){main_, 0, TEXT, 7, 0, PROBE_DELTA};
  records[1] = (struct probe_record){twin, 0, TEXT + 64, 2, 0, PROBE_DELTA};
  records[2] = (struct probe_record){
      main_, guid_of("main.cold"), TEXT + 96, 1, 0, PROBE_DELTA};
  records[3] = (struct probe_record){twin, 0, TEXT + 128, 1, 0, PROBE_DELTA};
  records[4] =
      (struct probe_record){gone, 0, 0, 1, PROBE_NO_SYMBOL, PROBE_DELTA};
  struct probes *probes = &image->probes;
  probes->symbols = symbols, probes->symbol_count = 4;
  probes->functions = functions, probes->function_count = 5;
  probes->list = list, probes->count = sizeof made / sizeof *made;
  probes->lost = lost, probes->lost_count = 1;
  probes->records = records, probes->record_count = 5;
}

/* 50 probes a function in 1,000 bytes of code, some inlined twice deep. */
static void compose_big(struct image *image, size_t count) {
  enum { EACH = 50, BYTES = 1000 };
  struct probes *probes = &image->probes;
  struct code_symbol *symbols = calloc(count, sizeof *symbols);
  struct probe_function *functions = calloc(count, sizeof *functions);
  struct probe_record *records = calloc(count, sizeof *records);
  struct probe_inlining *frames = calloc(count * 2, sizeof *frames);
  struct probe *list = calloc(count * EACH, sizeof *list);
  need(symbols && functions && records && frames && list, "memory");
  for (size_t i = 0; i < count; i++) {
    char *name = malloc(40);
    snprintf(name, 40, "function_%zu", i);
    symbols[i] = symbol_at(0x100000 + i * BYTES, name, BYTES);
    functions[i] = (struct probe_function){symbols[i].guid, i, name, false};
    records[i] = (struct probe_record){
        symbols[i].guid, 0, symbols[i].address, EACH, 0, PROBE_DELTA};
  }
  for (size_t i = 0; i < count; i++) {
    frames[2 * i] = (struct probe_inlining){NULL, symbols[i].guid, 7, 0};
    frames[2 * i + 1] = (struct probe_inlining){
        &frames[2 * i], symbols[(i + 1) % count].guid, 9, 0};
    for (size_t j = 0; j < EACH; j++) {
      size_t depth = j % 3;
      list[i * EACH + j] =
          (struct probe){symbols[i].address + j * 20,
                         symbols[(i + depth) % count].guid,
                         depth ? &frames[2 * i + depth - 1] : NULL,
                         (uint32_t)(j / 3 + 1),
                         0,
                         (uint32_t)i,
                         0,
                         0,
                         0};
    }
  }
  probes->symbols = symbols, probes->symbol_count = count;
  probes->functions = functions, probes->function_count = count;
  probes->list = list, probes->count = count * EACH;
  probes->records = records, probes->record_count = count;
}

#endif
