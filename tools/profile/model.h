/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile in memory, from any kind of file: functions by name, each with
 * counts by structural hash. Readers (raw.h, indexed_read.c, proftext.h) add to
 * the profile; writers and commands read the profile. Adding is merging: counts
 * of the same function and hash add up.
 *
 * The whole profile is in one arena. The arena grows with functions, values and
 * names, and not with the number of files.
 */
#ifndef BAREPROF_TOOLS_MODEL_H
#define BAREPROF_TOOLS_MODEL_H

#include <stdbool.h>

#include "../base/storage.h"
#include "../base/bytes.h"

struct counts;

/* What was counted, and how: bits of struct profile.flags. The version words of
 * raw and indexed files have these bits at bit 55 and up, in another order. */
enum profile_flag {
  PROFILE_FRONT_END = 1, /* -fprofile-instr-generate */
  PROFILE_IR = 2,        /* -fprofile-generate */
  PROFILE_CS = 4,        /* -fcs-profile-generate: some hashes have bit 60 */
  PROFILE_ENTRY_FIRST = 8,
  PROFILE_BYTES = 16,      /* coverage: a count is the number of runs */
  PROFILE_ENTRY_ONLY = 32, /* function-entry coverage */
  PROFILE_TEMPORAL = 64,   /* with traces */
  PROFILE_LOOP_ENTRIES = 128,
  PROFILE_CORRELATED = 256 /* read with the help of debug information */
};

/* Since LLVM 22, clang's front end cuts its hashes to these bits. */
#define PROFILE_CUT_HASH ((UINT64_C(1) << 60) - 1)

/* The context-sensitive bit of a hash. */
#define PROFILE_CS_HASH (UINT64_C(1) << 60)

/* The largest count. The two numbers above are pseudo counts: hot and warm. */
#define PROFILE_COUNT_MOST (UINT64_MAX - 2)

/* Larger counts come from torn or overwritten memory. */
#define PROFILE_COUNT_REASON (UINT64_C(1) << 56)

/* Whose clang MC/DC bitmaps are of. LLVM 18 gives the results of conditions
 * other places in a bitmap than later releases. */
enum profile_bitmaps {
  BITMAPS_NONE,
  BITMAPS_UNSAID, /* of text, which does not say it */
  BITMAPS_18 = 18,
  BITMAPS_19 = 19 /* and later */
};

enum { VALUE_CALLS, VALUE_MEMOPS, VALUE_VTABLES, VALUE_KINDS };

/* A value seen at a site: a size; or the reference (MD5, see md5_low64) of the
 * name of a function or vtable, 0 if the profile does not have the name. */
struct value {
  uint64_t value;
  uint64_t count;
};

struct site {
  struct value *values; /* in order of arrival; in merged records, in the
                           order of site_sort */
  uint32_t count, room;
};

/* What few records have. */
struct counts_more {
  struct counts *below[2]; /* profile_add's */
  struct counts *last;   /* of the function, if this is the first of several */
  unsigned char *bitmap; /* MC/DC */
  struct site *sites[VALUE_KINDS];
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
};

/* The counts of one structure of a function. */
struct counts {
  struct counts *next;      /* of the same function, in order of arrival */
  struct counts_more *more; /* never NULL; may be common to all that have none
                               of it */
  uint64_t hash;
  uint64_t *counters;
  uint32_t counter_count;
  uint32_t source; /* number of the first input with this record */
  uint32_t merged; /* how many records came after the first */
  bool hash_cut;   /* clang 22 cut the hash, and the full hash is unknown */
  bool lent;       /* counters are an addition's, and must not be changed */
};

struct function_entry {
  struct function_entry *next; /* of the same bucket */
  const char *name;            /* ends in a zero, which is not counted */
  uint64_t reference;          /* MD5 of the name */
  struct counts *counts;       /* the first */
  uint32_t name_size;
  uint32_t number; /* among those of struct profile.arrived */
};

/* The order of first calls of one run. */
struct trace {
  uint64_t weight;
  uint64_t *functions; /* references, first called first */
  size_t count;
  uint64_t hash; /* of the functions: profile_add_trace sets it */
};

