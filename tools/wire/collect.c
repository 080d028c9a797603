/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembles dumps. dumps.c keeps the frames of a dump until the dump is
 * complete or given up. The dump's snapshot then meets the other snapshots of
 * the same boot (a group), which may complete it.
 */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "frame.h"

/* Limits for open dumps, remembered boots, and dumps with gaps of one boot. */
enum { OPEN_MOST = 16, GROUPS_MOST = 16, PENDING_MOST = 4 };

/* This much text decides whether it ends with a fragment, whatever came before.
 */
enum { LATE = 1 << 18 };

/* The dumps of one boot of an image; or, without a boot number, all dumps of
 * the image. */
struct dump_group {
  struct header header;
  struct snapshot pending[PENDING_MOST]; /* snapshots with gaps, oldest first */
  size_t pending_count;
  struct echo echo; /* of the last complete dump */
};

struct collector {
  const struct collect_events *events;
  struct ordinals *ordinals;
  struct dump *open[OPEN_MOST]; /* by the time of their first frame */
  size_t open_count;
  struct dump_group groups[GROUPS_MOST];
  size_t group_count;
  size_t opened;          /* number of dumps begun so far */
  struct remains remains; /* fragments of frames in the text */
  bool remain;            /* A fragment may be the only trace of a dump. */
  struct buffer late;     /* Text waits here meanwhile, at least the last LATE
                             bytes. The text is searched only if the fragment
                             turns out to belong to a known dump. */
  size_t remain_from;     /* number of dumps begun before the fragment */
};

struct collector *collect_new(const struct collect_events *events) {
  struct collector *collector = calloc(1, sizeof *collector);
  if (!collector)
    return NULL;
  collector->events = events;
  collector->late.limit = 4 * LATE;
  collector->ordinals = ordinals_new(events);
  if (collector->ordinals)
    return collector;
  free(collector);
  return NULL;
}

static void report_lost(struct collector *collector, const char *what) {
  collector->events->lost(collector->events->context, what);
}

/* ---- fragments of damaged frames ---- */

static void put_off(struct collector *collector, const unsigned char *bytes,
                    size_t size) {
  struct buffer *late = &collector->late;
  for (size_t part; size; size -= part, bytes += part) {
    part = size < LATE ? size : LATE;
    if (late->size + part > late->capacity) {
      memmove(late->data, late->data + late->size - LATE, LATE);
      late->size = LATE;
      collector->remains = (struct remains){.run = {.length = 0}};
    }
    buffer_add(late, bytes, part);
  }
}

void collect_text(struct collector *collector, const unsigned char *bytes,
                  size_t size) {
  if (collector->remain && collector->late.capacity) {
    put_off(collector, bytes, size);
    return;
  }
  if (!remains_feed(&collector->remains, bytes, size))
    return;
  if (!collector->remain) {
    collector->remain_from = collector->opened;
    /* Without memory, text is not kept. */
    buffer_room(&collector->late, 2 * LATE);
  }
  collector->remain = true;
}

static void forget_remains(struct collector *collector) {
  struct buffer *late = &collector->late;
  if (late->size)
    remains_feed(&collector->remains, late->data, late->size);
  late->size = 0;
  collector->remain = false;
}

static void report_remains(struct collector *collector) {
  if (collector->remain)
    report_lost(collector,
                "only damaged lines of a dump arrived; send the dump again");
  forget_remains(collector);
}

/* Handles a frame for an open dump. If the dump lacks frames right before it,
 * fragments seen there belong to the missing frames, and the dump's gaps will
 * report the loss. */
static void note_next_frame(struct collector *collector, struct dump *dump,
                            const struct frame *frame) {
  uint8_t step = (uint8_t)(frame->sequence - (uint8_t)dump->last);
  dump->overtaken = false;
  if (dump->order < collector->remain_from && step > 1 && step < 128)
    forget_remains(collector);
}

/* ---- groups ---- */

/* Removes a waiting snapshot from its group. The caller frees it. */
static struct snapshot remove_pending(struct dump_group *group, size_t which) {
  struct snapshot snapshot = group->pending[which];
  group->pending_count--;
  memmove(&group->pending[which], &group->pending[which + 1],
          (group->pending_count - which) * sizeof snapshot);
  return snapshot;
}

