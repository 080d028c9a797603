/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The calls of the source that lead to a function, the outermost first.
 */
#ifndef SAMPLE_WAY_H
#define SAMPLE_WAY_H

#include "build.h"
#include "targets.h"

enum { WAY_MOST = 512 };

struct way {
  struct call_frame frames[WAY_MOST];
  size_t depth;
  bool probed; /* the innermost one's call has a probe */
};

/* Adds an innermost frame. Of more than WAY_MOST the outermost are cut; all
 * are where it is not known which call this is (0). */
void way_push(struct way *way, const struct call_frame *frame);

/* Adds what the code of a probe was inlined into. false: a function has no
 * descriptor. */
bool way_inline(struct way *way, const struct probes *probes,
                const struct probe_frame *frame);

/* What repeats itself (recursion) is there once. */
void way_compress(struct way *way);

/* The function as it is called from the first depth frames. NULL: no
 * memory. */
struct sampled_function *way_function(struct building *building,
                                      const struct way *way, size_t depth,
                                      const struct probe_function *is);

/* The last call of the way, if there is one, has a target, so often; and it is
 * counted itself, unless a probe of it is. NULL, or what is wrong. */
const char *way_call(struct building *building, const struct way *way,
                     const char *name, double count, bool counted);

#endif
