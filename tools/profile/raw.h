/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads raw profiles (.profraw) as programs write them. Supports versions 5 and
 * 7 to 11, any pointer width and byte order, and several profiles in one file.
 * profile_merge.c calls raw_parse_into.
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

/* Returns whether the 8 bytes are the magic number of a raw profile in this
 * byte order. *wide becomes true if the profile has 8-byte pointers. */
bool raw_is_magic(const unsigned char *at, bool big, bool *wide);

/* The cache has the data that files of one build have in common. With this
 * data, the next file of the build needs no search for each function, so to
 * merge a thousand profiles takes little longer than to read the files. A cache
 * belongs to one profile and must be freed before the profile. Initialise the
 * cache with {0}. */
enum { RAW_BUILDS = 8 };
struct raw_build;
struct raw_cache {
  struct raw_build *builds[RAW_BUILDS];
  unsigned next;          /* index of the element of `builds` to replace next */
  struct snapshot *image; /* the image of `elf` with version `word`, or NULL */
  const struct elf *elf;
  uint64_t word;
};

struct raw_options {
  uint64_t weight;         /* factor for all counts; 0 means 1 */
  const struct elf *elf;   /* the ELF for files without records; or NULL */
  struct raw_cache *cache; /* the cache, or NULL */
  /* No file follows. So the cache need not keep the build of this file, and the
   * file's bytes live as long as the profile. */
  bool last;
  const struct addition_handler *events; /* handler of results, or NULL */
};

/* Adds the content of the file to the profile. Returns NULL or the error. After
 * an error nothing was added, unless memory ran out midway. */
const char *raw_parse_into(struct profile *profile, struct bytes file,
                           const struct raw_options *options);

struct raw_profile {
  struct bytes file;
  bool big, wide;
  unsigned pointer;              /* size of a pointer in bytes */
  unsigned version;              /* raw version: 5, or 7 to 11 */
  unsigned flags;                /* bits of enum profile_flag */
  bool correlated;               /* records and names come from the ELF */
  struct bareprof_layout layout; /* layout of the version */
  struct record_format form;     /* format of the version's records */
  uint64_t fields[BAREPROF_FIELDS];
  struct bytes ids, records, counters, bitmap, names, vtables, vtable_names;
  size_t at; /* offset of the bytes that are read next, which are the value
                data */
  const struct elf *elf;
  struct snapshot *image; /* the image of the ELF, if `correlated`; the cache
                             may own it */
};

/* Finds the pieces of the profile at offset `at`. Returns NULL or the error.
 * The pieces point into the file. Only raw.c sets `image` later, and frees the
 * image. */
const char *raw_open_profile(struct raw_profile *raw, struct bytes file,
                             size_t at);

/* Frees the image of an ELF that the cache has. */
void raw_cache_drop_image(struct raw_cache *cache);

static inline unsigned raw_counter_size(const struct raw_profile *raw) {
  return raw->flags & PROFILE_BYTES ? 1 : 8;
}

static inline size_t raw_record_count(const struct raw_profile *raw) {
  return raw->records.size / raw->layout.record_size;
}

/* Returns the MD5 of the name of a record, or 0 if the record does not exist.
 */
static inline uint64_t raw_record_reference(const struct raw_profile *raw,
                                            size_t number) {
  return number < raw_record_count(raw)
             ? load64(raw->records.data + number * raw->layout.record_size,
                      raw->big)
             : 0;
}

/* ---- value_sites.c ----
 *
 * Reads the value data of a record in raw and indexed profiles. Each kind of
 * values has the number of values of each site, and then the values. */

/* The sites of one record. Initialise the struct with sites_init; it may be
 * used for any number of reads. */
struct record_sites {
  uint32_t count[VALUE_KINDS];
  struct buffer lists[VALUE_KINDS]; /* the sites of each kind; elements are
                                       struct value_site */
  struct buffer values;             /* the values of all sites; elements are
                                       struct profiled_value */
};

void sites_init(struct record_sites *sites);
void sites_free(struct record_sites *sites);

