/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds frames in the received bytes. A candidate is the bytes from a begin
 * mark to an end mark; scan_text.c and scan_search.c decide whether it contains
 * a frame. If the candidate contains no frame, its bytes are scanned again,
 * starting after the begin mark. Another begin mark of the same kind ends a
 * candidate, so each byte is scanned only a few times. Bytes are scanned one by
 * one only where a mark may begin.
 */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "scan_search.h"
#include "wire.h"

enum { SCAN_WINDOW = 2 * CANDIDATE_MAX };

#define SCAN_NOWHERE SIZE_MAX

/* IN_TAIL: between the } of a TEXT frame and its LF. */
enum scan_mode { CONSOLE, IN_TEXT, IN_BINARY, IN_TAIL };

/* The state of the scanner. Members of type size_t are offsets in bytes. */
struct frame_scanner {
  const struct scan_events *events;
  size_t damaged;
  unsigned idle; /* the number of calls of scan_note_idle in a row */
  enum scan_mode mode;

  size_t released; /* the end of the bytes that have been released as text */
  size_t passed;   /* the end of the released text that has been passed on */
  size_t line;     /* the start of the line, or the place where the line was cut
                   because a prefix would be too long */
  bool line_cut;
  size_t at; /* the end of the bytes that have been scanned */
  size_t size;

  struct {
    size_t at, line;
    bool line_cut;
  } tilde;         /* the last ~ if it is near, and the line of the ~ */
  size_t unbroken; /* a ~ and a { before this offset are a mark only if they are
                      adjacent */

  size_t open;   /* the offset of the candidate's mark */
  unsigned ends; /* the number of end marks that were tried */
  struct candidate_input input;

  struct log_prefix_shape shape; /* the prefix of the last frame that had a
                                    prefix */
  bool is_prefix;      /* `shape` is certainly a prefix, not just text before a
                          frame */
  bool adjacent;       /* no text has come since the last frame */
  bool prefix_dropped; /* the last frame's prefix was dropped */

  bool stops[256]; /* for each byte, whether the scanner stops there outside
                      candidates */
  struct frame_searcher search;
  struct text_candidate text;
  unsigned char bytes[SCAN_WINDOW];
};

/* The sizes of the shortest frame in each encoding. */
enum { LEAST_TEXT = 14, LEAST_BINARY = 10 };

/* Passes on the released text. Text is collected before it is passed on,
 * because each call has a cost. */
static void pass_on_released_text(struct frame_scanner *scan) {
  size_t begin = scan->passed;
  scan->passed = scan->released;
  if (begin != scan->released)
    scan->events->text(scan->events->context, scan->bytes + begin,
                       scan->released - begin);
}

/* Drops the bytes before `end` that have not been released as text. */
static void pass_on_text_and_drop_rest(struct frame_scanner *scan, size_t end) {
  pass_on_released_text(scan);
  scan->released = scan->passed = end;
}

static void pass_on_foreign_text(void *context, const unsigned char *bytes,
                                 size_t size) {
  struct frame_scanner *scan = context;
  pass_on_released_text(scan);
  scan->adjacent = false;
  scan->events->text(scan->events->context, bytes, size);
}

/* Releases the bytes before `end` as text. */
static void release_text_until(struct frame_scanner *scan, size_t end) {
  if (end <= scan->released)
    return;
  scan->released = end;
  scan->adjacent = false;
}

/* Releases text before `end`, except bytes that may begin a mark. */
static void release_unmarked_text(struct frame_scanner *scan, size_t end) {
  release_text_until(scan, scan->tilde.at < end ? scan->tilde.at : end);
}

static void begin_candidate(struct frame_scanner *scan, enum scan_mode mode,
                            size_t open) {
  scan->mode = mode;
  scan->open = open;
  scan->ends = 0;
  scan->search.tries = SEARCH_TRIES;
}

static void begin_binary_candidate(struct frame_scanner *scan, size_t mark) {
  begin_candidate(scan, IN_BINARY, mark);
}

