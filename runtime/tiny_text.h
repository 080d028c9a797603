/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A whole lean dump as one TEXT frame, on lines of base64, by the
 * function TINY_SEND.
 */
#include "tiny_dump.h"

static TINY_NOINLINE void put_sixth(struct tiny *tiny, unsigned value) {
  enum { COLUMNS = 72 };
  if (tiny->column++ == COLUMNS) {
    put_raw(tiny, '\n');
    put_raw(tiny, '~');
    tiny->column = 1;
  }
  value &= 63;
  if (value < 52)
    value += value < 26 ? 'A' : 'a' - 26;
  else if (value < 62)
    value -= 52 - '0';
  else
    value = value == 62 ? '+' : '/';
  put_raw(tiny, value);
}

static void put_coded(struct tiny *tiny, unsigned byte) {
  unsigned bits = tiny->last << 8 | byte, left = tiny->left + 2;
  put_sixth(tiny, bits >> left);
  if (left == 6) {
    put_sixth(tiny, bits);
    left = 0;
  }
  tiny->last = byte;
  tiny->left = left;
}

int TINY_SEND(bareprof_tiny_put *put, void *context) {
  struct tiny tiny;
  if (!tiny_ready())
    return BAREPROF_E_NOT_INIT;
  tiny.put = put;
  tiny.context = context;
  tiny.error = 0;
  tiny.last = tiny.left = tiny.column = 0;
  put_raw(&tiny, '~');
  put_raw(&tiny, '{');
  put_dump(&tiny);
  if (tiny.left)
    put_sixth(&tiny, tiny.last << (6 - tiny.left));
  put_raw(&tiny, '}');
  put_raw(&tiny, '\n');
  return tiny.error;
}
