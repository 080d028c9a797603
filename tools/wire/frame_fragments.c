/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds fragments of damaged frames in console text. A fragment in TEXT
 * encoding looks like random base64 characters. Paths, identifiers and numbers
 * also consist of base64 characters, but switch between capitals, small letters
 * and digits less often: random characters switch at 64 of 100 places.
 * reassembly.c passes the text to this file.
 */
#include "reassembly.h"

#include <string.h>

#include "wire.h"

/* ---- TEXT ---- */

enum { RUN_LEAST = 16, CHANGES = 33 /* per cent */ };
enum character_kind { NO_KIND, CAPITAL, SMALL, OTHER };

/* Returns the kind of a base64 character, or NO_KIND for any other character.
 */
static enum character_kind character_kind_of(unsigned char byte) {
  if (byte >= 'A' && byte <= 'Z')
    return CAPITAL;
  if (byte >= 'a' && byte <= 'z')
    return SMALL;
  return (byte >= '0' && byte <= '9') || byte == '+' || byte == '/' ? OTHER
                                                                    : NO_KIND;
}

/* Decides whether a run of base64 characters, which ends before this byte, is a
 * fragment. If a run looks random and is as long as a frame's line, it is a
 * fragment even without a mark. The encoding turns zeros into a sequence of As,
 * which counts as one character. */
static size_t classify_text_run(struct fragment_finder *finder,
                                unsigned char byte) {
  enum { ALL = 1u << CAPITAL | 1u << SMALL | 1u << OTHER };
  unsigned length = finder->run.length;
  bool random =
      finder->run.kinds == ALL &&
      finder->run.changes * 100 >= (finder->run.different - 1) * CHANGES;
  bool marked = finder->run.before || byte == BAREPROF_TEXT_END;
  finder->run.line = random && length >= RUN_LEAST && !marked;
  return finder->run.before == 2 ||
         (finder->run.before && byte == BAREPROF_TEXT_END) ||
         (random && length == BAREPROF_TEXT_COLUMNS) ||
         (random && length >= RUN_LEAST && marked);
}

static size_t feed_text_byte(struct fragment_finder *finder,
                             unsigned char byte) {
  enum character_kind kind = character_kind_of(byte);
  size_t found = 0;
  if (kind && !finder->run.length) {
    finder->run.before = finder->run.mark;
    finder->run.different = finder->run.changes = finder->run.kinds = 0;
  } else if (kind) {
    finder->run.changes += character_kind_of(finder->run.last) != kind;
  } else if (finder->run.length) {
    found = classify_text_run(finder, byte);
  }
  if (byte == BAREPROF_TEXT_MARK && finder->run.line)
    found = 1;
  finder->run.line &= byte == '\r' || byte == '\n';
  finder->run.different +=
      kind && (!finder->run.length || byte != finder->run.last);
  finder->run.length = kind ? finder->run.length + 1 : 0;
  finder->run.kinds |= kind ? 1u << kind : 0;
  finder->run.last = byte;
  finder->run.mark = byte == BAREPROF_TEXT_MARK                             ? 1
                     : byte == BAREPROF_TEXT_BEGIN && finder->run.mark == 1 ? 2
                                                                            : 0;
  return found;
}

/* ---- BINARY ---- */

/* Stands for a byte that is not part of a character. */
#define INVALID UINT32_C(0x110000)

enum { HEAD = 1, SEQUENCE = 4, FRAME_LAST = 24, STRANGE_LEAST = 4 };
enum { XON = 0x11, XOFF = 0x13 };
enum { STRIPPED = BAREPROF_BINARY_BEGIN & 0x7F, REPLACED = 0xFFFD };

static bool is_non_text_character(uint32_t character) {
  if (character < 0x20)
    return !(character >= 7 && character <= 13) && character != 0x1B;
  return (character >= 0x7F && character < 0xA0) || character == REPLACED ||
         character >= INVALID;
}

/* Returns whether the character can be the head of a frame. A head has a type
 * that exists, with a piece number in DATA frames and flags in compact dumps.
 */
