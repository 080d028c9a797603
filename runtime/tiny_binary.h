/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A whole lean dump as one BINARY frame, by the function TINY_SEND.
 */
#include "tiny_dump.h"

static void put_coded(struct tiny *tiny, unsigned byte) {
  put_binary(tiny, byte);
}

int TINY_SEND(bareprof_tiny_put *put, void *context) {
  struct tiny tiny;
  if (!tiny_ready())
    return BAREPROF_E_NOT_INIT;
  tiny.put = put;
  tiny.context = context;
  tiny.error = 0;
  put_raw(&tiny, 0xFA);
  put_dump(&tiny);
  put_raw(&tiny, 0xFB);
  return tiny.error;
}
