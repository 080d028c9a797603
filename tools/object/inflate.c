/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes DEFLATE in one pass, from memory to memory, so earlier output serves
 * as the window. If the longest word of a code has n bits, the code's table has
 * an entry for each combination of n input bits. Code lengths are an error
 * exactly if zlib reports an error for these lengths.
 */
#include "inflate.h"

#include <string.h>

#include "../base/bytes.h"

enum {
  LONGEST = 15, /* length of a code word in bits */
  LITERALS = 286,
  DISTANCES = 30,
  END_OF_BLOCK = 256,
  LONGEST_MATCH = 258,
  INVALID = 0xFFFF
};

/* A decoder. After the end of the input it reads zero bits, and drop_bits
 * reports an error if these bits are used. Once `error` is set, no more output
 * is written. */
struct inflater {
  const unsigned char *at, *end;
  uint64_t bits; /* the next bits, lowest bit first; the bits above the valid
                    bits repeat *at or are 0 */
  unsigned held; /* how many bits are valid */
  unsigned char *out;
  size_t used, room;
  const char *error; /* the first error that occurred */
};

/* A table of code words. The bits of index i begin with one code word. Entry i
 * is the symbol of this word times 16, plus the length of the word. */
struct inflate_code {
  unsigned width;
  uint16_t entries[1 << LONGEST];
};

static const char damaged[] =
    "the compressed data is damaged; make the file again";

static void set_error(struct inflater *d, const char *error) {
  if (!d->error)
    d->error = error;
}

/* Fetches bits until at least `count` bits are held. count is at most 56. */
static inline void fill_held_bits(struct inflater *d, unsigned count) {
  if (d->held >= count)
    return;
  if (d->end - d->at >= 8) {
    d->bits |= load64(d->at, false) << d->held;
    d->at += (63 - d->held) / 8;
    d->held += (63 - d->held) / 8 * 8;
  }
  while (d->held < count && d->at != d->end) {
    d->bits |= (uint64_t)*d->at++ << d->held;
    d->held += 8;
  }
}

static inline void drop_bits(struct inflater *d, unsigned count) {
  if (count > d->held) {
    set_error(d, "the compressed data is truncated; copy the file again");
    return;
  }
  d->bits >>= count;
  d->held -= count;
}

/* Reads and removes `count` bits. count is at most 16. */
static inline uint32_t read_bits(struct inflater *d, unsigned count) {
  fill_held_bits(d, count);
  uint32_t value = (uint32_t)d->bits & ((UINT32_C(1) << count) - 1);
  drop_bits(d, count);
  return d->error ? 0 : value;
}

static inline unsigned read_symbol(struct inflater *d,
                                   const struct inflate_code *code) {
  fill_held_bits(d, code->width);
  unsigned entry = code->entries[d->bits & ((1u << code->width) - 1)];
  if (entry == INVALID)
    set_error(d, damaged);
  else
    drop_bits(d, entry % 16);
  return d->error ? END_OF_BLOCK : entry / 16;
}

static unsigned reverse_bits(unsigned word, unsigned length) {
  unsigned reversed = 0;
  for (; length; length--, word >>= 1)
    reversed = reversed << 1 | (word & 1);
  return reversed;
}

/* Builds the code in which the word of symbol i has lengths[i] bits. Words of
 * equal length are consecutive, in the order of their symbols, and follow all
 * shorter words. The words must be complete, except in a code without words or
 * with a single one-bit word. */
