/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes a profile in memory. The profile may come from a file of any kind.
 * A profile has functions with names, and each function has counts for each
 * structural hash. Readers (raw.h, indexed_read.c, proftext.h) add to a
 * profile; writers and commands read it. Counts of the same function and hash
 * add up, so adding a second file merges two profiles.
 *
 * The whole profile is in one arena. The arena grows with the functions, values
 * and names, but not with the number of files.
 */
#ifndef BAREPROF_TOOLS_MODEL_H
#define BAREPROF_TOOLS_MODEL_H

#include <stdbool.h>

#include "../base/storage.h"
#include "../base/bytes.h"

struct name_table;
struct record_counts;

/* Bits of profile.flags, which say which events were counted, and in which
 * mode. The version words of raw and indexed files have these bits from bit 55
 * up, in another order. */
enum profile_flag {
  PROFILE_FRONT_END = 1, /* from -fprofile-instr-generate */
  PROFILE_IR = 2,        /* from -fprofile-generate */
  PROFILE_CS = 4,        /* -fcs-profile-generate: some hashes have bit 60
                            set */
  PROFILE_ENTRY_FIRST = 8,
  PROFILE_BYTES = 16,      /* a count is the number of runs that reached the
                              code */
  PROFILE_ENTRY_ONLY = 32, /* the profile has only coverage of function
                              entries */
  PROFILE_TEMPORAL = 64,   /* the profile has traces */
  PROFILE_LOOP_ENTRIES = 128,
  PROFILE_CORRELATED = 256, /* the profile was read with debug information */
  /* These modes count other blocks of a function, under the same hash. Clang
   * reads all counters of a profile in one mode. */
  PROFILE_PLACES = PROFILE_ENTRY_FIRST | PROFILE_LOOP_ENTRIES
};

/* The bits of a front-end hash that clang keeps since LLVM 22. */
#define PROFILE_CUT_HASH ((UINT64_C(1) << 60) - 1)

/* The bit that marks a context-sensitive hash. */
#define PROFILE_CS_HASH (UINT64_C(1) << 60)

/* The largest count. The two higher numbers are marks for hot and warm. */
#define PROFILE_COUNT_MOST (UINT64_MAX - 2)

/* The largest plausible count. Larger ones come from overwritten memory. */
#define PROFILE_COUNT_REASON (UINT64_C(1) << 56)

/* The releases of clang that made the profile's MC/DC bitmaps. LLVM 18 assigns
 * bitmap bits in another order than later releases. */
enum profile_bitmaps {
  BITMAPS_NONE,
  BITMAPS_UNSAID, /* the bitmaps are from text, which does not show the
                     release */
  BITMAPS_18 = 18,
  BITMAPS_19 = 19 /* release 19 and later */
};

enum { VALUE_CALLS, VALUE_MEMOPS, VALUE_VTABLES, VALUE_KINDS };

/* A value that was seen at a site: a size, or the reference (MD5, see
 * md5_low64) to the name of a function or vtable. The reference is 0 if the
 * profile does not have the name. */
struct profiled_value {
  uint64_t value;
  uint64_t count;
};

struct value_site {
  /* the values, in order of arrival; in merged records, in the order of
   * site_sort_values */
  struct profiled_value *values;
  uint32_t count, room;
};

/* The parts of a record that most records lack. */
struct rare_record_parts {
  struct record_counts *below[2]; /* two pointers that only profile_add_counts
                                     uses */
  struct record_counts *last;     /* if the record is the first one of a
                                     function, the last record of the
                                     function */
  unsigned char *bitmap;          /* the bitmap for MC/DC */
  struct value_site *sites[VALUE_KINDS];
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
};

/* A record: the counts of a function for one structural hash. */
struct record_counts {
  struct record_counts *next; /* next record of the function, in order of
                                 arrival */
  /* the rare parts, never NULL; records without such parts may share one
   * struct */
  struct rare_record_parts *more;
  uint64_t hash;
  uint64_t *counters;
  uint32_t counter_count;
  uint32_t source; /* number of the first input that has this record */
  uint32_t merged; /* number of records that were added to the first record */
  bool hash_cut;   /* clang 22 truncated the hash, and the full hash is
                      unknown */
  bool lent;       /* the counters belong to an addition and must not be
                      changed */
};

