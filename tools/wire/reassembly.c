/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembles dumps from frames. dumps.c keeps the frames of a dump until the
 * dump is complete or closed. Then the frames become a snapshot. Snapshots of
 * the same boot are a group, and may complete each other.
 */
#include "reassembly.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "frame.h"

/* The limits for open dumps, for groups, and for the dumps with gaps of one
 * boot. */
enum { OPEN_MOST = 16, GROUPS_MOST = 16, PENDING_MOST = 4 };

/* This many bytes of text are enough to decide whether the text ends with a
 * fragment. */
enum { LATE = 1 << 18 };

/* A group: the dumps of one boot of an image. If the dumps lack a boot number,
 * the group has all dumps of the image. */
struct dump_group {
  struct dump_header header;
  struct snapshot pending[PENDING_MOST]; /* the snapshots with gaps, oldest
                                            first */
  size_t pending_count;
  struct dump_crcs echo; /* the CRCs of the frames of the last complete dump */
};

struct reassembler {
  const struct reassembly_events *events;
  struct ordinal_tracker *ordinals;
  struct received_dump *open[OPEN_MOST]; /* the open dumps, in the order of
                                            their first frames */
  size_t open_count;
  struct dump_group groups[GROUPS_MOST];
  size_t group_count;
  size_t opened;                    /* the number of dumps that have begun so
                                     far */
  struct fragment_finder fragments; /* the search for fragments of frames in the
                                       text */
  bool has_fragment;  /* the text has a fragment, which may be the only trace of
                         a dump */
  struct buffer late; /* the text that has come since the fragment, at least the
                         last LATE bytes; it is searched only if the fragment
                         turns out to belong to a known dump */
  size_t fragment_order; /* the number of dumps that had begun before the
                         fragment */
};

struct reassembler *reassembly_new(const struct reassembly_events *events) {
  struct reassembler *reassembler = calloc(1, sizeof *reassembler);
  if (!reassembler)
    return NULL;
  reassembler->events = events;
  reassembler->late.limit = 4 * LATE;
  reassembler->ordinals = ordinals_new(events);
  if (reassembler->ordinals)
    return reassembler;
  free(reassembler);
  return NULL;
}

static void report_loss(struct reassembler *reassembler, const char *what) {
  reassembler->events->lost(reassembler->events->context, what);
}

/* ---- fragments of damaged frames ---- */

static void append_deferred_text(struct reassembler *reassembler,
                                 const unsigned char *bytes, size_t size) {
  struct buffer *late = &reassembler->late;
  for (size_t part; size; size -= part, bytes += part) {
    part = size < LATE ? size : LATE;
    if (late->size + part > late->capacity) {
      memmove(late->data, late->data + late->size - LATE, LATE);
      late->size = LATE;
      reassembler->fragments = (struct fragment_finder){.run = {.length = 0}};
    }
    buffer_append(late, bytes, part);
  }
}

void reassembly_add_text(struct reassembler *reassembler,
                         const unsigned char *bytes, size_t size) {
  if (reassembler->has_fragment && reassembler->late.capacity) {
    append_deferred_text(reassembler, bytes, size);
    return;
  }
  if (!frame_fragments_feed(&reassembler->fragments, bytes, size))
    return;
  if (!reassembler->has_fragment) {
    reassembler->fragment_order = reassembler->opened;
    /* If memory runs out, the text is not kept. */
    buffer_make_room(&reassembler->late, 2 * LATE);
  }
  reassembler->has_fragment = true;
}

/* Forgets fragments, also those in the deferred text. The finder reads this
 * text only to go on after it. */
static void forget_fragments(struct reassembler *reassembler) {
  struct buffer *late = &reassembler->late;
  if (late->size)
    frame_fragments_feed(&reassembler->fragments, late->data, late->size);
  late->size = 0;
  reassembler->has_fragment = false;
}

static void report_and_drop_fragments(struct reassembler *reassembler) {
  if (reassembler->has_fragment)
    report_loss(reassembler,
                "only damaged lines of a dump arrived; send the dump again, or "
                "remove the text that a logger put after each line");
  forget_fragments(reassembler);
}

