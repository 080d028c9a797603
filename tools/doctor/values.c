/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: value sites, the hooks that they call, and the storage for values.
 */
#include "examine.h"

#include <inttypes.h>

enum { WAYS = 8, SLOTS_LEAST = 16 };

/* For BAREPROF_VALUES: most sites see one value or two. */
static uint64_t suggested(const struct facts *facts) {
  return 2 * facts->sites < SLOTS_LEAST ? SLOTS_LEAST : 2 * facts->sites;
}

/* The compiler's pools, to which records point. */
static bool has_pools_in_ram(const struct facts *facts) {
  return (facts->sections[VALS].flags | facts->sections[VNDS].flags) &
         ELF_ALLOC;
}

/* Others find their lists by the record, and write to both. */
static void check_others(const struct facts *facts, struct findings *to) {
  const char *whose =
      facts->symbols[LPROF_VALUES].defined ? "compiler-rt's" : "unknown";
  bool pools = facts->sections[VALS].size || facts->sections[VNDS].size;
  if (facts->kind != FULL)
    findings_add(to, ERROR, VALUES_CORRELATED,
                 "value hooks are %s, and write to records, so near address "
                 "0: memory corruption; link libbareprof.a first",
                 whose);
  else if (pools && !has_pools_in_ram(facts))
    findings_add(to, ERROR, VALUES_CORRELATED,
                 "value hooks are %s, and write where records point, so near "
                 "address 0: memory corruption; link libbareprof.a first",
                 whose);
}

static void check_storage(const struct facts *facts, struct findings *to) {
  const struct storage *storage = &facts->storage;
  uint64_t slots = suggested(facts);
  if (!storage->count)
    findings_add(to, WARNING, VALUES_NO_STORAGE,
                 "%" PRIu64 " value sites and no storage: nothing is "
                 "recorded; put BAREPROF_VALUES(%" PRIu64 ", %d); into a file",
                 facts->sites, slots, WAYS);
  else if (storage->count < facts->sites)
    findings_add(to, NOTE, VALUES_FEW,
                 "%" PRIu32 " slots for %" PRIu64 " value sites: if most of "
                 "them run, values are lost; use BAREPROF_VALUES(%" PRIu64
                 ", %" PRIu32 ")",
                 storage->count, facts->sites, slots, storage->ways);
}

void check_values(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  if (facts->hooks == OTHER_HOOKS)
    check_others(facts, to);
  if (facts->sites == 0)
    return;
  if (facts->hooks == OUR_HOOKS)
    check_storage(facts, to);
  if (facts->hooks == STUB_HOOKS)
    findings_add(to, NOTE, VALUES_STUBS,
                 "%" PRIu64 " value sites call hooks that do nothing; link "
                 "libbareprof.a before them, or compile with -mllvm "
                 "-disable-vp",
                 facts->sites);
  if (facts->kind == FULL && symbols[WRITE_IMAGE].defined &&
      !symbols[VALUES_WRITE].defined)
    findings_add(to, ERROR, VALUES_NO_WRITER,
                 "nothing linked writes value data, and bareprof_write "
                 "refuses (BAREPROF_E_VALUES); add -u bareprof_values_write");
  if (has_pools_in_ram(facts) && facts->hooks != OTHER_HOOKS)
    findings_add(to, NOTE, VALUES_UNUSED,
                 "%" PRIu64 " bytes of RAM are the compiler's storage for "
                 "values, which nobody uses; place it as bareprof.ld does",
                 facts->sections[VALS].size + facts->sections[VNDS].size);
}
