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
 *
 * Or ranges of code that ran, in the order in which they ran, as OpenCSD's
 * trc_pkt_lister prints them of an ETM's or PTM's stream. Of its lines, these
 * matter, by their words behind OCSD_GEN_TRC_ELEM_:
 *
 *   INSTR_RANGE(exec range=0xFIRST:[0xEND] ...)   ran, END is behind it
 *   TRACE_ON(...)         tracing begins; a second time, something was lost
 *   NO_SYNC, ADDR_NACC, ADDR_UNKNOWN, I_RANGE_NOPATH   something is lost
 *   EO_TRACE(...)         the end
 */
#ifndef BAREPROF_TOOLS_MICRO_TRACE_H
#define BAREPROF_TOOLS_MICRO_TRACE_H

#include "traced.h"

/* Make the memory that a target's counters would have. switches: as of
 * code_labels_read. Return NULL or the error: something was lost, or is not of
 * this image. The caller frees traced->counts in both cases. */
typedef const char *trace_reader(struct traced *traced, const struct elf *elf,
                                 const char *const *switches,
                                 struct bytes file);
trace_reader micro_trace_read, ranges_trace_read;

#endif
