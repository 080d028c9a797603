/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes rates from samples or branches, a profile from the rates, and a file
 * from the profile. If the samples do not fit the ELF, this is an error. */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../probe/probe.h"
#include "sampled.h"
#include "build.h"

/* The input, the options and the results for one profile. */
struct profile_maker {
  struct samples_settings settings; /* options, with the defaults for this
                                       input */
  struct sampled_program *program;
  struct samples *samples;
  bool branches;      /* the input has branches, and `ran` is set */
  struct samples ran; /* the instructions that ran, each with its number of
                         executions */
  const struct samples *counted; /* points to the samples, or to `ran` */
  struct rates rates;
  struct sampled_profile profile;
  struct profile_builder building;
  struct line_profile_statistics lines;
  struct target_statistics targets;
};

/* ==== Checks whether the samples are good enough for a profile. A wrong
 * profile is worse than no profile. */

static double to_percent(double part, uint64_t all) {
  return all ? 100.0 * part / (double)all : 0;
}

/* What a function must have to be in the profile, and the compiler's options
 * for this, by settings->lines. */
static const char *const needed[2][2] = {
    {"probes", "-fpseudo-probe-for-profiling"},
    {"instructions", "-g1 -fdebug-info-for-profiling"}};

/* Checks that an instruction begins at the PC of each sample. The right ELF
 * passes this check, because interrupts come between instructions. */
static int
check_samples_at_instructions(const struct samples_settings *settings,
                              const struct rates *rates) {
  double astray = to_percent((double)rates->astray, rates->used);
  if (astray <= 1)
    return 0;
  return report(
      settings->elf,
      "%.0f of 100 samples are not at the start of an instruction, so they are "
      "from another build; pass the ELF that ran, or use --force",
      astray);
}

static int check_spread_over_blocks(const struct samples_settings *settings,
                                    const struct rates *rates) {
  if (!rates_samples_are_at_leaders(rates))
    return 0;
  return report(settings->elf,
                "%.0f of 100 samples are at the start of a block, but %.0f are "
                "expected, so the samples do not show how often code runs; run "
                "QEMU with -icount, or use --force",
                to_percent((double)rates->at_leaders, rates->used),
                to_percent(rates->leaders_share, rates->used));
}

static int check_probe_places(const struct samples_settings *settings,
                              const struct sampled_program *program) {
  struct probe_misplacements misplaced;
  if (settings->lines)
    return 0;
  probe_find_misplaced(&misplaced, &program->probes, &program->elf);
  if (!misplaced.relaxed.count && !misplaced.inside.count)
    return 0;
  return report(settings->elf, "some probes are misplaced; for RISC-V compile "
                               "with -mno-relax, otherwise see bareprof probes "
                               "--check, or use --force");
}

/* Checks the samples. Returns 0, or reports why they cannot be used and returns
 * 1. With --force all samples are accepted, unless none can be used. */
static int check_samples(const struct samples_settings *settings,
                         const struct sampled_program *program,
                         const struct samples *samples,
                         const struct rates *rates) {
  if (!rates->used)
    return report(settings->elf,
                  "none of %" PRIu64 " samples is in a function with %s; pass "
                  "the ELF that ran, compiled with %s",
                  samples->total, needed[settings->lines][0],
                  needed[settings->lines][1]);
  if (settings->force)
    return 0;
  if (check_samples_at_instructions(settings, rates) ||
      check_probe_places(settings, program))
    return 1;
  return check_spread_over_blocks(settings, rates);
}

/* ==== Warns about the limits of the profile. Each limit has a line. */

/* The fewest samples for a probe. With fewer, half of a count is chance. */
enum { SAMPLES_A_PROBE = 10 };

static void report_unreadable_code(const char *elf, const struct rates *rates) {
  if (rates->unreadable)
    warn(elf,
         "samples left out, because their functions have unsupported "
         "instructions: %" PRIu64,
         rates->unreadable);
  if (rates->coarse)
    warn(elf,
         "samples counted by bytes, as with --attribution=region, because "
         "their functions have unsupported instructions: %" PRIu64,
         rates->coarse);
}

