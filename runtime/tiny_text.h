/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code of the tiny senders that send TEXT: the frame of tiny_send.h as
 * lines of base64. A file that includes this header defines TINY_SEND, the name
 * of the function, and TINY_SHIFT (tiny_send.h).
 */
#include "tiny_send.h"

enum { TEXT_COLUMNS = 72 };

/* Sends the lower count bits of value as base64, six bits a character, and
 * holds the rest for the next call. The bits of value above these are 0. */
static struct tiny_sender *put_sixths(struct tiny_sender *tiny, uint32_t value,
                                      unsigned count) {
  uint32_t bits = tiny->encoded << count | value;
  tiny->encoded = bits;
  count += tiny->held;
  while (count >= 6) {
    count -= 6;
    if (tiny->column == 0) {
      tiny = put_raw(tiny, '\n');
      tiny = put_raw(tiny, '~');
      tiny->column = TEXT_COLUMNS;
    }
    tiny->column--;
    tiny = put_raw(tiny, bareprof_base64(bits >> count & 63));
  }
  tiny->held = count;
  return tiny;
}

static inline struct tiny_sender *encode_byte(struct tiny_sender *tiny,
                                              uint32_t byte) {
  return put_sixths(tiny, byte, 8);
}

int TINY_SEND(bareprof_tiny_put *put, void *context) {
  struct tiny_sender made, *tiny = &made;
  int error = tiny_check();
  if (error)
    return error;
  TINY_KEEP(tiny);
  tiny->put = put;
  tiny->context = context;
  tiny->error = 0;
  tiny->encoded = tiny->held = 0;
  tiny->column = TEXT_COLUMNS;
  tiny = put_raw(tiny, '~');
  tiny = put_raw(tiny, '{');
  tiny = put_dump(tiny);
  tiny = put_sixths(tiny, 0, 4); /* fills up the last character */
  tiny = put_raw(tiny, '}');
  tiny = put_raw(tiny, '\n');
  return tiny->error;
}
