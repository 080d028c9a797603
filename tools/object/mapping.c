/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * __llvm_covmap has a part for each object: a header and the names of its
 * files. __llvm_covfun has a record for each function, which refers to those
 * names by their MD5.
 */
#include "mapping.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/search.h"
#include "inflate.h"
#include "md5.h"

enum {
  VERSION_FIRST = 5, /* as the file has it, of version 6 */
  VERSION_MCDC = 6,
  NAMES_HEADER = 16,
  RECORD_HEADER = 28,
  ALIGNED = 8,
  SECTION_MOST = 1 << 30,
  NAMES_MOST = 1 << 26,
  GAP_BIT = 31
};

static const char damaged[] = "its coverage mapping is damaged; link it again";

/* The names of an object's files. */
struct part {
  uint64_t reference;
  struct bytes bytes;
  bool mcdc;
};

struct cursor {
  const unsigned char *at, *end;
};

static bool number(struct cursor *cursor, uint64_t most, uint64_t *value) {
  return read_uleb128(&cursor->at, cursor->end, value) && *value <= most;
}

/* A count of things that take a byte each at least. */
static bool count_of(struct cursor *cursor, uint64_t *count) {
  return number(cursor, UINT64_MAX, count) &&
         *count <= (uint64_t)(cursor->end - cursor->at);
}

/* ---- opening ---- */

