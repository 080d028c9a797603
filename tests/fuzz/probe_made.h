/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes probes from the fuzzer's bytes, and an ELF of them.
 */
#ifndef PROBE_MADE_H
#define PROBE_MADE_H

#include <string.h>

#include "elf_write.h"
#include "input.h"
#include "digest.h"
#include "../probes/encode.h"

enum { MOST = 4096, TEXT = 256, EDITS_MOST = 16, SYMBOLS = 6, PROBES = 24 };

static const char *const names[SYMBOLS] = {"main", "main.cold", "twin",
                                           "twin", "\x01odd",   "leaf"};

static uint64_t guid_of(unsigned i) {
  const char *name = names[i % SYMBOLS];
  return md5_low64(name, strlen(name));
}

/* ---- what is composed ---- */

struct made {
  struct probes probes;
  struct code_symbol symbols[SYMBOLS];
  struct probe_function functions[SYMBOLS];
  struct probe_record records[SYMBOLS];
  struct probe_inlining frames[PROBES];
  struct probe list[PROBES];
  unsigned char code[TEXT];
  bool wide, big;
  uint16_t machine;
  unsigned encoding;
};

/* Writes RISC-V code for readers that walk over instructions: 2-byte and 4-byte
 * instructions, shortened calls, loads through gp, and bytes that are no
 * instruction. */
static void compose_code(struct made *made, struct input *input) {
  static const uint32_t pieces[] = {0x00000013, 0x00010001, 0x000000EF,
                                    0x0001A503, 0x00012001, 0x0000001F};
  uint64_t seed = take_number(input, 2);
  for (unsigned i = 0; i < TEXT; i += 4, seed = seed * 6364136223846793005 + 1)
    store32(made->code + i, pieces[(seed >> 33) % (i ? 6 : 5)], false);
}

static void compose_symbols(struct made *made, struct input *input) {
  uint64_t at = 0x1000;
  struct probes *probes = &made->probes;
  probes->symbol_count = take(input) % (SYMBOLS + 1);
  for (unsigned i = 0; i < probes->symbol_count; i++) {
    unsigned size = take(input) % 48 & ~3u;
    made->symbols[i] = (struct code_symbol){at, size, guid_of(i), names[i]};
    at += size ? size : 8;
  }
  probes->function_count = take(input) % (SYMBOLS + 1);
  for (unsigned i = 0; i < probes->function_count; i++)
    made->functions[i] = (struct probe_function){
        .guid = guid_of(i), .hash = take(input), .name = names[i]};
  compose_code(made, input);
}

static void compose_probe(struct made *made, struct input *input,
                          unsigned number) {
  struct probe *probe = &made->list[number];
  unsigned what = take(input), record = what % made->probes.record_count;
  probe->record = record;
  probe->address = made->records[record].address + take(input) % 64;
  probe->index = 1 + take(input);
  probe->type = what / 8 % 4;
  probe->guid = made->records[record].guid;
  probe->attributes = what & 128 ? 4 : 0;
  probe->discriminator = what & 128 ? 1 + take(input) : 0;
  if (what & 32) {
    struct probe_inlining *frame = &made->frames[number];
    const struct probe *before = number ? &made->list[number - 1] : NULL;
    bool deeper = what & 64 && before && before->record == record;
    frame->parent = deeper ? before->inlining : NULL;
    frame->guid = deeper ? before->guid : probe->guid;
    frame->site = 1 + take(input);
    probe->inlining = frame;
    probe->guid = guid_of(take(input));
  }
}

static void compose(struct made *made, struct input *input) {
  struct probes *probes = &made->probes;
  probes->record_count = 1 + take(input) % SYMBOLS;
  for (unsigned i = 0; i < probes->record_count; i++) {
    unsigned what = take(input);
    made->records[i] =
        (struct probe_record){.guid = guid_of(what),
                              .fragment = what & 64 ? guid_of(what / 8) : 0,
                              .address = made->symbols[what % SYMBOLS].address,
                              .encoding = PROBE_DELTA};
  }
  probes->count = take(input) % (PROBES + 1);
  for (unsigned i = 0; i < probes->count; i++)
    compose_probe(made, input, i);
}

/* ---- the ELF ---- */

static char *write_elf(const struct made *made, struct bytes section,
                       struct bytes described, size_t *size) {
  struct elf_symbol symbols[SYMBOLS];
  char *file;
  FILE *stream = open_memstream(&file, size);
  const struct elf_section sections[] = {
      {.name = ".text",
       .type = 1,
       .flags = 6,
       .address = 0x1000,
       .size = TEXT,
       .align = 4,
       .bytes = made->code},
      {.name = ".pseudo_probe_desc",
       .type = 1,
       .size = described.size,
       .align = 1,
       .bytes = described.data},
      {.name = ".pseudo_probe",
       .type = 1,
       .flags = made->machine == 62 ? ELF_ALLOC : 0,
       .size = section.size,
       .align = 1,
       .bytes = section.data}};
  for (size_t i = 0; i < made->probes.symbol_count; i++)
    symbols[i] =
        (struct elf_symbol){names[i],
                            made->symbols[i].address | (made->machine == 40),
                            made->symbols[i].size,
                            1,
                            made->code[1] & 1,
                            made->code[2] & 1 ? 2 : 0,
                            0};
  const struct elf_draft draft = {made->wide,
                                  made->big,
                                  2,
                                  made->machine,
                                  0,
                                  sections,
                                  3,
                                  symbols,
                                  made->probes.symbol_count};
  must(!elf_write(&draft, stream), "an ELF is written");
  fclose(stream);
  return file;
}

#endif
