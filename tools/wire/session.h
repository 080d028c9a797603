/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: from the input (a log or a live port) through
 * scanner and collector to files and the user's terminal.
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
#include "collect.h"
#include "frame.h"
#include "scan.h"

/* ---- outcome.c ----
 *
 * Writes the snapshots of `bareprof receive` to files, and messages about them
 * to standard error.
 */

struct outcome {
  /* From the command line. */
  const char *out;       /* name of the first file; see outcome_name */
  const char *elf_name;  /* or NULL */
  const struct elf *elf; /* if elf_name: tells functions, fills holes */
  bool partial;          /* write dumps with gaps, too */
  bool increments;       /* write the difference between two dumps */
  /* Only for outcome.c, 0 at first. */
  struct snapshot *before; /* the last dump of each start */
  size_t before_count;
  unsigned files;
  bool modulo; /* it has been said that counts are modulo 2^32 */
  /* For the caller. */
  unsigned whole;  /* complete dumps written */
  unsigned broken; /* dumps with gaps, or not written */
};

/* Writes a complete snapshot, and may change the snapshot. */
void outcome_whole(struct outcome *outcome, struct snapshot *snapshot);

/* Takes a snapshot with gaps and reports the gaps. Constant pieces come from an
 * ELF of the same build; the snapshot may become complete this way. */
void outcome_partial(struct outcome *outcome, struct snapshot *snapshot);

void outcome_free(struct outcome *outcome);

/* ---- progress ----
 *
 * How far a dump is, for the user of a terminal or of a log.
 */

/* Of one dump. */
struct progress_state {
  size_t bytes;       /* received, encoding and all */
  uint64_t done, all; /* elements; all is 0 if not known yet */
};

struct progress {
  bool bar;     /* standard error is a terminal */
  bool console; /* standard output is one too */
  bool running; /* between the first update and the dump's end */
  bool drawn;   /* The bar is visible. */
  bool wide;    /* the unfinished line of text is longer than `line` */
  struct progress_state state;
  struct timespec begun, shown;
  char line[64]; /* the unfinished line of text */
  size_t used;
};

/* ---- hear.c ----
 *
 * Turns console output into dumps: the bytes go to the scanner, and the frames
 * found go to the collector.
 *
 * Logs may be in UTF-16, which PowerShell's `>` and some terminals write. A
 * UTF-16 log begins with a byte order mark and is converted to UTF-8. Other
 * logs pass unchanged.
 */

struct hear_events {
  struct collect_events dumps; /* its context is that of all */
  bool live; /* no log: no UTF-16; no text for the collector up to the first
                frame, nor if dumps are asked for */
  /* Console text; or NULL. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* A frame, NULL if it contradicts itself. Return true if the frame belongs to
   * no dump; then the collector does not get it. */
  bool (*frame)(void *context, const struct frame *frame, size_t size);
  /* The collector has taken a frame; or NULL. */
  void (*taken)(void *context);
};

enum utf16_form { UTF16_UNKNOWN, UTF16_NONE, UTF16_LITTLE, UTF16_BIG };

/* Everything except the collector is for hear.c only. */
struct hearing {
  struct collector *collector;
  const struct hear_events *events;
  struct scan *scan;
  struct scan_events scanned;
  struct {
    enum utf16_form form;
    unsigned char held; /* the first byte of a pair */
    bool has_held;
    uint32_t high; /* the first half of a surrogate pair, or 0 */
  } utf16;
  struct {
    uint64_t text, odd; /* bytes of text; those among them that no text has */
    size_t frames, damaged;
  } heard;
};

/* false: out of memory; call hear_end anyway. events must live as long as
 * hearing. */
bool hear_begin(struct hearing *hearing, const struct hear_events *events);

/* Takes the next bytes. */
void hear_feed(struct hearing *hearing, const unsigned char *bytes,
               size_t size);

/* Nothing has come for a moment: see scan_idle. */
void hear_idle(struct hearing *hearing);

/* Call at the end of input. Hands out the remaining text and dumps. Returns how
 * many frames came damaged. */
size_t hear_end(struct hearing *hearing);

/* Whether this is a line at another baud rate, by the bytes of its text. */
bool hear_is_odd(const struct hearing *hearing);

/* After hear_end, if no dump was handed out, whole or with gaps: why not, and
 * what to do. */
const char *hear_lacks(const struct hearing *hearing);

/* ---- ask.c ----
 *
 * What the firmware is asked for: a reset, dumps, gaps of them, its state.
 * One request is under way at a time, and repeated until it has an effect.
 */

