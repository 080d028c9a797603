/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes ELF files, and adds sections to existing ELF files. A new file
 * consists of header, contents and section headers, in this order. No struct
 * keeps the offsets; the functions compute them again with next_section_offset
 * and section_headers_offset.
 */
#include "elf_write.h"
#include "../base/buffer.h"

#include <string.h>

enum { SHT_STRTAB = 3, TABLES = 3 };

struct elf_writer {
  const struct elf_draft *draft;
  FILE *stream;
  uint64_t at; /* number of bytes written */
  struct elf_section tables[TABLES];
};

static unsigned header_size(const struct elf_draft *draft) {
  return draft->wide ? 64 : 52;
}

static unsigned section_entry_size(const struct elf_draft *draft) {
  return draft->wide ? 64 : 40;
}

static unsigned symbol_entry_size(const struct elf_draft *draft) {
  return draft->wide ? 24 : 16;
}

/* ---- fields ---- */

static void write_number(struct elf_writer *w, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store_number(bytes, value, size, w->draft->big);
  fwrite(bytes, 1, size, w->stream);
  w->at += size;
}

/* Writes an address, offset or size. */
static void write_address_field(struct elf_writer *w, uint64_t value) {
  write_number(w, value, w->draft->wide ? 8 : 4);
}

static void write_bytes(struct elf_writer *w, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, w->stream);
  w->at += size;
}

static void write_zeros(struct elf_writer *w, uint64_t until) {
  while (w->at < until)
    write_number(w, 0, 1);
}

/* ---- layout ---- */

/* Returns section i. The empty section 0 is not counted, so index 0 is the
 * section after it. */
static const struct elf_section *nth_section(const struct elf_writer *w,
                                             size_t i) {
  size_t given = w->draft->section_count;
  return i < given ? &w->draft->sections[i] : &w->tables[i - given];
}

static size_t count_sections(const struct elf_writer *w) {
  return w->draft->section_count + TABLES;
}

/* Returns the offset of the section that follows *end, and advances *end past
 * the section. Offsets are multiples of 8, which is enough for programs that
 * map the file. */
static uint64_t next_section_offset(const struct elf_section *section,
                                    uint64_t *end) {
  uint64_t begin = (*end + 7) / 8 * 8;
  *end = begin + (section->type == ELF_SHT_NOBITS ? 0 : section->size);
  return begin;
}

static uint64_t section_headers_offset(const struct elf_writer *w) {
  uint64_t end = header_size(w->draft);
  for (size_t i = 0; i < count_sections(w); i++)
    next_section_offset(nth_section(w, i), &end);
  return (end + 7) / 8 * 8;
}

/* Iterates over the symbols in the order in which they are written, local
 * symbols first. */
struct symbol_iterator {
  const struct elf_draft *draft;
  bool global;
  size_t next;
};