static void begin_text_candidate(struct frame_scanner *scan, size_t brace) {
  struct candidate_input *input = &scan->input;
  begin_candidate(scan, IN_TEXT, scan->tilde.at);
  scan->line = scan->tilde.line;
  scan->line_cut = scan->tilde.line_cut;
  input->brace = brace - scan->open;
  input->known = &scan->shape;
  input->prefix.size = 0;
  if (!scan->line_cut)
    scan_make_prefix_shape(&input->prefix, scan->bytes + scan->line,
                           scan->bytes + scan->open);
}

/* Ends a candidate that contains no frame. Other candidates may begin after its
 * begin mark. */
static void refuse_candidate(struct frame_scanner *scan) {
  bool whole_mark = scan->mode == IN_TEXT && scan->input.brace == 1;
  scan->damaged += scan->ends != 0;
  scan->mode = CONSOLE;
  scan->unbroken = scan->at;
  scan->at = scan->open + (whole_mark ? 2 : 1);
  scan->tilde.at = SCAN_NOWHERE;
}

/* Handles the bytes before a TEXT frame, which are text or a log prefix. */
static void release_or_drop_prefix(struct frame_scanner *scan) {
  const struct log_prefix_shape *prefix = &scan->input.prefix;
  bool same = prefix->size && scan_prefix_shapes_equal(prefix, &scan->shape);
  bool held = scan->released <= scan->line;
  release_text_until(scan, scan->line);
  scan->prefix_dropped = same && held && (scan->is_prefix || scan->adjacent);
  if (scan->prefix_dropped)
    pass_on_text_and_drop_rest(scan, scan->open);
  release_text_until(scan, scan->open);
  if (prefix->size && !same) {
    scan->shape = *prefix;
    scan->is_prefix = false;
  }
}

static void deliver_frame(struct frame_scanner *scan, size_t end, bool mended) {
  pass_on_text_and_drop_rest(scan, end);
  scan->line = scan->at = end;
  scan->line_cut = false;
  scan->tilde.at = SCAN_NOWHERE;
  scan->adjacent = true;
  scan->mode = CONSOLE;
  scan->events->frame(scan->events->context, scan->search.frame,
                      scan->search.size, mended);
}

/* Tests whether the candidate is a frame if the candidate ends at `end`. */
static bool try_text_frame(struct frame_scanner *scan, size_t end, bool ended) {
  struct candidate_input *input = &scan->input;
  struct log_prefix_shape further;
  if (end - scan->open < LEAST_TEXT - 1)
    return false;
  scan->ends += ended;
  input->bytes = scan->bytes + scan->open;
  input->size = end - scan->open;
  input->ended = ended;
  if (!scan_text_find_frame(&scan->text, &scan->search, input))
    return false;
  release_or_drop_prefix(scan);
  if (scan_text_find_last_prefix(&scan->text, &further) && further.size) {
    scan->shape = further;
    scan->is_prefix = true;
  }
  scan_text_pass_foreign_bytes(&scan->text, pass_on_foreign_text, scan);
  deliver_frame(scan, scan->open + scan_text_frame_end(&scan->text),
                scan_text_is_mended(&scan->text));
  if (ended)
    scan->mode = IN_TAIL;
  return true;
}

static bool try_binary_frame(struct frame_scanner *scan, size_t end,
                             bool ended) {
  const unsigned char *bytes = scan->bytes + scan->open + 1;
  size_t size = end - scan->open - 1;
  if (size < LEAST_BINARY - 2)
    return false;
  scan->ends += ended;
  if (!scan_binary_find_frame(&scan->search, bytes, size))
    return false;
  release_text_until(scan, scan->open);
  scan_binary_pass_foreign_bytes(&scan->search, size, pass_on_foreign_text,
                                 scan);
  deliver_frame(scan, end + ended, !ended || search_is_mended(&scan->search));
  return true;
}

/* Ends a candidate that lacks its end mark. The bytes are a frame only if
 * nothing else is missing. */
