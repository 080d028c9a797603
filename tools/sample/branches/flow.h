/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds up the executed code that branch records show: ranges of instructions
 * that ran one after the other, and the branches between the ranges. Each range
 * and branch has a context: the calls that led to it, if these calls are known.
 * build.h makes a profile from these ranges and branches.
 *
 *     struct branch_flow flow;
 *     flow_begin(&flow);
 *     const char *error = flow_add_range(&flow, begin, end, context, count);
 *     ...
 *     flow_free(&flow);
 *
 * The memory grows with the number of different ranges and branches. Functions
 * that may fail return NULL or the error.
 */
#ifndef BRANCHES_FLOW_H
#define BRANCHES_FLOW_H

#include <stdbool.h>

#include "../../base/storage.h"
#include "../listing.h"

struct call_or_tail_jump;

/* A node is a call in a context. A context is the index of the node of its
 * innermost call. Context 0 means that the caller is unknown. */
struct context_node {
  uint64_t call;  /* address of the call instruction */
  uint32_t outer; /* context of the function that contains the call */
  uint32_t depth; /* number of calls in the context */
};

/* All ranges and branches of the input. */
struct branch_flow {
  struct map ranges; /* counts of the ranges; the key is the first and the last
                        instruction, and the context */
  struct map jumps;  /* counts of the branches; the key is the branch, its
                        target, and the context */
  struct map numbers; /* numbers of the contexts; the key is the call and the
                         outer context */
  struct context_node *nodes; /* nodes of the contexts, indexed by context */
  size_t node_count;
};

/* This number stands for any address outside the program. */
enum { FLOW_OUTSIDE = 1 };
enum { FLOW_DEPTH_MOST = 2048 };

void flow_begin(struct branch_flow *flow);
void flow_free(struct branch_flow *flow);

/* Returns whether the flow has any ranges or branches. */
bool flow_has_entries(const struct branch_flow *flow);

/* The first function adds a range, from its first to its last instruction. The
 * second one adds a branch. Counts of equal entries are added up. */
const char *flow_add_range(struct branch_flow *flow, uint64_t begin,
                           uint64_t end, uint32_t context, uint64_t count);
const char *flow_add_jump(struct branch_flow *flow, uint64_t from, uint64_t to,
                          uint32_t context, uint64_t count);

/* Returns the context of the function that a call reaches, if the call is made
 * in context `outer`. If the context would be deeper than FLOW_DEPTH_MOST, it
 * starts again from context 0. */
uint32_t flow_find_or_add_call_context(struct branch_flow *flow, uint64_t call,
                                       uint32_t outer);

/* Removes repetitions from a list of `count` elements of `size` bytes. If a
 * sequence of elements occurs several times in a row, only the first occurrence
 * stays. Short sequences are removed first, as in llvm-profgen. Returns the
 * number of elements left. */
size_t flow_drop_repeats(void *list, size_t size, size_t count);

/* One range or one jump. */
struct flow_entry {
  uint64_t begin, end; /* first and last instruction of a range, or a jump and
                          its target */
  uint32_t context;
  uint64_t count;
};

/* Lists all ranges or all jumps of a map, sorted by context, begin and end. The
 * caller frees the list. */
struct flow_entry *flow_list_sorted_entries(const struct map *map,
                                            size_t *count);

/* ---- branches.c ----
 *
 * Finds tail calls, which leave no frame on the stack. So the function that a
 * call reaches may be another function than the function of the next inner
 * frame. If the branches show exactly one path of jumps between these two
 * functions, the jumps of that path become frames.
 *
 *     struct tail_calls tails;
 *     tails_collect_calls_and_jumps(&tails, program, flow);
 *     ...
 *     tails_free(&tails); */

enum { TAILS_MOST = 64 };

/* The calls and tail calls that the branches show. */
struct tail_calls {
  struct sampled_program *program;
  struct call_or_tail_jump *calls, *jumps; /* the calls are sorted by address,
                                              the jumps by caller */
  size_t call_count, jump_count;
  struct map targets;  /* the functions that jumps reach */
  struct map known;    /* the number of paths between two functions */
  struct buffer paths; /* the paths, if only one connects two functions;
                          elements are uint64_t */
  uint64_t left;       /* number of jumps that searches may still follow */
};

/* Collects the calls and jumps of a flow. `program` must live as long as
 * `tails`. `flow` is not needed after the call. */
void tails_collect_calls_and_jumps(struct tail_calls *tails,
                                   struct sampled_program *program,
                                   const struct branch_flow *flow);
void tails_free(struct tail_calls *tails);

/* Lists the jumps between a call and the function that contains `to`, outermost
 * first. Returns their number, or 0 unless exactly one path exists. */
size_t tails_find_jumps_between(struct tail_calls *tails, uint64_t call,
                                uint64_t to, uint64_t jumps[TAILS_MOST]);

#endif
