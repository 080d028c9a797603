/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is refused, and what is told.
 */
#include "judge.h"

#include <inttypes.h>

#include "../base/error.h"
#include "../probe/show.h"

static double percent(double part, uint64_t all) {
  return all ? 100.0 * part / (double)all : 0;
}

/* Interrupts come between instructions: with the right ELF there is none. */
static int check_places(const struct samples_wishes *wishes,
                        const struct rates *rates) {
  double astray = percent((double)rates->astray, rates->used);
  if (astray <= 1)
    return 0;
  return report(wishes->elf,
                "%.0f of 100 samples are where no instruction begins: they are "
                "of another build; give the very ELF that ran, or --force",
                astray);
}

static int check_leaders(const struct samples_wishes *wishes,
                         const struct rates *rates) {
  if (!rates_locked(rates))
    return 0;
  return report(wishes->elf,
                "%.0f of 100 samples are where blocks begin, of which %.0f "
                "should be: such samples say little of how often code runs; "
                "run QEMU with -icount, or --force",
                percent((double)rates->at_leaders, rates->used),
                percent(rates->leaders_share, rates->used));
}

static int check_probes(const struct samples_wishes *wishes,
                        const struct program *program) {
  struct probe_misplaced misplaced;
  if (wishes->lines)
    return 0;
  probe_misplaced_find(&misplaced, &program->probes, &program->elf);
  if (!misplaced.relaxed && !misplaced.inside)
    return 0;
  return report(wishes->elf,
                "its probes are misplaced: the linker shortened code before "
                "them; compile with -mno-relax, see bareprof probes --check, "
                "or --force");
}

int judge_samples(const struct samples_wishes *wishes,
                  const struct program *program, const struct samples *samples,
                  const struct rates *rates) {
  if (!rates->used)
    return report(wishes->elf,
                  "none of %" PRIu64 " samples is in a function with %s; give "
                  "the very ELF that ran, compiled with %s",
                  samples->total, wishes->lines ? "instructions" : "probes",
                  wishes->lines ? "-g1 -fdebug-info-for-profiling"
                                : "-fpseudo-probe-for-profiling");
  if (wishes->force)
    return 0;
  if (check_places(wishes, rates) || check_probes(wishes, program))
    return 1;
  return check_leaders(wishes, rates);
}

static bool has_callers(const struct samples *samples) {
  for (size_t i = 0; i < samples->count; i++)
    if (samples->list[i].chain)
      return true;
  return false;
}

void judge_targets(const struct samples_wishes *wishes,
                   const struct program *program, const struct samples *samples,
                   const struct targets_found *found) {
  if (program->debug_error)
    report(wishes->elf, "whom calls reach is not known: %s",
           program->debug_error);
  else if (found->unknown)
    report(wishes->elf,
           "of %zu of %zu calls that samples tell it is not known which of the "
           "source they are; compile all with -g1",
           found->unknown, found->pairs);
  if (wishes->context && !has_callers(samples))
    report(wishes->elf,
           "no sample has callers besides the link register, so contexts are "
           "short; sample with BAREPROF_SAMPLER_CHAIN");
  if (percent((double)found->refused, samples->total) > 10)
    report(wishes->elf,
           "%.0f of 100 samples have a return address that is behind no call "
           "of their function; is this the very ELF that ran?",
           percent((double)found->refused, samples->total));
}
