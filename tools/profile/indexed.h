/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes indexed profiles (.profdata), the files that compilers and
 * llvm-cov use. profile_merge.c reads these files with indexed_parse_into or in
 * windows; cmd/merge.c writes them with indexed_write.
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

/* Returns whether the file begins like an indexed profile. */
bool indexed_has_magic(struct bytes file);

/* Adds the content of the file to the profile, with counts multiplied by
 * `weight`, which is at least 1. `events` may be NULL. Returns NULL or the
 * error. After an error nothing was added, unless memory ran out midway or
 * profile->lost_on_error is set. */
const char *indexed_parse_into(struct profile *profile, struct bytes file,
                               uint64_t weight,
                               const struct addition_handler *events);

/* ==== Reads the functions of a file in windows. A window is a part of the
 * functions, so larger files do not take more memory. Supports only files in
 * which each function occurs once, in the bucket of its name, as LLVM writes
 * them. Whether a file is like this is known only after all windows were read.
 */

struct indexed_window_reader {
  struct profile profile; /* the functions of the current window, and the kinds
                             of data in all windows so far */
  size_t buckets;         /* number of buckets, which is a power of two */
  size_t expected;        /* number of functions that the file announces */
  enum profile_bitmaps bitmaps; /* kind of the bitmaps, if the file has any */
  struct indexed_walker *walk;  /* state of the walk; only indexed_read.c uses
                                   it */
};

/* Reads the header of the file, and adds everything except functions to *rest.
 * Returns a new reader of windows, or NULL if the file cannot be read in
 * windows. */
struct indexed_window_reader *indexed_windows_new(struct bytes file,
                                                  struct profile *rest);
void indexed_windows_free(struct indexed_window_reader *windows);

/* Calls `see` with each record of the file, before a window is read. `counts`
 * is valid during the call. `name` points into the file, where no zero follows
 * the name. */
typedef void indexed_record_visitor(void *context, const struct bytes *name,
                                    const struct record_counts *counts);
void indexed_windows_visit_records(struct indexed_window_reader *windows,
                                   indexed_record_visitor *see, void *context);

/* Calls `see` with each record of the file, and makes the checks of
 * indexed_windows_are_valid, for callers that read no windows afterwards.
 * `again` says that the caller will use indexed_windows_load_record and
 * indexed_windows_find_name, so the file must stay in memory. */
bool indexed_windows_visit_and_check(struct indexed_window_reader *windows,
                                     bool again, indexed_record_visitor *see,
                                     void *context);

/* Reads a window: the buckets from `first` to `end`, then the buckets `step`
 * later, and so on to the end of the table. `step` must divide the size of the
 * table. `other` is the window of another profile with the same buckets, or
 * NULL; the names in that window are known to be correct. */
void indexed_windows_load(struct indexed_window_reader *windows, size_t first,
                          size_t end, size_t step, const struct profile *other);

/* Returns whether the windows read so far have the content that
 * indexed_parse_into would give. If `all` is true, returns whether the whole
 * file has this content, after all windows were read. */
bool indexed_windows_are_valid(const struct indexed_window_reader *windows,
                               bool all);

/* Call these functions after indexed_windows_visit_and_check. The first one
 * returns a record that is valid until the next call. The second one returns
 * the name for a reference; its data is NULL if the name is unknown. */
const struct record_counts *
indexed_windows_load_record(struct indexed_window_reader *windows,
                            struct bytes name, uint64_t hash);
struct bytes
indexed_windows_find_name(const struct indexed_window_reader *windows,
                          uint64_t reference);

/* ---- indexed_write.c ----
 *
 * Writes indexed profiles as compilers and llvm-cov read them: versions 4 to
 * INDEXED_NEWEST. The bytes are the same as in the output of the llvm-profdata
 * of that version, as far as that output is deterministic. (llvm-profdata
 * compresses the names of vtables with zlib; bareprof stores them
 * uncompressed.)
 *
 *   index version   7  8  9 10 11 12 13 14
 *   written by LLVM 14 15 16 17 18 19 22 23    and read by later releases, too
 */

#define INDEXED_NEWEST 14
enum { INDEXED_OLDEST = 4 };

/* From this version on, local functions in IR profiles are named `file;name`
 * instead of `file:name`; see renames.c. */
enum { INDEXED_SEMICOLON = 11 };

/* From this version on, bitmaps are bytes, followed by uniformity bits, and the
 * records of a function have another order. */
enum { INDEXED_BYTES = 14 };

/* ---- indexed_version.c ---- */

