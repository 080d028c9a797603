/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes a MIP (Machine IR Profile) in memory. The profile has the functions
 * and blocks that ran, and their counts, order and callers. Readers
 * (mip_file.h) make a profile from a map or a .mip file; commands read the
 * profile.
 *
 * Addresses are distances from the start of the raw section, because a map does
 * not have other addresses. mip_view.c turns distances into addresses.
 */
#ifndef MIP_MIP_MODEL_H
#define MIP_MIP_MODEL_H

#include <stdbool.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/number.h"

/* The bits of a profile's type. */
enum mip_type {
  MIP_COVERAGE = 1, /* a byte for each function */
  MIP_BLOCKS = 2,   /* also a byte for each block after the entry */
  MIP_TIMES = 4,    /* the time of each function's first call */
  MIP_CALLS = 8,    /* the number of calls; TIMES and CALLS share 8 bytes */
  MIP_RETURNS = 16, /* the return addresses of calls */
  /* Only bareprof uses this bit. Return addresses are sampled, and each
   * function has 16 bytes. */
  MIP_SAMPLED = 32,
  MIP_FOLLOWS = 64 /* some blocks get no byte, because other blocks imply
                      whether these blocks ran */
};

/* Returns the number of bytes that a function has in the raw section, without
 * the bytes for the function's blocks. */
static inline uint32_t mip_entry_size(uint32_t type) {
  return type & MIP_SAMPLED ? 16 : type & (MIP_TIMES | MIP_CALLS) ? 8 : 1;
}

/* The file format has two revisions. Revision A, from June 2021, has a 24-byte
 * header; revision B is later and has a 32-byte header. mip_file.h says when
 * bareprof writes which revision. */
enum mip_revision { MIP_A, MIP_B };

/* A block of a function after the entry. */
struct mip_block {
  uint32_t offset; /* offset from the function's beginning */
  bool covered;
  bool implied; /* the block gets no byte, because other blocks imply that it
                   ran */
};

/* Says which blocks other blocks imply, for type MIP_FOLLOWS. The numbers are
 * read from the end. Each entry is a block (0 is the entry), a number n, and n
 * other blocks. The block ran if one of the n blocks ran. Each of the n blocks
 * has a byte, or was computed earlier. */
struct mip_implications {
  const uint32_t *numbers;
  uint32_t count;
};

/* The calls of a function from one call site. */
struct mip_edge {
  uint32_t callee; /* number of the called function */
  int64_t from;    /* the return address; bit 0 may be set on Thumb */
  uint64_t count;
};

/* A function, and the number of times it ran. */
struct mip_function {
  const char *name; /* the name, which ends with a zero, is not empty, and is
                       not always unique */
  uint64_t raw;     /* offset of the function's bytes in the raw section,
                       including the header */
  int64_t address;  /* address of the first instruction; bit 0 may be set on
                       Thumb */
  uint32_t size;    /* size of the code in bytes; 0: not known */
  uint32_t cfg;     /* signature of the control-flow graph; 0: the function has
                       one block, or the signature is not known */
  struct mip_block *blocks; /* the blocks after the entry */
  uint32_t block_count;
  uint32_t kept; /* number of blocks that have a byte; set by
                    mip_add_function */
  struct mip_implications implications;
  uint32_t runs;  /* number of raw files in which the function was called */
  uint64_t calls; /* sum of the calls; 0 or 1 without MIP_CALLS and MIP_TIMES */
  uint64_t order; /* sum of the function's positions in the order of first
                     calls */
};

/* The number of a function, and its position in the raw section or its address.
 */
struct mip_position {
  uint64_t at;
  uint32_t number;
};

/* Compares two positions for qsort: first `at`, then the functions' numbers. */
int mip_compare_positions(const void *left, const void *right);

/* A MIP profile in memory. mip_profile_free frees it. */
struct mip_profile {
  struct arena arena; /* owns names and blocks */
  enum mip_revision revision;
  bool wide;                      /* the program is 64-bit; only revision B has
                                     this information */
  uint16_t version;               /* version of the file, at most 8 */
  uint32_t type;                  /* bits of enum mip_type */
  uint32_t hash;                  /* mip_module_hash of the link unit's name */
  uint32_t build;                 /* hash of the build id; 0: the build id is
                                     not known */
  struct mip_function *functions; /* the functions, in the order of the map */
  size_t function_count;
  /* all functions, sorted by their raw bytes; mip_index_and_check_functions
   * makes this list */
  struct mip_position *by_raw;
  /* the edges; after mip_sort_and_merge_edges they are sorted by callee,
   * then by return address */
  struct mip_edge *edges;
  size_t edge_count, edges_settled; /* `edges_settled`: number of edges after
                                       the last mip_sort_and_merge_edges */
  uint64_t lost; /* number of calls for which the target's table was full */
};

