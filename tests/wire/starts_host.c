/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What session.c and inputs.c do with the events of the collector and of
 * starts.c, without their files and messages.
 */
#include "starts_host.h"

#include <stdlib.h>

#include "coverage/inputs/inputs.h"
#include "wire/session.h"

enum { FRAMES_LEAST = 4 /* the frames of the smallest dump */ };

static struct {
  host_accept *accept, *told;
  unsigned long whole, broken;
} host;

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  (void)context, (void)size;
  return frame && frame->type == BAREPROF_FRAME_ANSWER;
}

static void on_missing(void *context,
                       const struct missing_ordinal_range *missing) {
  (void)context, (void)missing;
  host.broken++;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  (void)context;
  host.whole++;
  host.accept(snapshot);
}

static void on_partial(void *context, struct snapshot *snapshot) {
  (void)context, (void)snapshot;
  host.broken++;
}

static void on_passed(void *context, struct snapshot *snapshot) {
  (void)context;
  host.told(snapshot);
}

static void on_lost(void *context, const char *what) {
  (void)context, (void)what;
  host.broken++;
}

bool host_receive(struct bytes log, host_accept *accept, host_accept *told) {
  const struct receiver_events events = {.dumps = {.whole = on_whole,
                                                   .partial = on_partial,
                                                   .passed = on_passed,
                                                   .lost = on_lost,
                                                   .missing = on_missing},
                                         .frame = on_frame};
  struct receiver hearing;
  host.accept = accept;
  host.told = told;
  host.whole = host.broken = 0;
  if (!receiver_begin(&hearing, &events))
    abort();
  receiver_feed(&hearing, log.data, log.size);
  /* If all frames of a dump are damaged, the exit status is 0, but a message
   * tells their number. */
  size_t damaged = receiver_end(&hearing);
  return host.whole && !host.broken && damaged < FRAMES_LEAST;
}

/* ---- report ---- */

static bool on_wanted(void *context, struct snapshot *dump) {
  (void)context, (void)dump;
  host.whole++;
  return true;
}

static void on_start(void *context, const struct snapshot *last, size_t dumps,
                     size_t untold) {
  (void)context, (void)dumps, (void)untold;
  host.accept(last);
}

static void on_trouble(void *context, const struct log_problem *trouble) {
  (void)context;
  host.broken += trouble->kind != TROUBLE_PASSED &&
                 trouble->kind != TROUBLE_UNCOUNTED;
}

bool host_report(struct bytes log, host_accept *accept) {
  const struct boots_events events = {
      .wanted = on_wanted, .boot_ended = on_start, .trouble = on_trouble};
  host.accept = accept;
  host.whole = host.broken = 0;
  return !boots_parse_log(log, &events, NULL) && host.whole && !host.broken;
}
