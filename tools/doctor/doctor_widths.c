/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: objects that count with 32 bits, and bareprof_fold.
 */
#include <inttypes.h>

#include "findings.h"

/* Increments that an interrupt may lose, and with one a carry. */
static void check_loose(const struct facts *facts, struct findings *to) {
  const struct widths *widths = &facts->widths;
  enum severity severity = widths->folded ? ERROR : NOTE;
  const char *fold = widths->folded ? "bareprof_fold misses a carry"
                                    : "bareprof_fold is refused";
  if (widths->plain.objects)
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s counts without atomics, %zu objects in all: %s; use "
                 "--counters=32-atomic",
                 widths->plain.source, widths->plain.objects, fold);
  else if (widths->partly.objects)
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s has increments of 64 bits, %" PRIu64
                 " in all objects: %s; compile without `bareprof cc`",
                 widths->partly.source, widths->left, fold);
}

void check_widths(const struct facts *facts, struct findings *to) {
  const struct widths *widths = &facts->widths;
  if (widths->other.objects)
    findings_add(to, WARNING, COUNTERS_UNKNOWN,
                 "an object says `%s` of its counters; use the bareprof that "
                 "compiled it",
                 widths->other.source);
  if (facts->bytes)
    return;
  if (widths->narrow.objects && !widths->folded)
    findings_add(to, WARNING, COUNTERS_MODULO,
                 "%zu object%s, as %s: counts are modulo 2^32; if that is too "
                 "low, call bareprof_fold",
                 widths->narrow.objects, widths->narrow.objects == 1 ? "" : "s",
                 widths->narrow.source);
  check_loose(facts, to);
}
