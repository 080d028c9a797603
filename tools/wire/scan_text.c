/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses the lines of a TEXT candidate, with their log prefixes and colours.
 * Divides the lines into zones; a zone is a line with a mark, and the lines up
 * to the next mark. scan_zone.c makes the readings of a zone, and scan_search.c
 * chooses one of them. docs/reference/wire-format.md describes the encoding.
 */
#include "scan_search.h"

#include <string.h>

#include "wire.h"

enum { ESCAPE = 0x1B };

static bool is_ansi_parameter(unsigned char byte) {
  return byte >= 0x20 && byte <= 0x3F;
}

size_t scan_ansi_size(const unsigned char *at, const unsigned char *end) {
  const unsigned char *last = at + 2;
  if (end - at < 3 || at[0] != ESCAPE || at[1] != '[')
    return 0;
  while (last != end && is_ansi_parameter(*last))
    last++;
  return last != end && *last >= 0x40 && *last <= 0x7E ? (size_t)(last - at) + 1
                                                       : 0;
}

bool scan_is_ansi_start(const unsigned char *at, const unsigned char *end) {
  if (at == end || *at != ESCAPE || (end - at > 1 && at[1] != '['))
    return false;
  for (size_t i = 2; i < (size_t)(end - at); i++)
    if (!is_ansi_parameter(at[i]))
      return false;
  return true;
}

/* Returns the position after all CRs and colour sequences at `at`. */
static const unsigned char *skip_decoration(const unsigned char *at,
                                            const unsigned char *end) {
  for (;;) {
    size_t colour = scan_ansi_size(at, end);
    if (colour)
      at += colour;
    else if (at != end && *at == '\r')
      at++;
    else
      return at;
  }
}

const unsigned char *scan_skip_padding(const unsigned char *at,
                                       const unsigned char *end) {
  for (;; at++) {
    at = skip_decoration(at, end);
    if (at == end || (*at != ' ' && *at != '\t'))
      return at;
  }
}

static void append_shape_byte(struct log_prefix_shape *shape,
                              unsigned char byte) {
  if (byte >= '0' && byte <= '9') {
    while (shape->size && shape->bytes[shape->size - 1] == ' ')
      shape->size--;
    if (shape->size && shape->bytes[shape->size - 1] == '#')
      return;
    byte = '#';
  }
  shape->bytes[shape->size++] = byte;
}

void scan_make_prefix_shape(struct log_prefix_shape *shape,
                            const unsigned char *begin,
                            const unsigned char *end) {
  shape->size = 0;
  if (end - begin > SHAPE_MAX)
    return;
  for (;;) {
    begin = skip_decoration(begin, end);
    if (begin == end)
      return;
    append_shape_byte(shape, *begin++);
  }
}

