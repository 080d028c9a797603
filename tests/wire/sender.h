/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps of made-up images by the runtime's own code, for tests of the host's
 * side. This header is for both: it knows no struct of either.
 */
#ifndef SENDER_H
#define SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SENDER_PIECES = 7, SENDER_FRAMES = 512 };

/* What an image holds, and what its dump looks like. */
struct sent {
  /* In. */
  bool binary, lean, bytes_mode;
  unsigned core, image, boot;
  /* Pieces by number: records, counters, bitmap, names, vtables, their
   * names, value slots. The sender makes them up, from the seed. */
  unsigned char *pieces[SENDER_PIECES];
  size_t sizes[SENDER_PIECES];
  /* Out: the bytes on the wire, and where in them frames begin. */
  unsigned char *wire;
  size_t wire_size, wire_room;
  size_t frames[SENDER_FRAMES + 1]; /* frames[count] is wire_size */
  size_t frame_count;
};

/* A generator of random numbers, the same everywhere. */
uint32_t sender_random(uint64_t *state);

/* Makes up an image of about `counters` counters and sends it. */
void sender_make(struct sent *sent, unsigned counters, uint64_t *state);

/* Counts on: some counters grow; sends it again, to the same struct. */
void sender_again(struct sent *sent, uint64_t *state);

void sender_free(struct sent *sent);

#endif
