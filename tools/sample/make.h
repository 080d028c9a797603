/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command's work after samples are read.
 */
#ifndef SAMPLE_MAKE_H
#define SAMPLE_MAKE_H

#include <stdio.h>

#include "../base/storage.h"
#include "../compare/comparison.h"
#include "attribute.h"
#include "listed.h"
#include "input.h"
#include "sampled.h"

enum samples_kind {
  SAMPLES_PROFILE,
  SAMPLES_FOLDED,
  SAMPLES_TOP
};

struct samples_settings {
  enum samples_kind kind;
  enum attribution attribution;
  enum samples_form form;
  unsigned encoding;
  uint64_t offset;
  double scale;
  bool has_scale, has_offset,
      has_attribution; /* default: by the kind of input */
  bool no_targets, context, lines, force;
  struct cold_settings cold;
  struct renames *renames;
  const char *out, *elf;
};

/* These functions write the output. They return 0, or print the error and
 * return 1. */

/* Makes a profile from samples or branches. Adds the branches' code to
 * samples->flow. */
int samples_make(const struct samples_settings *settings,
                 struct program *program, struct samples *samples);
int samples_write_view(const struct samples_settings *settings,
                       struct program *program, const struct samples *samples);

/* ---- views.c ---- */

/* Writes OUTERMOST;...;INNERMOST COUNT, a line for each stack, the input of
 * flame graphs. The frames are symbols. Returns NULL or the error. */
const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples);

/* Symbols by falling number of samples. Returns NULL or the error. */
const char *samples_put_top(FILE *stream, const struct program *program,
                            const struct samples *samples);

/* ---- sample_match.c ----
 *
 * How much of a sample profile another build takes. With probes clang looks at
 * the checksum of each function, wherever the function was inlined. A profile
 * of lines has no checksums, so only names are compared.
 */

/* Whether a file is a sample profile: as text, or binary, which
 * sample_match_find refuses. */
bool sample_match_is(struct bytes file);

/* Matches a profile with a linked build. *match need not be initialised; the
 * caller frees it in any case. Returns NULL or the error. */
struct sample_match_found {
  size_t line;  /* where the error is in a text; 0: in none */
  bool of_elf;  /* the error is in the ELF */
  bool by_name; /* the profile has no checksums */
};
const char *sample_match_find(struct match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_found *found);

/* ==== The readers. Counts of a function that was inlined are its own. */

/* A function, or some of its counts. */
struct sample_body {
  struct bytes name;
  uint64_t reference, hash;
  double weight;
};

struct sample_records {
  struct match *match; /* begun */
  struct map known;    /* of its records, by name and checksum. With a limit */
  bool probed;         /* there are checksums */
  bool suffixed;       /* clang looks for names with .__uniq. */
  /* Adds to the record of that name and checksum. Returns NULL or the error. */
  const char *(*add)(struct sample_records *of, const struct sample_body *body);
};

/* What add is, where records become those of *match. */
const char *sample_records_add(struct sample_records *of,
                               const struct sample_body *body);

/* Adds all functions of a text. Returns NULL or the error, and *line, the
 * number of the wrong one; 0: it is none of a line. */
const char *sample_text_read(struct sample_records *records, struct bytes file,
                             size_t *line);
bool sample_text_is(struct bytes file); /* by its first line */

#endif
