/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Both decoders, side by side.
 */
#include "versus.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "inflate.h"

enum { GUARD = 400 };

static unsigned char ours[VERSUS_ROOM + GUARD], theirs[VERSUS_ROOM];

/* zlib; not its uncompress(), which has one byte of room where there is none.
 * wrapped: with header and checksum. Z_STREAM_END is success. */
static int unpack(z_stream *stream, const unsigned char *packed, size_t size,
                  size_t room, bool wrapped) {
  size_t header = wrapped || size < 2 ? 0 : 2;
  *stream = (z_stream){.next_in = packed + header,
                       .avail_in = (uInt)(size - header),
                       .next_out = theirs,
                       .avail_out = (uInt)room};
  if (inflateInit2(stream, wrapped ? 15 : -15) != Z_OK)
    abort();
  int result = inflate(stream, Z_FINISH);
  inflateEnd(stream);
  return result;
}

bool versus_zlib(const unsigned char *packed, size_t size, size_t room,
                 bool *good) {
  size_t our_size = room;
  z_stream stream;
  /* Of its very size, for the sanitizer. */
  unsigned char *block = malloc(size + !size);
  if (size)
    memcpy(block, packed, size);
  memset(ours + room, 0xA5, GUARD);
  const char *error =
      inflate_zlib((struct bytes){block, size}, ours, &our_size);
  *good = unpack(&stream, packed, size, room, true) == Z_STREAM_END;
  free(block);
  for (size_t i = room; i < room + GUARD; i++)
    if (ours[i] != 0xA5)
      return false;
  return *good == !error && (!*good || (our_size == stream.total_out &&
                                        !memcmp(ours, theirs, our_size)));
}

size_t versus_mend(unsigned char *packed, size_t size) {
  z_stream stream;
  if (unpack(&stream, packed, size, VERSUS_ROOM, false) != Z_STREAM_END)
    return size;
  size_t used = 2 + stream.total_in;
  uLong sum = adler32(adler32(0, NULL, 0), theirs, (uInt)stream.total_out);
  for (unsigned i = 0; i < 4; i++)
    packed[used + i] = (unsigned char)(sum >> (24 - 8 * i));
  return used + 4;
}
