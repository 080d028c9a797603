/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indexed profiles (.profdata): their parts, reading and writing.
 */
#ifndef PROFILE_INDEXED_H
#define PROFILE_INDEXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/bytes.h"
#include "../base/text.h"
#include "model.h"
#include "raw.h"

struct indexed_walk;

/* ---- parts ----
 *
 * An indexed profile that is being read: where its parts are.
 */

/* An indexed profile in a file. Offsets of sections are 0 where the version
 * has none, and within the file. */
struct indexed {
  struct bytes file;
  unsigned version;
  unsigned flags;               /* enum profile_flag */
  enum profile_bitmaps bitmaps; /* once the functions were looked at */
  bool memory;                  /* it has a memory profile */
  size_t table, memprof, ids, vtables, traces;
};

/* Whether the file has size bytes at an offset. */
static inline bool indexed_has(const struct indexed *indexed, uint64_t at,
                               uint64_t size) {
  return at <= indexed->file.size && size <= indexed->file.size - at;
}

static inline uint64_t indexed_load(const struct indexed *indexed, size_t at) {
  return load64(indexed->file.data + at, false);
}

/* ---- indexed_read.c ----
 *
 * Indexed profiles (.profdata), as llvm-profdata merge writes them: versions
 * 1 to INDEXED_NEWEST.
 */

/* Whether the file begins like an indexed profile. */
bool indexed_is(struct bytes file);

/* Adds the file's content; counts are multiplied by weight, 1 or more. events
 * may be NULL. Returns NULL or the error. After an error nothing was added,
 * unless memory ran out midway, or profile->lost_on_error is set. */
const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events);

/* ==== The same, a window of functions at a time, which takes no more memory
 * for more functions. Only of a file as LLVM writes it: each function once, in
 * the bucket of its name. Whether it is such a file is known in the end. */

struct windows {
  struct profile profile; /* the functions of the window; and what kinds of
                             data those so far had */
  size_t buckets;         /* a power of two */
  enum profile_bitmaps bitmaps; /* if there are some */
  struct indexed_walk *walk;    /* indexed_read.c's */
};

/* Begins with the file's header, and adds everything except functions to
 * *rest. NULL: the file has to be read as a whole. */
struct windows *windows_new(struct bytes file, struct profile *rest);
void windows_free(struct windows *windows);

/* Calls see with each record of the file, before any window. The counts are
 * valid during the call. The name is in the file, once for all records of a
 * function, and does not end in a zero. */
typedef void windows_see(void *context, const struct bytes *name,
                         const struct counts *counts);
void windows_look(struct windows *windows, windows_see *see, void *context);

/* The same alone, with all checks of windows_right. again: walk_record and
 * walk_name are called later, so the file stays in memory. */
bool windows_alone(struct windows *windows, bool again, windows_see *see,
                   void *context);

/* Reads the window of the buckets from first up to end, and of those that are a
 * multiple of `step` further on. The steps divide the table. other: the window
 * of another profile at this place, or NULL; names that it has are known to be
 * right. */
void windows_read(struct windows *windows, size_t first, size_t end,
                  size_t step, const struct profile *other);

/* Whether the windows so far, and once all are read (all), the whole file, are
 * what indexed_read gives. */
bool windows_right(const struct windows *windows, bool all);

/* ---- indexed_write.c ----
 *
 * Indexed profiles (.profdata), as compilers and llvm-cov read them: versions 4
 * to INDEXED_NEWEST. The bytes equal those of that version's llvm-profdata, as
 * far as its output is deterministic. (llvm-profdata compresses names of
 * vtables with zlib; bareprof stores them uncompressed.)
 *
 *   index version   7  8  9 10 11 12 13 14
 *   written by LLVM 14 15 16 17 18 19 22 23    read by that one and later ones
 */

#define INDEXED_NEWEST 14
enum { INDEXED_OLDEST = 4 };

/* From this version on IR profiles name local functions `file;name`, before
 * that `file:name`; see translate.c. */
enum { INDEXED_SEMICOLON = 11 };

/* From this version on bitmaps are bytes, and have uniformity bits after them;
 * and records of one function are in another order. */
enum { INDEXED_BYTES = 14 };