static size_t aligned(size_t at) {
  return (at + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static const char *read_parts(struct mapping *mapping) {
  struct bytes all = mapping->names;
  const char *error = NULL;
  for (size_t at = 0; !error && all.size - at >= NAMES_HEADER;) {
    const unsigned char *header = all.data + at;
    uint64_t size = load32(header + 4, mapping->big);
    uint64_t more = load32(header + 8, mapping->big);
    unsigned version = load32(header + 12, mapping->big);
    if (size + more > all.size - at - NAMES_HEADER)
      return damaged;
    /* Functions that refer to the names of an earlier version have another
     * form. */
    struct part part = {md5_low64(header + NAMES_HEADER, (size_t)size),
                        {header + NAMES_HEADER, (size_t)size},
                        version >= VERSION_MCDC};
    if (version >= VERSION_FIRST)
      error = buffer_append(&mapping->parts, &part, sizeof part);
    at = aligned(at + NAMES_HEADER + (size_t)(size + more));
    at = at < all.size ? at : all.size;
  }
  return error;
}

ORDER_BY(by_reference, struct part, x->reference, (uintptr_t)x->bytes.data);

static const char *load(const struct elf *elf, const char *name,
                        struct bytes *bytes, unsigned char **memory) {
  struct elf_section section;
  return elf_find_section(elf, name, &section)
             ? elf_contents(elf, &section, SECTION_MOST, bytes, memory)
             : NULL;
}

const char *mapping_open(struct mapping *mapping, const struct elf *elf) {
  size_t most = elf_most(elf);
  *mapping = (struct mapping){.big = elf->big,
                              .region_list = {.limit = most},
                              .expression_list = {.limit = most},
                              .files = {.limit = most},
                              .parts = {.limit = most}};
  const char *error =
      load(elf, "__llvm_covmap", &mapping->names, &mapping->memory[0]);
  if (!error)
    error = load(elf, "__llvm_covfun", &mapping->records, &mapping->memory[1]);
  if (!error)
    error = read_parts(mapping);
  if (mapping->parts.size)
    qsort(mapping->parts.data, mapping->parts.size / sizeof(struct part),
          sizeof(struct part), by_reference);
  return error;
}

void mapping_close(struct mapping *mapping) {
  buffer_free(&mapping->region_list);
  buffer_free(&mapping->expression_list);
  buffer_free(&mapping->files);
  buffer_free(&mapping->parts);
  free(mapping->memory[0]);
  free(mapping->memory[1]);
  *mapping = (struct mapping){.regions = NULL};
}

/* Returns the names that the function refers to, or NULL. */
static const struct part *find_part(const struct mapping *mapping) {
  const struct part *list = (const struct part *)mapping->parts.data;
  size_t count = mapping->parts.size / sizeof *list;
  size_t at = search_from(list, count, reference, mapping->reference);
  return at < count && list[at].reference == mapping->reference ? &list[at]
                                                                : NULL;
}

/* ---- a function ---- */

static bool read_counter(const struct mapping *mapping, struct cursor *cursor,
                         uint64_t *counter) {
  return number(cursor, UINT32_MAX, counter) &&
         (*counter % 4 < COUNTER_LESS ||
          *counter / 4 < mapping->expression_count);
}

static bool read_numbers(struct cursor *cursor, struct region *region,
                         unsigned count) {
  uint64_t value;
  for (unsigned i = 0; i < count; i++) {
    if (!number(cursor, UINT32_MAX, &value))
      return false;
    region->numbers[i] = (uint32_t)value;
  }
  return true;
}

/* Reads what a region is, and its counters. */
static bool read_kind(const struct mapping *mapping, struct cursor *cursor,
                      struct region *region) {
  uint64_t word;
  if (!number(cursor, UINT32_MAX, &word))
    return false;
  region->kind = REGION_CODE;
  region->counter = word % 4 ? word : COUNTER_ZERO;
  if (word % 4)
    return word % 4 < COUNTER_LESS || word / 4 < mapping->expression_count;
  region->expanded = (uint32_t)(word >> 3);
  if (word & 4) {
    region->kind = REGION_EXPANSION;
    return region->expanded < mapping->file_count;
  }
  if (word >> 3 >= REGION_KINDS || word >> 3 == REGION_EXPANSION ||
      word >> 3 == REGION_GAP)
    return false;
  region->kind = (enum region_kind)(word >> 3);
  if (region->kind == REGION_DECISION)
    return read_numbers(cursor, region, 2);
  if (region->kind != REGION_BRANCH && region->kind != REGION_MCDC_BRANCH)
    return true;
  if (!read_counter(mapping, cursor, &region->counter) ||
      !read_counter(mapping, cursor, &region->other))
    return false;
  return region->kind == REGION_BRANCH || read_numbers(cursor, region, 3);
}

/* Lines are relative to the region before, in the same file. */
static const char *read_region(struct mapping *mapping, struct cursor *cursor,
                               uint32_t file, uint32_t *line) {
  struct region region = {.file = file};
  uint64_t delta, column, lines, end;
  if (!read_kind(mapping, cursor, &region) ||
      !number(cursor, UINT32_MAX, &delta) ||
      !number(cursor, UINT32_MAX, &column) ||
      !number(cursor, UINT32_MAX, &lines) ||
      !number(cursor, UINT32_MAX, &end) || delta > UINT32_MAX - *line ||
      lines > UINT32_MAX - *line - delta)
    return damaged;
  *line += (uint32_t)delta;
  if (end >> GAP_BIT) {
    region.kind = REGION_GAP;
    end &= (1u << GAP_BIT) - 1;
  }
  region.begin = (struct place){*line, (uint32_t)column};
  region.end = (struct place){*line + (uint32_t)lines, (uint32_t)end};
  return buffer_append(&mapping->region_list, &region, sizeof region);
}

static const char *read_expressions(struct mapping *mapping,
                                    struct cursor *cursor) {
  uint64_t count;
  const char *error = NULL;
  if (!count_of(cursor, &count))
    return damaged;
  mapping->expression_count = (size_t)count;
  for (; count && !error; count--) {
    struct expression expression;
    if (!read_counter(mapping, cursor, &expression.left) ||
        !read_counter(mapping, cursor, &expression.right))
      return damaged;
    error = buffer_append(&mapping->expression_list, &expression,
                          sizeof expression);
  }
  return error;
}

static const char *read_function(struct mapping *mapping,
                                 struct cursor cursor) {
  uint64_t count, index;
  const char *error = NULL;
  mapping->region_list.size = mapping->expression_list.size = 0;
  mapping->files.size = 0;
  if (!count_of(&cursor, &count))
    return damaged;
  mapping->file_count = (size_t)count;
  for (; count && !error; count--) {
    if (!number(&cursor, UINT32_MAX, &index))
      return damaged;
    error = buffer_append(&mapping->files, &index, sizeof index);
  }
  if (!error)
    error = read_expressions(mapping, &cursor);
  for (size_t i = 0; i < mapping->file_count && !error; i++) {
    uint32_t line = 0;
    if (!count_of(&cursor, &count))
      return damaged;
    for (; count && !error; count--)
      error = read_region(mapping, &cursor, (uint32_t)i, &line);
  }
  mapping->regions = (struct region *)mapping->region_list.data;
  mapping->region_count = mapping->region_list.size / sizeof *mapping->regions;
  mapping->expressions = (struct expression *)mapping->expression_list.data;
  return error;
}

bool mapping_next(struct mapping *mapping, const char **error) {
  struct bytes all = mapping->records;
  while (!*error && all.size - mapping->at >= RECORD_HEADER) {
    const unsigned char *record = all.data + mapping->at;
    size_t size = load32(record + 8, mapping->big);
    if (size > all.size - mapping->at - RECORD_HEADER) {
      *error = damaged;
      return false;
    }
    mapping->record = (struct bytes){record, RECORD_HEADER + size};
    mapping->name = load64(record, mapping->big);
    mapping->reference = load64(record + 20, mapping->big);
    mapping->at = aligned(mapping->at + RECORD_HEADER + size);
    if (mapping->at > all.size)
      mapping->at = all.size;
    const struct part *part = find_part(mapping);
    if (!size || !part)
      continue;
    mapping->mcdc = part->mcdc;
    *error =
        read_function(mapping, (struct cursor){record + RECORD_HEADER,
                                               record + RECORD_HEADER + size});
    return !*error;
  }
  return false;
}

/* ---- names of files ---- */

/* Sets *names to the strings of a part. The caller frees *memory. */
static const char *unpack(struct cursor cursor, uint64_t packed, uint64_t size,
                          struct cursor *names, unsigned char **memory) {
  size_t left = (size_t)(cursor.end - cursor.at), got = (size_t)size;
  if ((packed ? packed : size) > left)
    return damaged;
  *names = (struct cursor){cursor.at, cursor.at + size};
  if (!packed)
    return NULL;
  if (size > NAMES_MOST || size > inflate_most((size_t)packed))
    return damaged;
  *memory = malloc((size_t)size + 1);
  if (!*memory)
    return out_of_memory;
  const char *error =
      inflate_zlib((struct bytes){cursor.at, (size_t)packed}, *memory, &got);
  *names = (struct cursor){*memory, *memory + got};
  return error;
}

/* Joins a folder and a name. */
static const char *join(struct bytes folder, struct bytes name, char **joined) {
  if (name.size && name.data[0] == '/')
    folder.size = 0;
  *joined = malloc(folder.size + name.size + 2);
  if (!*joined)
    return out_of_memory;
  if (folder.size)
    memcpy(*joined, folder.data, folder.size);
  if (folder.size)
    (*joined)[folder.size++] = '/';
  if (name.size)
    memcpy(*joined + folder.size, name.data, name.size);
  (*joined)[folder.size + name.size] = 0;
  return NULL;
}

/* The first string is the folder that the compiler was in. */
static const char *pick(struct cursor names, uint64_t count, uint64_t index,
                        char **name) {
  struct bytes folder = {NULL, 0}, found = {NULL, 0};
  uint64_t size;
  if (index >= count)
    return damaged;
  for (uint64_t i = 0; i <= index; i++) {
    if (!number(&names, (uint64_t)(names.end - names.at), &size) ||
        size > (uint64_t)(names.end - names.at))
      return damaged;
    found = (struct bytes){names.at, (size_t)size};
    if (!i)
      folder = found;
    names.at += size;
  }
  return join(index ? folder : (struct bytes){NULL, 0}, found, name);
}

const char *mapping_file(const struct mapping *mapping, uint32_t file,
                         char **name) {
  const struct part *part = find_part(mapping);
  uint64_t count, size, packed, index;
  unsigned char *memory = NULL;
  struct cursor names;
  *name = NULL;
  if (!part || file >= mapping->file_count)
    return damaged;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  struct cursor cursor = {part->bytes.data,
                          part->bytes.data + part->bytes.size};
  if (!number(&cursor, UINT32_MAX, &count) ||
      !number(&cursor, UINT32_MAX, &size) ||
      !number(&cursor, UINT32_MAX, &packed))
    return damaged;
  const char *error = unpack(cursor, packed, size, &names, &memory);
  if (!error)
    error = pick(names, count, index, name);
  free(memory);
  return error;
}

/* ---- writing ---- */

static const char *put_number(struct buffer *to, uint64_t value) {
  unsigned char bytes[10];
  size_t size = 0;
  do
    bytes[size++] = (unsigned char)((value & 0x7F) | (value > 0x7F) << 7);
  while (value >>= 7);
  return buffer_append(to, bytes, size);
}

static const char *put_numbers(struct buffer *to, const uint64_t *values,
                               size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++)
    error = put_number(to, values[i]);
  return error;
}

/* What read_kind reads. */
static const char *put_kind(struct buffer *to, const struct region *region) {
  const uint64_t both[] = {region->counter, region->other};
  uint64_t word = (uint64_t)region->kind << 3, numbers[3];
  unsigned count = region->kind == REGION_DECISION      ? 2
                   : region->kind == REGION_MCDC_BRANCH ? 3
                                                        : 0;
  if (region->kind == REGION_CODE || region->kind == REGION_GAP)
    word = region->counter;
  else if (region->kind == REGION_EXPANSION)
    word = (uint64_t)region->expanded << 3 | 4;
  const char *error = put_number(to, word);
  if (!error &&
      (region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH))
    error = put_numbers(to, both, 2);
  for (unsigned i = 0; i < count; i++)
    numbers[i] = region->numbers[i];
  return error ? error : put_numbers(to, numbers, count);
}

static const char *put_regions(const struct mapping *mapping,
                               struct buffer *to) {
  const char *error = NULL;
  for (size_t file = 0, i = 0; file < mapping->file_count && !error; file++) {
    size_t end = i;
    while (end < mapping->region_count && mapping->regions[end].file == file)
      end++;
    error = put_number(to, end - i);
    for (uint32_t line = 0; i < end && !error; i++) {
      const struct region *region = &mapping->regions[i];
      uint64_t gap = region->kind == REGION_GAP;
      const uint64_t place[] = {region->begin.line - line, region->begin.column,
                                region->end.line - region->begin.line,
                                region->end.column | gap << GAP_BIT};
      error = put_kind(to, region);
      if (!error)
        error = put_numbers(to, place, 4);
      line = region->begin.line;
    }
  }
  return error;
}

const char *mapping_write(const struct mapping *mapping, struct buffer *to) {
  static const unsigned char zeros[ALIGNED];
  size_t begin = to->size;
  const char *error = buffer_append(to, mapping->record.data, RECORD_HEADER);
  if (!error)
    error = put_number(to, mapping->file_count);
  if (!error)
    error = put_numbers(to, (const uint64_t *)mapping->files.data,
                        mapping->file_count);
  if (!error)
    error = put_number(to, mapping->expression_count);
  for (size_t i = 0; i < mapping->expression_count && !error; i++) {
    const struct expression *expression = &mapping->expressions[i];
    const uint64_t both[] = {expression->left, expression->right};
    error = put_numbers(to, both, 2);
  }
  if (!error)
    error = put_regions(mapping, to);
  size_t size = to->size - begin;
  if (!error)
    error = buffer_append(to, zeros, aligned(size) - size);
  if (!error)
    store32(to->data + begin + 8, (uint32_t)(size - RECORD_HEADER),
            mapping->big);
  return error;
}
