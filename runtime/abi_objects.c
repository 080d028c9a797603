/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What instrumented objects refer to without a choice. Nothing here does
 * anything: the linker script bounds the sections, so nobody need register
 * them. The hooks with a job are in values.c and abi_timestamp.c.
 */
#include <stdint.h>

/* Referred to by every object of a bare-metal target; nobody reads it. GNU
 * ld wants it defined, lld does not care. */
extern const int __llvm_profile_runtime;
const int __llvm_profile_runtime = 0;

/* clang 13 to 17 call these from a constructor in each object; 14 to 17 also
 * register the variable above, as if it were a record. */
void __llvm_profile_register_function(void *data);
void __llvm_profile_register_function(void *data) { (void)data; }

void __llvm_profile_register_names_function(void *names, uint64_t size);
void __llvm_profile_register_names_function(void *names, uint64_t size) {
  (void)names;
  (void)size;
}