/* Returns the version that this LLVM release's llvm-profdata writes; or 11,
 * which it reads, if MC/DC bitmaps are of LLVM 18. llvm 0: the oldest version
 * from 7 on that can hold the whole profile. Returns 0 if
 * there is none; *why_not gives the reason. Otherwise *why_not is NULL or names
 * a part that is left out without harm (build ids).
 *
 * clang 22 cuts the hashes of -fprofile-instr-generate to 60 bits, and looks
 * for cut hashes from version 13 on, for full hashes in older versions. These
 * are written with cut hashes. An older version is refused if a record has only
 * a cut hash. If no reader can tell the kind of hash (raw profiles of version
 * 10, and text), llvm 0 gives an older version. That version is right for
 * llvm-cov, and for -fprofile-instr-use up to clang 21. */
unsigned indexed_version_for(const struct profile *profile, unsigned llvm,
                             const char **why_not);

/* Returns the part of the profile that a version cannot hold, as `what; what to
 * do`; or NULL. */
const char *indexed_refuses(const struct profile *profile, unsigned version);

struct indexed_options {
  unsigned version;
  bool sparse;       /* without the functions that never ran */
  bool vtable_names; /* since version 12, for people: compilers ignore them;
                        llvm-profdata's --keep-vtable-symbols */
};

/* Writes the profile. Returns NULL or the error; after an error the stream's
 * content is unusable. Errors of the stream are ignored here. */
const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options);

struct memprof_place {
  unsigned version; /* 0 to 4; 0 has no number of its own */
  uint64_t from, to;
};

/* Returns NULL or the error; after an error some bytes may be changed. */
const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place);

/* ---- summary.c ----
 *
 * Results from a whole profile, for code that writes or shows the profile. The
 * summary: how much was counted, and which counts are hot; indexed profiles
 * begin with the summary, and compilers use it. The most frequent values of a
 * site. The names behind references.
 */

enum { SUMMARY_CUTOFFS = 16 };

struct counts_summary {
  uint64_t functions, blocks;
  uint64_t most_entry;    /* of functions' first counters */
  uint64_t most;          /* of all */
  uint64_t most_internal; /* of the others */
  uint64_t total;         /* their sum, modulo 2^64 */
  struct summary_cutoff {
    uint32_t cutoff; /* this part of the total, in millionths, ... */
    uint64_t least;  /* ... is counted where counts are at least this, */
    uint64_t blocks; /* in so many places. */
  } cutoffs[SUMMARY_CUTOFFS];
};

/* Front-end hashes may have the context-sensitive bit by chance. */
enum summary_part { SUMMARY_REGULAR, SUMMARY_CS, SUMMARY_ALL };

/* Sums up the records that are context sensitive, or those that are not, or
 * all. Each but summing_free: NULL or false: out of memory. */
struct summing;
struct summing *summing_new(enum summary_part part);
bool summing_add(struct summing *summing,
                 const struct function_entry *function);
bool summing_end(struct summing *summing, struct counts_summary *summary);
void summing_free(struct summing *summing);

enum { SITE_VALUES_MOST = 255 };

struct count_ranked {
  struct value value;
  uint32_t at; /* its place in the site */
};

struct ranking {
  struct count_ranked *list; /* the ranked values; room for those of any site */
  uint32_t most;             /* no site has more values */
};

/* For all sites of a profile. false: out of memory. */
bool ranking_new(struct ranking *ranking, const struct profile *profile);
void ranking_free(struct ranking *ranking);

/* Ranks a site's values; returns how many are kept. */
uint32_t rank_values(struct ranking *ranking, const struct site *site);

static inline uint32_t ranked_count(const struct site *site) {
  return site->count < SITE_VALUES_MOST ? site->count : SITE_VALUES_MOST;
}

/* Whether a function is to be written. sparse: without functions whose counts
 * and bitmaps are all 0. */
bool is_written(const struct function_entry *function, bool sparse);

/* The functions to write, by name. The caller frees list. list NULL: out of
 * memory. */
struct functions_list written_functions(const struct profile *profile,
                                        bool sparse);

struct references {
  const struct profile *profile;
  bool sparse;
  struct keyed *vtables; /* names by reference */
  size_t count;
};

/* Makes the references of the functions that are written, and of all vtables.
 * false: out of memory; free the references anyway. */
bool references_new(struct references *references,
                    const struct profile *profile, bool sparse);
void references_free(struct references *references);

/* Returns the name, or NULL for an unknown reference. */
const char *reference_name(const struct references *references,
                           uint64_t reference);