/* Forgets fragments that belong to an open dump, when a frame of the dump has
 * come. If the dump lacks the frames right before this frame, fragments in the
 * text are parts of those frames, and the dump's gaps report the loss. If such
 * a frame comes later, the fragments were of another dump, which is lost. */
static void note_frame_and_forget_fragments(struct reassembler *reassembler,
                                            struct received_dump *dump,
                                            const struct frame *frame,
                                            bool repeated) {
  uint8_t step = (uint8_t)(frame->sequence - (uint8_t)dump->last);
  dump->overtaken = false;
  if (step < 128) {
    if (dump->order >= reassembler->fragment_order || step < 2)
      return;
    dump->has_fragment |= reassembler->has_fragment;
    forget_fragments(reassembler);
  } else if (dump->has_fragment && !repeated) {
    reassembler->has_fragment = true;
    reassembler->fragment_order = 0; /* of no known dump */
  }
}

/* ---- groups ---- */

/* Removes a waiting snapshot from its group. The caller frees it. */
static struct snapshot remove_pending_snapshot(struct dump_group *group,
                                               size_t which) {
  struct snapshot snapshot = group->pending[which];
  group->pending_count--;
  memmove(&group->pending[which], &group->pending[which + 1],
          (group->pending_count - which) * sizeof snapshot);
  return snapshot;
}

static void give_up_pending_snapshots(struct reassembler *reassembler,
                                      struct dump_group *group) {
  while (group->pending_count) {
    struct snapshot snapshot = remove_pending_snapshot(group, 0);
    reassembler->events->partial(reassembler->events->context, &snapshot);
    snapshot_free(&snapshot);
  }
}

static struct dump_group *find_dump_group(struct reassembler *reassembler,
                                          const struct dump_header *header) {
  for (size_t i = 0; i < reassembler->group_count; i++)
    if (header_is_same_boot(&reassembler->groups[i].header, header))
      return &reassembler->groups[i];
  return NULL;
}

/* Returns the group of a header. If there are too many groups, the new group
 * replaces the oldest group. */
static struct dump_group *find_or_add_group(struct reassembler *reassembler,
                                            const struct dump_header *header) {
  struct dump_group *group = find_dump_group(reassembler, header);
  if (group)
    return group;
  if (reassembler->group_count == GROUPS_MOST) {
    give_up_pending_snapshots(reassembler, &reassembler->groups[0]);
    free(reassembler->groups[0].echo.checks);
    reassembler->group_count--;
    memmove(&reassembler->groups[0], &reassembler->groups[1],
            reassembler->group_count * sizeof *reassembler->groups);
  }
  group = &reassembler->groups[reassembler->group_count++];
  memset(group, 0, sizeof *group);
  group->header = *header;
  return group;
}

/* Delivers a complete snapshot. Gives up waiting snapshots of the group if this
 * snapshot contains all their counts. Without a boot number, no snapshot waits.
 */
static void deliver_complete_snapshot(struct reassembler *reassembler,
                                      struct dump_group *group,
                                      struct snapshot *snapshot) {
  const struct reassembly_events *events = reassembler->events;
  while (group->pending_count) {
    struct snapshot pending = remove_pending_snapshot(group, 0);
    bool same =
        snapshot->header.seed && snapshot_is_same_moment(snapshot, &pending);
    if (same || (snapshot->header.boot && snapshot->opened > pending.opened &&
                 snapshot_follows(snapshot, &pending)))
      events->passed(events->context, &pending);
    else
      events->partial(events->context, &pending);
    snapshot_free(&pending);
  }
  snapshot->header.ranges_only = false;
  events->whole(events->context, snapshot);
  snapshot_free(snapshot);
}

/* Fills the gaps of a snapshot from an earlier snapshot of the same boot. Uses
 * all pieces if both snapshots show the same moment, or if the later snapshot
 * answers a request for the gaps of the earlier one. Otherwise uses only names
 * and records, because counts may have changed. Without a boot number, only a
 * 32-bit hash shows that the moments are equal. Returns false if memory runs
 * out. */