struct function_entry {
  struct function_entry *next;  /* next function in the same bucket */
  const char *name;             /* the name, with a zero at its end, which
                                   name_size excludes */
  uint64_t reference;           /* MD5 of the name (md5_low64) */
  struct record_counts *counts; /* first record of the function */
  uint32_t name_size;
  uint32_t number; /* index in struct profile.arrived */
};

/* A trace has the functions of one run, in the order of their first calls. */
struct temporal_trace {
  uint64_t weight;
  uint64_t *functions; /* references to the functions; the function called first
                          is the first */
  size_t count;
  uint64_t hash; /* hash of `functions`, which profile_add_trace sets */
};

struct profile {
  struct arena arena;
  unsigned flags;
  size_t hashes_cut;               /* number of records with hash_cut */
  struct function_entry **buckets; /* hash table with bucket_count buckets, a
                                      power of two */
  struct function_entry **arrived; /* all functions, in order of arrival */
  size_t bucket_count;
  size_t function_count;
  size_t record_count;
  /* The index of the function that follows the latest addition's function,
   * because files of one build have the same order. */
  size_t next;
  bool several;         /* a function has several records */
  bool has_cs;          /* a record has PROFILE_CS_HASH in its hash */
  uint32_t most_values; /* most values that a site may keep */
  bool has_bitmaps;
  enum profile_bitmaps bitmaps; /* the release that made the bitmaps; only valid
                                   if has_bitmaps is true */
  enum profile_bitmaps
      bitmaps_by_user; /* the release that the user chose for bitmaps in text;
                          BITMAPS_NONE: no choice */
  bool has_sites[VALUE_KINDS];
  bool has_colons, has_semicolons; /* names of functions contain colons, or
                                      semicolons */
  bool thinned;           /* a site had too many values, and some values were
                             dropped */
  struct buffer kept;     /* memory to free with the profile; elements are void
                             * */
  struct buffer vtables;  /* names of vtables, in order of arrival; elements are
                             const char * */
  size_t vtables_settled; /* the first names in `vtables` that are distinct and
                             sorted */
  /* The build ids. Elements are struct bytes. After
   * profile_sort_unique_build_ids the ids are distinct and ascending. */
  struct buffer ids;
  size_t ids_settled;
  struct temporal_trace *traces;
  size_t trace_count;
  uint64_t run_count;   /* number of traces before the profile dropped some
                           traces */
  struct bytes memprof; /* the memory profile of an indexed file, unchanged, or
                            empty */
  /* The offset of memprof in its file. The offsets inside memprof count from
   * this place. */
  uint64_t memprof_at;
  unsigned memprof_version;
  uint32_t source;    /* number of the current input, which messages use */
  bool lost_on_error; /* The owner drops the profile after an error, so
                         readers may add parts before they have checked the
                         whole file. */
};

/* A record that a caller adds to a profile. The caller owns the arrays. */
struct counts_addition {
  const char *name;
  size_t name_size;
  uint64_t reference; /* MD5 of the name; 0 if the caller does not know it */
  uint64_t hash;
  const uint64_t *counters;
  const unsigned char *bitmap;
  const struct value_site *sites[VALUE_KINDS]; /* the sites of each kind; their
                                                  values may have any order and
                                                  may repeat */
  uint32_t counter_count;
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
  uint64_t weight; /* factor for all counts, at least 1 */
  bool marks;      /* the first counter may be a pseudo count, above
                      PROFILE_COUNT_MOST; in raw files such a counter is an
                      error */
  bool hash_cut;   /* the front end of LLVM 22 made the hash */
  /* The reference comes from a file and may be wrong. A wrong reference must
   * not change anything except the search time. */
  bool claimed;
  /* The counters, and the name with a zero at its end, live as long as the
   * profile, so the profile makes no copies. `weight` is 1, and no counter is
   * above PROFILE_COUNT_MOST. */
  bool lasting;
};

