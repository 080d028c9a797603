/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps of random images with the runtime's public functions, compiled
 * for this machine. This header uses no struct of the runtime or of the host's
 * side, so that both can include it.
 */
#ifndef STARTS_SEND_H
#define STARTS_SEND_H

#include <stdbool.h>
#include <stddef.h>

enum { IMAGE_PIECES = 4, PIECE_ROOM = 8192 };

enum form { FORM_FULL, FORM_LEAN, FORM_MIP, FORM_SAMPLES, FORMS };

/* Samples are a table of places. A place has three words: PC, LR, count. */
enum { SAMPLE_WORDS = 3, SAMPLE_PLACES = 64 + 3, SAMPLE_PERIOD = 7 };

/* The memory of an image. The pieces by number: records (MIP: the header;
 * samples: the table), counters (MIP: the bytes after the header; samples:
 * period, lost, taken), bitmap (MIP: edges), names. */
struct memory {
  size_t sizes[IMAGE_PIECES];
  _Alignas(8) unsigned char bytes[IMAGE_PIECES][PIECE_ROOM];
};

struct sending {
  enum form form;
  bool binary;
  unsigned number;  /* number of the boot; 0: the boot lacks a number */
  unsigned ordinal; /* ordinal of the last dump; MIP lacks ordinals */
};

/* Gets the bytes of one call of the sink: a line, if the dump is TEXT. */
typedef void starts_take(const void *bytes, size_t size);

void starts_send(const struct memory *memory, const struct sending *how,
                 starts_take *take);

#endif
