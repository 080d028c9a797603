/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes maps and .mip files (mip_file.h has the formats). mip_raw.c
 * reads the headers, mip_model.c keeps the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "mip_file.h"
#include "image.h"

/* ==== Maps. Linkers put zeros between the records of two objects, but no more
 * than a record's alignment needs anyway. */

static const char damaged_map[] =
    "the map is damaged or truncated; extract the map again";

struct map_cursor {
  const unsigned char *at;
  size_t left;
  bool big;
};

/* ---- reading ---- */

static bool read_field(struct map_cursor *cursor, unsigned size,
                       uint64_t *value) {
  if (cursor->left < size)
    return false;
  *value = load_number(cursor->at, size, cursor->big);
  cursor->at += size;
  cursor->left -= size;
  return true;
}

static int64_t sign_extend(uint64_t value, unsigned size) {
  return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

/* Reads the two addresses of a record. at: the record's offset in the map. */
static bool read_addresses(struct map_cursor *cursor,
                           const struct mip_header *header, size_t at,
                           struct mip_function *function) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = (uint64_t)header->raw_section - at, raw, code;
  if (header->revision == MIP_A && !read_field(cursor, 4, &start))
    return false;
  if (!read_field(cursor, size, &raw) || !read_field(cursor, size, &code))
    return false;
  raw -= start;
  function->raw = size == 4 ? (uint32_t)raw : raw;
  function->address = sign_extend(code - start, size);
  return true;
}

/* Reads a list: its length in *count, its numbers in *bytes. */
static bool read_list(struct map_cursor *cursor, struct bytes *bytes,
                      uint32_t *count) {
  uint64_t numbers;
  if (!read_field(cursor, 4, &numbers) || numbers > cursor->left / 4)
    return false;
  *count = (uint32_t)numbers;
  *bytes = (struct bytes){cursor->at, 4 * (size_t)numbers};
  cursor->at += bytes->size;
  cursor->left -= bytes->size;
  return true;
}

/* What follows the addresses in a record. */
struct map_record_rest {
  struct bytes blocks, follows, name;
};

static bool read_record_rest(struct map_cursor *cursor, bool has_follows,
                             struct mip_function *function,
                             struct map_record_rest *rest) {
  uint64_t size, cfg, length;
  rest->follows = (struct bytes){NULL, 0};
  if (!read_field(cursor, 4, &size) || !read_field(cursor, 4, &cfg) ||
      !read_list(cursor, &rest->blocks, &function->block_count) ||
      (has_follows &&
       !read_list(cursor, &rest->follows, &function->follows.count)) ||
      !read_field(cursor, 4, &length) || length > cursor->left)
    return false;
  rest->name = (struct bytes){cursor->at, (size_t)length};
  cursor->at += length;
  cursor->left -= (size_t)length;
  function->size = (uint32_t)size;
  function->cfg = (uint32_t)cfg;
  return true;
}

static const char *read_record(struct mip_profile *profile,
                               struct map_cursor *cursor,
                               const struct mip_header *header, size_t at) {
  struct mip_function function = {0}, *added;
  struct map_record_rest rest;
  if (!read_addresses(cursor, header, at, &function) ||
      !read_record_rest(cursor, header->type & MIP_FOLLOWS, &function, &rest))
    return damaged_map;
  uint32_t *numbers = malloc(rest.follows.size + 1);
  const char *error = numbers ? NULL : out_of_memory;
  for (uint32_t i = 0; numbers && i < function.follows.count; i++)
    numbers[i] = load32(rest.follows.data + 4 * (size_t)i, cursor->big);
  function.follows.numbers = numbers;
  if (!error)
    error = mip_add_function(profile, &function, rest.name, &added);
  free(numbers);
  for (uint32_t i = 0; i < function.block_count && !error; i++)
    added->blocks[i].offset =
        load32(rest.blocks.data + 4 * (size_t)i, cursor->big);
  return error;
}

const char *mip_map_parse(struct mip_profile *profile, struct bytes map) {
  struct mip_header header;
  mip_profile_new(profile);
  const char *error = mip_header_parse(&header, map);
  if (error)
    return error;
  if (header.kind != MIP_MAP)
    return "this is another kind of MIP file; pass a map";
  mip_profile_set_header(profile, &header);
  size_t align = header.revision == MIP_B && !header.wide ? 4 : 8;
  size_t at = mip_header_size(header.revision);
  while (at < map.size && !error) {
    struct map_cursor cursor = {map.data + at, map.size - at, header.big};
    error = read_record(profile, &cursor, &header, at);
    at = map.size - cursor.left;
    at += (align - at % align) % align;
  }
  return error ? error : mip_index_functions(profile);
}

/* ---- writing ---- */

