/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects of two compilers in one image, or of another one than the version
 * word says: every ordered pair of versions, the foreign records first,
 * last, or all of them. Each must be refused before the sink is called.
 */
#include "check.h"
#include "compose.h"
#include "tests.h"

/* Which error, by the version in force (row) and the version of the other
 * records (column):
 *   M  always E_MIXED
 *   R  E_MIXED, in some arrangements E_RECORD: what is read as NumCounters
 *      happens to be a number of value sites or bitmap bytes, and the
 *      record after it points elsewhere
 *   =  as R if there are bitmaps or vtable sites; without them records
 *      of 9 and 10 are the same bytes, and pass
 *   .  nothing is mixed */
static const char verdicts[5][6] = {
    /*        7    8    9   10   11 */
    /*  7 */ {'.', 'M', 'M', 'M', 'M'},
    /*  8 */ {'M', '.', 'M', 'M', 'M'},
    /*  9 */ {'M', 'R', '.', '=', 'M'},
    /* 10 */ {'M', 'R', '=', '.', 'M'},
    /* 11 */ {'M', 'R', 'R', 'R', '.'},
};

/* Whether the two compilers emit the same record for function i. */
static bool same_bytes(const struct plan *plan, unsigned i, unsigned a,
                       unsigned b) {
  if (a == b)
    return true;
  return a >= 9 && b >= 9 && a <= 10 && b <= 10 && !plan->function[i].bitmap &&
         !plan->function[i].sites[2];
}

/* Bitmaps are the front end's, vtable sites those of IR: no compiler gives a
 * function both, and raw 9 would take the sites for the bitmap's size. */
static bool nobodys(const struct plan *plan, const unsigned *versions,
                    const struct target *target) {
  for (unsigned i = 0; i < plan->functions; i++)
    if (plan->function[i].bitmap && plan->function[i].sites[2] &&
        target->version == 9 && versions[i] == 10)
      return true;
  return false;
}

/* One arrangement; counts in seen how often E_RECORD came up. */
static void refuse(const struct target *target, const struct plan *plan,
                   const unsigned *versions, unsigned *seen) {
  static struct firmware firmware;
  static struct capture out;
  if (nobodys(plan, versions, target))
    return;
  compose_mixed(&firmware, target, plan, versions);
  int error = capture_image(&out, &firmware.image);
  bool same = true;
  for (unsigned i = 0; i < plan->functions; i++)
    same &= same_bytes(plan, i, versions[i], target->version);
  if (same) {
    expect(0, error);
    return;
  }
  expect(0, out.calls);
  *seen += error == BAREPROF_E_RECORD;
  if (error != BAREPROF_E_RECORD)
    expect(BAREPROF_E_MIXED, error);
}

/* The foreign records behind the first k, then before the last k. */
static void arrange(const struct target *target, const struct plan *plan,
                    unsigned other, unsigned *seen) {
  for (unsigned k = 0; k < plan->functions; k++) {
    unsigned versions[FUNCTIONS];
    check_where("%s, %u records of it, then v%u, %s", target_name(target), k,
                other, plan->name);
    for (unsigned i = 0; i < FUNCTIONS; i++)
      versions[i] = i < k ? target->version : other;
    refuse(target, plan, versions, seen);
    check_where("%s, v%u, then %u records of it, %s", target_name(target),
                other, k, plan->name);
    for (unsigned i = 0; i < FUNCTIONS; i++)
      versions[i] = i < plan->functions - k ? other : target->version;
    refuse(target, plan, versions, seen);
  }
}

static void test_pair(unsigned version, unsigned other) {
  unsigned seen = 0;
  for (unsigned machine = 0; machine < machine_count; machine++) {
    struct target target = machines[machine];
    target.version = version;
    for (unsigned i = 0; i < plan_count; i++)
      if (plans[i].since <= version && plans[i].since <= other)
        arrange(&target, &plans[i], other, &seen);
    arrange(&target, &everything, other, &seen);
    arrange(&target, &everything_bytes, other, &seen);
  }
  check_where("v%u with v%u", version, other);
  char verdict = verdicts[version - 7][other - 7];
  if (verdict == 'M')
    expect(0, seen);
}

void test_mixed(void) {
  for (unsigned version = 7; version <= 11; version++) {
    check_begin("%s v%u refuses records of every other version", flavour_name,
                version);
    for (unsigned other = 7; other <= 11; other++)
      if (other != version)
        test_pair(version, other);
    check_end();
  }
}
