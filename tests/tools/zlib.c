/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares tools/object/inflate with zlib: data that zlib packs, at every level
 * and with every strategy, is unpacked; after damage by a seeded generator it
 * is rejected if zlib rejects it, and else gives the same bytes. Prints how
 * many of each there were.
 *   zlib RUNS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "versus.h"

enum { ROOM = VERSUS_ROOM };

static unsigned char plain[ROOM], packed[2 * ROOM];
static unsigned long counts[2];

static uint32_t random_number(uint32_t below) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + 1;
  return (uint32_t)(state >> 33) % below;
}

/* Noise, runs, text of few letters, copies from far back. */
static size_t make_plain(size_t size) {
  size_t at = 0;
  while (at < size) {
    size_t run = 1 + random_number(300);
    unsigned kind = random_number(4), letters = 1 + random_number(40);
    size_t back = 1 + random_number(32768);
    for (; run && at < size; run--, at++)
      plain[at] = (unsigned char)(kind == 0   ? random_number(256)
                                  : kind == 1 ? letters
                                  : kind == 2 ? 'a' + random_number(letters)
                                  : at < back ? 0
                                              : plain[at - back]);
  }
  return size;
}

/* Chooses level, strategy, window and memory, and returns the size. */
static size_t pack(size_t size) {
  z_stream stream = {0};
  int strategy = (int)random_number(5);
  if (deflateInit2(&stream, (int)random_number(10), Z_DEFLATED,
                   9 + (int)random_number(7), 1 + (int)random_number(9),
                   strategy) != Z_OK)
    abort();
  stream.next_in = plain;
  stream.next_out = packed;
  stream.avail_out = sizeof packed;
  /* In two parts, with an empty stored block between them at times. */
  stream.avail_in = (uInt)(size / 2);
  deflate(&stream, random_number(2) ? Z_NO_FLUSH : Z_FULL_FLUSH);
  stream.avail_in += (uInt)(size - size / 2);
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    abort();
  deflateEnd(&stream);
  return stream.total_out;
}

static size_t damage(size_t size) {
  for (unsigned edits = 1 + random_number(3); edits; edits--) {
    size_t at = random_number((uint32_t)size);
    /* Rather near the beginning, where the codes are. */
    if (random_number(2))
      at %= 100;
    packed[at] ^= (unsigned char)(1u << random_number(8));
  }
  return random_number(4) ? size : random_number((uint32_t)size);
}

static bool agree(size_t size, size_t room) {
  bool good;
  bool same = versus_zlib(packed, size, room, &good);
  counts[good]++;
  return same;
}

static void failed(unsigned run, const char *what) {
  printf("run %u: zlib does not agree %s\n", run, what);
  exit(1);
}

int main(int count, char **arguments) {
  unsigned runs = count == 2 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
  for (unsigned run = 0; run < runs; run++) {
    size_t size = make_plain(random_number(run % 100 ? 2000 : ROOM));
    size_t packed_size = pack(size);
    if (run < runs / 10 && !agree(packed_size, size))
      failed(run, "on what it has packed");
    if (run < runs / 10 && size && !agree(packed_size, size - 1))
      failed(run, "where there is a byte too little room");
    packed_size = damage(packed_size);
    if (random_number(2))
      packed_size = versus_mend(packed, packed_size);
    if (!agree(packed_size, ROOM))
      failed(run, "on what is damaged");
  }
  printf("%lu refused, %lu unpacked\n", counts[0], counts[1]);
  return counts[0] && counts[1] ? 0 : 1;
}
