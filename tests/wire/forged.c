/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compact dumps that no firmware sends, with valid checks, on standard output:
 *   forged many N SEED   N frames of a counter each, no two of which meet, in
 *                        descending order, or, if SEED is not 0, in none
 *   forged large N MORE  N dumps of 16 MB each, and MORE counters, with one
 *                        counter of them
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One coded number, a zero. */
enum { LEAN = 5 | 1 << 3, COUNTS = 6, ZERO = 0xA0, LARGE = 1 << 21 };

static unsigned char frame[64];
static size_t size;
static uint32_t seed_of_dump;

static void byte(unsigned value) { frame[size++] = (unsigned char)value; }

static void varint(uint32_t value) {
  for (; value > 127; value >>= 7)
    byte(value | 128);
  byte(value);
}

static void begin(unsigned head, unsigned dump, unsigned sequence) {
  size = 0;
  byte(head);
  byte(dump);
  byte(dump >> 8);
  byte(sequence);
}

static void end(uint32_t seed) {
  uint32_t check = ~seed;
  byte(ZERO);
  for (size_t i = 0; i < size; i++) {
    check ^= frame[i];
    for (unsigned bit = 0; bit < 8; bit++)
      check = check >> 1 ^ (check & 1 ? 0xEDB88320 : 0);
  }
  for (unsigned i = 0; i < 4; i++)
    byte(~check >> 8 * i);
  putchar(0xFA);
  for (size_t i = 0; i < size; i++) {
    int marked = frame[i] >= 0xFA && frame[i] <= 0xFC;
    if (marked)
      putchar(0xFC);
    putchar(marked ? frame[i] ^ 0x20 : frame[i]);
  }
  putchar(0xFB);
}

/* Of a start of its own. */
static void lean(unsigned dump, uint32_t counters) {
  begin(LEAN, dump, 0);
  /* The format, 8-byte counters, the ordinal, a state. */
  seed_of_dump = 3 | 3 << 6 | 1 << 8 | 1 << 16;
  for (unsigned i = 0; i < 4; i++)
    byte(seed_of_dump >> 8 * i);
  for (unsigned i = 0; i < 8; i++)
    byte(0x11);
  varint(dump << 8);
  varint(0);
  varint(counters);
  varint(0);
  end(0);
}

static void many(uint32_t count, uint32_t seed) {
  uint32_t *places = malloc(count * sizeof *places);
  if (!places)
    exit(1);
  for (uint32_t i = 0; i < count; i++)
    places[i] = 2 * (count - i);
  for (uint32_t i = count; seed && --i;) {
    seed = seed * 1664525 + 1013904223;
    uint32_t other = seed % (i + 1), kept = places[i];
    places[i] = places[other];
    places[other] = kept;
  }
  lean(1, 2 * count + 2);
  for (uint32_t i = 0; i < count; i++) {
    begin(COUNTS, 1, i + 1);
    varint(places[i]);
    end(seed_of_dump);
  }
  free(places);
}

int main(int argc, char **arguments) {
  if (argc != 4)
    return 2;
  uint32_t count = (uint32_t)strtoul(arguments[2], NULL, 10);
  if (strcmp(arguments[1], "many") == 0)
    many(count, (uint32_t)strtoul(arguments[3], NULL, 10));
  else
    for (uint32_t i = 0; i < count; i++)
      lean(i + 1, LARGE + (uint32_t)strtoul(arguments[3], NULL, 10));
  return fflush(stdout) != 0;
}
