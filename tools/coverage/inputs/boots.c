/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file sorts the dumps of a log by boot (struct boot) and passes the last
 * complete dump of each boot to the caller, usually inputs.c. wire/reassembly.h
 * assembles the dumps.
 */
#include "inputs.h"

#include <string.h>

#include "../../base/error.h"
#include "../../base/map.h"
#include "../../wire/session.h"
#include "../../wire/frame.h"

/* The limits for boots that run at the same time (on several cores, or as
 * several images), and for complete dumps that wait for their turn. */
enum { BOOTS_MOST = 16, HELD_MOST = 8 };

struct boot {
  struct snapshot last;       /* last complete dump of the boot, only counts */
  size_t dumps, merged_dumps; /* number of its dumps; `untold` in inputs.h */
};

struct boot_sorter {
  const struct boots_events *events;
  struct receiver receiver;
  struct boot list[BOOTS_MOST]; /* boots in the order of their last dumps */
  size_t count;
  struct snapshot held[HELD_MOST]; /* complete dumps that wait for their turn;
                                      only their counts are kept */
  size_t held_count;
  struct map seen; /* all dumps, once by their counts, and once by counts and
                      boot; the value says "met" */
  struct dump_names names;
  bool no_memory;
};

static void drop_boot(struct boot_sorter *sorter, size_t which) {
  struct boot *boot = &sorter->list[which];
  snapshot_free(&boot->last);
  sorter->count--;
  memmove(boot, boot + 1, (sorter->count - which) * sizeof *boot);
}

static void end_boot(struct boot_sorter *sorter, size_t which) {
  const struct boot *boot = &sorter->list[which];
  sorter->events->boot_ended(sorter->events->context, &boot->last, boot->dumps,
                             boot->merged_dumps);
  drop_boot(sorter, which);
}

/* Returns the index of the dump's boot, or the number of boots. A boot_id of 0
 * is unknown, and fits any boot. */
static size_t find_boot(const struct boot_sorter *sorter,
                        const struct dump_header *header) {
  for (size_t i = 0; i < sorter->count; i++) {
    const struct dump_header *one = &sorter->list[i].last.header;
    if (header_is_same_boot(one, header) &&
        (one->boot_id == header->boot_id || !one->boot_id || !header->boot_id))
      return i;
  }
  return sorter->count;
}

/* ---- complete dumps ---- */

/* Returns whether an earlier dump had the same counts; and the same core, image
 * and boot, if `header` is not NULL. Adds the dump. */
static bool find_or_add_dump(struct boot_sorter *sorter,
                             const struct snapshot *dump,
                             const struct dump_header *header) {
  uint64_t *met = map_find_or_add(
      &sorter->seen, snapshot_hash_counts(dump),
      header ? (uint64_t)header->core << 32 | header->image : UINT64_MAX,
      header ? header->boot : 0);
  sorter->no_memory |= !met;
  return met && (*met)++;
}

static bool do_dumps_overlap(const struct snapshot *a,
                             const struct snapshot *b) {
  return a->opened < b->closed && b->opened < a->closed;
}

/* Returns whether the sender has repeated this dump. A repeated dump may still
 * be new, because the first transfer may have had gaps. */
static bool is_repeated_dump(const struct snapshot *dump) {
  return dump->header.boot_id && !dump->header.serial;
}

/* Reports a dump to events->dump or events->unsure. `last` is the previous dump
 * of the boot, or NULL. `before` is the same dump if the new dump contains all
 * of its counts, else NULL. */
static void call_dump_event(struct boot_sorter *sorter,
                            const struct snapshot *dump,
                            const struct snapshot *last,
                            const struct snapshot *before, bool repeated) {
  const struct boots_events *events = sorter->events;
  bool skipped = false;
  if (!events->dump)
    return;
  const char *name = dump_names_find_and_use(&sorter->names, dump, &skipped);
  if (!name && repeated)
    return;
  /* A dump or a name of the boot may be missing before this dump. */
  const struct dump_header *header = &dump->header;
  unsigned before_it = last ? last->header.serial : 0;
  if (skipped || is_repeated_dump(dump) ||
      (header->serial &&
       (header->missing_before || header->serial != before_it + 1)))
    events->unsure(events->context, name, dump, before);
  else
    events->dump(events->context, name, dump, before);
}

/* Adds a dump to its boot, or begins a new boot. Takes over the snapshot of the
 * dump. */
