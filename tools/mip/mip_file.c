/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes maps and .mip files (mip_file.h has the formats). mip_raw.c
 * reads the headers, mip_model.c keeps the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "mip_file.h"
#include "image.h"

/* ==== Reads and writes maps. Linkers put zeros between the records of two
 * objects, but no more zeros than the alignment of a record needs. */

static const char damaged_map[] =
    "the map is damaged or truncated; for an ELF link with bareprof-mip.ld, "
    "for a map file extract the map again";

/* A place in a file. If bytes are missing at the end of the file, they are read
 * as 0, and `cut` becomes true. */
struct mip_cursor {
  const unsigned char *at;
  size_t left;
  bool big, cut;
};

/* ---- reading ---- */

/* Returns the next bytes, or NULL if the file ends before. */
static const unsigned char *consume_bytes(struct mip_cursor *cursor,
                                          uint64_t size) {
  const unsigned char *bytes = cursor->at;
  if (size > cursor->left) {
    cursor->cut = true;
    return NULL;
  }
  cursor->at += size;
  cursor->left -= (size_t)size;
  return bytes;
}

static uint64_t consume_number(struct mip_cursor *cursor, unsigned size) {
  const unsigned char *bytes = consume_bytes(cursor, size);
  return bytes ? load_number(bytes, size, cursor->big) : 0;
}

static uint32_t consume_u32(struct mip_cursor *cursor) {
  return (uint32_t)consume_number(cursor, 4);
}

static int64_t sign_extend(uint64_t value, unsigned size) {
  return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

/* Reads which blocks are implied, if the profile type includes implied blocks.
 * Returns the numbers in the file's byte order. */
static const unsigned char *parse_implications(struct mip_cursor *cursor,
                                               uint32_t type,
                                               struct mip_function *function) {
  if (type & MIP_FOLLOWS)
    function->implications.count = consume_u32(cursor);
  return consume_bytes(cursor, 4 * (uint64_t)function->implications.count);
}

/* Adds a function, whose implications are numbers in the file's byte order. */
static const char *add_parsed_function(struct mip_profile *profile,
                                       struct mip_function *function,
                                       const unsigned char *follows, bool big,
                                       struct bytes name,
                                       struct mip_function **added) {
  uint32_t count = function->implications.count;
  uint32_t *numbers = need_memory(malloc(((size_t)count + 1) * 4));
  for (uint32_t i = 0; i < count; i++)
    numbers[i] = load32(follows + 4 * (size_t)i, big);
  function->implications.numbers = numbers;
  const char *error = mip_add_function(profile, function, name, added);
  free(numbers);
  return error;
}

/* Reads a map record. `at` is the offset of the record in the map. */
static const char *parse_map_record(struct mip_profile *profile,
                                    struct mip_cursor *cursor,
                                    const struct mip_header *header,
                                    size_t at) {
  struct mip_function function = {0}, *added;
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = header->revision == MIP_A
                       ? consume_number(cursor, 4)
                       : (uint64_t)header->raw_section - at;
  uint64_t raw = consume_number(cursor, size) - start;
  function.raw = size == 4 ? (uint32_t)raw : raw;
  function.address = sign_extend(consume_number(cursor, size) - start, size);
  function.size = consume_u32(cursor);
  function.cfg = consume_u32(cursor);
  function.block_count = consume_u32(cursor);
  const unsigned char *blocks =
      consume_bytes(cursor, 4 * (uint64_t)function.block_count);
  const unsigned char *follows =
      parse_implications(cursor, header->type, &function);
  struct bytes name = {.size = consume_u32(cursor)};
  name.data = consume_bytes(cursor, name.size);
  if (cursor->cut)
    return damaged_map;
  const char *error = add_parsed_function(profile, &function, follows,
                                          cursor->big, name, &added);
  for (uint32_t i = 0; i < function.block_count && !error; i++)
    added->blocks[i].offset = load32(blocks + 4 * (size_t)i, cursor->big);
  return error;
}

const char *mip_map_parse(struct mip_profile *profile, struct bytes map) {
  struct mip_header header;
  mip_profile_init(profile);
  const char *error = mip_header_parse(&header, map);
  if (error)
    return error;
  if (header.kind != MIP_MAP)
    return "this MIP file is not a map; pass a map or an ELF";
  mip_profile_set_header(profile, &header);
  size_t align = header.revision == MIP_B && !header.wide ? 4 : 8;
  size_t at = mip_header_size(header.revision);
  while (at < map.size && !error) {
    struct mip_cursor cursor = {map.data + at, map.size - at, header.big,
                                false};
    error = parse_map_record(profile, &cursor, &header, at);
    at = map.size - cursor.left;
    at += (align - at % align) % align;
  }
  return error ? error : mip_index_and_check_functions(profile);
}

/* ---- writing ---- */

void mip_append_number(struct buffer *to, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store_number(bytes, value, size, false);
  need_append(to, bytes, size);
}

void mip_append_padding(struct buffer *to, unsigned align) {
  static const unsigned char zeros[8];
  need_append(to, zeros, -to->size % align);
}

static void append_implications(struct buffer *to,
                                const struct mip_function *function) {
  mip_append_number(to, function->implications.count, 4);
  for (uint32_t i = 0; i < function->implications.count; i++)
    mip_append_number(to, function->implications.numbers[i], 4);
}

static void append_map_record(const struct mip_header *header,
                              const struct mip_function *function,
                              struct buffer *to) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = header->revision == MIP_A ? 0 : 0 - (uint64_t)to->size;
  size_t length = strlen(function->name);
  if (header->revision == MIP_A)
    mip_append_number(to, start, 4);
  mip_append_number(to, function->raw + start, size);
  mip_append_number(to, (uint64_t)function->address + start, size);
  mip_append_number(to, function->size, 4);
  mip_append_number(to, function->cfg, 4);
  mip_append_number(to, function->block_count, 4);
  for (uint32_t i = 0; i < function->block_count; i++)
    mip_append_number(to, function->blocks[i].offset, 4);
  if (header->type & MIP_FOLLOWS)
    append_implications(to, function);
  mip_append_number(to, length, 4);
  need_append(to, function->name, length);
  mip_append_padding(to, header->revision == MIP_B && !header->wide ? 4 : 8);
}

