/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raw profiles (.profraw), as programs write them: versions 5 and 7 to 11, of
 * any pointer width and byte order, several in one file.
 */
#ifndef BAREPROF_TOOLS_RAW_H
#define BAREPROF_TOOLS_RAW_H

#include "../base/bytes.h"
#include "../image/image.h"
#include "../image/snapshot.h"
#include "../object/elf.h"
#include "../object/names.h"
#include "model.h"

struct raw_range;

/* Whether the 8 bytes are a magic in this byte order. *wide: the profile has
 * pointers of 8 bytes. */
bool raw_magic(const unsigned char *at, bool big, bool *wide);

/* Whether the file begins like a raw profile. */
bool raw_is(struct bytes file);

/* The common part of files of one build. With this cache, the next file of the
 * build needs no lookup of each function, so a thousand profiles take little
 * longer than reading the files. Belongs to one profile; free the cache before
 * the profile. Begin with {0}. */
enum { RAW_BUILDS = 8 };
struct raw_build;
struct raw_cache {
  struct raw_build *builds[RAW_BUILDS];
  unsigned next;          /* the next one to be replaced */
  struct snapshot *image; /* of elf and this version word; or NULL */
  const struct elf *elf;
  uint64_t word;
};

void raw_cache_free(struct raw_cache *cache);

struct raw_options {
  uint64_t weight;         /* counts are multiplied by it; 0: as by 1 */
  const struct elf *elf;   /* for files without records; or NULL */
  struct raw_cache *cache; /* or NULL */
  bool last; /* no file follows: the cache need not keep its build; the file's
                bytes last as long as the profile */
  const struct read_events *events; /* or NULL */
};

/* Adds the file's content. Returns NULL or the error. After an error nothing
 * was added, unless memory ran out midway. */
const char *raw_read(struct profile *profile, struct bytes file,
                     const struct raw_options *options);

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

/* Finds the pieces of the profile at offset `at`. Returns NULL or the error. In
 * both cases the caller calls raw_close if raw_correlate was called. */
const char *raw_open(struct raw *raw, struct bytes file, size_t at);

/* Frees the cached data of an ELF. */
void raw_cache_drop_image(struct raw_cache *cache);

/* Takes the next id from the beginning of ids, which is raw->ids at first.
 * false: the ids are damaged. */
bool raw_next_id(const struct raw *raw, struct bytes *ids, struct bytes *id);

static inline unsigned raw_counter_size(const struct raw *raw) {
  return raw->flags & PROFILE_BYTES ? 1 : 8;
}

static inline size_t raw_record_count(const struct raw *raw) {
  return raw->records.size / raw->layout.record_size;
}

/* Its name's MD5; 0: there is no such record. */
static inline uint64_t raw_reference(const struct raw *raw, size_t number) {
  return number < raw_record_count(raw)
             ? load64(raw->records.data + number * raw->layout.record_size,
                      raw->big)
             : 0;
}

/* ---- sites_add.c ----
 *
 * Value data of a record as raw and indexed profiles have it: by kind, how
 * many values each site has, then the values.
 */

/* The sites of one record. Begin with sites_new; may be reused for any number
 * of reads. */
struct sites {
  uint32_t count[VALUE_KINDS];
  struct buffer lists[VALUE_KINDS]; /* struct site */
  struct buffer values;             /* struct value, all of them */
};

void sites_new(struct sites *sites);
void sites_free(struct sites *sites);

static inline struct site *sites_list(const struct sites *sites,
                                      unsigned kind) {
  return (struct site *)(void *)sites->lists[kind].data;
}

/* Reads value data at *at, before end, and moves *at behind it. Returns NULL or
 * the error. Memory: at most 16 times the data. */
const char *sites_read(struct sites *sites, const unsigned char **at,
                       const unsigned char *end, bool big);

/* ---- raw_build.c ----
 *
 * The parts of reading raw profiles: the pieces; the records of a build with
 * their names, kept for the next file of the build; the functions and vtables
 * at addresses.
 */

/* ---- raw.c: pieces, after raw_open ---- */

/* ---- raw_build.c: records with their names ---- */

struct raw_record {
  const char *name;
  size_t name_size;
  uint64_t reference, hash;
  size_t counters; /* offset, in counters */
  size_t bitmap;   /* offset */
  uint32_t bytes;  /* bits of MC/DC, as bytes behind the counters; 0: none */
  uint32_t counter_count, bitmap_size;
  uint32_t sites[VALUE_KINDS];
  struct counts *counts; /* where they were added; or NULL: not yet */
};

struct raw_build {
  struct raw_record *records; /* NULL: no other file comes */
  unsigned char *twins;       /* as of claims_check */
  size_t count;
  struct names names, vtables;
  /* Identifies the build; only valid if kept in the cache. */
  struct raw raw;
  unsigned char *copy;     /* of what raw points to */
  struct keyed *functions; /* if kept: as in raw_places, of the copy; or NULL:
                              not needed yet */
  size_t function_count;
  bool kept;         /* in a cache */
  bool has_bytes;    /* of MC/DC, some record */
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
