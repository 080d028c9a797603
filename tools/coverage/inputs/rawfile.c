/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counters and bitmap of a raw profile, with its first build id.
 */
#include "inputs.h"

#include <string.h>

#include "../../base/error.h"
#include "../../profile/raw.h"

static const char *read_build_id(const struct raw *raw, struct header *header) {
  struct bytes ids = raw->ids, id;
  if (ids.size < 8)
    return "it has no build id, and so may be of any build; link with "
           "--build-id";
  if (!raw_next_id(raw, &ids, &id) || id.size > sizeof header->build_id)
    return "its build id is not one; is it damaged?";
  memcpy(header->build_id, id.data, id.size);
  header->build_id_size = id.size;
  return NULL;
}

/* Whether another profile follows, which would be lost. Otherwise the rest is
 * value data. */
static bool has_another(const struct raw *raw) {
  bool wide;
  for (size_t at = raw->at; raw->file.size - at >= 8; at++)
    if (raw_magic(raw->file.data + at, raw->big, &wide))
      return true;
  return false;
}

static const char *describe(const struct raw *raw, struct header *header) {
  *header = (struct header){.lean = true,
                            .big_endian = raw->big,
                            .wide = raw->wide,
                            .version = raw->fields[BAREPROF_VERSION_WORD]};
  header->pieces[BAREPROF_PIECE_COUNTERS].size = raw->counters.size;
  header->pieces[BAREPROF_PIECE_BITMAP].size = raw->bitmap.size;
  if (raw->counters.size > PIECE_LIMIT || raw->bitmap.size > PIECE_LIMIT)
    return "it has more than 16 MB of counters; is it damaged?";
  if (has_another(raw))
    return "there are several profiles in it; give each in a file of its own";
  if (raw->counters.size == 0)
    return "it has no counters; does the firmware call bareprof_init?";
  return read_build_id(raw, header);
}

const char *rawfile_read(struct snapshot *snapshot, struct bytes file) {
  struct raw raw;
  struct header header;
  const char *error = raw_open(&raw, file, 0);
  if (!error)
    error = describe(&raw, &header);
  if (error)
    return error;
  bool made = snapshot_new(snapshot, &header);
  if (made)
    made =
        snapshot_constant(snapshot, BAREPROF_PIECE_COUNTERS, raw.counters.data);
  if (made && raw.bitmap.size)
    made = snapshot_constant(snapshot, BAREPROF_PIECE_BITMAP, raw.bitmap.data);
  if (made)
    return NULL;
  snapshot_free(snapshot);
  return out_of_memory;
}