static inline bool addition_has_sites(const struct counts_addition *addition) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    if (addition->site_count[kind])
      return true;
  return false;
}

/* Makes an addition that adds a record of one profile to another profile. */
static inline struct counts_addition
profile_make_addition(const struct function_entry *function,
                      const struct record_counts *counts) {
  struct counts_addition addition = {.name = function->name,
                                     .name_size = function->name_size,
                                     .hash = counts->hash,
                                     .counters = counts->counters,
                                     .bitmap = counts->more->bitmap,
                                     .counter_count = counts->counter_count,
                                     .bitmap_size = counts->more->bitmap_size,
                                     .weight = 1,
                                     .marks = true,
                                     .hash_cut = counts->hash_cut};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    addition.sites[kind] = counts->more->sites[kind];
    addition.site_count[kind] = counts->more->site_count[kind];
  }
  return addition;
}

/* The result of an addition consists of these bits. Several bits may be set,
 * except for the last two bits. */
enum addition_result {
  ADDED = 0,
  ADDED_OVERFLOW = 1,   /* a sum was limited to PROFILE_COUNT_MOST */
  ADDED_SUSPECT = 2,    /* a count is implausibly large; only readers report
                           this */
  ADDED_ONE_BITMAP = 4, /* only some of the additions so far have a bitmap, and
                           the record has this bitmap */
  ADDED_NO_BITMAP = 8,  /* the addition was added except its bitmap, which has
                           another size */
  ADDED_ONE_SITES = 16, /* only some of the additions so far have sites of a
                           kind */
  ADDED_NO_SITES = 32,  /* the addition was added except its values of a kind,
                           because the number of sites differs */
  /* Nothing was added. Name and hash are equal, but the number of counters
   * differs, or only one of the records is a pseudo count. */
  REFUSED_SHAPE = 64,
  REFUSED_MEMORY = 128
};
enum { ADDITION_BITS = 7 }; /* number of bits that events report */

/* Initialises an empty profile. `limit` is the most memory that the profile may
 * take, in bytes. */
void profile_init(struct profile *profile, size_t limit);
void profile_free(struct profile *profile);

/* Removes all functions, but remembers which kinds of data they had. */
void profile_clear_functions(struct profile *profile);

/* Reserves space for more functions, some of which may already exist. The call
 * only saves time. Returns false if memory runs out. */
bool profile_reserve_functions(struct profile *profile, size_t more);

/* Returns whether the function with this name follows the function of the
 * latest addition. Searches try the following function first. */
bool profile_is_next_name(const struct profile *profile, const char *name,
                          size_t name_size);

/* Adds a record. Sets *where to the profile's record, if where is not NULL. */
enum addition_result profile_add_counts(struct profile *profile,
                                        const struct counts_addition *addition,
                                        struct record_counts **where);

/* Adds a record without a bitmap or sites to the function that
 * profile_is_next_name has confirmed. Returns false unless the function has
 * exactly one record, with the same hash and also without bitmap and sites.
 * After false, call profile_add_counts. */
struct counters_only_record {
  const unsigned char *counters; /* the counters, little-endian */
  uint32_t counter_count;
  bool hash_cut;
  uint64_t hash;
};
bool profile_add_next_counts(struct profile *profile,
                             const struct counters_only_record *from);

/* Adds counters to an existing record with the same number of counters. Readers
 * of many files of one build use this function instead of
 * profile_add_counts. */
enum addition_result
profile_add_to_counts(struct profile *profile, struct record_counts *counts,
                      const struct counts_addition *addition);

/* Makes the profile the owner of memory from malloc, which lasting additions
 * use. Returns false if memory runs out; then the caller still owns `memory`.
 */
bool profile_own_memory(struct profile *profile, void *memory);

/* ---- profile_sort.c ---- */

/* Adds a whole profile, as if all files of that profile were added. Returns
 * ADDED, or the first other result; then only a part was added. */
enum addition_result profile_add_profile(struct profile *to,
                                         const struct profile *from);