/* mip_profile_init makes an empty profile. mip_profile_free accepts {0},
 * too. */
void mip_profile_init(struct mip_profile *profile);
void mip_profile_free(struct mip_profile *profile);

/* Adds a copy of a function, its blocks and its name. If the blocks are NULL,
 * only allocates memory for block_count blocks. Checks and copies the
 * function's struct mip_implications. *added is valid until the next function
 * is added. Returns NULL or the error. */
const char *mip_add_function(struct mip_profile *profile,
                             const struct mip_function *function,
                             struct bytes name, struct mip_function **added);

/* Call this after the last function. Checks that each function has its own
 * bytes in the raw section. Returns NULL or the error. */
const char *mip_index_and_check_functions(struct mip_profile *profile);

/* Returns the number of bytes that a function has in the raw section. */
uint64_t mip_function_raw_size(const struct mip_profile *profile,
                               const struct mip_function *function);

/* Sets the elements of ran[] for the implied blocks. ran[0] is the entry, ran[i
 * + 1] is block i. */
void mip_infer_blocks(const struct mip_function *function, bool *ran);

/* Returns whether the functions have a count and a time in the raw section
 * instead of a byte. */
bool mip_has_counts(const struct mip_profile *profile);

/* Finds the number of the function whose raw bytes are at offset `raw`. Returns
 * false if no such function exists. */
bool mip_find_function_by_raw(const struct mip_profile *profile, uint64_t raw,
                              uint32_t *number);

/* Returns the size of a file's header. This size is also the offset of the
 * first raw byte. */
static inline size_t mip_header_size(enum mip_revision revision) {
  return revision == MIP_A ? 24 : 32;
}

/* ---- adding ---- */

/* Adds the results that one or more raw files have for a function. */
void mip_add_runs(const struct mip_profile *profile,
                  struct mip_function *function,
                  const struct mip_function *more);

void mip_add_edge(struct mip_profile *profile, const struct mip_edge *edge);

/* Sorts the edges, and joins edges that have the same call site and callee. */
void mip_sort_and_merge_edges(struct mip_profile *profile);

/* Checks that both profiles have the same functions and the same build. Returns
 * NULL, or the difference and what to do. */
const char *mip_check_same_build(const struct mip_profile *to,
                                 const struct mip_profile *from);

/* Adds a profile of the same build. Returns NULL or the error; after an error
 * nothing was added. */
const char *mip_add_profile(struct mip_profile *to,
                            const struct mip_profile *from);

/* ---- how often functions ran, and the order of their first calls ---- */

/* Returns how often a function ran. The result is the number of calls if known,
 * otherwise the number of runs. */
static inline uint64_t mip_run_count(const struct mip_profile *profile,
                                     const struct mip_function *function) {
  return mip_has_counts(profile) ? function->calls : function->runs;
}

/* Returns a function's average position in the order of first calls, or 0 if
 * the order is not known. */
static inline double mip_call_rank(const struct mip_function *function) {
  return function->runs ? (double)function->order / function->runs : 0;
}

/* Compares the mip_call_rank of two functions. Returns -1 if `a` was called
 * first, 1 if `b` was called first, or 0 if both are equal. */
int mip_compare_ranks(const struct mip_function *a,
                      const struct mip_function *b);

/* Lists the functions that have a position in the order of first calls, first
 * called first. If several functions have the same name, only the first one is
 * listed. The caller frees *ranked in any case. Returns NULL or the error; an
 * empty list is an error. */
const char *mip_list_by_call_rank(const struct mip_profile *profile,
                                  const struct mip_function ***ranked,
                                  size_t *count);

/* ---- hashes ---- */

/* Returns the module hash of a link unit's name, such as "a.out": the low 32
 * bits of the first half of its MD5. */
uint32_t mip_module_hash(const char *name);

#endif
