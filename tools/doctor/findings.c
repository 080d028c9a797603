/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file keeps the list of findings.
 */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/compare.h"

bool findings_have_code(const struct findings *findings,
                        enum finding_code code) {
  for (size_t i = 0; i < findings->count; i++)
    if (findings->list[i].code == code)
      return true;
  return false;
}

void findings_add(struct findings *findings, enum severity severity,
                  enum finding_code code, const char *format, ...) {
  if (!findings || findings_have_code(findings, code) ||
      findings->count == FINDINGS_MOST)
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

void findings_sort(struct findings *findings) {
  qsort(findings->list, findings->count, sizeof *findings->list, by_severity);
}

size_t findings_count_severity(const struct findings *findings,
                               enum severity severity) {
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