static const char *write_record(const struct mip_header *header,
                                const struct mip_function *function,
                                struct buffer *to) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = header->revision == MIP_A ? 0 : 0 - (uint64_t)to->size;
  size_t length = strlen(function->name);
  const struct mip_number numbers[] = {
      {start, header->revision == MIP_A ? 4 : 0},
      {function->raw + start, size},
      {(uint64_t)function->address + start, size},
      {function->size, 4},
      {function->cfg, 4},
      {function->block_count, 4}};
  const char *error = mip_append_numbers(to, numbers, 6);
  for (uint32_t i = 0; i < function->block_count && !error; i++)
    error = mip_append_number(to, function->blocks[i].offset, 4);
  if (!error && header->type & MIP_FOLLOWS)
    error = mip_append_implications(to, function);
  if (!error)
    error = mip_append_number(to, length, 4);
  if (!error)
    error = buffer_append_bytes(to, function->name, length);
  return error ? error
               : mip_append_padding(
                     to, header->revision == MIP_B && !header->wide ? 4 : 8);
}

const char *mip_map_append(const struct mip_profile *profile,
                           struct buffer *to) {
  struct mip_header header = mip_header_from_profile(profile, MIP_MAP);
  const char *error = mip_header_append(&header, to);
  for (size_t i = 0; i < profile->function_count && !error; i++)
    error = write_record(&header, &profile->functions[i], to);
  return error;
}

/* ==== Files. */