static void build_code_table(struct inflater *d, struct inflate_code *code,
                             const unsigned char *lengths, unsigned symbols,
                             bool may_be_open) {
  unsigned count[LONGEST + 1] = {0}, next[LONGEST + 2] = {0};
  for (unsigned i = 0; i < symbols; i++)
    count[lengths[i]]++;
  count[0] = 0;
  code->width = LONGEST;
  while (code->width > 1 && !count[code->width])
    code->width--;
  for (unsigned length = 1; length <= LONGEST; length++) {
    next[length + 1] = (next[length] + count[length]) * 2;
    if (next[length] + count[length] > 1u << length)
      set_error(d, damaged);
  }
  bool open = next[code->width] + count[code->width] != 1u << code->width;
  if (open && !(may_be_open && code->width == 1))
    set_error(d, damaged);
  if (d->error)
    return;
  memset(code->entries, 0xFF, sizeof *code->entries << code->width);
  for (unsigned i = 0; i < symbols; i++) {
    unsigned length = lengths[i];
    if (!length)
      continue;
    unsigned step = 1u << length;
    for (unsigned word = reverse_bits(next[length]++, length);
         word < 1u << code->width; word += step)
      code->entries[word] = (uint16_t)(i * 16 + length);
  }
}

/* Reads the lengths of both codes, which are compressed with a third code. */
static void read_code_lengths(struct inflater *d, struct inflate_code *code,
                              unsigned char *lengths, unsigned total) {
  unsigned at = 0;
  while (at < total && !d->error) {
    unsigned value = read_symbol(d, code), times = 1;
    if (value == 16)
      times = 3 + read_bits(d, 2);
    else if (value == 17)
      times = 3 + read_bits(d, 3);
    else if (value == 18)
      times = 11 + read_bits(d, 7);
    if (times > total - at || (value == 16 && at == 0)) {
      set_error(d, damaged);
      return;
    }
    if (value >= 16)
      value = value == 16 ? lengths[at - 1] : 0;
    memset(lengths + at, (int)value, times);
    at += times;
  }
}

static void read_dynamic_codes(struct inflater *d,
                               struct inflate_code *literals,
                               struct inflate_code *distances) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned char lengths[LITERALS + 2 + DISTANCES + 2] = {0};
  unsigned literal_count = 257 + read_bits(d, 5);
  unsigned distance_count = 1 + read_bits(d, 5);
  unsigned length_count = 4 + read_bits(d, 4);
  for (unsigned i = 0; i < length_count; i++)
    lengths[order[i]] = (unsigned char)read_bits(d, 3);
  build_code_table(d, literals, lengths, 19, false);
  memset(lengths, 0, 19);
  if (literal_count > LITERALS || distance_count > DISTANCES)
    set_error(d, damaged);
  if (!d->error)
    read_code_lengths(d, literals, lengths, literal_count + distance_count);
  build_code_table(d, literals, lengths, literal_count, true);
  build_code_table(d, distances, lengths + literal_count, distance_count, true);
}

static void build_fixed_codes(struct inflater *d, struct inflate_code *literals,
                              struct inflate_code *distances) {
  unsigned char lengths[288];
  memset(lengths, 8, sizeof lengths);
  memset(lengths + 144, 9, 256 - 144);
  memset(lengths + 256, 7, 280 - 256);
  build_code_table(d, literals, lengths, 288, false);
  memset(lengths, 5, 32);
  build_code_table(d, distances, lengths, 32, false);
}

/* Returns whether the output has room for `size` more bytes. */
static bool require_output_room(struct inflater *d, size_t size) {
  if (!d->error && size > d->room - d->used)
    set_error(d, "the compressed data is larger than its header says; make the "
                 "file again");
  return !d->error;
}

/* Return how many extra bits follow a length symbol or distance symbol, and the
 * lowest value of the symbol. Distances are returned minus 1. */
static inline unsigned length_extra_bits(unsigned value) {
  return value < 265 || value >= 285 ? 0 : (value - 261) / 4;
}

static inline unsigned length_base(unsigned value) {
  unsigned extra = length_extra_bits(value);
  return value < 265    ? value - 254
         : value >= 285 ? LONGEST_MATCH
                        : 3 + ((4 + (value - 261) % 4) << extra);
}

static inline unsigned distance_extra_bits(unsigned value) {
  return value < 4 ? 0 : (value - 2) / 2;
}

