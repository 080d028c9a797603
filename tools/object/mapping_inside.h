/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the coverage mapping share. Only they include this.
 */
#ifndef BASE_MAPPING_INSIDE_H
#define BASE_MAPPING_INSIDE_H

#include "mapping.h"

enum {
  NAMES_HEADER = 16, /* of a part */
  RECORD_HEADER = MAPPING_HEADER,
  HASH_AT = 12,      /* of a record */
  REFERENCE_AT = 20, /* of a record, to the names */
  ALIGNED = 8
};

/* The names of an object's files. */
struct object_names {
  uint64_t reference;
  struct bytes bytes; /* behind its header */
  bool mcdc;
};

struct mapping_cursor {
  const unsigned char *at, *end;
};

static inline size_t mapping_aligned(size_t at) {
  return (at + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static inline bool mapping_number(struct mapping_cursor *cursor, uint64_t most,
                                  uint64_t *value) {
  return read_uleb128(&cursor->at, cursor->end, value) && *value <= most;
}

/* Returns the names that the function at hand refers to, or NULL. */
const struct object_names *mapping_part(const struct mapping *mapping);

#endif
