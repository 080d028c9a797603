/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes coverage mappings. Section __llvm_covmap has a part for each
 * object, which is a header and the names of the object's files. Section
 * __llvm_covfun has a record for each function, which refers to those names by
 * their MD5.
 */
#include "mapping.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../base/source_name.h"
#include "digest.h"
#include "inflate.h"

enum {
  NAMES_HEADER = 16, /* header of a part of the names section */
  RECORD_HEADER = MAPPING_HEADER,
  HASH_AT = 12,      /* offset of the hash in a function's record */
  REFERENCE_AT = 20, /* offset in a record of the MD5 of the file names */
  ALIGNED = 8,
  VERSION_FIRST = 5, /* the number that files store for version 6 */
  VERSION_MCDC = 6,
  SECTION_MOST = 1 << 30,
  NAMES_MOST = 1 << 26,
  GAP_BIT = 31
};

/* The list of file names of an object. */
struct object_file_names {
  uint64_t reference;
  struct bytes bytes; /* the list, without its header */
  bool mcdc;
};

struct mapping_cursor {
  const unsigned char *at, *end;
};

static size_t align_offset(size_t at) {
  return (at + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static bool read_number(struct mapping_cursor *cursor, uint64_t most,
                        uint64_t *value) {
  return read_uleb128(&cursor->at, cursor->end, value) && *value <= most;
}

const char mapping_damaged[] =
    "the coverage mapping is damaged; link the ELF again";

/* Reads a number of elements. Each element takes at least one byte, so the
 * number must not be larger than the number of bytes left. */
static bool read_count(struct mapping_cursor *cursor, uint64_t *count) {
  return read_number(cursor, UINT64_MAX, count) &&
         *count <= (uint64_t)(cursor->end - cursor->at);
}

/* ---- opening ---- */

static const char *read_file_name_lists(struct mapping *mapping) {
  struct bytes all = mapping->names;
  const char *error = NULL;
  for (size_t at = 0; !error && all.size - at >= NAMES_HEADER;) {
    const unsigned char *header = all.data + at;
    uint64_t size = load32(header + 4, mapping->big);
    uint64_t more = load32(header + 8, mapping->big);
    unsigned version = load32(header + 12, mapping->big);
    if (size + more > all.size - at - NAMES_HEADER)
      return mapping_damaged;
    /* A list of names with an earlier version is left out, because records that
     * refer to this list have another layout. */
    struct object_file_names part = {
        md5_low64(header + NAMES_HEADER, (size_t)size),
        {header + NAMES_HEADER, (size_t)size},
        version >= VERSION_MCDC};
    if (version >= VERSION_FIRST)
      error = buffer_append_bytes(&mapping->parts, &part, sizeof part);
    at = align_offset(at + NAMES_HEADER + (size_t)(size + more));
    at = at < all.size ? at : all.size;
  }
  return error;
}

ORDER_BY(by_reference, struct object_file_names, x->reference,
         (uintptr_t)x->bytes.data);

/* Joins the contents of all sections with this name. Objects have such a
 * section for each function. */
static const char *join_named_sections(const struct elf *elf, const char *name,
                                       struct bytes *bytes,
                                       unsigned char **memory) {
  static const unsigned char zeros[ALIGNED];
  struct buffer all = {.limit = SECTION_MOST};
  const char *error = NULL;
  for (uint64_t i = 0; i < elf->section_count && !error; i++) {
    struct elf_section section = elf_section(elf, i);
    struct bytes one = {NULL, 0};
    unsigned char *room = NULL;
    if (strcmp(section.name, name) != 0)
      continue;
    error = elf_read_contents(elf, &section, SECTION_MOST, &one, &room);
    if (!error)
      error = buffer_append(&all, one.data, one.size);
    if (!error)
      error = buffer_append(&all, zeros, align_offset(all.size) - all.size);
    free(room);
  }
  *bytes = buffer_bytes(&all);
  *memory = all.data;
  return error;
}

static const char *load_mapping_section(const struct elf *elf, const char *name,
                                        struct bytes *bytes,
                                        unsigned char **memory) {
  struct elf_section section;
  if (elf->type == ELF_REL)
    return join_named_sections(elf, name, bytes, memory);
  return elf_find_section(elf, name, &section)
             ? elf_read_contents(elf, &section, SECTION_MOST, bytes, memory)
             : NULL;
}

const char *mapping_open(struct mapping *mapping, const struct elf *elf) {
  size_t most = elf_derived_size_limit(elf);
  *mapping = (struct mapping){.big = elf->big,
                              .region_list = {.limit = most},
                              .expression_list = {.limit = most},
                              .files = {.limit = most},
                              .parts = {.limit = most}};
  const char *error = load_mapping_section(
      elf, "__llvm_covmap", &mapping->names, &mapping->memory[0]);
  if (!error)
    error = load_mapping_section(elf, "__llvm_covfun", &mapping->records,
                                 &mapping->memory[1]);
  if (!error)
    error = read_file_name_lists(mapping);
  if (mapping->parts.size)
    qsort(mapping->parts.data,
          mapping->parts.size / sizeof(struct object_file_names),
          sizeof(struct object_file_names), by_reference);
  return error;
}

void mapping_close(struct mapping *mapping) {
  buffer_free(&mapping->region_list);
  buffer_free(&mapping->expression_list);
  buffer_free(&mapping->files);
  buffer_free(&mapping->parts);
  free(mapping->memory[0]);
  free(mapping->memory[1]);
  free(mapping->memory[2]);
  *mapping = (struct mapping){.regions = NULL};
}

/* Returns the file names to which the current function refers, or NULL. */
static const struct object_file_names *
find_object_file_names(const struct mapping *mapping) {
  const struct object_file_names *list =
      (const struct object_file_names *)mapping->parts.data;
  size_t count = mapping->parts.size / sizeof *list;
  size_t at = search_from(list, count, reference, mapping->reference);
  return at < count && list[at].reference == mapping->reference ? &list[at]
                                                                : NULL;
}

/* ---- a function ---- */

static bool read_counter(const struct mapping *mapping,
                         struct mapping_cursor *cursor, uint64_t *counter) {
  return read_number(cursor, UINT32_MAX, counter) &&
         (*counter % 4 < COUNTER_LESS ||
          *counter / 4 < mapping->expression_count);
}

static bool read_region_numbers(struct mapping_cursor *cursor,
                                struct region *region, unsigned count) {
  uint64_t value;
  for (unsigned i = 0; i < count; i++) {
    if (!read_number(cursor, UINT32_MAX, &value))
      return false;
    region->numbers[i] = (uint32_t)value;
  }
  return true;
}

/* Reads the kind of a region and the region's counters. */
static bool read_region_kind(const struct mapping *mapping,
                             struct mapping_cursor *cursor,
                             struct region *region) {
  uint64_t word;
  if (!read_number(cursor, UINT32_MAX, &word))
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
    return read_region_numbers(cursor, region, 2);
  if (region->kind != REGION_BRANCH && region->kind != REGION_MCDC_BRANCH)
    return true;
  if (!read_counter(mapping, cursor, &region->counter) ||
      !read_counter(mapping, cursor, &region->other))
    return false;
  return region->kind == REGION_BRANCH ||
         read_region_numbers(cursor, region, 3);
}

/* Reads a region, whose line is relative to the region before in its file. */
static const char *read_region(struct mapping *mapping,
                               struct mapping_cursor *cursor, uint32_t file,
                               uint32_t *line) {
  struct region region = {.file = file};
  uint64_t delta, column, lines, end;
  if (!read_region_kind(mapping, cursor, &region) ||
      !read_number(cursor, UINT32_MAX, &delta) ||
      !read_number(cursor, UINT32_MAX, &column) ||
      !read_number(cursor, UINT32_MAX, &lines) ||
      !read_number(cursor, UINT32_MAX, &end) || delta > UINT32_MAX - *line ||
      lines > UINT32_MAX - *line - delta)
    return mapping_damaged;
  *line += (uint32_t)delta;
  if (end >> GAP_BIT) {
    region.kind = REGION_GAP;
    end &= (1u << GAP_BIT) - 1;
  }
  if (!lines && end < column)
    return mapping_damaged;
  region.begin = (struct source_position){*line, (uint32_t)column};
  region.end = (struct source_position){*line + (uint32_t)lines, (uint32_t)end};
  return buffer_append_bytes(&mapping->region_list, &region, sizeof region);
}

static const char *read_expressions(struct mapping *mapping,
                                    struct mapping_cursor *cursor) {
  uint64_t count;
  const char *error = NULL;
  if (!read_count(cursor, &count))
    return mapping_damaged;
  mapping->expression_count = (size_t)count;
  for (; count && !error; count--) {
    struct counter_expression expression;
    if (!read_counter(mapping, cursor, &expression.left) ||
        !read_counter(mapping, cursor, &expression.right))
      return mapping_damaged;
    error = buffer_append_bytes(&mapping->expression_list, &expression,
                                sizeof expression);
  }
  return error;
}

static const char *read_mapped_function(struct mapping *mapping,
                                        struct mapping_cursor cursor) {
  uint64_t count, index;
  const char *error = NULL;
  mapping->region_list.size = mapping->expression_list.size = 0;
  mapping->files.size = 0;
  if (!read_count(&cursor, &count))
    return mapping_damaged;
  mapping->file_count = (size_t)count;
  for (; count && !error; count--) {
    if (!read_number(&cursor, UINT32_MAX, &index))
      return mapping_damaged;
    error = buffer_append_bytes(&mapping->files, &index, sizeof index);
  }
  mapping->body = (struct bytes){cursor.at, (size_t)(cursor.end - cursor.at)};
  if (!error)
    error = read_expressions(mapping, &cursor);
  for (size_t i = 0; i < mapping->file_count && !error; i++) {
    uint32_t line = 0;
    if (!read_count(&cursor, &count))
      return mapping_damaged;
    for (; count && !error; count--)
      error = read_region(mapping, &cursor, (uint32_t)i, &line);
  }
  mapping->regions = (struct region *)mapping->region_list.data;
  mapping->region_count = mapping->region_list.size / sizeof *mapping->regions;
  mapping->expressions =
      (struct counter_expression *)mapping->expression_list.data;
  return error;
}

bool mapping_next_record(struct mapping *mapping, const char **error) {
  struct bytes all = mapping->records;
  while (!*error && all.size - mapping->at >= RECORD_HEADER) {
    const unsigned char *record = all.data + mapping->at;
    size_t size = load32(record + 8, mapping->big);
    if (size > all.size - mapping->at - RECORD_HEADER) {
      *error = mapping_damaged;
      return false;
    }
    mapping->record = (struct bytes){record, RECORD_HEADER + size};
    mapping->name = load64(record, mapping->big);
    mapping->hash = load64(record + HASH_AT, mapping->big);
    mapping->reference = load64(record + REFERENCE_AT, mapping->big);
    mapping->at = align_offset(mapping->at + RECORD_HEADER + size);
    if (mapping->at > all.size)
      mapping->at = all.size;
    const struct object_file_names *part = find_object_file_names(mapping);
    if (!size || !part)
      continue;
    mapping->mcdc = part->mcdc;
    return true;
  }
  return false;
}

bool mapping_function_is_unused(const struct mapping *mapping) {
  return !mapping->hash && !mapping->broken && mapping->file_count == 1 &&
         !mapping->expression_list.size && mapping->region_count == 1 &&
         mapping->regions->kind == REGION_CODE && !mapping->regions->counter;
}

void mapping_rewind(struct mapping *mapping) { mapping->at = 0; }

const char *mapping_read_record(struct mapping *mapping, struct bytes record) {
  mapping->record = record;
  return read_mapped_function(
      mapping, (struct mapping_cursor){record.data + RECORD_HEADER,
                                       record.data + record.size});
}

/* Keeps only the region of the body if later regions are damaged. clang 19
 * omits the list of regions of an included file without regions, so the later
 * lists seem to belong to other files. The body is in the first list. */
const char *mapping_read_regions(struct mapping *mapping) {
  const char *error = mapping_read_record(mapping, mapping->record);
  struct region *body = (struct region *)mapping->region_list.data;
  mapping->broken = error == mapping_damaged && mapping->region_list.size &&
                    body->kind == REGION_CODE && !body->file;
  if (!mapping->broken)
    return error;
  if (body->counter % 4 >= COUNTER_LESS)
    body->counter = COUNTER_ZERO;
  mapping->regions = body;
  mapping->region_count = mapping->file_count = 1;
  return NULL;
}

bool mapping_next_function(struct mapping *mapping, const char **error) {
  if (!mapping_next_record(mapping, error))
    return false;
  *error = mapping_read_regions(mapping);
  return !*error;
}

/* ---- writing ---- */

static const char *append_number(struct buffer *to, uint64_t value) {
  unsigned char bytes[10];
  size_t size = 0;
  do
    bytes[size++] = (unsigned char)((value & 0x7F) | (value > 0x7F) << 7);
  while (value >>= 7);
  return buffer_append_bytes(to, bytes, size);
}

static const char *append_numbers(struct buffer *to, const uint64_t *values,
                                  size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++)
    error = append_number(to, values[i]);
  return error;
}

/* Writes the fields that read_region_kind reads. */
static const char *append_region_kind(struct buffer *to,
                                      const struct region *region) {
  const uint64_t both[] = {region->counter, region->other};
  uint64_t word = (uint64_t)region->kind << 3, numbers[3];
  unsigned count = region->kind == REGION_DECISION      ? 2
                   : region->kind == REGION_MCDC_BRANCH ? 3
                                                        : 0;
  if (region->kind == REGION_CODE || region->kind == REGION_GAP)
    word = region->counter;
  else if (region->kind == REGION_EXPANSION)
    word = (uint64_t)region->expanded << 3 | 4;
  const char *error = append_number(to, word);
  if (!error &&
      (region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH))
    error = append_numbers(to, both, 2);
  for (unsigned i = 0; i < count; i++)
    numbers[i] = region->numbers[i];
  return error ? error : append_numbers(to, numbers, count);
}

static const char *append_regions(const struct mapping *mapping,
                                  struct buffer *to) {
  const char *error = NULL;
  for (size_t file = 0, i = 0; file < mapping->file_count && !error; file++) {
    size_t end = i;
    while (end < mapping->region_count && mapping->regions[end].file == file)
      end++;
    error = append_number(to, end - i);
    for (uint32_t line = 0; i < end && !error; i++) {
      const struct region *region = &mapping->regions[i];
      uint64_t gap = region->kind == REGION_GAP;
      const uint64_t place[] = {region->begin.line - line, region->begin.column,
                                region->end.line - region->begin.line,
                                region->end.column | gap << GAP_BIT};
      error = append_region_kind(to, region);
      if (!error)
        error = append_numbers(to, place, 4);
      line = region->begin.line;
    }
  }
  return error;
}

const char *mapping_append_record(const struct mapping *mapping,
                                  struct buffer *to) {
  static const unsigned char zeros[ALIGNED];
  size_t begin = to->size;
  const char *error =
      buffer_append_bytes(to, mapping->record.data, RECORD_HEADER);
  if (!error)
    error = append_number(to, mapping->file_count);
  if (!error)
    error = append_numbers(to, (const uint64_t *)mapping->files.data,
                           mapping->file_count);
  if (!error)
    error = append_number(to, mapping->expression_count);
  for (size_t i = 0; i < mapping->expression_count && !error; i++) {
    const struct counter_expression *expression = &mapping->expressions[i];
    const uint64_t both[] = {expression->left, expression->right};
    error = append_numbers(to, both, 2);
  }
  if (!error)
    error = append_regions(mapping, to);
  size_t size = to->size - begin;
  if (!error)
    error = buffer_append_bytes(to, zeros, align_offset(size) - size);
  if (!error)
    store32(to->data + begin + 8, (uint32_t)(size - RECORD_HEADER),
            mapping->big);
  return error;
}

/* ---- names of files ----
 *
 * A mapping names the compiler's folder first, and then files that are relative
 * to that folder or absolute.
 */

/* Reads the file names of one object. The folder of the compiler, which is the
 * first name, has already been read. */
struct file_name_cursor {
  struct mapping_cursor at;
  uint64_t count; /* number of names, including the folder */
  struct bytes folder;
};

/* Unpacks the strings, unless the last call unpacked the same strings. Usually
 * it did, because the names of a function's files are in one list. */
static const char *unpack_file_names(struct mapping *mapping,
                                     struct bytes packed, uint64_t size) {
  size_t got = (size_t)size;
  if (mapping->unpacked_of == packed.data)
    return NULL;
  if (size > NAMES_MOST || size > inflate_size_limit(packed.size))
    return mapping_damaged;
  free(mapping->memory[2]);
  mapping->unpacked_of = NULL;
  mapping->memory[2] = malloc((size_t)size + 1);
  if (!mapping->memory[2])
    return out_of_memory;
  const char *error = inflate_zlib(packed, mapping->memory[2], &got);
  mapping->unpacked = (struct bytes){mapping->memory[2], got};
  if (!error)
    mapping->unpacked_of = packed.data;
  return error;
}

static bool read_next_file_name(struct file_name_cursor *list,
                                struct bytes *name) {
  struct mapping_cursor *at = &list->at;
  uint64_t size;
  if (!read_number(at, (uint64_t)(at->end - at->at), &size) ||
      size > (uint64_t)(at->end - at->at))
    return false;
  *name = (struct bytes){at->at, (size_t)size};
  at->at += size;
  return true;
}

static const char *open_file_name_list(struct file_name_cursor *list,
                                       struct mapping *mapping,
                                       const struct object_file_names *part) {
  const char *error = NULL;
  uint64_t size, packed;
  struct mapping_cursor cursor = {part->bytes.data,
                                  part->bytes.data + part->bytes.size};
  *list = (struct file_name_cursor){.count = 0};
  if (!read_number(&cursor, UINT32_MAX, &list->count) ||
      !read_number(&cursor, UINT32_MAX, &size) ||
      !read_number(&cursor, UINT32_MAX, &packed))
    return mapping_damaged;
  if ((packed ? packed : size) > (uint64_t)(cursor.end - cursor.at))
    return mapping_damaged;
  struct bytes strings = {cursor.at, (size_t)(packed ? packed : size)};
  if (packed) {
    error = unpack_file_names(mapping, strings, size);
    strings = mapping->unpacked;
  }
  list->at = (struct mapping_cursor){strings.data, strings.data + strings.size};
  if (!error && list->count && !read_next_file_name(list, &list->folder))
    error = mapping_damaged;
  return error;
}

/* Joins a folder and a name, and removes ".." from the result, as llvm-cov
 * does. Otherwise a header would count as one file for each path to it. An
 * absolute name stays unchanged. */
static const char *join_path(struct bytes folder, struct bytes name,
                             char **joined) {
  if ((name.size && *name.data == '/') ||
      source_name_is_windows((const char *)name.data, name.size))
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
  source_name_normalise(*joined);
  if (folder.size)
    (*joined)[source_name_remove_dots(*joined, strlen(*joined),
                                      **joined == '/')] = 0;
  return NULL;
}

const char *mapping_make_file_name(struct mapping *mapping, uint32_t file,
                                   char **name) {
  const struct object_file_names *part = find_object_file_names(mapping);
  struct file_name_cursor list;
  uint64_t index;
  *name = NULL;
  if (!part || file >= mapping->file_count)
    return mapping_damaged;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  const char *error = open_file_name_list(&list, mapping, part);
  if (!error && index >= list.count)
    error = mapping_damaged;
  struct bytes found = list.folder, none = {NULL, 0};
  for (uint64_t i = 0; i < index && !error; i++)
    if (!read_next_file_name(&list, &found))
      error = mapping_damaged;
  if (!error)
    error = join_path(index ? list.folder : none, found, name);
  return error;
}

size_t mapping_object_count(const struct mapping *mapping) {
  return mapping->parts.size / sizeof(struct object_file_names);
}

bool mapping_object_file_name(struct mapping *mapping, size_t object,
                              uint64_t file, struct bytes *name) {
  const struct object_file_names *part =
      (const struct object_file_names *)mapping->parts.data + object;
  struct file_name_cursor list;
  bool found =
      !open_file_name_list(&list, mapping, part) && file + 1 < list.count;
  for (uint64_t i = 0; found && i <= file; i++)
    found = read_next_file_name(&list, name);
  return found;
}

static const char *add_object_to_file_counts(struct map *counts,
                                             struct file_name_cursor *list,
                                             uint32_t object) {
  const char *error = NULL;
  struct bytes name;
  while (!error && read_next_file_name(list, &name)) {
    char *joined;
    error = join_path(list->folder, name, &joined);
    uint64_t *at =
        error ? NULL
              : map_find_or_add(
                    counts,
                    md5_low64((const unsigned char *)joined, strlen(joined)), 0,
                    0);
    free(joined);
    if (!at)
      return error ? error : out_of_memory;
    /* The low 32 bits are the number of the last object that has the file. */
    if ((uint32_t)*at != object)
      *at = ((*at >> 32) + 1) << 32 | object;
  }
  return error;
}

const char *mapping_count_file_objects(struct mapping *mapping,
                                       struct map *counts) {
  const struct object_file_names *parts =
      (const struct object_file_names *)mapping->parts.data;
  const char *error = NULL;
  for (size_t i = 0; i < mapping_object_count(mapping) && !error; i++) {
    struct file_name_cursor list;
    error = open_file_name_list(&list, mapping, &parts[i]);
    if (!error)
      error = add_object_to_file_counts(counts, &list, (uint32_t)(i + 1));
  }
  return error;
}
