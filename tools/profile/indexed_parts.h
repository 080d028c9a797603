/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An indexed profile that is being read: where its parts are.
 */
#ifndef BAREPROF_TOOLS_INDEXED_PARTS_H
#define BAREPROF_TOOLS_INDEXED_PARTS_H

#include "model.h"

/* An indexed profile in a file. Offsets of sections are 0 where the version
 * has none, and within the file. */
struct indexed {
  struct bytes file;
  unsigned version;
  unsigned flags;               /* enum profile_flag */
  enum profile_bitmaps bitmaps; /* once the functions were looked at */
  bool memory;                  /* it has a memory profile */
  size_t table, memprof, ids, vtables, traces;
};

/* Whether the file has size bytes at an offset. */
static inline bool indexed_has(const struct indexed *indexed, uint64_t at,
                               uint64_t size) {
  return at <= indexed->file.size && size <= indexed->file.size - at;
}

static inline uint64_t indexed_load(const struct indexed *indexed, size_t at) {
  return load64(indexed->file.data + at, false);
}

/* Reads everything except functions, and adds it to *to unless to is NULL.
 * Returns NULL or the error. */
const char *indexed_rest(const struct indexed *indexed, struct profile *to,
                         uint64_t weight);

#endif
