/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is missing among the dumps, names and answers of a start, which a sender
 * numbers from 1, modulo 256. A sender is a core and an image; samples count by
 * themselves. Frames may come late: what looked missing then is not.
 *
 * A start without a number of its own has ended when an ordinal comes back.
 */
#ifndef BAREPROF_TOOLS_ORDINALS_H
#define BAREPROF_TOOLS_ORDINALS_H

#include "frame.h"

/* Numbers of a start, not modulo 256, from first to last. */
struct missing {
  unsigned core, image, boot;
  unsigned long first, last;
};

/* Says it for a message: what is missing, and of whom. */
enum { MISSING_TEXT = 128 };
void missing_tell(char text[MISSING_TEXT], const struct missing *missing);

/* Says on standard error that lost dumps of such a start cannot be seen. */
void uncounted_tell(const char *name, const struct header *header);

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

#endif
