/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Source for which compilers make different code, for `bareprof mip
 * instrument`. asm.sh knows which of these functions run. No division, no long
 * products: no arithmetic library is there.
 */
#include <stdarg.h>
#include <stdbool.h>

#include "asm_work.h"

volatile uint32_t seed = 3;
uint32_t table[64];
typedef uint32_t (*function)(uint32_t);

/* ---- branches ---- */

KEPT int three_ways(int a, int b) { return a < b ? -1 : a == b ? 0 : 1; }

KEPT uint32_t dense(uint32_t kind, uint32_t value) {
  switch (kind) {
  case 0:
    return value + 17;
  case 1:
    table[3] += value;
    return value ^ 5;
  case 2:
    return value << 3;
  case 3:
    return table[value & 63];
  case 4:
    table[5] = value;
    return 4;
  case 5:
    return value - table[5];
  case 6:
    return value | 0x100;
  case 7:
    return ~value;
  default:
    return 99;
  }
}

#define STEP(n)                                        \
  case n:                                              \
    value += table[(n)&63] ^ (value << ((n) % 7 + 1)); \
    table[(value + (n)) & 63] += (uint32_t)(n)*0x1003; \
    if (value & 1u << (n) % 31)                        \
      value ^= seed;                                   \
    break;
#define STEPS(n) \
  STEP(n)        \
  STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6)

/* Longer than short branches and byte tables reach, once it has sleds. */
KEPT uint32_t wide(uint32_t kind, uint32_t value) {
  for (uint32_t round = 0; round < 3; round++, kind += 5)
    switch (kind) {
      STEPS(0) STEPS(7) STEPS(14) STEPS(21) STEPS(28) default : value--;
    }
  return value;
}

KEPT uint32_t sum_odd(const uint32_t *at, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!(at[i] & 1))
      continue;
    if (at[i] == 0xFFFF)
      break;
    sum += at[i];
  }
  return sum;
}

KEPT bool all(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a && b > 3 && (c || d == 2);
}

/* ---- calls ---- */

KEPT uint32_t twice(uint32_t value) { return value * 2; }

KEPT uint32_t tail(uint32_t value) {
  return value > 100 ? twice(value - 1) : 7;
}

KEPT uint32_t many(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                   uint32_t f, uint32_t g, uint32_t h, uint32_t i, uint32_t j) {
  uint32_t x = a ^ (b << 1), y = c + (d << 2), z = e ^ (f << 3);
  uint32_t u = g + (h << 4), v = i ^ (j << 5);
  while (a-- > 0) {
    x += y ^ (z << 1), y += z ^ (u >> 2), z += u ^ (v << 3);
    u += v ^ (x >> 4), v += x ^ (y << 5);
    if ((x & 3) == 1)
      x ^= b + c + d + e + f;
    else
      v ^= g + h + i + j;
  }
  return x + y + z + u + v;
}

KEPT uint32_t any_number(int count, ...) {
  uint32_t sum = 0;
  va_list list;
  va_start(list, count);
  while (count-- > 0)
    sum += va_arg(list, uint32_t);
  va_end(list);
  return sum;
}

KEPT uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static KEPT uint32_t internal(uint32_t value) { return value + seed; }

__attribute__((weak)) KEPT uint32_t weak_one(uint32_t value) {
  return value ^ 0x55;
}

static const function functions[] = {twice, tail, internal, weak_one};

KEPT uint32_t through(uint32_t which, uint32_t value) {
  return functions[which & 3](value);
}

/* ---- what is particular ---- */

/* The target of `a goto`, by the address of a label. */
KEPT uint32_t computed(uint32_t which) {
  static const void *const places[] = {&&first, &&second, &&third};
  uint32_t sum = 0;
again:
  goto *places[which];
first:
  sum += 1;
  which = 1;
  goto again;
second:
  sum += 10;
  return sum;
third:
  sum += 100;
  which = 0;
  goto again;
}

/* On cores without exclusive accesses a library would do it. */
KEPT bool swap(uint32_t *at, uint32_t old, uint32_t new) {
#if defined(__ARM_ARCH_6M__)
  bool same = *at == old;
  if (same)
    *at = new;
  return same;
#else
  return __atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
#endif
}

KEPT uint32_t assembly(uint32_t value) {
  __asm__ volatile("nop" ::: "memory");
  if (value > 4) {
    __asm__ volatile("nop\n\tnop" : "+r"(value)::"memory");
    return value + 1;
  }
  return value;
}

KEPT uint32_t never(uint32_t value) { return value > 3 ? twice(value) : 1; }

#if !defined(__clang__)
/* gcc's nested functions: sum, called through a pointer to the stack's
 * frame. */
static KEPT uint32_t apply(uint32_t (*f)(uint32_t), uint32_t n) {
  return n ? f(n) + apply(f, n - 1) : 0;
}
KEPT uint32_t outer(uint32_t n) {
  uint32_t sum = 0;
  KEPT uint32_t inner(uint32_t value) { return sum += value; }
  for (uint32_t i = 0; i < n; i++)
    inner(i);
  return sum;
}
uint32_t nest(void) { return outer(4); }
#else
uint32_t nest(void) { return 6; }
#endif

uint32_t work(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 64; i++)
    table[i] = i * 3 + (seed << (i & 7));
  for (int i = 0; i < 3; i++)
    sum = sum * 31 + (uint32_t)three_ways(i, 1);
  for (uint32_t i = 0; i < 7; i++)
    sum = sum * 31 + dense(i == 3 ? 9 : i, sum);
  for (uint32_t i = 0; i < 33; i += 4)
    sum = sum * 31 + wide(i, sum);
  sum = sum * 31 + sum_odd(table, 40) + all(1, 4, 0, 2) + all(1, 2, 3, 4);
  sum = sum * 31 + tail(sum | 0x100) + tail(5);
  sum = sum * 31 + many(9, sum, 3, 4, 5, 6, 7, 8, 9, 10);
  sum = sum * 31 + any_number(4, 1u, 2u, 3u, 4u) + fibonacci(7);
  sum = sum * 31 + through(2, sum) + through(3, sum) + computed(2);
  sum = sum * 31 + swap(&table[0], table[0], 77) + swap(&table[0], 1, 2);
  sum = sum * 31 + assembly(7) + nest() + plus(sum);
  return sum;
}
