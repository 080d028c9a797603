/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Follows the ordinals of each boot, and reports gaps in them. collect.c passes
 * the first frame of each dump, and each answer.
 */
#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum {
  ORDINALS = 256,
  LATE_MOST = 56,   /* how far back an ordinal may come late */
  AHEAD_MOST = 8,   /* within this many steps, no repeat from 256 ordinals
                       earlier is expected */
  RANGES_MOST = 64, /* missing ranges of a boot; further ones extend the last */
  STARTS_MOST = 32,
  SEEN_MOST = 64 /* frames whose repetition is recognised */
};

struct range_of {
  unsigned long first, last;
};

struct start_of {
  unsigned kind, core, image, boot, id;
  unsigned long last; /* the highest ordinal so far */
  unsigned serial;    /* number of dumps so far */
  bool gap;           /* something is missing since the last dump */
  uint32_t checks[ORDINALS];
  bool came[ORDINALS]; /* indexed by ordinal; only recent ones */
  struct range_of ranges[RANGES_MOST];
  size_t range_count;
};

/* The identity of a dump's first frame, a name or an answer. */
struct frame_seen {
  unsigned kind, core, image, boot, ordinal;
  uint32_t check;
};

struct ordinals {
  const struct collect_events *events;
  struct start_of *starts[STARTS_MOST]; /* by the time of their last frame */
  size_t count;
  unsigned ids;
  bool joined[2][256]; /* by kind and sender: its first boot has been seen */
  struct frame_seen last[SEEN_MOST];
  size_t last_next;
};

void missing_tell(char text[MISSING_TEXT], const struct missing *missing) {
  char numbers[48];
  bool one = missing->first == missing->last;
  snprintf(numbers, sizeof numbers, one ? " %lu" : "s %lu to %lu",
           missing->first, missing->last);
  snprintf(text, MISSING_TEXT,
           "dump or name number%s of core %u, image %u, boot %u %s missing",
           numbers, missing->core, missing->image, missing->boot,
           one ? "is" : "are");
}

void uncounted_tell(const char *name, const struct header *header) {
  report(name, "lost dumps cannot be seen: %s",
         header->format == 2 ? "the firmware's runtime is older, and does not "
                               "number them"
                             : "the image has no guard word to number them");
}

struct ordinals *ordinals_new(const struct collect_events *events) {
  struct ordinals *ordinals = calloc(1, sizeof *ordinals);
  if (ordinals)
    ordinals->events = events;
  return ordinals;
}

static void end_start(struct ordinals *ordinals, size_t which) {
  struct start_of *start = ordinals->starts[which];
  for (size_t i = 0; ordinals->events->missing && i < start->range_count; i++) {
    struct missing missing = {start->core, start->image, start->boot,
                              start->ranges[i].first, start->ranges[i].last};
    ordinals->events->missing(ordinals->events->context, &missing);
  }
  free(start);
  memmove(&ordinals->starts[which], &ordinals->starts[which + 1],
          (--ordinals->count - which) * sizeof *ordinals->starts);
}

static void add_missing(struct start_of *start, unsigned long first,
                        unsigned long last) {
  if (first > last)
    return;
  start->gap = true;
  if (start->range_count == RANGES_MOST)
    start->ranges[RANGES_MOST - 1].last = last;
  else
    start->ranges[start->range_count++] = (struct range_of){first, last};
}

/* Removes an ordinal that came late. Returns false if it was not missing. */
static bool take_missing(struct start_of *start, unsigned long ordinal) {
  for (size_t i = 0; i < start->range_count; i++) {
    struct range_of range = start->ranges[i];
    if (ordinal < range.first || ordinal > range.last)
      continue;
    start->range_count--;
    memmove(&start->ranges[i], &start->ranges[i + 1],
            (start->range_count - i) * sizeof range);
    bool gap = start->gap;
    add_missing(start, range.first, ordinal - 1);
    add_missing(start, ordinal + 1, range.last);
    start->gap = gap;
    return true;
  }
  return false;
}

static void mark(struct start_of *start, const struct frame_seen *seen) {
  start->checks[seen->ordinal] = seen->check;
  start->came[seen->ordinal] = true;
}

static struct start_of *begin_start(struct ordinals *ordinals,
                                    const struct frame_seen *seen) {
  bool samples = seen->kind == BAREPROF_KIND_SAMPLES;
  bool *joined = &ordinals->joined[samples][seen->image << 4 | seen->core];
  struct start_of *start = calloc(1, sizeof *start);
  if (!start)
    return NULL;
  if (ordinals->count == STARTS_MOST)
    end_start(ordinals, 0);
  ordinals->starts[ordinals->count++] = start;
  start->kind = seen->kind;
  start->core = seen->core;
  start->image = seen->image;
  start->boot = seen->boot;
  start->id = ++ordinals->ids;
  start->last = seen->ordinal;
  /* The RAM of the sample table may keep its ordinal over a reset, so its first
   * ordinal proves nothing. */
  if (!samples && (*joined || !ordinals->events->joins))
    add_missing(start, 1, seen->ordinal - 1u);
  *joined = true;
  mark(start, seen);
  return start;
}

/* Advances to a new ordinal, and frees the ones that follow it for reuse. */
static void advance(struct start_of *start, unsigned step) {
  for (unsigned i = 1; i <= step; i++)
    start->came[(start->last + i) % ORDINALS] = false;
  add_missing(start, start->last + 1, start->last + step - 1);
  start->last += step;
}

enum fit { NEXT, REPEATED, OTHER_START };

/* Decides how a frame relates to a boot: its next frame, a repeated frame, or a
 * frame of another boot. */