static void
report_probe_profile_limits(const char *elf, const struct samples *samples,
                            const struct rates *rates,
                            const struct profile_builder *building) {
  uint64_t outside = rates->unprobed + rates->nowhere;
  if (outside)
    warn(elf,
         "samples outside of functions with probes: %" PRIu64 " of %" PRIu64
         " (outside of all code: %" PRIu64 "); use --hottest to see where",
         outside, samples->total, rates->nowhere);
  report_unreadable_code(elf, rates);
  if (samples->lost)
    warn(elf,
         "samples that the target lost: %" PRIu64 "; samples here: %" PRIu64
         "; use a longer period or a larger table",
         samples->lost, samples->total);
  if (building->unnamed || building->doubted)
    warn(elf,
         "probes left out, because they have no descriptor: %zu; probes whose "
         "address is a guess: %zu; run bareprof probes --check",
         building->unnamed, building->doubted);
  if (building->probes->repeated)
    warn(elf,
         "functions with two checksums, of which one is used: %" PRIu64
         "; compile all files with the same options",
         building->probes->repeated);
  if (rates->used < SAMPLES_A_PROBE * (uint64_t)rates->probe_count)
    warn(elf,
         "too few samples: %" PRIu64 ", for probes: %zu, in functions: %zu; "
         "take at least %zu samples",
         rates->used, rates->probe_count, rates->symbols,
         SAMPLES_A_PROBE * rates->probe_count);
}

static void
report_line_profile_limits(const char *elf, const struct samples *samples,
                           const struct rates *rates,
                           const struct line_profile_statistics *found) {
  if (rates->nowhere)
    warn(elf, "samples outside of all code: %" PRIu64 " of %" PRIu64,
         rates->nowhere, samples->total);
  report_unreadable_code(elf, rates);
  if (found->unknown)
    warn(elf,
         "instructions without a line number, in functions with samples: %zu; "
         "compile all files with -g1 -fdebug-info-for-profiling",
         found->unknown);
  if (found->undeclared)
    warn(elf,
         "instructions whose line clang will not find, because the first line "
         "of their function is unknown: %zu; compile with "
         "-fdebug-info-for-profiling",
         found->undeclared);
}

static bool samples_have_callers(const struct samples *samples) {
  for (size_t i = 0; i < samples->count; i++)
    if (samples->list[i].chain)
      return true;
  return false;
}

/* Reports problems with call targets and return addresses. */
static void report_call_target_limits(const struct samples_settings *settings,
                                      const struct sampled_program *program,
                                      const struct samples *samples,
                                      const struct target_statistics *found) {
  if (program->debug_error)
    warn(settings->elf, "call targets are unknown: %s", program->debug_error);
  else if (found->unknown)
    warn(settings->elf,
         "sampled calls without a source line: %zu of %zu; compile all files "
         "with -g1",
         found->unknown, found->pairs);
  if (settings->context && !samples_have_callers(samples))
    warn(settings->elf,
         "the samples have no callers except the link register, so contexts "
         "are short; sample with BAREPROF_SAMPLER_CHAIN");
  if (to_percent((double)found->refused, samples->total) > 10)
    warn(settings->elf,
         "%.0f of 100 samples have no valid return address, so their calls are "
         "left out; check that this is the ELF that ran",
         to_percent((double)found->refused, samples->total));
}

static void report_branch_profile_limits(const struct profile_maker *of) {
  struct rates rest = of->rates;
  if (rest.unprobed || rest.nowhere)
    warn(of->settings.elf,
         "instructions that ran outside of functions with probes: %" PRIu64
         " of %" PRIu64,
         rest.unprobed + rest.nowhere, of->counted->total);
  rest.unprobed = rest.nowhere = 0;
  report_probe_profile_limits(of->settings.elf, of->counted, &rest,
                              &of->building);
}

static void report_profile_limits(const struct profile_maker *of) {
  const struct samples_settings *settings = &of->settings;
  renames_warn_unused(settings->renames, settings->elf);
  if (settings->lines) {
    report_line_profile_limits(settings->elf, of->counted, &of->rates,
                               &of->lines);
  } else if (of->branches) {
    report_branch_profile_limits(of);
  } else {
    report_probe_profile_limits(settings->elf, of->samples, &of->rates,
                                &of->building);
    if (!settings->no_targets || settings->context)
      report_call_target_limits(settings, of->program, of->samples,
                                &of->targets);
  }
}

/* ==== Makes the profile. */

static void compute_probe_or_line_rates(struct profile_maker *of) {
  enum attribution attribution = of->settings.attribution;
  if (!of->settings.lines) {
    rates_compute(&of->rates, of->program, of->counted, attribution);
    return;
  }
  /* Only code with probes has regions. */
  if (attribution == ATTRIBUTION_REGION)
    attribution = ATTRIBUTION_BLOCK;
  lines_add_rates(&of->profile, of->program, of->counted, attribution,
                  &of->rates, &of->lines);
}

