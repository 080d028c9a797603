/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples with the branches before them, each different sample once, and each
 * different branch once: a sample has numbers of branches.
 *
 *     struct recorded traces;
 *     recorded_begin(&traces);
 *     const char *error = recorded_add(&traces, &trace, branches);
 *     ...
 *     error = recorded_end(&traces);
 *     const uint32_t *numbers;
 *     const struct sample_trace *trace;
 *     for (size_t at = 0; (trace = recorded_next(&traces, &at, &numbers));)
 *       ... recorded_branch(&traces, numbers[0]) is the newest ...
 *     recorded_free(&traces);
 *
 * Memory is bounded by the number of different samples.
 */
#ifndef BRANCHES_RECORDED_H
#define BRANCHES_RECORDED_H

#include "../../base/storage.h"

enum { SAMPLES_BRANCHES_MOST = 1024 };

struct sample_branch {
  uint64_t from, to;
};

struct recorded_branch {
  struct sample_branch branch;
  uint32_t number; /* 0: none */
};

struct sample_trace {
  uint64_t count;
  uint64_t pc;
  uint32_t chain;    /* number of the innermost caller, as in struct sample */
  uint32_t branches; /* 1 to SAMPLES_BRANCHES_MOST */
};

struct recorded {
  struct map numbers;             /* of branches, from 1 on */
  struct recorded_branch *recent; /* some of them, by their hash */
  struct buffer list;   /* struct sample_branch by number, from 1 on */
  struct map places;    /* of traces in memory, plus 1, by their hash */
  struct buffer memory; /* struct sample_trace, each before its numbers */
  /* The latest trace, which is added after the next one is known: until then
   * its place is on its way from memory. */
  struct sample_trace waiting; /* without branches: none */
  uint64_t waiting_hash;
  uint32_t waiting_numbers[SAMPLES_BRANCHES_MOST + 1];
};

void recorded_begin(struct recorded *traces);
void recorded_free(struct recorded *traces);

/* Adds a sample with trace->branches branches, the newest first. Returns NULL
 * or the error. */
const char *recorded_add(struct recorded *traces,
                         const struct sample_trace *trace,
                         const struct sample_branch *branches);

/* Ends adding. Returns NULL or the error. */
const char *recorded_end(struct recorded *traces);

/* The trace at a place, and moves *at behind it. NULL: none is left. */
const struct sample_trace *recorded_next(const struct recorded *traces,
                                         size_t *at, const uint32_t **numbers);

/* How many different branches there are: their numbers go from 1 to this. */
static inline size_t recorded_branches(const struct recorded *traces) {
  return traces->numbers.count;
}

static inline const struct sample_branch *
recorded_branch(const struct recorded *traces, uint32_t number) {
  const struct sample_branch *list = (const void *)traces->list.data;
  return &list[number - 1];
}

#endif
