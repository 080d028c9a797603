/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raw profiles (.profraw), as programs write them: versions 5 and 7 to 11, of
 * any pointer width and byte order, several in one file.
 */
#ifndef BAREPROF_TOOLS_RAW_H
#define BAREPROF_TOOLS_RAW_H

#include "../object/elf.h"
#include "events.h"
#include "raw_header.h"

/* What files of one build have in common, kept so that the next file of it
 * need not be looked up function by function: it is why a thousand profiles
 * take little longer than reading them. Belongs to one profile; free it
 * before that. Begin with {0}. */
enum { RAW_BUILDS = 8 };
struct snapshot;
struct raw_build;
struct raw_cache {
  struct raw_build *builds[RAW_BUILDS];
  unsigned next;          /* to be given up for another */
  struct snapshot *image; /* of elf and this version word; or NULL */
  const struct elf *elf;
  uint64_t word;
};

void raw_cache_free(struct raw_cache *cache);

struct raw_options {
  uint64_t weight;         /* counts are multiplied by it; 0: as by 1 */
  const struct elf *elf;   /* for files without records; or NULL */
  struct raw_cache *cache; /* or NULL */
  bool last; /* no file follows: what it has need not be kept in the cache */
  const struct read_events *events; /* or NULL */
};

/* Adds what the file has. NULL, or what is wrong; then nothing was added,
 * except if it is the memory. */
const char *raw_read(struct profile *profile, struct bytes file,
                     const struct raw_options *options);

#endif
