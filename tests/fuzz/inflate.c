/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/inflate, compared with zlib: both unpack the same,
 * or both fail. The first bytes choose how much room there is, and what the
 * others are: the packed bytes; blocks, whose header and checksum are added; or
 * what zlib packs, by a level and strategy that the input chooses, and edits of
 * it, with the checksum made right where that is possible.
 */
#include <string.h>
#include <zlib.h>

#include "input.h"
#include "versus.h"

enum { MOST = 4096 };

static unsigned char packed[2 * MOST];

/* The input up to a mark, repeated as it says; edits follow. */
static size_t pack(struct input *input) {
  static unsigned char plain[MOST];
  unsigned how = take(input), times = 1 + take(input) % 8;
  size_t size = take(input);
  if (size > (size_t)(input->end - input->at))
    size = (size_t)(input->end - input->at);
  for (unsigned i = 0; i < times && size; i++)
    memcpy(plain + i * size, input->at, size);
  input->at += size;
  z_stream stream = {.next_in = plain,
                     .avail_in = (uInt)(size * times),
                     .next_out = packed,
                     .avail_out = sizeof packed};
  if (deflateInit2(&stream, (int)(how / 5 % 10), Z_DEFLATED, 15, 9,
                   (int)(how % 5)) != Z_OK)
    abort();
  must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  deflateEnd(&stream);
  return stream.total_out;
}

static size_t edit(struct input *input, size_t size) {
  while (more(input)) {
    unsigned what = take(input);
    size_t at = take_number(input, 2) % size;
    if (what % 4 == 0)
      packed[at] ^= (unsigned char)(1u << (what / 4 % 8));
    else if (what % 4 == 1)
      packed[at % 24] ^= take(input);
    else if (what % 4 == 2)
      packed[at] = take(input);
    else
      size = at + 1;
  }
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + (size < MOST ? size : MOST)};
  unsigned mode = take(&input);
  size_t room = mode & 4 ? VERSUS_ROOM : take_number(&input, 2);
  bool good, as_packed = false;
  if (mode % 4 == 0) {
    size = (size_t)(input.end - input.at);
    if (size)
      memcpy(packed, input.at, size);
  } else if (mode % 4 == 1) {
    size = 2 + (size_t)(input.end - input.at);
    memcpy(packed, "\x78\x01", 2);
    memcpy(packed + 2, input.at, size - 2);
    size = versus_mend(packed, size);
  } else {
    size = pack(&input);
    as_packed = !more(&input);
    size = edit(&input, size);
    if (mode % 4 == 3)
      size = versus_mend(packed, size);
  }
  must(versus_zlib(packed, size, room, &good), "it agrees with zlib");
  must(good || !as_packed || room != VERSUS_ROOM, "zlib's own is unpacked");
  return 0;
}
