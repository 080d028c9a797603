/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Candidates from their mark to their end: has them judged by scan_text.c or
 * scan_binary.c, and gives out the frame with the text in front of it and in
 * it, or goes back to behind the mark.
 */
#include "wire.h"
#include "scan_binary.h"
#include "scan_inside.h"

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
