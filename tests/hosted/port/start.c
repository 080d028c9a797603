/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a program write its profile without a call of its own. The driver links
 * with -u__llvm_profile_runtime, which links this member, and with it the rest.
 * The constructor has no priority and is linked after the program's own:
 * functions that these register with atexit run after the writing.
 */
#include "hosted.h"
#include "names.h"

/* A program with its own definition links only the functions that it calls. */
int __llvm_profile_runtime;

__attribute__((constructor)) static void start(void) {
  if (bareprof_hosted_image.version)
    __llvm_profile_initialize();
}

/* Called by objects of clang 13 to 17 for other systems; the linker bounds
 * the sections here. */
void __llvm_profile_register_function(void *data);
void __llvm_profile_register_function(void *data) { (void)data; }

void __llvm_profile_register_names_function(void *names, uint64_t size);
void __llvm_profile_register_names_function(void *names, uint64_t size) {
  (void)names;
  (void)size;
}
