/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Header, contents, section headers, in this order. What stands where is
 * found anew for each of them, by place().
 */
#include "elf_write.h"

#include <string.h>

enum { SHT_STRTAB = 3, SHN_LORESERVE = 0xFF00, TABLES = 3 };

struct writer {
  const struct elf_draft *draft;
  FILE *stream;
  uint64_t at; /* bytes written */
  struct elf_section tables[TABLES];
};

static unsigned header_size(const struct elf_draft *draft) {
  return draft->wide ? 64 : 52;
}

static unsigned section_entry(const struct elf_draft *draft) {
  return draft->wide ? 64 : 40;
}

static unsigned symbol_entry(const struct elf_draft *draft) {
  return draft->wide ? 24 : 16;
}

/* ---- fields ---- */

static void put(struct writer *w, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store_number(bytes, value, size, w->draft->big);
  fwrite(bytes, 1, size, w->stream);
  w->at += size;
}

/* An address, offset or size. */
static void put_wide(struct writer *w, uint64_t value) {
  put(w, value, w->draft->wide ? 8 : 4);
}

static void put_bytes(struct writer *w, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, w->stream);
  w->at += size;
}

static void put_zeros(struct writer *w, uint64_t until) {
  while (w->at < until)
    put(w, 0, 1);
}

/* ---- what stands where ---- */

/* Number i of all sections but the first, which is empty. */
static const struct elf_section *nth(const struct writer *w, size_t i) {
  size_t given = w->draft->section_count;
  return i < given ? &w->draft->sections[i] : &w->tables[i - given];
}

static size_t count(const struct writer *w) {
  return w->draft->section_count + TABLES;
}

/* Where a section begins whose predecessor ends at *end, which then is its
 * own. At multiples of 8, which suffices for those that map the file. */
static uint64_t place(const struct elf_section *section, uint64_t *end) {
  uint64_t begin = (*end + 7) / 8 * 8;
  *end = begin + (section->type == ELF_SHT_NOBITS ? 0 : section->size);
  return begin;
}

static uint64_t place_headers(const struct writer *w) {
  uint64_t end = header_size(w->draft);
  for (size_t i = 0; i < count(w); i++)
    place(nth(w, i), &end);
  return (end + 7) / 8 * 8;
}

/* Number i of the symbols as they are written: local ones first. */
struct symbols {
  const struct elf_draft *draft;
  bool global;
  size_t next;
};

static const struct elf_symbol *next_symbol(struct symbols *symbols) {
  for (;; symbols->next = 0, symbols->global = true) {
    while (symbols->next < symbols->draft->symbol_count) {
      const struct elf_symbol *symbol =
          &symbols->draft->symbols[symbols->next++];
      if ((symbol->binding != 0) == symbols->global)
        return symbol;
    }
    if (symbols->global)
      return NULL;
  }
}

static void plan_tables(struct writer *w) {
  const struct elf_draft *draft = w->draft;
  struct elf_section *tables = w->tables;
  static const char *const names[] = {".symtab", ".strtab", ".shstrtab"};
  for (size_t i = 0; i < TABLES; i++)
    tables[i] = (struct elf_section){
        .name = names[i], .type = SHT_STRTAB, .size = 1, .align = 1};
  tables[0].type = ELF_SHT_SYMTAB;
  tables[0].size = (draft->symbol_count + 1) * symbol_entry(draft);
  tables[0].entry_size = symbol_entry(draft);
  tables[0].align = draft->wide ? 8 : 4;
  tables[0].link = (uint32_t)draft->section_count + 2;
  tables[0].info = 1;
  for (size_t i = 0; i < draft->symbol_count; i++) {
    tables[0].info += draft->symbols[i].binding == 0;
    tables[1].size += strlen(draft->symbols[i].name) + 1;
  }
  for (size_t i = 0; i < count(w); i++)
    tables[2].size += strlen(nth(w, i)->name) + 1;
}

/* ---- pieces of the file ---- */