/* Returns the index version to write for release `llvm`. The result is the
 * version that the llvm-profdata of this release writes, or 11, which this
 * release also reads, if the MC/DC bitmaps are from LLVM 18. If llvm is 0,
 * returns the oldest version from 7 on that can hold the whole profile. Returns
 * 0 if no version fits; then *why_not is the reason. Otherwise *why_not is
 * NULL, or names a part that is left out without harm (build ids).
 *
 * clang 22 truncates the hashes of -fprofile-instr-generate to 60 bits. In
 * index versions from 13 on clang 22 looks for truncated hashes, in older
 * versions for full hashes. From version 13 on, all hashes are written
 * truncated. If a record has only a truncated hash, an older version is an
 * error. If the kind of hash is unknown (raw profiles of version 10, and text),
 * `llvm` 0 selects an older version, which is right for llvm-cov, and for
 * -fprofile-instr-use up to clang 21. */
unsigned indexed_choose_version(const struct profile *profile, unsigned llvm,
                                const char **why_not);

/* Returns the part of the profile that a version cannot hold, as the text
 * `what; what to do`. Returns NULL if the version can hold the whole profile.
 */
const char *indexed_check_version(const struct profile *profile,
                                  unsigned version);

/* ---- indexed_write.c ---- */

struct indexed_options {
  unsigned version;
  bool sparse; /* leave out functions that never ran */
  /* Write the names of vtables in readable form, too, which version 12
   * introduced. Compilers ignore these names. The option of llvm-profdata is
   * --keep-vtable-symbols. */
  bool vtable_names;
};

/* Writes the profile. Returns NULL or the error; after an error the stream's
 * content must not be used. The caller checks the stream for errors. */
const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options);

struct memprof_relocation {
  unsigned version; /* version of the memory profile, 0 to 4; data of version 0
                       do not show it */
  uint64_t from, to;
};

/* Moves a memory profile to another offset of a file. Returns NULL or the
 * error; after an error some bytes may have been changed. */
const char *memprof_move_offsets(unsigned char *bytes, size_t size,
                                 const struct memprof_relocation *place);

/* ---- summary.c ----
 *
 * Computes results from a whole profile, for code that writes or shows the
 * profile. The summary says how much was counted and which counts are hot.
 * Indexed profiles begin with the summary, and compilers use the summary. Other
 * functions find the most frequent values of a site, and the names for
 * references. */

enum { SUMMARY_CUTOFFS = 16 };

struct profile_summary {
  uint64_t functions, blocks;
  uint64_t most_entry;    /* largest first counter of any function */
  uint64_t most;          /* largest counter of any function */
  uint64_t most_internal; /* largest counter that is not the first counter of
                             its function */
  uint64_t total;         /* sum of all counters, modulo 2^64 */
  struct summary_cutoff {
    uint32_t cutoff; /* This part of the total, in millionths, ... */
    uint64_t least;  /* ... consists of counts of at least this size ... */
    uint64_t blocks; /* ... in this number of blocks. */
  } cutoffs[SUMMARY_CUTOFFS];
};

/* Selects the records to sum up. A front-end hash may have the
 * context-sensitive bit by chance. */
enum summary_part { SUMMARY_REGULAR, SUMMARY_CS, SUMMARY_ALL };

/* Sums up the records with the context-sensitive bit, the other records, or all
 * records. summary_builder_finish_and_free frees the builder. */
struct summary_builder;
struct summary_builder *summary_builder_new(enum summary_part part);
void summary_builder_add(struct summary_builder *summing,
                         const struct function_entry *function);
void summary_builder_finish_and_free(struct summary_builder *summing,
                                     struct profile_summary *summary);

enum { SITE_VALUES_MOST = 255 };

struct ranked_value {
  struct profiled_value value;
  uint32_t at; /* index of the value in the site */
};

struct value_ranking {
  struct ranked_value *list; /* the ranked values, with space for the values of
                                any site */
  uint32_t most;             /* most values that a site may keep */
};

/* Initialises a ranking for the sites of a profile. */
void ranking_init(struct value_ranking *ranking, const struct profile *profile);
void ranking_free(struct value_ranking *ranking);

/* Ranks the values of a site. Returns the number of values that are kept. */
uint32_t ranking_rank_site(struct value_ranking *ranking,
                           const struct value_site *site);

static inline uint32_t ranking_kept_value_count(const struct value_site *site) {
  return site->count < SITE_VALUES_MOST ? site->count : SITE_VALUES_MOST;
}

/* Returns whether a function must be written. With `sparse`, functions whose
 * counts and bitmaps are all 0 are left out. */
bool profile_must_write_function(const struct function_entry *function,
                                 bool sparse);

/* Returns the functions to write, in the order of their names. The caller frees
 * the member `list`. */
struct functions_list
profile_list_written_functions(const struct profile *profile, bool sparse);

struct reference_names {
  const struct profile *profile;
  bool sparse;
  struct keyed_item *vtables; /* names of vtables, sorted by reference */
  size_t count;
};

/* Prepares the search for the names of all vtables and of the functions to
 * write. */
void references_init(struct reference_names *references,
                     const struct profile *profile, bool sparse);
void references_free(struct reference_names *references);

/* Returns the name for a reference, or NULL if the name is unknown. */
const char *references_find_name(const struct reference_names *references,
                                 uint64_t reference);

#endif
