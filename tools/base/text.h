/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes text with millions of lines, for which printf is too slow.
 *
 *     struct text_stream text;
 *     text_begin(&text, stream);
 *     text_put_string(&text, "  0x");
 *     text_put_hex(&text, address);
 *     text_flush(&text);
 *
 * The stream remembers errors, as with printf. Before you print to the stream
 * in another way, flush the text.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

/* TEXT_BLOCK is the size of a block. Full blocks are written directly, so that
 * the stream does not copy them. A single addition of up to TEXT_MORE bytes may
 * go beyond a block. */
enum { TEXT_BLOCK = 1 << 16, TEXT_MORE = 1 << 12 };

struct text_stream {
  FILE *stream;
  uint64_t written; /* the number of bytes written before the content of
                       `room` */
  size_t used;
  char room[TEXT_BLOCK + TEXT_MORE];
};

static inline void text_begin(struct text_stream *text, FILE *stream) {
  text->stream = stream;
  text->written = text->used = 0;
}

static inline void text_flush(struct text_stream *text) {
  fwrite(text->room, 1, text->used, text->stream);
  text->written += text->used;
  text->used = 0;
}

/* Writes the first block, which is full. */
void text_write_block(struct text_stream *text);

/* Returns where the next bytes, at most TEXT_MORE, are to be written. */
static inline char *text_reserve(struct text_stream *text) {
  if (text->used >= TEXT_BLOCK)
    text_write_block(text);
  return text->room + text->used;
}

static inline void text_put_bytes(struct text_stream *text, const void *bytes,
                                  size_t size) {
  char *to = text_reserve(text);
  if (size > sizeof text->room - text->used) {
    text_flush(text);
    fwrite(bytes, 1, size, text->stream);
    text->written += size;
    return;
  }
  memcpy(to, bytes, size);
  text->used += size;
}

/* text_put_little_endian writes a little-endian number of `size` bytes.
 * text_put_padding writes the zeros that make `size` a multiple of 8 bytes. */
static inline void text_put_little_endian(struct text_stream *text,
                                          uint64_t value, unsigned size) {
  store_number((unsigned char *)text_reserve(text), value, size, false);
  text->used += size;
}
static inline void text_put_padding(struct text_stream *text, uint64_t size) {
  text_put_bytes(text, "\0\0\0\0\0\0\0", (size_t)(-size % 8));
}

static inline void text_put_string(struct text_stream *text,
                                   const char *string) {
  text_put_bytes(text, string, strlen(string));
}

static inline void text_put_char(struct text_stream *text, char letter) {
  *text_reserve(text) = letter;
  text->used++;
}

static inline void text_put_blanks(struct text_stream *text, size_t count) {
  while (count--)
    text_put_char(text, ' ');
}

