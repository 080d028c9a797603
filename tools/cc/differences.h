/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The differences in the coverage mappings of a module, and the mappings again
 * without them: each region whose counter is a difference gets a new counter.
 */
#ifndef CC_DIFFERENCES_H
#define CC_DIFFERENCES_H

#include <stdio.h>

#include "../base/buffer.h"
#include "../base/map.h"
#include "../object/mapping.h"
#include "increment.h"

/* Of a function. */
struct differences_of {
  uint64_t name;     /* the MD5 of its name */
  uint64_t counters; /* 0: nothing counts it */
  uint64_t *list;    /* differences: counters as mapping.h has them */
  size_t count;
  struct expression *expressions;
  size_t expression_count;
  size_t *order;   /* expressions, each behind its operands */
  size_t *numbers; /* of the counters that expressions have become */
  struct text mapping;  /* in the module, its characters; empty: none */
  struct buffer record; /* the new one; empty: as it was */
  size_t size;          /* of it, without its header */
  bool alone;    /* no other object has code of it: its name is private, and one
                    body has all its counters */
  size_t body;   /* the number of that body; 0: none */
  long group;    /* of its attributes; -1: it is local, or has none */
  bool follows;  /* some of its flags may follow from others */
  uint64_t total; /* if so: flags */
  uint64_t hash; /* of its structure; if so, of what its flags mean, too */
};

struct differences {
  struct buffer list; /* struct differences_of */
};

enum { DIFFERENCE_PARTS = 256 };

/* What the map's first key is for a name such as @__profn_f. */
uint64_t differences_key(struct text name);

/* Reads a line of a global variable. Returns NULL or the error. */
const char *differences_read(struct differences *differences, struct map *known,
                             struct text line);

/* Reads the mapping as clang made it. The caller closes the mapping and frees
 * the record in both cases. Returns NULL or the error. */
const char *differences_open(const struct differences_of *function,
                             struct mapping *mapping, struct buffer *record);

/* Puts a mapping in its place. Returns NULL or the error. */
const char *differences_replace(struct differences_of *function,
                                const struct mapping *mapping);

/* Finds the differences, once the numbers of counters are known. Returns NULL
 * or the error. */
const char *differences_number(struct differences *differences);

/* Writes the line of a global variable. Returns NULL or the error. */
const char *differences_put(const struct differences *differences,
                            const struct map *known, struct text line,
                            FILE *out);
void differences_free(struct differences *differences);

/* By the map's value. */
struct differences_of *differences_at(const struct differences *differences,
                                      size_t number);

/* The values of all expressions, from those of plain counters; modulo 2^64. The
 * caller frees them. NULL: out of memory. */
uint64_t *differences_sums(const struct differences_of *function,
                           const uint64_t *values);

/* A counter's value, by these. */
uint64_t differences_value(const struct differences_of *function,
                           uint64_t counter, const uint64_t *values,
                           const uint64_t *sums);

/* The number of a plain counter, or of the one that a difference has become;
 * SIZE_MAX: it is a sum of others. */
size_t differences_number_of(const struct differences_of *function,
                             uint64_t counter);

/* Sets both parts of a sum. false: it is none. */
bool differences_parts(const struct differences_of *function, uint64_t counter,
                       uint64_t parts[2]);

#endif
