/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines, words and numbers of samples as text.
 */
#include <string.h>

#include "input.h"

bool samples_line(struct bytes *file, struct bytes *line) {
  if (!bytes_line(file, line))
    return false;
  if (line->size && line->data[line->size - 1] == '\r')
    line->size--;
  return true;
}

bool samples_word(struct bytes *line, struct bytes *word) {
  size_t at = 0;
  while (at < line->size && samples_blank(line->data[at]))
    at++;
  size_t begin = at;
  while (at < line->size && !samples_blank(line->data[at]))
    at++;
  *word = (struct bytes){line->data + begin, at - begin};
  line->data += at;
  line->size -= at;
  return word->size != 0;
}

const unsigned char samples_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

bool samples_hex(struct bytes word, uint64_t *value) {
  size_t at =
      word.size > 2 && word.data[0] == '0' && (word.data[1] | 0x20) == 'x' ? 2
                                                                           : 0;
  unsigned digit = 1;
  *value = 0;
  if (word.size == at || word.size - at > 16)
    return false;
  for (; at < word.size && (digit = samples_digits[word.data[at]]); at++)
    *value = (*value << 4) + digit - 1;
  return digit != 0;
}

/* The number that a piece of text begins with, cut off. */
static bool take_hex(struct bytes *text, uint64_t *value) {
  size_t size = 0;
  if (text->size > 2 && text->data[0] == '0' && (text->data[1] | 0x20) == 'x')
    size = 2;
  while (size < text->size && samples_digits[text->data[size]])
    size++;
  bool good = samples_hex((struct bytes){text->data, size}, value);
  text->data += size;
  text->size -= size;
  return good;
}

bool samples_pair(struct bytes word, const char *between, char behind,
                  uint64_t pair[2], struct bytes *rest) {
  size_t size = strlen(between);
  if (!take_hex(&word, &pair[0]) || word.size < size ||
      memcmp(word.data, between, size) != 0)
    return false;
  word.data += size;
  word.size -= size;
  if (!take_hex(&word, &pair[1]))
    return false;
  *rest = word;
  return behind ? word.size && word.data[0] == behind : !word.size;
}

bool samples_decimal(struct bytes word, uint64_t *value) {
  *value = 0;
  if (!word.size || word.size > 15)
    return false;
  for (size_t i = 0; i < word.size; i++) {
    if (word.data[i] < '0' || word.data[i] > '9')
      return false;
    *value = *value * 10 + (word.data[i] - '0');
  }
  return true;
}
