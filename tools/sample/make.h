/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The work of `bareprof samples` (cmd/samples.c) after input.h has read the
 * samples: writes a profile, a flame graph's input, or a list of functions.
 * Also matches a sample profile with a build, for `bareprof match`.
 */
#ifndef SAMPLE_MAKE_H
#define SAMPLE_MAKE_H

#include <stdio.h>

#include "../base/storage.h"
#include "../compare/comparison.h"
#include "sample_rates.h"
#include "listing.h"
#include "input.h"
#include "sampled.h"

/* What the command writes. */
enum samples_kind { SAMPLES_PROFILE, SAMPLES_FOLDED, SAMPLES_TOP };

/* The command's options. */
struct samples_settings {
  enum samples_kind kind;
  enum attribution attribution;
  enum samples_form form;
  unsigned encoding;
  uint64_t offset;
  double scale;
  bool has_scale, has_offset,
      has_attribution; /* false: the default depends on the input */
  bool no_targets, context, lines, force;
  struct cold_settings cold;
  struct file_renames *renames;
  const char *out, *elf;
};

/* These functions write the output. They return 0, or print the error and
 * return 1. */

/* Makes a profile from samples, or from the ranges and branches in
 * samples->flow. */
int samples_make_profile(const struct samples_settings *settings,
                         struct sampled_program *program,
                         struct samples *samples);
int samples_write_view(const struct samples_settings *settings,
                       struct sampled_program *program,
                       const struct samples *samples);

/* ---- flamegraph.c ---- */

/* Writes the input of flame graphs: for each stack of symbols, one line
 * OUTERMOST;...;INNERMOST COUNT. */
void samples_print_folded(FILE *stream, struct sampled_program *program,
                          const struct samples *samples);

/* Writes a list of symbols by falling number of samples. */
void samples_print_top_symbols(FILE *stream,
                               const struct sampled_program *program,
                               const struct samples *samples);

/* ---- sample_match.c ----
 *
 * Finds how much of a sample profile clang would use for another build. With
 * probes clang compares the checksum of each function, wherever the function
 * was inlined. A line profile lacks checksums, so only names are compared.
 */

/* Whether a file is a sample profile in text or binary form. sample_match_make
 * refuses the binary form. */
bool sample_match_is_profile(struct bytes file);

/* Details of a match or its error. */
struct sample_match_details {
  size_t line;  /* the profile's line that has the error; 0: none */
  bool of_elf;  /* the error is in the ELF */
  bool by_name; /* the profile lacks checksums */
};

/* Matches a profile with a linked build. *match need not be initialised; the
 * caller frees it in any case. Returns NULL or the error. */
const char *sample_match_make(struct build_match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_details *found);

/* ==== The readers. A function that was inlined gets the counts of its inlined
 * code itself. */

/* The functions of a profile that were read so far. */
struct sample_function_table {
  struct build_match *match; /* match_begin was called */
  struct map known; /* numbers of match's records, by GUID and checksum; the
                       caller sets its limit */
  bool probed;      /* the profile has checksums */
};

/* Adds all functions of a profile in text form to records->match. Returns NULL
 * or the error. *line becomes the line that has the error, or 0. */
const char *sample_text_parse(struct sample_function_table *records,
                              struct bytes file, size_t *line);
/* Whether the first line of a file is a function of a profile in text form. */
bool sample_text_is_profile(struct bytes file);

#endif