static void give_up(struct collector *collector, struct dump_group *group) {
  while (group->pending_count) {
    struct snapshot snapshot = remove_pending(group, 0);
    collector->events->partial(collector->events->context, &snapshot);
    snapshot_free(&snapshot);
  }
}

static struct dump_group *find_group(struct collector *collector,
                                     const struct header *header) {
  for (size_t i = 0; i < collector->group_count; i++)
    if (header_same(&collector->groups[i].header, header))
      return &collector->groups[i];
  return NULL;
}

/* Returns the group of a header. A new group replaces the oldest one if there
 * are too many. */
static struct dump_group *make_group(struct collector *collector,
                                     const struct header *header) {
  struct dump_group *group = find_group(collector, header);
  if (group)
    return group;
  if (collector->group_count == GROUPS_MOST) {
    give_up(collector, &collector->groups[0]);
    free(collector->groups[0].echo.checks);
    collector->group_count--;
    memmove(&collector->groups[0], &collector->groups[1],
            collector->group_count * sizeof *collector->groups);
  }
  group = &collector->groups[collector->group_count++];
  memset(group, 0, sizeof *group);
  group->header = *header;
  return group;
}

/* Waiting snapshots need not be filled if a later snapshot is complete and
 * contains all their counts. Without a boot number, no snapshot waits. */
static void deliver_whole(struct collector *collector, struct dump_group *group,
                          struct snapshot *snapshot) {
  const struct collect_events *events = collector->events;
  while (group->pending_count) {
    struct snapshot pending = remove_pending(group, 0);
    bool same = snapshot->header.seed && snapshot_same(snapshot, &pending);
    if (same || (snapshot->header.boot && snapshot->opened > pending.opened &&
                 snapshot_follows(snapshot, &pending)))
      events->passed(events->context, &pending);
    else
      events->partial(events->context, &pending);
    snapshot_free(&pending);
  }
  snapshot->header.part = false;
  events->whole(events->context, snapshot);
  snapshot_free(snapshot);
}

/* Completes a snapshot from an earlier one of the same boot. All pieces are
 * used if both show the same moment, or if the later one answers a request for
 * the gaps of the earlier one. Otherwise only names and records are used,
 * because counts may have changed since. Without a boot number, only a 32-bit
 * hash shows that the moments are equal. Returns false if memory runs out. */
static bool complete_snapshot(struct snapshot *later,
                              const struct snapshot *earlier, bool *used) {
  bool numbered = later->header.boot;
  *used = later->header.part ? numbered && snapshot_may_follow(later, earlier)
                             : (numbered || later->header.seed) &&
                                   snapshot_same(later, earlier);
  if (!*used && !numbered)
    return true;
  if (!*used)
    return snapshot_fill_constants(later, earlier);
  later->several |= earlier->several || later->header.part;
  later->header.part &= earlier->header.part;
  return snapshot_fill(later, earlier);
}

static bool complete_all(struct dump_group *group, struct snapshot *snapshot) {
  for (size_t i = group->pending_count; i--;) {
    bool used;
    if (!complete_snapshot(snapshot, &group->pending[i], &used))
      return false;
    if (used) {
      struct snapshot earlier = remove_pending(group, i);
      snapshot_free(&earlier);
    }
  }
  return true;
}

/* Passes a snapshot to its group, and takes ownership of the snapshot. */
static void offer_snapshot(struct collector *collector,
                           struct dump_group *group,
                           struct snapshot *snapshot) {
  const struct collect_events *events = collector->events;
  bool mends = snapshot->header.boot || snapshot->header.seed;
  if (mends && !snapshot_whole(snapshot) && !complete_all(group, snapshot))
    report_lost(collector, out_of_memory);
  if (snapshot_whole(snapshot)) {
    deliver_whole(collector, group, snapshot);
  } else if (snapshot->header.part) {
    /* This answer came too late to be of use. */
    snapshot_free(snapshot);
  } else if (!mends) {
    events->partial(events->context, snapshot);
    snapshot_free(snapshot);
  } else {
    if (group->pending_count == PENDING_MOST) {
      struct snapshot oldest = remove_pending(group, 0);
      events->partial(events->context, &oldest);
      snapshot_free(&oldest);
    }
    group->pending[group->pending_count++] = *snapshot;
  }
}

/* ---- dumps ---- */

