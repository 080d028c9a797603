/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A MIP profile in memory: the functions and blocks that ran, their counts,
 * their order and their callers. Readers (files.h) make a profile from
 * a map or a .mip file; commands read the profile.
 *
 * Addresses are distances from the start of the raw section, because a map has
 * no others. mip_view.c turns distances into addresses.
 */
#ifndef MIP_MIP_MODEL_H
#define MIP_MIP_MODEL_H

#include <stdbool.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/number.h"

/* Bits of the profile type. */
enum mip_type {
  MIP_COVERAGE = 1, /* a byte for each function */
  MIP_BLOCKS = 2,   /* and one for each block behind the entry */
  MIP_TIMES = 4,    /* when it was called first */
  MIP_CALLS = 8,    /* how often; 4 and 8 share a form, 8 bytes a function */
  MIP_RETURNS = 16, /* return addresses */
  /* bareprof's own: return addresses of samples; 16 bytes a function. */
  MIP_SAMPLED = 32,
  MIP_FOLLOWS = 64 /* too: some blocks follow from others, and have no byte */
};

/* Bytes of a function in the raw section, before those of its blocks. */
static inline uint32_t mip_slot_of(uint32_t type) {
  return type & MIP_SAMPLED ? 16 : type & (MIP_TIMES | MIP_CALLS) ? 8 : 1;
}

/* The two forms of the files, by their headers: 24 bytes, June 2021; 32 bytes,
 * later. files.h says which of them bareprof makes. */
enum mip_revision { MIP_A, MIP_B };

struct mip_block {
  uint32_t offset; /* from the function's beginning */
  bool covered;
  bool follows; /* from other blocks: it has no byte */
};

/* What follows from what, of type MIP_FOLLOWS: numbers to be read from the end.
 * There is a block (0 is the entry), a number n of others, and these: it ran if
 * one of them ran. Each of them has a byte, or came before. */
struct mip_follows {
  const uint32_t *numbers;
  uint32_t count;
};

/* Calls of a function from one place. */
struct mip_edge {
  uint32_t callee; /* number of the function called */
  int64_t from;    /* the return address; on Thumb bit 0 may be set */
  uint64_t count;
};

struct mip_function {
  const char *name; /* not empty, ends in a zero; not always unique */
  uint64_t raw;     /* place of its bytes in the raw section, header included */
  int64_t address;  /* of its first instruction; bit 0 may be set on Thumb */
  uint32_t size;    /* of its code, bytes; 0: not known */
  uint32_t cfg;     /* signature of its graph; 0: one block, or not known */
  struct mip_block *blocks; /* those behind the entry */
  uint32_t block_count;
  uint32_t kept; /* of these, those with a byte; mip_add_function sets it */
  struct mip_follows follows;
  uint32_t runs;  /* number of raw files with a call */
  uint64_t calls; /* the sum; without MIP_CALLS or MIP_TIMES 0 or 1 */
  uint64_t order; /* the sum of its places in the order of first calls */
};

/* The place of a function (by number): in the raw section, or by address. */
struct mip_place {
  uint64_t at;
  uint32_t number;
};

/* By ascending place, for qsort. */
int mip_compare_places(const void *left, const void *right);

struct mip_profile {
  struct arena arena; /* of names and blocks */
  enum mip_revision revision;
  bool wide;                      /* 64 bits; only revision B says so */
  uint16_t version;               /* as the file says: 8, or less */
  uint32_t type;                  /* enum mip_type */
  uint32_t hash;                  /* of the link unit's name, mip_module_hash */
  uint32_t build;                 /* hash of the build id; 0: not known */
  struct mip_function *functions; /* in the order of the map */
  size_t function_count;
  struct mip_place *by_raw; /* of all functions, ascending; mip_settle */
  struct mip_edge *edges;   /* by callee, then by ascending return address, once
                             mip_settle_edges has been called */
  size_t edge_count, edge_room, edges_settled;
  uint64_t lost; /* calls that found no room in the target's table */
};

/* An empty profile. mip_free also takes {0}. */
void mip_new(struct mip_profile *profile);
void mip_free(struct mip_profile *profile);

/* Adds a copy of a function: its blocks (up to 2^32 - 1; NULL: makes room for
 * block_count), what follows, which is checked, and its name. *added is valid
 * until the next function is added. Returns NULL or the error. */
const char *mip_add_function(struct mip_profile *profile,
                             const struct mip_function *function,
                             struct bytes name, struct mip_function **added);

/* Call it after the last function. Checks that each function has its own bytes
 * in the raw section. Returns NULL or the error. */
const char *mip_settle(struct mip_profile *profile);

/* Returns the bytes of a function in the raw section. */
uint64_t mip_slot_size(const struct mip_profile *profile,
                       const struct mip_function *function);

/* Sets what follows, of whether the entry and each block ran. */
void mip_follow(const struct mip_function *function, bool *ran);

/* Whether a function has a count and a time there instead of a byte. */
bool mip_has_counts(const struct mip_profile *profile);

/* Finds the number of the function with these raw bytes. false: there is
 * none. */
bool mip_find_raw(const struct mip_profile *profile, uint64_t raw,
                  uint32_t *number);

/* Sizes of the files' headers, where raw offsets begin. */
static inline size_t mip_header_size(enum mip_revision revision) {
  return revision == MIP_A ? 24 : 32;
}

/* ---- adding ---- */

static inline uint32_t mip_sum32(uint32_t a, uint32_t b) {
  return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Adds the data of a function from one raw file or many. */
void mip_add_runs(const struct mip_profile *profile,
                  struct mip_function *function,
                  const struct mip_function *more);

/* Returns NULL or the error. */
const char *mip_add_edge(struct mip_profile *profile,
                         const struct mip_edge *edge);

/* Sorts edges, and adds up edges of the same place. */
void mip_settle_edges(struct mip_profile *profile);

/* Returns NULL, or the difference and what to do. */
const char *mip_same_build(const struct mip_profile *to,
                           const struct mip_profile *from);

/* Adds a profile of the same build. Returns NULL or the error; after an error
 * nothing was added. */
const char *mip_add_profile(struct mip_profile *to,
                            const struct mip_profile *from);

/* ---- how often functions ran, and the order of their first calls ---- */

/* Returns how often a function ran: calls if known, otherwise runs. */
static inline uint64_t mip_count(const struct mip_profile *profile,
                                 const struct mip_function *function) {
  return mip_has_counts(profile) ? function->calls : function->runs;
}

/* The average place in the order of first calls; 0: not known. */
static inline double mip_rank(const struct mip_function *function) {
  return function->runs ? (double)function->order / function->runs : 0;
}

/* Compares by mip_rank: before (-1), after (1) or equal (0). */
int mip_compare_ranks(const struct mip_function *a,
                      const struct mip_function *b);

/* Lists the functions with a place in that order, first called first. Of
 * functions with the same name, only the first. The caller frees the list in
 * any case. Returns NULL or the error; that there is none is an error. */
const char *mip_ranked(const struct mip_profile *profile,
                       const struct mip_function ***list, size_t *count);

/* ---- hashes ---- */

/* The module hash, of the link unit's name, such as "a.out": the low 32 bits
 * of the first half of its MD5. */
uint32_t mip_module_hash(const char *name);

#endif
