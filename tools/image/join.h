/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image and counts of it become a profile. The counts come from lean (or
 * full) dumps, from memory images, from cores; those of one image add up. What
 * is wrong is printed, and 1 returned.
 */
#ifndef BAREPROF_TOOLS_JOIN_H
#define BAREPROF_TOOLS_JOIN_H

#include <stdio.h>

#include "image.h"

struct join {
  /* From the caller; elf is open. */
  const struct elf *elf;
  const char *elf_name;
  unsigned raw; /* version of the profile; 0: that of the image */
  /* Of use to join.c, 0 at first. */
  bool begun;
  struct snapshot profile; /* once begun */
  size_t dumps;            /* how many have been added */
};

/* Adds a dump, of which everything is known. Its build id must be that of the
 * ELF. */
int join_dump(struct join *join, const char *name, const struct snapshot *dump);

/* Adds what memory had from an address on: all counters, and the bitmap, must
 * be in there. The guard word and the build id are checked if they are, too. */
int join_memory(struct join *join, const char *name, struct bytes memory,
                uint64_t address);

/* The same for a file: a dump (.bpdump), a core, or, if it is neither, bare
 * counters, and what lies behind them: the bitmap, if there is one, and what
 * else there is up to the guard word. */
int join_file(struct join *join, const char *name, struct bytes file);

/* Writes the profile to out (a name). */
int join_write(struct join *join, const char *out);

void join_free(struct join *join);

#endif
