/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters and bitmaps of 16 MiB are what was sent; what is larger, whose
 * places need a fourth byte, the host refuses, and takes nothing of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large_send.h"
#include "starts_host.h"

static struct large large;
static unsigned right, wrong;

static void accept(const struct snapshot *snapshot) {
  bool same = snapshot->header.pieces[1].size == large.counters_size &&
              snapshot->header.pieces[2].size == large.bitmap_size &&
              memcmp(snapshot->parts[1].bytes, large.counters,
                     large.counters_size) == 0 &&
              memcmp(snapshot->parts[2].bytes, large.bitmap,
                     large.bitmap_size) == 0;
  right += same;
  wrong += !same;
}

enum { LIMIT = 1 << 24 };

struct log {
  unsigned char *bytes;
  size_t size, room;
};

static int take(void *context, const void *bytes, size_t size) {
  struct log *log = context;
  if (log->room - log->size < size) {
    log->room = 2 * log->room + size;
    log->bytes = realloc(log->bytes, log->room);
    if (!log->bytes)
      abort();
  }
  memcpy(log->bytes + log->size, bytes, size);
  log->size += size;
  return 0;
}

/* Most counters are 0, as in firmware; all around 16 MiB, and at the end, are
 * not. */
static void fill(uint64_t *counters, unsigned char *bitmap) {
  size_t count = large.counters_size / 8;
  for (size_t i = 0; i < count; i++)
    counters[i] = i % 977 == 0 || count - i < 20 || (i >> 4) == (1 << 17)
                      ? UINT64_C(0x9E3779B97F4A7C15) * (i + 1) >> (i % 60)
                      : 0;
  for (size_t i = 0; i < large.bitmap_size; i++)
    bitmap[i] = (unsigned char)(i % 911 && large.bitmap_size - i > 9 ? 0 : i);
}

static int row(size_t counters_size, size_t bitmap_size, bool binary) {
  struct log log = {NULL, 0, 0};
  uint64_t *counters = malloc(counters_size);
  unsigned char *bitmap = malloc(bitmap_size);
  if (!counters || !bitmap)
    abort();
  large = (struct large){counters, bitmap, counters_size, bitmap_size};
  fill(counters, bitmap);
  int status = large_send(&large, take, &log, binary);
  right = wrong = 0;
  struct bytes bytes = {log.bytes, log.size};
  bool whole = host_receive(bytes, accept, accept);
  bool fits = counters_size <= LIMIT && bitmap_size <= LIMIT;
  bool good = !status && whole == fits && right == fits && !wrong;
  printf("%s wire large: %zu bytes of counters, %zu of bitmaps, %s%s\n",
         good ? "ok" : "not ok", counters_size, bitmap_size,
         binary ? "BINARY" : "TEXT", good ? "" : ": it is not what was sent");
  free(counters);
  free(bitmap);
  free(log.bytes);
  return !good;
}

int main(void) {
  int status = row(LIMIT, LIMIT, true);
  status |= row(LIMIT + 8, 1, true);
  return status | row(8, LIMIT + 1, false);
}
