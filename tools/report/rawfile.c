/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raw profiles of versions 7 to 11: the header by the rows of runtime/layout.c,
 * pieces in the order of runtime/writer.c.
 */
#include "rawfile.h"

#include <string.h>

static const char cut[] = "it is cut short; copy it again";

struct raw {
  struct bytes file;
  bool big, wide;
  const struct bareprof_layout *layout;
  uint64_t fields[BAREPROF_FIELDS];
  size_t at; /* how far it has been read */
};

static const char *read_header(struct raw *raw) {
  struct bytes file = raw->file;
  if (file.size < 16)
    return cut;
  raw->big = raw_magic(file.data, true, &raw->wide);
  if (!raw->big && !raw_magic(file.data, false, &raw->wide))
    return "it is no raw profile; give what bareprof receive has written";
  raw->fields[BAREPROF_VERSION_WORD] = load64(file.data + 8, raw->big);
  const struct bareprof_image image = {.version =
                                           &raw->fields[BAREPROF_VERSION_WORD],
                                       .pointer_size = raw->wide ? 8 : 4};
  raw->layout = bareprof_layout_find(&image);
  if (!raw->layout)
    return "its raw version is not 7 to 11; use a newer bareprof";
  raw->at = 16;
  return raw_fields(file, raw->big, raw->layout, &raw->at, raw->fields) ? NULL
                                                                        : cut;
}

/* Moves on by so many elements; where they are, or NULL: not all in there. */
static const unsigned char *pass(struct raw *raw, uint64_t count,
                                 unsigned size) {
  const unsigned char *at = raw->file.data + raw->at;
  if (count > (raw->file.size - raw->at) / size)
    return NULL;
  raw->at += (size_t)count * size;
  return at;
}

/* The first of the build ids, each behind its size, padded to 8. */
static const char *read_build_id(struct raw *raw, struct header *header) {
  uint64_t room = raw->fields[BAREPROF_BINARY_IDS_SIZE];
  const unsigned char *at = pass(raw, room, 1);
  if (!at)
    return cut;
  if (room < 8)
    return "it has no build id, and so may be of any build; link with "
           "--build-id";
  uint64_t size = load64(at, raw->big);
  if (size == 0 || size > sizeof header->build_id || size > room - 8)
    return "its build id is not one; is it damaged?";
  memcpy(header->build_id, at + 8, (size_t)size);
  header->build_id_size = (size_t)size;
  return NULL;
}

/* Moves to the end of the profile; what is there is value data, or another
 * profile, which would be lost. */
static const char *pass_rest(struct raw *raw) {
  const struct bareprof_image image = {.pointer_size = raw->wide ? 8 : 4};
  const uint64_t *fields = raw->fields;
  bool wide;
  if (!pass(raw, fields[BAREPROF_PADDING_AFTER_BITMAP], 1) ||
      !pass(raw, fields[BAREPROF_NUM_UNIFORM_COUNTERS], 8) ||
      !pass(raw, fields[BAREPROF_PADDING_AFTER_UNIFORM], 1) ||
      !pass(raw, fields[BAREPROF_NAMES_SIZE], 1) ||
      !pass(raw, fields[BAREPROF_NUM_VTABLES],
            (unsigned)bareprof_vtable_size(&image)) ||
      !pass(raw, fields[BAREPROF_VTABLE_NAMES_SIZE], 1))
    return cut;
  for (; raw->file.size - raw->at >= 8; raw->at++)
    if (raw_magic(raw->file.data + raw->at, raw->big, &wide))
      return "there are several profiles in it; give each in a file of its "
             "own";
  return NULL;
}

const char *rawfile_read(struct snapshot *snapshot, struct bytes file) {
  struct raw raw = {.file = file};
  const unsigned char *bytes[BAREPROF_PIECES] = {NULL};
  const char *error = read_header(&raw);
  if (error)
    return error;
  struct header header = {.lean = true,
                          .big_endian = raw.big,
                          .wide = raw.wide,
                          .version = raw.fields[BAREPROF_VERSION_WORD]};
  error = read_build_id(&raw, &header);
  if (error)
    return error;
  if (!pass(&raw, raw.fields[BAREPROF_NUM_DATA], raw.layout->record_size) ||
      !pass(&raw, raw.fields[BAREPROF_PADDING_BEFORE_COUNTERS], 1))
    return cut;
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++) {
    bool counters = i == BAREPROF_PIECE_COUNTERS;
    unsigned size = header_element(&header, i);
    uint64_t count = raw.fields[counters ? BAREPROF_NUM_COUNTERS
                                         : BAREPROF_NUM_BITMAP_BYTES];
    bytes[i] = pass(&raw, count, size);
    if (!bytes[i] ||
        (counters &&
         !pass(&raw, raw.fields[BAREPROF_PADDING_AFTER_COUNTERS], 1)))
      return cut;
    header.pieces[i].size = count * size;
    if (header.pieces[i].size > PIECE_LIMIT)
      return "it has more than 16 MB of counters; is it damaged?";
  }
  error = pass_rest(&raw);
  if (error)
    return error;
  if (header.pieces[BAREPROF_PIECE_COUNTERS].size == 0)
    return "it has no counters; does the firmware call bareprof_init?";
  bool made = snapshot_new(snapshot, &header);
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (made && header.pieces[i].size)
      made = snapshot_constant(snapshot, i, bytes[i]);
  if (made)
    return NULL;
  snapshot_free(snapshot);
  return "out of memory; close other programs";
}
