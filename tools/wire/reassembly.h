/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembles frames into dumps, and dumps into snapshots. The frames of any
 * number of dumps, from several cores, images and boots, may arrive mixed. Each
 * dump is assembled separately. A complete dump is passed on at once: to
 * session.c for `receive`, to coverage/inputs/ for `report` and `run`.
 *
 * A dump with gaps waits for later dumps of the same boot, if it has a boot
 * number (header.boot). Three kinds of dumps fill its gaps: dumps that show the
 * same moment, answers to requests for the gaps, and, for names and records
 * only, any dump. If a later complete dump contains all its counts, the dump
 * with gaps is passed over. Without a boot number nobody knows which dumps
 * belong together; then only compact dumps that show the same moment complete
 * each other.
 *
 * A dump is complete if its header and all announced elements have arrived in
 * frames with correct CRCs. If the end frame has arrived too, its sum must
 * confirm that these frames belong together.
 */
#ifndef BAREPROF_TOOLS_REASSEMBLY_H
#define BAREPROF_TOOLS_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../image/snapshot.h"
#include "frame.h"

/* ---- ordinals.c ----
 *
 * Finds out which dumps, names and answers of a boot are missing. A sender,
 * which is an image on a core, numbers dumps, names and answers from 1, modulo
 * 256. Samples have numbers of their own. A frame that comes late does not
 * count as missing.
 *
 * A boot without a boot number has ended when an ordinal occurs a second time.
 */

/* A range of missing ordinals of a boot, counted without the modulo. */
struct missing_ordinal_range {
  unsigned core, image, boot;
  unsigned long first, last;
};

/* Writes a message about the missing range into `text`. */
enum { MISSING_TEXT = 160 };
void ordinals_describe_missing(char text[MISSING_TEXT],
                               const struct missing_ordinal_range *missing);

/* Prints on standard error that lost dumps of this boot cannot be detected. */
void ordinals_report_unnumbered(const char *name);

struct reassembly_events;
struct ordinal_tracker;

/* Returns a tracker of ordinals, or NULL if memory runs out. ordinals.c uses
 * the members missing, uncounted and joins of events (below), which must live
 * as long as the tracker. */
struct ordinal_tracker *ordinals_new(const struct reassembly_events *events);

/* Adds a dump. Call it for the first frame of a dump; `check` is the frame's
 * CRC. Sets the header's fields about the boot: boot_id, serial and
 * missing_before. */
void ordinals_add_and_number(struct ordinal_tracker *ordinals,
                             struct dump_header *header, uint32_t check);

/* Adds an answer or a name; `check` is the CRC of its frame. Call this function
 * for each answer and each name. */
void ordinals_add_answer(struct ordinal_tracker *ordinals,
                         const struct answer *answer, uint32_t check);

/* Reports the missing ranges of all boots, and frees the tracker. */
void ordinals_end_and_free(struct ordinal_tracker *ordinals);

/* ---- reassembly.c ---- */

struct reassembly_events {
  void *context;
  /* Receives a complete snapshot. The callee may modify the snapshot, which is
   * valid only during the call. */
  void (*whole)(void *context, struct snapshot *snapshot);
  /* Receives a snapshot with gaps that no later dump can fill. */
  void (*partial)(void *context, struct snapshot *snapshot);
  /* Receives a snapshot with gaps that is not needed, because a later dump of
   * the same boot is complete and contains all its counts. */
  void (*passed)(void *context, struct snapshot *snapshot);
  /* Reports that something was lost, and that nobody knows which dump it
   * belonged to. */
  void (*lost)(void *context, const char *what);
  /* Receives the header of a dump that gets no more frames; may be NULL. The
   * callee may set boot to 0 if the boot number does not distinguish boots. */
  void (*header)(void *context, struct dump_header *header);
  /* True on a live port, where the host requests lost parts again. Answers then
   * fill the gaps that the requests named, until another boot answers. */
  bool asks;
  /* Reports that dumps, names or answers of a boot are missing; may be NULL. */
  void (*missing)(void *context, const struct missing_ordinal_range *missing);
  /* Reports that the dumps of a boot lack ordinals, so losses cannot be
   * detected. */
  void (*uncounted)(void *context, const struct dump_header *header);
  /* True if the ordinals before the first received frame do not count as
   * missing. */
  bool joins;
};

struct reassembler;

/* Returns a new reassembler, or NULL if memory runs out. `events` must live as
 * long as the reassembler. */
struct reassembler *reassembly_new(const struct reassembly_events *events);

/* Reads the console text that the scanner found between frames. Fragments of
 * damaged frames in the text may be the only trace of a dump. If a dump lacks
 * frames at this place, the fragments belong to it; other fragments are
 * reported as lost. Do not call this function on a live port with requests,
 * because the host requests lost dumps again there. */
void reassembly_add_text(struct reassembler *reassembler,
                         const unsigned char *bytes, size_t size);

/* Adds a frame of a dump, as the scanner found it. */
void reassembly_add_frame(struct reassembler *reassembler, struct bytes bytes,
                          bool mended);

/* Adds a frame that contains an answer or a name. */
void reassembly_add_answer(struct reassembler *reassembler,
                           const struct frame *frame);

/* Closes the dumps that have ended, or all dumps if `all` is true. A closed
 * dump gets no more frames, so its gaps count as missing. Call this function
 * for live ports only: in a log, a later dump shows the end of an earlier one.
 */
void reassembly_close_dumps(struct reassembler *reassembler, bool all);

/* Lists gaps whose elements should be requested again: the first gaps of the
 * first dump with gaps, at most `room` gaps. Returns the number of gaps.
 * *header is the dump's header, valid until the next frame. */
