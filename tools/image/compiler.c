/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Looks for the words that clang leaves of itself.
 */
#include "compiler.h"

#include <stdlib.h>
#include <string.h>

enum { STRINGS_LIMIT = 1 << 28 };

unsigned compiler_raw(unsigned release) {
  return release < 13    ? 0
         : release == 13 ? 7
         : release <= 17 ? 8
         : release == 18 ? 9
         : release <= 22 ? 10
         : release == 23 ? 11
                         : 0;
}

static uint64_t named(struct bytes text) {
  static const char words[] = "clang version ";
  const size_t length = sizeof words - 1;
  const unsigned char *at = text.data;
  const unsigned char *end = at + text.size;
  uint64_t found = 0;
  while ((size_t)(end - at) > length &&
         (at = memchr(at, 'c', (size_t)(end - at) - length))) {
    const unsigned char *digit = at++ + length;
    unsigned release = 0;
    if (memcmp(at - 1, words, length) != 0)
      continue;
    for (; digit != end && *digit >= '0' && *digit <= '9' && release < 100;
         digit++)
      release = release * 10 + (*digit - '0');
    if (release <= COMPILER_LAST)
      found |= UINT64_C(1) << release;
  }
  return found;
}

uint64_t compiler_releases(const struct elf *elf, const char *section) {
  struct elf_section strings;
  struct bytes contents;
  unsigned char *memory = NULL;
  uint64_t found = 0;
  if (elf_find_section(elf, section, &strings) && strings.size &&
      !elf_contents(elf, &strings, STRINGS_LIMIT, &contents, &memory))
    found = named(contents);
  free(memory);
  return found;
}