static enum fit go_on(struct start_of *start, const struct frame_seen *seen) {
  unsigned step = (seen->ordinal - start->last) % ORDINALS;
  unsigned back = ORDINALS - step;
  /* Firmware at rest sends the same frames as 256 dumps earlier. */
  bool ahead = step && step <= AHEAD_MOST;
  if (!ahead && start->came[seen->ordinal] &&
      start->checks[seen->ordinal] == seen->check)
    return REPEATED;
  if (step && back > LATE_MOST) {
    advance(start, step);
    mark(start, seen);
    return NEXT;
  }
  /* An interrupt sent a dump while the interrupted code was taking the same
   * ordinal. */
  if (!step)
    return start->boot ? NEXT : OTHER_START;
  if (!start->boot || back > start->last ||
      !take_missing(start, start->last - back))
    return OTHER_START;
  mark(start, seen);
  return NEXT;
}

static size_t find(const struct ordinals *ordinals,
                   const struct frame_seen *seen) {
  size_t i = ordinals->count;
  while (i--) {
    const struct start_of *start = ordinals->starts[i];
    if (start->kind == seen->kind && start->core == seen->core &&
        start->image == seen->image && start->boot == seen->boot)
      return i;
  }
  return SIZE_MAX;
}

/* A boot without a number adopts the number of a request and keeps counting. */
static size_t find_unnumbered(struct ordinals *ordinals,
                              const struct frame_seen *seen) {
  struct frame_seen before = *seen;
  before.boot = 0;
  size_t i = seen->boot ? find(ordinals, &before) : SIZE_MAX;
  if (i == SIZE_MAX ||
      (seen->ordinal - ordinals->starts[i]->last) % ORDINALS != 1)
    return SIZE_MAX;
  ordinals->starts[i]->boot = seen->boot;
  return i;
}

/* Whether this frame has been seen before. Either the link repeated it, or a
 * boot without a number did exactly what the previous one had done. */
static bool is_repeated(struct ordinals *ordinals,
                        const struct frame_seen *seen) {
  for (size_t i = 0; i < SEEN_MOST; i++) {
    const struct frame_seen *last = &ordinals->last[i];
    if (last->check == seen->check && last->ordinal == seen->ordinal &&
        last->kind == seen->kind && last->core == seen->core &&
        last->image == seen->image && last->boot == seen->boot)
      return true;
  }
  ordinals->last[ordinals->last_next++ % SEEN_MOST] = *seen;
  return false;
}

/* Returns the boot of a frame; NULL if it has none, or if memory runs out. */
static struct start_of *take(struct ordinals *ordinals,
                             const struct frame_seen *seen, bool *repeated) {
  size_t i = find(ordinals, seen);
  *repeated = is_repeated(ordinals, seen) && i != SIZE_MAX;
  if (*repeated)
    return ordinals->starts[i];
  if (i == SIZE_MAX)
    i = find_unnumbered(ordinals, seen);
  if (i == SIZE_MAX && !seen->ordinal)
    return NULL;
  if (i == SIZE_MAX)
    return begin_start(ordinals, seen);
  struct start_of *start = ordinals->starts[i];
  enum fit fit = go_on(start, seen);
  *repeated = fit == REPEATED;
  if (fit == OTHER_START) {
    end_start(ordinals, i);
    return begin_start(ordinals, seen);
  }
  memmove(&ordinals->starts[i], &ordinals->starts[i + 1],
          (ordinals->count - 1 - i) * sizeof start);
  ordinals->starts[ordinals->count - 1] = start;
  return start;
}

void ordinals_dump(struct ordinals *ordinals, struct header *header,
                   uint32_t check) {
  const struct frame_seen seen = {header->kind, header->core,    header->image,
                                  header->boot, header->ordinal, check};
  bool repeated;
  struct start_of *start = take(ordinals, &seen, &repeated);
  if (!start) {
    if (!header->ordinal && ordinals->events->uncounted)
      ordinals->events->uncounted(ordinals->events->context, header);
    return;
  }
  header->start = start->id;
  if (repeated)
    return;
  header->serial = ++start->serial;
  header->gap = start->gap;
  start->gap = false;
}

/* A name lacks the boot number that the dump's caller passes. It belongs to the
 * last boot of its sender if its ordinal continues or fills a gap there. */
static unsigned boot_of(const struct ordinals *ordinals,
                        const struct frame_seen *seen) {
  for (size_t i = ordinals->count; i--;) {
    struct start_of *start = ordinals->starts[i];
    if (start->kind != seen->kind || start->core != seen->core ||
        start->image != seen->image)
      continue;
    unsigned step = (seen->ordinal - start->last) % ORDINALS;
    unsigned long late = start->last - (ORDINALS - step);
    bool goes_on = (step && step <= LATE_MOST) ||
                   (start->came[seen->ordinal] &&
                    start->checks[seen->ordinal] == seen->check);
    for (size_t k = 0; k < start->range_count; k++)
      goes_on |=
          start->ranges[k].first <= late && late <= start->ranges[k].last;
    return goes_on ? start->boot : seen->boot;
  }
  return seen->boot;
}

/* Answers about samples are not numbered. */
void ordinals_answer(struct ordinals *ordinals, const struct answer *answer,
                     uint32_t check) {
  struct frame_seen seen = {BAREPROF_KIND_PROFILE, answer->core,
                            answer->image,         answer->boot,
                            answer->ordinal,       check};
  bool repeated;
  if (!seen.boot)
    seen.boot = boot_of(ordinals, &seen);
  take(ordinals, &seen, &repeated);
}

void ordinals_end(struct ordinals *ordinals) {
  while (ordinals->count)
    end_start(ordinals, 0);
  free(ordinals);
}
