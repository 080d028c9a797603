/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sampled instrumentation (-mllvm -sampled-instrumentation, clang 19 and later)
 * keeps its position in a thread-local variable. With -femulated-tls it needs
 * no thread pointer, but calls this function, which usually allocates. This one
 * does not: the variable is in its control object. All threads share it, as
 * they take turns in one sequence of samples.
 *
 * The function serves this variable only, and traps for any other variable. A
 * program with thread-local variables of its own and -femulated-tls needs a
 * real __emutls_get_address: from libgcc or compiler-rt's builtins, named
 * before libbareprof.a on the link line, or in an object file, which wins
 * because this one is weak.
 */
#include <stdint.h>

/* As the compiler emits it: size, alignment, whatever the function keeps
 * there (0 at first), initial value (NULL: zeros). */
struct control {
  uintptr_t size, alignment;
  uintptr_t object;
  const void *initial;
};

extern struct control sampling __asm__("__emutls_v.__llvm_profile_sampling")
    __attribute__((weak));

void *__emutls_get_address(struct control *control);
__attribute__((weak)) void *__emutls_get_address(struct control *control) {
  if (control != &sampling)
    __builtin_trap();
  return &control->object;
}
