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
 * compact dumps that show the same moment complete each other.
 *
 * A dump is complete if its header and all announced elements have come in
 * frames with correct checks. If the end has come too, the end's sum must also
 * agree that these frames belong together.
 */
#ifndef BAREPROF_TOOLS_COLLECT_H
#define BAREPROF_TOOLS_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../image/snapshot.h"
#include "frame.h"

/* ---- ordinals.c ----
 *
 * What is missing among the dumps, names and answers of a start, which a sender
 * numbers from 1, modulo 256. A sender is a core and an image; samples count by
 * themselves. Frames may come late: what looked missing then is not.
 *
 * A start without a number of its own has ended when an ordinal comes back.
 */

/* Numbers of a start, not modulo 256, from first to last. */
struct missing {
  unsigned core, image, boot;
  unsigned long first, last;
};

/* Says it for a message: what is missing, and of whom. */
enum { MISSING_TEXT = 128 };
void missing_tell(char text[MISSING_TEXT], const struct missing *missing);

/* Says on standard error that lost dumps of such a start cannot be seen. */
void uncounted_tell(const char *name);

struct collect_events;
struct ordinals;

/* NULL: out of memory. events (collect.h) must live as long as ordinals; only
 * missing, uncounted and joins matter here. */
struct ordinals *ordinals_new(const struct collect_events *events);

/* The frame that begins a dump, with that check, has come. Sets what the header
 * has of its start: start, serial and gap. */
void ordinals_dump(struct ordinals *ordinals, struct header *header,
                   uint32_t check);

/* An answer or a name has come. */
void ordinals_answer(struct ordinals *ordinals, const struct answer *answer,
                     uint32_t check);

/* Says what is missing, and frees it. */
void ordinals_end(struct ordinals *ordinals);

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

/* ---- dumps.c ----
 *
 * A dump while its frames come in: the received frames, and whether they belong
 * together.
 */

struct kept {
  uint64_t sequence; /* in the dump, not modulo 256 */
  uint32_t counts;   /* counters and bytes of bitmap in it */
  struct bytes bytes;
};

struct dump {
  uint16_t number;
  size_t order;   /* dumps that the collector had opened before */
  bool overtaken; /* Its sender has begun another dump since its last frame. */
  bool has_header, ended;
  struct header header; /* if has_header */
  uint64_t total;       /* the sequence of the last frame; if ended */
  uint32_t sum;         /* of the checks before it; if ended by an END */
  uint64_t last;        /* the sequence of the frame that came last */
  uint64_t counts;      /* in the frames received until now */
  struct kept *frames;  /* by ascending sequence */
  size_t count;
};

/* NULL: out of memory. */
struct dump *dump_new(uint16_t number);
void dump_free(struct dump *dump);

enum dump_fit {
  DUMP_OTHER, /* the frame is of another dump */
  DUMP_HAS,   /* The dump has the frame already: the wire repeated it. */
  DUMP_FITS
};

enum dump_fit dump_fit(const struct dump *dump, const struct frame *frame);

/* Adds a frame that fits. Returns NULL or the error; after an error the frame
 * is not added. */
const char *dump_add(struct dump *dump, const struct frame *frame,
                     struct bytes bytes);

/* Whether all frames have come, from the header to the end. */
bool dump_whole(const struct dump *dump);

/* Whether the end's sum agrees with the frames of a complete dump. */
bool dump_holds(const struct dump *dump);

/* The check of the frame at place i. */
uint32_t dump_check(const struct dump *dump, size_t i);

/* The checks of a dump's frames. They identify frames that the wire repeats
 * behind the dump's end. All 0 at first; the owner frees checks. */
struct echo {
  uint32_t *checks;
  size_t count;
};

void echo_remember(struct echo *echo, const struct dump *dump);

/* Whether all frames of the dump are remembered frames. */
bool echo_has(const struct echo *echo, const struct dump *dump);

/* For a dump that lacks only its header: tries the header of another dump with
 * this dump's number. The end's sum proves a match. */
void dump_guess_header(struct dump *dump, const struct header *header);

/* ---- remains.c ----
 *
 * Finds remains of damaged frames in the console's text. The scanner returns
 * every byte outside frames to that text. Remains may be all that is left of a
 * dump.
 *
 * TEXT: characters of base64 behind "~{", or from "~" to "}"; 16 and more
 * random-looking ones behind "~", in front of "}" or of a line with "~"; 72
 * random-looking ones, the length of a line. BINARY: a begin mark, a frame's
 * head, and behind it many bytes that are not text. This also works if the line
 * has stripped the eighth bits, or a program has read the bytes as Latin-1 or
 * UTF-8.
 */

/* All 0 at first. Only for remains.c. */
struct remains {
  struct {
    unsigned before; /* characters of the mark in front */
    unsigned length, different, changes, kinds;
    unsigned char last; /* character */
    unsigned mark;      /* characters of a mark just read */
    unsigned line;      /* one that looks random has just ended, with a line */
  } run;
  struct {
    uint32_t value;  /* of a character of UTF-8 until now */
    uint32_t least;  /* that its form may have */
    unsigned wanted; /* bytes that it still lacks */
  } utf8;
  struct {
    unsigned at; /* characters behind the begin mark, 0: none */
    bool colour; /* within the sequence of a terminal */
    bool flow;   /* XON or XOFF may stand in front of the sequence */
    unsigned strange;
    uint32_t mark, last; /* characters */
  } frame;
};

/* Takes the next text. Returns whether remains end in this text. */
bool remains_feed(struct remains *remains, const unsigned char *bytes,
                  size_t size);

/* Call behind the last text. Returns whether the text ends with remains. */
bool remains_end(struct remains *remains);

#endif