static const struct elf_symbol *next_symbol(struct symbol_iterator *symbols) {
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

static void make_table_sections(struct elf_writer *w) {
  const struct elf_draft *draft = w->draft;
  struct elf_section *tables = w->tables;
  static const char *const names[] = {".symtab", ".strtab", ".shstrtab"};
  for (size_t i = 0; i < TABLES; i++)
    tables[i] = (struct elf_section){
        .name = names[i], .type = SHT_STRTAB, .size = 1, .align = 1};
  tables[0].type = ELF_SHT_SYMTAB;
  tables[0].size = (draft->symbol_count + 1) * symbol_entry_size(draft);
  tables[0].entry_size = symbol_entry_size(draft);
  tables[0].align = draft->wide ? 8 : 4;
  tables[0].link = (uint32_t)draft->section_count + 2;
  tables[0].info = 1;
  for (size_t i = 0; i < draft->symbol_count; i++) {
    tables[0].info += draft->symbols[i].binding == 0;
    tables[1].size += strlen(draft->symbols[i].name) + 1;
  }
  for (size_t i = 0; i < count_sections(w); i++)
    tables[2].size += strlen(nth_section(w, i)->name) + 1;
}

/* ---- pieces of the file ---- */

static void write_header(struct elf_writer *w) {
  const struct elf_draft *draft = w->draft;
  const unsigned char id[16] = {
      0x7F, 'E', 'L', 'F', draft->wide ? 2 : 1, draft->big ? 2 : 1, 1};
  write_bytes(w, id, sizeof id);
  write_number(w, draft->type, 2);
  write_number(w, draft->machine, 2);
  write_number(w, 1, 4);
  write_address_field(w, 0); /* address of the entry point */
  write_address_field(w, 0); /* offset of the segments */
  write_address_field(w, section_headers_offset(w));
  write_number(w, draft->flags, 4);
  write_number(w, header_size(draft), 2);
  write_number(w, 0, 2);
  write_number(w, 0, 2);
  write_number(w, section_entry_size(draft), 2);
  write_number(w, count_sections(w) + 1, 2);
  write_number(w, count_sections(w), 2); /* index of .shstrtab, which is last */
}

static void write_symbol(struct elf_writer *w, const struct elf_symbol *symbol,
                         uint64_t name) {
  write_number(w, name, 4);
  if (!w->draft->wide) {
    write_address_field(w, symbol->value);
    write_address_field(w, symbol->size);
  }
  write_number(w, (unsigned)symbol->binding << 4 | symbol->type, 1);
  write_number(w, 0, 1); /* visibility of the symbol */
  write_number(w, symbol->section, 2);
  if (w->draft->wide) {
    write_address_field(w, symbol->value);
    write_address_field(w, symbol->size);
  }
}

static void write_symbols(struct elf_writer *w) {
  struct symbol_iterator symbols = {.draft = w->draft};
  const struct elf_symbol *symbol;
  uint64_t name = 1;
  write_zeros(w, w->at + symbol_entry_size(w->draft));
  while ((symbol = next_symbol(&symbols))) {
    write_symbol(w, symbol, name);
    name += strlen(symbol->name) + 1;
  }
}

static void write_symbol_names(struct elf_writer *w) {
  struct symbol_iterator symbols = {.draft = w->draft};
  const struct elf_symbol *symbol;
  write_number(w, 0, 1);
  while ((symbol = next_symbol(&symbols)))
    write_bytes(w, symbol->name, strlen(symbol->name) + 1);
}

static void write_section_names(struct elf_writer *w) {
  write_number(w, 0, 1);
  for (size_t i = 0; i < count_sections(w); i++)
    write_bytes(w, nth_section(w, i)->name,
                strlen(nth_section(w, i)->name) + 1);
}

static void write_contents(struct elf_writer *w) {
  static void (*const write_table[TABLES])(struct elf_writer *) = {
      write_symbols, write_symbol_names, write_section_names};
  for (size_t i = 0; i < count_sections(w); i++) {
    const struct elf_section *section = nth_section(w, i);
    uint64_t end = w->at;
    write_zeros(w, next_section_offset(section, &end));
    if (i >= w->draft->section_count)
      write_table[i - w->draft->section_count](w);
    else if (section->type != ELF_SHT_NOBITS && section->size)
      write_bytes(w, section->bytes, (size_t)section->size);
  }
}

static void write_section_headers(struct elf_writer *w) {
  uint64_t name = 1, end = header_size(w->draft);
  write_zeros(w, section_headers_offset(w));
  write_zeros(w, w->at + section_entry_size(w->draft));
  for (size_t i = 0; i < count_sections(w); i++) {
    const struct elf_section *section = nth_section(w, i);
    bool table = i >= w->draft->section_count;
    write_number(w, name, 4);
    write_number(w, section->type, 4);
    write_address_field(w, section->flags);
    write_address_field(w, section->address);
    write_address_field(w, next_section_offset(section, &end));
    write_address_field(w, section->size);
    write_number(w, table ? section->link : 0, 4);
    write_number(w, table ? section->info : 0, 4);
    write_address_field(w, section->align);
    write_address_field(w, section->entry_size);
    name += strlen(section->name) + 1;
  }
}

const char *elf_write(const struct elf_draft *draft, FILE *stream) {
  struct elf_writer w = {.draft = draft, .stream = stream};
  if (draft->section_count >= ELF_RESERVED - TABLES - 1)
    return "the file has too many sections for an ELF; check that this is the "
           "right file";
  make_table_sections(&w);
  if (!draft->wide && section_headers_offset(&w) > UINT32_MAX - UINT16_MAX * 40)
    return "the file is larger than a 32-bit ELF can be; check that this is "
           "the right file";
  write_header(&w);
  write_contents(&w);
  write_section_headers(&w);
  return NULL;
}

/* ==== Writes the new end of a changed file: contents, names, section headers.
 */

enum { SHT_PROGBITS = 1 };

struct elf_appender {
  struct buffer *file;
  bool wide, big;
  uint64_t section_count;
  unsigned entry; /* size of one section header */
};

/* ---- field offsets, which differ between 64-bit and 32-bit files ---- */

static unsigned field_offset(const struct elf_appender *a, unsigned wide,
                             unsigned narrow) {
  return a->wide ? wide : narrow;
}

/* Returns the offset of e_shoff in the ELF header. */
static unsigned headers_field_offset(const struct elf_appender *a) {
  return field_offset(a, 40, 32);
}

static unsigned count_field_offset(const struct elf_appender *a) {
  return field_offset(a, 60, 48);
}

static uint16_t read_names_index(const struct elf_appender *a) {
  return load16(a->file->data + field_offset(a, 62, 50), a->big);
}

/* Stores an address, offset or size. The field has 4 or 8 bytes, depending on
 * the file's class. */
static void store_address_field(const struct elf_appender *a, unsigned char *at,
                                uint64_t value) {
  store_number(at, value, a->wide ? 8 : 4, a->big);
}

static void store_offset_and_size(const struct elf_appender *a,
                                  unsigned char *header, uint64_t offset,
                                  uint64_t size) {
  store_address_field(a, header + field_offset(a, 24, 16), offset);
  store_address_field(a, header + field_offset(a, 32, 20), size);
}

/* ---- appending ---- */

static const char *align_file(struct buffer *file) {
  static const unsigned char zeros[8];
  return buffer_append_bytes(file, zeros, (8 - file->size % 8) % 8);
}

static const char *append_aligned_bytes(struct buffer *file, struct bytes bytes,
                                        uint64_t *offset) {
  const char *error = align_file(file);
  *offset = file->size;
  return error ? error : buffer_append_bytes(file, bytes.data, bytes.size);
}

/* Finds the section header that the addition replaces. If no unloaded section
 * has the addition's name, appends a new header and the name. */
static const char *
find_or_add_section_header(struct buffer *headers, struct buffer *names,
                           const struct elf_appender *a, const struct elf *elf,
                           const struct elf_section_addition *addition,
                           unsigned char **header) {
  static const unsigned char zeros[64];
  for (uint64_t i = 1; i < a->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    *header = headers->data + i * a->entry;
    if (!(section.flags & ELF_ALLOC) && !strcmp(section.name, addition->name))
      return NULL;
  }
  size_t name = names->size;
  const char *error =
      buffer_append_bytes(names, addition->name, strlen(addition->name) + 1);
  if (!error)
    error = buffer_append_bytes(headers, zeros, a->entry);
  if (!error) {
    *header = headers->data + headers->size - a->entry;
    store32(*header, (uint32_t)name, a->big);
  }
  return error;
}

static const char *
add_or_set_section(const struct elf_appender *a, const struct elf *elf,
                   const struct elf_section_addition *addition,
                   struct buffer *headers, struct buffer *names) {
  unsigned char *header;
  uint64_t offset;
  const char *error =
      find_or_add_section_header(headers, names, a, elf, addition, &header);
  if (error)
    return error;
  unsigned char *after_name = header + 4;
  memset(after_name, 0, a->entry - 4);
  store32(after_name, SHT_PROGBITS, a->big);
  /* the alignment of the contents */
  store_address_field(a, header + field_offset(a, 48, 32), 8);
  error = append_aligned_bytes(a->file, addition->contents, &offset);
  store_offset_and_size(a, header, offset, addition->contents.size);
  return error;
}

/* Appends names and section headers, and sets their offset in the ELF header.
 */
static const char *append_section_headers(const struct elf_appender *a,
                                          struct buffer *headers,
                                          const struct buffer *names) {
  uint64_t offset;
  const char *error =
      append_aligned_bytes(a->file, buffer_bytes(names), &offset);
  if (error)
    return error;
  store_offset_and_size(a,
                        headers->data + read_names_index(a) * (size_t)a->entry,
                        offset, names->size);
  error = append_aligned_bytes(a->file, buffer_bytes(headers), &offset);
  if (error)
    return error;
  if (!a->wide && a->file->size > UINT32_MAX)
    return "the file is larger than a 32-bit ELF can be; check that this is "
           "the right file";
  store_address_field(a, a->file->data + headers_field_offset(a), offset);
  store16(a->file->data + count_field_offset(a),
          (uint16_t)(headers->size / a->entry), a->big);
  return NULL;
}

/* The changes to make. Either additions or changes is set. */
struct elf_change_plan {
  const struct elf_section_addition *additions;
  const struct elf_section_change *changes;
  size_t count;
};

/* Finds the offset of a name, or adds the name. Compares only with the names
 * that earlier calls have added; this is enough, because a list has many
 * changes but few names. */
static const char *find_or_add_section_name(const struct elf *elf,
                                            struct buffer *names,
                                            const char *name, uint32_t *at) {
  size_t size = strlen(name) + 1, next = elf->section_names.size;
  for (; next < names->size; next += strlen((char *)names->data + next) + 1)
    if (strcmp((char *)names->data + next, name) == 0) {
      *at = (uint32_t)next;
      return NULL;
    }
  *at = (uint32_t)names->size;
  return buffer_append_bytes(names, name, size);
}

static const char *
change_section_header(const struct elf_appender *a, const struct elf *elf,
                      const struct elf_section_change *change,
                      struct buffer *headers, struct buffer *names) {
  unsigned char *header = headers->data + change->section * a->entry;
  uint32_t name = load32(header, a->big);
  const char *error =
      change->name ? find_or_add_section_name(elf, names, change->name, &name)
                   : NULL;
  store32(header, name, a->big);
  store32(header + 4, change->type, a->big);
  store_address_field(a, header + 8, change->flags);
  return error;
}

static const char *append_section_changes(const struct elf_appender *a,
                                          const struct elf *elf,
                                          const struct elf_change_plan *plan) {
  struct buffer headers = {.limit = a->file->limit};
  struct buffer names = {.limit = a->file->limit};
  const char *error =
      buffer_append_bytes(&headers, elf->file.data + elf->sections,
                          (size_t)a->section_count * a->entry);
  if (!error)
    error = buffer_append_bytes(&names, elf->section_names.data,
                                elf->section_names.size);
  for (size_t i = 0; i < plan->count && !error; i++)
    error =
        plan->changes
            ? change_section_header(a, elf, &plan->changes[i], &headers, &names)
            : add_or_set_section(a, elf, &plan->additions[i], &headers, &names);
  if (!error)
    error = append_section_headers(a, &headers, &names);
  buffer_free(&headers);
  buffer_free(&names);
  return error;
}

static const char *apply_change_plan(struct buffer *file,
                                     const struct elf_change_plan *plan) {
  struct elf elf;
  const char *error = elf_open(&elf, buffer_bytes(file));
  struct elf_appender a = {file, elf.wide, elf.big, elf.section_count,
                           elf.wide ? 64 : 40};
  if (error)
    return error;
  if (!elf.section_names.size || read_names_index(&a) >= ELF_RESERVED)
    return "the section names are missing; pass the ELF that ran, unstripped";
  if (a.section_count + plan->count >= ELF_RESERVED && plan->additions)
    return "the file has too many sections for an ELF; check that this is the "
           "right file";
  /* An addition may move the buffer, but elf keeps pointers into the old bytes.
   */
  struct buffer old = *file;
  *file = (struct buffer){.limit = old.limit};
  error = buffer_append_bytes(file, old.data, old.size);
  if (!error)
    error = append_section_changes(&a, &elf, plan);
  buffer_free(&old);
  return error;
}

const char *elf_append_sections(struct buffer *file,
                                const struct elf_section_addition *list,
                                size_t count) {
  const struct elf_change_plan plan = {.additions = list, .count = count};
  return apply_change_plan(file, &plan);
}

const char *elf_change_section_headers(struct buffer *file,
                                       const struct elf_section_change *list,
                                       size_t count) {
  const struct elf_change_plan plan = {.changes = list, .count = count};
  return apply_change_plan(file, &plan);
}