static bool fill_gaps_from_earlier(struct snapshot *later,
                                   const struct snapshot *earlier, bool *used) {
  bool numbered = later->header.boot;
  *used = later->header.ranges_only
              ? numbered && snapshot_may_follow(later, earlier)
              : (numbered || later->header.seed) &&
                    snapshot_is_same_moment(later, earlier);
  if (!*used && !numbered)
    return true;
  if (!*used)
    return snapshot_fill_constant_gaps(later, earlier);
  later->several_moments |=
      earlier->several_moments || later->header.ranges_only;
  later->header.ranges_only &= earlier->header.ranges_only;
  return snapshot_fill_gaps(later, earlier);
}

static bool fill_gaps_from_pending(struct dump_group *group,
                                   struct snapshot *snapshot) {
  for (size_t i = group->pending_count; i--;) {
    bool used;
    if (!fill_gaps_from_earlier(snapshot, &group->pending[i], &used))
      return false;
    if (used) {
      struct snapshot earlier = remove_pending_snapshot(group, i);
      snapshot_free(&earlier);
    }
  }
  return true;
}

/* Adds a snapshot to its group or delivers it. Takes ownership of the snapshot.
 */
static void add_to_group_or_deliver(struct reassembler *reassembler,
                                    struct dump_group *group,
                                    struct snapshot *snapshot) {
  const struct reassembly_events *events = reassembler->events;
  bool mends = snapshot->header.boot || snapshot->header.seed;
  if (mends && !snapshot_is_complete(snapshot) &&
      !fill_gaps_from_pending(group, snapshot))
    report_loss(reassembler, out_of_memory);
  if (snapshot_is_complete(snapshot)) {
    deliver_complete_snapshot(reassembler, group, snapshot);
  } else if (snapshot->header.ranges_only) {
    /* The answer came too late to fill a gap, so it is not needed. */
    snapshot_free(snapshot);
  } else if (!mends) {
    events->partial(events->context, snapshot);
    snapshot_free(snapshot);
  } else {
    if (group->pending_count == PENDING_MOST) {
      struct snapshot oldest = remove_pending_snapshot(group, 0);
      events->partial(events->context, &oldest);
      snapshot_free(&oldest);
    }
    group->pending[group->pending_count++] = *snapshot;
  }
}

/* ---- dumps ---- */

/* Returns whether the dump consists only of frames that the link has repeated
 * after the end of their dump. */
static bool is_repeated_dump(const struct reassembler *reassembler,
                             const struct received_dump *dump) {
  bool echo = false;
  for (size_t i = 0; i < reassembler->group_count && !echo; i++)
    echo = dump_crcs_contain_dump(&reassembler->groups[i].echo, dump);
  return echo && !dump_is_complete(dump);
}

static void build_snapshot(struct reassembler *reassembler,
                           const struct received_dump *dump,
                           struct snapshot *snapshot) {
  for (size_t i = 0; i < dump->count; i++) {
    struct frame frame;
    frame_parse(&frame, dump->frames[i].bytes);
    if (frame.type == BAREPROF_FRAME_HEADER || frame.type == BAREPROF_FRAME_END)
      continue;
    const char *error = decode_to_snapshot(snapshot, &frame);
    if (error)
      report_loss(reassembler, error);
  }
  snapshot_sort_and_join_ranges(snapshot);
}

/* Returns whether the header of a dump with gaps announced far more than has
 * arrived. Such a header is damaged. A coded bit stands for at most the 32
 * bytes of a slot, so a byte for 256; GROWTH is four times that. */
static bool is_mostly_missing(const struct received_dump *dump) {
  enum { GROWTH = 1024, FREE = 1 << 14 };
  uint64_t size = 0, came = 0;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    size += dump->header.pieces[i].left_out ? 0 : dump->header.pieces[i].size;
  for (size_t i = 0; i < dump->count; i++)
    came += dump->frames[i].bytes.size;
  return size > FREE + GROWTH * came;
}

/* Ends the earlier boots of this sender, because they cannot answer requests
 * any more. */
