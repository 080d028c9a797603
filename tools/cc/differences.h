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
  struct text mapping;  /* in the module, its characters; empty: none */
  struct buffer record; /* the new one; empty: as it was */
  size_t size;          /* of it, without its header */
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

/* A counter's value, from those of plain counters; modulo 2^64. */
uint64_t differences_value(const struct differences_of *function,
                           uint64_t counter, const uint64_t *values);

/* Sets both parts of a sum. false: it is none. */
bool differences_parts(const struct differences_of *function, uint64_t counter,
                       uint64_t parts[2]);

#endif
