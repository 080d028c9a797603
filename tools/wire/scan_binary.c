/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The zones of a BINARY candidate: runs of text with a LF, in which lines may
 * have been spliced in, and what is between them, which is the frame's. The
 * encoding is described in docs/wire-format.md.
 */
#include "scan_binary.h"

#include "wire.h"

/* A frame's own bytes may look like text, too: the shorter, the more often.
 * So less than the shortest line is not looked for. */
enum { SHORTEST_LINE = 3, LONG_RUN = 5 };

static size_t decode(unsigned char *bytes, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < size; i++) {
    unsigned byte = bytes[i];
    if (byte == BAREPROF_BINARY_ESCAPE) {
      if (++i == size)
        return 0;
      byte = bytes[i] ^ BAREPROF_BINARY_FLIP;
      if (byte < BAREPROF_BINARY_BEGIN || byte > BAREPROF_BINARY_ESCAPE)
        return 0;
    }
    bytes[used++] = (unsigned char)byte;
  }
  return used;
}

/* The bytes of the character of text at a place; 0 if there is none. */
static size_t character(const unsigned char *at, size_t size) {
  unsigned char first = at[0];
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7F) || first == '\n' || first == '\r' ||
           first == '\t' || first == 0x1B;
  size_t bytes = first < 0xC2   ? 0
                 : first < 0xE0 ? 2
                 : first < 0xF0 ? 3
                 : first < 0xF5 ? 4
                                : 0;
  if (bytes > size)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((at[i] & 0xC0) != 0x80)
      return 0;
  return bytes;
}

static void keep(struct option *option, size_t begin, size_t end) {
  if (begin != end)
    option->kept[option->spans++] =
        (struct span){(uint16_t)begin, (uint16_t)(end - begin)};
}

static bool keep_all(struct search *search, size_t begin, size_t end) {
  struct option *option = search_add_option(search);
  if (option)
    keep(option, begin, end);
  return option;
}

/* The option of a run without all lines that repeat: there may be several, or
 * text of the frame behind one. */
static void add_repeats(struct search *search, size_t begin, size_t lines,
                        size_t end) {
  struct option option = {.mended = true};
  size_t kept = begin, cuts = 0;
  for (size_t at = begin; at + SHORTEST_LINE <= lines; at++) {
    unsigned likely = search_likely(search, at);
    if (likely == 0 || option.spans + 2 > SEARCH_SPANS)
      continue;
    keep(&option, kept, at);
    option.likely += likely;
    cuts++;
    at += SHORTEST_LINE - 1;
    while (search->bytes[at] != '\n')
      at++;
    kept = at + 1;
  }
  keep(&option, kept, end);
  struct option *added = option.likely && (cuts > 1 || kept != lines)
                             ? search_add_option(search)
                             : NULL;
  if (added)
    *added = option;
}

/* The options of a run whose last LF is before lines: without what was
 * spliced in, which ends there and begins anywhere, the longest first; then
 * those that end at an earlier LF; and all of the run. */
static bool add_run(struct search *search, size_t begin, size_t lines,
                    size_t end) {
  size_t rank = 0;
  size_t rank_of_all = lines - begin < LONG_RUN ? 0 : LONG_RUN;
  for (; lines != begin; lines--) {
    if (search->bytes[lines - 1] != '\n')
      continue;
    for (size_t at = begin; at + SHORTEST_LINE <= lines; at++) {
      if (rank++ == rank_of_all)
        keep_all(search, begin, end);
      struct option *option = search_add_option(search);
      if (!option)
        return rank > 1;
      option->mended = true;
      option->likely = (uint16_t)search_likely(search, at);
      keep(option, begin, at);
      keep(option, lines, end);
    }
  }
  return rank > rank_of_all || keep_all(search, begin, end);
}

/* The whole in zones; false: too many. */
static bool add_zones(struct search *search, size_t size) {
  const unsigned char *bytes = search->bytes;
  size_t done = 0, at = 0;
  while (at < size) {
    size_t begin = at, lines = at, step;
    while (at < size && (step = character(bytes + at, size - at)) != 0) {
      at += step;
      if (bytes[at - 1] == '\n')
        lines = at;
    }
    if (lines != begin) {
      if (!search_add_zone(search) || !keep_all(search, done, begin) ||
          !search_add_zone(search))
        return false;
      size_t from = search->option_count;
      add_repeats(search, begin, lines, at);
      if (!add_run(search, begin, lines, at))
        return false;
      search_sort(search, from);
      done = at;
    } else if (at == begin) {
      at++;
    }
  }
  return search_add_zone(search) && keep_all(search, done, size);
}

bool binary_try(struct search *search, const unsigned char *bytes,
                size_t size) {
  search_clear(search, bytes, size, decode);
  search_add_zone(search);
  keep_all(search, 0, size);
  if (search_run(search))
    return true;
  search_clear(search, bytes, size, decode);
  repeats_clear(&search->repeats);
  repeats_add(&search->repeats, bytes, size, 0, size);
  return add_zones(search, size) && search->zone_count > 1 &&
         search_run(search);
}

void binary_foreign(const struct search *search, size_t size, binary_give *give,
                    void *context) {
  size_t done = 0;
  for (size_t zone = 0; zone < search->zone_count; zone++) {
    const struct option *option = search_chosen(search, zone);
    for (size_t i = 0; i < option->spans; i++) {
      size_t at = option->kept[i].at;
      if (at != done)
        give(context, search->bytes + done, at - done);
      done = at + option->kept[i].size;
    }
  }
  if (done != size)
    give(context, search->bytes + done, size - done);
}
