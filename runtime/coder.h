/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model of the link's coder: what encoder (coder.c) and decoder (the host
 * tool) must do alike to the bit. The format is described in link.c.
 */
#ifndef BAREPROF_RUNTIME_CODER_H
#define BAREPROF_RUNTIME_CODER_H

#include <stdbool.h>
#include <stdint.h>

/* The contexts: one for each kind of binary decision. */
enum {
  BAREPROF_CODER_ZERO = 0, /* is it 0? 3, by what the last number was */
  BAREPROF_CODER_RANK = 3, /* is it behind the first, second, ... recent? 4 */
  BAREPROF_CODER_SIZE = 7, /* has it more bits than 1, 2, ...? 33 */
  BAREPROF_CODER_CONTEXTS = 40,
  BAREPROF_CODER_RECENT = 4
};

/* What the last number was; NEW follows RECENT. */
enum { BAREPROF_WAS_ZERO, BAREPROF_WAS_RECENT, BAREPROF_WAS_NEW };

/* State of coder and model, all zeros at the beginning of a frame but for
 * high. A context has the probability of a 1 in 4096ths, less 2048, in its
 * upper 12 bits, and in the lower 4 how often it was used, up to 5. */
struct bareprof_model {
  uint32_t low, high;                     /* the encoder's range */
  uint64_t recent[BAREPROF_CODER_RECENT]; /* distinct, the last one first */
  unsigned last;
  uint16_t contexts[BAREPROF_CODER_CONTEXTS];
};

static inline unsigned bareprof_model_probability(uint16_t context) {
  return (context ^ 0x8000u) >> 4;
}

/* Moves a context towards what has just been seen: by 1/2 of the way at
 * first, by 1/16 from the sixth use on. The probability stays within 15 to
 * 4080. */
static inline uint16_t bareprof_model_learn(uint16_t context, bool bit) {
  unsigned probability = bareprof_model_probability(context);
  unsigned uses = context & 15;
  unsigned shift = (uses + 3) >> 1;
  if (bit)
    probability += (4095 - probability) >> shift;
  else
    probability -= probability >> shift;
  return (uint16_t)((probability << 4 ^ 0x8000) | (uses + (uses < 5)));
}

/* The context after this one: the last one is for all beyond. */
static inline unsigned bareprof_model_next(unsigned index) {
  return index + (index < BAREPROF_CODER_CONTEXTS - 1);
}

/* Puts a number that is not 0 first among the recent, and returns where it
 * was, or BAREPROF_CODER_RECENT if it is new: the last one is dropped then. */
static inline unsigned bareprof_model_recall(struct bareprof_model *model,
                                             uint64_t value) {
  uint64_t moved = value;
  unsigned rank = 0;
  do {
    uint64_t next = model->recent[rank];
    model->recent[rank] = moved;
    if (next == value)
      break;
    moved = next;
  } while (++rank != BAREPROF_CODER_RECENT);
  return rank;
}

/* Where the range between low and high is cut for a bit: a 1 takes the lower
 * part, up to and with the cut. high > low, so both parts have room. */
static inline uint32_t bareprof_coder_cut(uint32_t low, uint32_t high,
                                          unsigned probability) {
  return low + ((high - low) >> 12) * probability;
}

#endif