/* Adds only the build ids and the memory profile of another profile. The
 * profile must not have a memory profile yet. Returns false if memory runs out.
 */
bool profile_add_ids_and_memprof(struct profile *to,
                                 const struct profile *from);

/* Returns whether a record is only marked as hot or warm. The counters of such
 * a record are not counts. */
static inline bool counts_are_pseudo(const uint64_t *counters, uint32_t count) {
  return count && counters[0] > PROFILE_COUNT_MOST;
}

/* Return a sum or a product. A result above the largest count becomes that
 * count, and sets *cut. */
static inline uint64_t count_add_limited(uint64_t a, uint64_t b, bool *cut) {
  uint64_t sum = a + b;
  if (sum >= a && sum <= PROFILE_COUNT_MOST)
    return sum;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

static inline uint64_t count_multiply_limited(uint64_t a, uint64_t weight,
                                              bool *cut) {
  /* Nearly all weights are 1, and division is slow. */
  if (weight == 1 && a <= PROFILE_COUNT_MOST)
    return a;
  if (a == 0 || weight <= PROFILE_COUNT_MOST / a)
    return a * weight;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

/* Functions that only prefetch are always inline, because gcc 12 drops calls of
 * functions without effect. */
#define PREFETCHES static inline __attribute__((always_inline))

/* The functions of a profile are scattered over memory, but most are next to
 * their data. A loop over a list prefetches the function FUNCTIONS_AHEAD
 * positions later. */
enum { FUNCTIONS_AHEAD = 16 };
PREFETCHES void prefetch_function(const struct function_entry *function) {
  for (unsigned at = 0; at < 192; at += 64)
    __builtin_prefetch((const char *)function + at);
}

/* Prefetches the data of a function if they are not next to the function. The
 * function itself must be in the cache. */
PREFETCHES void prefetch_function_parts(const struct function_entry *function) {
  const struct record_counts *counts = function->counts;
  __builtin_prefetch(function->name);
  __builtin_prefetch(function->name + function->name_size);
  if (!counts)
    return;
  __builtin_prefetch(counts->counters);
  __builtin_prefetch(counts->counters + counts->counter_count);
}

/* Prefetches the data for a walk over profile.arrived that is at index i. */
PREFETCHES void profile_prefetch_walk(const struct profile *profile, size_t i) {
  if (i + FUNCTIONS_AHEAD < profile->function_count)
    prefetch_function(profile->arrived[i + FUNCTIONS_AHEAD]);
  if (i + FUNCTIONS_AHEAD / 2 < profile->function_count)
    prefetch_function_parts(profile->arrived[i + FUNCTIONS_AHEAD / 2]);
}

/* Prefetches a bucket, before the caller looks up or adds a function. */
PREFETCHES void profile_prefetch_bucket(const struct profile *profile,
                                        uint64_t reference) {
  if (profile->bucket_count)
    __builtin_prefetch(
        &profile->buckets[reference & (profile->bucket_count - 1)]);
}

/* Returns the function whose name has this MD5, or NULL. */
static inline const struct function_entry *
profile_find_function(const struct profile *profile, uint64_t reference) {
  const struct function_entry *function =
      profile->bucket_count
          ? profile->buckets[reference & (profile->bucket_count - 1)]
          : NULL;
  while (function && function->reference != reference)
    function = function->next;
  return function;
}

/* A list of functions of a profile. */
struct functions_list {
  struct function_entry *const *list;
  size_t count;
};

/* Returns all functions in the order of their names. The caller frees the list,
 * but not the functions. */
struct function_entry **
profile_list_sorted_functions(const struct profile *profile);

/* Returns the profile's flags for the version word of a raw or indexed profile.
 */
unsigned profile_decode_flags(uint64_t word);

/* Checks whether the profile may take a file with these flags and this kind of
 * bitmaps, and updates the profile's flags and bitmaps. Returns NULL or the
 * reason why not. */
const char *profile_join_kind(struct profile *profile, unsigned flags,
                              enum profile_bitmaps bitmaps);

/* Returns the hash that tells records of one function apart. For front-end
 * profiles the hash is truncated as clang 22 does. So a record from an older
 * release and one from LLVM 22 become one record, which keeps the longer hash.
 */
static inline uint64_t profile_comparable_hash(const struct profile *profile,
                                               uint64_t hash) {
  return profile->flags & PROFILE_FRONT_END ? hash & PROFILE_CUT_HASH : hash;
}

/* Removes the first build id from a list. An entry of the list is a 64-bit size
 * and the id, padded to 8 bytes. Returns false if the list is damaged. */
bool profile_pop_build_id(struct bytes *ids, struct bytes *id, bool big);

/* Checks a list of build ids, and adds the ids to `to`, which may be NULL.
 * Returns NULL or the error. Call profile_sort_unique_build_ids after a file's
 * last list. */
const char *profile_add_build_ids(struct profile *to, struct bytes ids,
                                  bool big);
void profile_sort_unique_build_ids(struct profile *profile);

/* These functions add a copy of a vtable's name, of a list of names, and of a
 * trace. They return false if memory runs out. */
bool profile_add_vtable(struct profile *profile, const char *name,
                        size_t name_size);
bool profile_add_vtable_names(struct profile *profile,
                              const struct name_table *names);
bool profile_add_trace(struct profile *profile,
                       const struct temporal_trace *trace);

/* Adds the number of runs whose traces an indexed or text file has dropped.
 * Call this function after all traces of the file were added. */
void profile_add_runs_limit_traces(struct profile *profile, uint64_t runs);

/* Sorts names and removes duplicates. Returns the number of names that remain.
 */
size_t vtables_sort_unique(const char **list, size_t count);

struct addition_handler {
  /* Handles any result except ADDED and REFUSED_MEMORY. `counts` is the record
   * in the profile, or NULL; `addition` is the record in the file. */
  void (*event)(void *context, enum addition_result result,
                const struct record_counts *counts,
                const struct counts_addition *addition);
  void *context;
};

/* Passes a result to the handler `events`, which may be NULL. */
static inline void
profile_report_event(const struct addition_handler *events,
                     enum addition_result result,
                     const struct record_counts *counts,
                     const struct counts_addition *addition) {
  if (events && events->event && result != ADDED)
    events->event(events->context, result, counts, addition);
}

/* ---- profile_sort.c: sorting by numeric keys ---- */

struct keyed_item {
  uint64_t key;
  uint64_t item; /* belongs to the caller, who stores a number or a pointer as
                    uintptr_t */
};

/* Sorts by ascending key. Elements with equal keys keep their order. `spare`
 * must have space for as many elements as the list. */
void keyed_sort(struct keyed_item *list, struct keyed_item *spare,
                size_t count);

/* Inserts an element into a sorted list that keeps only the first `most`
 * elements. Returns the new number of elements. Callers use this function to
 * find the few highest of many elements. */
size_t topn_insert(void *list, size_t count, size_t size, const void *element,
                   size_t most, int (*order)(const void *, const void *));

/* Sorts functions by name. A group of elements from index `first` to `end`
 * stays unsorted if divides(first, end) returns false. The item of each element
 * is the address of a struct function_entry. */
typedef bool names_need_order(size_t first, size_t end);
void names_sort_partly(struct keyed_item *list, struct keyed_item *spare,
                       size_t count, names_need_order *divides);

/* ---- value_sites.c ---- */

/* What is known about an addition while its values are added. */
struct addition_state {
  struct profile *profile;
  uint64_t weight;
  bool first;  /* the profile did not have the record before */
  bool sorted; /* the record's sites are in the order of site_sort_values */
  bool cut;    /* a sum was limited to the largest count */
  bool pseudo; /* the counters are a pseudo count */
};

/* Sorts the values of a site by ascending value, then by descending count.
 * Several values of a site may be 0 (a function or vtable that is not in the
 * profile). LLVM does not join these, and adds the largest count to the
 * largest. */
void site_sort_values(struct value_site *site);

/* Adds the values of a site to the same site of the profile. Returns false if
 * memory runs out. */
bool site_add_values(struct addition_state *adding, struct value_site *to,
                     const struct value_site *from);

#endif
