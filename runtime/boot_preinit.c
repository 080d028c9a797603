/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls bareprof_init from .preinit_array, before C++ constructors, which are
 * instrumented code. The linker option -u bareprof_preinit links this file, for
 * programs whose start-up code calls the functions in that array, as
 * __libc_init_array does.
 */
#include "bareprof.h"

extern void (*const bareprof_preinit)(void);
void (*const bareprof_preinit)(void)
    __attribute__((section(".preinit_array"), used)) = bareprof_init;