static inline struct value_site *sites_of_kind(const struct record_sites *sites,
                                               unsigned kind) {
  return (struct value_site *)(void *)sites->lists[kind].data;
}

/* Reads the value data from *at up to `end`, and advances *at past the data.
 * Returns NULL or the error. Takes memory of at most 16 times the data's size.
 */
const char *sites_parse(struct record_sites *sites, const unsigned char **at,
                        const unsigned char *end, bool big);

/* ---- raw_build.c ----
 *
 * Finds the records of a build with their names, and keeps both for the next
 * file of the build. Also finds the functions and vtables at addresses. */

void raw_cache_free(struct raw_cache *cache);

/* ---- raw_build.c: records with their names ---- */

struct raw_record {
  const char *name;
  size_t name_size;
  uint64_t reference, hash;
  size_t counters; /* offset of the counters in bytes */
  size_t bitmap;   /* offset of the bitmap in bytes */
  uint32_t bytes;  /* number of MC/DC outcome bytes after the counters, or 0 */
  uint32_t counter_count, bitmap_size;
  uint32_t sites[VALUE_KINDS];
  /* the profile's record to which the counters were added; NULL: not yet
   * added */
  struct record_counts *counts;
};

struct raw_build {
  struct raw_record *records; /* the records; NULL if no other file follows */
  unsigned char *twins;       /* the result of shared_counters_check_and_mark */
  size_t count;
  struct name_table names, vtables;
  /* A profile that identifies the build. Valid only if the cache keeps the
   * build. */
  struct raw_profile raw;
  unsigned char *copy; /* owned copy of the data to which `raw` points */
  /* If the cache keeps the build, these are the functions of `copy` as in
   * raw_address_table. NULL if nobody has needed the functions yet. */
  struct keyed_item *functions;
  size_t function_count;
  bool kept;         /* a cache has this build */
  bool has_bytes;    /* at least one record has MC/DC outcome bytes */
  bool names_sorted; /* the order of the records is not the order of the
                        names */
  bool names_given;  /* the profile owns the text of the names */
};

/* Sets *build to the checked build of `raw`. The build comes from the cache if
 * possible; cache may be NULL. Returns NULL or the error. Call
 * raw_build_release later. */
const char *raw_build_find_or_make(const struct raw_profile *raw,
                                   struct raw_cache *cache,
                                   struct raw_build **build);
void raw_build_release(struct raw_build *build);

/* Puts a build into the cache, which may be NULL, if memory suffices. */
void raw_build_keep_in_cache(struct raw_build *build,
                             const struct raw_profile *raw,
                             struct raw_cache *cache);

/* Walks over the records of a build:
 *     struct raw_record_walker walk = {.raw = raw, .build = build};
 *     while ((record = raw_walk_next_record(&walk)))
 *       ...
 * A record is valid until the next call. Without a cache, each walk reads the
 * records again, which is faster than to keep all of them in memory. */
struct raw_record_walker {
  const struct raw_profile *raw;
  struct raw_build *build;
  const char *error; /* NULL, unless the file has changed since the build was
                        checked */
  bool nameless;     /* the caller does not need the records' names */
  size_t number;     /* index of the next record */
  size_t next_name;
  struct raw_record record;
};
struct raw_record *raw_walk_next_record(struct raw_record_walker *walk);

/* ---- raw_build.c: addresses in value data to names ---- */

struct raw_address_table {
  const struct raw_profile *raw;
  struct raw_build *build;
  struct keyed_item *functions; /* references to the functions, by ascending
                                   address */
  bool lent;                    /* the build owns `functions` */
  size_t function_count;
  struct vtable_range *vtables; /* the ranges of the vtables, by ascending
                                   address */
  size_t vtable_count;
};

/* Replaces the addresses in value data with references to names. Initialise the
 * table with {.raw = raw, .build = its build}. Returns false if memory runs
 * out. */
bool raw_addresses_translate(struct raw_address_table *places,
                             struct record_sites *sites);
void raw_addresses_free(struct raw_address_table *places);

#endif
