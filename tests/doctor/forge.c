/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Header, segment, contents, strings, symbols, section headers, in this
 * order. One table of strings serves for all names.
 */
#include "forge.h"

#include <stdbool.h>
#include <string.h>

enum { SEGMENTS_AT = 64, CONTENTS_MOST = 512 };

struct writer {
  const struct forge *forge;
  unsigned char *start;
  size_t at;
};

static bool is_wide(const struct writer *w) {
  return w->forge->target.pointer == 8;
}

static void put(struct writer *w, uint64_t value, unsigned size) {
  store(&w->forge->target, w->start + w->at, size, value);
  w->at += size;
}

static void put_wide(struct writer *w, uint64_t value) {
  put(w, value, w->forge->target.pointer);
}

static void align(struct writer *w) { w->at = (w->at + 7) / 8 * 8; }

static size_t put_contents(struct writer *w,
                           const struct forged_section *section) {
  align(w);
  size_t from = w->at, bytes = section->byte_count;
  size_t size =
      section->size < CONTENTS_MOST ? (size_t)section->size : CONTENTS_MOST;
  if (section->type == NOBITS)
    return from;
  memset(w->start + from, 0, size);
  if (section->bytes)
    memcpy(w->start + from, section->bytes, bytes < size ? bytes : size);
  w->at += size;
  return from;
}

/* Returns its offset in the table of strings. */
static size_t put_name(struct writer *w, size_t table, const char *name) {
  size_t offset = w->at - table;
  memcpy(w->start + w->at, name, strlen(name) + 1);
  w->at += strlen(name) + 1;
  return offset;
}

static void put_section(struct writer *w, const struct forged_section *section,
                        size_t name, size_t from) {
  bool symbols = section->type == SYMTAB;
  put(w, name, 4);
  put(w, section->type, 4);
  put_wide(w, section->flags);
  put_wide(w, section->address);
  put_wide(w, from);
  put_wide(w, section->size);
  put(w, symbols ? w->forge->section_count + 1 : 0, 4);
  put(w, 0, 4);
  put_wide(w, 4);
  put_wide(w, symbols ? (is_wide(w) ? 24 : 16) : 0);
}

static void put_symbol(struct writer *w, const struct forged_symbol *symbol,
                       size_t name) {
  put(w, name, 4);
  if (!is_wide(w)) {
    put_wide(w, symbol->value);
    put_wide(w, symbol->size);
  }
  put(w, symbol->info, 1);
  put(w, 0, 1);
  put(w, symbol->section, 2);
  if (is_wide(w)) {
    put_wide(w, symbol->value);
    put_wide(w, symbol->size);
  }
}

static void put_header(struct writer *w, size_t headers) {
  memcpy(w->start, "\177ELF", 4);
  memset(w->start + 4, 0, 12);
  w->start[4] = is_wide(w) ? 2 : 1;
  w->start[5] = w->forge->target.big ? 2 : 1;
  w->start[6] = 1;
  w->at = 16;
  put(w, w->forge->type, 2);
  put(w, 40, 2);
  put(w, 1, 4);
  put_wide(w, 0);
  put_wide(w, SEGMENTS_AT);
  put_wide(w, headers);
  put(w, 0, 4);
  put(w, is_wide(w) ? 64 : 52, 2);
  put(w, is_wide(w) ? 56 : 32, 2);
  put(w, 1, 2);
  put(w, is_wide(w) ? 64 : 40, 2);
  put(w, w->forge->section_count + 2, 2);
  put(w, w->forge->section_count + 1, 2);
}

static void put_segment(struct writer *w) {
  w->at = SEGMENTS_AT;
  put(w, 1, 4);
  if (is_wide(w))
    put(w, 6, 4);
  put_wide(w, 0);
  put_wide(w, w->forge->address);
  put_wide(w, w->forge->physical);
  put_wide(w, 64);
  put_wide(w, 4096);
  if (!is_wide(w))
    put(w, 6, 4);
  put_wide(w, 8);
}

size_t forge_write(const struct forge *forge, unsigned char *to) {
  struct writer w = {forge, to, 0};
  size_t from[FORGE_SECTIONS], section_name[FORGE_SECTIONS];
  size_t symbol_name[FORGE_SYMBOLS];
  put_segment(&w);
  for (unsigned i = 1; i < forge->section_count; i++)
    from[i] = put_contents(&w, &forge->sections[i]);
  size_t strings = w.at;
  to[w.at++] = 0;
  for (unsigned i = 1; i < forge->section_count; i++)
    section_name[i] = put_name(&w, strings, forge->sections[i].name);
  for (unsigned i = 1; i < forge->symbol_count; i++)
    symbol_name[i] = put_name(&w, strings, forge->symbols[i].name);
  const struct forged_section names = {.type = STRTAB, .size = w.at - strings};
  align(&w);
  size_t table = w.at;
  put_symbol(&w, &forge->symbols[0], 0);
  for (unsigned i = 1; i < forge->symbol_count; i++)
    put_symbol(&w, &forge->symbols[i], symbol_name[i]);
  const struct forged_section symbols = {.type = SYMTAB, .size = w.at - table};
  size_t headers = w.at;
  put_section(&w, &forge->sections[0], 0, 0);
  for (unsigned i = 1; i < forge->section_count; i++)
    put_section(&w, &forge->sections[i], section_name[i], from[i]);
  put_section(&w, &symbols, 0, table);
  put_section(&w, &names, 0, strings);
  size_t size = w.at;
  put_header(&w, headers);
  return size;
}
