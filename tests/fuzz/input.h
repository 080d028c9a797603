/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the fuzz targets. It uses the fuzzer's bytes one after the
 * other as decisions, and ends a run if a property does not hold.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct input {
  const uint8_t *at;
  const uint8_t *end;
};

static inline bool more(const struct input *input) {
  return input->at != input->end;
}

/* Returns the next byte, or 0 after the end. */
static inline unsigned take(struct input *input) {
  return more(input) ? *input->at++ : 0;
}

static inline uint64_t take_number(struct input *input, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)take(input) << 8 * i;
  return value;
}

/* Returns a number from -8 to 8, modulo 2^64, which callers add. */
static inline uint64_t take_step(struct input *input) {
  return (uint64_t)take(input) % 17 - 8;
}

/* Returns an offset in a file of `size` bytes: one of the first 2-byte numbers,
 * one of the last 4-byte numbers, or any. `first` and `last` are how many of
 * these numbers can be chosen. */
static inline size_t take_place(struct input *input, size_t size,
                                unsigned first, unsigned last) {
  unsigned where = take(input) % 4;
  size_t at = take(input);
  if (where == 0)
    at = at % first * 2;
  else if (where == 1)
    at = size - 4 - at % last * 4;
  else
    at = (at | (size_t)take(input) << 8) % size;
  return at < size ? at : 0;
}

/* Changes a byte in one of three ways. Returns false, and changes nothing, if
 * `what` selects the fourth way, which is the caller's. */
static inline bool edit_byte(struct input *input, unsigned char *byte,
                             unsigned what) {
  if (what % 4 == 0)
    *byte = (unsigned char)take(input);
  else if (what % 4 == 1)
    *byte = (unsigned char)(*byte + take_step(input));
  else if (what % 4 == 2)
    *byte ^= (unsigned char)(1u << what / 4 % 8);
  return what % 4 != 3;
}

/* libFuzzer keeps the input of a run that aborts. */
static inline void must(bool holds, const char *property) {
  if (holds)
    return;
  fprintf(stderr, "property broken: %s\n", property);
  abort();
}

#endif
