/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A memory profile begins with its version (none in version 0) and offsets:
 *   0, 1  table of records, payload of frames, table of frames
 *   2     the same, then payload and table of call stacks
 *   3     payload of call stacks, payload of records, table of records
 *   4     the same, then data accesses (0: none)
 * A table is u64 number of buckets, u64 number of items, u64 offset of each
 * bucket (0: empty).
 */
#include "memprof_move.h"

#include "../base/bytes.h"

static const char damaged[] =
    "its memory profile is damaged; make the file again";

struct memprof {
  unsigned char *bytes;
  size_t size;
  uint64_t from, to;
};

/* The offset at a place of the section; moved. *inside: where it leads, in the
 * section. */
static const char *move(struct memprof *memprof, uint64_t at,
                        uint64_t *inside) {
  if (at > memprof->size || memprof->size - at < 8)
    return damaged;
  uint64_t offset = load64(memprof->bytes + at, false);
  *inside = 0;
  if (offset == 0)
    return NULL;
  *inside = offset - memprof->from;
  if (offset < memprof->from || *inside > memprof->size)
    return damaged;
  store64(memprof->bytes + at, *inside + memprof->to, false);
  return NULL;
}

static const char *move_table(struct memprof *memprof, uint64_t at) {
  if (at > memprof->size || memprof->size - at < 16)
    return damaged;
  uint64_t count = load64(memprof->bytes + at, false), inside;
  const char *error = NULL;
  if (count > (memprof->size - at - 16) / 8)
    return damaged;
  for (uint64_t i = 0; i < count && !error; i++)
    error = move(memprof, at + 16 + 8 * i, &inside);
  return error;
}

const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place) {
  /* T is a table, P is not. */
  static const char *const offsets[] = {"TPT", "TPT", "TPTPT", "PPT", "PPTP"};
  struct memprof memprof = {bytes, size, place->from, place->to};
  const char *error = NULL;
  if (place->version >= sizeof offsets / sizeof *offsets)
    return "its memory profile is of a version that is not known; leave it "
           "out, by llvm-profdata of the compiler";
  if (place->from == place->to)
    return NULL;
  uint64_t at = place->version ? 8 : 0, inside;
  for (const char *what = offsets[place->version]; *what && !error; what++) {
    error = move(&memprof, at, &inside);
    if (!error && *what == 'T' && !inside)
      return damaged;
    if (!error && *what == 'T')
      error = move_table(&memprof, inside);
    at += 8;
  }
  return error;
}
