/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exclusions in words.
 */
#include "exclude_apply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../base/error.h"

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
  size_t decisions = coverage->unmeasured_excluded;
  size_t exclusions = coverage->exclusions->count;
  struct file_row total;
  uint64_t counts[METRICS];
  excluded_total(coverage, &total);
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = total.scores[i].count;
  fputs("\nExcluded, and not counted: ", stdout);
  bool any = metrics_put(stdout, counts);
  if (decisions)
    printf("%s%zu decision%s not measured", any ? ", " : "", decisions,
           decisions == 1 ? "" : "s");
  printf("%s, by %zu exclusion%s\n", any || decisions ? "" : "nothing",
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

static void check(const struct exclusions *set, enum fault fault,
                  struct checks *checks) {
  static const char *const names[FAULTS] = {
      [FAULT_STALE] = "stale", [FAULT_RAN] = "ran", [FAULT_REASON] = "reasons"};
  static const char *const what[FAULTS] = {
      [FAULT_STALE] = "this exclusion excludes nothing%s; remove or correct it",
      [FAULT_RAN] = "what this exclusion excludes is covered%s; remove it, or "
                    "find out why",
      [FAULT_REASON] = "this exclusion has no reason%s; write it behind a "
                       "marker, or as reason="};
  size_t count;
  const struct exclusion *first = find(set, fault, &count);
  char about[1000], others[60] = "", text[300];
  if (!first)
    return;
  snprintf(about, sizeof about, "%s:%" PRIu32, first->file, first->line);
  if (count > 1)
    snprintf(others, sizeof others, ", as %zu more", count - 1);
  snprintf(text, sizeof text, what[fault], others);
  const struct check one = {
      .name = names[fault], .about = about, .got = (double)count};
  checks_add(checks, &one, "%s", text);
}

void excluded_check(const struct coverage *coverage, struct checks *checks) {
  const struct exclusions *set = coverage->exclusions;
  if (set->fail_stale)
    check(set, FAULT_STALE, checks);
  if (set->fail_ran)
    check(set, FAULT_RAN, checks);
  if (set->require_reasons)
    check(set, FAULT_REASON, checks);
}
