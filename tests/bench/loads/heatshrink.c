/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: heatshrink compresses 3,000 bytes, of which some repeat, and
 * restores them, 61 bytes at a time.
 */
#include <heatshrink_decoder.h>
#include <heatshrink_encoder.h>

#include "board.h"
#include "forms.h"

enum { SIZE = 3000, PIECE = 61 };

static heatshrink_encoder encoder;
static heatshrink_decoder decoder;
static uint8_t given[SIZE], packed[2 * SIZE], restored[2 * SIZE];

/* Ends the run without a profile: it would not show what it should. */
static void must(int holds) {
  if (!holds)
    board_exit(10);
}

static void make(void) {
  unsigned state = 1;
  for (unsigned i = 0; i < SIZE; i++) {
    state = state * 1103515245 + 12345;
    given[i] =
        i % 300 < 200 ? "position 54.3233 N "[i % 19] : (uint8_t)(state >> 24);
  }
}

static size_t pack(void) {
  size_t in = 0, out = 0, count;
  heatshrink_encoder_reset(&encoder);
  while (in < SIZE || heatshrink_encoder_finish(&encoder) == HSER_FINISH_MORE) {
    size_t left = SIZE - in < PIECE ? SIZE - in : PIECE;
    if (left) {
      must(heatshrink_encoder_sink(&encoder, given + in, left, &count) >= 0);
      in += count;
    }
    HSE_poll_res result;
    do {
      result = heatshrink_encoder_poll(&encoder, packed + out, PIECE, &count);
      must(result >= 0);
      out += count;
    } while (result == HSER_POLL_MORE);
  }
  return out;
}

static size_t restore(size_t size) {
  size_t in = 0, out = 0, count;
  heatshrink_decoder_reset(&decoder);
  while (in < size || heatshrink_decoder_finish(&decoder) == HSDR_FINISH_MORE) {
    size_t left = size - in < PIECE ? size - in : PIECE;
    if (left) {
      must(heatshrink_decoder_sink(&decoder, packed + in, left, &count) >= 0);
      in += count;
    }
    HSD_poll_res result;
    do {
      result = heatshrink_decoder_poll(&decoder, restored + out, PIECE, &count);
      must(result >= 0);
      out += count;
    } while (result == HSDR_POLL_MORE);
  }
  return out;
}

void work(void) {
  make();
  must(restore(pack()) == SIZE);
  for (unsigned i = 0; i < SIZE; i++)
    must(given[i] == restored[i]);
}

#ifdef ROUNDS /* Of rebuilt and narrow: what record builds has no such use. */
uint32_t work_result(void) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < SIZE; i++)
    sum = sum * 31 + packed[i];
  return sum;
}
#endif
