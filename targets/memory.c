/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The four memory functions that compilers call on their own, also by the names
 * of the Arm ABI, for programs without a C library. The code is short, not
 * fast. It needs -fno-builtin: otherwise a compiler may turn a loop here into a
 * call of the function that contains the loop.
 */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  unsigned char *t = to;
  const unsigned char *f = from;
  while (size-- > 0)
    *t++ = *f++;
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t <= f)
    return memcpy(to, from, size); /* memcpy here copies forwards, bytewise */
  while (size-- > 0)
    t[size] = f[size];
  return to;
}

void *memset(void *to, int value, size_t size) {
  unsigned char *t = to;
  while (size-- > 0)
    *t++ = (unsigned char)value;
  return to;
}

int memcmp(const void *one, const void *two, size_t size) {
  const unsigned char *a = one;
  const unsigned char *b = two;
  for (; size > 0; ++a, ++b, --size)
    if (*a != *b)
      return *a - *b;
  return 0;
}

#if defined(__arm__)
/* The names with 4 and 8 promise an alignment that the code here does not need.
 * __aeabi_memset has size before value. */
#define COPY(name)                                     \
  void name(void *to, const void *from, size_t size) { \
    memmove(to, from, size);                           \
  }
#define SET(name) \
  void name(void *to, size_t size, int value) { memset(to, value, size); }
#define CLEAR(name) \
  void name(void *to, size_t size) { memset(to, 0, size); }
COPY(__aeabi_memcpy)
COPY(__aeabi_memcpy4)
COPY(__aeabi_memcpy8)
COPY(__aeabi_memmove)
COPY(__aeabi_memmove4)
COPY(__aeabi_memmove8)
SET(__aeabi_memset)
SET(__aeabi_memset4)
SET(__aeabi_memset8)
CLEAR(__aeabi_memclr)
CLEAR(__aeabi_memclr4)
CLEAR(__aeabi_memclr8)
#endif
