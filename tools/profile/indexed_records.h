/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of an indexed profile that is being written: their table and
 * their records. Both are first laid out, then written at the planned places.
 */
#ifndef BAREPROF_TOOLS_INDEXED_RECORDS_H
#define BAREPROF_TOOLS_INDEXED_RECORDS_H

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

/* false: out of memory. */
bool records_new(struct records *records, struct functions_list functions,
                 unsigned version, uint64_t hash_bits);
void records_free(struct records *records);

/* ---- indexed_records.c: the table of functions ---- */

struct table_function {
  const struct function_entry *entry;
  uint64_t reference; /* of the entry */
  uint64_t bytes;     /* in the file, of all its records */
  size_t next;        /* number of the next in its bucket plus 1, or 0 */
};

struct table {
  struct table_function *functions; /* in the order of the list */
  size_t count;
  size_t buckets;    /* a power of two */
  size_t *first;     /* of a bucket: as next */
  size_t *order;     /* numbers of the functions in the file's order */
  uint64_t *begins;  /* of each bucket in the file; 0: it is empty */
  uint64_t table_at; /* where its buckets are listed */
  uint64_t end;
};

/* Returns NULL or the error. The caller calls table_free in both cases. */
const char *table_new(struct table *table, struct functions_list functions,
                      const struct records *records, uint64_t at);
void table_free(struct table *table);
void table_write(const struct table *table, struct records *records,
                 struct emit *emit);

#endif
