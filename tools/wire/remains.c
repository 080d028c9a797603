/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds fragments of frames in console text. Paths, identifiers and numbers
 * also consist of base64 characters, but switch between capitals, small letters
 * and digits less often: random characters switch at 64 of 100 places.
 * collect.c feeds the text.
 */
#include "collect.h"

#include <string.h>

#include "wire.h"

/* ---- TEXT ---- */

enum { RUN_LEAST = 16, CHANGES = 33 /* per cent */ };
enum kind { NO_KIND, CAPITAL, SMALL, OTHER };

/* Returns the kind of a base64 character; NO_KIND for any other character. */
static enum kind kind_of(unsigned char byte) {
  if (byte >= 'A' && byte <= 'Z')
    return CAPITAL;
  if (byte >= 'a' && byte <= 'z')
    return SMALL;
  return (byte >= '0' && byte <= '9') || byte == '+' || byte == '/' ? OTHER
                                                                    : NO_KIND;
}

/* Judges a run of base64 characters that ends before a byte. A random run as
 * long as a frame's line needs no mark. A row of As, which zeros become, counts
 * as one character. */
static size_t end_run(struct remains *remains, unsigned char byte) {
  enum { ALL = 1u << CAPITAL | 1u << SMALL | 1u << OTHER };
  unsigned length = remains->run.length;
  bool random =
      remains->run.kinds == ALL &&
      remains->run.changes * 100 >= (remains->run.different - 1) * CHANGES;
  bool marked = remains->run.before || byte == BAREPROF_TEXT_END;
  remains->run.line = random && length >= RUN_LEAST && !marked;
  return remains->run.before == 2 ||
         (remains->run.before && byte == BAREPROF_TEXT_END) ||
         (random && length == BAREPROF_TEXT_COLUMNS) ||
         (random && length >= RUN_LEAST && marked);
}

static size_t feed_text(struct remains *remains, unsigned char byte) {
  enum kind kind = kind_of(byte);
  size_t found = 0;
  if (kind && !remains->run.length) {
    remains->run.before = remains->run.mark;
    remains->run.different = remains->run.changes = remains->run.kinds = 0;
  } else if (kind) {
    remains->run.changes += kind_of(remains->run.last) != kind;
  } else if (remains->run.length) {
    found = end_run(remains, byte);
  }
  if (byte == BAREPROF_TEXT_MARK && remains->run.line)
    found = 1;
  remains->run.line &= byte == '\r' || byte == '\n';
  remains->run.different +=
      kind && (!remains->run.length || byte != remains->run.last);
  remains->run.length = kind ? remains->run.length + 1 : 0;
  remains->run.kinds |= kind ? 1u << kind : 0;
  remains->run.last = byte;
  remains->run.mark = byte == BAREPROF_TEXT_MARK ? 1
                      : byte == BAREPROF_TEXT_BEGIN && remains->run.mark == 1
                          ? 2
                          : 0;
  return found;
}

/* ---- BINARY ---- */

/* Represents a byte that is not part of a character. */
#define INVALID UINT32_C(0x110000)

enum { HEAD = 1, SEQUENCE = 4, FRAME_LAST = 24, STRANGE_LEAST = 4 };
enum { XON = 0x11, XOFF = 0x13 };
enum { STRIPPED = BAREPROF_BINARY_BEGIN & 0x7F, REPLACED = 0xFFFD };

static bool is_strange(uint32_t character) {
  if (character < 0x20)
    return !(character >= 7 && character <= 13) && character != 0x1B;
  return (character >= 0x7F && character < 0xA0) || character == REPLACED ||
         character >= INVALID;
}

/* Whether the character can be the head of a frame: a type, with a piece for
 * DATA frames and flags for compact dumps. */
static bool is_head(uint32_t character) {
  enum { FLAGS = 16 };
  uint32_t type = character & 7, piece = character >> 3;
  switch (type) {
  case BAREPROF_FRAME_DATA:
    return piece < BAREPROF_PIECES;
  case BAREPROF_FRAME_LEAN:
    return piece < FLAGS;
  default:
    return piece == 0 &&
           (type == BAREPROF_FRAME_HEADER || type == BAREPROF_FRAME_END ||
            type == BAREPROF_FRAME_COUNTS);
  }
}

