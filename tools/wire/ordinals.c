/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Follows the ordinals of each boot, and reports gaps in them. If an ordinal is
 * missing, a dump, name or answer was lost. reassembly.c passes the first frame
 * of each dump, and each answer.
 */
#include "reassembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum {
  ORDINALS = 256,
  LATE_MOST = 56,   /* the number of ordinals by which a late frame may trail
                       the last frame */
  AHEAD_MOST = 8,   /* if a frame is at most so many ordinals ahead, it does not
                       count as the repeat of a frame 256 ordinals ago */
  RANGES_MOST = 64, /* the number of missing ranges of a boot; further ranges
                       extend the last range */
  BOOTS_MOST = 32,
  SEEN_MOST = 64 /* the number of frames whose repetition is recognised */
};

struct missing_range {
  unsigned long first, last;
};

struct boot_ordinals {
  unsigned kind, core, image, number, id;
  unsigned long last; /* the highest ordinal so far */
  unsigned serial;    /* the number of dumps so far */
  bool gap;           /* something was lost after the last dump */
  uint32_t checks[ORDINALS];
  bool came[ORDINALS]; /* for each ordinal, true if it came; only for recent
                          ordinals */
  struct missing_range ranges[RANGES_MOST];
  size_t range_count;
};

/* The data that identify the first frame of a dump, a name or an answer. */
struct frame_identity {
  unsigned kind, core, image, boot, ordinal;
  uint32_t check;
};

struct ordinal_tracker {
  const struct reassembly_events *events;
  struct boot_ordinals *boots[BOOTS_MOST]; /* the boots, in the order of their
                                              last frames */
  size_t count;
  unsigned ids;
  bool joined[2][256]; /* for each kind and sender, true if the sender's first
                          boot has been seen */
  struct frame_identity last[SEEN_MOST];
  size_t last_next;
};

void ordinals_describe_missing(char text[MISSING_TEXT],
                               const struct missing_ordinal_range *missing) {
  char numbers[48];
  bool one = missing->first == missing->last;
  snprintf(numbers, sizeof numbers, one ? " %lu" : "s %lu to %lu",
           missing->first, missing->last);
  /* A boot without a number that begins with ordinal 1 looks like a loss if the
   * boot before it had more than LATE_MOST ordinals. */
  bool restart = !missing->boot && missing->last % ORDINALS == 0;
  snprintf(text, MISSING_TEXT,
           "dump or name number%s of core %u, image %u, boot %u %s missing%s",
           numbers, missing->core, missing->image, missing->boot,
           one ? "is" : "are", restart ? ", unless the target restarted" : "");
}

void ordinals_report_unnumbered(const char *name) {
  report(name, "lost dumps cannot be detected: the image has no guard word to "
               "number them");
}

struct ordinal_tracker *ordinals_new(const struct reassembly_events *events) {
  struct ordinal_tracker *ordinals = calloc(1, sizeof *ordinals);
  if (ordinals)
    ordinals->events = events;
  return ordinals;
}

static void report_and_remove_boot(struct ordinal_tracker *ordinals,
                                   size_t which) {
  struct boot_ordinals *boot = ordinals->boots[which];
  for (size_t i = 0; ordinals->events->missing && i < boot->range_count; i++) {
    struct missing_ordinal_range missing = {boot->core, boot->image,
                                            boot->number, boot->ranges[i].first,
                                            boot->ranges[i].last};
    ordinals->events->missing(ordinals->events->context, &missing);
  }
  free(boot);
  memmove(&ordinals->boots[which], &ordinals->boots[which + 1],
          (--ordinals->count - which) * sizeof *ordinals->boots);
}

static void add_missing_range(struct boot_ordinals *boot, unsigned long first,
                              unsigned long last) {
  if (first > last)
    return;
  boot->gap = true;
  if (boot->range_count == RANGES_MOST)
    boot->ranges[RANGES_MOST - 1].last = last;
  else
    boot->ranges[boot->range_count++] = (struct missing_range){first, last};
}

/* Removes an ordinal that came late from the missing ranges. Returns false if
 * the ordinal was not missing. */
static bool remove_missing_ordinal(struct boot_ordinals *boot,
                                   unsigned long ordinal) {
  for (size_t i = 0; i < boot->range_count; i++) {
    struct missing_range range = boot->ranges[i];
    if (ordinal < range.first || ordinal > range.last)
      continue;
    boot->range_count--;
    memmove(&boot->ranges[i], &boot->ranges[i + 1],
            (boot->range_count - i) * sizeof range);
    bool gap = boot->gap;
    add_missing_range(boot, range.first, ordinal - 1);
    add_missing_range(boot, ordinal + 1, range.last);
    boot->gap = gap;
    return true;
  }
  return false;
}

