/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples to rates, to a profile, to a file.
 */
#include "make.h"

#include "../base/error.h"
#include "../base/file.h"
#include "binary.h"
#include "build.h"
#include "context.h"
#include "judge.h"
#include "lines.h"
#include "sampled.h"
#include "targets.h"
#include "views.h"

#define PROFILE_LIMIT ((size_t)1 << 30)

/* ---- the profile ---- */

static const char *put_binary(FILE *stream, const struct sampled *profile) {
  struct buffer out = {.limit = PROFILE_LIMIT};
  const char *error = sampled_put_binary(&out, profile);
  if (!error)
    fwrite(out.data, 1, out.size, stream);
  buffer_free(&out);
  return error;
}

int samples_write_profile(const struct samples_wishes *wishes,
                          struct sampled *profile) {
  struct output output;
  const char *error = NULL;
  if (output_open(&output, wishes->out))
    return 1;
  if (wishes->binary)
    error = put_binary(output.stream, profile);
  else
    sampled_put_text(output.stream, profile);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(wishes->out, "%s", error);
}

const char *samples_merge_cold(const struct samples_wishes *wishes,
                               struct sampled *profile) {
  struct sampled merged;
  if (!wishes->context || (!wishes->cold.merge && !wishes->cold.trim))
    return NULL;
  sampled_begin(&merged);
  const char *error = cold_merge(&merged, profile, &wishes->cold);
  sampled_free(profile);
  *profile = merged;
  return error;
}

int samples_make_profile(const struct samples_wishes *wishes,
                         struct program *program,
                         const struct samples *samples) {
  struct rates rates;
  struct sampled profile;
  struct building building;
  struct targets_found found = {0};
  sampled_begin(&profile);
  build_begin(&building, &profile, &program->probes);
  const char *error = rates_find(&rates, &program->probes, &program->code,
                                 samples, wishes->attribution);
  int status = error ? report(wishes->elf, "%s", error)
                     : judge_samples(wishes, program, samples, &rates);
  if (!status) {
    const struct rates counted = rates;
    error = wishes->context ? context_build(&building, program, samples, &rates,
                                            wishes->attribution)
                            : build_probes(&building, &rates);
    if (wishes->context)
      rates = counted;
    else if (!error && !wishes->no_targets)
      error = targets_add(&building, program, samples, &rates, &found);
    if (!error)
      error = sampled_finish(&profile, wishes->scale);
    if (!error)
      error = samples_merge_cold(wishes, &profile);
    status = error ? report(wishes->elf, "%s", error)
                   : samples_write_profile(wishes, &profile);
  }
  if (!status) {
    samples_report(wishes->elf, samples, &rates, &building);
    if (!wishes->no_targets || wishes->context)
      judge_targets(wishes, program, samples, &found);
  }
  build_free(&building);
  sampled_free(&profile);
  rates_free(&rates);
  return status;
}

/* ---- of lines ---- */

int samples_make_lines(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples) {
  struct rates rates;
  struct sampled profile;
  struct lines_found found = {0};
  const enum attribution attribution = wishes->attribution == ATTRIBUTION_REGION
                                           ? ATTRIBUTION_BLOCK
                                           : wishes->attribution;
  int status = 0;
  sampled_begin(&profile);
  const char *error =
      lines_rates(&profile, program, samples, attribution, &rates, &found);
  if (!error)
    status = judge_samples(wishes, program, samples, &rates);
  if (!error && !status && !wishes->no_targets)
    error = lines_targets(&profile, program, samples);
  if (!error && !status)
    error = sampled_finish(&profile, wishes->scale);
  if (error)
    status = report(wishes->elf, "%s", error);
  if (!status)
    status = samples_write_profile(wishes, &profile);
  if (!status)
    lines_report(wishes->elf, samples, &rates, &found);
  sampled_free(&profile);
  return status;
}

/* ---- other views ---- */

int samples_write_view(const struct samples_wishes *wishes,
                       struct program *program, const struct samples *samples) {
  struct output output;
  if (output_open(&output, wishes->out))
    return 1;
  const char *error = wishes->kind == SAMPLES_TOP
                          ? samples_put_top(output.stream, program, samples)
                          : samples_put_folded(output.stream, program, samples);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(wishes->elf, "%s", error);
}
