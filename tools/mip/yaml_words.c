/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The words of a line of YAML.
 */
#include "yaml_words.h"

#include <string.h>

void words_skip(struct words *words) {
  while (words->at != words->end && (*words->at == ' ' || *words->at == '\t'))
    words->at++;
}

bool words_take_text(struct words *words, const char *text) {
  size_t size = strlen(text);
  if ((size_t)(words->end - words->at) < size || memcmp(words->at, text, size))
    return false;
  words->at += size;
  words_skip(words);
  return true;
}

static unsigned digit_of(char c) {
  if (c >= '0' && c <= '9')
    return (unsigned)(c - '0');
  c |= 'a' ^ 'A';
  return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool words_take_number(struct words *words, uint64_t most, uint64_t *value) {
  unsigned base = 10;
  bool some = false;
  *value = 0;
  if (words->end - words->at > 2 && *words->at == '0' &&
      (words->at[1] | ('a' ^ 'A')) == 'x') {
    base = 16;
    words->at += 2;
  }
  for (; words->at != words->end; words->at++, some = true) {
    unsigned digit = digit_of(*words->at);
    if (digit >= base)
      break;
    if (*value > (most - digit) / base)
      return false;
    *value = *value * base + digit;
  }
  words_skip(words);
  return some && *value <= most;
}

bool words_take_signed(struct words *words, int64_t *value) {
  bool negative = words_take_text(words, "-");
  uint64_t size;
  if (!words_take_number(words, (uint64_t)INT64_MAX + negative, &size))
    return false;
  *value = (int64_t)(negative ? 0 - size : size);
  return true;
}

static bool take_hex(struct words *words, unsigned digits, unsigned *value) {
  *value = 0;
  if (words->end - words->at < (ptrdiff_t)digits)
    return false;
  for (unsigned i = 0; i < digits; i++) {
    unsigned digit = digit_of(*words->at++);
    if (digit == 16)
      return false;
    *value = *value * 16 + digit;
  }
  return true;
}

/* The byte behind a backslash. */
static bool take_escaped(struct words *words, unsigned char *byte) {
  unsigned value;
  if (words->at == words->end)
    return false;
  *byte = (unsigned char)*words->at++;
  if (*byte != 'u')
    return *byte == '"' || *byte == '\\';
  if (!take_hex(words, 4, &value) || value > 0xFF)
    return false;
  *byte = (unsigned char)value;
  return true;
}

const char *words_take_name(struct words *words, struct buffer *name) {
  static const char wrong[] = "here should be a name in quotes; correct it";
  name->size = 0;
  if (words->at == words->end || *words->at++ != '"')
    return wrong;
  while (words->at != words->end && *words->at != '"') {
    unsigned char byte = (unsigned char)*words->at++;
    if (byte == '\\' && !take_escaped(words, &byte))
      return wrong;
    const char *error = buffer_append(name, &byte, 1);
    if (error)
      return error;
  }
  if (words->at++ == words->end)
    return wrong;
  words_skip(words);
  return NULL;
}
