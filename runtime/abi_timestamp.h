/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Timestamps of temporal profiling: the first 8 bytes of a function's
 * counters. Unset, they are what fills the counters: 0, or all ones.
 */
#ifndef BAREPROF_RUNTIME_ABI_TIMESTAMP_H
#define BAREPROF_RUNTIME_ABI_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

static inline bool bareprof_has_timestamp(uint64_t timestamp) {
  return timestamp + 1 > 1;
}

/* abi_timestamp.c: the last one given. */
extern uint32_t bareprof_timestamp;

#endif