static void add_dump_or_begin_boot(struct boot_sorter *sorter,
                                   struct snapshot *dump) {
  struct boot boot = {*dump, 1, 0};
  size_t i = find_boot(sorter, &dump->header);
  struct boot *before = i < sorter->count ? &sorter->list[i] : NULL;
  bool numbered = dump->header.boot;
  bool repeated = find_or_add_dump(sorter, dump, NULL);
  if (is_repeated_dump(dump) &&
      (repeated || (before && snapshot_follows(&before->last, dump)))) {
    snapshot_free(dump);
    return;
  }
  repeated &= !numbered;
  /* An ordinal that occurs again may be from another boot that did the same. */
  for (size_t k = 0; repeated && !before && k < sorter->count; k++)
    if (header_is_same_boot(&sorter->list[k].last.header, &dump->header))
      before = &sorter->list[i = k];
  bool follows = before && snapshot_follows(dump, &before->last);
  call_dump_event(sorter, dump, before ? &before->last : NULL,
                  follows ? &before->last : NULL, repeated);
  /* A numbered boot may have left the list. */
  if (numbered && find_or_add_dump(sorter, dump, &dump->header) && !before) {
    snapshot_free(dump);
    return;
  }
  if (follows && !repeated) {
    boot.dumps += before->dumps;
    boot.merged_dumps = before->merged_dumps + !numbered;
    drop_boot(sorter, i);
    sorter->list[sorter->count++] = boot;
    return;
  }
  /* The counts are lower at this point: lines of the log were swapped or
   * repeated, or the counters were reset. Dumps with the same boot number are
   * not added to each other. Without a boot number, an apparent repetition is
   * not added either. */
  if (before &&
      (repeated || ((numbered || do_dumps_overlap(dump, &before->last)) &&
                    snapshot_follows(&before->last, dump)))) {
    before->dumps++;
    before->merged_dumps++;
    if (before->last.header.serial < dump->header.serial)
      before->last.header.serial = dump->header.serial;
    snapshot_free(dump);
    return;
  }
  if (before)
    end_boot(sorter, i);
  else if (sorter->count == BOOTS_MOST)
    end_boot(sorter, 0);
  sorter->list[sorter->count++] = boot;
}

static bool continues_boot(const struct boot_sorter *sorter,
                           const struct snapshot *dump) {
  size_t i = find_boot(sorter, &dump->header);
  return i < sorter->count && snapshot_follows(dump, &sorter->list[i].last);
}

/* Returns the index of the earliest waiting dump. The order of dumps with
 * interleaved frames is unknown, so a dump that continues a boot is
 * preferred. */
static size_t find_next_held_dump(const struct boot_sorter *sorter) {
  const struct snapshot *held = sorter->held;
  size_t first = 0;
  for (size_t i = 1; i < sorter->held_count; i++)
    if (held[i].opened < held[first].opened)
      first = i;
  if (continues_boot(sorter, &held[first]))
    return first;
  for (size_t i = 0; i < sorter->held_count; i++)
    if (do_dumps_overlap(&held[i], &held[first]) &&
        continues_boot(sorter, &held[i]))
      return i;
  return first;
}

/* Adds the waiting dumps that ended before dump number `begun` began. If too
 * many dumps are waiting, adds the next one, too. */
static void add_held_dumps(struct boot_sorter *sorter, size_t begun) {
  while (sorter->held_count) {
    size_t first = find_next_held_dump(sorter);
    struct snapshot dump = sorter->held[first];
    if (dump.closed > begun && sorter->held_count < HELD_MOST)
      return;
    sorter->held[first] = sorter->held[--sorter->held_count];
    add_dump_or_begin_boot(sorter, &dump);
  }
}

static void flush_and_hold_dump(struct boot_sorter *sorter,
                                const struct snapshot *dump) {
  size_t begun = reassembly_oldest_open_dump(sorter->receiver.reassembler);
  add_held_dumps(sorter, dump->opened < begun ? dump->opened : begun);
  if (snapshot_copy_counts(&sorter->held[sorter->held_count], dump))
    sorter->held_count++;
  else
    sorter->no_memory = true;
}

/* ---- events of the reassembler ---- */

static void call_trouble_event(const struct boot_sorter *sorter,
                               struct log_problem trouble) {
  if (sorter->events->trouble)
    sorter->events->trouble(sorter->events->context, &trouble);
}

static void on_complete_dump(void *context, struct snapshot *dump) {
  struct boot_sorter *sorter = context;
  if (sorter->events->wanted(sorter->events->context, dump))
    flush_and_hold_dump(sorter, dump);
}