static void end_other_boots(struct reassembler *reassembler,
                            const struct dump_header *header) {
  for (size_t i = 0; i < reassembler->group_count; i++) {
    struct dump_group *group = &reassembler->groups[i];
    if (group->header.boot != header->boot &&
        group->header.kind == header->kind &&
        group->header.core == header->core &&
        group->header.image == header->image)
      give_up_pending_snapshots(reassembler, group);
  }
}

/* Closes an open dump, and uses the frames that have arrived. */
static void close_dump(struct reassembler *reassembler, size_t which) {
  struct received_dump *dump = reassembler->open[which];
  struct snapshot snapshot;
  memmove(&reassembler->open[which], &reassembler->open[which + 1],
          (--reassembler->open_count - which) * sizeof *reassembler->open);
  bool headless = !dump->has_header;
  for (size_t i = 0; !dump->has_header && i < reassembler->group_count; i++)
    dump_restore_header(dump, &reassembler->groups[i].header);
  if (headless && dump->has_header)
    ordinals_add_and_number(reassembler->ordinals, &dump->header,
                            dump_frame_crc(dump, 0));
  bool whole = dump_is_complete(dump);
  if (dump->has_header && reassembler->events->header)
    reassembler->events->header(reassembler->events->context, &dump->header);
  struct dump_group *group =
      dump->has_header ? find_or_add_group(reassembler, &dump->header) : NULL;
  /* A live port asks for gaps even if nobody requests dumps. */
  if (group && (reassembler->events->asks || reassembler->events->joins))
    end_other_boots(reassembler, &dump->header);
  if (is_repeated_dump(reassembler, dump))
    ;
  else if (!group && reassembler->events->joins && dump->order == 0)
    ; /* the dump had begun before the port was opened */
  else if (!group)
    report_loss(reassembler, "frames arrived without the header of their dump");
  else if (whole && !dump_sum_matches(dump))
    report_loss(reassembler, "frames of several dumps arrived as one");
  else if (!whole && is_mostly_missing(dump))
    report_loss(reassembler,
                "almost nothing of a dump arrived; send the dump again");
  else if (!snapshot_init(&snapshot, &dump->header))
    report_loss(reassembler, out_of_memory);
  else {
    snapshot.moment = (uint32_t)dump->number << 16 | dump->header.seed >> 16;
    snapshot.opened = dump->order;
    snapshot.closed = reassembler->opened;
    build_snapshot(reassembler, dump, &snapshot);
    if (whole)
      dump_remember_crcs(&group->echo, dump);
    add_to_group_or_deliver(reassembler, group, &snapshot);
  }
  dump_free(dump);
}

static bool may_be_from_sender(const struct received_dump *dump,
                               const struct dump_header *header) {
  return !dump->has_header || (dump->header.kind == header->kind &&
                               dump->header.core == header->core &&
                               dump->header.image == header->image);
}

/* Closes the earlier dumps of a sender that begins a new dump, except the
 * latest one. An interrupt or a fault handler may send the new dump while the
 * latest one is being sent. */
static void close_or_mark_earlier_dumps(struct reassembler *reassembler,
                                        const struct dump_header *header) {
  bool latest = true;
  for (size_t i = reassembler->open_count; i--;) {
    struct received_dump *dump = reassembler->open[i];
    if (!may_be_from_sender(dump, header))
      continue;
    /* A dump that consists of repeated frames of a known dump is closed,
     * because no more frames will follow. */
    bool echo = !dump->has_header && is_repeated_dump(reassembler, dump);
    if (dump->ended || !latest || echo || dump->overtaken)
      close_dump(reassembler, i);
    else
      dump->overtaken = true;
    latest &= echo;
  }
}

static struct received_dump *open_dump(struct reassembler *reassembler,
                                       const struct frame *frame) {
  if (reassembler->open_count == OPEN_MOST)
    close_dump(reassembler, 0);
  struct received_dump *dump = dump_new(frame->dump);
  if (!dump) {
    report_loss(reassembler, out_of_memory);
    return NULL;
  }
  report_and_drop_fragments(reassembler);
  dump->order = reassembler->opened++;
  reassembler->open[reassembler->open_count++] = dump;
  return dump;
}

