/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sink into memory.
 */
#include "bareprof.h"

int bareprof_memory_write(void *memory, const void *bytes, size_t size) {
  struct bareprof_memory *to = memory;
  if (size > (uintptr_t)to->end - (uintptr_t)to->next)
    return BAREPROF_MEMORY_FULL;
  __builtin_memcpy(to->next, bytes, size);
  to->next += size;
  return 0;
}
