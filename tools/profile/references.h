/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names for what values and traces refer to: functions and vtables of a
 * profile by the MD5 of their names.
 */
#ifndef BAREPROF_TOOLS_REFERENCES_H
#define BAREPROF_TOOLS_REFERENCES_H

#include "summary.h"

struct reference {
  uint64_t reference;
  const char *name; /* the profile's */
};

struct references {
  struct reference *list; /* in order */
  size_t count;
};

/* Of these functions, and of all vtables. false: out of memory; free it all
 * the same. */
bool references_new(struct references *references,
                    const struct profile *profile,
                    struct functions_list functions);
void references_free(struct references *references);

/* The name; or NULL, it is none of these. */
const char *reference_name(const struct references *references,
                           uint64_t reference);

#endif
