/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How values are added to a site, for model.c.
 */
#ifndef BAREPROF_TOOLS_SITES_ADD_H
#define BAREPROF_TOOLS_SITES_ADD_H

#include "model.h"

/* An addition under way. */
struct adding {
  struct profile *profile;
  uint64_t weight;
  bool first;  /* the record was not there before */
  bool sorted; /* the sites of the record are in the order of site_sort */
  bool cut;    /* a sum was */
  bool pseudo; /* the counters do not count */
};

/* Adds the values of a site. false: out of memory. */
bool site_add(struct adding *adding, struct site *to, const struct site *from);

#endif
