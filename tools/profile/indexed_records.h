/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of an indexed profile that is being written: their table and
 * their records. Both are first laid out, then written at the planned places.
 */
#ifndef BAREPROF_TOOLS_INDEXED_RECORDS_H
#define BAREPROF_TOOLS_INDEXED_RECORDS_H

#include <stdbool.h>

#include "emit.h"
#include "summary.h"

/* ---- indexed_records.c: the records of a function ---- */

struct records {
  unsigned version;
  uint64_t hash_bits; /* the bits of hashes that the version has */
  struct ranking ranking;
  const struct counts **slots, **spare; /* the table of one function's */
  size_t slot_count;
};

/* Of an index version. false: out of memory. */
bool records_new(struct records *records, const struct profile *profile,
                 unsigned version);
void records_free(struct records *records);

/* Bytes of a function's records; 0: the format has no number for them. */
uint64_t records_size(const struct records *records,
                      const struct function_entry *function);
void records_write(struct records *records, struct emit *emit,
                   const struct function_entry *function);

/* ---- indexed_table.c: the table of functions ---- */

struct table_function {
  struct function_entry *entry;
  unsigned step; /* of several in a bucket, the first to be inserted */
};

struct table {
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
bool table_new(struct table *table, size_t functions);
void table_free(struct table *table);

/* Adds a function. false: its records are too large for the format. */
bool table_add(struct table *table, const struct records *records,
               struct function_entry *function);

/* Finds the places of all functions in a file that has them from `at` on.
 * Returns NULL or the error. */
const char *table_lay_out(struct table *table, uint64_t at);
void table_write(struct table *table, struct records *records,
                 struct emit *emit);

#endif
