/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks of value profiling, instead of values.c: if instrumented code calls
 * one, room.c is linked, too, and allocates room before the first value.
 */
#include "weak_hooks.h"
#include "shared.h"
#include "hosted.h"

BAREPROF_LINKS(bareprof_hosted_write_values);

/* The names of values.c's hooks in this file. */
void bareprof_hosted_count_target(uint64_t value, void *record, uint32_t site);
void bareprof_hosted_count_memop(uint64_t size, void *record, uint32_t site);

static inline bool has_room(void) {
  return BAREPROF_LOAD_ACQUIRE(&bareprof_hosted_image.values) ||
         bareprof_hosted_make_values();
}

void __llvm_profile_instrument_target(uint64_t value, void *record,
                                      uint32_t site) {
  if (has_room())
    bareprof_hosted_count_target(value, record, site);
}

void __llvm_profile_instrument_memop(uint64_t size, void *record,
                                     uint32_t site) {
  if (has_room())
    bareprof_hosted_count_memop(size, record, site);
}

#define __llvm_profile_instrument_target bareprof_hosted_count_target
#define __llvm_profile_instrument_memop bareprof_hosted_count_memop
#include "values.c"