/* ---- indexed_read.c ----
 *
 * The functions of an indexed profile that is being written: their table and
 * their records. Both are first laid out, then written at the planned places.
 */

/* ---- indexed_read.c: the records of a function ---- */

struct function_records {
  unsigned version;
  uint64_t hash_bits; /* the bits of hashes that the version has */
  struct ranking ranking;
  const struct counts **slots, **spare; /* the table of one function's */
  size_t slot_count;
};

/* Of an index version. false: out of memory. */
bool records_new(struct function_records *records,
                 const struct profile *profile, unsigned version);
void records_free(struct function_records *records);

/* Bytes of a function's records; 0: the format has no number for them. */
uint64_t records_size(const struct function_records *records,
                      const struct function_entry *function);

/* ---- indexed_read.c: the table of functions ---- */

struct table_function {
  struct function_entry *entry;
  unsigned step; /* of several in a bucket, the first to be inserted */
};

struct hash_table {
  struct keyed *arrived; /* functions by reference, as they were added; then by
                            name, until they are laid out */
  struct table_function *functions; /* by bucket */
  size_t count;
  uint64_t bytes;               /* of all in the file */
  size_t buckets;               /* a power of two */
  unsigned doublings;           /* of the table while it was filled */
  struct table_function *spare; /* twice the functions of a bucket */
  uint64_t *places;  /* where each bucket ends in functions; once it is written,
                        where it begins in the file, 0: it is empty */
  uint64_t table_at; /* where the buckets are listed in the file */
  uint64_t end;
};

/* Begins with room for so many functions. false: out of memory. The caller
 * calls table_free in both cases. */
bool table_new(struct hash_table *table, size_t functions);
void table_free(struct hash_table *table);

/* Adds a function. false: its records are too large for the format. */
bool table_add(struct hash_table *table, const struct function_records *records,
               struct function_entry *function);

/* Finds the places of all functions in a file that has them from `at` on.
 * Returns NULL or the error. */
const char *table_lay_out(struct hash_table *table, uint64_t at);
void table_write(struct hash_table *table, struct function_records *records,
                 struct text *to);

/* ---- indexed_walk.c ----
 *
 * A walk through the functions of an indexed profile, bucket by bucket, with a
 * check of all that the file says. Functions that return a text return NULL or
 * the error.
 */

enum { WAITING_MOST = 64 };

/* A function of a bucket. */
struct bucket_entry {
  uint64_t claimed; /* the MD5 of its name, as the file says */
  struct bytes name, data;
};

struct indexed_walk {
  const struct indexed *indexed;
  struct profile *to; /* or NULL: look only */
  windows_see *see;   /* the caller's viewer, or NULL */
  void *context;      /* theirs */
  bool bitmaps;       /* there are some */
  uint64_t weight;
  const struct read_events *events;
  size_t left;      /* bytes that functions may still take, so that no byte is
                  read twice */
  size_t forgotten; /* so much of the file takes no memory */
  struct bucket_entry
      waiting[WAITING_MOST]; /* functions to be added together */
  unsigned waiting_count;
  struct buffer counters, bitmap;
  struct sites sites;
  uint64_t buckets, expected;  /* as the table says */
  uint64_t functions, records; /* read so far */
  bool windows, wrong;         /* it is read in windows, but no such file */
  bool alone;                  /* no window follows what is seen */
  struct counts seen;          /* the record that was read last */
  struct counts_more seen_more;
  const struct profile *other; /* the other window */
};

/* Begins, and ends. to: where functions are added, or NULL. */
void walk_begin(struct indexed_walk *walk, const struct indexed *indexed,
                struct profile *to);
void walk_end(struct indexed_walk *walk);

/* Looks for the table. */
const char *walk_open(struct indexed_walk *walk);

/* The next bucket is the first again. */
void walk_again(struct indexed_walk *walk);

/* Reads the buckets from first up to end; but the last functions wait. */
const char *walk_buckets(struct indexed_walk *walk, uint64_t first,
                         uint64_t end);

/* Adds the functions that wait. */
const char *walk_waiting(struct indexed_walk *walk);

/* Of what was seen alone, a record, until the next call; the name of a
 * reference, data NULL: there is none. */
const struct counts *walk_record(struct indexed_walk *walk, struct bytes name,
                                 uint64_t hash);
struct bytes walk_name(const struct indexed_walk *walk, uint64_t reference);

/* All of that. */
const char *walk_all(struct indexed_walk *walk);

#endif
