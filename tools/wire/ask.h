/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof receive` asks of the firmware on a live port, and when: a
 * reset, dumps, and again what got lost. Time is in milliseconds, from any
 * beginning.
 */
#ifndef BAREPROF_TOOLS_ASK_H
#define BAREPROF_TOOLS_ASK_H

#include "collect.h"
#include "compose.h"

struct ask {
  /* From the command line. */
  bool dump;       /* ask for dumps at all */
  bool reset;      /* first ask for a reset */
  uint64_t every;  /* ask for a dump that often; 0: once */
  uint8_t options; /* of the dumps asked for */
  /* Of use to ask.c; set by ask_begin, and 0 else at first. */
  uint32_t first; /* tag of the first wish, above 0: unlike all before */
  uint32_t tag;   /* of the last one; 0: there was none */
  bool again;     /* it is still the same wish */
  uint16_t name;  /* for a start that has no number */
  unsigned tries; /* of the same wish without an effect */
  uint64_t since; /* when the first of them was */
  uint64_t next;  /* when to ask again */
  uint64_t due;   /* when the next dump is to be asked for */
  uint64_t heard; /* when the last frame came */
  bool wants_dump;
};

/* Chooses tags, which differ from those of any run before, and the name. */
void ask_begin(struct ask *ask);

/* A frame has come; end: the last one of a dump. */
void ask_heard(struct ask *ask, uint64_t now, bool end);

/* The answer to a request has come. Returns NULL, or why it was refused. */
const char *ask_answer(struct ask *ask, const struct answer *answer);

/* Whether a dump is one to take: not what somebody else has asked for before,
 * and none from before the reset. */
bool ask_wants(const struct ask *ask, const struct header *header);

/* A whole dump has come. */
void ask_whole(struct ask *ask, uint64_t now);

/* For how long nothing has come since something was asked for; 0: all is
 * answered. */
uint64_t ask_waits(const struct ask *ask, uint64_t now);

/* What to send now: the length of the line, 0 for nothing. To be called some
 * times a second. */
size_t ask_line(struct ask *ask, struct collector *collector, uint64_t now,
                char line[WISH_LINE]);

#endif