struct profile {
  struct arena arena;
  unsigned flags;
  size_t hashes_cut;               /* number of records with hash_cut */
  struct function_entry **buckets; /* bucket_count, a power of two */
  struct function_entry **arrived; /* function_count, in order of arrival */
  size_t bucket_count;
  size_t function_count;
  size_t record_count;
  size_t next;          /* number of the function behind that of the latest
                        addition: files of one build have one order */
  bool several;         /* a function has several records */
  bool has_cs;          /* a record has PROFILE_CS_HASH */
  uint32_t most_values; /* no site has more */
  bool has_bitmaps;
  enum profile_bitmaps bitmaps; /* if it has some */
  enum profile_bitmaps told;    /* what the user says of those in text;
                                   BITMAPS_NONE: nothing */
  bool has_sites[VALUE_KINDS];
  bool has_colons, has_semicolons; /* in names of functions */
  bool thinned;           /* some site had too many values, so some were
                             dropped */
  struct buffer kept;     /* void *: memory to free with the profile */
  struct buffer vtables;  /* const char *: names of vtables, in order of
                             arrival */
  size_t vtables_settled; /* number of leading vtables that are distinct and
                             sorted */
  struct buffer ids;      /* struct bytes: distinct build ids, ascending; but
                             see profile_add_id */
  size_t ids_settled;
  struct trace *traces;
  size_t trace_count;
  uint64_t trace_stream; /* number of traces before some were left out */
  struct bytes memprof;  /* of an indexed file, unchanged; or none */
  uint64_t memprof_at;   /* its place in the file: its offsets count from the
                          file's beginning */
  unsigned memprof_version;
  uint32_t source;    /* number of the input being read, for messages */
  bool lost_on_error; /* The owner drops the profile after an error: readers may
                         add what they have checked so far. */
};

/* One record to add. The caller owns the arrays. */
struct addition {
  const char *name;
  size_t name_size;
  uint64_t reference; /* MD5 of the name if known, otherwise 0 */
  uint64_t hash;
  const uint64_t *counters;
  const unsigned char *bitmap;
  const struct site *sites[VALUE_KINDS]; /* of any order, with repeats */
  uint32_t counter_count;
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
  uint64_t weight; /* 1 or more: counts are multiplied by it */
  bool marks;      /* A first counter beyond PROFILE_COUNT_MOST is a pseudo
                      count. In raw files such a counter is wrong. */
  bool hash_cut;   /* the front end of LLVM 22 made the hash */
  bool claimed;    /* The reference is what a file says. Nothing but the time of
                      the search depends on it, because it may be wrong. */
  bool lasting;    /* The name, which ends in a zero, and the counters last as
                      long as the profile, so it keeps no copies. weight is 1,
                      and no counter is beyond PROFILE_COUNT_MOST. */
};

