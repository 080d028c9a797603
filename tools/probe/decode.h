/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The state of decode.c, and what decode.c does for it.
 */
#ifndef PROBE_DECODE_H
#define PROBE_DECODE_H

#include "inside.h"

/* A body that is being read. */
struct level {
  uint64_t guid;
  const struct probe_frame *frame;
  uint64_t probes, inlined; /* that are still to come */
};

struct decoder {
  struct probes *probes;
  const struct probe_layout *layout;
  const unsigned char *begin, *at, *end;
  struct level levels[PROBE_DEPTH_MOST + 1];
  unsigned depth;
  struct probe_record record;
  uint64_t address; /* of the last probe */
  uint64_t before;  /* the same, of the last record with an address */
  bool addressed;   /* there is such a record right before */
  uint64_t mask;    /* of addresses */
  bool settled;     /* the record's encoding and place are known */
};

static inline size_t probe_left(const struct decoder *d) {
  return (size_t)(d->end - d->at);
}

static inline bool probe_is_rfc(const struct decoder *d) {
  return d->layout->encoding >= PROBE_RFC;
}

/* How many bytes an address at d->at has. */
unsigned probe_address_size(const struct decoder *d);

bool probe_is_code(const struct probes *probes, uint64_t address);

/* The record has an encoding from now on. */
void probe_settle(struct decoder *d, unsigned encoding);

/* It begins at a symbol of this GUID, if there is one. */
void probe_begin_at(struct decoder *d, uint64_t guid);

/* It begins with a difference. */
void probe_begin_with(struct decoder *d, uint64_t step);

#endif