bool scan_prefix_shapes_equal(const struct log_prefix_shape *a,
                              const struct log_prefix_shape *b) {
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Returns whether a prefix shape begins or ends with another shape. A prefix is
 * shorter if a line was spliced in, or if the terminal has wrapped the line.
 * The first prefix is longer after an unfinished line of the program. */
static bool shape_has_part(const struct log_prefix_shape *whole,
                           const struct log_prefix_shape *part) {
  return part->size <= whole->size &&
         (memcmp(whole->bytes, part->bytes, part->size) == 0 ||
          memcmp(whole->bytes + (whole->size - part->size), part->bytes,
                 part->size) == 0);
}

/* The largest number of marks that may be spliced into one zone. */
enum { MARKS_IN_TEXT = 2 };

/* Returns the six bits of a base64 character, or 64 for any other character. */
static unsigned base64_value(unsigned char byte) {
  if (byte >= 'A' && byte <= 'Z')
    return byte - 'A';
  if (byte >= 'a' && byte <= 'z')
    return byte - 'a' + 26u;
  if (byte >= '0' && byte <= '9')
    return byte - '0' + 52u;
  return byte == '+' ? 62 : byte == '/' ? 63 : 64;
}

static size_t decode_base64(unsigned char *bytes, size_t size) {
  unsigned bits = 0, waiting = 0;
  size_t used = 0;
  if (size % 4 == 1)
    return 0;
  for (size_t i = 0; i < size; i++) {
    bits = (bits << 6 | base64_value(bytes[i])) & 0xFFFF;
    waiting += 6;
    if (waiting >= 8) {
      waiting -= 8;
      bytes[used++] = (unsigned char)(bits >> waiting);
    }
  }
  return used;
}

/* Returns whether a ~ is a mark. The line of a mark begins with the ~, or with
 * a prefix like the prefix of the first line or of earlier frames. */
static bool is_line_mark(const struct candidate_input *input, size_t start,
                         size_t at) {
  struct log_prefix_shape prefix;
  if (at - start > SHAPE_MAX)
    return false;
  scan_make_prefix_shape(&prefix, input->bytes + start, input->bytes + at);
  return shape_has_part(&input->prefix, &prefix) ||
         shape_has_part(input->known, &prefix);
}

/* Returns the mark of a line, or NULL. The last ~ near the start of the line is
 * tried first, because a prefix may have a ~, such as a shell's prompt. */
static const unsigned char *find_line_mark(const struct candidate_input *input,
                                           size_t start, size_t stop) {
  const unsigned char *line = input->bytes + start;
  const unsigned char *mark = memchr(line, BAREPROF_TEXT_MARK, stop - start);
  size_t last = stop - start > SHAPE_MAX ? start + SHAPE_MAX : stop - 1;
  if (!mark || mark - line > SHAPE_MAX)
    return NULL;
  while (input->bytes[last] != BAREPROF_TEXT_MARK)
    last--;
  if (is_line_mark(input, start, last))
    return input->bytes + last;
  return is_line_mark(input, start, (size_t)(mark - input->bytes)) ? mark
                                                                   : NULL;
}

/* Parses the line at an offset. Returns the offset of the next line. */
static size_t parse_candidate_line(struct text_candidate *text, size_t start,
                                   size_t end) {
  const unsigned char *bytes = text->input->bytes;
  struct candidate_line *line = &text->lines[text->count++];
  const unsigned char *stop = memchr(bytes + start, text->newline, end - start);
  size_t next = stop ? (size_t)(stop - bytes) + 1 : end;
  if (!stop)
    stop = bytes + end;
  const unsigned char *at = bytes + start;
  const unsigned char *mark =
      text->count > 1
          ? find_line_mark(text->input, start, (size_t)(stop - bytes))
          : NULL;
  *line =
      (struct candidate_line){.start = (uint16_t)start, .end = (uint16_t)next};
  line->mark = mark;
  if (mark)
    at = mark + 1;
  line->begin = (uint16_t)(at - bytes);
  at = skip_decoration(at, stop);
  line->at = (uint16_t)(at - bytes);
  while (at != stop && base64_value(*at) < 64)
    at++;
  line->run = (uint16_t)(at - bytes - line->at);
  at = skip_decoration(at, stop);
  /* Blanks can only pad a line up to its LF, not the last line up to the }. */
  line->full = (next != end ? scan_skip_padding(at, stop) : at) == stop;
  return next;
}

static bool parse_candidate_lines(struct text_candidate *text) {
  const struct candidate_input *input = text->input;
  size_t end = input->size - input->ended;
  size_t at = input->brace + 1;
  size_t marked = 0;
  text->newline = memchr(input->bytes, '\n', input->size) ? '\n' : '\r';
  text->count = 0;
  do {
    if (text->count == TEXT_LINES)
      return false;
    at = parse_candidate_line(text, at, end);
    if (text->lines[text->count - 1].mark)
      marked = text->count - 1;
  } while (at != end ||
           (input->ended && input->bytes[end - 1] == text->newline &&
            text->lines[text->count - 1].start != end));
  /* Without an end mark, bytes after the last line count as text. */
  if (!input->ended)
    text->count = marked + 1;
  return true;
}

/* Counts repeated sequences of bytes, which show where lines may have been
 * spliced in. */
static void add_line_sequences(const struct text_candidate *text) {
  const struct candidate_input *input = text->input;
  repeats_clear(&text->search->repeats);
  for (size_t i = 0; i < text->count; i++)
    repeats_add_sequences(&text->search->repeats, input->bytes, input->size,
                          text->lines[i].at,
                          text->lines[i].at + text->lines[i].run + 1u);
}

static size_t find_next_mark(const struct text_candidate *text, size_t at) {
  while (at < text->count && !text->lines[at].mark)
    at++;
  return at;
}

/* Returns whether a zone that begins at this mark would have readings. */
static bool can_begin_zone(struct text_candidate *text, size_t first) {
  if (!scan_text_add_zone(text, first, find_next_mark(text, first + 1)))
    return false;
  search_drop_zone(text->search);
  return true;
}

/* Adds the zone that begins with a line. If the zone lacks readings, the next
 * marks may have been spliced in, unless they begin a zone of their own. The
 * zone then continues after them. Returns the first line of the next zone, or
 * `first` if no zone has readings. */
static size_t add_zone_at_line(struct text_candidate *text, size_t first) {
  size_t ends[MARKS_IN_TEXT];
  size_t passed = 0;
  for (size_t end = first; end != text->count;) {
    end = find_next_mark(text, end + 1);
    if (scan_text_add_zone(text, first, end))
      return end;
    if (end == text->count || passed == MARKS_IN_TEXT ||
        can_begin_zone(text, end))
      break;
    text->lines[end].foreign = true;
    ends[passed++] = end;
  }
  while (passed)
    text->lines[ends[--passed]].foreign = false;
  return first;
}

/* Divides the candidate into zones. A mark that does not begin a zone is text
 * in the zone before it. The last zone must have readings, because it contains
 * the end of the frame. */
static bool divide_into_zones(struct text_candidate *text) {
  size_t at = 0;
  while (at != text->count) {
    size_t next = add_zone_at_line(text, at);
    if (next == at) {
      next = find_next_mark(text, at + 1);
      if (at == 0 || next == text->count)
        return false;
      text->lines[at].foreign = true;
    }
    at = next;
  }
  text->zone_lines[text->search->zone_count] = (uint16_t)text->count;
  return true;
}

bool scan_text_find_frame(struct text_candidate *text,
                          struct frame_searcher *search,
                          const struct candidate_input *input) {
  text->input = input;
  text->search = search;
  search_reset(search, input->bytes, input->size, decode_base64);
  if (!parse_candidate_lines(text))
    return false;
  add_line_sequences(text);
  return divide_into_zones(text) && search_find_frame(search);
}

size_t scan_text_frame_end(const struct text_candidate *text) {
  return text->input->ended ? text->input->size
                            : text->lines[text->count - 1].end;
}

/* Returns whether the bytes between ~ and { are only the line break of a
 * terminal. */
static bool is_mark_only_wrapped(const struct candidate_input *input) {
  const unsigned char *brace = input->bytes + input->brace;
  const unsigned char *at = skip_decoration(input->bytes + 1, brace);
  return at == brace || at + 1 == brace;
}

bool scan_text_is_mended(const struct text_candidate *text) {
  return !text->input->ended || !is_mark_only_wrapped(text->input) ||
         search_is_mended(text->search);
}

bool scan_text_find_last_prefix(const struct text_candidate *text,
                                struct log_prefix_shape *prefix) {
  const struct candidate_input *input = text->input;
  size_t first = text->zone_lines[text->search->zone_count - 1];
  const struct candidate_line *line = &text->lines[first];
  if (first == 0)
    return false;
  scan_make_prefix_shape(prefix, input->bytes + line->start,
                         input->bytes + line->begin - 1);
  return true;
}

/* Returns how many characters of a line the reading keeps. *kept is the index
 * of the next span; the function advances it. */
static size_t consume_kept_characters(const struct candidate_line *line,
                                      const struct zone_reading *reading,
                                      size_t *kept) {
  if (*kept == reading->spans || reading->kept[*kept].at != line->at)
    return 0;
  return reading->kept[(*kept)++].size;
}

/* Returns where the foreign text in a line begins, or the end of the line if
 * all of it belongs to the frame. Advances *kept: call this once for each line,
 * in order. */
static size_t skip_to_foreign_text(const struct text_candidate *text,
                                   size_t zone, size_t i, size_t *kept) {
  const struct zone_reading *reading =
      search_get_chosen_reading(text->search, zone);
  const struct candidate_line *line = &text->lines[i];
  if (i > reading->last)
    return line->start;
  size_t size = consume_kept_characters(line, reading, kept);
  if (i == reading->last)
    return line->end;
  if (size == 0)
    return i == text->zone_lines[zone] ? line->begin : line->start;
  /* If the frame continues in the next line, the line break of a complete line
   * belongs to the frame or the terminal. Otherwise the foreign text begins
   * with the line break. */
  bool whole = size == line->run && line->full;
  bool goes_on = i + 1 == reading->last ||
                 (*kept != reading->spans &&
                  reading->kept[*kept].at == text->lines[i + 1].at);
  return whole && goes_on ? line->end : (size_t)line->at + size;
}

void scan_text_pass_foreign_bytes(const struct text_candidate *text,
                                  foreign_bytes_handler *give, void *context) {
  const unsigned char *bytes = text->input->bytes;
  if (!is_mark_only_wrapped(text->input))
    give(context, bytes + 1, text->input->brace - 1);
  for (size_t zone = 0; zone < text->search->zone_count; zone++) {
    size_t kept = 0;
    for (size_t i = text->zone_lines[zone]; i < text->zone_lines[zone + 1];
         i++) {
      size_t begin = skip_to_foreign_text(text, zone, i, &kept);
      size_t end = text->lines[i].end;
      if (begin != end)
        give(context, bytes + begin, end - begin);
    }
  }
}