const char *mip_find_elf_map(const struct elf *elf, struct bytes *map,
                             unsigned char **memory) {
  struct elf_section section;
  *memory = NULL;
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  if (!elf_find_section(elf, "__llvm_mipmap", &section))
    return "the section __llvm_mipmap is missing: the ELF was patched, "
           "stripped, or not instrumented; pass the map file, or the "
           "unstripped ELF";
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

static const char *load_elf(struct mip_profile *profile, struct bytes file) {
  struct elf elf;
  struct bytes map;
  unsigned char *memory;
  mip_profile_new(profile);
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

const char *mip_load_bytes(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  mip_profile_new(profile);
  if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
    return load_elf(profile, file);
  const char *error = mip_header_parse(&header, file);
  if (error)
    return error;
  if (header.kind == MIP_MAP)
    return mip_map_parse(profile, file);
  if (header.kind == MIP_PROFILE)
    return mip_profile_parse(profile, file);
  return "this is data from a target, which needs its map; pass a .mip from "
         "bareprof mip merge";
}

int mip_load(struct mip_profile *profile, const char *name) {
  struct file file;
  *profile = (struct mip_profile){0};
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_load_bytes(profile, file.bytes);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

int mip_save_bytes(const struct buffer *buffer, const char *error,
                   const char *name) {
  struct output_file output;
  if (error)
    return report(name, "%s", error);
  if (output_open(&output, name))
    return 1;
  fwrite(buffer->data, 1, buffer->size, output.stream);
  return output_commit(&output);
}

int mip_save(const struct mip_profile *profile, const char *name) {
  struct buffer buffer = {.limit = (size_t)4 << 30};
  const char *error = mip_profile_append(profile, &buffer);
  int status = mip_save_bytes(&buffer, error, name);
  buffer_free(&buffer);
  return status;
}

/* ==== .mip files. A function has only the MD5 of its name; the names follow
 * the functions. So the names are read first, and then the functions again. */

static const char damaged[] =
    "the profile is damaged or truncated; make the profile again";

struct mip_file_cursor {
  struct bytes file;
  size_t at;
};

/* A name and its MD5. */
struct name_reference {
  uint64_t reference;
  const char *name;
};

static bool has_bytes(const struct mip_file_cursor *cursor, uint64_t size) {
  return size <= cursor->file.size - cursor->at;
}

/* Reads a number that has_bytes has found complete. */
static uint64_t read_number(struct mip_file_cursor *cursor, unsigned size) {
  uint64_t value = load_number(cursor->file.data + cursor->at, size, false);
  cursor->at += size;
  return value;
}

/* ---- names ---- */

/* Skips a function. Returns false if it is damaged. */
static bool skip_function(struct mip_file_cursor *cursor, unsigned offset_size,
                          bool has_follows) {
  size_t fixed = 2 * (size_t)offset_size + 40, count_at = cursor->at + 16;
  if (!has_bytes(cursor, fixed))
    return false;
  count_at += 2 * (size_t)offset_size;
  uint64_t blocks = load32(cursor->file.data + count_at, false);
  cursor->at += fixed;
  if (has_follows) {
    if (!has_bytes(cursor, 4))
      return false;
    uint64_t count = read_number(cursor, 4);
    if (!has_bytes(cursor, 4 * count))
      return false;
    cursor->at += 4 * (size_t)count;
  }
  if (!has_bytes(cursor, 5 * blocks + 4))
    return false;
  cursor->at += 5 * (size_t)blocks;
  return read_number(cursor, 4) == 0;
}

ORDER_BY(compare_references, struct name_reference, x->reference);

/* Reads `count` names, each with a zero at its end, and sorts them by MD5. */
static const char *read_names(struct mip_file_cursor *cursor,
                              struct name_reference *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const unsigned char *at = cursor->file.data + cursor->at;
    const unsigned char *end =
        has_bytes(cursor, 1) ? memchr(at, '\0', cursor->file.size - cursor->at)
                             : NULL;
    if (!end)
      return damaged;
    entries[i].name = (const char *)at;
    entries[i].reference = md5_low64(at, (size_t)(end - at));
    cursor->at += (size_t)(end - at) + 1;
  }
  sort_array(entries, count, sizeof *entries, compare_references);
  return NULL;
}

static const char *read_name_table(struct mip_file_cursor *cursor,
                                   struct name_reference **entries,
                                   size_t *count) {
  *entries = NULL;
  if (!has_bytes(cursor, 8))
    return damaged;
  uint64_t number = read_number(cursor, 8);
  if (!has_bytes(cursor, number))
    return damaged;
  *count = (size_t)number;
  *entries = malloc((*count + 1) * sizeof **entries);
  return *entries ? read_names(cursor, *entries, *count) : out_of_memory;
}

/* ---- functions ---- */

/* Reads which blocks are implied. The caller frees *numbers. */
static const char *read_implications(const struct mip_profile *profile,
                                     struct mip_file_cursor *cursor,
                                     struct mip_function *function,
                                     uint32_t **numbers) {
  if (!(profile->type & MIP_FOLLOWS))
    return NULL;
  function->follows.count = (uint32_t)read_number(cursor, 4);
  *numbers = malloc(((size_t)function->follows.count + 1) * sizeof **numbers);
  if (!*numbers)
    return out_of_memory;
  for (uint32_t i = 0; i < function->follows.count; i++)
    (*numbers)[i] = (uint32_t)read_number(cursor, 4);
  function->follows.numbers = *numbers;
  return NULL;
}

static const char *read_function(struct mip_profile *profile,
                                 struct mip_file_cursor *cursor,
                                 const struct name_reference *entries,
                                 size_t count) {
  struct name_reference key = {read_number(cursor, 8), NULL};
  bool large = profile->revision == MIP_B;
  struct mip_function function = {.raw = read_number(cursor, large ? 8 : 4)},
                      *added;
  uint64_t address = read_number(cursor, large ? 8 : 4);
  function.address = profile->wide ? (int64_t)address : (int32_t)address;
  function.size = (uint32_t)read_number(cursor, 4);
  function.cfg = (uint32_t)read_number(cursor, 4);
  function.block_count = (uint32_t)read_number(cursor, 4);
  function.runs = (uint32_t)read_number(cursor, 4);
  function.calls = read_number(cursor, 8);
  function.order = read_number(cursor, 8);
  const struct name_reference *entry =
      bsearch(&key, entries, count, sizeof *entries, compare_references);
  if (!entry)
    return "a function name is missing; make the profile again";
  struct bytes name = {(const unsigned char *)entry->name, strlen(entry->name)};
  uint32_t *numbers = NULL;
  const char *error = read_implications(profile, cursor, &function, &numbers);
  if (!error)
    error = mip_add_function(profile, &function, name, &added);
  free(numbers);
  for (uint32_t i = 0; i < function.block_count && !error; i++) {
    added->blocks[i].offset = (uint32_t)read_number(cursor, 4);
    added->blocks[i].covered = read_number(cursor, 1) != 0;
  }
  read_number(cursor, 4);
  return error;
}

/* ---- edges ---- */

static const char *read_edge(struct mip_profile *profile,
                             struct mip_file_cursor *cursor) {
  struct mip_edge edge = {.callee = (uint32_t)read_number(cursor, 4)};
  read_number(cursor, 4);
  edge.from = (int64_t)read_number(cursor, 8);
  edge.count = read_number(cursor, 8);
  if (edge.callee >= profile->function_count)
    return damaged;
  return mip_add_edge(profile, &edge);
}

/* Reads bareprof's own part after the names, if there is one. */
static const char *read_edges(struct mip_profile *profile,
                              struct mip_file_cursor *cursor) {
  size_t padding = (8 - cursor->at % 8) % 8;
  const char *error = NULL;
  if (!has_bytes(cursor, 1))
    return NULL;
  if (!has_bytes(cursor, padding + 24))
    return damaged;
  cursor->at += padding;
  if (memcmp(cursor->file.data + cursor->at,
             "\xFB"
             "BPE\1\0\0\0",
             8))
    return "unknown data follows the names; upgrade bareprof";
  cursor->at += 8;
  profile->lost = read_number(cursor, 8);
  uint64_t count = read_number(cursor, 8);
  if (count > (cursor->file.size - cursor->at) / 24)
    return damaged;
  for (uint64_t i = 0; i < count && !error; i++)
    error = read_edge(profile, cursor);
  mip_sort_edges(profile);
  return !error && has_bytes(cursor, 1) ? damaged : error;
}

/* ---- the whole file ---- */

static const char *read_body(struct mip_profile *profile,
                             struct mip_file_cursor *cursor,
                             struct name_reference **entries) {
  unsigned offset_size = profile->revision == MIP_B ? 8 : 4;
  size_t count;
  if (!has_bytes(cursor, 8))
    return damaged;
  uint64_t functions = read_number(cursor, 8);
  struct mip_file_cursor again = *cursor;
  for (uint64_t i = 0; i < functions; i++)
    if (!skip_function(cursor, offset_size, profile->type & MIP_FOLLOWS))
      return damaged;
  const char *error = read_name_table(cursor, entries, &count);
  for (uint64_t i = 0; i < functions && !error; i++)
    error = read_function(profile, &again, *entries, count);
  if (!error)
    error = mip_index_functions(profile);
  return error ? error : read_edges(profile, cursor);
}

const char *mip_profile_parse(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  struct name_reference *entries = NULL;
  mip_profile_new(profile);
  const char *error = mip_header_parse(&header, file);
  if (error)
    return error;
  if (header.kind != MIP_PROFILE)
    return "this is another kind of MIP file; pass a .mip";
  mip_profile_set_header(profile, &header);
  struct mip_file_cursor cursor = {file, mip_header_size(header.revision)};
  error = read_body(profile, &cursor, &entries);
  free(entries);
  return error;
}

/* ==== Writing. */

static const char *write_function(const struct mip_profile *profile,
                                  const struct mip_function *function,
                                  struct buffer *to) {
  unsigned offset_size = profile->revision == MIP_B ? 8 : 4;
  const struct mip_number numbers[] = {
      {md5_low64(function->name, strlen(function->name)), 8},
      {function->raw, offset_size},
      {(uint64_t)function->address, offset_size},
      {function->size, 4},
      {function->cfg, 4},
      {function->block_count, 4},
      {function->runs, 4},
      {function->calls, 8},
      {function->order, 8}};
  const char *error =
      mip_append_numbers(to, numbers, sizeof numbers / sizeof *numbers);
  if (!error && profile->type & MIP_FOLLOWS)
    error = mip_append_implications(to, function);
  for (uint32_t i = 0; i < function->block_count && !error; i++) {
    const struct mip_number block[] = {{function->blocks[i].offset, 4},
                                       {function->blocks[i].covered, 1}};
    error = mip_append_numbers(to, block, 2);
  }
  return error ? error : mip_append_number(to, 0, 4);
}

static const char *write_names(const struct mip_profile *profile,
                               struct buffer *to) {
  size_t count = profile->function_count, kept = 0;
  const char **names = malloc((count + 1) * sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    names[i] = profile->functions[i].name;
  qsort(names, count, sizeof *names, compare_texts);
  for (size_t i = 0; i < count; i++)
    if (!kept || strcmp(names[kept - 1], names[i]))
      names[kept++] = names[i];
  const char *error = mip_append_number(to, kept, 8);
  for (size_t i = 0; i < kept && !error; i++)
    error = buffer_append_bytes(to, names[i], strlen(names[i]) + 1);
  free(names);
  return error;
}

static const char *write_edges(const struct mip_profile *profile,
                               struct buffer *to) {
  const char *error = mip_append_padding(to, 8);
  if (!error)
    error = buffer_append_bytes(to,
                                "\xFB"
                                "BPE\1\0\0\0",
                                8);
  if (!error)
    error = mip_append_number(to, profile->lost, 8);
  if (!error)
    error = mip_append_number(to, profile->edge_count, 8);
  for (size_t i = 0; i < profile->edge_count && !error; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    const struct mip_number numbers[] = {
        {edge->callee, 8}, {(uint64_t)edge->from, 8}, {edge->count, 8}};
    error = mip_append_numbers(to, numbers, 3);
  }
  return error;
}

const char *mip_profile_append(const struct mip_profile *profile,
                               struct buffer *to) {
  struct mip_header header = mip_header_from_profile(profile, MIP_PROFILE);
  const char *error = mip_header_append(&header, to);
  if (!error)
    error = mip_append_number(to, profile->function_count, 8);
  for (size_t i = 0; i < profile->function_count && !error; i++)
    error = write_function(profile, &profile->functions[i], to);
  if (!error)
    error = write_names(profile, to);
  if (!error && (profile->edge_count || profile->lost))
    error = write_edges(profile, to);
  return error;
}
