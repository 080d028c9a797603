/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile in memory, whatever file it came from: functions by name, each
 * with what was counted, by structural hash. Readers (raw.h, indexed.h,
 * text.h) add to it, writers and commands look at it. Adding is merging: the
 * same function and hash again adds its counts up.
 *
 * All of it is in one arena that only grows with functions, values and names,
 * not with the number of files added.
 */
#ifndef BAREPROF_TOOLS_MODEL_H
#define BAREPROF_TOOLS_MODEL_H

#include <stdbool.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/bytes.h"

/* What was counted, and how. Bits of struct profile.flags: the version words
 * of raw and indexed files have them at bit 55 and up, in another order. */
enum profile_flag {
  PROFILE_FRONT_END = 1, /* -fprofile-instr-generate */
  PROFILE_IR = 2,        /* -fprofile-generate */
  PROFILE_CS = 4,        /* -fcs-profile-generate: some hashes have bit 60 */
  PROFILE_ENTRY_FIRST = 8,
  PROFILE_BYTES = 16,      /* coverage: a count is in how many runs */
  PROFILE_ENTRY_ONLY = 32, /* function-entry coverage */
  PROFILE_TEMPORAL = 64,   /* with traces */
  PROFILE_LOOP_ENTRIES = 128,
  PROFILE_CORRELATED = 256 /* read with the help of debug information */
};

/* Since LLVM 22, clang's front end cuts its hashes to these bits. */
#define PROFILE_CUT_HASH ((UINT64_C(1) << 60) - 1)

/* The context-sensitive bit of a hash. */
#define PROFILE_CS_HASH (UINT64_C(1) << 60)

/* Counts end here: the two above are pseudo counts, hot and warm. */
#define PROFILE_COUNT_MOST (UINT64_MAX - 2)

/* Larger counts are of torn or overwritten memory. */
#define PROFILE_COUNT_REASON (UINT64_C(1) << 56)

enum { VALUE_CALLS, VALUE_MEMOPS, VALUE_VTABLES, VALUE_KINDS };

/* What was seen at a site: the reference (MD5, see md5_low64) of the name of
 * a function or vtable, 0 if it is none of the profile's; or a size. */
struct value {
  uint64_t value;
  uint64_t count;
};

struct site {
  struct value *values; /* in the order they came; of records that were merged
                           as by site_sort */
  uint32_t count, room;
};

/* The counts of one structure of a function. */
struct counts {
  struct counts *next;     /* of the same function, in the order they came */
  struct counts *below[2]; /* profile_add's */
  uint64_t hash;
  uint64_t *counters;
  unsigned char *bitmap; /* MC/DC */
  struct site *sites[VALUE_KINDS];
  uint32_t counter_count;
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
  uint32_t source; /* number of the input that it was first seen in */
  bool conflict;   /* another shape of the same hash was refused */
  bool merged;     /* of several records */
  bool hash_cut;   /* clang 22 cut the hash, and nothing says what it was */
};

struct function_entry {
  struct function_entry *next; /* of the same bucket */
  const char *name;            /* ends in a zero, which is not counted */
  size_t name_size;
  uint64_t reference;    /* MD5 of the name */
  struct counts *counts; /* the first */
  struct counts *last;
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
  size_t hashes_cut;               /* so many records have hash_cut */
  struct function_entry **buckets; /* bucket_count, a power of two */
  size_t bucket_count;
  size_t function_count;
  bool has_bitmaps;
  bool has_sites[VALUE_KINDS];
  bool has_colons, has_semicolons; /* in names of functions */
  bool thinned;           /* some site had too many values to keep all */
  struct buffer vtables;  /* const char *: names of vtables, as they came */
  size_t vtables_settled; /* so many of them are distinct and in order */
  struct buffer ids;      /* struct bytes: distinct build ids, ascending; but
                             see profile_add_id */
  size_t ids_settled;
  struct trace *traces;
  size_t trace_count;
  uint64_t trace_stream; /* how many traces there were before some were left
                            out */
  struct bytes memprof;  /* of an indexed file, as it is there; or none */
  uint64_t memprof_at; /* where it was there: its offsets count from the file's
                            beginning */
  unsigned memprof_version;
  uint32_t source; /* number of the input being read, for messages */
};

/* One record on its way into the profile. Arrays are the caller's. */
struct addition {
  const char *name;
  size_t name_size;
  uint64_t reference; /* MD5 of the name, where it is known; or 0 */
  uint64_t hash;
  const uint64_t *counters;
  const unsigned char *bitmap;
  const struct site *sites[VALUE_KINDS]; /* of any order, with repeats */
  uint32_t counter_count;
  uint32_t bitmap_size;
  uint32_t site_count[VALUE_KINDS];
  uint64_t weight; /* 1 or more: counts are multiplied by it */
  bool marks;      /* a first counter beyond PROFILE_COUNT_MOST is a pseudo
                      count; in raw files it is as wrong as others */
  bool hash_cut;   /* the front end of LLVM 22 made the hash */
};

