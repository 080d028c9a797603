/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * UTF-16 to UTF-8, a byte at a time.
 */
#include "utf16.h"

enum { UNPAIRED = 0xFFFD, ROOM = 256, CHARACTER = 4 };

struct output {
  utf16_give *give;
  void *context;
  size_t used;
  unsigned char bytes[ROOM];
};

static void flush(struct output *output) {
  if (output->used)
    output->give(output->context, output->bytes, output->used);
  output->used = 0;
}

static void put(struct output *output, unsigned byte) {
  output->bytes[output->used++] = (unsigned char)byte;
}

static void put_character(struct output *output, uint32_t c) {
  if (output->used + 2 * CHARACTER > ROOM)
    flush(output);
  if (c < 0x80) {
    put(output, c);
  } else if (c < 0x800) {
    put(output, 0xC0 | c >> 6);
    put(output, 0x80 | (c & 63));
  } else if (c < 0x10000) {
    put(output, 0xE0 | c >> 12);
    put(output, 0x80 | (c >> 6 & 63));
    put(output, 0x80 | (c & 63));
  } else {
    put(output, 0xF0 | c >> 18);
    put(output, 0x80 | (c >> 12 & 63));
    put(output, 0x80 | (c >> 6 & 63));
    put(output, 0x80 | (c & 63));
  }
}

static void take_unit(struct utf16 *utf16, struct output *output,
                      uint32_t unit) {
  uint32_t high = utf16->high;
  utf16->high = 0;
  if (high && unit >> 10 == 0x37) {
    put_character(output, 0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF)));
    return;
  }
  if (high)
    put_character(output, UNPAIRED);
  if (unit >> 10 == 0x36)
    utf16->high = unit;
  else
    put_character(output, unit >> 10 == 0x37 ? UNPAIRED : unit);
}

/* The first pair decides. */
static void decide(struct utf16 *utf16, struct output *output,
                   const unsigned char pair[2]) {
  if (pair[0] == 0xFF && pair[1] == 0xFE) {
    utf16->form = UTF16_LITTLE;
  } else if (pair[0] == 0xFE && pair[1] == 0xFF) {
    utf16->form = UTF16_BIG;
  } else {
    utf16->form = UTF16_NONE;
    put(output, pair[0]);
    put(output, pair[1]);
  }
}

void utf16_feed(struct utf16 *utf16, const unsigned char *bytes, size_t size,
                utf16_give *give, void *context) {
  struct output output = {.give = give, .context = context};
  for (size_t i = 0; i < size; i++) {
    if (utf16->form == UTF16_UNKNOWN && !utf16->has_held && bytes[i] < 0xFE)
      utf16->form = UTF16_NONE;
    if (utf16->form == UTF16_NONE) {
      flush(&output);
      give(context, bytes + i, size - i);
      return;
    }
    const unsigned char pair[2] = {utf16->held, bytes[i]};
    utf16->has_held = !utf16->has_held;
    utf16->held = bytes[i];
    if (utf16->has_held)
      continue;
    if (utf16->form == UTF16_UNKNOWN)
      decide(utf16, &output, pair);
    else if (utf16->form == UTF16_LITTLE)
      take_unit(utf16, &output, pair[0] | (uint32_t)pair[1] << 8);
    else
      take_unit(utf16, &output, pair[1] | (uint32_t)pair[0] << 8);
  }
  flush(&output);
}

void utf16_end(struct utf16 *utf16, utf16_give *give, void *context) {
  struct output output = {.give = give, .context = context};
  if (utf16->has_held && utf16->form == UTF16_UNKNOWN)
    put(&output, utf16->held);
  else if (utf16->has_held || utf16->high)
    put_character(&output, UNPAIRED);
  flush(&output);
}
