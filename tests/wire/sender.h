/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes random images, and lets the runtime's code send them, for tests of the
 * host's side. This header uses no struct of the runtime or of the host's side,
 * so that both can include it.
 */
#ifndef SENDER_H
#define SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SENDER_PIECES = 7, SENDER_FRAMES = 512 };

/* The contents of an image, and its dump. */
struct sent {
  /* The caller sets these. */
  bool binary, lean, bytes_mode;
  unsigned core, image, boot;
  /* The pieces by number: records, counters, bitmap, names, vtables, names of
   * vtables, value slots. sender_make fills them with random contents. */
  unsigned char *pieces[SENDER_PIECES];
  size_t sizes[SENDER_PIECES];
  /* The result: the bytes of the dump, and the offsets of its frames. */
  unsigned char *wire;
  size_t wire_size, wire_room;
  size_t frames[SENDER_FRAMES + 1]; /* frames[count] is wire_size */
  size_t frame_count;
};

/* Returns a random number, which depends only on *state. */
uint32_t sender_random(uint64_t *state);

/* Makes an image with about `counters` counters, and sends it. */
void sender_make(struct sent *sent, unsigned counters, uint64_t *state);

/* Increases some counters, and sends the image again to the same struct. */
void sender_again(struct sent *sent, uint64_t *state);

void sender_free(struct sent *sent);

#endif
