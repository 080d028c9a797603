/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How wide the increments of an image's objects are. `bareprof cc` leaves a
 * string an object in the section .bareprof.counters, which no target loads:
 *
 *   32 LEFT SOURCE          increments of 32 bits, which an interrupt may lose
 *   32-atomic LEFT SOURCE   increments of 32 bits, which it may not
 *   32-packed LEFT SOURCE, 32-packed-atomic LEFT SOURCE
 *                           the same, of counters of 4 bytes
 *
 * LEFT is how many increments of the object have stayed at 64 bits. The
 * runtime's bareprof_fold leaves the string `fold`.
 */
#ifndef BAREPROF_TOOLS_WIDTHS_H
#define BAREPROF_TOOLS_WIDTHS_H

#include "snapshot.h"
#include "../object/elf.h"

/* Objects of one kind, and the source of one of them. */
struct width {
  size_t objects;
  char source[32]; /* its end, if it is longer */
};

struct widths {
  bool folded;         /* bareprof_fold is linked */
  struct width narrow; /* objects that count with 32 bits */
  struct width packed; /* those of them whose counters have 4 bytes, */
  struct width torn;   /* without atomic increments, */
  struct width plain;  /* both: without these, and of 8 bytes, */
  struct width partly; /* or with increments of 64 bits left */
  struct width other;  /* strings that this bareprof does not know */
  uint64_t left;       /* increments left, of all objects */
};

/* Reads the section. All zeros if there is none, or if it cannot be read. */
void widths_read(struct widths *widths, const struct elf *elf);

/* Whether counts of the image are known only modulo 2^32. */
bool widths_modulo(const struct widths *widths);

/* Prints the one line that says so, about a file. */
void widths_tell(const char *file);

/* The count that a counter of an image with bareprof_fold stands for. */
uint64_t count_of(const struct header *header, uint64_t counter);

/* Whether some counts are known as "at least" only: the counters have 4 bytes,
 * and bareprof_fold has kept them from wrapping. */
bool snapshot_saturated(const struct snapshot *snapshot);

/* Prints the one line that says that some counts are known as "at least". */
void widths_tell_least(const char *file);

/* The counts of an image with bareprof_fold, instead of its counters in
 * memory. */
void snapshot_unfold(struct snapshot *snapshot);

#endif
