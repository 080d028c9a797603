/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs `bareprof receive`. The bytes of a log or a live port go through the
 * scanner and the reassembler, and become files and messages for the user.
 * cmd/receive.c fills in a session and calls session_receive.
 */
#ifndef BAREPROF_TOOLS_SESSION_H
#define BAREPROF_TOOLS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../image/snapshot.h"
#include "../object/elf.h"
#include "answers.h"
#include "reassembly.h"
#include "frame.h"
#include "scan.h"

/* ---- dump_writer.c ----
 *
 * Writes the snapshots of `bareprof receive` to files, and messages about them
 * to standard error.
 */

struct dump_writer {
  /* These members come from the command line. */
  const char *out;       /* the name of the first file; see dump_writer.c */
  const char *elf_name;  /* the name of the ELF, or NULL */
  const struct elf *elf; /* the ELF, which names functions and fills gaps, if
                            elf_name is set */
  bool partial;          /* dumps with gaps are written, too */
  bool increments;       /* the difference between two dumps is written */
  /* These members are only for dump_writer.c; they are 0 at first. */
  struct snapshot *before; /* the last dump of each boot */
  size_t before_count;
  unsigned files;
  bool modulo;  /* the user was told that counts are modulo 2^32 */
  bool stopped; /* the user was told that increments are too low */
  /* These members are results for the caller. */
  unsigned whole;  /* the number of complete dumps written */
  unsigned broken; /* the number of dumps that have gaps or were not written */
};

/* Writes a complete snapshot to a file. May modify the snapshot. */
void dump_writer_write_complete(struct dump_writer *writer,
                                struct snapshot *snapshot);

/* Reports the gaps of a snapshot, and writes the snapshot if the user wants
 * dumps with gaps. If an ELF of the same build is given, its constant pieces
 * may complete the snapshot. */
void dump_writer_write_partial(struct dump_writer *writer,
                               struct snapshot *snapshot);

void dump_writer_free(struct dump_writer *writer);

/* ---- progress of a dump, for a terminal or a log ---- */

/* The progress of one dump. */
struct progress_state {
  size_t bytes;       /* the number of bytes received, with their encoding */
  uint64_t done, all; /* the number of elements received, and the number of all
                         elements; all is 0 while unknown */
};

struct progress_display {
  bool bar;     /* standard error is a terminal */
  bool console; /* standard output is a terminal too */
  bool running; /* true from the first update to the end of the dump */
  bool drawn;   /* the bar is visible */
  bool wide;    /* the unfinished line of text does not fit in `line` */
  struct progress_state state;
  struct timespec begun, shown;
  char line[64]; /* the line of text that is not finished yet */
  size_t used;
};

/* ---- receiver.c ----
 *
 * Turns console output into dumps. The bytes go to the scanner, and the frames
 * that the scanner finds go to the reassembler.
 *
 * A log may be in UTF-16, which PowerShell's `>` and some terminals write. A
 * UTF-16 log begins with a byte order mark and is converted to UTF-8. Other
 * logs pass unchanged. A log that changes its encoding has lost data. */

struct receiver_events {
  struct reassembly_events dumps; /* the events of the reassembler; all events
                                     get dumps.context */
  bool live; /* the input is a live port, not a log. A port is never UTF-16. The
                reassembler gets text only after the first frame, and never if
                dumps are requested */
  /* Receives console text; may be NULL. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* Receives a frame, or NULL if a frame contradicts itself. Returns true if
   * the frame does not belong to a dump; then the reassembler does not get the
   * frame. */
  bool (*frame)(void *context, const struct frame *frame, size_t size);
  /* Is called after the reassembler has processed a frame; may be NULL. */
  void (*taken)(void *context);
};

enum utf16_form { UTF16_UNKNOWN, UTF16_NONE, UTF16_LITTLE, UTF16_BIG };

/* Turns the bytes of one log or port into dumps. Other files use only the
 * member `reassembler`. */
struct receiver {
  struct reassembler *reassembler;
  const struct receiver_events *events;
  struct frame_scanner *scan;
  struct scan_events scanned;
  struct {
    enum utf16_form form;
    unsigned char held; /* the first byte of a pair of bytes */
    bool has_held;
    uint32_t high; /* the first half of a surrogate pair, or 0 */
    unsigned run;  /* the number of 8-bit characters of a frame in a row */
    bool mixed;    /* a part of the log has another encoding */
  } utf16;
  struct {
    /* text: the number of bytes outside frames; odd: how many of these bytes do
     * not occur in text. */
    uint64_t text, odd;
    size_t frames, damaged;
  } counts;
};

/* Begins to receive. Returns false if memory runs out; call receiver_end in any
 * case. `events` must live as long as the receiver. */
bool receiver_begin(struct receiver *receiver,
                    const struct receiver_events *events);

/* Scans the next bytes of a log or port, and calls the functions in `events`.
 */
void receiver_feed(struct receiver *receiver, const unsigned char *bytes,
                   size_t size);

/* Passes on held-back text, as scan_note_idle does. Call it when no byte has
 * come for a moment. */
void receiver_note_idle(struct receiver *receiver);

/* Passes on the remaining text and dumps. Call it at the end of input. Returns
 * how many frames were damaged. */
size_t receiver_end(struct receiver *receiver);

/* Returns whether the received bytes look as if the link had another baud rate.
 */
bool receiver_is_garbled(const struct receiver *receiver);

/* Returns why neither a complete dump nor one with gaps was found, and a
 * remedy. Call it after receiver_end. */
const char *receiver_explain_no_dump(const struct receiver *receiver);

