/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Many files at once, by several threads.
 */
#ifndef BAREPROF_TOOLS_GATHER_ALL_H
#define BAREPROF_TOOLS_GATHER_ALL_H

#include "gather.h"
#include "sources.h"

struct gather_work {
  const struct sources *inputs;
  unsigned threads;                          /* 2 or more */
  void (*progress)(size_t done, size_t all); /* never two calls at a time */
};

/* How many threads are of use: `wanted`, but no more than there are inputs; 0:
 * as many as the machine has processors, each with inputs enough to pay for a
 * profile of its own. */
unsigned gather_threads(const struct sources *inputs, unsigned wanted);

/* Adds all inputs to gather, which is new. The result is the same, to the
 * byte, as of one after the other. That only works as long as there is nothing
 * to be said of any of them: false if there is, or if memory does not suffice
 * or an input can be read only once. Nothing was printed then, and gather is
 * new again: add them one by one. */
bool gather_all(struct gather *gather, const struct gather_work *work);

#endif