/* The addition that adds counts of one profile to another. */
static inline struct addition addition_of(const struct function_entry *function,
                                          const struct counts *counts) {
  struct addition addition = {.name = function->name,
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

/* Bits: several may be true of one addition, except the last two. */
enum addition_result {
  ADDED = 0,
  ADDED_OVERFLOW = 1,   /* a sum was cut to PROFILE_COUNT_MOST */
  ADDED_SUSPECT = 2,    /* a count is implausibly large; only readers report
                           this */
  ADDED_ONE_BITMAP = 4, /* Of this and earlier additions only some have a
                           bitmap; the record has theirs. */
  ADDED_NO_BITMAP = 8,  /* all but the bitmap, which has another size */
  ADDED_ONE_SITES = 16, /* Only some have sites of a kind of values. */
  ADDED_NO_SITES = 32,  /* all but the values of a kind with another number of
                           sites */
  REFUSED_SHAPE = 64,   /* same name and hash, another number of counters, or
                           only one has a pseudo count: nothing was added */
  REFUSED_MEMORY = 128
};
enum { ADDITION_BITS = 7 }; /* that events have */

/* Begins an empty profile. limit: the most bytes that it may take in total. */
void profile_new(struct profile *profile, size_t limit);
void profile_free(struct profile *profile);

/* Forgets all functions, but not what kinds of data they had. */
void profile_clear(struct profile *profile);

/* Announces more functions; some of them may be there already. Optional: makes
 * room for all at once. false: out of memory. */
bool profile_expect(struct profile *profile, size_t more);

/* Whether the name is that of the function that is looked for first, because
 * it follows the function of the latest addition. */
bool profile_is_next(const struct profile *profile, const char *name,
                     size_t name_size);

/* Adds a record. If entry is not NULL, sets *entry to the record's function. */
enum addition_result profile_add(struct profile *profile,
                                 const struct addition *addition,
                                 struct counts **entry);

/* Adds a record without bitmap and sites to the function that is looked for
 * first, as profile_is_next has said, if that function has such a record alone,
 * with the same hash. false: nothing was added, but profile_add may. */
struct next_record {
  const unsigned char *counters; /* little-endian */
  uint32_t counter_count;
  bool hash_cut;
  uint64_t hash;
};
bool profile_add_next(struct profile *profile, const struct next_record *from);

/* Adds to an existing record with the same number of counters. Readers of many
 * files of one build use it instead of profile_add. */
enum addition_result profile_add_to(struct profile *profile,
                                    struct counts *counts,
                                    const struct addition *addition);

/* Gives memory from malloc to the profile, for what is lasting. false: out of
 * memory; the caller still has it. */
bool profile_keep(struct profile *profile, void *memory);

/* Adds a whole profile, with the same result as adding its files. Returns
 * ADDED, or the first other result; then a part was added. */
enum addition_result profile_add_profile(struct profile *to,
                                         const struct profile *from);

/* Adds only the build ids and the memory profile, for a *to without a memory
 * profile. false: out of memory. */
bool profile_add_constants(struct profile *to, const struct profile *from);

/* Whether a record is only marked hot or warm, and its counters are no
 * counts. */
static inline bool counts_pseudo(const uint64_t *counters, uint32_t count) {
  return count && counters[0] > PROFILE_COUNT_MOST;
}

/* Sums and products, limited to the largest count. */
static inline uint64_t count_sum(uint64_t a, uint64_t b, bool *cut) {
  uint64_t sum = a + b;
  if (sum >= a && sum <= PROFILE_COUNT_MOST)
    return sum;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

static inline uint64_t count_times(uint64_t a, uint64_t weight, bool *cut) {
  /* Nearly all weights are 1, and division is slow. */
  if (weight == 1 && a <= PROFILE_COUNT_MOST)
    return a;
  if (a == 0 || weight <= PROFILE_COUNT_MOST / a)
    return a * weight;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

/* For functions that only prefetch: gcc 12 takes a call of one for a call that
 * does nothing, and drops the call. */
#define PREFETCHES static inline __attribute__((always_inline))

/* Functions lie anywhere in memory, each mostly in one piece with its data. A
 * loop over a list prefetches the function that comes FUNCTIONS_AHEAD later. */
enum { FUNCTIONS_AHEAD = 16 };
PREFETCHES void function_ahead(const struct function_entry *function) {
  for (unsigned at = 0; at < 192; at += 64)
    __builtin_prefetch((const char *)function + at);
}

/* What the function points to and is not next to it, when the function is
 * there. */
PREFETCHES void function_behind(const struct function_entry *function) {
  const struct counts *counts = function->counts;
  __builtin_prefetch(function->name);
  __builtin_prefetch(function->name + function->name_size);
  if (!counts)
    return;
  __builtin_prefetch(counts->counters);
  __builtin_prefetch(counts->counters + counts->counter_count);
}

/* The same on a walk through profile.arrived, at number i. */
PREFETCHES void profile_walk_ahead(const struct profile *profile, size_t i) {
  if (i + FUNCTIONS_AHEAD < profile->function_count)
    function_ahead(profile->arrived[i + FUNCTIONS_AHEAD]);
  if (i + FUNCTIONS_AHEAD / 2 < profile->function_count)
    function_behind(profile->arrived[i + FUNCTIONS_AHEAD / 2]);
}

/* The same before functions are looked up, or added. */
PREFETCHES void profile_ahead(const struct profile *profile,
                              uint64_t reference) {
  if (profile->bucket_count)
    __builtin_prefetch(
        &profile->buckets[reference & (profile->bucket_count - 1)]);
}

/* Returns the function with this MD5 of its name, or NULL. */
static inline const struct function_entry *
profile_find(const struct profile *profile, uint64_t reference) {
  const struct function_entry *function =
      profile->bucket_count
          ? profile->buckets[reference & (profile->bucket_count - 1)]
          : NULL;
  while (function && function->reference != reference)
    function = function->next;
  return function;
}

/* Functions of a profile. */
struct functions_list {
  struct function_entry *const *list;
  size_t count;
};

/* Returns all functions by ascending name. NULL: out of memory. The caller
 * frees the list, not the functions. */
struct function_entry **profile_sorted(const struct profile *profile);

/* The flags that the version word of a raw or indexed profile says. */
unsigned profile_flags(uint64_t word);

/* Checks whether a file of this kind, and with bitmaps of this kind, may be
 * added. Returns NULL or the reason. Sets the common kind in *profile. */
const char *profile_join(struct profile *profile, unsigned flags,
                         enum profile_bitmaps bitmaps);

/* Distinguishes records of one function: the structural hash, for front-end
 * profiles cut as clang 22 cuts it. So records of one function from older
 * releases and from LLVM 22 become one record, which keeps the longer hash. */
static inline uint64_t profile_hash(const struct profile *profile,
                                    uint64_t hash) {
  return profile->flags & PROFILE_FRONT_END ? hash & PROFILE_CUT_HASH : hash;
}

/* Adds a name of a vtable, a build id, a trace; copies them. false: out of
 * memory. Call profile_settle_ids after the last id of a file. */
bool profile_add_vtable(struct profile *profile, const char *name,
                        size_t name_size);
bool profile_add_id(struct profile *profile, struct bytes id);
void profile_settle_ids(struct profile *profile);
bool profile_add_trace(struct profile *profile, const struct trace *trace);

/* Adds the number of further runs whose traces an indexed or text file has left
 * out. Call it after adding the file's traces. */
void profile_add_stream(struct profile *profile, uint64_t runs);

/* Sorts a site by ascending value, then by descending count. A site may have
 * several values 0 (no function or vtable of the profile). LLVM keeps them
 * apart, and adds the largest to the largest. */
void site_sort(struct site *site);

/* Sorts names and drops repeats; returns how many are left. */
size_t vtables_sort(const char **list, size_t count);

struct read_events {
  /* Any result except ADDED and REFUSED_MEMORY. counts: the profile's record of
   * the function, or NULL. addition: the file's record. */
  void (*event)(void *context, enum addition_result result,
                const struct counts *counts, const struct addition *addition);
  void *context;
};

/* Events may be NULL: nobody listens. */
static inline void read_event(const struct read_events *events,
                              enum addition_result result,
                              const struct counts *counts,
                              const struct addition *addition) {
  if (events && events->event && result != ADDED)
    events->event(events->context, result, counts, addition);
}

/* ---- sorted.c: numbers with what they are of ---- */

struct keyed {
  uint64_t key;
  uint64_t item; /* the caller's: a number, or a pointer as uintptr_t */
};

/* Sorts by ascending key; equal keys keep their order. spare has room for as
 * many elements. */
void keyed_sort(struct keyed *list, struct keyed *spare, size_t count);

/* Inserts an element into a list of at most `most`, which is sorted by order;
 * returns how many it then has. So the few first of many are found. */
size_t few_insert(void *list, size_t count, size_t size, const void *element,
                  size_t most, int (*order)(const void *, const void *));

/* Sorts functions by name, but not those from place first up to end if
 * divides(first, end) says no. Each item is the address of a
 * struct function_entry. */
typedef bool names_divides(size_t first, size_t end);
void names_divide(struct keyed *list, struct keyed *spare, size_t count,
                  names_divides *divides);

/* ---- sites_add.c ----
 *
 * How values are added to a site, for model.c.
 */

/* An addition under way. */
struct sites_adding {
  struct profile *profile;
  uint64_t weight;
  bool first;  /* the record was not there before */
  bool sorted; /* the sites of the record are in the order of site_sort */
  bool cut;    /* a sum was */
  bool pseudo; /* the counters do not count */
};

/* Adds the values of a site. false: out of memory. */
bool site_add(struct sites_adding *adding, struct site *to,
              const struct site *from);

#endif
