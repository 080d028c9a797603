/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: objects that count with 32 bits, and bareprof_fold.
 */
#include <inttypes.h>
#include <stdio.h>

#include "examine.h"

/* Objects by one of their sources, for a finding. */
static void list_objects(char text[120], const struct width *width) {
  snprintf(text, 120, "objects such as %s (%zu in all)", width->source,
           width->objects);
}

/* Increments that an interrupt may lose. A lost one may carry. */
static void check_loose(const struct facts *facts, struct findings *to) {
  const struct widths *widths = &facts->widths;
  enum severity severity = widths->folded ? ERROR : NOTE;
  const char *why = widths->folded ? "bareprof_fold may miss a carry of them"
                                   : "bareprof_fold cannot be linked with them";
  char objects[120];
  if (widths->plain.objects) {
    list_objects(objects, &widths->plain);
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s may lose counts to interrupts, and %s; compile with "
                 "`bareprof cc --counters=32-atomic`",
                 objects, why);
  } else if (widths->partly.objects) {
    list_objects(objects, &widths->partly);
    findings_add(to, severity, COUNTERS_LOOSE,
                 "%s have increments that stayed at 64 bits (%" PRIu64
                 "), and %s; compile without `bareprof cc`, or see its "
                 "--verbose",
                 objects, widths->left, why);
  }
}

void check_widths(const struct facts *facts, struct findings *to) {
  const struct widths *widths = &facts->widths;
  char objects[120];
  if (widths->other.objects) {
    list_objects(objects, &widths->other);
    findings_add(to, WARNING, COUNTERS_UNKNOWN,
                 "%s count in a way that this bareprof does not know; use the "
                 "bareprof that compiled them",
                 objects);
  }
  if (facts->bytes)
    return;
  if (widths->narrow.objects && !widths->folded) {
    list_objects(objects, &widths->narrow);
    findings_add(to, WARNING, COUNTERS_MODULO,
                 "%s count with 32 bits, so counts are modulo 2^32; call "
                 "bareprof_fold (bareprof_fold.h), unless no count gets there",
                 objects);
  }
  check_loose(facts, to);
}
