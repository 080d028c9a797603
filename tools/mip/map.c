/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps. Linkers put zeros between the records of two objects, up to the
 * alignment that a record has anyway.
 */
#include <string.h>

#include "files.h"

static const char damaged[] =
    "the map is damaged or cut short; extract it again";

struct cursor {
  const unsigned char *at;
  size_t left;
  bool big;
};

/* ---- reading ---- */

static bool take(struct cursor *cursor, unsigned size, uint64_t *value) {
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

/* What the two addresses of a record are counted from. at: the record's. */
static bool take_places(struct cursor *cursor, const struct mip_header *header,
                        size_t at, struct mip_function *function) {
  unsigned size = header->wide ? 8 : 4;
  uint64_t start = (uint64_t)header->raw_section - at, raw, code;
  if (header->revision == MIP_A && !take(cursor, 4, &start))
    return false;
  if (!take(cursor, size, &raw) || !take(cursor, size, &code))
    return false;
  raw -= start;
  function->raw = size == 4 ? (uint32_t)raw : raw;
  function->address = signed_of(code - start, size);
  return true;
}

static bool take_rest(struct cursor *cursor, struct mip_function *function,
                      const unsigned char **blocks, struct bytes *name) {
  uint64_t size, cfg, count, length;
  if (!take(cursor, 4, &size) || !take(cursor, 4, &cfg) ||
      !take(cursor, 4, &count) || count > cursor->left / 4)
    return false;
  *blocks = cursor->at;
  cursor->at += 4 * count;
  cursor->left -= 4 * (size_t)count;
  if (!take(cursor, 4, &length) || length > cursor->left)
    return false;
  *name = (struct bytes){cursor->at, (size_t)length};
  cursor->at += length;
  cursor->left -= (size_t)length;
  function->size = (uint32_t)size;
  function->cfg = (uint32_t)cfg;
  function->block_count = (uint32_t)count;
  return true;
}

static const char *read_record(struct mip_profile *profile,
                               struct cursor *cursor,
                               const struct mip_header *header, size_t at) {
  struct mip_function function = {0}, *added;
  const unsigned char *blocks;
  struct bytes name;
  if (!take_places(cursor, header, at, &function) ||
      !take_rest(cursor, &function, &blocks, &name))
    return damaged;
  const char *error = mip_add_function(profile, &function, name, &added);
  for (uint32_t i = 0; i < function.block_count && !error; i++)
    added->blocks[i].offset = load32(blocks + 4 * (size_t)i, cursor->big);
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
    struct cursor cursor = {map.data + at, map.size - at, header.big};
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
  const char *error = NULL;
  if (header->revision == MIP_A)
    error = mip_put(to, start, 4);
  if (!error)
    error = mip_put(to, function->raw + start, size);
  if (!error)
    error = mip_put(to, (uint64_t)function->address + start, size);
  if (!error)
    error = mip_put(to, function->size, 4);
  if (!error)
    error = mip_put(to, function->cfg, 4);
  if (!error)
    error = mip_put(to, function->block_count, 4);
  for (uint32_t i = 0; i < function->block_count && !error; i++)
    error = mip_put(to, function->blocks[i].offset, 4);
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