static void end_candidate_without_mark(struct frame_scanner *scan, size_t end) {
  scan->search.tries = 1;
  if (scan->mode == IN_TEXT ? !try_text_frame(scan, end, false)
                            : !try_binary_frame(scan, end, false))
    refuse_candidate(scan);
}

/* Handles the rest of the line after a TEXT frame. Colours in the rest belong
 * to the frame if the colours before the frame do. */
static void drop_tail_keep_colours(struct frame_scanner *scan, size_t end) {
  const unsigned char *stop = scan->bytes + end;
  for (size_t at = scan->line; at != end && !scan->prefix_dropped;) {
    size_t colour = scan_ansi_size(scan->bytes + at, stop);
    if (colour)
      pass_on_foreign_text(scan, scan->bytes + at, colour);
    at += colour ? colour : 1;
  }
  scan->adjacent = true;
  pass_on_text_and_drop_rest(scan, scan->at);
  scan->line = scan->at;
  scan->mode = CONSOLE;
}

enum {
  BROKEN_MARK = 128, /* the largest distance from ~ to { */
  TAIL_MAX = 128,    /* the largest distance from } to LF */
  ENDS_MAX = 16,     /* the number of end marks to try for a TEXT candidate */
  IDLE_MAX = 10      /* the number of calls of scan_note_idle that act as the
                        end of input */
};

/* Each of the next functions handles the byte before scan->at. */

static void scan_text_byte(struct frame_scanner *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (byte == BAREPROF_TEXT_END && try_text_frame(scan, scan->at, true))
    return;
  if (byte == BAREPROF_TEXT_BEGIN &&
      scan->bytes[here - 1] == BAREPROF_TEXT_MARK)
    end_candidate_without_mark(scan, here - 1);
  else if (byte == BAREPROF_BINARY_BEGIN)
    end_candidate_without_mark(scan, here);
  else if (scan->at - scan->open == CANDIDATE_MAX || scan->ends == ENDS_MAX)
    end_candidate_without_mark(scan, scan->at);
}

static void scan_binary_byte(struct frame_scanner *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (byte == BAREPROF_BINARY_END) {
    if (!try_binary_frame(scan, here, true))
      refuse_candidate(scan);
  } else if (byte == BAREPROF_BINARY_BEGIN) {
    end_candidate_without_mark(scan, here);
  } else if (scan->at - scan->open == CANDIDATE_MAX) {
    end_candidate_without_mark(scan, scan->at);
  }
}

static void scan_tail_byte(struct frame_scanner *scan) {
  const unsigned char *begin = scan->bytes + scan->line;
  const unsigned char *end = scan->bytes + scan->at;
  const unsigned char *at = scan_skip_padding(begin, end);
  if (at != end && *at == '\n') {
    drop_tail_keep_colours(scan, scan->at - 1);
  } else if ((at != end && !scan_is_ansi_start(at, end)) ||
             end - begin == TAIL_MAX) {
    scan->mode = CONSOLE;
    scan->at = scan->line;
  }
}

/* Returns whether a { completes a mark. The ~ must be right before the {. If
 * the { is at the beginning of a line, bytes may have been spliced in between.
 */
static bool completes_mark(const struct frame_scanner *scan, size_t here) {
  return scan->bytes[here] == BAREPROF_TEXT_BEGIN &&
         scan->tilde.at != SCAN_NOWHERE &&
         (scan->tilde.at + 1 == here ||
          (scan->bytes[here - 1] == '\n' && here >= scan->unbroken));
}

/* Starts a new line, or cuts a line that is too long for a prefix. */
static void begin_or_cut_line(struct frame_scanner *scan, size_t place,
                              bool too_long) {
  scan->line = place;
  scan->line_cut = too_long;
  release_unmarked_text(scan, place);
}

