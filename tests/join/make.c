/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ELF as header, contents, section headers or segments, in this order; dumps
 * as tools/image/dumpfile.h describes them.
 */
#include "make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SYMTAB = 2, STRTAB = 3, NOBITS = 8 };

struct writer {
  const struct target *target;
  unsigned char *start;
  size_t at;
};

static void put(struct writer *w, unsigned size, uint64_t value) {
  store(w->target, w->start + w->at, size, value);
  w->at += size;
}

static void put_wide(struct writer *w, uint64_t value) {
  put(w, w->target->pointer, value);
}

static void put_bytes(struct writer *w, const void *bytes, size_t size) {
  memcpy(w->start + w->at, bytes, size);
  w->at += size;
}

static void align(struct writer *w) {
  while (w->at % 8)
    w->start[w->at++] = 0;
}

/* tables: where the sections' or segments' headers are. */
static void put_header(struct writer *w, bool core, size_t tables,
                       size_t count) {
  bool wide = w->target->pointer == 8;
  const unsigned char id[16] = {
      0x7F, 'E', 'L', 'F', wide ? 2 : 1, w->target->big ? 2 : 1, 1};
  w->at = 0;
  put_bytes(w, id, sizeof id);
  put(w, 2, core ? 4 : 2);
  put(w, 2, 40);
  put(w, 4, 1);
  put_wide(w, 0);
  put_wide(w, core ? tables : 0);
  put_wide(w, core ? 0 : tables);
  put(w, 4, 0);
  put(w, 2, wide ? 64 : 52);
  put(w, 2, wide ? 56 : 32);
  put(w, 2, core ? count : 0);
  put(w, 2, wide ? 64 : 40);
  put(w, 2, core ? 0 : count);
  put(w, 2, core ? 0 : count - 1);
}

static size_t header_size(const struct target *target) {
  return target->pointer == 8 ? 64 : 52;
}

/* ---- linked ELFs ---- */

static void put_section(struct writer *w, const struct made_section *section,
                        size_t name, size_t offset, unsigned link) {
  put(w, 4, name);
  put(w, 4, section->type);
  put_wide(w, section->flags);
  put_wide(w, section->address);
  put_wide(w, offset);
  put_wide(w, section->size);
  put(w, 4, link);
  put(w, 4, link ? 1 : 0);
  put_wide(w, 8);
  put_wide(w, section->type != SYMTAB ? 0 : w->target->pointer == 8 ? 24 : 16);
}

/* All are global, and of section 1. */
static void put_symbol(struct writer *w, size_t name, uint64_t value) {
  put(w, 4, name);
  if (w->target->pointer == 4) {
    put(w, 4, value);
    put(w, 4, 8);
  }
  put(w, 1, 0x11);
  put(w, 1, 0);
  put(w, 2, 1);
  if (w->target->pointer == 8) {
    put(w, 8, value);
    put(w, 8, 8);
  }
}

static void put_symbols(struct writer *w, const struct made_elf *made) {
  size_t name = 1, entry = made->target->pointer == 8 ? 24 : 16;
  memset(w->start + w->at, 0, entry);
  w->at += entry;
  for (size_t i = 0; i < made->symbol_count; i++) {
    put_symbol(w, name, made->symbols[i].value);
    name += strlen(made->symbols[i].name) + 1;
  }
}

static void put_strings(struct writer *w, const struct made_elf *made) {
  put(w, 1, 0);
  for (size_t i = 0; i < made->symbol_count; i++)
    put_bytes(w, made->symbols[i].name, strlen(made->symbols[i].name) + 1);
}

/* The last three sections: symbols, their names, the sections' names. */
static const struct made_section tables[] = {
    {.name = ".symtab", .type = SYMTAB},
    {.name = ".strtab", .type = STRTAB},
    {.name = ".shstrtab", .type = STRTAB}};
enum { TABLES = 3, SECTIONS_MOST = 32 };

static void put_section_names(struct writer *w, const struct made_elf *made) {
  put(w, 1, 0);
  for (size_t i = 0; i < made->section_count + TABLES; i++) {
    const char *name = i < made->section_count
                           ? made->sections[i].name
                           : tables[i - made->section_count].name;
    put_bytes(w, name, strlen(name) + 1);
  }
}

size_t make_elf_room(const struct made_elf *made) {
  size_t size = 4096;
  for (size_t i = 0; i < made->section_count; i++)
    size += made->sections[i].size + 8;
  for (size_t i = 0; i < made->symbol_count; i++)
    size += strlen(made->symbols[i].name) + 1 + 24;
  return size;
}