unsigned reassembly_list_gaps(const struct reassembler *reassembler,
                              const struct dump_header **header,
                              struct snapshot_gap *holes, unsigned room);

/* Returns how many dumps had begun before the oldest dump that may still get
 * frames. Returns SIZE_MAX if no dump may get frames. The field `opened` of a
 * snapshot is the same number for the snapshot's dump. */
size_t reassembly_oldest_open_dump(const struct reassembler *reassembler);

/* Returns how many dumps have begun. */
size_t reassembly_dump_count(const struct reassembler *reassembler);

/* Returns whether any dump is open, that is, may still get frames. */
bool reassembly_has_open_dump(const struct reassembler *reassembler);

/* Returns how many counts of the latest open dump have been received, and how
 * many its header announced. */
void reassembly_get_progress(const struct reassembler *reassembler,
                             uint64_t *done, uint64_t *all);

/* Passes on the remaining dumps, and frees the reassembler. Call it at the end
 * of input. */
void reassembly_end_and_free(struct reassembler *reassembler);

/* ---- dumps.c ----
 *
 * Keeps the frames of a dump that is being received, and decides whether they
 * belong together. */

struct received_frame {
  uint64_t sequence; /* the number of the frame in the dump, without the
                        modulo */
  uint32_t counts;   /* the number of counters and bitmap bytes in the frame */
  struct bytes bytes;
};

struct received_dump {
  uint16_t number;
  size_t order;   /* the number of dumps that were opened before this one */
  bool overtaken; /* the sender has begun another dump since the last frame of
                     this dump */
  bool has_fragment; /* a fragment was taken for a part of frames that the dump
                        lacked */
  bool has_header, ended;
  struct dump_header header; /* the header; only valid if has_header is set */
  uint64_t total;  /* if the dump has ended, the sequence number of its
                           last frame */
  uint32_t sum;    /* if an END frame came, the sum of the CRCs of the
                           frames before it */
  uint64_t last;   /* the sequence number of the latest frame */
  uint64_t counts; /* the number of counts in the frames received so far */
  struct received_frame *frames; /* the frames, sorted by sequence number */
  size_t count;
};

/* Returns a new dump, or NULL if memory runs out. */
struct received_dump *dump_new(uint16_t number);
void dump_free(struct received_dump *dump);

enum dump_match {
  DUMP_OTHER, /* the frame belongs to another dump */
  DUMP_HAS,   /* the dump already has the frame, because the link repeated it */
  DUMP_FITS
};

enum dump_match dump_match_frame(const struct received_dump *dump,
                                 const struct frame *frame);

/* Adds a frame that belongs to the dump. Returns NULL, or the error if the
 * frame was not added. */
const char *dump_add_frame(struct received_dump *dump,
                           const struct frame *frame, struct bytes bytes);

/* Returns whether all frames from the header to the end have arrived. */
bool dump_is_complete(const struct received_dump *dump);

/* Returns whether the sum in the end frame of a complete dump agrees with its
 * frames. */
bool dump_sum_matches(const struct received_dump *dump);

/* Returns the CRC of the received frame with index i. */
uint32_t dump_frame_crc(const struct received_dump *dump, size_t i);

/* The CRCs of the frames of a complete dump. With them, dump_crcs_contain_dump
 * recognises frames that the link repeats after the end of the dump. Initialise
 * with zeros; the owner frees checks. */
struct dump_crcs {
  uint32_t *checks;
  size_t count;
};

void dump_remember_crcs(struct dump_crcs *echo,
                        const struct received_dump *dump);

/* Returns whether each frame of the dump is one of the frames with these CRCs.
 */
bool dump_crcs_contain_dump(const struct dump_crcs *echo,
                            const struct received_dump *dump);

/* Uses the header of another dump for a dump that lacks only its header, if the
 * end frame's sum proves that the header fits. */
void dump_restore_header(struct received_dump *dump,
                         const struct dump_header *header);

/* ---- frame_fragments.c ----
 *
 * Finds fragments of damaged frames in console text. The scanner returns all
 * bytes outside frames as text, so a fragment may be the only trace of a dump.
 *
 * In TEXT encoding, a fragment is a run of base64 characters: any run after
 * "~{" or between "~" and "}"; a run of at least 16 that look random, if the
 * run follows "~", or stands before "}" or before a line with "~"; or 72 that
 * look random, which is the length of a full line. In BINARY encoding, a
 * fragment is a begin mark, a frame head, and then many bytes that are not
 * text. Fragments are also found if the link has cleared the eighth bits, or if
 * a program has read the bytes as Latin-1 or UTF-8. */

/* The state of the search, for frame_fragments.c. Initialise with zeros. */
struct fragment_finder {
  struct {
    unsigned before; /* the number of mark characters before the run */
    unsigned length, different, changes, kinds;
    unsigned char last; /* the last character of the run */
    unsigned mark;      /* the number of mark characters just read */
    unsigned line;      /* a line that looks random has just ended */
  } run;
  struct {
    uint32_t value;  /* the value of the incomplete UTF-8 character */
    uint32_t least;  /* the lowest value that a character of this length may
                        have */
    unsigned wanted; /* the number of bytes that the character still lacks */
  } utf8;
  struct {
    unsigned at; /* the position after the begin mark; 0: there was no begin
                    mark */
    bool colour; /* the position is inside a terminal's colour sequence */
    bool flow;   /* XON or XOFF may come before the sequence number */
    unsigned strange;
    uint32_t mark, last; /* the character of the mark; the last character */
  } frame;
};

/* Reads the next text. Returns true if a fragment ends in this text. */
bool frame_fragments_feed(struct fragment_finder *finder,
                          const unsigned char *bytes, size_t size);

/* Ends the text. Returns true if the text ends with a fragment. */
bool frame_fragments_end(struct fragment_finder *finder);

#endif
