/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames to dumps, dumps to snapshots. Any number of dumps of several cores,
 * images and starts may come mixed; each is put together by itself. What is
 * whole is handed out at once.
 *
 * What has gaps and a number of its start (header.boot) waits for later dumps
 * of that start. It is completed by dumps that show the same moment, by answers
 * to requests for what it lacks, and, in names and records, by any. Or it is
 * passed over, if a whole one has all that it shows. Without a number nothing
 * is known of what belongs together: what has gaps is handed out as it is.
 *
 * A dump is whole if its header and all elements that it announces have come
 * in frames whose checks are right, and, where its end has come too, if the
 * end's sum agrees that these frames belong together.
 */
#ifndef BAREPROF_TOOLS_COLLECT_H
#define BAREPROF_TOOLS_COLLECT_H

#include "../image/snapshot.h"

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
  /* A dump's header, as soon as no more of the dump will come; NULL: not
   * wanted. boot may be set to 0: it does not tell starts apart. */
  void (*header)(void *context, struct header *header);
  /* What is lost is asked for again, on a live port. Then the answers complete
   * what they were asked for even without a number, as images without a guard
   * word (MIP, samples) have none: as far as nothing contradicts. */
  bool asks;
};

struct collector;

/* NULL: out of memory. events must live as long as the collector. */
struct collector *collect_new(const struct collect_events *events);

/* Takes the console's text, as the scanner hands it out between frames: what is
 * left of damaged frames may be all that is left of a dump. What is where a
 * dump lacks frames is that dump's; the rest is lost. Not on a live port where
 * dumps are asked for: there they are asked for again. */
void collect_text(struct collector *collector, const unsigned char *bytes,
                  size_t size);

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

/* How many dumps had begun before the oldest of those of which more may come;
 * SIZE_MAX: there is none. Those of snapshots: `opened`. */
size_t collect_begun(const struct collector *collector);

/* Whether a dump has begun of which more may come. */
bool collect_running(const struct collector *collector);

/* Counts received of the latest open dump, and how many it announces. */
void collect_progress(const struct collector *collector, uint64_t *done,
                      uint64_t *all);

/* Nothing will come any more: hands out what is left, and frees. */
void collect_end(struct collector *collector);

#endif