/* What adds the counts of a profile to another. */
static inline struct addition addition_of(const struct function_entry *function,
                                          const struct counts *counts) {
  struct addition addition = {.name = function->name,
                              .name_size = function->name_size,
                              .hash = counts->hash,
                              .counters = counts->counters,
                              .bitmap = counts->bitmap,
                              .counter_count = counts->counter_count,
                              .bitmap_size = counts->bitmap_size,
                              .weight = 1,
                              .marks = true,
                              .hash_cut = counts->hash_cut};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    addition.sites[kind] = counts->sites[kind];
    addition.site_count[kind] = counts->site_count[kind];
  }
  return addition;
}

enum addition_result {
  ADDED,
  ADDED_OVERFLOW, /* a sum was cut to PROFILE_COUNT_MOST */
  ADDED_SUSPECT,  /* a count is beyond reason; only readers say so */
  REFUSED_SHAPE,  /* same name and hash, another number of counters, sites, or
                     bitmap bytes, or only one has a pseudo count: nothing was
                     added */
  REFUSED_MEMORY
};

/* An empty profile. limit: bytes that it may take in all. */
void profile_new(struct profile *profile, size_t limit);
void profile_free(struct profile *profile);

/* More functions are to come, of which some may be there: not needed, but then
 * there is room for them at once. false: memory. */
bool profile_expect(struct profile *profile, size_t more);

/* Adds a record. *entry, if entry is not NULL, is where it went. */
enum addition_result profile_add(struct profile *profile,
                                 const struct addition *addition,
                                 struct counts **entry);

/* Adds to a record that is in the profile already, with the addition's shape:
 * what readers of many files of one build use, in the place of profile_add. */
enum addition_result profile_add_to(struct profile *profile,
                                    struct counts *counts,
                                    const struct addition *addition);

/* Adds all that a profile has, as the files that it was read from would have
 * been added. ADDED, or the first other result; then some was added. */
enum addition_result profile_add_profile(struct profile *to,
                                         const struct profile *from);

/* Of that the build ids and the memory profile, which *to does not have. false:
 * out of memory. */
bool profile_add_constants(struct profile *to, const struct profile *from);

/* Whether a record is just hot or warm: its counters do not count. */
static inline bool counts_pseudo(const uint64_t *counters, uint32_t count) {
  return count && counters[0] > PROFILE_COUNT_MOST;
}

/* Of sums and products that do not fit, the most there is. */
uint64_t count_sum(uint64_t a, uint64_t b, bool *cut);
uint64_t count_times(uint64_t a, uint64_t weight, bool *cut);

/* Functions lie anywhere in memory, each mostly in one piece with what it has:
 * who goes through a list asks for one that comes FUNCTIONS_AHEAD later. */
enum { FUNCTIONS_AHEAD = 8 };
static inline void function_ahead(const struct function_entry *function) {
  for (unsigned at = 0; at < 384; at += 64)
    __builtin_prefetch((const char *)function + at);
}

/* The same before functions are looked up, or added. */
static inline void profile_ahead(const struct profile *profile,
                                 uint64_t reference) {
  if (profile->bucket_count)
    __builtin_prefetch(
        &profile->buckets[reference & (profile->bucket_count - 1)]);
}

/* All functions, by ascending name; NULL: out of memory. The caller frees the
 * list, not what it points to. */
struct function_entry **profile_sorted(const struct profile *profile);

/* The flags that the version word of a raw or indexed profile says. */
unsigned profile_flags(uint64_t word);

/* Whether two kinds of profile may be added: NULL, or why not. Sets what both
 * have in *profile. */
const char *profile_join_flags(struct profile *profile, unsigned flags);

/* What tells records of one function apart: its structural hash; of the front
 * end, as clang 22 cuts it. Records that older releases and LLVM 22 made of
 * one function are one record then, which keeps the longer hash. */
static inline uint64_t profile_hash(const struct profile *profile,
                                    uint64_t hash) {
  return profile->flags & PROFILE_FRONT_END ? hash & PROFILE_CUT_HASH : hash;
}

/* Adds a name of a vtable, a build id, a trace; copies them. false: memory.
 * After the last id that a file has, profile_settle_ids is to be called. */
bool profile_add_vtable(struct profile *profile, const char *name,
                        size_t name_size);
bool profile_add_id(struct profile *profile, struct bytes id);
void profile_settle_ids(struct profile *profile);
bool profile_add_trace(struct profile *profile, const struct trace *trace);

/* Of so many more runs there were traces that were left out: what an indexed
 * or text file says beyond those that it has. To be called after them. */
void profile_add_stream(struct profile *profile, uint64_t runs);

/* Sorts a site by ascending value, then by descending count. Of what is no
 * function or vtable of the profile (0) a site may have several: LLVM keeps
 * them apart, and adds the largest to the largest. */
void site_sort(struct site *site);

/* Sorts names and drops repeats; returns how many are left. */
size_t vtables_sort(const char **list, size_t count);

struct read_events {
  /* Any result but ADDED and REFUSED_MEMORY. counts is what the profile has of
   * the function, or NULL; addition is what the file has. */
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

/* Sorts by ascending key; what has the same key stays in its order. spare has
 * room for as many. */
void keyed_sort(struct keyed *list, struct keyed *spare, size_t count);

#endif
