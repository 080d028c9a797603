/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Does the work of `bareprof samples` (cmd/samples.c) after input.h has read
 * the samples. Writes a profile, the input of a flame graph, or a list of
 * functions. Also compares a sample profile with a build, for `bareprof match`.
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

/* The options of `bareprof samples`. */
struct samples_settings {
  enum samples_kind kind;
  enum attribution attribution;
  enum samples_form form;
  unsigned encoding;
  uint64_t offset;
  double scale;
  bool has_scale, has_offset,
      has_attribution; /* if false, the default attribution depends on the
                          input */
  bool no_targets, context, lines, force;
  struct cold_context_settings cold;
  struct file_renames *renames;
  const char *out, *elf;
};

/* These functions write the output. They return 0, or print the error and
 * return 1. */

/* Makes and writes a profile from samples, or from the ranges and branches in
 * samples->flow. */
int samples_write_profile(const struct samples_settings *settings,
                          struct sampled_program *program,
                          struct samples *samples);
int samples_write_view(const struct samples_settings *settings,
                       struct sampled_program *program,
                       const struct samples *samples);

/* ---- flamegraph.c ---- */

/* Writes the input of flame graphs. For each stack of symbols, the input has
 * one line OUTERMOST;...;INNERMOST COUNT. */
void samples_print_folded(FILE *stream, struct sampled_program *program,
                          const struct samples *samples);

/* Writes a list of symbols. The symbols with the most samples come first. */
void samples_print_top_symbols(FILE *stream,
                               const struct sampled_program *program,
                               const struct samples *samples);

/* ---- sample_match.c ----
 *
 * Finds how much of a sample profile clang would use for another build. With
 * probes, clang compares the checksum of each function, even where the function
 * was inlined. A line profile lacks checksums, so only names are compared.
 */

/* Returns whether a file is a sample profile in text or binary form.
 * sample_match_make reports the binary form as an error. */
bool sample_match_is_profile(struct bytes file);

/* Details of a match, or of its error. */
struct sample_match_details {
  size_t line;  /* line of the profile that has the error; 0: none */
  bool of_elf;  /* the error is in the ELF, not in the profile */
  bool by_name; /* the profile lacks checksums, so only names were compared */
};

/* Compares a profile with a linked build. *match need not be initialised; the
 * caller frees it in any case. Returns NULL or the error. */
const char *sample_match_make(struct build_match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_details *found);

/* ==== Reads sample profiles. The counts of inlined code are added to the
 * function that was inlined, not to its caller. */

/* The functions of a profile that were read so far. */
struct sample_function_table {
  struct build_match *match; /* the result; match_begin was called for it */
  /* The numbers of the records in `match`, by GUID and checksum. The caller
   * sets the limit of the map. */
  struct map known;
  bool probed; /* the profile has checksums */
};

/* Adds all functions of a profile in text form to records->match. Returns NULL
 * or the error, and sets *line to the line that has the error, or to 0. */
const char *sample_text_parse(struct sample_function_table *records,
                              struct bytes file, size_t *line);
/* Returns whether the first line of a file is a function of a profile in text
 * form. */
bool sample_text_is_profile(struct bytes file);

#endif
