/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps of a log to starts.
 */
#include "starts.h"

#include <string.h>

#include "../link/collect.h"
#include "../link/scan.h"
#include "../link/utf16.h"

/* Starts that may go on at one time: cores and images. */
enum { STARTS_MOST = 16 };

struct start {
  struct snapshot last; /* its counts alone */
  size_t dumps;
};

struct starts {
  const struct starts_events *events;
  struct collector *collector;
  struct start list[STARTS_MOST]; /* by the time of their last dump */
  size_t count;
  bool no_memory;
};

static const char no_memory[] = "out of memory; give it less at once";

static void end_start(struct starts *starts, size_t which) {
  struct start *start = &starts->list[which];
  starts->events->start(starts->events->context, &start->last, start->dumps);
  snapshot_free(&start->last);
  starts->count--;
  memmove(start, start + 1, (starts->count - which) * sizeof *start);
}

/* What a dump counts, without what the ELF has as well. */
static bool keep(struct snapshot *kept, const struct snapshot *dump) {
  struct header header = dump->header;
  header.lean = true;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out |=
        i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP;
  if (!snapshot_new(kept, &header))
    return false;
  if (snapshot_fill(kept, dump))
    return true;
  snapshot_free(kept);
  return false;
}

/* Whether a bit is set in earlier that is not in later. */
static bool bits_lost(const struct snapshot *later,
                      const struct snapshot *earlier) {
  const unsigned char *now = later->parts[BAREPROF_PIECE_BITMAP].bytes;
  const unsigned char *then = earlier->parts[BAREPROF_PIECE_BITMAP].bytes;
  uint64_t size = later->header.pieces[BAREPROF_PIECE_BITMAP].size;
  if (now && then)
    for (uint64_t i = 0; i < size; i++)
      if (then[i] & ~now[i])
        return true;
  return false;
}

static size_t find(const struct starts *starts, const struct header *header) {
  size_t i = 0;
  while (i < starts->count &&
         !header_same(&starts->list[i].last.header, header))
    i++;
  return i;
}

/* ---- events of the collector ---- */

static void add_whole(struct starts *starts, const struct snapshot *dump) {
  struct start start = {.dumps = 1};
  size_t i = find(starts, &dump->header);
  if (!keep(&start.last, dump)) {
    starts->no_memory = true;
    return;
  }
  if (i < starts->count && snapshot_follows(dump, &starts->list[i].last) &&
      !bits_lost(dump, &starts->list[i].last)) {
    start.dumps += starts->list[i].dumps;
    snapshot_free(&starts->list[i].last);
    starts->count--;
    memmove(&starts->list[i], &starts->list[i + 1],
            (starts->count - i) * sizeof *starts->list);
  } else if (i < starts->count) {
    end_start(starts, i);
  } else if (starts->count == STARTS_MOST) {
    end_start(starts, 0);
  }
  starts->list[starts->count++] = start;
}

static void on_whole(void *context, struct snapshot *dump) {
  struct starts *starts = context;
  if (starts->events->wanted(starts->events->context, dump))
    add_whole(starts, dump);
}

static void on_partial(void *context, struct snapshot *dump) {
  struct starts *starts = context;
  const struct starts_events *events = starts->events;
  if (!events->wanted(events->context, dump))
    return;
  if (snapshot_whole(dump)) {
    add_whole(starts, dump);
    return;
  }
  size_t i = find(starts, &dump->header);
  events->gaps(events->context, dump,
               i < starts->count &&
                   snapshot_follows(dump, &starts->list[i].last));
}

static void on_passed(void *context, struct snapshot *dump) {
  (void)context;
  (void)dump;
}

static void on_lost(void *context, const char *what) {
  struct starts *starts = context;
  starts->events->lost(starts->events->context, what);
}

/* ---- events of the scanner ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  (void)context;
  (void)bytes;
  (void)size;
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct starts *starts = context;
  struct frame frame;
  struct answer answer;
  const char *error = frame_read(&frame, (struct bytes){bytes, size});
  if (!error && frame.type == BAREPROF_FRAME_REFUSED &&
      !answer_read(&answer, &frame))
    starts->events->refused(starts->events->context, &answer);
  else if (error || (frame.type != BAREPROF_FRAME_REQUEST &&
                     frame.type != BAREPROF_FRAME_ANSWER))
    collect_frame(starts->collector, (struct bytes){bytes, size}, mended);
}

static void to_scan(void *context, const unsigned char *bytes, size_t size) {
  scan_feed(context, bytes, size);
}

const char *starts_read(struct bytes log, const struct starts_events *events) {
  struct starts starts = {.events = events};
  const struct collect_events collected = {&starts, on_whole, on_partial,
                                           on_passed, on_lost};
  const struct scan_events scanned = {&starts, on_text, on_frame};
  starts.collector = collect_new(&collected);
  struct scan *scan = starts.collector ? scan_new(&scanned) : NULL;
  if (scan) {
    struct utf16 utf16 = {0};
    utf16_feed(&utf16, log.data, log.size, to_scan, scan);
    utf16_end(&utf16, to_scan, scan);
    scan_end(scan);
  }
  if (starts.collector)
    collect_end(starts.collector);
  while (starts.count)
    end_start(&starts, 0);
  return !scan || starts.no_memory ? no_memory : NULL;
}
