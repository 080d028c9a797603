/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of a C library. If you have one, leave this file out.
 */
#include "board.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  unsigned char *t = to;
  const unsigned char *f = from;
  while (size--)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t size) {
  unsigned char *t = to;
  while (size--)
    *t++ = (unsigned char)value;
  return to;
}

/* Start-up code calls it before main: it runs C++ constructors, and what must
 * come before them. */
void __libc_init_array(void) {
  typedef void (*const entry)(void);
  extern entry __preinit_array_start[], __preinit_array_end[];
  extern entry __init_array_start[], __init_array_end[];
  for (entry *at = __preinit_array_start; at != __preinit_array_end; at++)
    (*at)();
  for (entry *at = __init_array_start; at != __init_array_end; at++)
    (*at)();
}

#ifdef __arm__
/* The names of Arm's run-time ABI for the same functions, also for aligned
 * memory. */
void __aeabi_memcpy(void *to, const void *from, size_t size) {
  memcpy(to, from, size);
}
void __aeabi_memclr(void *to, size_t size) { memset(to, 0, size); }

#define SAME(name, as) extern __typeof__(as) name __attribute__((alias(#as)))
SAME(__aeabi_memcpy4, __aeabi_memcpy);
SAME(__aeabi_memcpy8, __aeabi_memcpy);
SAME(__aeabi_memclr4, __aeabi_memclr);
SAME(__aeabi_memclr8, __aeabi_memclr);
#endif
