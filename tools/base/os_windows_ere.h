/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The steps that a pattern is compiled to. os_windows_ere.c compiles them,
 * os_windows_ere_match.c matches a text with them.
 */
#ifndef BASE_OS_WINDOWS_ERE_H
#define BASE_OS_WINDOWS_ERE_H

#include <ctype.h>

#include "ere.h"

enum ere_kind {
  STEP_BYTE,
  STEP_SET,
  STEP_ANY,
  STEP_BOTH, /* continues here, or there */
  STEP_BACK, /* continues there, or here */
  STEP_TO,
  STEP_OPEN, /* the first group's start; and its end */
  STEP_CLOSE,
  STEP_BEGIN, /* of the text; the next steps are positions too */
  STEP_END,
  STEP_EDGE,
  STEP_NO_EDGE,
  STEP_WORD_BEGIN,
  STEP_WORD_END,
  STEP_FOUND
};

struct ere_step {
  enum ere_kind kind;
  unsigned value; /* a byte, the index of a set, or of another step */
};

struct ere_set {
  unsigned char bits[32];
};

struct ere_program {
  struct ere_step *steps;
  size_t count;
  struct ere_set *sets;
  size_t set_count;
};

static inline bool ere_has(const struct ere_set *set, unsigned char byte) {
  return set->bits[byte / 8] >> byte % 8 & 1;
}

static inline bool ere_is_word(unsigned char byte) {
  return byte == '_' || (byte < 0x80 && isalnum(byte));
}

#endif
