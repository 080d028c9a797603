/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What binary*.c share.
 */
#ifndef SAMPLE_BINARY_INSIDE_H
#define SAMPLE_BINARY_INSIDE_H

#include "binary.h"

/* ---- binary_names.c ---- */

struct binary_name {
  const char *at; /* size bytes */
  size_t size;
};

/* All names of a profile, and the contexts of its functions, both ascending,
 * by their number. */
struct binary_names {
  struct buffer names; /* struct binary_name */
  size_t name_count;
  const struct sampled_function **contexts; /* NULL: they have none */
  size_t context_count;
  bool unique; /* a name is as -funique-internal-linkage-names makes it */
};

/* NULL, or what is wrong; in both cases the caller calls binary_names_free. The
 * profile must live as long. */
const char *binary_names_gather(struct binary_names *names,
                                const struct sampled *profile);
void binary_names_free(struct binary_names *names);

/* The number of one that is there. */
size_t binary_name(const struct binary_names *names, const char *at,
                   size_t size);
/* Of a function that is not inlined: of its context, or else of its name. */
size_t binary_function(const struct binary_names *names,
                       const struct sampled_function *function);

/* ---- binary.c ---- */

struct writing {
  struct buffer *out;
  const struct sampled *profile;
  struct binary_names names;
  struct buffer offsets; /* uint64_t: of functions in their section */
  bool probed;           /* functions have checksums */
  bool decided;          /* an attribute says what is to be inlined */
  const char *error;     /* of the first that failed */
};

void binary_put(struct writing *of, const void *bytes, size_t size);
void binary_put_uleb(struct writing *of, uint64_t value);

/* ---- binary_summary.c ---- */

/* The section of which counts are hot. */
void binary_put_summary(struct writing *of);

#endif