size_t make_elf(unsigned char *to, const struct made_elf *made) {
  struct writer w = {made->target, to, header_size(made->target)};
  size_t count = made->section_count + TABLES;
  size_t offsets[SECTIONS_MOST + 1];
  for (size_t i = 0; i < count; i++) {
    align(&w);
    offsets[i] = w.at;
    if (i == count - 1)
      put_section_names(&w, made);
    else if (i == count - 2)
      put_strings(&w, made);
    else if (i == count - 3)
      put_symbols(&w, made);
    else if (made->sections[i].type != NOBITS)
      put_bytes(&w, made->sections[i].bytes, made->sections[i].size);
  }
  offsets[count] = w.at;
  align(&w);
  size_t headers = w.at, name = 1;
  memset(to + headers, 0, made->target->pointer == 8 ? 64 : 40);
  w.at += made->target->pointer == 8 ? 64 : 40;
  for (size_t i = 0; i < count; i++) {
    bool table = i >= made->section_count;
    struct made_section section =
        table ? tables[i - made->section_count] : made->sections[i];
    if (table)
      section.size = offsets[i + 1] - offsets[i];
    /* Symbols have whole entries only, without what aligns the next. */
    if (section.type == SYMTAB)
      section.size =
          (made->symbol_count + 1) * (made->target->pointer == 8 ? 24 : 16);
    put_section(&w, &section, name, offsets[i],
                section.type == SYMTAB ? (unsigned)count - 1 : 0);
    name += strlen(section.name) + 1;
  }
  size_t end = w.at;
  put_header(&w, false, headers, count + 1);
  return end;
}

/* ---- cores, dumps ---- */

size_t make_core(unsigned char *to, const struct made_elf *made) {
  struct writer w = {made->target, to, header_size(made->target)};
  bool wide = made->target->pointer == 8;
  size_t at = w.at + made->section_count * (wide ? 56 : 32);
  for (size_t i = 0; i < made->section_count; i++) {
    const struct made_section *section = &made->sections[i];
    put(&w, 4, 1);
    if (wide)
      put(&w, 4, 6);
    put_wide(&w, at);
    put_wide(&w, section->address);
    put_wide(&w, 0);
    put_wide(&w, section->size);
    put_wide(&w, section->size);
    if (!wide)
      put(&w, 4, 6);
    put_wide(&w, 1);
    at += section->size;
  }
  for (size_t i = 0; i < made->section_count; i++)
    put_bytes(&w, made->sections[i].bytes, made->sections[i].size);
  put_header(&w, true, header_size(made->target), made->section_count);
  return at;
}

void make_crc(unsigned char *bytes, size_t size) {
  uint32_t rest = 0xFFFFFFFF;
  for (size_t i = 0; i + 4 < size; i++) {
    rest ^= bytes[i];
    for (unsigned bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320 : 0);
  }
  for (size_t i = 0; i < 4 && i < size; i++, rest >>= 8)
    bytes[size - 4 + i] = (unsigned char)~rest;
}

static size_t put_piece(char *to, unsigned number, size_t element,
                        const struct bareprof_span *span) {
  size_t size = size_of(span);
  return size ? (size_t)sprintf(
                    to, "piece %u address 0x%" PRIx64 " size %zu known 0-%zu\n",
                    number, span->address, size, size / element)
              : 0;
}

/* Records from the last to the first, each with its slots in order. */
static void put_slots(unsigned char *to, const struct firmware *firmware) {
  const struct bareprof_value_slot *slots = firmware->slots;
  for (size_t end = firmware->values.count, i = end; end; end = i) {
    while (i && slots[i - 1].owner == slots[end - 1].owner)
      i--;
    for (size_t k = i; k < end; k++, to += 32) {
      const uint64_t numbers[] = {slots[k].owner & ~(uint64_t)2, slots[k].value,
                                  slots[k].count, slots[k].site};
      for (unsigned n = 0; n < 4; n++)
        store(&firmware->target, to + 8 * n, 8, numbers[n]);
    }
  }
}

size_t make_dump(unsigned char *to, const struct firmware *firmware) {
  const struct bareprof_image *image = &firmware->image;
  size_t counters = size_of(&image->counters), bitmap = size_of(&image->bitmap);
  size_t id = size_of(&image->build_id);
  size_t slots = 32 * (size_t)firmware->values.count;
  const struct bareprof_span all = {to, to + slots, 0};
  char *at = (char *)to;
  at += sprintf(at, "bareprof dump 2\nkind 0\ncore 0\nimage 0\nboot 0\n");
  at += sprintf(at, "order %s\ncounter %d\npointer %u\n",
                firmware->target.big ? "big" : "little",
                firmware->word & BYTES ? 1 : 8, firmware->target.pointer);
  at += sprintf(at, "version 0x%016" PRIx64 "\nbuild-id ", firmware->word);
  for (size_t i = 0;
       id && i < load(&firmware->target, firmware->build_id + 4, 4); i++)
    at += sprintf(at, "%02x", firmware->build_id[16 + i]);
  at += sprintf(at, "%s\ninstant one\n", id ? "" : "-");
  at += put_piece(at, 1, firmware->word & BYTES ? 1 : 8, &image->counters);
  at += put_piece(at, 2, 1, &image->bitmap);
  at += put_piece(at, 6, 32, &all);
  at += sprintf(at, "data %zu\n", counters + bitmap + slots);
  memcpy(at, image->counters.begin, counters);
  memcpy(at + counters, image->bitmap.begin, bitmap);
  put_slots((unsigned char *)at + counters + bitmap, firmware);
  size_t size = (size_t)(at - (char *)to) + counters + bitmap + slots + 4;
  make_crc(to, size);
  return size;
}