/* Numbers of starts. */
enum { START_NUMBERS = 1 << 16 };

/* Looks at the state of a start, by a request for the gaps of a dump that names
 * none: its answer is a header and an end. Each look is the same request, so
 * the number of the answer is another one when the counts have changed. */
struct look {
  uint32_t tag;          /* 0: there was none */
  unsigned sender, boot; /* the start that has answered; 0: it cannot be looked
                            at, and whole dumps are asked for */
  uint16_t state;
  bool known;     /* the state is */
  bool under_way; /* It is the request that was sent last. */
  bool changed;   /* A whole dump is to be asked for. */
  bool several;   /* senders have answered: whole dumps, too */
};

struct ask {
  /* From the command line. */
  bool dump;                /* ask for dumps at all */
  bool kinds[ANSWER_KINDS]; /* first ask for these; not yet answered */
  bool samples;    /* for samples instead of profiles; also the reset */
  uint64_t every;  /* interval of requests for a dump; 0: one request */
  bool changes;    /* for further dumps only if the counts have changed */
  uint8_t options; /* of the dumps asked for */
  /* Only for ask.c. ask_begin sets these fields; all others are 0 at
   * first. */
  uint32_t first; /* tag of the first request, above 0 and never used before */
  uint32_t tag;   /* of the last one; 0: there was none */
  bool again;     /* the request is still the same */
  uint16_t name;  /* the last one given to a start without a number */
  unsigned char known[START_NUMBERS / 8]; /* numbers of starts that came, or
                                             were given, a bit each */
  unsigned tries; /* tries of the same request without an effect */
  uint64_t since; /* when the first of them was */
  uint64_t next;  /* when to ask again */
  uint64_t due;   /* when the next dump is to be asked for */
  uint64_t heard; /* when the last frame came */
  bool wants_dump;
  struct look look;
};

/* Draws the tags and names of this run. */
void ask_begin(struct ask *ask);

/* A dump has come, or all of it that will. */
void ask_header(struct ask *ask, const struct header *header, uint64_t now);

/* The next dump is asked for now, whether something has changed or not. */
void ask_now(struct ask *ask);

/* A frame has come; end: the last one of a dump. */
void ask_heard(struct ask *ask, uint64_t now, bool end);

/* The request before a dump; ANSWER_KINDS: no request. */
enum answer_kind ask_first(const struct ask *ask);

/* The answer to the last request, by its tag, has come. Returns NULL or the
 * reason of a refusal. */
const char *ask_answer(struct ask *ask, const struct answer *answer);

/* Whether to take a dump. Refuses dumps that an earlier run requested, and
 * dumps from before the reset. */
bool ask_wants(const struct ask *ask, const struct header *header);

/* A complete dump has come. */
void ask_whole(struct ask *ask, uint64_t now);

/* Returns how long no frame has come since the request; 0: all requests are
 * answered. */
uint64_t ask_waits(const struct ask *ask, uint64_t now);

/* Tells the user on standard error that an answer is waited for. Do so once,
 * after so many milliseconds. */
enum { ASK_TELL_AFTER = 2000 };
void ask_tell(const struct ask *ask);

/* Makes the line to send now. Returns its length, 0 for nothing. Call it some
 * times a second. */
size_t ask_line(struct ask *ask, struct collector *collector, uint64_t now,
                char line[REQUEST_LINE]);

struct session {
  /* From the command line; all other fields are 0 at first. */
  const char *input;  /* a file, - or the name of a port */
  bool live;          /* it is a port */
  bool quiet;         /* drop the console's text */
  bool allow_missing; /* missing dumps are told, and no error */
  unsigned long baud;
  unsigned count;   /* complete dumps before the end; 0: until the end of
                       input */
  uint64_t timeout; /* ms without a byte to give up after; 0: never, but a
                       request waits for PATIENCE_DEFAULT */
  struct outcome outcome;
  struct ask ask;
  /* Only for session.c. */
  struct progress progress;
  struct hearing hearing;
  size_t bytes;    /* received of the current dump */
  bool lost;       /* It has been said that something is lost. */
  bool told;       /* The user was told what the session waits for. */
  bool unanswered; /* A request got no answer until patience was over. */
  bool refused;
  bool ending;    /* Nothing more is requested. */
  bool gone;      /* The port has ended by itself. */
  bool uncounted; /* The user was told that dumps have no ordinals. */
};

/* Returns milliseconds of a monotonic clock. */
uint64_t session_now(void);

/* Receives until the end. Returns the exit status: 0 or 1. */
int session_run(struct session *session);

#endif
