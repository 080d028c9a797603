/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the firmware is asked for: a reset, dumps, gaps of them, its state.
 * One request is under way at a time, and repeated until it has an effect.
 */
#ifndef BAREPROF_TOOLS_ASK_H
#define BAREPROF_TOOLS_ASK_H

#include "collect.h"
#include "frame.h"

/* Numbers of starts. */
enum { NAMES = 1 << 16 };

/* Looks at the state of a start, by a request for the gaps of a dump that names
 * none: its answer is a header and an end. Each look is the same request, so
 * the number of the answer is another one when the counts have changed. */
struct look {
  uint32_t tag; /* 0: there was none */
  unsigned sender, boot; /* the start that has answered; 0: it cannot be looked
                            at, and whole dumps are asked for */
  uint16_t state;
  bool known;     /* the state is */
  bool under_way; /* It is the wish that was sent last. */
  bool changed;   /* A whole dump is to be asked for. */
  bool several;   /* senders have answered: whole dumps, too */
};

struct ask {
  /* From the command line. */
  bool dump;       /* ask for dumps at all */
  bool reset;      /* first ask for a reset */
  bool samples;    /* for samples instead of profiles; also the reset */
  uint64_t every;  /* interval of requests for a dump; 0: one request */
  bool changes;    /* for further dumps only if the counts have changed */
  uint8_t options; /* of the dumps asked for */
  /* Only for ask.c. ask_begin sets these fields; all others are 0 at
   * first. */
  uint32_t first; /* tag of the first wish, above 0 and never used before */
  uint32_t tag;   /* of the last one; 0: there was none */
  bool again;     /* the wish is still the same */
  uint16_t name;  /* the last one given to a start without a number */
  unsigned char known[NAMES / 8]; /* numbers of starts that came, or were
                                     given, a bit each */
  unsigned char given[NAMES / 8];
  unsigned tries; /* tries of the same wish without an effect */
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
                char line[WISH_LINE]);

#endif