/* Whether the character starts an escape for a byte that equals a mark. The
 * escape's two bytes count as one. */
static bool is_escape(const struct remains *remains, uint32_t character) {
  uint32_t flipped = BAREPROF_BINARY_BEGIN ^ BAREPROF_BINARY_ESCAPE;
  return remains->frame.mark != REPLACED &&
         character == (remains->frame.mark ^ flipped);
}

/* Whether a frame may have this character at the current position. */
static bool fits_fragment(const struct remains *remains, uint32_t character) {
  if (remains->frame.mark == STRIPPED && character >= 0x80)
    return false;
  if (remains->frame.at == HEAD)
    return is_head(character);
  return remains->frame.at != SEQUENCE || character < 0x20;
}

/* Whether the character belongs to a colour sequence (ESC, `[`, a number, a
 * letter) that a logger has put around a LF inside the frame. */
static bool is_colour(struct remains *remains, uint32_t character) {
  enum { ESCAPE = 0x1B, LETTERS = 0x40 };
  if (remains->frame.colour) {
    remains->frame.colour = character < LETTERS;
    return true;
  }
  if (remains->frame.at <= HEAD || character != '[' ||
      remains->frame.last != ESCAPE)
    return false;
  remains->frame.at--;
  remains->frame.colour = true;
  return true;
}

static size_t feed_character(struct remains *remains, uint32_t character) {
  bool marks = character == (INVALID | BAREPROF_BINARY_BEGIN) ||
               character == BAREPROF_BINARY_BEGIN || character == STRIPPED ||
               character == REPLACED;
  if ((remains->frame.at && is_escape(remains, character)) ||
      is_colour(remains, character))
    return 0;
  if (remains->frame.at && remains->frame.at < SEQUENCE &&
      (character == XON || character == XOFF))
    remains->frame.flow = true;
  if (remains->frame.at == SEQUENCE && remains->frame.flow &&
      !fits_fragment(remains, character)) {
    remains->frame.flow = false;
    return 0;
  }
  if (remains->frame.at && fits_fragment(remains, character)) {
    /* Repeated zeros or ones come from an idle link or a file. */
    remains->frame.strange +=
        is_strange(character) && character != remains->frame.last;
    remains->frame.last = character;
    if (remains->frame.at++ != FRAME_LAST)
      return 0;
    remains->frame.at = 0;
    return remains->frame.strange >= STRANGE_LEAST;
  }
  remains->frame.at = marks;
  remains->frame.flow = false;
  remains->frame.mark = character;
  remains->frame.strange = remains->frame.last = 0;
  return 0;
}

/* Converts bytes to UTF-8 characters. An invalid byte counts as one character.
 */
static size_t feed_binary(struct remains *remains, unsigned char byte) {
  size_t found = 0;
  /* After a mark that is not UTF-8, all bytes are taken one by one. */
  if (remains->frame.at &&
      remains->frame.mark == (INVALID | BAREPROF_BINARY_BEGIN)) {
    remains->utf8.wanted = 0;
    return feed_character(remains, byte < 0x80 ? byte : INVALID | byte);
  }
  if (remains->utf8.wanted && (byte & 0xC0) == 0x80) {
    remains->utf8.value = remains->utf8.value << 6 | (byte & 0x3Fu);
    if (--remains->utf8.wanted)
      return 0;
    return feed_character(remains, remains->utf8.value < remains->utf8.least
                                       ? INVALID
                                       : remains->utf8.value);
  }
  if (remains->utf8.wanted)
    found += feed_character(remains, INVALID);
  remains->utf8.wanted = byte >= 0xF8   ? 0
                         : byte >= 0xF0 ? 3
                         : byte >= 0xE0 ? 2
                         : byte >= 0xC0 ? 1
                                        : 0;
  if (!remains->utf8.wanted)
    return found + feed_character(remains, byte < 0x80 ? byte : INVALID | byte);
  remains->utf8.least = remains->utf8.wanted == 1   ? 0x80
                        : remains->utf8.wanted == 2 ? 0x800
                                                    : 0x10000;
  remains->utf8.value = byte & (0x3Fu >> remains->utf8.wanted);
  return found;
}

