/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sampled instrumentation (-mllvm -sampled-instrumentation, clang 19 and
 * later) keeps its position in a thread-local variable. With -femulated-tls
 * it needs no thread pointer, but this function, which usually allocates: this
 * one does not. The variable lives in its control object, and all threads
 * share it, which for this one is right: they take turns in one sequence of
 * samples.
 *
 * For this variable only. A program with thread-local variables of its own
 * and -femulated-tls needs a real __emutls_get_address: libgcc's or that of
 * compiler-rt's builtins, linked before libbareprof.a (of archives the first
 * one that has it is taken), or its own in an object file, which wins because
 * this one is weak. Without, it stops at the trap.
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
