/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes profraw_write.c read counters in halves, as on a 32-bit core. Only
 * included by force, in front of the runtime.
 */
#include <stdint.h>

#undef UINTPTR_MAX
#define UINTPTR_MAX UINT32_MAX
