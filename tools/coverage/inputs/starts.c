/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sorts the dumps of a log by boot (struct start) and passes the last complete
 * dump of each boot to the caller, usually inputs.c. wire/collect.h has
 * assembled the dumps before.
 */
#include "inputs.h"

#include <string.h>

#include "../../base/error.h"
#include "../../wire/session.h"
#include "../../wire/frame.h"

/* The limits for boots that run at the same time (cores and images), and for
 * dumps whose frames are interleaved. */
enum { STARTS_MOST = 16, HELD_MOST = 8 };

/* The number of recent dumps whose repetition is recognised. */
enum { SEEN_MOST = 16 };

struct start {
  struct snapshot last; /* only its counts */
  size_t dumps, untold;
};

struct starts {
  const struct starts_events *events;
  struct hearing hearing;
  struct start list[STARTS_MOST]; /* sorted by time of the last dump */
  size_t count;
  struct snapshot held[HELD_MOST]; /* complete dumps that wait for their turn;
                                      only counts */
  size_t held_count;
  uint64_t seen[SEEN_MOST];
  size_t seen_next;
  struct naming naming;
  bool no_memory;
};

static void drop(struct starts *starts, size_t which) {
  struct start *start = &starts->list[which];
  snapshot_free(&start->last);
  starts->count--;
  memmove(start, start + 1, (starts->count - which) * sizeof *start);
}

static void end_start(struct starts *starts, size_t which) {
  const struct start *start = &starts->list[which];
  starts->events->start(starts->events->context, &start->last, start->dumps,
                        start->untold);
  drop(starts, which);
}

static bool same_start(const struct header *a, const struct header *b) {
  return header_same(a, b) && (a->start == b->start || !a->start || !b->start);
}

static size_t find(const struct starts *starts, const struct header *header) {
  size_t i = 0;
  while (i < starts->count && !same_start(&starts->list[i].last.header, header))
    i++;
  return i;
}

/* ---- complete dumps ---- */

/* Whether one of the recent dumps had the same counts. */
static bool is_seen(struct starts *starts, const struct snapshot *dump) {
  uint64_t value = snapshot_hash(dump);
  for (size_t i = 0; i < SEEN_MOST; i++)
    if (starts->seen[i] == value)
      return true;
  starts->seen[starts->seen_next++ % SEEN_MOST] = value;
  return false;
}

static bool overlap(const struct snapshot *a, const struct snapshot *b) {
  return a->opened < b->closed && b->opened < a->closed;
}

/* Whether the sender has repeated this dump. A repeated dump may still be new,
 * if the first transfer had gaps. */
static bool repeats(const struct snapshot *dump) {
  return dump->header.start && !dump->header.serial;
}

/* Whether a dump or name of the boot may be missing between `last` and this
 * dump. last: NULL if this is the first dump. */
static bool is_unsure(const struct snapshot *dump,
                      const struct snapshot *last) {
  const struct header *header = &dump->header;
  unsigned before = last ? last->header.serial : 0;
  if (repeats(dump))
    return true;
  return header->serial && (header->gap || header->serial != before + 1);
}

/* Reports a dump to events->dump or events->unsure. before: `last`, if the dump
 * contains its counts; else NULL. */
static void tell_dump(struct starts *starts, const struct snapshot *dump,
                      const struct snapshot *last,
                      const struct snapshot *before, bool repeated) {
  const struct starts_events *events = starts->events;
  bool skipped = false;
  if (!events->dump)
    return;
  const char *name = naming_of(&starts->naming, dump, &skipped);
  if (!name && repeated)
    return;
  if (skipped || is_unsure(dump, last))
    events->unsure(events->context, name, dump, before);
  else
    events->dump(events->context, name, dump, before);
}

/* Adds a dump to its boot, or begins a new boot. Takes over the snapshot. */
static void add_whole(struct starts *starts, struct snapshot *dump) {
  struct start start = {*dump, 1, 0};
  size_t i = find(starts, &dump->header);
  struct start *before = i < starts->count ? &starts->list[i] : NULL;
  bool numbered = dump->header.boot;
  bool repeated = is_seen(starts, dump);
  if (repeats(dump) &&
      (repeated || (before && snapshot_follows(&before->last, dump)))) {
    snapshot_free(dump);
    return;
  }
  repeated &= !numbered;
  /* A repeated ordinal may come from another boot that did the same. */
  for (size_t k = 0; repeated && !before && k < starts->count; k++)
    if (header_same(&starts->list[k].last.header, &dump->header))
      before = &starts->list[i = k];
  bool follows = before && snapshot_follows(dump, &before->last);
  tell_dump(starts, dump, before ? &before->last : NULL,
            follows ? &before->last : NULL, repeated);
  if (follows && !repeated) {
    start.dumps += before->dumps;
    start.untold = before->untold + !numbered;
    drop(starts, i);
    starts->list[starts->count++] = start;
    return;
  }
  /* Here the counts are lower: lines of the log were swapped or repeated, or
   * counters were reset. Dumps with the same boot number are not added to each
   * other. Without a boot number, an apparent repetition is not added
   * either. */
  if (before && (repeated || ((numbered || overlap(dump, &before->last)) &&
                              snapshot_follows(&before->last, dump)))) {
    before->dumps++;
    before->untold++;
    if (before->last.header.serial < dump->header.serial)
      before->last.header.serial = dump->header.serial;
    snapshot_free(dump);
    return;
  }
  if (before)
    end_start(starts, i);
  else if (starts->count == STARTS_MOST)
    end_start(starts, 0);
  starts->list[starts->count++] = start;
}

