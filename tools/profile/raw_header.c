/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Magic and fields, by the rows of runtime/layout.c.
 */
#include "raw_header.h"

/* Letters of the magic, from the most significant byte on. */
bool raw_magic(const unsigned char *at, bool big, bool *wide) {
  static const unsigned char letters[8] = {0xFF, 'l', 'p', 'r',
                                           'o',  'f', 'r', 0x81};
  for (unsigned i = 0; i < 8; i++) {
    unsigned char byte = at[big ? i : 7 - i];
    if (byte != letters[i] && !(i == 6 && byte == 'R'))
      return false;
  }
  *wide = at[big ? 6 : 1] == 'r';
  return true;
}

bool raw_is(struct bytes file) {
  bool wide;
  return file.size >= 8 && (raw_magic(file.data, false, &wide) ||
                            raw_magic(file.data, true, &wide));
}

bool raw_fields(struct bytes file, bool big,
                const struct bareprof_layout *layout, size_t *at,
                uint64_t fields[BAREPROF_FIELDS]) {
  for (unsigned i = BAREPROF_VERSION_WORD + 1; i < BAREPROF_FIELDS; i++) {
    if (!(layout->fields >> i & 1))
      continue;
    if (file.size - *at < 8)
      return false;
    fields[i] = load64(file.data + *at, big);
    *at += 8;
  }
  return true;
}
