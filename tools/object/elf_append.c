/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The new end of the file: contents, names, section headers.
 */
#include "elf_append.h"

#include <string.h>

enum { SHT_PROGBITS = 1, SHN_LORESERVE = 0xFF00 };

struct appender {
  struct buffer *file;
  bool wide, big;
  uint64_t section_count;
  unsigned entry; /* bytes of one */
};

/* ---- fields: where they are in a file of 64, else of 32 bits ---- */

static unsigned field(const struct appender *a, unsigned wide,
                      unsigned narrow) {
  return a->wide ? wide : narrow;
}

/* The ELF header. */
static unsigned where_headers(const struct appender *a) {
  return field(a, 40, 32);
}

static unsigned where_count(const struct appender *a) {
  return field(a, 60, 48);
}

static uint16_t names_index(const struct appender *a) {
  return load16(a->file->data + field(a, 62, 50), a->big);
}

/* An address, offset or size. */
static void store_wide(const struct appender *a, unsigned char *at,
                       uint64_t value) {
  store_number(at, value, a->wide ? 8 : 4, a->big);
}

/* A section header. The flags are at 8 in both. */
static void place(const struct appender *a, unsigned char *header,
                  uint64_t offset, uint64_t size) {
  store_wide(a, header + field(a, 24, 16), offset);
  store_wide(a, header + field(a, 32, 20), size);
}

/* ---- the end ---- */

static const char *align(struct buffer *file) {
  static const unsigned char zeros[8];
  return buffer_append(file, zeros, (8 - file->size % 8) % 8);
}

static const char *append(struct buffer *file, struct bytes bytes,
                          uint64_t *offset) {
  const char *error = align(file);
  *offset = file->size;
  return error ? error : buffer_append(file, bytes.data, bytes.size);
}

/* The header that becomes that of an addition: one of its name, or a new one
 * at the end, with its name at the end of the names. */
static const char *find_header(struct buffer *headers, struct buffer *names,
                               const struct appender *a, const struct elf *elf,
                               const struct elf_addition *addition,
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
      buffer_append(names, addition->name, strlen(addition->name) + 1);
  if (!error)
    error = buffer_append(headers, zeros, a->entry);
  if (!error) {
    *header = headers->data + headers->size - a->entry;
    store32(*header, (uint32_t)name, a->big);
  }
  return error;
}

static const char *add(const struct appender *a, const struct elf *elf,
                       const struct elf_addition *addition,
                       struct buffer *headers, struct buffer *names) {
  unsigned char *header;
  uint64_t offset;
  const char *error = find_header(headers, names, a, elf, addition, &header);
  if (error)
    return error;
  unsigned char *behind_name = header + 4;
  memset(behind_name, 0, a->entry - 4);
  store32(behind_name, SHT_PROGBITS, a->big);
  store_wide(a, header + field(a, 48, 32), 8); /* alignment */
  error = append(a->file, addition->contents, &offset);
  place(a, header, offset, addition->contents.size);
  return error;
}

/* Appends names and headers, and makes the ELF header say so. */
static const char *finish(const struct appender *a, struct buffer *headers,
                          const struct buffer *names) {
  uint64_t offset;
  const char *error =
      append(a->file, (struct bytes){names->data, names->size}, &offset);
  if (error)
    return error;
  place(a, headers->data + names_index(a) * (size_t)a->entry, offset,
        names->size);
  error =
      append(a->file, (struct bytes){headers->data, headers->size}, &offset);
  if (error)
    return error;
  if (!a->wide && a->file->size > UINT32_MAX)
    return "more than fits an ELF file of 32 bits; is it the right file?";
  store_wide(a, a->file->data + where_headers(a), offset);
  store16(a->file->data + where_count(a), (uint16_t)(headers->size / a->entry),
          a->big);
  return NULL;
}

static const char *append_all(const struct appender *a, const struct elf *elf,
                              const struct elf_addition *list, size_t count) {
  struct buffer headers = {.limit = a->file->limit};
  struct buffer names = {.limit = a->file->limit};
  const char *error = buffer_append(&headers, elf->file.data + elf->sections,
                                    (size_t)a->section_count * a->entry);
  if (!error)
    error =
        buffer_append(&names, elf->section_names.data, elf->section_names.size);
  for (size_t i = 0; i < count && !error; i++)
    error = add(a, elf, &list[i], &headers, &names);
  if (!error)
    error = finish(a, &headers, &names);
  buffer_free(&headers);
  buffer_free(&names);
  return error;
}

const char *elf_append(struct buffer *file, const struct elf_addition *list,
                       size_t count) {
  struct elf elf;
  const char *error = elf_open(&elf, (struct bytes){file->data, file->size});
  struct appender a = {file, elf.wide, elf.big, elf.section_count,
                       elf.wide ? 64 : 40};
  if (error)
    return error;
  if (!elf.section_names.size || names_index(&a) >= SHN_LORESERVE)
    return "its sections have no names; give the ELF as it was linked";
  if (a.section_count + count >= SHN_LORESERVE)
    return "too many sections for an ELF file; is it the right file?";
  /* What is added moves the file, and with it what elf is of. */
  struct buffer old = *file;
  *file = (struct buffer){.limit = old.limit};
  error = buffer_append(file, old.data, old.size);
  if (!error)
    error = append_all(&a, &elf, list, count);
  buffer_free(&old);
  return error;
}
