/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the snapshots of `bareprof receive` to files, and messages about them
 * to standard error.
 */
#ifndef BAREPROF_TOOLS_OUTCOME_H
#define BAREPROF_TOOLS_OUTCOME_H

#include "../object/elf.h"
#include "../image/snapshot.h"

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

#endif
