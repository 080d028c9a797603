/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What ran, as branches tell it: ranges of instructions that ran as one, and
 * the branches between them; each with the calls that led there, if these are
 * known.
 *
 *     struct flow flow;
 *     flow_begin(&flow);
 *     const char *error = flow_range(&flow, begin, end, context, count);
 *     ...
 *     flow_free(&flow);
 *
 * Memory is bounded by what is different. All that may fail gives NULL, or what
 * is wrong.
 */
#ifndef BRANCHES_FLOW_H
#define BRANCHES_FLOW_H

#include <stdbool.h>

#include "../../base/buffer.h"
#include "../../base/map.h"

/* A call, and how its function was called. Contexts are numbers of nodes; 0:
 * nobody knows who called. */
struct flow_node {
  uint64_t call; /* address of the instruction */
  uint32_t outer;
  uint32_t depth; /* nodes up to 0 */
};

struct flow {
  struct map ranges; /* first and last instruction, context: count */
  struct map jumps;  /* branch, target, context: count */
  struct map numbers;
  struct buffer nodes;
};

/* In place of an address that is not in the program. */
enum { FLOW_OUTSIDE = 1 };
enum { FLOW_DEPTH_MOST = 2048 };

void flow_begin(struct flow *flow);
void flow_free(struct flow *flow);

/* Whether there is anything. */
bool flow_any(const struct flow *flow);

const char *flow_range(struct flow *flow, uint64_t begin, uint64_t end,
                       uint32_t context, uint64_t count);
const char *flow_jump(struct flow *flow, uint64_t from, uint64_t to,
                      uint32_t context, uint64_t count);

/* The context of a function that is called so in context `outer`. UINT32_MAX:
 * no memory. What is deeper than FLOW_DEPTH_MOST begins anew. */
uint32_t flow_call(struct flow *flow, uint64_t call, uint32_t outer);

const struct flow_node *flow_node(const struct flow *flow, uint32_t context);

/* Cuts what repeats itself in a list of `count` elements of `size` bytes: of
 * sequences that are there several times running, the first stays, short ones
 * first; as llvm-profgen has it. The number of those that are left. */
size_t flow_compress(void *list, size_t size, size_t count);

/* One entry of ranges or jumps. */
struct flow_entry {
  uint64_t begin, end; /* or from and to */
  uint32_t context;
  uint64_t count;
};

/* All of ranges, or of jumps, by context, begin and end. *list is to be freed
 * by the caller. NULL, or what is wrong. */
const char *flow_sorted(const struct map *map, struct flow_entry **list,
                        size_t *count);

#endif
