/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The way to a function of a profile, frame by frame: "main:3", "foo:2.1", and
 * in the end the function itself.
 *
 *     struct sampled_frame frame;
 *     for (sampled_frames(&frame, function); sampled_next_frame(&frame);)
 *       ... frame.name, frame.size, frame.site ...
 */
#ifndef SAMPLE_FRAMES_H
#define SAMPLE_FRAMES_H

#include "sampled.h"

struct sampled_frame {
  const char *name; /* size bytes, without a zero behind */
  size_t size;
  struct sampled_site site; /* of the call; of the function itself {0, 0} */
  /* Of use to frames.c only. */
  const struct sampled_function *function; /* NULL: it was the last */
  const char *rest;                        /* of the context */
};

void sampled_frames(struct sampled_frame *frame,
                    const struct sampled_function *function);
/* false: there is none left. */
bool sampled_next_frame(struct sampled_frame *frame);

/* LLVM's order: by the first frame that differs, its name, then its site; what
 * is a part of the other first. Without contexts: by name. */
int sampled_compare(const struct sampled_function *a,
                    const struct sampled_function *b);

/* The same of sites. */
int sampled_compare_sites(struct sampled_site a, struct sampled_site b);

#endif
