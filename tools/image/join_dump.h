/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Joins an image and its counts into a profile. The counts come from lean (or
 * full) dumps, memory images and cores, and add up. The functions return 0, or
 * print the error and return 1.
 */
#ifndef BAREPROF_TOOLS_JOIN_DUMP_H
#define BAREPROF_TOOLS_JOIN_DUMP_H

#include "image.h"

struct join {
  /* From the caller; elf is open. */
  const struct elf *elf;
  const char *elf_name;
  unsigned raw; /* version of the profile; 0: the image's version */
  /* Only for join_dump.c, 0 at first. */
  bool begun;
  struct snapshot profile; /* once begun */
  size_t dumps;            /* how many have been added */
  struct image_ranges ranges;
};

/* Adds a dump without gaps. Its build id must be that of the ELF. */
int join_dump(struct join *join, const char *name, const struct snapshot *dump);

/* Adds the content of memory from an address on. All counters and the bitmap
 * must be in this memory. The guard word and the build id are checked if they
 * are there, too. */
int join_memory(struct join *join, const char *name, struct bytes memory,
                uint64_t address);

/* The same for a file: a dump (.bpdump), a core, or, if it is neither, bare
 * counters and the memory behind them: the bitmap, if any, and the rest up to
 * the guard word. */
int join_file(struct join *join, const char *name, struct bytes file);

/* Adds what a trace counted. */
struct traced;
int join_traced(struct join *join, const char *name,
                const struct traced *traced);

/* Writes the profile to out (a name). */
int join_write(struct join *join, const char *out);

void join_free(struct join *join);

#endif
