/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What becomes of the snapshots of `bareprof receive`: files, and messages
 * about them on standard error.
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
  bool partial;          /* write what has gaps, too */
  bool increments;       /* write what has happened between two dumps */
  /* Of use to outcome.c, 0 at first. */
  struct snapshot *before; /* of each start, its last dump */
  size_t before_count;
  unsigned files;
  /* For the caller. */
  unsigned whole;  /* dumps written whole */
  unsigned broken; /* dumps with gaps, or not written */
};

/* A whole snapshot: writes it; it may be changed. */
void outcome_whole(struct outcome *outcome, struct snapshot *snapshot);

/* One with gaps: says what is missing. Constant pieces come from the ELF, if
 * it is of the same build: then it may be whole after all. */
void outcome_partial(struct outcome *outcome, struct snapshot *snapshot);

void outcome_free(struct outcome *outcome);

#endif
