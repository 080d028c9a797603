/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames to dumps, dumps to snapshots. Any number of dumps of several cores,
 * images and starts may come mixed; each is put together by itself. What is
 * whole is handed out at once; what has gaps waits for later dumps of the
 * same start, which may fill them.
 *
 * A dump is whole if its header and all elements that it announces have come
 * in frames whose checks are right, and, where its end has come too, if the
 * end's sum agrees that these frames belong together.
 */
#ifndef BAREPROF_TOOLS_COLLECT_H
#define BAREPROF_TOOLS_COLLECT_H

#include "snapshot.h"

struct collect_events {
  void *context;
  /* A whole snapshot, as soon as it is one. Valid during the call, and may be
   * changed. */
  void (*whole)(void *context, struct snapshot *snapshot);
  /* One with gaps that nothing will fill any more. */
  void (*partial)(void *context, struct snapshot *snapshot);
  /* One with gaps that nobody needs: a later dump of the same start is whole,
   * and has all of its counts. */
  void (*passed)(void *context, struct snapshot *snapshot);
  /* Something was lost that cannot be named more closely. */
  void (*lost)(void *context, const char *what);
};

struct collector;

/* NULL: out of memory. events must live as long as the collector. */
struct collector *collect_new(const struct collect_events *events);

/* Takes a frame of a dump, as the scanner found it. */
void collect_frame(struct collector *collector, struct bytes bytes,
                   bool mended);

/* Nothing more will come of the dumps that have ended, or of all: what they
 * lack becomes missing. For live ports; otherwise a later dump tells. */
void collect_settle(struct collector *collector, bool all);

/* What could be asked for again: the first gaps of the first dump that has
 * some, at most room of them. Returns how many; *header is the dump's, valid
 * until the next frame. */
unsigned collect_missing(const struct collector *collector,
                         const struct header **header, struct hole *holes,
                         unsigned room);

/* Whether a dump has begun of which more may come. */
bool collect_running(const struct collector *collector);

/* Counts received of the latest open dump, and how many it announces. */
void collect_progress(const struct collector *collector, uint64_t *done,
                      uint64_t *all);

/* Nothing will come any more: hands out what is left, and frees. */
void collect_end(struct collector *collector);

#endif