void mip_map_append(const struct mip_profile *profile, struct buffer *to) {
  struct mip_header header = mip_header_from_profile(profile, MIP_MAP);
  mip_header_append(&header, to);
  for (size_t i = 0; i < profile->function_count; i++)
    append_map_record(&header, &profile->functions[i], to);
}

/* ==== Opens files for commands. */

const char *mip_find_elf_map(const struct elf *elf, struct bytes *map,
                             unsigned char **memory) {
  struct elf_section section;
  *memory = NULL;
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  if (!elf_find_section(elf, "__llvm_mipmap", &section))
    return "the section __llvm_mipmap is missing: the ELF was patched, "
           "stripped, or not instrumented; pass the map file, or the "
           "instrumented ELF, unstripped";
  if (!section.bytes)
    return "the map has no contents; link with bareprof-mip.ld";
  const char *error =
      elf_read_contents(elf, &section, MIP_FILE_LIMIT, map, memory);
  struct mip_header header;
  if (!error && mip_header_parse(&header, *map))
    error = "the section __llvm_mipmap does not begin with a header; link with "
            "bareprof-mip.ld";
  return error;
}

uint32_t mip_build_hash(const struct elf *elf) {
  struct bytes id;
  return elf_find_build_id(elf, &id) ? bareprof_build_hash(id.data, id.size)
                                     : 0;
}

static const char *load_elf_map(struct mip_profile *profile,
                                struct bytes file) {
  struct elf elf;
  struct bytes map;
  unsigned char *memory;
  mip_profile_init(profile);
  const char *error = elf_open(&elf, file);
  if (error)
    return error;
  error = mip_find_elf_map(&elf, &map, &memory);
  if (!error)
    error = mip_map_parse(profile, map);
  if (!error)
    profile->build = mip_build_hash(&elf);
  free(memory);
  return error;
}

const char *mip_parse_file(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  mip_profile_init(profile);
  if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
    return load_elf_map(profile, file);
  const char *error = mip_header_parse(&header, file);
  if (error)
    return error;
  if (header.kind == MIP_MAP)
    return mip_map_parse(profile, file);
  if (header.kind == MIP_PROFILE)
    return mip_profile_parse(profile, file);
  return "this is raw data from a target; pass it to bareprof mip merge, after "
         "the ELF";
}

