/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the raw reader share, and nobody else needs.
 */
#ifndef BAREPROF_TOOLS_RAW_INSIDE_H
#define BAREPROF_TOOLS_RAW_INSIDE_H

#include "../object/names.h"
#include "../image/snapshot.h"
#include "keyed.h"
#include "raw.h"
#include "../image/record.h"
#include "sites_read.h"

/* ---- raw_file.c: the pieces of one raw profile in a file ---- */

struct raw {
  struct bytes file;
  bool big, wide;
  unsigned pointer;              /* bytes */
  unsigned version;              /* 5, 7 to 11 */
  unsigned flags;                /* enum profile_flag */
  bool correlated;               /* records and names are the ELF's */
  struct bareprof_layout layout; /* of the version */
  struct record_form form;       /* of its records */
  uint64_t fields[BAREPROF_FIELDS];
  struct bytes ids, records, counters, bitmap, names, vtables, vtable_names;
  size_t at; /* how far it has been read: to the value data */
  const struct elf *elf;
  struct snapshot *image; /* if correlated; may be the cache's */
};

/* Finds the pieces of the profile at offset `at`. NULL, or what is wrong; in
 * both cases raw_close is to be called, if raw_correlate was. */
const char *raw_open(struct raw *raw, struct bytes file, size_t at);

/* Takes records and names from the ELF, if the profile has none. NULL, or what
 * is wrong. */
const char *raw_correlate(struct raw *raw, const struct raw_options *options);
void raw_close(struct raw *raw, const struct raw_options *options);

/* Frees what the cache has of an ELF. */
void raw_cache_drop_image(struct raw_cache *cache);

/* Takes the next of raw->ids, which ids is at first, off its beginning. false:
 * it is damaged. */
bool raw_next_id(const struct raw *raw, struct bytes *ids, struct bytes *id);

/* All counters, in this machine's byte order; in byte modes 1 for what ran.
 * None is above *largest. From malloc; NULL: out of memory. */
uint64_t *raw_counters(const struct raw *raw, uint64_t *largest);

static inline unsigned raw_counter_size(const struct raw *raw) {
  return raw->flags & PROFILE_BYTES ? 1 : 8;
}

static inline size_t raw_record_count(const struct raw *raw) {
  return raw->records.size / raw->layout.record_size;
}

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
  struct raw_record *records;
  size_t count;
  struct names names, vtables;
  /* What it is recognised by; and only then. */
  struct raw raw;
  unsigned char *copy; /* of what raw points to */
  bool kept;           /* in a cache */
};

/* The records of raw, from the cache if it has them (cache may be NULL). NULL,
 * or what is wrong. A build is given back by raw_build_drop. */
const char *raw_build_find(const struct raw *raw, struct raw_cache *cache,
                           struct raw_build **build);
void raw_build_drop(struct raw_build *build);

/* Has the cache keep a build, if there is one. Without memory it does not. */
void raw_build_keep(struct raw_build *build, const struct raw *raw,
                    struct raw_cache *cache);

/* ---- raw_build.c: addresses in value data to names ---- */

struct raw_places {
  const struct raw *raw;
  struct keyed *functions; /* references by ascending address */
  size_t function_count;
  struct raw_range *vtables; /* ascending */
  size_t vtable_count;
};

/* Begin with {.raw = raw}. false: out of memory. */
bool raw_places_map(struct raw_places *places, struct sites *sites);
void raw_places_free(struct raw_places *places);

#endif
