/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as text: one a line, as a debug probe or GDB gives them.
 */
#include <string.h>

#include "input.h"

/* ---- words ---- */

bool samples_line(struct bytes *file, struct bytes *line) {
  if (!file->size)
    return false;
  const unsigned char *end = memchr(file->data, '\n', file->size);
  size_t size = end ? (size_t)(end - file->data) : file->size;
  *line = (struct bytes){file->data, size};
  file->data += size + (end ? 1 : 0);
  file->size -= size + (end ? 1 : 0);
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

static int digit(unsigned char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool samples_hex(struct bytes word, uint64_t *value) {
  size_t at =
      word.size > 2 && word.data[0] == '0' && (word.data[1] | 0x20) == 'x' ? 2
                                                                           : 0;
  *value = 0;
  if (at == word.size || word.size - at > 16)
    return false;
  for (; at < word.size; at++) {
    int one = digit(word.data[at]);
    if (one < 0)
      return false;
    *value = *value << 4 | (unsigned)one;
  }
  return true;
}

/* The number that a piece of text begins with, cut off. */
static bool take_hex(struct bytes *text, uint64_t *value) {
  size_t size = 0;
  if (text->size > 2 && text->data[0] == '0' && (text->data[1] | 0x20) == 'x')
    size = 2;
  while (size < text->size && digit(text->data[size]) >= 0)
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

/* xCOUNT */
static bool repeated(struct bytes word, uint64_t *count) {
  return word.data[0] == 'x' &&
         samples_decimal((struct bytes){word.data + 1, word.size - 1}, count) &&
         *count != 0;
}

/* ---- one a line ---- */

/* PC, RA, CALLER...: RA is not a part of the stack, for it may be old. */
static const char *plain_line(struct bytes line, struct sample_taken *taken) {
  static const char bad[] =
      "here should be PC [RA [CALLER...]] [xCOUNT], addresses in hexadecimal, "
      "the innermost first; correct it";
  struct bytes word;
  uint64_t address;
  size_t number = 0;
  bool ended = false;
  taken->depth = 0;
  taken->ra = 0;
  taken->count = 1;
  while (samples_word(&line, &word) && word.data[0] != '#') {
    if (ended)
      return bad;
    if (number && word.data[0] == 'x') {
      if (!repeated(word, &taken->count))
        return bad;
      ended = true;
      continue;
    }
    if (!samples_hex(word, &address))
      return bad;
    if (number++ == 1)
      taken->ra = address;
    else if (taken->depth <= SAMPLES_DEPTH_MOST)
      taken->stack[taken->depth++] = address;
  }
  return NULL;
}

const char *samples_read_plain(struct samples *samples, struct bytes file,
                               size_t *number) {
  struct sample_taken taken;
  struct bytes line;
  while (samples_line(&file, &line)) {
    ++*number;
    const char *error = plain_line(line, &taken);
    if (!error)
      error = samples_add(samples, &taken);
    if (error)
      return error;
  }
  *number = 0;
  return NULL;
}
