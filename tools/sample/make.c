/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples to rates, to a profile, to a file.
 */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/file.h"
#include "binary.h"
#include "build.h"
#include "context.h"
#include "expand.h"
#include "flow_build.h"
#include "judge.h"
#include "lines.h"
#include "sampled.h"
#include "targets.h"
#include "unwind.h"
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

/* ==== Branches to ranges, to rates, to a profile. */

struct flow_making {
  const struct samples_wishes *wishes;
  struct program *program;
  struct samples *samples;
  struct listing listing;
  struct unwound unwound;
  struct samples ran; /* each instruction, as often as it ran */
};

static const char *find_ran(struct flow_making *of) {
  const struct flow *flow = &of->samples->flow;
  struct flow_entry *ranges;
  size_t count;
  samples_begin(&of->ran);
  const char *error =
      unwind(of->samples, &of->listing, of->wishes->context, &of->unwound);
  if (error)
    return error;
  error = flow_sorted(&flow->ranges, &ranges, &count);
  if (!error)
    error = expand_ranges(&of->ran, &of->listing, ranges, count);
  free(ranges);
  return error;
}

static const char *build_flat(const struct flow_building *how,
                              struct rates *rates, bool targets) {
  const char *error = flow_zeros(how, rates);
  if (!error)
    error = build_probes(how->building, rates);
  return error || !targets ? error : flow_targets(how);
}

static const char *build(struct flow_making *of, struct rates *rates,
                         struct building *building) {
  struct flow_building how = {.building = building,
                              .program = of->program,
                              .listing = &of->listing,
                              .flow = &of->samples->flow,
                              .attribution = of->wishes->attribution};
  const struct rates counted = *rates;
  const char *error = flow_building(&how);
  if (!error)
    error = of->wishes->context
                ? flow_contexts(&how, rates)
                : build_flat(&how, rates, !of->wishes->no_targets);
  flow_building_free(&how);
  *rates = counted;
  if (!error)
    error = sampled_finish(building->profile, of->wishes->scale);
  if (!error && !of->wishes->context)
    flow_raise_calls(building->profile);
  return error;
}

static void say_branches(const struct flow_making *of) {
  const struct samples *samples = of->samples;
  const struct unwound *unwound = &of->unwound;
  const char *elf = of->wishes->elf;
  if (samples->traced && samples->traced < samples->total)
    report(elf,
           "%" PRIu64 " of %" PRIu64 " samples come without branches; they "
           "are left out",
           samples->total - samples->traced, samples->total);
  if (unwound->frameless)
    report(elf,
           "%" PRIu64 " of %" PRIu64 " samples are where a function begins or "
           "returns, and their stacks not whole; they are left out",
           unwound->frameless, samples->traced);
  if (unwound->unlike)
    report(elf,
           "%" PRIu64 " times what is between two of %" PRIu64 " branches "
           "cannot have run; is it the very ELF that ran?",
           unwound->unlike, unwound->branches);
}

static void say(const struct flow_making *of, const struct rates *rates,
                const struct building *building) {
  const char *elf = of->wishes->elf;
  say_branches(of);
  if (rates->unprobed || rates->nowhere)
    report(elf,
           "%" PRIu64 " of %" PRIu64 " instructions that ran are outside of "
           "functions with probes",
           rates->unprobed + rates->nowhere, of->ran.total);
  struct rates rest = *rates;
  rest.unprobed = rest.nowhere = 0;
  samples_report(elf, &of->ran, &rest, building);
}

static const char no_branch[] =
    "no branch is in a function that this profile can tell of; give the very "
    "ELF that ran, compiled for it (see --help), and what perf says of where "
    "it "
    "was loaded (--show-mmap-events)";

static int make_lines(struct flow_making *of) {
  const struct samples_wishes *wishes = of->wishes;
  const enum attribution attribution = wishes->attribution == ATTRIBUTION_REGION
                                           ? ATTRIBUTION_BLOCK
                                           : wishes->attribution;
  struct rates rates;
  struct sampled profile;
  struct lines_found found = {0};
  sampled_begin(&profile);
  const char *error =
      lines_rates(&profile, of->program, &of->ran, attribution, &rates, &found);
  if (!error && !rates.used)
    error = no_branch;
  if (!error && !wishes->no_targets)
    error = lines_jumps(&profile, of->program, &of->samples->flow);
  if (!error)
    error = sampled_finish(&profile, wishes->scale);
  int status = error ? report(wishes->elf, "%s", error)
                     : samples_write_profile(wishes, &profile);
  if (!status) {
    say_branches(of);
    lines_report(wishes->elf, &of->ran, &rates, &found);
  }
  sampled_free(&profile);
  return status;
}

static int make(struct flow_making *of) {
  const struct samples_wishes *wishes = of->wishes;
  struct rates rates;
  struct sampled profile;
  struct building building;
  sampled_begin(&profile);
  build_begin(&building, &profile, &of->program->probes);
  const char *error =
      rates_find(&rates, &of->program->probes, &of->program->code, &of->ran,
                 wishes->attribution);
  if (!error && !rates.used)
    error = no_branch;
  if (!error)
    error = build(of, &rates, &building);
  if (!error)
    error = samples_merge_cold(wishes, &profile);
  int status = error ? report(wishes->elf, "%s", error)
                     : samples_write_profile(wishes, &profile);
  if (!status)
    say(of, &rates, &building);
  build_free(&building);
  sampled_free(&profile);
  rates_free(&rates);
  return status;
}

int samples_make_flow(const struct samples_wishes *wishes,
                      struct program *program, struct samples *samples) {
  struct samples_wishes own = *wishes;
  struct flow_making of = {
      .wishes = &own, .program = program, .samples = samples};
  /* Ranges are exact, of each instruction. */
  if (!own.has_attribution)
    own.attribution = ATTRIBUTION_FIRST;
  if (!own.has_scale)
    own.scale = 1;
  listing_begin(&of.listing, program);
  const char *error = find_ran(&of);
  int status = error       ? report(wishes->elf, "%s", error)
               : own.lines ? make_lines(&of)
                           : make(&of);
  samples_free(&of.ran);
  listing_free(&of.listing);
  return status;
}
