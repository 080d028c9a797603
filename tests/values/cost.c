/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Both runtimes' hooks under callgrind, in one run: a dump of its counts for
 * each kind of call, named `RUNTIME KIND CALLS`. What a call of a function
 * that does nothing takes is to be subtracted.
 */
#include <stdio.h>
#include <valgrind/callgrind.h>

#include "bareprof_values.h"
#include "sites.h"

BAREPROF_VALUES(512, 8);

extern struct site_record first __asm__("__start___llvm_prf_data");

struct site_record *site_records(void) {
  return &first;
}

static void nothing(uint64_t value, void *record, uint32_t site) {
  __asm__ volatile("" ::"r"(value), "r"(record), "r"(site));
}

struct runtime {
  const char *name;
  hook_function *target, *memop;
};

/* VALUE + 0 and so on. */
enum { VALUE = 0x1000, EACH = 4 };

static unsigned next_function;

/* A function of which no value is known yet; then so many are. */
static void *fresh(hook_function *volatile hook, unsigned known,
                   unsigned times) {
  void *record = &site_records()[next_function++];
  for (unsigned i = 0; i < known; i++)
    for (unsigned left = times; left; left--)
      hook(VALUE + i, record, CALL_SITE);
  return record;
}

static void done(const struct runtime *runtime, const char *kind,
                 unsigned calls) {
  char label[64];
  snprintf(label, sizeof label, "%s %s %u", runtime->name, kind, calls);
  CALLGRIND_DUMP_STATS_AT(label);
}

static void call(hook_function *volatile hook, uint64_t value, void *record,
                 uint32_t site) {
  CALLGRIND_TOGGLE_COLLECT;
  hook(value, record, site);
  CALLGRIND_TOGGLE_COLLECT;
}

static void hit(const struct runtime *runtime, const char *kind,
                unsigned which) {
  void *record = fresh(runtime->target, 4, 1);
  for (unsigned i = 0; i < EACH; i++)
    call(runtime->target, VALUE + which, record, CALL_SITE);
  done(runtime, kind, EACH);
}

/* Each of the known was seen so many times. */
static void miss(const struct runtime *runtime, const char *kind,
                 unsigned known, unsigned times) {
  for (unsigned i = 0; i < EACH; i++)
    call(runtime->target, VALUE + known, fresh(runtime->target, known, times),
         CALL_SITE);
  done(runtime, kind, EACH);
}

static void sizes(const struct runtime *runtime) {
  void *record = fresh(runtime->target, 0, 0);
  runtime->memop(100, record, SIZE_SITE);
  for (unsigned i = 0; i < EACH; i++)
    call(runtime->memop, 100, record, SIZE_SITE);
  done(runtime, "memop", EACH);
}

int main(void) {
  static const struct runtime runtimes[] = {
      {"nothing", nothing, nothing},
      {"theirs", __llvm_profile_instrument_target,
       __llvm_profile_instrument_memop},
      {"ours", our_target, our_memop},
  };
  for (unsigned i = 0; i < 3; i++) {
    const struct runtime *runtime = &runtimes[i];
    next_function = 0;
    hit(runtime, "hit-1", 0);
    hit(runtime, "hit-2", 1);
    hit(runtime, "hit-4", 3);
    miss(runtime, "free", 4, 1);
    miss(runtime, "replaced", 8, 1);
    miss(runtime, "refused", 8, 20000);
    sizes(runtime);
  }
  return 0;
}
