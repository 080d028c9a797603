/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles ranges of memory, lines of text, and numbers in files. Numbers have a
 * fixed size in either byte order, at any alignment, or are LEB128. The
 * functions for fixed sizes do not know where the input ends, so their callers
 * check that the bytes are there. The LEB128 readers check for themselves.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A range of memory that another object owns. */
struct bytes {
  const unsigned char *data;
  size_t size;
};

static inline struct bytes bytes_of_text(const char *text) {
  return (struct bytes){(const unsigned char *)text, strlen(text)};
}

/* Returns text without the byte order mark that Windows' editors put first. */
static inline struct bytes bytes_skip_byte_order_mark(struct bytes text) {
  bool marked = text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0;
  return marked ? (struct bytes){text.data + 3, text.size - 3} : text;
}

/* Removes the next line from a text: everything up to a newline or the end. The
 * line does not include the newline. Returns false if the text is empty. */
static inline bool bytes_next_line(struct bytes *text, struct bytes *line) {
  if (!text->size)
    return false;
  const unsigned char *end =
      (const unsigned char *)memchr(text->data, '\n', text->size);
  *line =
      (struct bytes){text->data, end ? (size_t)(end - text->data) : text->size};
  size_t taken = line->size + (end != NULL);
  *text = (struct bytes){text->data + taken, text->size - taken};
  return true;
}

/* Like bytes_next_line, but the line includes its newline, if there is one. */
static inline struct bytes bytes_next_full_line(struct bytes *text) {
  struct bytes line = {text->data, 0}, cut;
  if (bytes_next_line(text, &cut))
    line.size = (size_t)(text->data - line.data);
  return line;
}

/* Loads 4 bytes. The expression names each byte, because compilers turn this
 * form into one instruction. */
static inline uint32_t load32(const unsigned char *at, bool big) {
  uint32_t little = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24;
  return big ? __builtin_bswap32(little) : little;
}

static inline uint64_t load64(const unsigned char *at, bool big) {
  uint64_t little = at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
                    (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 |
                    (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
                    (uint64_t)at[7] << 56;
  return big ? __builtin_bswap64(little) : little;
}

static inline uint16_t load16(const unsigned char *at, bool big) {
  return (uint16_t)(at[!big] << 8 | at[big]);
}

/* Reads a number of `size` bytes, 1 to 8. With `big`, the most significant byte
 * comes first. Most calls read 4-byte or 8-byte pointers, which have a fast
 * path. */
static inline uint64_t load_number(const unsigned char *at, unsigned size,
                                   bool big) {
  uint64_t value = 0;
  if (size == 4)
    return load32(at, big);
  if (size == 8)
    return load64(at, big);
  for (unsigned i = 0; i < size; i++)
    value = value << 8 | at[big ? i : size - 1 - i];
  return value;
}

static inline bool is_host_byte_order(bool big) {
  static const union {
    uint16_t number;
    unsigned char first;
  } order = {1};
  return order.first == !big;
}

/* Loads many 8-byte numbers, with one copy if this machine has the same byte
 * order. */
static inline void load64_array(uint64_t *to, const unsigned char *at,
                                size_t count, bool big) {
  if (is_host_byte_order(big))
    memcpy(to, at, count * sizeof *to);
  else
    for (size_t i = 0; i < count; i++)
      to[i] = load64(at + 8 * i, big);
}

static inline void store16(unsigned char *at, uint16_t value, bool big) {
  at[!big] = (unsigned char)(value >> 8);
  at[big] = (unsigned char)value;
}

static inline void store32(unsigned char *at, uint32_t value, bool big) {
  value = is_host_byte_order(big) ? value : __builtin_bswap32(value);
  memcpy(at, &value, sizeof value);
}

static inline void store64(unsigned char *at, uint64_t value, bool big) {
  value = is_host_byte_order(big) ? value : __builtin_bswap64(value);
  memcpy(at, &value, sizeof value);
}

static inline void store_number(unsigned char *at, uint64_t value,
                                unsigned size, bool big) {
  if (size == 4)
    store32(at, (uint32_t)value, big);
  else if (size == 8)
    store64(at, value, big);
  else
    for (unsigned i = 0; i < size; i++, value >>= 8)
      at[big ? size - 1 - i : i] = (unsigned char)value;
}

/* Reads a number from *at and advances *at past it. Returns false, and leaves
 * *at unchanged, if the number does not end before `end` or needs more than 64
 * bits. Padding with zeros (or ones, for a negative number) is allowed. */
static inline bool read_uleb128(const unsigned char **at,
                                const unsigned char *end, uint64_t *value) {
  uint64_t sum = 0;
  unsigned shift = 0;
  for (const unsigned char *p = *at; p != end; shift += shift < 70 ? 7 : 0) {
    uint64_t bits = *p & 0x7F;
    if (shift >= 64 ? bits : bits << shift >> shift != bits)
      return false;
    if (shift < 64)
      sum |= bits << shift;
    if (*p++ < 0x80) {
      *at = p;
      *value = sum;
      return true;
    }
  }
  return false;
}

static inline bool read_sleb128(const unsigned char **at,
                                const unsigned char *end, int64_t *value) {
  uint64_t sum = 0, sign = 0;
  unsigned shift = 0;
  for (const unsigned char *p = *at; p != end; shift += shift < 70 ? 7 : 0) {
    uint64_t bits = *p & 0x7F;
    /* Bit 63 is the sign, and all higher bits must be equal to it. */
    if (shift == 63)
      sign = bits & 1 ? 0x7F : 0;
    if (shift >= 63 && bits != sign)
      return false;
    if (shift < 64)
      sum |= bits << shift;
    if (*p++ < 0x80) {
      if (bits & 0x40 && shift < 57)
        sum |= ~UINT64_C(0) << (shift + 7);
      *at = p;
      *value = (int64_t)sum;
      return true;
    }
  }
  return false;
}

static inline uint64_t round_up_to_8(uint64_t size) {
  return (size + 7) / 8 * 8;
}

#endif
