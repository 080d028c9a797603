/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lines of a TEXT candidate, their division into zones (a mark and what
 * follows it, up to the next one), and what is left when a frame is found.
 * The encoding is described in docs/wire-format.md.
 */
#include "scan_text.h"

#include <string.h>

#include "wire.h"

/* That were spliced into one line. */
enum { MARKS_IN_TEXT = 2 };

/* The six bits of a base64 character; 64 for any other. */
static unsigned sixth(unsigned char byte) {
  if (byte >= 'A' && byte <= 'Z')
    return byte - 'A';
  if (byte >= 'a' && byte <= 'z')
    return byte - 'a' + 26u;
  if (byte >= '0' && byte <= '9')
    return byte - '0' + 52u;
  return byte == '+' ? 62 : byte == '/' ? 63 : 64;
}

static size_t decode(unsigned char *bytes, size_t size) {
  unsigned bits = 0, waiting = 0;
  size_t used = 0;
  if (size % 4 == 1)
    return 0;
  for (size_t i = 0; i < size; i++) {
    bits = (bits << 6 | sixth(bytes[i])) & 0xFFFF;
    waiting += 6;
    if (waiting >= 8) {
      waiting -= 8;
      bytes[used++] = (unsigned char)(bits >> waiting);
    }
  }
  return used;
}

/* Whether what is in front of a ~ makes a mark of it: nothing, or a prefix
 * like the first line's. */
static bool is_mark(const struct text_input *input, size_t start, size_t at) {
  struct shape prefix;
  if (at - start > SHAPE_MAX)
    return false;
  shape_of(&prefix, input->bytes + start, input->bytes + at);
  return shape_ends(&input->prefix, &prefix) ||
         shape_ends(input->known, &prefix);
}

/* Reads the line at a place. Returns the next one's. */
static size_t read_line(struct text *text, size_t start, size_t end) {
  const unsigned char *bytes = text->input->bytes;
  struct text_line *line = &text->lines[text->count++];
  const unsigned char *stop = memchr(bytes + start, '\n', end - start);
  size_t next = stop ? (size_t)(stop - bytes) + 1 : end;
  if (!stop)
    stop = bytes + end;
  const unsigned char *at = bytes + start;
  const unsigned char *mark =
      text->count > 1 ? memchr(at, BAREPROF_TEXT_MARK, (size_t)(stop - at))
                      : NULL;
  *line = (struct text_line){.start = (uint16_t)start, .end = (uint16_t)next};
  line->mark = mark && is_mark(text->input, start, (size_t)(mark - bytes));
  if (line->mark)
    at = mark + 1;
  line->begin = (uint16_t)(at - bytes);
  at = skip_decoration(at, stop);
  line->at = (uint16_t)(at - bytes);
  while (at != stop && sixth(*at) < 64)
    at++;
  line->run = (uint16_t)(at - bytes - line->at);
  line->full = skip_decoration(at, stop) == stop;
  return next;
}

static bool read_lines(struct text *text) {
  const struct text_input *input = text->input;
  size_t end = input->size - input->ended;
  size_t at = input->brace + 1;
  size_t marked = 0;
  text->count = 0;
  do {
    if (text->count == TEXT_LINES)
      return false;
    at = read_line(text, at, end);
    if (text->lines[text->count - 1].mark)
      marked = text->count - 1;
  } while (at != end || (input->ended && input->bytes[end - 1] == '\n' &&
                         text->lines[text->count - 1].start != end));
  /* Without an end mark: what follows the last line is taken as text. */
  if (!input->ended)
    text->count = marked + 1;
  return true;
}

/* Where lines may be spliced in. */
static void count_repeats(const struct text *text) {
  const struct text_input *input = text->input;
  repeats_clear(&text->search->repeats);
  for (size_t i = 0; i < text->count; i++)
    repeats_add(&text->search->repeats, input->bytes, input->size,
                text->lines[i].at, text->lines[i].at + text->lines[i].run + 1u);
}

static size_t next_mark(const struct text *text, size_t at) {
  while (at < text->count && !text->lines[at].mark)
    at++;
  return at;
}

/* Whether a mark begins a zone that has options. */
static bool begins_zone(struct text *text, size_t first) {
  if (!text_add_zone(text, first, next_mark(text, first + 1)))
    return false;
  search_drop_zone(text->search);
  return true;
}