static bool goes_on(const struct starts *starts, const struct snapshot *dump) {
  size_t i = find(starts, &dump->header);
  return i < starts->count && snapshot_follows(dump, &starts->list[i].last);
}

/* Returns the index of the earliest waiting dump. The order of dumps with
 * interleaved frames is unknown, so a dump that continues a boot is
 * preferred. */
static size_t first_held(const struct starts *starts) {
  const struct snapshot *held = starts->held;
  size_t first = 0;
  for (size_t i = 1; i < starts->held_count; i++)
    if (held[i].opened < held[first].opened)
      first = i;
  if (goes_on(starts, &held[first]))
    return first;
  for (size_t i = 0; i < starts->held_count; i++)
    if (overlap(&held[i], &held[first]) && goes_on(starts, &held[i]))
      return i;
  return first;
}

/* Adds the waiting dumps that had ended when dump number `begun` began. */
static void release(struct starts *starts, size_t begun) {
  while (starts->held_count) {
    size_t first = first_held(starts);
    struct snapshot dump = starts->held[first];
    if (dump.closed > begun && starts->held_count < HELD_MOST)
      return;
    starts->held[first] = starts->held[--starts->held_count];
    add_whole(starts, &dump);
  }
}

static void hold(struct starts *starts, const struct snapshot *dump) {
  size_t begun = collect_begun(starts->hearing.collector);
  release(starts, dump->opened < begun ? dump->opened : begun);
  if (snapshot_counts(&starts->held[starts->held_count], dump))
    starts->held_count++;
  else
    starts->no_memory = true;
}

/* ---- events of the collector ---- */

static void tell(const struct starts *starts, struct trouble trouble) {
  if (starts->events->trouble)
    starts->events->trouble(starts->events->context, &trouble);
}

static void on_whole(void *context, struct snapshot *dump) {
  struct starts *starts = context;
  if (starts->events->wanted(starts->events->context, dump))
    hold(starts, dump);
}

static void on_partial(void *context, struct snapshot *dump) {
  struct starts *starts = context;
  const struct starts_events *events = starts->events;
  if (!events->wanted(events->context, dump))
    return;
  if (snapshot_whole(dump))
    hold(starts, dump);
  else
    tell(starts, (struct trouble){TROUBLE_GAPS, .dump = dump});
}

static void on_passed(void *context, struct snapshot *dump) {
  struct starts *starts = context;
  const struct starts_events *events = starts->events;
  if (events->wanted(events->context, dump))
    tell(starts, (struct trouble){TROUBLE_PASSED, .dump = dump});
}

static void on_lost(void *context, const char *what) {
  tell(context, (struct trouble){TROUBLE_LOST, .lost = what});
}

static void on_header(void *context, struct header *header) {
  struct starts *starts = context;
  if (starts->events->header)
    starts->events->header(starts->events->context, header);
}

static void on_missing(void *context, const struct missing *missing) {
  tell(context, (struct trouble){TROUBLE_MISSING, .missing = missing});
}

static void on_uncounted(void *context, const struct header *header) {
  tell(context, (struct trouble){TROUBLE_UNCOUNTED, .header = header});
}

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  struct starts *starts = context;
  struct answer answer;
  (void)size;
  if (!frame || (frame->type != BAREPROF_FRAME_REFUSED &&
                 frame->type != BAREPROF_FRAME_ANSWER))
    return false;
  if (answer_read(&answer, frame))
    return frame->type == BAREPROF_FRAME_ANSWER;
  if (frame->type == BAREPROF_FRAME_REFUSED)
    tell(starts, (struct trouble){TROUBLE_REFUSED, .answer = &answer});
  else if (answer.command == BAREPROF_COMMAND_NAME)
    naming_answer(&starts->naming, &answer,
                  collect_opened(starts->hearing.collector));
  return true;
}

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct starts *starts = context;
  naming_text(&starts->naming, (struct bytes){bytes, size},
              collect_opened(starts->hearing.collector));
}

static bool not_wanted(void *context, struct snapshot *dump) {
  (void)context;
  (void)dump;
  return false;
}

const char *starts_headers(struct bytes log,
                           void (*header)(void *context, struct header *header),
                           void *context) {
  const struct starts_events events = {
      .context = context, .wanted = not_wanted, .header = header};
  return starts_read(log, &events, NULL);
}

const char *starts_read(struct bytes log, const struct starts_events *events,
                        const char **lacks) {
  struct starts starts = {.events = events,
                          .naming = {.pattern = events->pattern}};
  const struct hear_events heard = {.dumps = {.context = &starts,
                                              .whole = on_whole,
                                              .partial = on_partial,
                                              .passed = on_passed,
                                              .lost = on_lost,
                                              .header = on_header,
                                              .missing = on_missing,
                                              .uncounted = on_uncounted,
                                              .joins = events->joins,
                                              .asks = events->asks},
                                    .live = events->asks,
                                    .text = on_text,
                                    .frame = on_frame};
  bool begun = hear_begin(&starts.hearing, &heard);
  if (begun)
    hear_feed(&starts.hearing, log.data, log.size);
  hear_end(&starts.hearing);
  if (lacks)
    *lacks = hear_lacks(&starts.hearing);
  release(&starts, SIZE_MAX);
  while (starts.count)
    end_start(&starts, 0);
  for (size_t i = 0; events->dump && i < starts.naming.count; i++)
    if (naming_unused(&starts.naming, i))
      events->unnamed(events->context, naming_unused(&starts.naming, i));
  naming_free(&starts.naming);
  return !begun || starts.no_memory || starts.naming.no_memory ? out_of_memory
                                                               : NULL;
}