/* ---- both encodings ---- */

enum { STEP = 1024 };

/* Whether everything before this byte can be forgotten in TEXT encoding. */
static bool settles(unsigned char byte) {
  return !kind_of(byte) && byte != '\r' && byte != '\n' &&
         byte != BAREPROF_TEXT_MARK && byte != BAREPROF_TEXT_BEGIN;
}

/* Returns the offset of the first run that is as long as a line; size if there
 * is none. Only every LENGTH-th byte is tested, since a run that long contains
 * one of them. */
static size_t long_run(const unsigned char *bytes, size_t size) {
  enum { LENGTH = BAREPROF_TEXT_COLUMNS };
  size_t from = 0, at = 0;
  while (size - from >= LENGTH) {
    for (at = from + LENGTH; at != from && kind_of(bytes[at - 1]); at--)
      ;
    if (at == from)
      return from;
    from = at;
  }
  return size;
}

/* Returns how many bytes of ordinary text can be skipped. The bytes from there
 * up to *until must be fed one at a time. */
static size_t pass_text(const unsigned char *bytes, size_t size,
                        size_t *until) {
  const unsigned char *mark, *end;
  size = size < STEP ? size : (size_t)STEP;
  mark = memchr(bytes, BAREPROF_TEXT_MARK, size);
  *until = mark ? (size_t)(mark - bytes) + 1 : size;
  end = memchr(bytes, BAREPROF_TEXT_END, *until);
  *until = end ? (size_t)(end - bytes) + 1 : *until;
  size = long_run(bytes, *until);
  if (size == *until && (mark || end))
    size--;
  else if (size != *until)
    *until = size + BAREPROF_TEXT_COLUMNS;
  while (size && !settles(bytes[size - 1]))
    size--;
  return size;
}

static bool feed_texts(struct remains *remains, const unsigned char *bytes,
                       size_t size) {
  bool found = false;
  for (size_t at = 0, until; at != size;) {
    if (!remains->run.length && !remains->run.line && !remains->run.mark) {
      size_t passed = pass_text(bytes + at, size - at, &until);
      until += at;
      at += passed;
    } else {
      until = at + 1;
    }
    for (; at != until; at++)
      found |= feed_text(remains, bytes[at]);
  }
  return found;
}

static bool may_begin(unsigned char byte) {
  return byte >= 0x80 || byte == STRIPPED;
}

/* Returns how many bytes cannot start a fragment in BINARY encoding: all ASCII
 * characters except one. The size of a piece is constant, so compilers
 * vectorise the loop. */
static size_t pass_binary(const unsigned char *bytes, size_t size) {
  enum { PIECE = 64 };
  size_t at = 0;
  for (uint8_t any = 0; size - at >= PIECE; at += PIECE) {
    for (size_t i = 0; i < PIECE; i++)
      any |= (bytes[at + i] >= 0x80) | (bytes[at + i] == STRIPPED);
    if (any)
      break;
  }
  while (at != size && !may_begin(bytes[at]))
    at++;
  return at;
}

static bool feed_binaries(struct remains *remains, const unsigned char *bytes,
                          size_t size) {
  bool found = false;
  for (size_t at = 0; at != size;) {
    if (!remains->frame.at && !remains->utf8.wanted)
      at += pass_binary(bytes + at, size - at);
    if (at != size)
      found |= feed_binary(remains, bytes[at++]);
  }
  return found;
}

bool remains_feed(struct remains *remains, const unsigned char *bytes,
                  size_t size) {
  bool text = feed_texts(remains, bytes, size);
  return feed_binaries(remains, bytes, size) || text;
}

bool remains_end(struct remains *remains) {
  return remains_feed(remains, (const unsigned char *)"\n", 1);
}
