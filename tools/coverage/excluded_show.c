/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exclusions in words.
 */
#include "excluded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/error.h"

enum { SHOWN_MOST = 20 };

/* What may be wrong with an exclusion. */
enum fault { FAULT_STALE, FAULT_RAN, FAULT_REASON, FAULTS };

static const char *const headings[FAULTS] = {
    [FAULT_STALE] = "Exclusions that exclude nothing:",
    [FAULT_RAN] = "Excluded, and covered nevertheless:",
    [FAULT_REASON] = "Exclusions without a reason:"};

static bool has_fault(const struct exclusion *one, enum fault fault) {
  return fault == FAULT_STALE ? one->stale != NULL
         : fault == FAULT_RAN ? one->ran_line && !one->stale
                              : !*one->reason;
}

/* The first exclusion with a fault, or NULL; *count: of them. */
static const struct exclusion *find(const struct exclusions *set,
                                    enum fault fault, size_t *count) {
  const struct exclusion *first = NULL;
  *count = 0;
  for (size_t i = 0; i < set->count; i++)
    if (has_fault(&set->list[i], fault) && (*count)++ == 0)
      first = &set->list[i];
  return first;
}

/* ---- lists ---- */

static void put_one(const struct exclusion *one, enum fault fault) {
  char shown[1000];
  printf("  %s:%" PRIu32 ": %s", printable(shown, sizeof shown, one->file),
         one->line, one->name);
  if (fault == FAULT_STALE)
    printf(", %s", one->stale);
  if (fault == FAULT_RAN)
    printf(", of %s:%" PRIu32, printable(shown, sizeof shown, one->ran_file),
           one->ran_line);
  if (*one->reason)
    printf(" (%s)", printable(shown, sizeof shown, one->reason));
  putchar('\n');
}

static void put_list(const struct exclusions *set, enum fault fault) {
  size_t count, shown = 0;
  find(set, fault, &count);
  if (!count)
    return;
  printf("\n%s\n", headings[fault]);
  for (size_t i = 0; i < set->count && shown < SHOWN_MOST; i++)
    if (has_fault(&set->list[i], fault)) {
      put_one(&set->list[i], fault);
      shown++;
    }
  if (count > shown)
    printf("  and %zu more, in evidence.json\n", count - shown);
}

static void put_totals(const struct coverage *coverage) {
  static const char *const names[METRICS] = {"function", "line", "region",
                                             "branch", "MC/DC condition"};
  size_t decisions = coverage->unmeasured_excluded;
  size_t exclusions = coverage->exclusions->count;
  struct row total;
  bool any = false;
  excluded_total(coverage, &total);
  fputs("\nExcluded, and not counted:", stdout);
  for (unsigned i = 0; i < METRICS; i++) {
    uint64_t count = total.scores[i].count;
    if (count)
      printf("%s %" PRIu64 " %s%s", any ? "," : "", count, names[i],
             count == 1      ? ""
             : i == BRANCHES ? "es"
                             : "s");
    any |= count != 0;
  }
  if (decisions)
    printf("%s %zu decision%s not measured", any ? "," : "", decisions,
           decisions == 1 ? "" : "s");
  printf("%s, by %zu exclusion%s\n", any || decisions ? "" : " nothing",
         exclusions, exclusions == 1 ? "" : "s");
}

void excluded_print(const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  if (!set->count)
    return;
  put_totals(coverage);
  put_list(set, FAULT_STALE);
  put_list(set, FAULT_RAN);
  if (set->require_reasons)
    put_list(set, FAULT_REASON);
}

/* ---- checks ---- */

bool excluded_take_faults(struct exclusions *set, const char *text) {
  for (;;) {
    size_t size = strcspn(text, ",");
    if (size == 5 && strncmp(text, "stale", size) == 0)
      set->fail_stale = true;
    else if (size == 3 && strncmp(text, "ran", size) == 0)
      set->fail_ran = true;
    else
      return false;
    if (!text[size])
      return true;
    text += size + 1;
  }
}

static unsigned missed(const struct exclusions *set, enum fault fault) {
  static const char *const what[FAULTS] = {
      [FAULT_STALE] = "this exclusion excludes nothing%s; remove or correct it",
      [FAULT_RAN] = "what this exclusion excludes is covered%s; remove it, or "
                    "find out why",
      [FAULT_REASON] = "this exclusion has no reason%s; write it behind a "
                       "marker, or as reason="};
  size_t count;
  const struct exclusion *first = find(set, fault, &count);
  char name[1000], others[60] = "", text[300];
  if (!first)
    return 0;
  snprintf(name, sizeof name, "%s:%" PRIu32, first->file, first->line);
  if (count > 1)
    snprintf(others, sizeof others, ", as %zu more", count - 1);
  snprintf(text, sizeof text, what[fault], others);
  return (unsigned)report(name, "%s", text);
}

unsigned excluded_missed(const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  unsigned count = 0;
  if (set->fail_stale)
    count += missed(set, FAULT_STALE);
  if (set->fail_ran)
    count += missed(set, FAULT_RAN);
  if (set->require_reasons)
    count += missed(set, FAULT_REASON);
  return count;
}
