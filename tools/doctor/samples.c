/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: samples, and the probes by which they are understood.
 */
#include <stdio.h>

#include "../probe/show.h"
#include "examine.h"

/* Says how many kinds of faults there are, not which. */
static unsigned count_faults(const struct facts *facts, const char **error) {
  struct probes probes = {.count = 0};
  FILE *nowhere = fopen("/dev/null", "w");
  unsigned faults = 0;
  *error = probes_read(&probes, facts->elf, PROBE_AUTO);
  if (!*error && nowhere)
    faults = probes_check(nowhere, &probes, facts->elf);
  if (nowhere)
    fclose(nowhere);
  probes_free(&probes);
  return faults;
}

void check_samples(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  const char *error = NULL;
  if ((symbols[SAMPLER_TAKE].defined || symbols[SAMPLER_ENTRY].defined) &&
      !symbols[SAMPLER_START].defined)
    findings_add(to, ERROR, SAMPLER_IDLE,
                 "a sampler is linked, and nothing starts it; call "
                 "bareprof_sampler_start");
  if (!facts->others.probes.size)
    return;
  unsigned faults = count_faults(facts, &error);
  if (error)
    findings_add(to, WARNING, PROBES, "probes: %s", error);
  else if (faults)
    findings_add(to, WARNING, PROBES,
                 "%u kinds of faults are in the probes; bareprof probes "
                 "--check says which, and the mends",
                 faults);
}
