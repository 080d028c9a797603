/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: the records as a whole. Which raw version they are of, by all
 * witnesses; and their value sites.
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

/* bareprof's hooks do not look at the record. They have no name of their own,
 * but they are short, while others search a list. */
static bool are_ours(const struct facts *facts) {
  enum { SHORT = 64 };
  const struct symbol *symbols = facts->symbols;
  return symbols[VALUES_WRITE].defined ||
         (facts->runtime == BAREPROF && symbols[HOOK_TARGET].size <= SHORT &&
          symbols[HOOK_MEMOP].size <= SHORT);
}

static void check_values(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  bool hooks = symbols[HOOK_TARGET].defined || symbols[HOOK_MEMOP].defined;
  uint64_t room = facts->sections[VALS].size + facts->sections[VNDS].size;
  if (facts->kind != FULL && hooks && !are_ours(facts))
    findings_add(to, ERROR, VALUES_CORRELATED,
                 "value hooks that are not bareprof's write to records, so "
                 "near address 0 here; compile with -mllvm -disable-vp");
  else if (facts->kind != FULL && hooks && facts->sites)
    findings_add(to, NOTE, VALUES_CORRELATED,
                 "%" PRIu64 " value sites call hooks that do nothing without "
                 "records; compile with -mllvm -disable-vp",
                 facts->sites);
  if (facts->kind == FULL && facts->sites && symbols[WRITE_IMAGE].defined &&
      !symbols[VALUES_WRITE].defined)
    findings_add(to, ERROR, VALUES_NO_WRITER,
                 "nothing linked writes value data, and bareprof_write "
                 "refuses (BAREPROF_E_VALUES); add -u bareprof_values_write");
  if (facts->kind == FULL && facts->sites && !facts->sections[VNDS].size)
    findings_add(to, NOTE, VALUES_NO_STORAGE,
                 "%" PRIu64 " value sites without storage (clang 17 and "
                 "older) record nothing; compile with -mllvm -disable-vp",
                 facts->sites);
  if (room && facts->runtime == BAREPROF)
    findings_add(to, NOTE, VALUES_UNUSED,
                 "%" PRIu64 " bytes are for values, which bareprof does not "
                 "record; compile with -mllvm -disable-vp",
                 room);
}

void check_records(const struct facts *facts, struct findings *to) {
  if (!facts->wrong && !facts->version)
    return; /* There are none. */
  check_version(facts, to);
  check_compilers(facts, to);
  check_values(facts, to);
}
