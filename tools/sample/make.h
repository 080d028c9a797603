/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the command does with samples, once they are read.
 */
#ifndef SAMPLE_MAKE_H
#define SAMPLE_MAKE_H

#include <stdio.h>

#include "attribute.h"
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

/* A profile, of what was sampled or of branches; adds what these tell to
 * samples->flow. */
int samples_make(const struct samples_wishes *wishes, struct program *program,
                 struct samples *samples);
int samples_write_view(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples);

/* ---- views.c ---- */

/* OUTERMOST;...;INNERMOST COUNT, a line for each stack, as flame graphs are
 * made of. The frames are symbols. NULL, or what is wrong. */
const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples);

/* Symbols by falling number of samples. NULL, or what is wrong. */
const char *samples_put_top(FILE *stream, const struct program *program,
                            const struct samples *samples);

#endif