static void scan_console_byte(struct frame_scanner *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (here - scan->line > SHAPE_MAX)
    begin_or_cut_line(scan, here, true);
  if (completes_mark(scan, here)) {
    begin_text_candidate(scan, here);
    return;
  }
  if (byte == BAREPROF_BINARY_BEGIN) {
    begin_binary_candidate(scan, here);
    return;
  }
  if (scan->tilde.at != SCAN_NOWHERE && here - scan->tilde.at == BROKEN_MARK) {
    scan->tilde.at = SCAN_NOWHERE;
    release_text_until(scan, scan->line);
  }
  if (byte == BAREPROF_TEXT_MARK) {
    scan->tilde.at = here;
    scan->tilde.line = scan->line;
    scan->tilde.line_cut = scan->line_cut;
  }
  if (byte == '\n')
    begin_or_cut_line(scan, scan->at, false);
}

/* Skips to the next byte that may be a mark of BINARY encoding, or to the
 * maximum size of a candidate. */
static void skip_to_binary_mark(struct frame_scanner *scan) {
  enum { MARKS = 0xFF ^ BAREPROF_BINARY_BEGIN ^ BAREPROF_BINARY_END };
  size_t at = scan->at, end = scan->open + CANDIDATE_MAX - 1;
  end = end < scan->size ? end : scan->size;
  while (end - at >= EIGHT &&
         !scan_has_equal_byte(scan->bytes + at, BAREPROF_BINARY_BEGIN & MARKS,
                              MARKS))
    at += EIGHT;
  while (at < end &&
         (scan->bytes[at] & MARKS) != (BAREPROF_BINARY_BEGIN & MARKS))
    at++;
  scan->at = at;
}

/* Skips to the next byte in a line with a ~ at which the scanner has to stop.
 */
static void skip_in_marked_line(struct frame_scanner *scan) {
  size_t at = scan->at, end = scan->tilde.at + BROKEN_MARK;
  size_t line = scan->line + SHAPE_MAX + 1;
  end = end < line ? end : line;
  end = end < scan->size ? end : scan->size;
  while (at < end && !scan->stops[scan->bytes[at]])
    at++;
  scan->at = at;
}

/* Returns whether no mark can begin with this ~, because of the bytes after it.
 * Compilers vectorise the loop. */
static bool has_no_mark_after(const struct frame_scanner *scan,
                              const unsigned char *tilde) {
  if (scan->bytes + scan->size - tilde <= BROKEN_MARK)
    return false;
  uint8_t any = tilde[1] == BAREPROF_TEXT_BEGIN;
  for (size_t i = 0; i < BROKEN_MARK; i++)
    any |= (tilde[i] == '\n') & (tilde[i + 1] == BAREPROF_TEXT_BEGIN);
  return !any;
}

/* Skips text up to the next byte that may be a mark. Calling scan_console_byte
 * for each byte would have the same result. */
static void skip_console_text(struct frame_scanner *scan) {
  enum { STEP = 1024 };
  const unsigned char *from = scan->bytes + scan->at, *mark;
  size_t size = scan->size - scan->at;
  size = size < STEP ? size : (size_t)STEP;
  mark = memchr(from, BAREPROF_BINARY_BEGIN, size);
  size = mark ? (size_t)(mark - from) : size;
  mark = memchr(from, BAREPROF_TEXT_MARK, size);
  while (mark && has_no_mark_after(scan, mark)) {
    mark++;
    mark = memchr(mark, BAREPROF_TEXT_MARK, size - (size_t)(mark - from));
  }
  size = mark ? (size_t)(mark - from) : size;
  size_t line = scan_last_line_end(from, size);
  if (line) {
    scan->line = scan->at + line;
    scan->line_cut = false;
  }
  scan->at += size;
  while (scan->at > scan->line && scan->at - 1 - scan->line > SHAPE_MAX) {
    scan->line += SHAPE_MAX + 1;
    scan->line_cut = true;
  }
  release_unmarked_text(scan, scan->line);
}

static void scan_bytes(struct frame_scanner *scan) {
  while (scan->at != scan->size) {
    if (scan->mode == CONSOLE && scan->tilde.at == SCAN_NOWHERE)
      skip_console_text(scan);
    else if (scan->mode == CONSOLE)
      skip_in_marked_line(scan);
    else if (scan->mode == IN_BINARY)
      skip_to_binary_mark(scan);
    if (scan->at == scan->size)
      return;
    scan->at++;
    switch (scan->mode) {
    case CONSOLE:
      scan_console_byte(scan);
      break;
    case IN_TEXT:
      scan_text_byte(scan);
      break;
    case IN_BINARY:
      scan_binary_byte(scan);
      break;
    case IN_TAIL:
      scan_tail_byte(scan);
    }
  }
}