/* The zone that begins with a line. If it has no options, the next marks may
 * be part of what was spliced in, if they begin no zone: then it goes on
 * behind them. Returns the first line of the next zone; first if nothing
 * helps. */
static size_t add_zone(struct text *text, size_t first) {
  size_t ends[MARKS_IN_TEXT];
  size_t passed = 0;
  for (size_t end = first; end != text->count;) {
    end = next_mark(text, end + 1);
    if (text_add_zone(text, first, end))
      return end;
    if (end == text->count || passed == MARKS_IN_TEXT || begins_zone(text, end))
      break;
    text->lines[end].foreign = true;
    ends[passed++] = end;
  }
  while (passed)
    text->lines[ends[--passed]].foreign = false;
  return first;
}

/* A mark but the first that begins no zone is text of the zone before; the
 * last zone needs to be one, for it has the end. */
static bool add_zones(struct text *text) {
  size_t at = 0;
  while (at != text->count) {
    size_t next = add_zone(text, at);
    if (next == at) {
      next = next_mark(text, at + 1);
      if (at == 0 || next == text->count)
        return false;
      text->lines[at].foreign = true;
    }
    at = next;
  }
  text->zone_lines[text->search->zone_count] = (uint16_t)text->count;
  return true;
}

bool text_try(struct text *text, struct search *search,
              const struct text_input *input) {
  text->input = input;
  text->search = search;
  search_clear(search, input->bytes, input->size, decode);
  if (!read_lines(text))
    return false;
  count_repeats(text);
  return add_zones(text) && search_run(search);
}

size_t text_end(const struct text *text) {
  return text->input->ended ? text->input->size
                            : text->lines[text->count - 1].end;
}

/* Between ~ and {: the terminal's new line, or something that was spliced
 * in. */
static bool only_wrapped(const struct text_input *input) {
  const unsigned char *brace = input->bytes + input->brace;
  const unsigned char *at = skip_decoration(input->bytes + 1, brace);
  return at == brace || at + 1 == brace;
}

bool text_mended(const struct text *text) {
  return !text->input->ended || !only_wrapped(text->input) ||
         search_mended(text->search);
}

bool text_further_prefix(const struct text *text, struct shape *prefix) {
  const struct text_input *input = text->input;
  size_t first = text->zone_lines[text->search->zone_count - 1];
  const struct text_line *line = &text->lines[first];
  if (first == 0)
    return false;
  shape_of(prefix, input->bytes + line->start, input->bytes + line->begin - 1);
  return true;
}

/* How many characters of a line the option takes; kept is moved on. */
static size_t taken(const struct text_line *line, const struct option *option,
                    size_t *kept) {
  if (*kept == option->spans || option->kept[*kept].at != line->at)
    return 0;
  return option->kept[(*kept)++].size;
}

/* Where in a zone's line the text begins; its end if there is none. */
static size_t foreign_begin(const struct text *text, size_t zone, size_t i,
                            size_t *kept) {
  const struct option *option = search_chosen(text->search, zone);
  const struct text_line *line = &text->lines[i];
  if (i > option->last)
    return line->start;
  size_t size = taken(line, option, kept);
  if (i == option->last)
    return line->end;
  if (size == 0)
    return i == text->zone_lines[zone] ? line->begin : line->start;
  /* A whole line's end is the frame's, or the terminal's, if the frame goes
   * on in the next one; else the text begins with it. */
  bool whole = size == line->run && line->full;
  bool goes_on = i + 1 == option->last ||
                 (*kept != option->spans &&
                  option->kept[*kept].at == text->lines[i + 1].at);
  return whole && goes_on ? line->end : (size_t)line->at + size;
}

void text_foreign(const struct text *text, text_give *give, void *context) {
  const unsigned char *bytes = text->input->bytes;
  if (!only_wrapped(text->input))
    give(context, bytes + 1, text->input->brace - 1);
  for (size_t zone = 0; zone < text->search->zone_count; zone++) {
    size_t kept = 0;
    for (size_t i = text->zone_lines[zone]; i < text->zone_lines[zone + 1];
         i++) {
      size_t begin = foreign_begin(text, zone, i, &kept);
      size_t end = text->lines[i].end;
      if (begin != end)
        give(context, bytes + begin, end - begin);
    }
  }
}