/* ---- requester.c ----
 *
 * Sends requests to the firmware: for a reset, for dumps, for gaps of dumps,
 * and for the state of the counts (a poll). One request is active at a time,
 * and is repeated until it has an effect.
 */

/* A boot number has 16 bits. */
enum { BOOT_NUMBERS = 1 << 16 };

/* A poll finds out whether the counts of a boot have changed. A poll is a
 * request for gaps with an empty list of gaps; the answer is a header and an
 * end. All polls of a boot are the same request, so the dump number in the
 * answer changes only if the counts have changed. */
struct poll_state {
  uint32_t tag;          /* the tag of the poll; 0: no poll was sent */
  unsigned sender, boot; /* the sender and boot that answered last; boot 0: the
                            boot cannot be polled, so complete dumps are
                            requested */
  uint16_t state; /* the dump number in the last answer, a hash of the counts */
  bool known;     /* `state` comes from an answer */
  bool under_way; /* the request sent last was a poll */
  bool changed;   /* the next request is for a complete dump */
  bool several;   /* several senders have answered, so complete dumps are
                     requested */
};

struct requester {
  /* These members come from the command line. */
  bool dump;                /* dumps are requested */
  bool kinds[ANSWER_KINDS]; /* the kinds of commands to send first; false after
                               the answer */
  bool samples;    /* samples are requested instead of profiles, also for the
                      reset */
  uint64_t every;  /* the interval between requests for a dump; 0: only one
                      request is sent */
  bool changes;    /* further dumps are requested only if the counts have
                      changed */
  uint8_t options; /* the options of the requested dumps */
  /* These members are only for requester.c. requester_draw_numbers sets `first`
   * and `drawn`; the others are 0 at first. */
  uint32_t first; /* the tag of the first request, a random number above 0 */
  uint32_t tag;   /* the tag of the last request; 0: no request was sent */
  bool again;     /* the next request is the same as before */
  uint16_t drawn; /* the number drawn last for a boot without a number */
  unsigned char known[BOOT_NUMBERS / 8]; /* a bit for each boot number that was
                                            received */
  unsigned tries; /* how often the same request was sent without an effect */
  uint64_t since; /* the time of the first attempt */
  uint64_t next;  /* the time of the next attempt */
  uint64_t due;   /* the time of the next request for a dump */
  uint64_t heard; /* the time of the last frame */
  bool wants_dump;
  struct poll_state poll;
};

/* Draws the first tag and boot number of this run. */
void requester_draw_numbers(struct requester *requester);

/* Notes that a dump gets no more frames. Call it for complete and incomplete
 * dumps. */
void requester_note_closed_dump(struct requester *requester,
                                const struct dump_header *header, uint64_t now);

/* Requests the next dump at once, even if nothing has changed. */
void requester_make_dump_due(struct requester *requester);

/* Notes a frame. Call it for each frame. `end` says that the frame is the last
 * one of a dump. */
void requester_note_frame(struct requester *requester, uint64_t now, bool end);

/* Returns the kind to request before a dump, or ANSWER_KINDS. */
enum answer_kind requester_get_first_command(const struct requester *requester);

/* Notes an answer with the tag of the last request. Returns NULL, or the reason
 * why the firmware could not serve the request. */
const char *requester_note_answer(struct requester *requester,
                                  const struct answer *answer);

/* Returns whether a dump is used. Dumps from before the reset, and dumps that
 * an earlier run requested, are ignored. */
bool requester_wants_dump(const struct requester *requester,
                          const struct dump_header *header);

/* Notes that a complete dump has come. Call it for each complete dump. */
void requester_note_complete_dump(struct requester *requester, uint64_t now);

/* Returns how long the current request has waited for an answer. Returns 0 if
 * no request waits. */
uint64_t requester_wait_time(const struct requester *requester, uint64_t now);

/* Tells the user on standard error that the session waits for an answer. Call
 * it once, after REQUEST_REPORT_AFTER milliseconds. */
enum { REQUEST_REPORT_AFTER = 2000 };
void requester_report_wait(const struct requester *requester);

/* Builds the line to send now. Returns the length of the line, or 0 if nothing
 * is to be sent. Call it several times a second. */
size_t requester_build_next_line(struct requester *requester,
                                 struct reassembler *reassembler, uint64_t now,
                                 char line[REQUEST_LINE]);

/* ---- session.c ---- */

struct receive_session {
  /* These members come from the command line; all others are 0 at first. */
  const char *input;  /* a file, `-`, or the name of a port */
  bool live;          /* the input is a port */
  bool quiet;         /* the console's text is dropped */
  bool allow_missing; /* missing dumps are reported, but are not an error */
  unsigned long baud;
  unsigned count;   /* the number of complete dumps to wait for; 0: receive
                       until the end of input */
  uint64_t timeout; /* the session ends after so many ms without a byte; 0:
                       never, but a request waits for PATIENCE_DEFAULT */
  struct dump_writer writer;
  struct requester requester;
  /* These members are only for session.c. */
  struct progress_display progress;
  struct receiver receiver;
  size_t bytes;    /* the number of bytes received for the current dump */
  bool lost;       /* the user was told that something is lost */
  bool told;       /* the user was told the cause of the wait */
  bool unanswered; /* a request got no answer in time */
  bool refused;    /* the firmware has rejected a request */
  bool ending;     /* the session sends no more requests */
  bool gone;       /* the other side has closed the port */
  bool uncounted;  /* the user was told that dumps lack ordinals */
};

/* Returns milliseconds of a monotonic clock. */
uint64_t session_get_time(void);

/* Receives until the input or the session ends. Returns an exit status. */
int session_receive(struct receive_session *session);

#endif
