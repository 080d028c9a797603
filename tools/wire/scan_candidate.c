/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Candidates from their mark to their end: has them judged by scan_text.c or
 * scan_candidate.c, and gives out the frame with the text in front of it and in
 * it, or goes back to behind the mark.
 */
#include "scan_inside.h"
#include "scan_search.h"
#include "wire.h"

/* Whether the search finds a frame in what is between the marks. */
bool binary_try(struct search *search, const unsigned char *bytes, size_t size);

/* About the frame found: what is not the frame's, in order. */
typedef void binary_give(void *context, const unsigned char *bytes,
                         size_t size);
void binary_foreign(const struct search *search, size_t size, binary_give *give,
                    void *context);

/* The shortest frame with its encoding. */
enum { LEAST_TEXT = 14, LEAST_BINARY = 10 };

static void give(void *context, const unsigned char *bytes, size_t size) {
  struct scan *scan = context;
  scan->adjacent = false;
  scan->events->text(scan->events->context, bytes, size);
}

void scan_give_until(struct scan *scan, size_t end) {
  size_t begin = scan->given;
  if (end <= begin)
    return;
  scan->given = end;
  give(scan, scan->bytes + begin, end - begin);
}

/* Gives the text out, but for what may be the beginning of a mark. */
void scan_release(struct scan *scan, size_t end) {
  scan_give_until(scan, scan->tilde.at < end ? scan->tilde.at : end);
}

static void begin(struct scan *scan, enum scan_mode mode, size_t open) {
  scan->mode = mode;
  scan->open = open;
  scan->ends = 0;
  scan->search.tries = SEARCH_TRIES;
}

void scan_begin_binary(struct scan *scan, size_t mark) {
  begin(scan, IN_BINARY, mark);
}

void scan_begin_text(struct scan *scan, size_t brace) {
  struct text_input *input = &scan->input;
  begin(scan, IN_TEXT, scan->tilde.at);
  scan->line = scan->tilde.line;
  scan->line_cut = scan->tilde.line_cut;
  input->brace = brace - scan->open;
  input->known = &scan->shape;
  input->prefix.size = 0;
  if (!scan->line_cut)
    shape_of(&input->prefix, scan->bytes + scan->line,
             scan->bytes + scan->open);
}

/* The candidate is none, but behind its mark there may be others. */
void scan_refuse(struct scan *scan) {
  bool whole_mark = scan->mode == IN_TEXT && scan->input.brace == 1;
  scan->damaged += scan->ends != 0;
  scan->mode = CONSOLE;
  scan->unbroken = scan->at;
  scan->at = scan->open + (whole_mark ? 2 : 1);
  scan->tilde.at = SCAN_NOWHERE;
}

/* What is in front of a TEXT frame: text, or a log prefix. */
static void give_front(struct scan *scan) {
  const struct shape *prefix = &scan->input.prefix;
  bool same = prefix->size && shape_equal(prefix, &scan->shape);
  bool held = scan->given <= scan->line;
  scan_give_until(scan, scan->line);
  scan->prefix_dropped = same && held && (scan->is_prefix || scan->adjacent);
  if (scan->prefix_dropped)
    scan->given = scan->open;
  scan_give_until(scan, scan->open);
  if (prefix->size && !same) {
    scan->shape = *prefix;
    scan->is_prefix = false;
  }
}

static void give_frame(struct scan *scan, size_t end, bool mended) {
  scan->given = scan->line = scan->at = end;
  scan->line_cut = false;
  scan->tilde.at = SCAN_NOWHERE;
  scan->adjacent = true;
  scan->mode = CONSOLE;
  scan->events->frame(scan->events->context, scan->search.frame,
                      scan->search.size, mended);
}

/* Whether the candidate is a frame if it ends here. */
bool scan_try_text(struct scan *scan, size_t end, bool ended) {
  struct text_input *input = &scan->input;
  struct shape further;
  if (end - scan->open < LEAST_TEXT - 1)
    return false;
  scan->ends += ended;
  input->bytes = scan->bytes + scan->open;
  input->size = end - scan->open;
  input->ended = ended;
  if (!text_try(&scan->text, &scan->search, input))
    return false;
  give_front(scan);
  if (text_further_prefix(&scan->text, &further) && further.size) {
    scan->shape = further;
    scan->is_prefix = true;
  }
  text_foreign(&scan->text, give, scan);
  give_frame(scan, scan->open + text_end(&scan->text),
             text_mended(&scan->text));
  if (ended)
    scan->mode = IN_TAIL;
  return true;
}

bool scan_try_binary(struct scan *scan, size_t end, bool ended) {
  const unsigned char *bytes = scan->bytes + scan->open + 1;
  size_t size = end - scan->open - 1;
  if (size < LEAST_BINARY - 2)
    return false;
  scan->ends += ended;
  if (!binary_try(&scan->search, bytes, size))
    return false;
  scan_give_until(scan, scan->open);
  binary_foreign(&scan->search, size, give, scan);
  give_frame(scan, end + ended, !ended || search_mended(&scan->search));
  return true;
}

/* No end mark will come. It may be all that is missing. */
void scan_break_off(struct scan *scan, size_t end) {
  scan->search.tries = 1;
  if (scan->mode == IN_TEXT ? !scan_try_text(scan, end, false)
                            : !scan_try_binary(scan, end, false))
    scan_refuse(scan);
}

/* The end of a TEXT frame's line. Colours go the way of those in front. */
void scan_give_tail(struct scan *scan, size_t end) {
  const unsigned char *stop = scan->bytes + end;
  for (size_t at = scan->line; at != end && !scan->prefix_dropped;) {
    size_t colour = ansi_size(scan->bytes + at, stop);
    if (colour)
      give(scan, scan->bytes + at, colour);
    at += colour ? colour : 1;
  }
  scan->adjacent = true;
  scan->given = scan->line = scan->at;
  scan->mode = CONSOLE;
}

/* ==== The zones of a BINARY candidate: runs of text with a LF, in which lines
 * may have been spliced in, and what is between them, which is the frame's. The
 * encoding is described in docs/wire-format.md. */

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

void binary_foreign(const struct search *search, size_t size, binary_give *to,
                    void *context) {
  size_t done = 0;
  for (size_t zone = 0; zone < search->zone_count; zone++) {
    const struct option *option = search_chosen(search, zone);
    for (size_t i = 0; i < option->spans; i++) {
      size_t at = option->kept[i].at;
      if (at != done)
        to(context, search->bytes + done, at - done);
      done = at + option->kept[i].size;
    }
  }
  if (done != size)
    to(context, search->bytes + done, size - done);
}
