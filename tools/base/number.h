/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses words and numbers in text, and adds numbers without overflow.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <string.h>

#include "bytes.h"

/* Skips a word if the text at *at begins with it. Returns false if not. */
static inline bool skip_prefix(const unsigned char **at,
                               const unsigned char *end, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(end - *at) < size || memcmp(*at, word, size) != 0)
    return false;
  *at += size;
  return true;
}

/* Returns the number of characters at the start of the text that names of C
 * functions may have: letters, digits, _ . and $. */
static inline size_t name_size(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
  return strspn(text, letters);
}

/* Returns whether name_size counts all characters of the name. Linker lists and
 * LLVM's profiles can have such names without quotes. */
static inline bool name_can_be_unquoted(const char *name) {
  return name[name_size(name)] == '\0';
}

/* Returns the value of a digit from 0 to f, or 16 for any other byte. */
static inline unsigned digit_value(unsigned char byte) {
  if (byte >= '0' && byte <= '9')
    return byte - '0';
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10u : 16;
}

/* Like digit_value, but also accepts the capitals A to F. */
static inline unsigned digit_value_any_case(unsigned char byte) {
  return digit_value(byte >= 'A' && byte <= 'F' ? byte | 0x20 : byte);
}

/* Returns whether the whole text is a number in the given base, 2 to 16. */
static inline bool parse_number_in_base(struct bytes text, unsigned base,
                                        uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < text.size; i++) {
    unsigned digit = digit_value_any_case(text.data[i]);
    if (digit >= base || *value > (UINT64_MAX - digit) / base)
      return false;
    *value = *value * base + digit;
  }
  return text.size != 0;
}

/* Returns whether the whole text is a number: hexadecimal after 0x, otherwise
 * in the given base. A sign, a blank or a number from 2^64 on is none. */
static inline bool parse_option_number(const char *text, unsigned base,
                                       uint64_t *value) {
  struct bytes digits = bytes_of_text(text);
  if (digits.size > 1 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    digits = bytes_of_text(text + 2);
    base = 16;
  }
  return parse_number_in_base(digits, base, value);
}

/* Parses the decimal digits at *at, and moves *at after them. Returns
 * UINT64_MAX if the number is larger. */
static inline uint64_t parse_decimal(const unsigned char **at,
                                     const unsigned char *end) {
  uint64_t value = 0;
  for (; *at != end && digit_value(**at) < 10; ++*at) {
    unsigned digit = digit_value(**at);
    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
  }
  return value;
}

/* Returns the sum, or UINT64_MAX if the sum is larger. */
static inline uint64_t add_saturated(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