static void put_header(struct writer *w) {
  const struct elf_draft *draft = w->draft;
  const unsigned char id[16] = {
      0x7F, 'E', 'L', 'F', draft->wide ? 2 : 1, draft->big ? 2 : 1, 1};
  put_bytes(w, id, sizeof id);
  put(w, draft->type, 2);
  put(w, draft->machine, 2);
  put(w, 1, 4);
  put_wide(w, 0); /* entry point */
  put_wide(w, 0); /* segments */
  put_wide(w, place_headers(w));
  put(w, draft->flags, 4);
  put(w, header_size(draft), 2);
  put(w, 0, 2);
  put(w, 0, 2);
  put(w, section_entry(draft), 2);
  put(w, count(w) + 1, 2);
  put(w, count(w), 2); /* .shstrtab is the last one */
}

static void put_symbol(struct writer *w, const struct elf_symbol *symbol,
                       uint64_t name) {
  put(w, name, 4);
  if (!w->draft->wide) {
    put_wide(w, symbol->value);
    put_wide(w, symbol->size);
  }
  put(w, (unsigned)symbol->binding << 4 | symbol->type, 1);
  put(w, 0, 1); /* visibility */
  put(w, symbol->section, 2);
  if (w->draft->wide) {
    put_wide(w, symbol->value);
    put_wide(w, symbol->size);
  }
}

static void put_symbols(struct writer *w) {
  struct symbols symbols = {.draft = w->draft};
  const struct elf_symbol *symbol;
  uint64_t name = 1;
  put_zeros(w, w->at + symbol_entry(w->draft));
  while ((symbol = next_symbol(&symbols))) {
    put_symbol(w, symbol, name);
    name += strlen(symbol->name) + 1;
  }
}

static void put_symbol_names(struct writer *w) {
  struct symbols symbols = {.draft = w->draft};
  const struct elf_symbol *symbol;
  put(w, 0, 1);
  while ((symbol = next_symbol(&symbols)))
    put_bytes(w, symbol->name, strlen(symbol->name) + 1);
}

static void put_section_names(struct writer *w) {
  put(w, 0, 1);
  for (size_t i = 0; i < count(w); i++)
    put_bytes(w, nth(w, i)->name, strlen(nth(w, i)->name) + 1);
}

static void put_contents(struct writer *w) {
  static void (*const put_table[TABLES])(struct writer *) = {
      put_symbols, put_symbol_names, put_section_names};
  for (size_t i = 0; i < count(w); i++) {
    const struct elf_section *section = nth(w, i);
    uint64_t end = w->at;
    put_zeros(w, place(section, &end));
    if (i >= w->draft->section_count)
      put_table[i - w->draft->section_count](w);
    else if (section->type != ELF_SHT_NOBITS && section->size)
      put_bytes(w, section->bytes, (size_t)section->size);
  }
}

static void put_headers(struct writer *w) {
  uint64_t name = 1, end = header_size(w->draft);
  put_zeros(w, place_headers(w));
  put_zeros(w, w->at + section_entry(w->draft));
  for (size_t i = 0; i < count(w); i++) {
    const struct elf_section *section = nth(w, i);
    bool table = i >= w->draft->section_count;
    put(w, name, 4);
    put(w, section->type, 4);
    put_wide(w, section->flags);
    put_wide(w, section->address);
    put_wide(w, place(section, &end));
    put_wide(w, section->size);
    put(w, table ? section->link : 0, 4);
    put(w, table ? section->info : 0, 4);
    put_wide(w, section->align);
    put_wide(w, section->entry_size);
    name += strlen(section->name) + 1;
  }
}

const char *elf_write(const struct elf_draft *draft, FILE *stream) {
  struct writer w = {.draft = draft, .stream = stream};
  if (draft->section_count >= SHN_LORESERVE - TABLES - 1)
    return "too many sections for an ELF file; is it the right file?";
  plan_tables(&w);
  if (!draft->wide && place_headers(&w) > UINT32_MAX - UINT16_MAX * 40)
    return "more than fits an ELF file of 32 bits; is it the right file?";
  put_header(&w);
  put_contents(&w);
  put_headers(&w);
  return NULL;
}