/* Prints like printf, but at most 200 bytes; only for rare cases. */
static inline void PRINTS_AS(2, 3)
    text_printf(struct text_stream *text, const char *format, ...) {
  char word[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  text_put_string(text, word);
}

static inline size_t count_digits(uint64_t number) {
  size_t digits = 1;
  for (; number >= 10000; number /= 10000)
    digits += 4;
  return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

extern const char text_pairs[201]; /* the two digits of 00, 01 and so on to
                                      99 */

/* Writes `blanks` blanks, then a number that has `digits` digits. */
static inline void text_put_digits(struct text_stream *text, uint64_t number,
                                   size_t digits, size_t blanks) {
  char *begin = text_reserve(text), *at = begin + blanks + digits;
  text->used += blanks + digits;
  for (; number >= 100; number /= 100)
    memcpy(at -= 2, text_pairs + 2 * (number % 100), 2);
  if (number >= 10)
    memcpy(at - 2, text_pairs + 2 * number, 2);
  else
    at[-1] = (char)('0' + number);
  for (at = begin; blanks; blanks--)
    *at++ = ' ';
}

/* Writes a number, padded with blanks on the left to at least `width`
 * characters. */
static inline void text_put_decimal(struct text_stream *text, uint64_t value,
                                    size_t width) {
  size_t digits = count_digits(value);
  text_put_digits(text, value, digits, width > digits ? width - digits : 0);
}

/* Writes the string, the number and the end of the line. */
static inline void text_put_number_line(struct text_stream *text,
                                        const char *string, uint64_t value) {
  text_put_string(text, string);
  text_put_decimal(text, value, 0);
  text_put_char(text, '\n');
}

/* Writes all 16 hexadecimal digits. The digits of each half are spread to
 * bytes, which then become characters. */
static inline void text_put_hex64(struct text_stream *text, uint64_t value) {
  const uint64_t ones = UINT64_MAX / 255;
  char *to = text_reserve(text);
  for (unsigned shift = 64; shift; to += 8) {
    uint64_t half = value >> (shift -= 32) & UINT32_MAX;
    half = (half << 16 | half) & UINT64_MAX / 65537;
    half = (half << 8 | half) & UINT64_MAX / 257;
    half = (half << 4 | half) & UINT64_MAX / 17;
    half += ones * '0' + ((half + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
    store64((unsigned char *)to, half, true);
  }
  text->used += 16;
}

static inline void text_put_hex(struct text_stream *text, uint64_t value) {
  char digits[16];
  size_t at = sizeof digits;
  do
    digits[--at] = "0123456789abcdef"[value & 15];
  while (value >>= 4);
  text_put_bytes(text, digits + at, sizeof digits - at);
}

/* ---- text.c ---- */

/* Writes a name from a file as print_printable prints it. */
void text_put_printable_name(struct text_stream *to, struct bytes name);

typedef void text_escape(struct text_stream *to, const char *text);

/* Writes a format with its values: %s is an escaped text, %u, %zu and %ju are
 * numbers, %% is %. */
void text_put_format(struct text_stream *to, text_escape *escape,
                     const char *format, va_list values);

/* Writes bytes in hexadecimal, two characters for each byte, and a zero.
 * Returns `to`. */
char *format_hex(char *to, const void *bytes, size_t size);

/* ---- json.c ----
 *
 * Writes JSON strings (RFC 8259) in UTF-8. Names in an ELF or profile, and
 * names of files, may contain any bytes. A byte that is not UTF-8 becomes the
 * code point with the same number.
 */

/* Writes the zero-terminated text in quotes; writes null if text is NULL. */
void json_print_string(FILE *stream, const char *text);
void json_put_text(struct text_stream *to, const char *text);
void json_put_quoted_bytes(struct text_stream *to, struct bytes text);

/* Writes JSON with values in it, like text_put_format: %s becomes a JSON
 * string. */
void json_printf(FILE *stream, const char *format, ...) PRINTS_AS(2, 3);
void json_put_format(struct text_stream *to, const char *format, ...)
    PRINTS_AS(2, 3);

/* ---- utf8.c ----
 *
 * Splits a text into characters. Texts from files and names of files may
 * contain any bytes. All outputs use these functions to find broken bytes and
 * invisible characters, which they escape: controls, line separators, direction
 * marks.
 */

struct utf8_character {
  uint32_t code;
  unsigned size; /* the bytes of the character; 1 if it is broken */
  bool broken;   /* the byte is not part of a character; `code` is the byte */
  bool hidden;   /* the character is not visible */
};

/* Returns how many bytes at `at`, up to `room`, need no escape in any output.
 * Such bytes are ASCII, but not controls, " or \. Most texts consist of such
 * bytes. */
size_t utf8_count_unescaped(const void *at, size_t room);

/* Decodes a character. At least one byte, and at most `room` bytes, are
 * available at `at`. */
struct utf8_character utf8_decode(const void *at, size_t room);

/* Writes a character as UTF-8. Returns the number of bytes, at most 4. */
size_t utf8_encode(char *to, unsigned long code);

#endif
