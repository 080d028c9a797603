/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header of all files, maps, and files to profiles and back.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "files.h"
#include "image_build_id.h"

enum { VERSION_MOST = 8, WIDE = 0x10, NARROW = 0x20 };

static const unsigned char magic[4] = {0xFB, 'M', 'I', 'P'};
static const unsigned char big_magic[4] = {'P', 'I', 'M', 0xFB};

/* Their file types, by revision. */
static const uint16_t file_types[2][MIP_KINDS] = {
    [MIP_A] =
        {[MIP_RAW] = 1, [MIP_MAP] = 2, [MIP_PROFILE] = 3, [MIP_EDGES] = 4},
    [MIP_B] = {
        [MIP_RAW] = 1, [MIP_EDGES] = 2, [MIP_MAP] = 4, [MIP_PROFILE] = 8}};

static const char strange[] =
    "its header is of no MIP file that is known; make it again";

static const char *find_kind(struct mip_header *header, unsigned file_type) {
  if (header->revision == MIP_B) {
    unsigned bits = file_type & (WIDE | NARROW);
    if (bits != WIDE && bits != NARROW)
      return strange;
    header->wide = bits == WIDE;
    file_type -= bits;
  }
  for (unsigned i = 0; i < MIP_KINDS; i++)
    if (file_types[header->revision][i] == file_type) {
      header->kind = (enum mip_kind)i;
      return NULL;
    }
  return strange;
}

const char *mip_header_read(struct mip_header *header, struct bytes bytes) {
  const unsigned char *at = bytes.data;
  *header = (struct mip_header){0};
  if (bytes.size < 24)
    return "it is too short for a MIP file; give a .mip, a map or an ELF";
  bool big = header->big = !memcmp(at, big_magic, sizeof big_magic);
  if (!big && memcmp(at, magic, sizeof magic))
    return "it is no MIP file, or a raw section before bareprof_mip_init; give "
           "a .mip, a map, a raw section or an ELF";
  header->build = load32(at + 16, big);
  if (load32(at + 20, big) != 24) {
    header->revision = MIP_B;
    if (bytes.size < 32 || load32(at + 28, big) != 32)
      return strange;
    header->raw_section = (int64_t)load64(at + 16, big);
    header->build = load32(at + 24, big);
  }
  header->version = load16(at + 4, big);
  header->type = load32(at + 8, big);
  header->hash = load32(at + 12, big);
  if (header->version > VERSION_MOST)
    return "it is of a later version of the format; get a later bareprof";
  const char *error = find_kind(header, load16(at + 6, big));
  /* With 32 bits, padding follows the number. */
  if (header->revision == MIP_B && !header->wide)
    header->raw_section = (int32_t)load32(at + 16, big);
  return error;
}

const char *mip_header_write(const struct mip_header *header,
                             struct buffer *to) {
  unsigned char bytes[32] = {0};
  unsigned file_type = file_types[header->revision][header->kind];
  size_t size = mip_header_size(header->revision);
  memcpy(bytes, magic, sizeof magic);
  store16(bytes + 4, header->version, false);
  store32(bytes + 8, header->type, false);
  store32(bytes + 12, header->hash, false);
  if (header->revision == MIP_B) {
    file_type |= header->wide ? WIDE : NARROW;
    store_number(bytes + 16, (uint64_t)header->raw_section,
                 header->wide ? 8 : 4, false);
  }
  store16(bytes + 6, (uint16_t)file_type, false);
  store32(bytes + size - 8, header->build, false);
  store32(bytes + size - 4, (uint32_t)size, false);
  return buffer_append(to, bytes, size);
}

struct mip_header mip_header_of(const struct mip_profile *profile,
                                enum mip_kind kind) {
  return (struct mip_header){.revision = profile->revision,
                             .kind = kind,
                             .wide = profile->wide,
                             .version = profile->version,
                             .type = profile->type,
                             .hash = profile->hash,
                             .build = profile->build};
}

void mip_header_take(struct mip_profile *profile,
                     const struct mip_header *header) {
  profile->revision = header->revision;
  profile->wide = header->wide;
  profile->version = header->version;
  profile->type = header->type;
  profile->hash = header->hash;
  profile->build = header->build;
}

const char *mip_other_build(uint32_t profile, uint32_t added) {
  if (!profile)
    return "the profile has no build id, so its build is unknown; link with "
           "--build-id, create it from the ELF, or give --any-build";
  if (!added)
    return "it has no build id, so its build is unknown; link with --build-id, "
           "or give --any-build";
  return profile == added ? NULL
                          : "its build id is another: it is of another build "
                            "than the profile; give the profile of its build";
}

const char *mip_put(struct buffer *to, uint64_t value, unsigned size) {
  const char *error = buffer_reserve(to, size);
  if (error)
    return error;
  store_number(to->data + to->size, value, size, false);
  to->size += size;
  return NULL;
}

const char *mip_put_all(struct buffer *to, const struct mip_number *numbers,
                        size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++)
    error = mip_put(to, numbers[i].value, numbers[i].size);
  return error;
}

const char *mip_align(struct buffer *to, unsigned align) {
  static const unsigned char zeros[8];
  return to->size % align ? buffer_append(to, zeros, align - to->size % align)
                          : NULL;
}

/* ==== Maps. Linkers put zeros between the records of two objects, up to the
 * alignment that a record has anyway. */

static const char damaged_map[] =
    "the map is damaged or cut short; extract it again";

struct cursor {
  const unsigned char *at;
  size_t left;
  bool big;
};

/* ---- reading ---- */

static bool take_field(struct cursor *cursor, unsigned size, uint64_t *value) {
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
static bool take_places(struct cursor *cursor, const struct mip_header *header,
                        size_t at, struct mip_function *function) {
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

static bool take_rest(struct cursor *cursor, struct mip_function *function,
                      const unsigned char **blocks, struct bytes *name) {
  uint64_t size, cfg, count, length;
  if (!take_field(cursor, 4, &size) || !take_field(cursor, 4, &cfg) ||
      !take_field(cursor, 4, &count) || count > cursor->left / 4)
    return false;
  *blocks = cursor->at;
  cursor->at += 4 * count;
  cursor->left -= 4 * (size_t)count;
  if (!take_field(cursor, 4, &length) || length > cursor->left)
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
    return damaged_map;
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
