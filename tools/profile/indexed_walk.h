/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A walk through the functions of an indexed profile, bucket by bucket, with a
 * check of all that the file says. Functions that return a text return NULL or
 * the error.
 */
#ifndef BAREPROF_TOOLS_INDEXED_WALK_H
#define BAREPROF_TOOLS_INDEXED_WALK_H

#include "indexed_parts.h"
#include "indexed_read.h"
#include "sites_read.h"

enum { WAITING_MOST = 64 };

/* A function of a bucket. */
struct place {
  uint64_t claimed; /* the MD5 of its name, as the file says */
  struct bytes name, data;
};

struct indexed_walk {
  const struct indexed *indexed;
  struct profile *to; /* or NULL: look only */
  windows_see *see;   /* who looks, or NULL */
  void *context;      /* theirs */
  bool bitmaps;       /* there are some */
  uint64_t weight;
  const struct read_events *events;
  size_t left;      /* bytes that functions may still take, so that no byte is
                  read twice */
  size_t forgotten; /* so much of the file takes no memory */
  struct place waiting[WAITING_MOST]; /* functions to be added together */
  unsigned waiting_count;
  struct buffer counters, bitmap;
  struct sites sites;
  uint64_t buckets, expected;  /* as the table says */
  uint64_t functions, records; /* read so far */
  bool windows, wrong;         /* it is read in windows, but no such file */
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

/* All of that. */
const char *walk_all(struct indexed_walk *walk);

#endif
