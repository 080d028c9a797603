/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scanner: goes through the bytes one by one, so that it does not matter
 * how they come, and cuts candidates out of them, which scan_text.c and
 * scan_candidate.c judge. A candidate that is none is gone through again, from
 * behind its mark on. It has no mark of its own kind inside, or it would have
 * ended there: so each byte is gone through a few times at most.
 */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "wire.h"
#include "scan_inside.h"

enum {
  BROKEN_MARK = 128, /* bytes from ~ to { at most */
  TAIL_MAX = 64,
  ENDS_MAX = 16, /* end marks tried of a TEXT candidate */
  IDLE_MAX = 10  /* calls of scan_idle */
};

/* Each of the following takes the byte before scan->at. */

static void in_text(struct scan *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (byte == BAREPROF_TEXT_END && scan_try_text(scan, scan->at, true))
    return;
  if (byte == BAREPROF_TEXT_BEGIN &&
      scan->bytes[here - 1] == BAREPROF_TEXT_MARK)
    scan_break_off(scan, here - 1);
  else if (byte == BAREPROF_BINARY_BEGIN)
    scan_break_off(scan, here);
  else if (scan->at - scan->open == CANDIDATE_MAX || scan->ends == ENDS_MAX)
    scan_break_off(scan, scan->at);
}

static void in_binary(struct scan *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (byte == BAREPROF_BINARY_END) {
    if (!scan_try_binary(scan, here, true))
      scan_refuse(scan);
  } else if (byte == BAREPROF_BINARY_BEGIN) {
    scan_break_off(scan, here);
  } else if (scan->at - scan->open == CANDIDATE_MAX) {
    scan_break_off(scan, scan->at);
  }
}

static void in_tail(struct scan *scan) {
  const unsigned char *begin = scan->bytes + scan->line;
  const unsigned char *end = scan->bytes + scan->at;
  const unsigned char *at = skip_decoration(begin, end);
  if (at != end && *at == '\n') {
    scan_give_tail(scan, scan->at - 1);
  } else if ((at != end && !ansi_begun(at, end)) || end - begin == TAIL_MAX) {
    scan->mode = CONSOLE;
    scan->at = scan->line;
  }
}

/* A { makes a mark of a ~ just before it; also at the beginning of a line, if
 * what comes between was spliced in. */
static bool is_mark(const struct scan *scan, size_t here) {
  return scan->bytes[here] == BAREPROF_TEXT_BEGIN &&
         scan->tilde.at != SCAN_NOWHERE &&
         (scan->tilde.at + 1 == here ||
          (scan->bytes[here - 1] == '\n' && here >= scan->unbroken));
}

/* A line begins, or is too long for a prefix. */
static void cut_line(struct scan *scan, size_t place, bool too_long) {
  scan->line = place;
  scan->line_cut = too_long;
  scan_release(scan, place);
}

static void in_console(struct scan *scan) {
  size_t here = scan->at - 1;
  unsigned char byte = scan->bytes[here];
  if (here - scan->line > SHAPE_MAX)
    cut_line(scan, here, true);
  if (is_mark(scan, here)) {
    scan_begin_text(scan, here);
    return;
  }
  if (byte == BAREPROF_BINARY_BEGIN) {
    scan_begin_binary(scan, here);
    return;
  }
  if (scan->tilde.at != SCAN_NOWHERE && here - scan->tilde.at == BROKEN_MARK) {
    scan->tilde.at = SCAN_NOWHERE;
    scan_give_until(scan, scan->line);
  }
  if (byte == BAREPROF_TEXT_MARK) {
    scan->tilde.at = here;
    scan->tilde.line = scan->line;
    scan->tilde.line_cut = scan->line_cut;
  }
  if (byte == '\n')
    cut_line(scan, scan->at, false);
}

static void run(struct scan *scan) {
  while (scan->at != scan->size) {
    scan->at++;
    switch (scan->mode) {
    case CONSOLE:
      in_console(scan);
      break;
    case IN_TEXT:
      in_text(scan);
      break;
    case IN_BINARY:
      in_binary(scan);
      break;
    case IN_TAIL:
      in_tail(scan);
    }
  }
}

/* As if nothing came any more. */
static void settle(struct scan *scan) {
  while (scan->mode != CONSOLE) {
    if (scan->mode == IN_TAIL) {
      scan->mode = CONSOLE;
      scan->at = scan->line;
    } else {
      scan_break_off(scan, scan->at);
    }
    run(scan);
  }
  scan->tilde.at = SCAN_NOWHERE;
  scan_release(scan, scan->at);
}

static void shift(size_t *place, size_t by) {
  if (*place != SCAN_NOWHERE)
    *place -= *place < by ? *place : by;
}

/* Forgets what is done with. What is kept is far less than the window. */
static void forget(struct scan *scan) {
  size_t *const places[] = {&scan->given,    &scan->line,       &scan->at,
                            &scan->tilde.at, &scan->tilde.line, &scan->open,
                            &scan->unbroken, &scan->size};
  size_t done = scan->given < scan->line ? scan->given : scan->line;
  if (scan->tilde.at != SCAN_NOWHERE && scan->tilde.line < done)
    done = scan->tilde.line;
  memmove(scan->bytes, scan->bytes + done, scan->size - done);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    shift(places[i], done);
}

struct scan *scan_new(const struct scan_events *events) {
  struct scan *scan = calloc(1, sizeof *scan);
  if (scan) {
    scan->events = events;
    scan->tilde.at = SCAN_NOWHERE;
  }
  return scan;
}

void scan_feed(struct scan *scan, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (scan->size == SCAN_WINDOW)
      forget(scan);
    scan->bytes[scan->size++] = bytes[i];
    run(scan);
  }
  if (size)
    scan->idle = 0;
  if (scan->mode == CONSOLE && scan->shape.size == 0)
    scan_release(scan, scan->at);
}

void scan_idle(struct scan *scan) {
  if (scan->idle < IDLE_MAX && ++scan->idle == IDLE_MAX) {
    settle(scan);
  } else if (scan->mode == CONSOLE) {
    if (scan->tilde.at != SCAN_NOWHERE && scan->tilde.at + 1 != scan->at)
      scan->tilde.at = SCAN_NOWHERE;
    scan_release(scan, scan->at);
  }
}

void scan_end(struct scan *scan) {
  settle(scan);
  free(scan);
}

size_t scan_damaged(const struct scan *scan) {
  bool open = scan->mode == IN_TEXT || scan->mode == IN_BINARY;
  return scan->damaged + (open && scan->ends);
}
