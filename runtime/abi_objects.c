/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Symbols that every instrumented object refers to. These definitions do
 * nothing, because the linker script bounds the sections that other runtimes
 * register. values.c and abi_timestamp.c have the hooks that do something.
 */
#include <stdint.h>

/* Every object of a bare-metal target refers to it; nothing reads it. GNU ld
 * needs a definition, lld does not. */
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
