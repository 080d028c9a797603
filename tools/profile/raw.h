/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads raw profiles (.profraw) as programs write them: versions 5 and 7 to 11,
 * any pointer width and byte order, several in one file. profile_merge.c calls
 * raw_parse_into.
 */
#ifndef BAREPROF_TOOLS_RAW_H
#define BAREPROF_TOOLS_RAW_H

#include "../base/bytes.h"
#include "../image/image.h"
#include "../image/snapshot.h"
#include "../object/elf.h"
#include "../object/names.h"
#include "model.h"

struct vtable_range;

/* Whether the 8 bytes are a magic number in this byte order. *wide becomes true
 * if the profile has 8-byte pointers. */
bool raw_is_magic(const unsigned char *at, bool big, bool *wide);

/* The data that files of one build have in common. With this cache, the next
 * file of the build needs no search for each function, so a thousand profiles
 * take little longer than reading the files. A cache belongs to one profile and
 * must be freed before it. Initialise with {0}. */
enum { RAW_BUILDS = 8 };
struct raw_build;
struct raw_cache {
  struct raw_build *builds[RAW_BUILDS];
  unsigned next;          /* index of the next slot to replace */
  struct snapshot *image; /* for elf and this version word; or NULL */
  const struct elf *elf;
  uint64_t word;
};

void raw_cache_free(struct raw_cache *cache);

struct raw_options {
  uint64_t weight;         /* counts are multiplied by it; 0 means 1 */
  const struct elf *elf;   /* for files without records; or NULL */
  struct raw_cache *cache; /* or NULL */
  bool last; /* no file follows: the cache need not keep its build, and the
                file's bytes live as long as the profile */
  const struct addition_handler *events; /* or NULL */
};

/* Adds the content of the file. Returns NULL or the error. After an error
 * nothing was added, unless memory ran out midway. */
const char *raw_parse_into(struct profile *profile, struct bytes file,
                           const struct raw_options *options);

struct raw_profile {
  struct bytes file;
  bool big, wide;
  unsigned pointer;              /* size in bytes */
  unsigned version;              /* 5, 7 to 11 */
  unsigned flags;                /* enum profile_flag */
  bool correlated;               /* records and names come from the ELF */
  struct bareprof_layout layout; /* layout of the version */
  struct record_format form;     /* format of the version's records */
  uint64_t fields[BAREPROF_FIELDS];
  struct bytes ids, records, counters, bitmap, names, vtables, vtable_names;
  size_t at; /* offset of the bytes that are read next: the value data */
  const struct elf *elf;
  struct snapshot *image; /* if correlated; may belong to the cache */
};

/* Finds the pieces of the profile at offset `at`. Returns NULL or the error.
 * The caller calls release_raw_image after correlate_if_needed, even after an
 * error. */
const char *raw_open_profile(struct raw_profile *raw, struct bytes file,
                             size_t at);

/* Frees the cached image of an ELF. */
void raw_cache_drop_image(struct raw_cache *cache);

static inline unsigned raw_counter_size(const struct raw_profile *raw) {
  return raw->flags & PROFILE_BYTES ? 1 : 8;
}

static inline size_t raw_record_count(const struct raw_profile *raw) {
  return raw->records.size / raw->layout.record_size;
}

/* Returns the MD5 of a record's name, or 0 if the record does not exist. */
static inline uint64_t raw_record_reference(const struct raw_profile *raw,
                                            size_t number) {
  return number < raw_record_count(raw)
             ? load64(raw->records.data + number * raw->layout.record_size,
                      raw->big)
             : 0;
}

/* ---- value_sites.c ----
 *
 * Reads the value data of a record in raw and indexed profiles, which has for
 * each kind the number of values of each site, then the values. */

/* The sites of one record. Initialise with sites_new; may be reused for any
 * number of reads. */
struct record_sites {
  uint32_t count[VALUE_KINDS];
  struct buffer lists[VALUE_KINDS]; /* struct value_site */
  struct buffer values;             /* all values, struct profiled_value */
};