static void mark_ordinal_seen(struct boot_ordinals *boot,
                              const struct frame_identity *seen) {
  boot->checks[seen->ordinal] = seen->check;
  boot->came[seen->ordinal] = true;
}

/* Adds a boot. Ordinals before `seen` are missing, unless the host joined
 * the sender's first boot late. Returns NULL if memory runs out. */
static struct boot_ordinals *
add_boot_ordinals(struct ordinal_tracker *ordinals,
                  const struct frame_identity *seen) {
  bool samples = seen->kind == BAREPROF_KIND_SAMPLES;
  bool *joined = &ordinals->joined[samples][seen->image << 4 | seen->core];
  struct boot_ordinals *boot = calloc(1, sizeof *boot);
  if (!boot)
    return NULL;
  if (ordinals->count == BOOTS_MOST)
    report_and_remove_boot(ordinals, 0);
  ordinals->boots[ordinals->count++] = boot;
  boot->kind = seen->kind;
  boot->core = seen->core;
  boot->image = seen->image;
  boot->number = seen->boot;
  boot->id = ++ordinals->ids;
  boot->last = seen->ordinal;
  /* The table of samples may keep its ordinal in RAM over a reset, so the first
   * ordinal does not prove that dumps were lost. */
  if (!samples && (*joined || !ordinals->events->joins))
    add_missing_range(boot, 1, seen->ordinal - 1u);
  *joined = true;
  mark_ordinal_seen(boot, seen);
  return boot;
}

/* Advances to a new ordinal. Also marks the next ordinals as not yet received,
 * so that they can come again. */
static void advance_ordinal(struct boot_ordinals *boot, unsigned step) {
  for (unsigned i = 1; i <= step; i++)
    boot->came[(boot->last + i) % ORDINALS] = false;
  add_missing_range(boot, boot->last + 1, boot->last + step - 1);
  boot->last += step;
}

enum frame_fit { NEXT, REPEATED, OTHER_BOOT };

/* Decides whether a frame is the next frame of a boot, a repeated frame, or a
 * frame from another boot. */
static enum frame_fit
classify_and_note_frame(struct boot_ordinals *boot,
                        const struct frame_identity *seen) {
  unsigned step = (seen->ordinal - boot->last) % ORDINALS;
  unsigned back = ORDINALS - step;
  /* Firmware at rest sends the same frames again after 256 dumps. Such frames
   * are not repeats. */
  bool ahead = step && step <= AHEAD_MOST;
  if (!ahead && boot->came[seen->ordinal] &&
      boot->checks[seen->ordinal] == seen->check)
    return REPEATED;
  if (step && back > LATE_MOST) {
    advance_ordinal(boot, step);
    mark_ordinal_seen(boot, seen);
    return NEXT;
  }
  /* Two dumps have the same ordinal if an interrupt sends a dump just when the
   * interrupted code takes the ordinal for its own dump. */
  if (!step)
    return boot->number ? NEXT : OTHER_BOOT;
  if (!boot->number || back > boot->last ||
      !remove_missing_ordinal(boot, boot->last - back))
    return OTHER_BOOT;
  mark_ordinal_seen(boot, seen);
  return NEXT;
}

static size_t find_boot_index(const struct ordinal_tracker *ordinals,
                              const struct frame_identity *seen) {
  size_t i = ordinals->count;
  while (i--) {
    const struct boot_ordinals *boot = ordinals->boots[i];
    if (boot->kind == seen->kind && boot->core == seen->core &&
        boot->image == seen->image && boot->number == seen->boot)
      return i;
  }
  return SIZE_MAX;
}

/* Lets a boot without a number adopt the number in a request. The boot's
 * ordinals continue. */
static size_t adopt_boot_number(struct ordinal_tracker *ordinals,
                                const struct frame_identity *seen) {
  struct frame_identity before = *seen;
  before.boot = 0;
  size_t i = seen->boot ? find_boot_index(ordinals, &before) : SIZE_MAX;
  if (i == SIZE_MAX ||
      (seen->ordinal - ordinals->boots[i]->last) % ORDINALS != 1)
    return SIZE_MAX;
  ordinals->boots[i]->number = seen->boot;
  return i;
}