/* Ends all candidates, because no more bytes will come. */
static void end_all_candidates(struct frame_scanner *scan) {
  while (scan->mode != CONSOLE) {
    if (scan->mode == IN_TAIL) {
      scan->mode = CONSOLE;
      scan->at = scan->line;
    } else {
      end_candidate_without_mark(scan, scan->at);
    }
    scan_bytes(scan);
  }
  scan->tilde.at = SCAN_NOWHERE;
  release_unmarked_text(scan, scan->at);
}

static void shift_offset(size_t *place, size_t by) {
  if (*place != SCAN_NOWHERE)
    *place -= *place < by ? *place : by;
}

/* Drops bytes from the window that the scanner does not need any more. The
 * window is much larger than the bytes that remain. */
static void shift_window(struct frame_scanner *scan) {
  size_t *const places[] = {&scan->released, &scan->passed,   &scan->line,
                            &scan->at,       &scan->tilde.at, &scan->tilde.line,
                            &scan->open,     &scan->unbroken, &scan->size};
  size_t done = scan->released < scan->line ? scan->released : scan->line;
  pass_on_released_text(scan);
  if (scan->tilde.at != SCAN_NOWHERE && scan->tilde.line < done)
    done = scan->tilde.line;
  memmove(scan->bytes, scan->bytes + done, scan->size - done);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    shift_offset(places[i], done);
}

struct frame_scanner *scan_new(const struct scan_events *events) {
  struct frame_scanner *scan = calloc(1, sizeof *scan);
  if (scan) {
    scan->events = events;
    scan->tilde.at = SCAN_NOWHERE;
    scan->stops['\n'] = scan->stops[BAREPROF_TEXT_MARK] =
        scan->stops[BAREPROF_TEXT_BEGIN] = scan->stops[BAREPROF_BINARY_BEGIN] =
            true;
    search_init_crc_tables(&scan->search);
  }
  return scan;
}

void scan_feed(struct frame_scanner *scan, const unsigned char *bytes,
               size_t size) {
  if (size)
    scan->idle = 0;
  while (size) {
    if (scan->size == SCAN_WINDOW)
      shift_window(scan);
    size_t room = SCAN_WINDOW - scan->size, part = size < room ? size : room;
    memcpy(scan->bytes + scan->size, bytes, part);
    scan->size += part;
    bytes += part;
    size -= part;
    scan_bytes(scan);
  }
  if (scan->mode == CONSOLE && scan->shape.size == 0)
    release_unmarked_text(scan, scan->at);
  pass_on_released_text(scan);
}

void scan_note_idle(struct frame_scanner *scan) {
  if (scan->idle < IDLE_MAX && ++scan->idle == IDLE_MAX) {
    end_all_candidates(scan);
  } else if (scan->mode == CONSOLE) {
    if (scan->tilde.at != SCAN_NOWHERE && scan->tilde.at + 1 != scan->at)
      scan->tilde.at = SCAN_NOWHERE;
    release_unmarked_text(scan, scan->at);
  }
  pass_on_released_text(scan);
}

void scan_end_and_free(struct frame_scanner *scan) {
  end_all_candidates(scan);
  pass_on_released_text(scan);
  free(scan);
}

void scan_add_seed(struct frame_scanner *scan, uint16_t dump, uint32_t seed) {
  struct crc_seeds *seeds = &scan->search.seeds;
  size_t at = seeds->next++ % SEEDS_MOST;
  seeds->list[at].dump = dump;
  seeds->list[at].seed = seed;
}

size_t scan_count_damaged_frames(const struct frame_scanner *scan) {
  bool open = scan->mode == IN_TEXT || scan->mode == IN_BINARY;
  return scan->damaged + (open && scan->ends);
}
