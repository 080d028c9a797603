/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes indexed profiles (.profdata), the files that compilers and
 * llvm-cov use. profile_merge.c reads with indexed_parse_into or in windows;
 * cmd/merge.c writes with indexed_write.
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

struct indexed_walker;

/* ---- indexed_read.c ----
 *
 * Reads indexed profiles as llvm-profdata merge writes them: versions 1 to
 * INDEXED_NEWEST.
 */

/* Whether the file begins like an indexed profile. */
bool indexed_has_magic(struct bytes file);

/* Adds the content of the file, with counts multiplied by `weight` (1 or more).
 * `events` may be NULL. Returns NULL or the error. After an error nothing was
 * added, unless memory ran out midway or profile->lost_on_error is set. */
const char *indexed_parse_into(struct profile *profile, struct bytes file,
                               uint64_t weight,
                               const struct addition_handler *events);

/* ==== Reads a part of the functions at a time, a window, so that larger files
 * do not take more memory. Supports only files as LLVM writes them: each
 * function occurs once, in the bucket of its name. Only the end of the file
 * shows whether this is true. */

struct indexed_window_reader {
  struct profile profile; /* the functions of the current window, and the kinds
                             of data in all windows so far */
  size_t buckets;         /* a power of two */
  size_t expected;        /* number of functions, as the file claims */
  enum profile_bitmaps bitmaps; /* kind of the bitmaps, if any */
  struct indexed_walker *walk;  /* private to indexed_read.c */
};

/* Reads the header of the file, and adds everything except functions to *rest.
 * Returns NULL if the file cannot be read in windows. */
struct indexed_window_reader *indexed_windows_new(struct bytes file,
                                                  struct profile *rest);
void indexed_windows_free(struct indexed_window_reader *windows);

/* Calls `see` with each record of the file, before a window is read. `counts`
 * is valid during the call. `name` is in the file, without a zero at its end.
 */
typedef void indexed_record_visitor(void *context, const struct bytes *name,
                                    const struct record_counts *counts);
void indexed_windows_visit_records(struct indexed_window_reader *windows,
                                   indexed_record_visitor *see, void *context);

/* Calls `see` like indexed_windows_visit_records, for a caller that reads no
 * windows afterwards. Includes the checks of indexed_windows_are_valid. `again`
 * says that the caller will use indexed_windows_load_record and
 * indexed_windows_find_name, so the file must stay in memory. */
bool indexed_windows_visit_checked(struct indexed_window_reader *windows,
                                   bool again, indexed_record_visitor *see,
                                   void *context);

/* Reads a window: the buckets from first to end, and the buckets that are a
 * multiple of `step` later. `step` must divide the size of the table. `other`
 * is the window of another profile at this place, or NULL; names in that window
 * are known to be correct. */
void indexed_windows_load(struct indexed_window_reader *windows, size_t first,
                          size_t end, size_t step, const struct profile *other);

/* Whether the windows read so far have the content that indexed_parse_into
 * would give. With `all`, whether the whole file does, after all windows were
 * read. */
bool indexed_windows_are_valid(const struct indexed_window_reader *windows,
                               bool all);

/* Call these after indexed_windows_visit_checked. They return a record that is
 * valid until the next call, and the name for a reference, with data NULL if
 * the name is unknown. */
const struct record_counts *
indexed_windows_load_record(struct indexed_window_reader *windows,
                            struct bytes name, uint64_t hash);
struct bytes
indexed_windows_find_name(const struct indexed_window_reader *windows,
                          uint64_t reference);

/* ---- indexed_write.c ----
 *
 * Writes indexed profiles as compilers and llvm-cov read them: versions 4 to
 * INDEXED_NEWEST. The bytes are the same as from the llvm-profdata of that
 * version, as far as its output is deterministic. (llvm-profdata compresses the
 * names of vtables with zlib; bareprof stores them uncompressed.)
 *
 *   index version   7  8  9 10 11 12 13 14
 *   written by LLVM 14 15 16 17 18 19 22 23    read by that one and later ones
 */

#define INDEXED_NEWEST 14
enum { INDEXED_OLDEST = 4 };

/* From this version on, local functions in IR profiles are named `file;name`
 * instead of `file:name`; see renames.c. */
enum { INDEXED_SEMICOLON = 11 };

/* From this version on, bitmaps are bytes, followed by uniformity bits, and the
 * records of a function have another order. */
enum { INDEXED_BYTES = 14 };