void sites_new(struct record_sites *sites);
void sites_free(struct record_sites *sites);

static inline struct value_site *sites_of_kind(const struct record_sites *sites,
                                               unsigned kind) {
  return (struct value_site *)(void *)sites->lists[kind].data;
}

/* Reads the value data at *at, before `end`, and advances *at past the data.
 * Returns NULL or the error. Takes memory of at most 16 times the data. */
const char *sites_parse(struct record_sites *sites, const unsigned char **at,
                        const unsigned char *end, bool big);

/* ---- raw_build.c ----
 *
 * Finds the records of a build with their names, which are kept for the next
 * file of the build, and the functions and vtables at addresses. */

/* ---- raw.c: pieces, after raw_open_profile ---- */

/* ---- raw_build.c: records with their names ---- */

struct raw_record {
  const char *name;
  size_t name_size;
  uint64_t reference, hash;
  size_t counters; /* offset in bytes */
  size_t bitmap;   /* offset */
  uint32_t bytes;  /* number of MC/DC outcome bytes after its counters, or 0 */
  uint32_t counter_count, bitmap_size;
  uint32_t sites[VALUE_KINDS];
  struct record_counts
      *counts; /* the profile's record that the counters were added to; NULL:
                  not yet */
};

struct raw_build {
  struct raw_record *records; /* NULL: no other file follows */
  unsigned char *twins;       /* the result of shared_counters_check */
  size_t count;
  struct name_table names, vtables;
  /* Identifies the build; valid only if kept in the cache. */
  struct raw_profile raw;
  unsigned char *copy; /* owned copy of the data that raw points to */
  struct keyed_item
      *functions; /* if kept: as in raw_address_table, for the copy; NULL: not
                              needed yet */
  size_t function_count;
  bool kept;         /* in a cache */
  bool has_bytes;    /* some record has MC/DC outcome bytes */
  bool names_sorted; /* the records have another order than the names */
  bool names_given;  /* the profile owns the text of the names */
};

/* Sets *build to the checked build of `raw`, from the cache if possible; cache
 * may be NULL. Returns NULL or the error. Call raw_build_release later. */
const char *raw_build_find_or_make(const struct raw_profile *raw,
                                   struct raw_cache *cache,
                                   struct raw_build **build);
void raw_build_release(struct raw_build *build);

/* Keeps a build in the cache, if `cache` is not NULL. Does nothing if memory
 * runs out. */
void raw_build_keep_in_cache(struct raw_build *build,
                             const struct raw_profile *raw,
                             struct raw_cache *cache);

/* Walks over the records of a build:
 *     struct raw_record_walker walk = {.raw = raw, .build = build};
 *     while ((record = raw_walk_next_record(&walk)))
 *       ...
 * A record is valid until the next call. Without a cache no record is kept:
 * each walk reads them again, which is faster than memory for all of them. */
struct raw_record_walker {
  const struct raw_profile *raw;
  struct raw_build *build;
  const char *error; /* the file has changed meanwhile */
  bool nameless;     /* the records' names are not needed */
  size_t number;     /* index of the next record */
  size_t next_name;
  struct raw_record record;
};
struct raw_record *raw_walk_next_record(struct raw_record_walker *walk);

/* ---- raw_build.c: addresses in value data to names ---- */

struct raw_address_table {
  const struct raw_profile *raw;
  struct raw_build *build;
  struct keyed_item *functions; /* references, by ascending address */
  bool lent;                    /* the build owns functions */
  size_t function_count;
  struct vtable_range *vtables; /* by ascending address */
  size_t vtable_count;
};

/* Replaces the addresses in value data by references to names. Initialise with
 * {.raw = raw, .build = its build}. Returns false if memory runs out. */
bool raw_addresses_translate(struct raw_address_table *places,
                             struct record_sites *sites);
void raw_addresses_free(struct raw_address_table *places);

#endif
