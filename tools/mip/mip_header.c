/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header of all files, and numbers in them.
 */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "../base/buffer.h"

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

const char *mip_put_follows(struct buffer *to,
                            const struct mip_function *function) {
  const char *error = mip_put(to, function->follows.count, 4);
  for (uint32_t i = 0; i < function->follows.count && !error; i++)
    error = mip_put(to, function->follows.numbers[i], 4);
  return error;
}

const char *mip_align(struct buffer *to, unsigned align) {
  static const unsigned char zeros[8];
  return to->size % align ? buffer_append(to, zeros, align - to->size % align)
                          : NULL;
}
