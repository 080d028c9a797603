/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The store: bytes of the device, the log of entries, blocks.
 */
#include "store_log.h"

struct entry entries[FILES];
uint8_t used[BLOCKS];
static uint32_t log_block, log_offset, generation;

/* What is read often, a unit at a time. */
static struct {
  uint32_t block, offset;
  uint8_t bytes[UNIT];
} cache = {.block = BLOCKS};

/* ---- bytes ---- */

static uint32_t check(uint32_t crc, const void *bytes, uint32_t size) {
  static const uint32_t table[16] = {
      0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  const uint8_t *at = bytes;
  for (crc = ~crc; size--; at++) {
    crc = table[(crc ^ *at) & 15] ^ (crc >> 4);
    crc = table[(crc ^ (*at >> 4)) & 15] ^ (crc >> 4);
  }
  return ~crc;
}

static void copy(void *to, const void *from, uint32_t size) {
  uint8_t *out = to;
  const uint8_t *in = from;
  while (size--)
    *out++ = *in++;
}

/* Reads through the cache. */
int fetch(uint32_t block, uint32_t offset, void *to, uint32_t size) {
  uint8_t *out = to;
  while (size) {
    uint32_t begin = offset & ~(uint32_t)(UNIT - 1);
    uint32_t now = begin + UNIT - offset;
    if (cache.block != block || cache.offset != begin) {
      int error = store_device.read(block, begin, cache.bytes, UNIT);
      if (error)
        return error;
      cache.block = block;
      cache.offset = begin;
    }
    if (now > size)
      now = size;
    copy(out, cache.bytes + (offset - begin), now);
    out += now;
    offset += now;
    size -= now;
  }
  return STORE_OK;
}

/* Bytes within units; what the unit held stays, as erased bits may be
 * programmed any time. Verifies. */
int program(uint32_t block, uint32_t offset, const void *from, uint32_t size) {
  uint8_t unit[UNIT], back[UNIT];
  const uint8_t *in = from;
  while (size) {
    uint32_t begin = offset & ~(uint32_t)(UNIT - 1);
    for (uint32_t i = 0; i < UNIT; i++)
      unit[i] = 0xFF;
    uint32_t first = offset - begin, now = UNIT - first;
    if (now > size)
      now = size;
    copy(unit + first, in, now);
    cache.block = BLOCKS;
    int error = store_device.program(block, begin, unit, UNIT);
    if (!error)
      error = store_device.read(block, begin, back, UNIT);
    if (error)
      return error;
    for (uint32_t i = first; i < first + now; i++)
      if (back[i] != unit[i])
        return STORE_CORRUPT;
    in += now;
    offset += now;
    size -= now;
  }
  return STORE_OK;
}

/* ---- the log: a word of generation, then entries ---- */

int valid(const struct entry *entry) {
  return entry->number < FILES &&
         entry->check == check(0, entry, sizeof *entry - 4);
}

static int begin_log(uint32_t block) {
  int error = store_device.erase(block);
  generation++;
  log_block = block;
  log_offset = UNIT;
  cache.block = BLOCKS;
  return error ? error : program(block, 0, &generation, 4);
}

static int append(const struct entry *entry) {
  int error = program(log_block, log_offset, entry, sizeof *entry);
  log_offset += sizeof *entry;
  return error;
}

int compact(void) {
  int error = begin_log(log_block ^ 1);
  for (uint32_t i = 0; i < FILES && !error; i++)
    if (entries[i].kind)
      error = append(&entries[i]);
  return error;
}

int commit(uint32_t number) {
  struct entry *entry = &entries[number];
  entry->number = (uint8_t)number;
  entry->check = check(0, entry, sizeof *entry - 4);
  if (log_offset + sizeof *entry > BLOCK_SIZE)
    return compact();
  return append(entry);
}

static int read_log(uint32_t block, uint32_t begin) {
  struct entry entry;
  uint32_t offset = begin;
  while (offset + sizeof entry <= BLOCK_SIZE) {
    int error = fetch(block, offset, &entry, sizeof entry);
    if (error)
      return error;
    if (!valid(&entry))
      break;
    entries[entry.number] = entry;
    offset += sizeof entry;
  }
  log_offset = offset;
  return STORE_OK;
}

int newest_log(void) {
  uint32_t numbers[2];
  for (uint32_t i = 0; i < 2; i++)
    if (fetch(i, 0, &numbers[i], 4))
      return STORE_CORRUPT;
  log_block = numbers[1] != ~0u && numbers[1] > numbers[0];
  generation = numbers[log_block];
  return read_log(log_block, UNIT);
}

int empty_log(void) {
  generation = 0;
  int error = begin_log(1);
  return error ? error : begin_log(0);
}

/* ---- blocks ---- */

uint32_t next_of(uint32_t block) {
  uint8_t next = NO_BLOCK;
  fetch(block, 0, &next, 1);
  return next;
}

void mark(uint32_t block, uint8_t how) {
  while (block < BLOCKS) {
    used[block] = how;
    block = next_of(block);
  }
}

int allocate(uint32_t *block) {
  static uint32_t last = 2;
  for (uint32_t tries = 0; tries < BLOCKS; tries++) {
    if (++last >= BLOCKS)
      last = 2;
    if (!used[last]) {
      used[ *block = last] = 1;
      cache.block = BLOCKS;
      return store_device.erase(last);
    }
  }
  return STORE_FULL;
}