/* Whether the dump consists only of frames that the link repeated after the end
 * of their dump. */
static bool is_echo(const struct collector *collector,
                    const struct dump *dump) {
  bool echo = false;
  for (size_t i = 0; i < collector->group_count && !echo; i++)
    echo = echo_has(&collector->groups[i].echo, dump);
  return echo && !dump_whole(dump);
}

static void build_snapshot(struct collector *collector, const struct dump *dump,
                           struct snapshot *snapshot) {
  for (size_t i = 0; i < dump->count; i++) {
    struct frame frame;
    frame_read(&frame, dump->frames[i].bytes);
    if (frame.type == BAREPROF_FRAME_HEADER || frame.type == BAREPROF_FRAME_END)
      continue;
    const char *error = decode_into(snapshot, &frame);
    if (error)
      report_lost(collector, error);
  }
  snapshot_settle(snapshot);
}

/* Whether the header of a dump with gaps announced far more than arrived. A
 * coded number takes at least one bit, and one bit can stand for the 32 bytes
 * of a slot. */
static bool is_hollow(const struct dump *dump) {
  enum { GROWTH = 1024, FREE = 1 << 14 };
  uint64_t size = 0, came = 0;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    size += dump->header.pieces[i].left_out ? 0 : dump->header.pieces[i].size;
  for (size_t i = 0; i < dump->count; i++)
    came += dump->frames[i].bytes.size;
  return size > FREE + GROWTH * came;
}

/* Earlier boots of this sender have ended and cannot answer requests any more.
 */
static void end_others(struct collector *collector,
                       const struct header *header) {
  for (size_t i = 0; i < collector->group_count; i++) {
    struct dump_group *group = &collector->groups[i];
    if (group->header.boot != header->boot &&
        group->header.kind == header->kind &&
        group->header.core == header->core &&
        group->header.image == header->image)
      give_up(collector, group);
  }
}

/* Closes an open dump, and uses the frames that have arrived. */
static void close_dump(struct collector *collector, size_t which) {
  struct dump *dump = collector->open[which];
  struct snapshot snapshot;
  memmove(&collector->open[which], &collector->open[which + 1],
          (--collector->open_count - which) * sizeof *collector->open);
  bool headless = !dump->has_header;
  for (size_t i = 0; !dump->has_header && i < collector->group_count; i++)
    dump_guess_header(dump, &collector->groups[i].header);
  if (headless && dump->has_header)
    ordinals_dump(collector->ordinals, &dump->header, dump_check(dump, 0));
  bool whole = dump_whole(dump);
  if (dump->has_header && collector->events->header)
    collector->events->header(collector->events->context, &dump->header);
  struct dump_group *group =
      dump->has_header ? make_group(collector, &dump->header) : NULL;
  if (group && collector->events->asks)
    end_others(collector, &dump->header);
  if (is_echo(collector, dump))
    ;
  else if (!group && collector->events->joins && dump->order == 0)
    ; /* The dump had begun before the port was opened. */
  else if (!group)
    report_lost(collector, "frames arrived without the header of their dump");
  else if (whole && !dump_holds(dump))
    report_lost(collector, "frames of several dumps arrived as one");
  else if (!whole && is_hollow(dump))
    report_lost(collector,
                "almost nothing of a dump arrived; send the dump again");
  else if (!snapshot_new(&snapshot, &dump->header))
    report_lost(collector, out_of_memory);
  else {
    snapshot.moment = (uint32_t)dump->number << 16 | dump->header.seed >> 16;
    snapshot.opened = dump->order;
    snapshot.closed = collector->opened;
    build_snapshot(collector, dump, &snapshot);
    if (whole)
      echo_remember(&group->echo, dump);
    offer_snapshot(collector, group, &snapshot);
  }
  dump_free(dump);
}

static bool same_sender(const struct dump *dump, const struct header *header) {
  return !dump->has_header || (dump->header.kind == header->kind &&
                               dump->header.core == header->core &&
                               dump->header.image == header->image);
}

/* Closes the earlier dumps of a sender that begins a new dump, except the
 * latest: an interrupt or a fault handler may send the new dump while the
 * latest one is being sent. */