/* Returns whether this frame has been seen before, and remembers the frame. A
 * repeated frame comes from the link, or from a boot without a number that did
 * exactly the same as the boot before it. */
static bool remember_and_compare_frame(struct ordinal_tracker *ordinals,
                                       const struct frame_identity *seen) {
  for (size_t i = 0; i < SEEN_MOST; i++) {
    const struct frame_identity *last = &ordinals->last[i];
    if (last->check == seen->check && last->ordinal == seen->ordinal &&
        last->kind == seen->kind && last->core == seen->core &&
        last->image == seen->image && last->boot == seen->boot)
      return true;
  }
  ordinals->last[ordinals->last_next++ % SEEN_MOST] = *seen;
  return false;
}

/* Returns the boot of a frame. Returns NULL if the frame does not belong to a
 * boot, or if memory runs out. */
static struct boot_ordinals *assign_to_boot(struct ordinal_tracker *ordinals,
                                            const struct frame_identity *seen,
                                            bool *repeated) {
  size_t i = find_boot_index(ordinals, seen);
  *repeated = remember_and_compare_frame(ordinals, seen) && i != SIZE_MAX;
  if (*repeated)
    return ordinals->boots[i];
  if (i == SIZE_MAX)
    i = adopt_boot_number(ordinals, seen);
  if (i == SIZE_MAX && !seen->ordinal)
    return NULL;
  if (i == SIZE_MAX)
    return add_boot_ordinals(ordinals, seen);
  struct boot_ordinals *boot = ordinals->boots[i];
  enum frame_fit fit = classify_and_note_frame(boot, seen);
  *repeated = fit == REPEATED;
  if (fit == OTHER_BOOT) {
    report_and_remove_boot(ordinals, i);
    return add_boot_ordinals(ordinals, seen);
  }
  memmove(&ordinals->boots[i], &ordinals->boots[i + 1],
          (ordinals->count - 1 - i) * sizeof boot);
  ordinals->boots[ordinals->count - 1] = boot;
  return boot;
}

void ordinals_add_and_number(struct ordinal_tracker *ordinals,
                             struct dump_header *header, uint32_t check) {
  const struct frame_identity seen = {header->kind,    header->core,
                                      header->image,   header->boot,
                                      header->ordinal, check};
  bool repeated;
  struct boot_ordinals *boot = assign_to_boot(ordinals, &seen, &repeated);
  if (!boot) {
    if (!header->ordinal && ordinals->events->uncounted)
      ordinals->events->uncounted(ordinals->events->context, header);
    return;
  }
  header->boot_id = boot->id;
  if (repeated)
    return;
  header->serial = ++boot->serial;
  header->missing_before = boot->gap;
  boot->gap = false;
}

/* Returns the boot number for a name. A name may lack the number, because the
 * program passes the number only with the dump. The name belongs to the last
 * boot of its sender, if the name's ordinal is next in that boot or fills a
 * gap. */
static unsigned infer_boot_number(const struct ordinal_tracker *ordinals,
                                  const struct frame_identity *seen) {
  for (size_t i = ordinals->count; i--;) {
    struct boot_ordinals *boot = ordinals->boots[i];
    if (boot->kind != seen->kind || boot->core != seen->core ||
        boot->image != seen->image)
      continue;
    unsigned step = (seen->ordinal - boot->last) % ORDINALS;
    unsigned long late = boot->last - (ORDINALS - step);
    bool goes_on = (step && step <= LATE_MOST) ||
                   (boot->came[seen->ordinal] &&
                    boot->checks[seen->ordinal] == seen->check);
    for (size_t k = 0; k < boot->range_count; k++)
      goes_on |= boot->ranges[k].first <= late && late <= boot->ranges[k].last;
    return goes_on ? boot->number : seen->boot;
  }
  return seen->boot;
}

/* Answers about samples do not have ordinals. */
void ordinals_add_answer(struct ordinal_tracker *ordinals,
                         const struct answer *answer, uint32_t check) {
  struct frame_identity seen = {BAREPROF_KIND_PROFILE, answer->core,
                                answer->image,         answer->boot,
                                answer->ordinal,       check};
  bool repeated;
  if (!seen.boot)
    seen.boot = infer_boot_number(ordinals, &seen);
  assign_to_boot(ordinals, &seen, &repeated);
}

void ordinals_end_and_free(struct ordinal_tracker *ordinals) {
  while (ordinals->count)
    report_and_remove_boot(ordinals, 0);
  free(ordinals);
}