/* Returns the version that the llvm-profdata of release `llvm` writes, or 11,
 * which this release reads, if the MC/DC bitmaps are from LLVM 18. If llvm is
 * 0, returns the oldest version from 7 on that can hold the whole profile.
 * Returns 0 without such a version; then *why_not is the reason. Otherwise
 * *why_not is NULL, or names a part that is left out without harm (build ids).
 *
 * clang 22 truncates the hashes of -fprofile-instr-generate to 60 bits. In
 * index versions from 13 on clang 22 looks for truncated hashes, in older
 * versions for full hashes. From version 13 on, all hashes are written
 * truncated. If a record has only a truncated hash, an older version is an
 * error. If the kind of hash is unknown (raw profiles of version 10, and text),
 * llvm 0 selects an older version, which is right for llvm-cov, and for
 * -fprofile-instr-use up to clang 21. */
unsigned indexed_choose_version(const struct profile *profile, unsigned llvm,
                                const char **why_not);

/* Returns the part of the profile that a version cannot hold, as `what; what to
 * do`; or NULL. */
const char *indexed_check_version(const struct profile *profile,
                                  unsigned version);

struct indexed_options {
  unsigned version;
  bool sparse;       /* omit functions that never ran */
  bool vtable_names; /* since version 12, the names of vtables for people:
                        compilers ignore these names; like llvm-profdata's
                        --keep-vtable-symbols */
};

/* Writes the profile. Returns NULL or the error; after an error the stream's
 * content must not be used. The caller checks the stream for errors. */
const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options);

struct memprof_relocation {
  unsigned version; /* 0 to 4; version 0 is not stored in the data */
  uint64_t from, to;
};

/* Moves a memory profile to another offset of a file. Returns NULL or the
 * error; after an error some bytes may have been changed. */
const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_relocation *place);

/* ---- summary.c ----
 *
 * Computes results from a whole profile, for code that writes or shows the
 * profile. The summary says how much was counted and which counts are hot;
 * indexed profiles begin with the summary, and compilers use it. Other
 * functions find the most frequent values of a site, and the names for
 * references. */

enum { SUMMARY_CUTOFFS = 16 };

struct profile_summary {
  uint64_t functions, blocks;
  uint64_t most_entry;    /* largest first counter of a function */
  uint64_t most;          /* largest counter */
  uint64_t most_internal; /* largest other counter */
  uint64_t total;         /* sum of all counters, modulo 2^64 */
  struct summary_cutoff {
    uint32_t cutoff; /* this part of the total, in millionths, ... */
    uint64_t least;  /* ... consists of counts of at least this size, ... */
    uint64_t blocks; /* ... in this many places. */
  } cutoffs[SUMMARY_CUTOFFS];
};

/* A front-end hash may have the context-sensitive bit by chance. */
enum summary_part { SUMMARY_REGULAR, SUMMARY_CS, SUMMARY_ALL };

/* Sums up the records with the context-sensitive bit, the other records, or
 * all. summary_builder_finish frees the builder. */
struct summary_builder;
struct summary_builder *summary_builder_new(enum summary_part part);
void summary_builder_add(struct summary_builder *summing,
                         const struct function_entry *function);
void summary_builder_finish(struct summary_builder *summing,
                            struct profile_summary *summary);

enum { SITE_VALUES_MOST = 255 };

struct ranked_value {
  struct profiled_value value;
  uint32_t at; /* index in the site */
};

struct value_ranking {
  struct ranked_value *list; /* the ranked values; with space for any site's
                                values */
  uint32_t most;             /* upper limit for the values of a site */
};

/* Initialises a ranking for the sites of a profile. */
void ranking_new(struct value_ranking *ranking, const struct profile *profile);
void ranking_free(struct value_ranking *ranking);

/* Ranks the values of a site. Returns how many are kept. */
uint32_t ranking_rank_site(struct value_ranking *ranking,
                           const struct value_site *site);

static inline uint32_t ranking_kept_count(const struct value_site *site) {
  return site->count < SITE_VALUES_MOST ? site->count : SITE_VALUES_MOST;
}

/* Whether to write a function. With `sparse`, functions whose counts and
 * bitmaps are all 0 are omitted. */
bool profile_must_write_function(const struct function_entry *function,
                                 bool sparse);

/* Returns the functions to write, in the order of their names. The caller frees
 * list. */
struct functions_list
profile_list_written_functions(const struct profile *profile, bool sparse);

struct reference_names {
  const struct profile *profile;
  bool sparse;
  struct keyed_item *vtables; /* names of vtables, by reference */
  size_t count;
};

/* Prepares the references to the written functions and all vtables. */
void references_new(struct reference_names *references,
                    const struct profile *profile, bool sparse);
void references_free(struct reference_names *references);

/* Returns the name for a reference, or NULL if the name is unknown. */
const char *references_find_name(const struct reference_names *references,
                                 uint64_t reference);

#endif
