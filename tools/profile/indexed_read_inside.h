/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the indexed reader share, and nobody else needs.
 */
#ifndef BAREPROF_TOOLS_INDEXED_READ_INSIDE_H
#define BAREPROF_TOOLS_INDEXED_READ_INSIDE_H

#include "indexed_read.h"
#include "sites_read.h"

/* An indexed profile in a file. Offsets of sections are 0 where the version
 * has none, and within the file. */
struct indexed {
  struct bytes file;
  unsigned version;
  unsigned flags; /* enum profile_flag */
  bool memory;    /* it has a memory profile */
  size_t table, memprof, ids, vtables, traces;
};

const char *indexed_open(struct indexed *indexed, struct bytes file);

/* Goes through the functions. With *to (else NULL), adds them. events may be
 * NULL. NULL, or what is wrong. */
const char *indexed_functions(const struct indexed *indexed, struct profile *to,
                              uint64_t weight,
                              const struct read_events *events);

/* The same with what else there is. */
const char *indexed_rest(const struct indexed *indexed, struct profile *to,
                         uint64_t weight);

/* Whether the file has size bytes at an offset. */
static inline bool indexed_has(const struct indexed *indexed, uint64_t at,
                               uint64_t size) {
  return at <= indexed->file.size && size <= indexed->file.size - at;
}

static inline uint64_t indexed_load(const struct indexed *indexed, size_t at) {
  return load64(indexed->file.data + at, false);
}

#endif
