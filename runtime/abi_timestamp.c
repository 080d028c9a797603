/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the hook of clang's temporal profiling, which numbers functions in
 * the order of their first calls. Instrumented code calls the hook while the
 * function's timestamp is unset. Programs that have such code need 4 bytes of
 * RAM for the last number. If an interrupt calls a function for the first time
 * while another function gets its number, both may get the same number.
 */
#include "image.h"

/* The last number that a function got; profraw_merge.c may raise it. */
extern uint32_t bareprof_timestamp;
uint32_t bareprof_timestamp;

void __llvm_profile_set_timestamp(uint64_t *timestamp);
void __llvm_profile_set_timestamp(uint64_t *timestamp) {
  if (!bareprof_has_timestamp(*timestamp))
    *timestamp = ++bareprof_timestamp;
}
