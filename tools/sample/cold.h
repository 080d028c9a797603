/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Contexts that are seldom reached make a profile large and say little: such
 * ones of a function are added up where their last frames are the same.
 */
#ifndef SAMPLE_COLD_H
#define SAMPLE_COLD_H

#include "sampled.h"

struct cold_wishes {
  bool merge;     /* else all contexts stay as they are */
  bool trim;      /* what is cold even when merged is left out */
  bool has_below; /* else cold_threshold tells it */
  uint64_t below; /* a total below this is cold */
  unsigned depth; /* frames that stay, with the function's; 1 and more */
};

/* The smallest count that is needed for 99 % of the sum of all counts, those
 * of all contexts of a function together: LLVM's threshold of what is hot.
 * profile is finished. NULL, or what is wrong. */
const char *cold_threshold(const struct sampled *profile, uint64_t *below);

/* Adds all of a finished profile to another, empty one, and finishes that:
 * totals are the same but for what is trimmed. NULL, or what is wrong. */
const char *cold_merge(struct sampled *to, const struct sampled *from,
                       const struct cold_wishes *wishes);

#endif
