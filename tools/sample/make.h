/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the command does with samples, once they are read.
 */
#ifndef SAMPLE_MAKE_H
#define SAMPLE_MAKE_H

#include "attribute.h"
#include "cold.h"
#include "program.h"
#include "sampled.h"

enum samples_kind { SAMPLES_PROFILE, SAMPLES_FOLDED, SAMPLES_TOP };

struct samples_wishes {
  enum samples_kind kind;
  enum attribution attribution;
  enum samples_form form;
  unsigned encoding;
  uint64_t offset;
  double scale;
  bool has_scale, has_offset,
      has_attribution; /* else what the input suggests */
  bool no_targets, context, lines, binary, force;
  struct cold_wishes cold;
  const char *out, *elf;
};

/* These write the output and print what is wrong. 0, or 1 then. */
int samples_make_profile(const struct samples_wishes *wishes,
                         struct program *program,
                         const struct samples *samples);
int samples_make_lines(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples);
/* Of branches; adds what they tell to samples->flow. */
int samples_make_flow(const struct samples_wishes *wishes,
                      struct program *program, struct samples *samples);
int samples_write_view(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples);

/* ---- for make*.c ---- */

/* Of contexts, as far as that is wished; profile is finished. NULL, or what is
 * wrong. */
const char *samples_merge_cold(const struct samples_wishes *wishes,
                               struct sampled *profile);

/* 0, or 1 and it said why. */
int samples_write_profile(const struct samples_wishes *wishes,
                          struct sampled *profile);

#endif
