/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps, and files to profiles and back.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/buffer.h"
#include "files.h"
#include "image_build_id.h"

/* ==== Maps. Linkers put zeros between the records of two objects, up to the
 * alignment that a record has anyway. */

static const char damaged_map[] =
    "the map is damaged or cut short; extract it again";

struct mip_cursor {
  const unsigned char *at;
  size_t left;
  bool big;
};

/* ---- reading ---- */

static bool take_field(struct mip_cursor *cursor, unsigned size,
                       uint64_t *value) {
  if (cursor->left < size)
    return false;
  *value = load_number(cursor->at, size, cursor->big);
  cursor->at += size;
  cursor->left -= size;
  return true;
}

static int64_t signed_of(uint64_t value, unsigned size) {
  return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

/* Takes the two addresses of a record relative to their base. at: the record's
 * place. */
static bool take_places(struct mip_cursor *cursor,
                        const struct mip_header *header, size_t at,
                        struct mip_function *function) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = (uint64_t)header->raw_section - at, raw, code;
  if (header->revision == MIP_A && !take_field(cursor, 4, &start))
    return false;
  if (!take_field(cursor, size, &raw) || !take_field(cursor, size, &code))
    return false;
  raw -= start;
  function->raw = size == 4 ? (uint32_t)raw : raw;
  function->address = signed_of(code - start, size);
  return true;
}

/* *bytes: of the numbers, `count` of them. */
static bool take_list(struct mip_cursor *cursor, struct bytes *bytes,
                      uint32_t *count) {
  uint64_t numbers;
  if (!take_field(cursor, 4, &numbers) || numbers > cursor->left / 4)
    return false;
  *count = (uint32_t)numbers;
  *bytes = (struct bytes){cursor->at, 4 * (size_t)numbers};
  cursor->at += bytes->size;
  cursor->left -= bytes->size;
  return true;
}

/* What is behind the places. */
struct rest {
  struct bytes blocks, follows, name;
};

static bool take_rest(struct mip_cursor *cursor, bool has_follows,
                      struct mip_function *function, struct rest *rest) {
  uint64_t size, cfg, length;
  rest->follows = (struct bytes){NULL, 0};
  if (!take_field(cursor, 4, &size) || !take_field(cursor, 4, &cfg) ||
      !take_list(cursor, &rest->blocks, &function->block_count) ||
      (has_follows &&
       !take_list(cursor, &rest->follows, &function->follows.count)) ||
      !take_field(cursor, 4, &length) || length > cursor->left)
    return false;
  rest->name = (struct bytes){cursor->at, (size_t)length};
  cursor->at += length;
  cursor->left -= (size_t)length;
  function->size = (uint32_t)size;
  function->cfg = (uint32_t)cfg;
  return true;
}

static const char *read_record(struct mip_profile *profile,
                               struct mip_cursor *cursor,
                               const struct mip_header *header, size_t at) {
  struct mip_function function = {0}, *added;
  struct rest rest;
  if (!take_places(cursor, header, at, &function) ||
      !take_rest(cursor, header->type & MIP_FOLLOWS, &function, &rest))
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

const char *mip_map_read(struct mip_profile *profile, struct bytes map) {
  struct mip_header header;
  mip_new(profile);
  const char *error = mip_header_read(&header, map);
  if (error)
    return error;
  if (header.kind != MIP_MAP)
    return "it is another kind of MIP file; give a map";
  mip_header_take(profile, &header);
  size_t align = header.revision == MIP_B && !header.wide ? 4 : 8;
  size_t at = mip_header_size(header.revision);
  while (at < map.size && !error) {
    struct mip_cursor cursor = {map.data + at, map.size - at, header.big};
    error = read_record(profile, &cursor, &header, at);
    at = map.size - cursor.left;
    at += (align - at % align) % align;
  }
  return error ? error : mip_settle(profile);
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
  const char *error = mip_put_all(to, numbers, 6);
  for (uint32_t i = 0; i < function->block_count && !error; i++)
    error = mip_put(to, function->blocks[i].offset, 4);
  if (!error && header->type & MIP_FOLLOWS)
    error = mip_put_follows(to, function);
  if (!error)
    error = mip_put(to, length, 4);
  if (!error)
    error = buffer_append(to, function->name, length);
  return error ? error
               : mip_align(to,
                           header->revision == MIP_B && !header->wide ? 4 : 8);
}

const char *mip_map_write(const struct mip_profile *profile,
                          struct buffer *to) {
  struct mip_header header = mip_header_of(profile, MIP_MAP);
  const char *error = mip_header_write(&header, to);
  for (size_t i = 0; i < profile->function_count && !error; i++)
    error = write_record(&header, &profile->functions[i], to);
  return error;
}

/* ==== Files to profiles and back. */

const char *mip_elf_map(const struct elf *elf, struct bytes *map,
                        unsigned char **memory) {
  struct elf_section section;
  *memory = NULL;
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  if (!elf_find_section(elf, "__llvm_mipmap", &section))
    return "it has no section __llvm_mipmap: it was patched, and its map is "
           "apart, or not instrumented, or stripped; give the map, or the "
           "image "
           "as it was linked";
  if (!section.bytes)
    return "its map has no contents; link it with bareprof-mip.ld";
  const char *error = elf_contents(elf, &section, MIP_FILE_LIMIT, map, memory);
  struct mip_header header;
  if (!error && mip_header_read(&header, *map))
    error = "its section __llvm_mipmap does not begin with a header; link it "
            "with bareprof-mip.ld";
  return error;
}

uint32_t mip_build_of(const struct elf *elf) {
  struct bytes id;
  return elf_build_id(elf, &id) ? bareprof_build_hash(id.data, id.size) : 0;
}

static const char *load_elf(struct mip_profile *profile, struct bytes file) {
  struct elf elf;
  struct bytes map;
  unsigned char *memory;
  mip_new(profile);
  const char *error = elf_open(&elf, file);
  if (error)
    return error;
  error = mip_elf_map(&elf, &map, &memory);
  if (!error)
    error = mip_map_read(profile, map);
  if (!error)
    profile->build = mip_build_of(&elf);
  free(memory);
  return error;
}

const char *mip_load_bytes(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  mip_new(profile);
  if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
    return load_elf(profile, file);
  const char *error = mip_header_read(&header, file);
  if (error)
    return error;
  if (header.kind == MIP_MAP)
    return mip_map_read(profile, file);
  if (header.kind == MIP_PROFILE)
    return mip_profile_read(profile, file);
  return "it is what a target has sent, which needs its map; give a .mip that "
         "`bareprof mip merge` made of it";
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
  struct output output;
  if (error)
    return report(name, "%s", error);
  if (output_open(&output, name))
    return 1;
  fwrite(buffer->data, 1, buffer->size, output.stream);
  return output_commit(&output);
}

int mip_save(const struct mip_profile *profile, const char *name) {
  struct buffer buffer = {.limit = (size_t)4 << 30};
  const char *error = mip_profile_write(profile, &buffer);
  int status = mip_save_bytes(&buffer, error, name);
  buffer_free(&buffer);
  return status;
}
