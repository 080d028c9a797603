/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches as a Micro Trace Buffer of Arm records them, to what code_labels.h
 * counts. A branch is two words of 32 bits, in the core's byte order: where it
 * came from and where it went to. Bit 0 of the first: it is an exception's
 * entry or return, and the source did not run (it is the address to return to,
 * or EXC_RETURN). Bit 0 of the second: tracing began before this branch.
 * Source of the format: CoreSight MTB-M0+ Technical Reference Manual, 2.3.1.
 *
 * Code between the target of a branch and the source of the next one ran once.
 * Code before the first branch and behind the last one is not in the trace.
 */
#ifndef BAREPROF_TOOLS_MICRO_TRACE_H
#define BAREPROF_TOOLS_MICRO_TRACE_H

#include "traced.h"

/* Makes the memory that a target's counters would have. switches: as of
 * code_labels_read. Returns NULL or the error: the buffer began before what is
 * in it, or a branch is not of this image. The caller frees traced->counts in
 * both cases. */
const char *micro_trace_read(struct traced *traced, const struct elf *elf,
                             const char *const *switches, struct bytes file);

#endif