static void close_earlier(struct collector *collector,
                          const struct header *header) {
  bool latest = true;
  for (size_t i = collector->open_count; i--;) {
    struct dump *dump = collector->open[i];
    if (!same_sender(dump, header))
      continue;
    /* A repeated frame is dropped while its dump is remembered, since no dump
     * continues there. */
    bool echo = !dump->has_header && is_echo(collector, dump);
    if (dump->ended || !latest || echo || dump->overtaken)
      close_dump(collector, i);
    else
      dump->overtaken = true;
    latest &= echo;
  }
}

static struct dump *open_dump(struct collector *collector,
                              const struct frame *frame) {
  if (collector->open_count == OPEN_MOST)
    close_dump(collector, 0);
  struct dump *dump = dump_new(frame->dump);
  if (!dump) {
    report_lost(collector, out_of_memory);
    return NULL;
  }
  report_remains(collector);
  dump->order = collector->opened++;
  collector->open[collector->open_count++] = dump;
  return dump;
}

void collect_frame(struct collector *collector, struct bytes bytes,
                   bool mended) {
  struct frame frame;
  struct header header;
  const char *error = frame_read(&frame, bytes);
  if (!error && frame_begins(&frame))
    error = header_read(&header, &frame);
  if (error) {
    report_lost(collector, error);
    return;
  }
  size_t which = collector->open_count;
  enum dump_fit fit = DUMP_OTHER;
  while (which && fit == DUMP_OTHER)
    fit = dump_fit(collector->open[--which], &frame);
  if (fit != DUMP_OTHER)
    note_next_frame(collector, collector->open[which], &frame);
  if (fit == DUMP_HAS)
    return;
  if (fit == DUMP_OTHER) {
    /* A repaired frame is accepted only if it fits a dump. */
    if (mended && !frame_begins(&frame)) {
      report_lost(collector, "a repaired frame fits no dump");
      return;
    }
    if (frame_begins(&frame))
      close_earlier(collector, &header);
    if (!open_dump(collector, &frame))
      return;
    which = collector->open_count - 1;
  }
  error = dump_add(collector->open[which], &frame, bytes);
  if (!error && frame_begins(&frame))
    ordinals_dump(collector->ordinals, &collector->open[which]->header,
                  frame.check);
  if (error)
    report_lost(collector, error);
  else if (dump_whole(collector->open[which]))
    close_dump(collector, which);
}

void collect_answer(struct collector *collector, const struct frame *frame) {
  struct answer answer;
  if (!answer_read(&answer, frame))
    ordinals_answer(collector->ordinals, &answer, frame->check);
}

/* ---- missing parts ---- */

void collect_settle(struct collector *collector, bool all) {
  for (size_t i = 0; i < collector->open_count;)
    if (all || collector->open[i]->ended)
      close_dump(collector, i);
    else
      i++;
}

unsigned collect_missing(const struct collector *collector,
                         const struct header **header, struct hole *holes,
                         unsigned room) {
  unsigned count = 0;
  for (size_t i = 0; i < collector->group_count && !count; i++) {
    const struct dump_group *group = &collector->groups[i];
    struct hole hole = {0, 0, 0};
    *header = &group->header;
    for (; group->pending_count && count < room &&
           snapshot_hole(&group->pending[0], &hole);
         hole.first += hole.count)
      holes[count++] = hole;
  }
  return count;
}

size_t collect_begun(const struct collector *collector) {
  return collector->open_count ? collector->open[0]->order : SIZE_MAX;
}

size_t collect_opened(const struct collector *collector) {
  return collector->opened;
}

bool collect_running(const struct collector *collector) {
  return collector->open_count;
}

void collect_progress(const struct collector *collector, uint64_t *done,
                      uint64_t *all) {
  *done = *all = 0;
  if (!collector->open_count)
    return;
  const struct dump *dump = collector->open[collector->open_count - 1];
  *done = dump->counts;
  *all = dump->has_header ? header_counts(&dump->header) : 0;
}

void collect_end(struct collector *collector) {
  while (collector->open_count)
    close_dump(collector, 0);
  if (!collector->remain && remains_end(&collector->remains))
    collector->remain = true;
  report_remains(collector);
  for (size_t i = 0; i < collector->group_count; i++) {
    give_up(collector, &collector->groups[i]);
    free(collector->groups[i].echo.checks);
  }
  ordinals_end(collector->ordinals);
  buffer_free(&collector->late);
  free(collector);
}
