/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: the records as a whole. Which raw version they are of, by all
 * witnesses.
 */
#include "examine.h"

#include <inttypes.h>

static bool several(uint32_t set) { return (set & (set - 1)) != 0; }

/* Whether records cannot be right, for a reason that has been said. */
static bool is_explained(const struct findings *findings) {
  return findings_have(findings, COUNTERS_MISSING) ||
         findings_have(findings, NAMES_MISSING) ||
         findings_have(findings, SECTION_TWICE) ||
         findings_have(findings, CONTENTS_LOST) ||
         findings_have(findings, HALF_CORRELATED) ||
         findings_have(findings, BOUNDS_WRONG) ||
         findings_have(findings, MISALIGNED);
}

static void check_version(const struct facts *facts, struct findings *to) {
  const struct witnesses *found = &facts->witnesses;
  uint32_t told = (uint32_t)found->symbol;
  uint32_t set = found->consistent;
  char text[32];
  if ((!set || facts->damaged) && is_explained(to))
    return;
  if (!set || facts->damaged) {
    findings_add(to, ERROR, RECORDS_MIXED, "records: %s",
                 set ? facts->damaged : facts->wrong);
    return;
  }
  if (found->covmap)
    set &= found->covmap;
  if (found->compilers)
    set &= found->compilers;
  if (!set)
    findings_add(to, ERROR, RECORDS_MIXED,
                 "its compilers, coverage map and records contradict each "
                 "other; compile all that is instrumented with one clang");
  else if (told && (told > 31 || !(set >> told & 1)))
    findings_add(to, ERROR, VERSION_WORD,
                 "the runtime is of raw version %" PRIu32 ", the records are "
                 "of %s; compile it with their clang",
                 told, versions_text(text, set));
  else if (!told && several(set) && facts->kind != FULL)
    findings_add(to, NOTE, VERSION_UNKNOWN,
                 "records could be of raw version %s; tell bareprof join by "
                 "--raw-version",
                 versions_text(text, set));
}

/* Of a vendor's library that is not instrumented, say, which is all right. */
static void check_compilers(const struct facts *facts, struct findings *to) {
  uint32_t compilers = facts->witnesses.compilers;
  uint32_t agreed = compilers & facts->witnesses.consistent;
  char text[32];
  if (several(compilers))
    findings_add(to, agreed && !several(agreed) ? NOTE : WARNING, COMPILERS,
                 "clangs of raw versions %s have compiled parts of it; "
                 "instrument with one of them only",
                 versions_text(text, compilers));
}

void check_records(const struct facts *facts, struct findings *to) {
  if (!facts->wrong && !facts->version)
    return; /* There are none. */
  check_version(facts, to);
  check_compilers(facts, to);
}
