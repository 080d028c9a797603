/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples, each different one once. Begin with {.limit = N}: it never keeps
 * more than N different ones, and at most as many again that are not folded
 * yet.
 */
#ifndef SAMPLE_FOLD_H
#define SAMPLE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
  uint64_t pc;
  uint64_t ra;    /* what the link register held; 0: not known */
  uint64_t count; /* 1 and more */
  uint32_t chain; /* number of the innermost caller in chains; 0: none */
};

struct sample_fold {
  struct sample *list; /* by pc, ra, chain, once finished; NULL: none */
  size_t count, room, limit;
};

/* false: no memory, or more than limit. */
bool sample_fold_add(struct sample_fold *fold, const struct sample *sample);
bool sample_fold_finish(struct sample_fold *fold);

void sample_fold_free(struct sample_fold *fold);

#endif
