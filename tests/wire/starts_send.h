/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps of made-up images by the runtime's public functions, compiled for
 * this machine. This header knows no struct of the runtime or of the host's
 * side, so that both can include it.
 */
#ifndef STARTS_SEND_H
#define STARTS_SEND_H

#include <stdbool.h>
#include <stddef.h>

enum { IMAGE_PIECES = 4, PIECE_ROOM = 8192 };

enum form { FORM_FULL, FORM_LEAN, FORM_MIP, FORM_SAMPLES, FORMS };

/* Samples: a table of places, each of three words: PC, LR, count. */
enum { SAMPLE_WORDS = 3, SAMPLE_PLACES = 64 + 3, SAMPLE_PERIOD = 7 };

/* The memory of an image. Pieces by number: records (of MIP, the header; of
 * samples, the table), counters (of MIP, what follows it; of samples, period,
 * lost and taken), bitmap (edges), names. */
struct memory {
  size_t sizes[IMAGE_PIECES];
  _Alignas(8) unsigned char bytes[IMAGE_PIECES][PIECE_ROOM];
};

struct sending {
  enum form form;
  bool binary;
  unsigned number;  /* of the start; 0: none */
  unsigned ordinal; /* of the last dump; MIP has none */
};

/* What the sink gets with one call: a line of TEXT. */
typedef void starts_take(const void *bytes, size_t size);

void starts_send(const struct memory *memory, const struct sending *how,
                 starts_take *take);

#endif
