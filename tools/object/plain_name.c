/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of functions without what compilers append.
 */
#include "plain_name.h"

#include <ctype.h>
#include <string.h>

#include "../base/number.h"

struct bytes plain_name(const char *name) {
  static const char *const ends[] = {".__uniq.", ".llvm.", ".cold",
                                     ".part.",   ".isra.", ".constprop."};
  size_t size = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *end = strstr(name, ends[i]);
    if (end && end != name && (size_t)(end - name) < size)
      size = (size_t)(end - name);
  }
  if (size > 3 && memcmp(name, "_ZL", 3) == 0) {
    size_t at = 3, length = 0;
    for (; at < size && isdigit((unsigned char)name[at]) && length < size; at++)
      length = length * 10 + (size_t)(name[at] - '0');
    if (length && length <= size - at)
      return (struct bytes){(const unsigned char *)name + at, length};
  }
  return (struct bytes){(const unsigned char *)name, size};
}

struct bytes unique_number(struct bytes name) {
  static const char mark[] = ".__uniq.";
  const unsigned char *at = name.data, *end = at + name.size;
  while (at != end && !take_word(&at, end, mark))
    at++;
  const unsigned char *first = at;
  while (at != end && digit_of(*at) < 10)
    at++;
  return (struct bytes){first, (size_t)(at - first)};
}
