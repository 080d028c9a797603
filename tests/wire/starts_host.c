/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What session.c and inputs.c do with the events of the collector and of
 * starts.c, without their files and messages.
 */
#include "starts_host.h"

#include "collect.h"
#include "coverage/starts.h"
#include "scan.h"

static struct {
  host_accept *accept;
  struct collector *collector;
  unsigned long whole, broken;
} host;

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  (void)context;
  collect_text(host.collector, bytes, size);
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct bytes all = {bytes, size};
  struct frame frame;
  (void)context;
  if (frame_read(&frame, all) || (frame.type != BAREPROF_FRAME_REQUEST &&
                                  frame.type != BAREPROF_FRAME_ANSWER))
    collect_frame(host.collector, all, mended);
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
  (void)context, (void)snapshot;
}

static void on_lost(void *context, const char *what) {
  (void)context, (void)what;
  host.broken++;
}

bool host_receive(struct bytes log, host_accept *accept) {
  const struct collect_events events = {
      NULL, on_whole, on_partial, on_passed, on_lost, NULL, false};
  const struct scan_events scanned = {NULL, on_text, on_frame};
  host.accept = accept;
  host.whole = host.broken = 0;
  host.collector = collect_new(&events);
  struct scan *scan = scan_new(&scanned);
  scan_feed(scan, log.data, log.size);
  scan_end(scan);
  collect_end(host.collector);
  return host.whole && !host.broken;
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

static void on_gaps(void *context, const struct snapshot *dump) {
  (void)context, (void)dump;
  host.broken++;
}

static void on_nothing(void *context, const struct snapshot *dump) {
  (void)context, (void)dump;
}

static void on_refused(void *context, const struct answer *answer) {
  (void)context, (void)answer;
  host.broken++;
}

static void on_header(void *context, struct header *header) {
  (void)context, (void)header;
}

bool host_report(struct bytes log, host_accept *accept) {
  const struct starts_events events = {
      NULL,    on_wanted,  on_start,  on_gaps, on_nothing,
      on_lost, on_refused, on_header, NULL,    NULL};
  host.accept = accept;
  host.whole = host.broken = 0;
  return !starts_read(log, &events, NULL) && host.whole && !host.broken;
}
