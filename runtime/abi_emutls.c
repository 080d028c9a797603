/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sampled instrumentation (-mllvm -sampled-instrumentation, clang 19 and later)
 * keeps its position in a thread-local variable. With -femulated-tls,
 * instrumented code needs no thread pointer: it gets the variable's address
 * from __emutls_get_address, which usually allocates memory. This definition
 * returns the address of a field in the variable's control object. So all
 * threads share one variable, and one sequence of samples.
 *
 * This definition traps for any other variable. A program with thread-local
 * variables of its own and -femulated-tls needs a complete
 * __emutls_get_address: from libgcc or compiler-rt's builtins, if that library
 * comes before libbareprof.a on the link line, or from an object file. An
 * object file's definition replaces this one, which is weak.
 */
#include <stdint.h>

/* The compiler emits this struct for each thread-local variable. Only
 * __emutls_get_address uses object, which is 0 at first. initial is NULL if the
 * variable starts as zeros. */
struct emutls_control {
  uintptr_t size, alignment;
  uintptr_t object;
  const void *initial;
};

extern struct emutls_control
    sampling __asm__("__emutls_v.__llvm_profile_sampling")
        __attribute__((weak));

void *__emutls_get_address(struct emutls_control *control);
__attribute__((weak)) void *
__emutls_get_address(struct emutls_control *control) {
  if (control != &sampling)
    __builtin_trap();
  return &control->object;
}