static inline unsigned distance_base(unsigned value) {
  return value < 4 ? value : (2 + value % 2) << distance_extra_bits(value);
}

static void read_and_copy_match(struct inflater *d, unsigned value,
                                const struct inflate_code *distances) {
  unsigned length = length_base(value) + read_bits(d, length_extra_bits(value));
  unsigned distance = read_symbol(d, distances);
  if (value >= LITERALS || distance >= DISTANCES)
    set_error(d, damaged);
  else
    distance =
        distance_base(distance) + read_bits(d, distance_extra_bits(distance));
  if (!d->error && distance + 1 > d->used)
    set_error(d, damaged);
  if (!require_output_room(d, length))
    return;
  unsigned char *to = d->out + d->used;
  const unsigned char *from = to - 1 - distance;
  d->used += length;
  if (distance >= length) {
    memcpy(to, from, length);
    return;
  }
  /* The source overlaps the bytes being written. */
  while (length--)
    *to++ = *from++;
}

/* ---- the fast path, without a check for each symbol ---- */

/* AT_ONCE: bytes that are read or copied at once. SYMBOLS_MOST: bits that a
 * match takes at most, with the extra bits of length and distance. */
enum { AT_ONCE = 8, SYMBOLS_MOST = 48 };

/* Reads and removes bits. At least `count` bits must be held. */
static inline unsigned read_held_bits(struct inflater *d, unsigned count) {
  unsigned value = (unsigned)(d->bits & ((UINT64_C(1) << count) - 1));
  d->bits >>= count;
  d->held -= count;
  return value;
}

/* Reads a symbol. Returns INVALID / 16 for an invalid code word. */
static inline unsigned read_held_symbol(struct inflater *d,
                                        const struct inflate_code *code) {
  unsigned entry = code->entries[d->bits & ((1u << code->width) - 1)];
  read_held_bits(d, entry % 16);
  return entry / 16;
}

/* Copies a match. May write a few bytes after the match's end. */
static inline void copy_match_fast(unsigned char *to, size_t distance,
                                   size_t length) {
  const unsigned char *from = to - distance;
  if (distance >= AT_ONCE)
    for (size_t at = 0; at < length; at += AT_ONCE)
      memcpy(to + at, from + at, AT_ONCE);
  else
    while (length--)
      *to++ = *from++;
}

/* Reads symbols until the end of the block, an error, or the end of input or
 * output is near. */
static void inflate_symbols_fast(struct inflater *decoder,
                                 const struct inflate_code *literals,
                                 const struct inflate_code *distances) {
  struct inflater d = *decoder; /* a copy, which fits into registers */
  while (d.end - d.at >= AT_ONCE &&
         d.room - d.used >= LONGEST_MATCH + AT_ONCE) {
    if (d.held < SYMBOLS_MOST)
      fill_held_bits(&d, SYMBOLS_MOST);
    const struct inflater before = d;
    unsigned value = read_held_symbol(&d, literals);
    if (value < END_OF_BLOCK) {
      d.out[d.used++] = (unsigned char)value;
      continue;
    }
    size_t length = length_base(value), distance = SIZE_MAX;
    length += read_held_bits(&d, length_extra_bits(value));
    unsigned symbol = read_held_symbol(&d, distances);
    if (value != END_OF_BLOCK && value < LITERALS && symbol < DISTANCES)
      distance = 1 + distance_base(symbol) +
                 read_held_bits(&d, distance_extra_bits(symbol));
    if (distance > d.used) {
      d = before;
      break;
    }
    copy_match_fast(d.out + d.used, distance, length);
    d.used += length;
  }
  *decoder = d;
}

