/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From rates of probes to a profile.
 */
#ifndef SAMPLE_BUILD_H
#define SAMPLE_BUILD_H

#include "attribute.h"
#include "sampled.h"

struct building {
  struct sampled *profile;
  const struct probes *probes;
  struct map frames; /* where a frame's functions are in profile */
  size_t unnamed;    /* probes whose function has no descriptor */
  size_t doubted;    /* probes of functions whose place is a guess */
};

void build_begin(struct building *building, struct sampled *profile,
                 const struct probes *probes);
void build_free(struct building *building);

/* The function of that GUID as it was inlined by that way; NULL: no memory, or
 * nobody knows its name. */
struct sampled_function *build_function(struct building *building,
                                        const struct probe_frame *frame,
                                        uint64_t guid);

/* Adds each probe of a function that has samples, those of none with 0. NULL,
 * or what is wrong. */
const char *build_probes(struct building *building, const struct rates *rates);

#endif
