/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A whole lean dump as one TEXT frame, on lines of base64, by the
 * function TINY_SEND.
 */
#include "tiny_dump.h"

enum { TEXT_COLUMNS = 72 };

static inline void put_sixth(struct tiny *tiny, uint32_t value) {
  if (tiny->column == 0) {
    put_raw(tiny, '\n');
    put_raw(tiny, '~');
    tiny->column = TEXT_COLUMNS;
  }
  tiny->column--;
  value += 'A';
  if (value > 'Z')
    value += 'a' - 'Z' - 1;
  if (value > 'z')
    value -= 'z' + 1 - '0';
  if (value > '9' && value < 'A')
    value -= '9' + 1 - '+';
  if (value == '+' + 1)
    value = '/';
  put_raw(tiny, value);
}

static inline void encode_bit(struct tiny *tiny, uint32_t bit) {
  uint32_t bits = tiny->encoded << 1 | bit;
  if (bits & 64) {
    put_sixth(tiny, bits & 63);
    bits = 1;
  }
  tiny->encoded = bits;
}

static inline void encode_byte(struct tiny *tiny, uint32_t byte) {
  (void)tiny, (void)byte;
}

int TINY_SEND(bareprof_tiny_put *put, void *context) {
  struct tiny made, *tiny = &made;
  if (!tiny_ready())
    return BAREPROF_E_NOT_INIT;
  TINY_POINTER(tiny);
  tiny->put = put;
  tiny->context = context;
  tiny->error = 0;
  tiny->encoded = 1;
  tiny->column = TEXT_COLUMNS;
  put_raw(tiny, '~');
  put_raw(tiny, '{');
  put_dump(tiny);
  put_bits(tiny, 0, 5); /* completes what a last character has of the frame */
  put_raw(tiny, '}');
  put_raw(tiny, '\n');
  return tiny->error;
}
