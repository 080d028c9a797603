/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes against the code that they stand in.
 */
#ifndef PROBE_CHECK_H
#define PROBE_CHECK_H

#include "probe.h"

/* How often, and the GUID of the first. */
struct probe_misplaced {
  size_t relaxed; /* functions that a linker shortened before a probe, with
                     probes that count from one another (RISC-V) */
  uint64_t relaxed_guid;
  size_t inside; /* probes inside of an instruction */
  uint64_t inside_guid;
  size_t outside; /* probes outside of their record's symbol */
  uint64_t outside_guid;
};

/* Instructions are looked at where their length is
 * known: RISC-V; AArch64 and Arm have a fixed one. */
void probe_misplaced_find(struct probe_misplaced *misplaced,
                          const struct probes *probes, const struct elf *elf);

/* Whether a symbol of that GUID is at this address. */
bool probe_is_at(const struct probes *probes, uint64_t guid, uint64_t address);

#endif
