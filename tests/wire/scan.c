/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scanner on what consoles do to streams, and on what they do not, too.
 * The frames must come out, in order, and the text, untouched, however the
 * stream is cut. Never a frame that was not sent.
 *
 *   scan [STREAMS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hear.h"

static unsigned streams = 300;
static struct heard heard;

static bool expect(bool holds, const char *label, const char *what,
                   unsigned which) {
  if (!holds)
    printf("not ok wire scan: %s: %s (stream %u)\n", label, what, which);
  return holds;
}

/* ---- what consoles do ---- */

/* Lines may come just between the lines of TEXT: permille that do not. */
enum { LEAST_MENDED = 950 };

static const struct kind {
  const char *label;
  unsigned flags, splices, permille; /* of the frames that must be found */
} kinds[] = {
    {"TEXT", 0, 0, 1000},
    {"BINARY", BINARY, 0, 1000},
    {"both encodings, mixed", MIXED, 0, 1000},
    {"CR before LF", CRLF, 0, 1000},
    {"CR CR LF", CRCRLF, 0, 1000},
    {"log prefixes", PREFIX, 0, 1000},
    {"colours", COLOUR, 0, 1000},
    {"coloured log prefixes", COLOUR | PREFIX, 0, 1000},
    {"log lines between", BETWEEN, 0, 1000},
    {"wrapping at 80 columns", PREFIX | WRAP, 0, 1000},
    {"lines padded with blanks", PADDED, 0, 1000},
    {"log prefixes, padded", PADDED | PREFIX | COLOUR | CRLF, 0, 1000},
    {"all of these", PREFIX | COLOUR | WRAP | CRLF | BETWEEN, 0, 1000},
    {"a line spliced into TEXT", 0, 1, 999},
    {"a line spliced into TEXT, CR", CRLF, 1, 999},
    {"LFs around a line spliced into TEXT", BROKEN, 1, 960},
    {"2 lines spliced into TEXT", 0, 2, 975},
    {"3 lines spliced into TEXT", 0, 3, 850},
    {"5 lines alike spliced into TEXT", ALIKE, 5, 980},
    {"5 lines alike spliced into BINARY", BINARY | ALIKE, 5, 990},
    {"a line spliced into BINARY", BINARY, 1, 999},
    {"2 lines spliced into BINARY", BINARY, 2, 975},
    {"3 lines spliced into BINARY", BINARY, 3, 920},
};

/* Whether each frame of some is among all, in order. */
static bool are_among(const struct bytes *some, const struct bytes *all) {
  size_t at = 0;
  for (size_t i = 0; i < some->size;) {
    size_t size = 2 + some->at[i] + (some->at[i + 1] << 8);
    while (at < all->size && memcmp(all->at + at, some->at + i, size) != 0)
      at += 2u + all->at[at] + (all->at[at + 1] << 8);
    if (at >= all->size)
      return false;
    i += size;
  }
  return true;
}

static void check_kind(const struct kind *kind) {
  static struct stream stream;
  static struct heard first;
  unsigned long found = 0, mended = 0, sent = streams * STREAM_FRAMES;
  for (unsigned i = 1; i <= streams; i++) {
    seed(i);
    make_stream(&stream, kind->flags, kind->splices);
    hear(&heard, &stream.wire, stream.wire.size);
    first = heard;
    hear(&heard, &stream.wire, i % 3 ? 1 : 100);
    bool all = same(&heard.frames, &stream.frames);
    /* A character between two lines may be of both of them. */
    bool text = kind->splices > 1 || kind->flags & BROKEN
                    ? heard.text.size == stream.text.size
                    : same(&heard.text, &stream.text);
    if (!expect(same(&heard.frames, &first.frames) &&
                    same(&heard.text, &first.text) &&
                    heard.mended == first.mended,
                kind->label, "not the same in other pieces", i) ||
        !expect(are_among(&heard.frames, &stream.frames), kind->label,
                "a frame that was not sent", i) ||
        !expect(!all || text, kind->label, "other text", i) ||
        !expect(kind->splices || !heard.mended, kind->label, "mended", i))
      return;
    found += heard.count;
    mended += heard.mended;
  }
  bool enough = found * 1000 >= sent * kind->permille &&
                (!kind->splices || mended * 1000 >= found * LEAST_MENDED);
  printf("%s wire scan: %s: %lu of %lu frames\n", enough ? "ok" : "not ok",
         kind->label, found, sent);
}

/* ---- damage ---- */

enum damage { FLIP, DROP, DOUBLE, LOSE_END, LOSE_BEGIN, CUT };

static void harm(struct bytes *encoded, enum damage damage) {
  unsigned char *at = encoded->at;
  bool text = at[0] == '~';
  size_t place = damage == LOSE_BEGIN ? 0
                 : damage == LOSE_END ? encoded->size - 1 - text
                                      : pick((uint32_t)encoded->size);
  size_t behind = encoded->size - place;
  if (damage == FLIP) {
    at[place] ^= (unsigned char)(1 << pick(8));
  } else if (damage == CUT) {
    encoded->size = place;
  } else if (damage == DOUBLE) {
    memmove(at + place + 1, at + place, behind);
    encoded->size++;
  } else {
    memmove(at + place, at + place + 1, behind - 1);
    encoded->size--;
  }
}

/* Frames between lines, every second one damaged. False if another one is
 * lost, or one was found that was not sent. */
static bool damaged_stream(enum damage damage, unsigned number,
                           unsigned *recovered) {
  static struct bytes wire, encoded, others, all;
  wire.size = others.size = all.size = 0;
  seed(number);
  for (unsigned i = 0; i < 5; i++) {
    for (unsigned k = pick(3); k; k--)
      make_line(&wire, 0);
    encoded.size = 0;
    size_t from = all.size;
    bool binary = pick(2);
    make_frame(&encoded, &all, binary, pick(260));
    if (i % 2)
      harm(&encoded, damage);
    else
      put(&others, all.at + from, all.size - from);
    put(&wire, encoded.at, encoded.size);
  }
  hear(&heard, &wire, wire.size);
  *recovered += heard.count - 3;
  return expect(are_among(&heard.frames, &all), "damage",
                "a frame that was not sent", number) &&
         expect(are_among(&others, &heard.frames), "damage",
                "an undamaged frame is lost", number);
}

static void check_damage(enum damage damage, const char *label,
                         unsigned least) {
  unsigned recovered = 0;
  for (unsigned i = 1; i <= streams; i++)
    if (!damaged_stream(damage, i, &recovered))
      return;
  printf("%s wire scan: %s: %u of %u recovered, none of %u others lost\n",
         recovered * 100 >= 2 * streams * least ? "ok" : "not ok", label,
         recovered, 2 * streams, 3 * streams);
}

int main(int count, char **arguments) {
  if (count > 1)
    streams = (unsigned)strtoul(arguments[1], NULL, 10);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    check_kind(&kinds[i]);
  check_damage(FLIP, "a flipped bit", 0);
  check_damage(DROP, "a dropped byte", 0);
  check_damage(DOUBLE, "a doubled byte", 0);
  check_damage(CUT, "a cut frame", 0);
  check_damage(LOSE_BEGIN, "a lost begin", 0);
  check_damage(LOSE_END, "a lost end", 50);
}
