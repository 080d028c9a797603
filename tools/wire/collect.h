/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames to dumps, dumps to snapshots. Any number of dumps of several cores,
 * images and starts may come mixed; each dump is assembled separately. A
 * complete dump is handed out at once.
 *
 * A dump with gaps and a start number (header.boot) waits for later dumps of
 * that start. Three kinds of dumps fill its gaps: dumps that show the same
 * moment, answers to requests for the gaps, and, for names and records only,
 * any dump. If a complete dump has all its counts, the dump with gaps is passed
 * over. Without a start number nobody knows which dumps belong together: only
 * compact dumps of format 3 that show the same moment complete each other.
 *
 * A dump is complete if its header and all announced elements have come in
 * frames with correct checks. If the end has come too, the end's sum must also
 * agree that these frames belong together.
 */
#ifndef BAREPROF_TOOLS_COLLECT_H
#define BAREPROF_TOOLS_COLLECT_H

#include "../image/snapshot.h"
#include "ordinals.h"

struct collect_events {
  void *context;
  /* A complete snapshot, as soon as it is complete. Valid during the call; the
   * callee may change the snapshot. */
  void (*whole)(void *context, struct snapshot *snapshot);
  /* A snapshot with gaps that nothing will fill any more. */
  void (*partial)(void *context, struct snapshot *snapshot);
  /* A snapshot with gaps that is not needed: a later dump of the same start is
   * complete and has all of its counts. */
  void (*passed)(void *context, struct snapshot *snapshot);
  /* Something was lost that cannot be named more closely. */
  void (*lost)(void *context, const char *what);
  /* A dump's header, as soon as no more of the dump will come; NULL: not
   * wanted. The callee may set boot to 0 if the number does not distinguish
   * starts. */
  void (*header)(void *context, struct header *header);
  /* On a live port, requests ask again for lost parts. The answers then fill
   * the gaps that the requests named, until another start answers. */
  bool asks;
  /* Of the dumps, names and answers of a start, some are missing in between;
   * NULL: not wanted. */
  void (*missing)(void *context, const struct missing *missing);
  /* A dump has come of a start that numbers none. */
  void (*uncounted)(void *context, const struct header *header);
  /* What was sent before the first frame that came is not missing. */
  bool joins;
};

struct collector;

/* NULL: out of memory. events must live as long as the collector. */
struct collector *collect_new(const struct collect_events *events);

/* Takes the console's text that the scanner hands out between frames. Remains
 * of damaged frames may be all that is left of a dump. Remains at a place where
 * a dump lacks frames belong to that dump; other remains are lost. Do not call
 * it on a live port with requests: there the host asks again for lost dumps. */
void collect_text(struct collector *collector, const unsigned char *bytes,
                  size_t size);

/* Takes a frame of a dump, as the scanner found it. */
void collect_frame(struct collector *collector, struct bytes bytes,
                   bool mended);

/* Takes a frame that is an answer or a name. */
void collect_answer(struct collector *collector, const struct frame *frame);

/* Says that nothing more will come of the dumps that have ended, or of all
 * dumps: their gaps become missing. For live ports only; otherwise a later dump
 * shows the end. */
void collect_settle(struct collector *collector, bool all);

/* Lists gaps to ask for again: the first gaps of the first dump that has some,
 * at most room gaps. Returns their number. *header is the dump's header, valid
 * until the next frame. */
unsigned collect_missing(const struct collector *collector,
                         const struct header **header, struct hole *holes,
                         unsigned room);

/* Returns how many dumps had begun before the oldest dump that may get more
 * frames; SIZE_MAX: there is no such dump. The number of a snapshot's dump is
 * `opened`. */
size_t collect_begun(const struct collector *collector);

/* Returns how many dumps have begun. */
size_t collect_opened(const struct collector *collector);

/* Whether a dump has begun that may get more frames. */
bool collect_running(const struct collector *collector);

/* Returns the received and the announced counts of the latest open dump. */
void collect_progress(const struct collector *collector, uint64_t *done,
                      uint64_t *all);

/* Call at the end of input. Hands out the remaining dumps, and frees the
 * collector. */
void collect_end(struct collector *collector);

#endif
