/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of the examination. Later checks leave out what an earlier one has
 * explained.
 */
#include "findings.h"

void examine(const struct elf *elf, struct facts *facts,
             struct findings *findings) {
  findings->count = 0;
  facts_gather(facts, elf);
  check_first(facts, findings);
  check_cortex_m(facts, findings);
  check_mip(facts, findings);
  check_samples(facts, findings);
  if (facts->labels_wrong) {
    findings_add(findings, ERROR, RECORDS_MIXED, "labels: %s",
                 facts->labels_wrong);
  } else if (facts->kind == PLACED) {
    if (!facts->labels)
      check_placed(facts, findings);
    check_functions(facts, findings);
    check_naked(facts, findings);
  } else if (check_sections(facts, findings)) {
    check_places(facts, findings);
    check_bounds(facts, findings);
    check_records(facts, findings);
    check_values(facts, findings);
    check_functions(facts, findings);
    check_naked(facts, findings);
    check_host(facts, findings);
    check_runtime(facts, findings);
    check_widths(facts, findings);
    check_stack(facts, findings);
  }
  findings_sort(findings);
}