static void inflate_block(struct inflater *d,
                          const struct inflate_code *literals,
                          const struct inflate_code *distances) {
  if (!d->error)
    inflate_symbols_fast(d, literals, distances);
  while (!d->error) {
    unsigned value = read_symbol(d, literals);
    if (value == END_OF_BLOCK)
      return;
    if (value > END_OF_BLOCK)
      read_and_copy_match(d, value, distances);
    else if (require_output_room(d, 1))
      d->out[d->used++] = (unsigned char)value;
  }
}

static void copy_stored_block(struct inflater *d) {
  drop_bits(d, d->held % 8);
  uint32_t size = read_bits(d, 16);
  if ((size ^ read_bits(d, 16)) != 0xFFFF)
    set_error(d, damaged);
  /* All held bits are whole bytes, because the 16 bits before ended a byte. */
  d->at -= d->held / 8;
  d->bits = d->held = 0;
  if (!d->error && size > (size_t)(d->end - d->at))
    set_error(d, "the compressed data is truncated; copy the file again");
  if (!require_output_room(d, size) || !size)
    return;
  memcpy(d->out + d->used, d->at, size);
  d->used += size;
  d->at += size;
}

/* Adds full rows of ROW bytes to both sums of the checksum. The caller limits
 * size so that the second sum cannot overflow. Returns the number of bytes
 * added. Compilers vectorise the columns. */
static size_t add_checksum_rows(const unsigned char *bytes, size_t size,
                                uint32_t *a, uint32_t *b) {
  enum { ROW = 16 };
  uint32_t column[ROW] = {0}, before[ROW] = {0}, sum = 0;
  size_t rows = size / ROW;
  for (size_t row = 0; row < rows; row++, bytes += ROW)
    for (unsigned i = 0; i < ROW; i++) {
      before[i] += column[i];
      column[i] += bytes[i];
    }
  *b += (uint32_t)rows * ROW * *a;
  for (unsigned i = 0; i < ROW; i++) {
    sum += column[i];
    *b += ROW * before[i] + (ROW - i) * column[i];
  }
  *a += sum;
  return rows * ROW;
}

uint32_t inflate_adler32(const unsigned char *bytes, size_t size) {
  uint32_t a = 1, b = 0;
  while (size) {
    /* With longer runs than this, b could overflow. */
    size_t run = size < 5552 ? size : 5552;
    size_t done = add_checksum_rows(bytes, run, &a, &b);
    for (; done < run; done++) {
      a += bytes[done];
      b += a;
    }
    a %= 65521;
    b %= 65521;
    bytes += run;
    size -= run;
  }
  return b << 16 | a;
}

static void inflate_blocks(struct inflater *d) {
  struct inflate_code literals, distances; /* both together take 128 KiB */
  bool last = false;
  while (!d->error && !last) {
    last = read_bits(d, 1);
    unsigned type = read_bits(d, 2);
    if (type == 0) {
      copy_stored_block(d);
      continue;
    }
    if (type == 1)
      build_fixed_codes(d, &literals, &distances);
    else if (type == 2)
      read_dynamic_codes(d, &literals, &distances);
    else
      set_error(d, damaged);
    inflate_block(d, &literals, &distances);
  }
}

const char *inflate_zlib(struct bytes packed, unsigned char *to, size_t *size) {
  struct inflater d = {.at = packed.data,
                       .end = packed.data + packed.size,
                       .out = to,
                       .room = *size};
  uint32_t method = read_bits(&d, 8), flags = read_bits(&d, 8);
  /* The format must be DEFLATE with a window of at most 32 KiB, without a
   * preset dictionary. */
  if (method % 16 != 8 || method > 0x78 || (method * 256 + flags) % 31 ||
      flags & 0x20)
    set_error(&d, "the data is not compressed with zlib; compress the data "
                  "with zlib, or not at all");
  inflate_blocks(&d);
  drop_bits(&d, d.held % 8);
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; i++)
    sum = sum << 8 | read_bits(&d, 8);
  if (!d.error && sum != inflate_adler32(to, d.used))
    set_error(&d, damaged);
  *size = d.used;
  return d.error;
}