static void on_partial_dump(void *context, struct snapshot *dump) {
  struct boot_sorter *sorter = context;
  const struct boots_events *events = sorter->events;
  if (!events->wanted(events->context, dump))
    return;
  if (snapshot_is_complete(dump))
    flush_and_hold_dump(sorter, dump);
  else
    call_trouble_event(sorter,
                       (struct log_problem){TROUBLE_GAPS, .dump = dump});
}

static void on_passed_dump(void *context, struct snapshot *dump) {
  struct boot_sorter *sorter = context;
  const struct boots_events *events = sorter->events;
  if (events->wanted(events->context, dump))
    call_trouble_event(sorter,
                       (struct log_problem){TROUBLE_PASSED, .dump = dump});
}

static void on_data_lost(void *context, const char *what) {
  call_trouble_event(context, (struct log_problem){TROUBLE_LOST, .lost = what});
}

static void on_dump_header(void *context, struct dump_header *header) {
  struct boot_sorter *sorter = context;
  if (sorter->events->header)
    sorter->events->header(sorter->events->context, header);
}

static void on_missing_ordinals(void *context,
                                const struct missing_ordinal_range *missing) {
  call_trouble_event(context,
                     (struct log_problem){TROUBLE_MISSING, .missing = missing});
}

static void on_uncounted_dumps(void *context,
                               const struct dump_header *header) {
  call_trouble_event(context,
                     (struct log_problem){TROUBLE_UNCOUNTED, .header = header});
}

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  struct boot_sorter *sorter = context;
  struct answer answer;
  (void)size;
  if (!frame || (frame->type != BAREPROF_FRAME_REFUSED &&
                 frame->type != BAREPROF_FRAME_ANSWER))
    return false;
  if (frame_parse_answer(&answer, frame))
    return frame->type == BAREPROF_FRAME_ANSWER;
  if (frame->type == BAREPROF_FRAME_REFUSED)
    call_trouble_event(
        sorter, (struct log_problem){TROUBLE_REFUSED, .answer = &answer});
  else if (answer.command == BAREPROF_COMMAND_NAME)
    dump_names_add_answer(&sorter->names, &answer,
                          reassembly_dump_count(sorter->receiver.reassembler));
  return true;
}

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct boot_sorter *sorter = context;
  dump_names_add_text(&sorter->names, (struct bytes){bytes, size},
                      reassembly_dump_count(sorter->receiver.reassembler));
}

static bool refuse_dump(void *context, struct snapshot *dump) {
  (void)context;
  (void)dump;
  return false;
}

const char *boots_parse_headers(struct bytes log,
                                void (*header)(void *context,
                                               struct dump_header *header),
                                void *context) {
  const struct boots_events events = {
      .context = context, .wanted = refuse_dump, .header = header};
  return boots_parse_log(log, &events, NULL);
}

const char *boots_parse_log(struct bytes log, const struct boots_events *events,
                            const char **lacks) {
  struct boot_sorter sorter = {.events = events,
                               .seen.limit = SIZE_MAX,
                               .names = {.pattern = events->pattern}};
  const struct receiver_events heard = {
      .dumps = {.context = &sorter,
                .whole = on_complete_dump,
                .partial = on_partial_dump,
                .passed = on_passed_dump,
                .lost = on_data_lost,
                .header = on_dump_header,
                .missing = on_missing_ordinals,
                .uncounted = on_uncounted_dumps,
                .joins = events->joins,
                .asks = events->polls},
      .live = events->polls,
      .text = on_text,
      .frame = on_frame};
  bool begun = receiver_begin(&sorter.receiver, &heard);
  if (begun)
    receiver_feed(&sorter.receiver, log.data, log.size);
  receiver_end(&sorter.receiver);
  if (lacks)
    *lacks = receiver_explain_no_dump(&sorter.receiver);
  add_held_dumps(&sorter, SIZE_MAX);
  while (sorter.count)
    end_boot(&sorter, 0);
  for (size_t i = 0; events->dump && i < sorter.names.count; i++)
    if (dump_names_get_unused(&sorter.names, i))
      events->lost_name(events->context,
                        dump_names_get_unused(&sorter.names, i));
  dump_names_free(&sorter.names);
  map_free(&sorter.seen);
  return !begun || sorter.no_memory || sorter.names.no_memory ? out_of_memory
                                                              : NULL;
}
