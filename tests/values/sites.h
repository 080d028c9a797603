/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumented functions by number, for programs that hold two runtimes: each
 * has a record with one site for calls and one for sizes.
 */
#ifndef SITES_H
#define SITES_H

#include <stdint.h>

enum { FUNCTIONS = 32, CALL_SITE = 0, SIZE_SITE = 1 };

/* A record of LLVM 22, which has the numbers of sites. */
struct site_record {
  uint64_t name, hash;
  uintptr_t counters, bitmap, function;
  struct site_value **values; /* compiler-rt's, a list for each site */
  uint32_t counter_count;
  uint16_t sites[3];
  uint32_t bitmap_bytes;
};

struct site_value {
  uint64_t value, count;
  struct site_value *next;
};

/* Returns the FUNCTIONS records. */
struct site_record *site_records(void);

typedef void hook_function(uint64_t value, void *record, uint32_t site);

/* The hooks of compiler-rt; and the hooks of values.c, which the build renames.
 */
hook_function __llvm_profile_instrument_target;
hook_function __llvm_profile_instrument_memop;
hook_function our_target, our_memop;

#endif