static bool can_be_frame_head(uint32_t character) {
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

/* Returns whether the character starts an escape, which stands for a byte that
 * equals a mark. The two bytes of the escape count as one byte. */
static bool is_escape_start(const struct fragment_finder *finder,
                            uint32_t character) {
  uint32_t flipped = BAREPROF_BINARY_BEGIN ^ BAREPROF_BINARY_ESCAPE;
  return finder->frame.mark != REPLACED &&
         character == (finder->frame.mark ^ flipped);
}

/* Returns whether a frame may contain this character at the current position.
 */
static bool can_continue_frame(const struct fragment_finder *finder,
                               uint32_t character) {
  if (finder->frame.mark == STRIPPED && character >= 0x80)
    return false;
  if (finder->frame.at == HEAD)
    return can_be_frame_head(character);
  return finder->frame.at != SEQUENCE || character < 0x20;
}

/* Returns whether the character belongs to a colour sequence (ESC, `[`, a
 * number, a letter) around a LF in the frame. Takes back the counted ESC. */
static bool skip_colour_sequence(struct fragment_finder *finder,
                                 uint32_t character) {
  enum { ESCAPE = 0x1B, LETTERS = 0x40 };
  if (finder->frame.colour) {
    finder->frame.colour = character < LETTERS;
    return true;
  }
  if (finder->frame.at <= HEAD || character != '[' ||
      finder->frame.last != ESCAPE)
    return false;
  finder->frame.at--;
  finder->frame.colour = true;
  return true;
}

/* Looks for BINARY frames. Returns 1 if enough characters after a mark fit a
 * frame's head, and at least STRANGE_LEAST of them are not text. */
static size_t feed_character(struct fragment_finder *finder,
                             uint32_t character) {
  bool marks = character == (INVALID | BAREPROF_BINARY_BEGIN) ||
               character == BAREPROF_BINARY_BEGIN || character == STRIPPED ||
               character == REPLACED;
  if ((finder->frame.at && is_escape_start(finder, character)) ||
      skip_colour_sequence(finder, character))
    return 0;
  if (finder->frame.at && finder->frame.at < SEQUENCE &&
      (character == XON || character == XOFF))
    finder->frame.flow = true;
  if (finder->frame.at == SEQUENCE && finder->frame.flow &&
      !can_continue_frame(finder, character)) {
    finder->frame.flow = false;
    return 0;
  }
  if (finder->frame.at && can_continue_frame(finder, character)) {
    /* Repeated zeros or ones do not count, because an idle link or a file
     * produces them. */
    finder->frame.strange +=
        is_non_text_character(character) && character != finder->frame.last;
    finder->frame.last = character;
    if (finder->frame.at++ != FRAME_LAST)
      return 0;
    finder->frame.at = 0;
    return finder->frame.strange >= STRANGE_LEAST;
  }
  finder->frame.at = marks;
  finder->frame.flow = false;
  finder->frame.mark = character;
  finder->frame.strange = finder->frame.last = 0;
  return 0;
}

/* Combines bytes into UTF-8 characters. An invalid byte counts as one
 * character. */
static size_t feed_binary_byte(struct fragment_finder *finder,
                               unsigned char byte) {
  size_t found = 0;
  /* After a mark that is not UTF-8, each byte is a character of its own. */
  if (finder->frame.at &&
      finder->frame.mark == (INVALID | BAREPROF_BINARY_BEGIN)) {
    finder->utf8.wanted = 0;
    return feed_character(finder, byte < 0x80 ? byte : INVALID | byte);
  }
  if (finder->utf8.wanted && (byte & 0xC0) == 0x80) {
    finder->utf8.value = finder->utf8.value << 6 | (byte & 0x3Fu);
    if (--finder->utf8.wanted)
      return 0;
    return feed_character(finder, finder->utf8.value < finder->utf8.least
                                      ? INVALID
                                      : finder->utf8.value);
  }
  if (finder->utf8.wanted)
    found += feed_character(finder, INVALID);
  finder->utf8.wanted = byte >= 0xF8   ? 0
                        : byte >= 0xF0 ? 3
                        : byte >= 0xE0 ? 2
                        : byte >= 0xC0 ? 1
                                       : 0;
  if (!finder->utf8.wanted)
    return found + feed_character(finder, byte < 0x80 ? byte : INVALID | byte);
  finder->utf8.least = finder->utf8.wanted == 1   ? 0x80
                       : finder->utf8.wanted == 2 ? 0x800
                                                  : 0x10000;
  finder->utf8.value = byte & (0x3Fu >> finder->utf8.wanted);
  return found;
}

/* ---- both encodings ---- */

enum { STEP = 1024 };

/* Returns whether no TEXT fragment can contain both this byte and later bytes.
 */
static bool is_fragment_break(unsigned char byte) {
  return !character_kind_of(byte) && byte != '\r' && byte != '\n' &&
         byte != BAREPROF_TEXT_MARK && byte != BAREPROF_TEXT_BEGIN;
}

/* Returns the offset of the first run that is as long as a frame's line, or
 * `size` if no such run exists. Only every LENGTH-th byte is tested, because a
 * run of this length contains such a byte. */
static size_t find_long_text_run(const unsigned char *bytes, size_t size) {
  enum { LENGTH = BAREPROF_TEXT_COLUMNS };
  size_t from = 0, at = 0;
  while (size - from >= LENGTH) {
    for (at = from + LENGTH; at != from && character_kind_of(bytes[at - 1]);
         at--)
      ;
    if (at == from)
      return from;
    from = at;
  }
  return size;
}

/* Returns how many bytes of ordinary text can be skipped. The bytes after them,
 * up to *until, must be fed one at a time. */
static size_t count_skippable_text(const unsigned char *bytes, size_t size,
                                   size_t *until) {
  const unsigned char *mark, *end;
  size = size < STEP ? size : (size_t)STEP;
  mark = memchr(bytes, BAREPROF_TEXT_MARK, size);
  *until = mark ? (size_t)(mark - bytes) + 1 : size;
  end = memchr(bytes, BAREPROF_TEXT_END, *until);
  *until = end ? (size_t)(end - bytes) + 1 : *until;
  size = find_long_text_run(bytes, *until);
  if (size == *until && (mark || end))
    size--;
  else if (size != *until)
    *until = size + BAREPROF_TEXT_COLUMNS;
  while (size && !is_fragment_break(bytes[size - 1]))
    size--;
  return size;
}

static bool feed_and_find_text_fragment(struct fragment_finder *finder,
                                        const unsigned char *bytes,
                                        size_t size) {
  bool found = false;
  for (size_t at = 0, until; at != size;) {
    if (!finder->run.length && !finder->run.line && !finder->run.mark) {
      size_t passed = count_skippable_text(bytes + at, size - at, &until);
      until += at;
      at += passed;
    } else {
      until = at + 1;
    }
    for (; at != until; at++)
      found |= feed_text_byte(finder, bytes[at]);
  }
  return found;
}

static bool may_begin_fragment(unsigned char byte) {
  return byte >= 0x80 || byte == STRIPPED;
}

/* Returns how many bytes at the beginning cannot start a BINARY fragment. Only
 * one ASCII character can start a fragment. Compilers vectorise the loop,
 * because a piece has a constant size. */
static size_t count_skippable_bytes(const unsigned char *bytes, size_t size) {
  enum { PIECE = 64 };
  size_t at = 0;
  for (uint8_t any = 0; size - at >= PIECE; at += PIECE) {
    for (size_t i = 0; i < PIECE; i++)
      any |= (bytes[at + i] >= 0x80) | (bytes[at + i] == STRIPPED);
    if (any)
      break;
  }
  while (at != size && !may_begin_fragment(bytes[at]))
    at++;
  return at;
}

static bool feed_and_find_binary_fragment(struct fragment_finder *finder,
                                          const unsigned char *bytes,
                                          size_t size) {
  bool found = false;
  for (size_t at = 0; at != size;) {
    if (!finder->frame.at && !finder->utf8.wanted)
      at += count_skippable_bytes(bytes + at, size - at);
    if (at != size)
      found |= feed_binary_byte(finder, bytes[at++]);
  }
  return found;
}

bool frame_fragments_feed(struct fragment_finder *finder,
                          const unsigned char *bytes, size_t size) {
  bool text = feed_and_find_text_fragment(finder, bytes, size);
  return feed_and_find_binary_fragment(finder, bytes, size) || text;
}

bool frame_fragments_end(struct fragment_finder *finder) {
  return frame_fragments_feed(finder, (const unsigned char *)"\n", 1);
}
