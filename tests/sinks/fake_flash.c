/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NOR flash for flash.c, with its rules: only complete sectors are erased,
 * aligned units are programmed once, and bits only fall. The power can fail
 * within any operation, which is then half done.
 */
#include "fakes.h"

enum { SECTOR = 512, SECTORS = 15, SIZE = SECTOR * SECTORS, DEAD = 99 };

static _Alignas(SECTOR) unsigned char flash[SIZE];
static unsigned char programmed[SIZE / FLASH_UNIT];
static uint32_t operations, power_until, broken_rules;

/* How much of an operation is done: all, half, or none. */
static size_t done(size_t size) {
  ++operations;
  return operations < power_until    ? size
         : operations == power_until ? size / 2
                                     : 0;
}

static int erase(unsigned char *sector) {
  size_t at = (size_t)(sector - flash), size = done(SECTOR);
  broken_rules += at % SECTOR != 0 || at >= SIZE;
  for (size_t i = 0; i < size; ++i) {
    flash[at + i] = 0xff;
    programmed[(at + i) / FLASH_UNIT] = 0;
  }
  return size == SECTOR ? 0 : DEAD;
}

static int program(unsigned char *to, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  size_t at = (size_t)(to - flash), count = done(size);
  broken_rules += at % FLASH_UNIT != 0 || size % FLASH_UNIT != 0;
  broken_rules += at >= SIZE || size > SIZE - at;
  broken_rules += from >= flash && from < flash + SIZE;
  for (size_t i = 0; i < size; i += FLASH_UNIT)
    broken_rules += programmed[(at + i) / FLASH_UNIT]++;
  for (size_t i = 0; i < count; ++i) {
    broken_rules += (from[i] & ~flash[at + i]) != 0;
    flash[at + i] &= from[i];
  }
  return count == size ? 0 : DEAD;
}

static struct flash_log log_of = {.begin = flash,
                                  .end = flash + SIZE,
                                  .sector = SECTOR,
                                  .erase = erase,
                                  .program = program};

static int append(void) {
  int code = flash_begin(&log_of);
  code = code ? code : dump(flash_write, &log_of);
  return code ? code : flash_finish(&log_of);
}

/* A sink that compares: context is where the bytes should be. */
static int compare(void *context, const void *bytes, size_t size) {
  const unsigned char **at = context;
  const unsigned char *got = bytes;
  for (; size > 0; --size)
    if (*(*at)++ != *got++)
      return 1;
  return 0;
}

/* The number of dumps that a reader finds; -1 if one is not the profile. */
static int dumps(void) {
  unsigned char *at = flash;
  size_t size;
  int count = 0;
  while ((size = flash_size(&log_of, at)) > 0) {
    const unsigned char *bytes = at + FLASH_HEADER;
    if (size != bareprof_size() || dump(compare, &bytes))
      return -1;
    ++count;
    at = flash_behind(&log_of, at, size);
  }
  return count;
}

static void dirty(void) {
  for (size_t i = 0; i < SIZE; ++i) {
    flash[i] = (unsigned char)(i * 7);
    programmed[i / FLASH_UNIT] = 1;
  }
}

/* Whatever the moment: the first dump stays, the second is whole or not there,
 * and the next one is written as if nothing had been. */
static void fail_at(uint32_t operation, uint32_t *bad, uint32_t *none) {
  power_until = ~0u;
  dirty();
  append();
  /* An old dump where the second one goes, which must not come back. */
  append();
  erase(flash);
  append();
  power_until = operation;
  operations = 0;
  int code = append(), found = dumps();
  *bad += found < (code ? 1 : 2) || found > 2;
  *none += found == 1;
  power_until = ~0u;
  *bad += append() != (found == 2 ? SINK_FULL : 0) || dumps() != 2;
}

static void power_fails(void) {
  uint32_t bad = 0, none = 0, tries = 0, last;
  dirty();
  append();
  operations = 0;
  append();
  last = operations;
  for (uint32_t at = 1; at <= last; ++at, ++tries)
    fail_at(at, &bad, &none);
  expect("flash: the power fails at any time", 0, bad);
  /* In the last operation the header may have been whole. */
  report("flash: and there is no dump", none == tries || none + 1 == tries,
         none);
  none = 0;
  fail_at(last + 1, &bad, &none);
  expect("flash: but when it fails behind the last", 0, bad + none);
}

/* A dump of any size, and one behind it where there is room: both are there
 * afterwards. */
static int sized(size_t size) {
  static const unsigned char text[] = "text";
  int code = flash_begin(&log_of);
  for (size_t i = 0; i < size && !code; ++i)
    code = flash_write(&log_of, text + (i & 3), 1);
  code = code ? code : flash_finish(&log_of);
  if (code)
    return code;
  unsigned char *behind = flash_behind(&log_of, flash, size);
  if (flash_begin(&log_of) == 0 && flash_write(&log_of, text, 4) == 0)
    code = flash_finish(&log_of);
  for (size_t i = 0; i < size; ++i)
    if (flash[FLASH_HEADER + i] != text[i & 3])
      return -1;
  if (flash_size(&log_of, flash) != size)
    return -2;
  return behind == flash + SIZE || flash_size(&log_of, behind) == 4 ? code : -3;
}

static void sizes(void) {
  uint32_t bad = 0;
  for (size_t size = 1; size < 2 * SECTOR; size += size == 20 ? 440 : 1) {
    dirty();
    bad += sized(size) != 0;
  }
  expect("flash: any size", 0, bad);
  dirty();
  expect("flash: all of it", 0, (uint32_t)sized(SIZE - FLASH_HEADER));
  dirty();
  expect("flash: a byte more", SINK_FULL,
         (uint32_t)sized(SIZE - FLASH_HEADER + 1));
}

/* Headers that are none: a bit less in the size, a size beyond the end. */
static void damages(void) {
  static const uint32_t beyond[3] = {0x31475042, SIZE - FLASH_HEADER + 1,
                                     ~(uint32_t)(SIZE - FLASH_HEADER + 1)};
  dirty();
  append();
  flash[5] &= (unsigned char)(flash[5] - 1);
  expect("flash: a damaged size", 0, (uint32_t)dumps());
  memcpy(flash, beyond, sizeof beyond);
  expect("flash: a size too large", 0, (uint32_t)dumps());
}

void test_flash(void) {
  power_until = ~0u;
  dirty();
  expect("flash: nothing is there", 0, (uint32_t)dumps());
  expect("flash: a dump", 0, (uint32_t)append());
  expect("flash: is found", 1, (uint32_t)dumps());
  expect("flash: another", 0, (uint32_t)append());
  expect("flash: is found behind it", 2, (uint32_t)dumps());
  expect("flash: is full", SINK_FULL, (uint32_t)append());
  expect("flash: and has both still", 2, (uint32_t)dumps());
  capture_begin("flash.bin");
  capture(flash, SIZE);
  capture_end();
  expect("flash: erase the first sector", 0, (uint32_t)erase(flash));
  expect("flash: and none is left", 0, (uint32_t)dumps());
  expect("flash: start over", 0, (uint32_t)append());
  expect("flash: the old second one is gone", 1, (uint32_t)dumps());
  power_fails();
  sizes();
  damages();
  expect("flash: all by the rules", 0, broken_rules);
}
