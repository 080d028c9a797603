/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Log prefixes and colours: recognises them, and no more. What is dropped
 * with a frame, scan.c says.
 */
#include "scan_shape.h"

#include <string.h>

enum { ESCAPE = 0x1B };

static bool is_parameter(unsigned char byte) {
  return byte >= 0x20 && byte <= 0x3F;
}

size_t ansi_size(const unsigned char *at, const unsigned char *end) {
  const unsigned char *last = at + 2;
  if (end - at < 3 || at[0] != ESCAPE || at[1] != '[')
    return 0;
  while (last != end && is_parameter(*last))
    last++;
  return last != end && *last >= 0x40 && *last <= 0x7E ? (size_t)(last - at) + 1
                                                       : 0;
}

bool ansi_begun(const unsigned char *at, const unsigned char *end) {
  if (at == end || *at != ESCAPE || (end - at > 1 && at[1] != '['))
    return false;
  for (size_t i = 2; i < (size_t)(end - at); i++)
    if (!is_parameter(at[i]))
      return false;
  return true;
}

const unsigned char *skip_decoration(const unsigned char *at,
                                     const unsigned char *end) {
  for (;;) {
    size_t colour = ansi_size(at, end);
    if (colour)
      at += colour;
    else if (at != end && *at == '\r')
      at++;
    else
      return at;
  }
}

static void put(struct shape *shape, unsigned char byte) {
  if (byte >= '0' && byte <= '9') {
    while (shape->size && shape->bytes[shape->size - 1] == ' ')
      shape->size--;
    if (shape->size && shape->bytes[shape->size - 1] == '#')
      return;
    byte = '#';
  }
  shape->bytes[shape->size++] = byte;
}

void shape_of(struct shape *shape, const unsigned char *begin,
              const unsigned char *end) {
  shape->size = 0;
  if (end - begin > SHAPE_MAX)
    return;
  for (;;) {
    begin = skip_decoration(begin, end);
    if (begin == end)
      return;
    put(shape, *begin++);
  }
}

bool shape_equal(const struct shape *a, const struct shape *b) {
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

bool shape_ends(const struct shape *whole, const struct shape *part) {
  return part->size <= whole->size &&
         memcmp(whole->bytes + (whole->size - part->size), part->bytes,
                part->size) == 0;
}
