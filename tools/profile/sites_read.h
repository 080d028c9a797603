/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value data of a record as raw and indexed profiles have it: by kind, how
 * many values each site has, then the values.
 */
#ifndef BAREPROF_TOOLS_SITES_READ_H
#define BAREPROF_TOOLS_SITES_READ_H

#include "model.h"

/* The sites of one record. Begin with sites_new; may be reused for any number
 * of reads. */
struct sites {
  uint32_t count[VALUE_KINDS];
  struct buffer lists[VALUE_KINDS]; /* struct site */
  struct buffer values;             /* struct value, all of them */
};

void sites_new(struct sites *sites);
void sites_free(struct sites *sites);

static inline struct site *sites_list(const struct sites *sites,
                                      unsigned kind) {
  return (struct site *)(void *)sites->lists[kind].data;
}

/* Reads value data at *at, before end, and moves *at behind it. Returns NULL or
 * the error. Memory: at most 16 times the data. */
const char *sites_read(struct sites *sites, const unsigned char **at,
                       const unsigned char *end, bool big);

#endif
