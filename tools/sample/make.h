/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command's work after samples are read.
 */
#ifndef SAMPLE_MAKE_H
#define SAMPLE_MAKE_H

#include <stdio.h>

#include "attribute.h"
#include "sampled.h"

enum samples_kind {
  SAMPLES_PROFILE,
  SAMPLES_FOLDED,
  SAMPLES_SPEEDSCOPE,
  SAMPLES_TOP,
  SAMPLES_AGAINST
};

struct samples_wishes {
  enum samples_kind kind;
  enum attribution attribution;
  enum samples_form form;
  unsigned encoding;
  uint64_t offset;
  double scale;
  bool has_scale, has_offset,
      has_attribution; /* default: by the kind of input */
  bool no_targets, context, lines, binary, force;
  struct cold_wishes cold;
  struct renames *renames;
  const char *out, *elf;
};

/* These functions write the output. They return 0, or print the error and
 * return 1. */

/* Makes a profile from samples or branches. Adds the branches' code to
 * samples->flow. */
int samples_make(const struct samples_wishes *wishes, struct program *program,
                 struct samples *samples);
int samples_write_view(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples);

/* ---- views.c ---- */

/* Writes OUTERMOST;...;INNERMOST COUNT, a line for each stack, the input of
 * flame graphs. The frames are symbols. Returns NULL or the error. */
const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples);

/* Writes the same stacks as a file of speedscope. name: of the profile. Returns
 * NULL or the error. */
const char *samples_put_speedscope(FILE *stream, struct program *program,
                                   const struct samples *samples,
                                   const char *name);

/* Symbols by falling number of samples. Returns NULL or the error. */
const char *samples_put_top(FILE *stream, const struct program *program,
                            const struct samples *samples);

#endif
