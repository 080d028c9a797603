/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code of the tiny senders that send BINARY: the frame of tiny_send.h
 * between bytes that text never has. A file that includes this header defines
 * TINY_SEND, the name of the function, and TINY_SHIFT (tiny_send.h).
 */
#include "tiny_send.h"

static inline struct tiny_sender *encode_byte(struct tiny_sender *tiny,
                                              uint32_t byte) {
  if (byte - 0xFA <= 2) {
    tiny = put_raw(tiny, 0xFC);
    byte ^= 0x20;
  }
  return put_raw(tiny, byte);
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
  tiny = put_raw(tiny, 0xFA);
  tiny = put_dump(tiny);
  tiny = put_raw(tiny, 0xFB);
  return tiny->error;
}