static const char *build_profile(struct profile_maker *of) {
  const struct samples_settings *settings = &of->settings;
  struct rates rates = of->rates; /* a copy, because contexts change the
                                     statistics, which report_profile_limits
                                     needs; the probes' rates are shared */
  if (of->branches && !settings->lines)
    return branches_build_profile(settings, of->program, &of->samples->flow,
                                  &of->building, &rates);
  if (settings->lines && of->branches && !settings->no_targets)
    lines_add_branch_targets(&of->profile, of->program, &of->samples->flow);
  else if (settings->lines && !settings->no_targets)
    lines_add_targets(&of->profile, of->program, of->samples);
  if (settings->lines)
    return NULL;
  if (settings->context) {
    builder_add_contexts(&of->building, of->program, of->samples, &rates,
                         settings->attribution);
    return NULL;
  }
  builder_add_probes(&of->building, &rates);
  if (!settings->no_targets)
    builder_add_targets(&of->building, of->program, of->samples, &rates,
                        &of->targets);
  return NULL;
}

static void scale_and_rename_profile(struct profile_maker *of) {
  const struct samples_settings *settings = &of->settings;
  struct sampled_profile merged;
  sampled_scale_and_sort(&of->profile, settings->scale);
  if (of->branches && !settings->lines && !settings->context)
    branches_raise_line_counts(&of->profile);
  if (settings->context && (settings->cold.merge || settings->cold.trim)) {
    sampled_begin(&merged);
    sampled_merge_cold_contexts(&merged, &of->profile, &settings->cold);
    sampled_free(&of->profile);
    of->profile = merged;
  }
  renames_add_sources(settings->renames, &of->program->dwarf);
  sampled_rename_files(&of->profile, settings->renames);
}

static int write_profile(const struct samples_settings *settings,
                         struct sampled_profile *profile) {
  struct output_file output;
  if (output_open(&output, settings->out))
    return 1;
  sampled_print_text(output.stream, profile);
  return output_commit(&output);
}

static int make_and_write_profile(struct profile_maker *of) {
  const struct samples_settings *settings = &of->settings;
  compute_probe_or_line_rates(of);
  if (of->branches && !of->rates.used)
    return report(settings->elf,
                  "no range is in a function with %s; pass the ELF that ran, "
                  "compiled with %s, or use --offset",
                  needed[settings->lines][0], needed[settings->lines][1]);
  if (!of->branches &&
      check_samples(settings, of->program, of->samples, &of->rates))
    return 1;
  const char *error = build_profile(of);
  if (error)
    return report(settings->elf, "%s", error);
  scale_and_rename_profile(of);
  if (write_profile(settings, &of->profile))
    return 1;
  report_profile_limits(of);
  return 0;
}

int samples_write_profile(const struct samples_settings *settings,
                          struct sampled_program *program,
                          struct samples *samples) {
  struct profile_maker of = {.settings = *settings,
                             .program = program,
                             .samples = samples,
                             .counted = samples};
  if (flow_has_entries(&samples->flow)) {
    size_t count;
    struct flow_entry *ranges =
        flow_list_sorted_entries(&samples->flow.ranges, &count);
    branches_expand_ranges(&of.ran, &program->listing, ranges, count);
    free(ranges);
    of.branches = true;
    of.counted = &of.ran;
    /* Ranges count each instruction exactly, so larger pieces are not needed.
     */
    if (!settings->has_attribution)
      of.settings.attribution = ATTRIBUTION_FIRST;
    if (!settings->has_scale)
      of.settings.scale = 1;
  }
  sampled_begin(&of.profile);
  builder_begin(&of.building, &of.profile, &program->probes);
  int status = make_and_write_profile(&of);
  builder_free(&of.building);
  sampled_free(&of.profile);
  rates_free(&of.rates);
  samples_free(&of.ran);
  return status;
}

/* ==== Writes the other views of samples. */

int samples_write_view(const struct samples_settings *settings,
                       struct sampled_program *program,
                       const struct samples *samples) {
  struct output_file output;
  if (output_open(&output, settings->out))
    return 1;
  if (settings->kind == SAMPLES_TOP)
    samples_print_top_symbols(output.stream, program, samples);
  else
    samples_print_folded(output.stream, program, samples);
  return output_commit(&output);
}