int mip_load_profile(struct mip_profile *profile, const char *name) {
  struct file file;
  *profile = (struct mip_profile){0};
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_parse_file(profile, file.bytes);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

int mip_save_profile(const struct mip_profile *profile, const char *name) {
  struct buffer buffer = {.limit = (size_t)4 << 30};
  mip_profile_append(profile, &buffer);
  int status = output_write_bytes(name, buffer_bytes(&buffer));
  buffer_free(&buffer);
  return status;
}

/* ==== Reads and writes .mip files. A function has only the MD5 of its name,
 * because the names follow the functions. So the reader skips the functions,
 * reads the names, and then reads the functions again. */

static const char damaged[] =
    "the profile is damaged or truncated; make the profile again";
static const unsigned char edges_magic[8] = {0xFB, 'B', 'P', 'E', 1};

/* A name and its MD5. */
struct function_name_md5 {
  uint64_t reference;
  const char *name;
};

/* ---- names ---- */

ORDER_BY(compare_references, struct function_name_md5, x->reference);

/* Reads the names, which end with zeros, and sorts the names by MD5. */
static const char *parse_function_names(struct mip_cursor *cursor,
                                        struct function_name_md5 **entries,
                                        size_t *count) {
  uint64_t number = consume_number(cursor, 8);
  if (cursor->cut || number > cursor->left)
    return damaged;
  *count = (size_t)number;
  *entries = need_memory(malloc((*count + 1) * sizeof **entries));
  for (size_t i = 0; i < *count; i++) {
    const unsigned char *at = cursor->at;
    const unsigned char *end =
        cursor->left ? memchr(at, '\0', cursor->left) : NULL;
    if (!end)
      return damaged;
    (*entries)[i] = (struct function_name_md5){
        md5_low64(at, (size_t)(end - at)), (const char *)at};
    consume_bytes(cursor, (size_t)(end - at) + 1);
  }
  sort_array(*entries, *count, sizeof **entries, compare_references);
  return NULL;
}

/* ---- functions ---- */

/* Reads a function. Adds the function if the names are known, which means that
 * `entries` is not NULL. */
static const char *parse_mip_function(struct mip_profile *profile,
                                      struct mip_cursor *cursor,
                                      const struct function_name_md5 *entries,
                                      size_t count) {
  const struct function_name_md5 key = {consume_number(cursor, 8), NULL};
  unsigned size = profile->revision == MIP_B ? 8 : 4;
  struct mip_function function = {.raw = consume_number(cursor, size)}, *added;
  function.address =
      sign_extend(consume_number(cursor, size), profile->wide ? 8 : 4);
  function.size = consume_u32(cursor);
  function.cfg = consume_u32(cursor);
  function.block_count = consume_u32(cursor);
  function.runs = consume_u32(cursor);
  function.calls = consume_number(cursor, 8);
  function.order = consume_number(cursor, 8);
  const unsigned char *follows =
      parse_implications(cursor, profile->type, &function);
  const unsigned char *blocks =
      consume_bytes(cursor, 5 * (uint64_t)function.block_count);
  uint32_t edges = consume_u32(cursor);
  if (cursor->cut || edges)
    return damaged;
  if (!entries)
    return NULL;
  const struct function_name_md5 *entry =
      bsearch(&key, entries, count, sizeof *entries, compare_references);
  if (!entry)
    return "a function name is missing; make the profile again";
  struct bytes name = {(const unsigned char *)entry->name, strlen(entry->name)};
  const char *error =
      add_parsed_function(profile, &function, follows, false, name, &added);
  for (uint32_t i = 0; i < function.block_count && !error; i++, blocks += 5)
    added->blocks[i] = (struct mip_block){load32(blocks, false), blocks[4] != 0,
                                          added->blocks[i].implied};
  return error;
}

/* ---- edges ---- */

/* Reads the part after the names that only bareprof writes, if the file has
 * this part. `at` is the offset of the part. */
static const char *parse_mip_edges(struct mip_profile *profile,
                                   struct mip_cursor *cursor, size_t at) {
  if (!cursor->left)
    return NULL;
  consume_bytes(cursor, -at % 8);
  const unsigned char *magic = consume_bytes(cursor, sizeof edges_magic);
  profile->lost = consume_number(cursor, 8);
  uint64_t count = consume_number(cursor, 8);
  if (cursor->cut)
    return damaged;
  if (memcmp(magic, edges_magic, sizeof edges_magic))
    return "unknown data follows the names; upgrade bareprof";
  if (count > cursor->left / 24)
    return damaged;
  for (uint64_t i = 0; i < count; i++) {
    struct mip_edge edge = {.callee = consume_u32(cursor)};
    consume_u32(cursor);
    edge.from = (int64_t)consume_number(cursor, 8);
    edge.count = consume_number(cursor, 8);
    if (edge.callee >= profile->function_count)
      return damaged;
    mip_add_edge(profile, &edge);
  }
  mip_sort_and_merge_edges(profile);
  return cursor->left ? damaged : NULL;
}

/* ---- the whole file ---- */

static const char *parse_profile_body(struct mip_profile *profile,
                                      struct mip_cursor *cursor,
                                      struct bytes file,
                                      struct function_name_md5 **entries) {
  size_t count;
  uint64_t functions = consume_number(cursor, 8);
  struct mip_cursor again = *cursor;
  const char *error = cursor->cut ? damaged : NULL;
  for (uint64_t i = 0; i < functions && !error; i++)
    error = parse_mip_function(profile, cursor, NULL, 0);
  if (!error)
    error = parse_function_names(cursor, entries, &count);
  for (uint64_t i = 0; i < functions && !error; i++)
    error = parse_mip_function(profile, &again, *entries, count);
  if (!error)
    error = mip_index_and_check_functions(profile);
  return error ? error
               : parse_mip_edges(profile, cursor,
                                 (size_t)(cursor->at - file.data));
}

const char *mip_profile_parse(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  struct function_name_md5 *entries = NULL;
  mip_profile_init(profile);
  const char *error = mip_header_parse(&header, file);
  if (error)
    return error;
  if (header.kind != MIP_PROFILE)
    return "this MIP file is not a profile; make a .mip with bareprof mip "
           "create";
  mip_profile_set_header(profile, &header);
  size_t size = mip_header_size(header.revision);
  struct mip_cursor cursor = {file.data + size, file.size - size, false, false};
  error = parse_profile_body(profile, &cursor, file, &entries);
  free(entries);
  return error;
}

/* ==== Writes .mip files. */

static void append_function(const struct mip_profile *profile,
                            const struct mip_function *function,
                            struct buffer *to) {
  unsigned size = profile->revision == MIP_B ? 8 : 4;
  mip_append_number(to, md5_low64(function->name, strlen(function->name)), 8);
  mip_append_number(to, function->raw, size);
  mip_append_number(to, (uint64_t)function->address, size);
  mip_append_number(to, function->size, 4);
  mip_append_number(to, function->cfg, 4);
  mip_append_number(to, function->block_count, 4);
  mip_append_number(to, function->runs, 4);
  mip_append_number(to, function->calls, 8);
  mip_append_number(to, function->order, 8);
  if (profile->type & MIP_FOLLOWS)
    append_implications(to, function);
  for (uint32_t i = 0; i < function->block_count; i++) {
    mip_append_number(to, function->blocks[i].offset, 4);
    mip_append_number(to, function->blocks[i].covered, 1);
  }
  mip_append_number(to, 0, 4);
}

static void append_names(const struct mip_profile *profile, struct buffer *to) {
  size_t count = profile->function_count, kept = 0;
  const char **names = need_memory(malloc((count + 1) * sizeof *names));
  for (size_t i = 0; i < count; i++)
    names[i] = profile->functions[i].name;
  qsort(names, count, sizeof *names, compare_texts);
  for (size_t i = 0; i < count; i++)
    if (!kept || strcmp(names[kept - 1], names[i]))
      names[kept++] = names[i];
  mip_append_number(to, kept, 8);
  for (size_t i = 0; i < kept; i++)
    need_append(to, names[i], strlen(names[i]) + 1);
  free(names);
}

static void append_edges(const struct mip_profile *profile, struct buffer *to) {
  mip_append_padding(to, 8);
  need_append(to, edges_magic, sizeof edges_magic);
  mip_append_number(to, profile->lost, 8);
  mip_append_number(to, profile->edge_count, 8);
  for (size_t i = 0; i < profile->edge_count; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    mip_append_number(to, edge->callee, 8);
    mip_append_number(to, (uint64_t)edge->from, 8);
    mip_append_number(to, edge->count, 8);
  }
}

void mip_profile_append(const struct mip_profile *profile, struct buffer *to) {
  struct mip_header header = mip_header_from_profile(profile, MIP_PROFILE);
  mip_header_append(&header, to);
  mip_append_number(to, profile->function_count, 8);
  for (size_t i = 0; i < profile->function_count; i++)
    append_function(profile, &profile->functions[i], to);
  append_names(profile, to);
  if (profile->edge_count || profile->lost)
    append_edges(profile, to);
}
