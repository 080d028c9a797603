/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes UTF-8 characters. Overlong forms, surrogates and codes above
 * U+10FFFF are invalid.
 */
#include "text.h"

#include <string.h>

/* Returns whether a character is invisible or changes the direction of text:
 * controls, marks, tags, noncharacters. */
static bool is_hidden_character(uint32_t code) {
  static const uint32_t ranges[][2] = {
      {0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},    {0x200B, 0x200B},
      {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
      {0xFFF9, 0xFFFB}, {0xFDD0, 0xFDEF}, {0xE0000, 0xE007F}};
  for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (code >= ranges[i][0] && code <= ranges[i][1])
      return true;
  return (code & 0xFFFE) == 0xFFFE;
}

static bool is_unescaped_byte(unsigned char letter) {
  return letter >= 0x20 && letter < 0x7F && letter != '"' && letter != '\\';
}

/* The number of bytes in a piece. Compilers vectorise a loop over so many
 * bytes. */
enum { PIECE = 16 };
static bool is_unescaped_piece(const unsigned char *letters) {
  uint8_t bad = 0;
  for (size_t i = 0; i < PIECE; i++)
    bad |= (letters[i] < 0x20) | (letters[i] >= 0x7F) | (letters[i] == '"') |
           (letters[i] == '\\');
  return !bad;
}

size_t utf8_count_unescaped(const void *at, size_t room) {
  const unsigned char *letters = at;
  size_t count = 0;
  while (room - count >= PIECE && is_unescaped_piece(letters + count))
    count += PIECE;
  /* The last piece may overlap the piece before it. */
  if (count && count + PIECE > room &&
      is_unescaped_piece(letters + room - PIECE))
    return room;
  while (count < room && is_unescaped_byte(letters[count]))
    count++;
  return count;
}

struct utf8_character utf8_decode(const void *at, size_t room) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = at;
  struct utf8_character one = {bytes[0], 1, true, true};
  if (*bytes < 0x80) {
    one.broken = false;
    one.hidden = *bytes < 0x20 || *bytes == 0x7F;
    return one;
  }
  unsigned size = *bytes >= 0xF0 ? 4 : *bytes >= 0xE0 ? 3 : 2;
  uint32_t code = *bytes & (0xFFu >> (size + 1));
  if (*bytes < 0xC2 || *bytes > 0xF4 || size > room)
    return one;
  for (unsigned i = 1; i < size; i++) {
    if (bytes[i] >> 6 != 2)
      return one;
    code = code << 6 | (bytes[i] & 0x3F);
  }
  if (code < least[size] || code > 0x10FFFF ||
      (code >= 0xD800 && code <= 0xDFFF))
    return one;
  return (struct utf8_character){code, size, false, is_hidden_character(code)};
}

size_t utf8_encode(char *to, unsigned long code) {
  if (code < 0x80) {
    to[0] = (char)code;
    return 1;
  }
  size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = size; --i; code >>= 6)
    to[i] = (char)(0x80 | (code & 0x3F));
  to[0] = (char)((0xF00 >> size & 0xFF) | code);
  return size;
}
