/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines symbols that every instrumented object refers to. The functions do
 * nothing: in other runtimes they register an object's sections, but here the
 * linker script sets the sections' bounds. values.c and abi_timestamp.c define
 * the hooks that do something.
 */
#include <stdint.h>

/* Every instrumented object for a bare-metal target refers to this variable,
 * and nothing reads it. GNU ld needs a definition, lld does not. */
extern const int __llvm_profile_runtime;
const int __llvm_profile_runtime = 0;

/* With clang 13 to 17, a constructor in each object calls these two functions.
 * With clang 14 to 17 the constructor also registers __llvm_profile_runtime, as
 * if that variable were a record. */
void __llvm_profile_register_function(void *data);
void __llvm_profile_register_function(void *data) { (void)data; }

void __llvm_profile_register_names_function(void *names, uint64_t size);
void __llvm_profile_register_names_function(void *names, uint64_t size) {
  (void)names;
  (void)size;
}
