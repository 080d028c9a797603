/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The list of what is found, and the order of the examination. Later checks
 * leave out what an earlier one has explained.
 */
#include "examine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "findings.h"
#include "../base/compare.h"

/* ==== The list of what is found. */

bool findings_have(const struct findings *findings, enum finding_code code) {
  for (size_t i = 0; i < findings->count; i++)
    if (findings->list[i].code == code)
      return true;
  return false;
}

void findings_add(struct findings *findings, enum severity severity,
                  enum finding_code code, const char *format, ...) {
  if (findings_have(findings, code) || findings->count == FINDINGS_MOST)
    return;
  struct finding *finding = &findings->list[findings->count++];
  finding->severity = severity;
  finding->code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text, sizeof finding->text, format, arguments);
  va_end(arguments);
}

ORDER_BY(by_severity, struct finding, x->severity, x->code);

/* Errors first, then by code. */
static void sort_findings(struct findings *findings) {
  qsort(findings->list, findings->count, sizeof *findings->list, by_severity);
}

size_t findings_count(const struct findings *findings, enum severity severity) {
  size_t count = 0;
  for (size_t i = 0; i < findings->count; i++)
    count += findings->list[i].severity == severity;
  return count;
}

const char *finding_name(enum finding_code code) {
  switch (code) {
#define NAME(number, identifier, name) \
  case identifier:                     \
    return name;
    FINDINGS(NAME)
#undef NAME
  }
  return "";
}

const char *severity_name(enum severity severity) {
  static const char *const names[] = {"error", "warning", "note"};
  return names[severity];
}

/* ---- the order ---- */

void examine(const struct elf *elf, struct facts *facts,
             struct findings *findings) {
  findings->count = 0;
  facts_gather(facts, elf);
  check_first(facts, findings);
  check_cortex_m(facts, findings);
  check_mip(facts, findings);
  check_samples(facts, findings);
  if (facts->kind == PLACED) {
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
  sort_findings(findings);
}
