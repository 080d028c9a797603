/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of reading raw profiles: the pieces; the records of a build with
 * their names, kept for the next file of the build; the functions and vtables
 * at addresses.
 */
#ifndef BAREPROF_TOOLS_RAW_BUILD_H
#define BAREPROF_TOOLS_RAW_BUILD_H

#include "raw.h"
#include "sites_read.h"

/* ---- raw_open.c: pieces, after raw_open ---- */

/* Takes records and names from the ELF, if the profile has none. Returns NULL
 * or the error. */
const char *raw_correlate(struct raw *raw, const struct raw_options *options);

/* Cached data stays. */
void raw_close(struct raw *raw, const struct raw_options *options);

/* All counters, in this machine's byte order; in byte modes 1 for what ran.
 * None is above *largest. From malloc; NULL: out of memory. */
uint64_t *raw_counters(const struct raw *raw, uint64_t *largest);

/* The same where they are in the file, without a copy. NULL: they are not as
 * this machine has them. */
const uint64_t *raw_counters_there(const struct raw *raw, uint64_t *largest);

/* ---- raw_build.c: records with their names ---- */

struct raw_record {
  const char *name;
  size_t name_size;
  uint64_t reference, hash;
  size_t counters; /* offset, in counters */
  size_t bitmap;   /* offset */
  uint32_t counter_count, bitmap_size;
  uint32_t sites[VALUE_KINDS];
  struct counts *counts; /* where they were added; or NULL: not yet */
};

struct raw_build {
  struct raw_record *records; /* NULL: no other file comes */
  size_t count;
  struct names names, vtables;
  /* Identifies the build; only valid if kept in the cache. */
  struct raw raw;
  unsigned char *copy;     /* of what raw points to */
  struct keyed *functions; /* if kept: as in raw_places, of the copy; or NULL:
                              not needed yet */
  size_t function_count;
  bool kept;         /* in a cache */
  bool names_sorted; /* as records have another order */
  bool names_given;  /* the text of the names is the profile's */
};

/* The build of raw, which is checked: from the cache if it has the build (cache
 * may be NULL). Returns NULL or the error. Call raw_build_drop later. */
const char *raw_build_find(const struct raw *raw, struct raw_cache *cache,
                           struct raw_build **build);
void raw_build_drop(struct raw_build *build);

/* Keeps a build in the cache, if there is a cache. Does nothing if memory is
 * out. */
void raw_build_keep(struct raw_build *build, const struct raw *raw,
                    struct raw_cache *cache);

/* Goes through the records of a build:
 *     struct raw_walk walk = {.raw = raw, .build = build};
 *     while ((record = raw_walk_next(&walk)))
 *       ...
 * A record is valid until the next call. Without a cache no record is kept:
 * each walk reads them again, which takes less time than memory for all. */
struct raw_walk {
  const struct raw *raw;
  struct raw_build *build;
  const char *error; /* the file has changed meanwhile */
  bool nameless;     /* records need no names */
  size_t number;     /* of the next record */
  size_t next_name;
  struct raw_record record;
};
struct raw_record *raw_walk_next(struct raw_walk *walk);

/* ---- raw_build.c: addresses in value data to names ---- */

struct raw_places {
  const struct raw *raw;
  struct raw_build *build;
  struct keyed *functions; /* references by ascending address */
  bool lent;               /* these are the build's */
  size_t function_count;
  struct raw_range *vtables; /* ascending */
  size_t vtable_count;
};

/* Begin with {.raw = raw, .build = its build}. false: out of memory. */
bool raw_places_map(struct raw_places *places, struct sites *sites);
void raw_places_free(struct raw_places *places);

#endif