void reassembly_add_frame(struct reassembler *reassembler, struct bytes bytes,
                          bool mended) {
  struct frame frame;
  struct dump_header header;
  const char *error = frame_parse(&frame, bytes);
  if (!error && frame_begins_dump(&frame))
    error = frame_parse_header(&header, &frame);
  if (error) {
    report_loss(reassembler, error);
    return;
  }
  size_t which = reassembler->open_count;
  enum dump_match fit = DUMP_OTHER;
  while (which && fit == DUMP_OTHER)
    fit = dump_match_frame(reassembler->open[--which], &frame);
  if (fit != DUMP_OTHER)
    note_frame_and_forget_fragments(reassembler, reassembler->open[which],
                                    &frame, fit == DUMP_HAS);
  if (fit == DUMP_HAS)
    return;
  if (fit == DUMP_OTHER) {
    /* A repaired frame is accepted only if it fits a known dump. */
    if (mended && !frame_begins_dump(&frame)) {
      report_loss(reassembler, "a repaired frame fits no dump");
      return;
    }
    if (frame_begins_dump(&frame))
      close_or_mark_earlier_dumps(reassembler, &header);
    if (!open_dump(reassembler, &frame))
      return;
    which = reassembler->open_count - 1;
  }
  error = dump_add_frame(reassembler->open[which], &frame, bytes);
  if (!error && frame_begins_dump(&frame))
    ordinals_add_and_number(reassembler->ordinals,
                            &reassembler->open[which]->header, frame.check);
  if (error)
    report_loss(reassembler, error);
  else if (dump_is_complete(reassembler->open[which]))
    close_dump(reassembler, which);
}

void reassembly_add_answer(struct reassembler *reassembler,
                           const struct frame *frame) {
  struct answer answer;
  if (!frame_parse_answer(&answer, frame))
    ordinals_add_answer(reassembler->ordinals, &answer, frame->check);
}

/* ---- missing parts ---- */

void reassembly_close_dumps(struct reassembler *reassembler, bool all) {
  for (size_t i = 0; i < reassembler->open_count;)
    if (all || reassembler->open[i]->ended)
      close_dump(reassembler, i);
    else
      i++;
}

unsigned reassembly_list_gaps(const struct reassembler *reassembler,
                              const struct dump_header **header,
                              struct snapshot_gap *holes, unsigned room) {
  unsigned count = 0;
  for (size_t i = 0; i < reassembler->group_count && !count; i++) {
    const struct dump_group *group = &reassembler->groups[i];
    struct snapshot_gap hole = {0, 0, 0};
    *header = &group->header;
    for (; group->pending_count && count < room &&
           snapshot_find_gap(&group->pending[0], &hole);
         hole.first += hole.count)
      holes[count++] = hole;
  }
  return count;
}

size_t reassembly_oldest_open_dump(const struct reassembler *reassembler) {
  return reassembler->open_count ? reassembler->open[0]->order : SIZE_MAX;
}

size_t reassembly_dump_count(const struct reassembler *reassembler) {
  return reassembler->opened;
}

bool reassembly_has_open_dump(const struct reassembler *reassembler) {
  return reassembler->open_count;
}

void reassembly_get_progress(const struct reassembler *reassembler,
                             uint64_t *done, uint64_t *all) {
  *done = *all = 0;
  if (!reassembler->open_count)
    return;
  const struct received_dump *dump =
      reassembler->open[reassembler->open_count - 1];
  *done = dump->counts;
  *all = dump->has_header ? header_counter_and_bitmap_count(&dump->header) : 0;
}

void reassembly_end_and_free(struct reassembler *reassembler) {
  while (reassembler->open_count)
    close_dump(reassembler, 0);
  if (!reassembler->has_fragment &&
      frame_fragments_end(&reassembler->fragments))
    reassembler->has_fragment = true;
  report_and_drop_fragments(reassembler);
  for (size_t i = 0; i < reassembler->group_count; i++) {
    give_up_pending_snapshots(reassembler, &reassembler->groups[i]);
    free(reassembler->groups[i].echo.checks);
  }
  ordinals_end_and_free(reassembler->ordinals);
  buffer_free(&reassembler->late);
  free(reassembler);
}
