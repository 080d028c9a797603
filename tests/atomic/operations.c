/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each operation by itself: what it returns, what it leaves, and that it
 * holds the lock once while it does. The lock is this program's own, in the
 * place of the archive's. Exit status: 0, or the number of the check.
 */
#include "bareprof_options.h"

uint64_t __atomic_fetch_add_8(volatile void *object, uint64_t value, int order);
uint64_t __atomic_fetch_or_8(volatile void *object, uint64_t value, int order);
uint8_t __atomic_fetch_or_1(volatile void *object, uint8_t value, int order);
uint64_t sync_add_8(volatile void *object,
                    uint64_t value) __asm__("__sync_fetch_and_add_8");
uint64_t sync_swap_8(volatile void *object, uint64_t expected,
                     uint64_t desired) __asm__("__sync_val_compare_and_swap_8");
unsigned __atomic_fetch_add_4(volatile void *object, unsigned value, int order);
unsigned __atomic_fetch_or_4(volatile void *object, unsigned value, int order);
unsigned __atomic_load_4(const volatile void *object, int order);
uint64_t __atomic_load_8(const volatile void *object, int order);
uint32_t sync_add_4(volatile void *object,
                    uint32_t value) __asm__("__sync_fetch_and_add_4");
uint32_t sync_swap_4(volatile void *object, uint32_t expected,
                     uint32_t desired) __asm__("__sync_val_compare_and_swap_4");

enum { STATE = 0x1234 };
static uint64_t word;
static uint64_t at_lock;
static unsigned locked, unlocked, failures;

uintptr_t bareprof_atomic_lock(void) {
  locked++;
  at_lock = word;
  word += 16; /* As if another had counted just before. */
  return STATE + locked;
}

void bareprof_atomic_unlock(uintptr_t state) {
  failures += state != STATE + locked || word == at_lock;
  unlocked++;
}

static int check(uint64_t returned, uint64_t old, uint64_t new) {
  return returned != old || word != new || failures || locked != unlocked ||
         locked != 1;
}

static void set(uint64_t value) {
  word = value;
  locked = unlocked = 0;
}

/* Of 32 bits: the neighbour in the other half stays. */
static int check_low(void) {
  void *low = (unsigned char *)&word +
              (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4);
  set(0x5FFFFFFEF);
  if (check(__atomic_fetch_add_4(low, 1, __ATOMIC_RELAXED), 0xFFFFFFFF,
            0x500000000))
    return 11;
  set(0x5FFFFFFEF);
  if (check(sync_add_4(low, 3), 0xFFFFFFFF, 0x500000002))
    return 12;
  set(0x500000000);
  if (check(__atomic_fetch_or_4(low, 0x80000001, __ATOMIC_SEQ_CST), 16,
            0x580000011))
    return 13;
  set(0x500000000);
  if (check(sync_swap_4(low, 16, 7), 16, 0x500000007))
    return 14;
  set(0x500000000);
  if (check(sync_swap_4(low, 17, 7), 16, 0x500000010))
    return 15;
  set(0x500000001);
  if (__atomic_load_4(low, __ATOMIC_RELAXED) != 1 || word != 0x500000001)
    return 16;
  if (check(__atomic_load_8(&word, __ATOMIC_RELAXED), 0x500000011, 0x500000011))
    return 17;
  return 0;
}

int main(void) {
  unsigned char bytes[4] = {0xFF, 0x81, 0xFF, 0};

  set(0x7FFFFFFEF);
  if (check(__atomic_fetch_add_8(&word, 1, __ATOMIC_RELAXED), 0x7FFFFFFFF,
            0x800000000))
    return 1;
  set(0x7FFFFFFEF);
  if (check(sync_add_8(&word, 0x200000001), 0x7FFFFFFFF, 0xA00000000))
    return 2;
  set(0x8000000100000000);
  if (check(__atomic_fetch_or_8(&word, 0x4000000000000001, __ATOMIC_SEQ_CST),
            0x8000000100000010, 0xC000000100000011))
    return 3;
  set(0x7FFFFFFEF);
  if (check(sync_swap_8(&word, 0x7FFFFFFFF, 5), 0x7FFFFFFFF, 5))
    return 4;
  /* Differs in the upper half alone: nothing is stored. */
  set(0x7FFFFFFEF);
  if (check(sync_swap_8(&word, 0x6FFFFFFFF, 5), 0x7FFFFFFFF, 0x7FFFFFFFF))
    return 5;
  set(0);
  if (check(__atomic_fetch_or_1(bytes + 1, 0x18, __ATOMIC_RELAXED), 0x81, 16) ||
      bytes[0] != 0xFF || bytes[1] != 0x99 || bytes[2] != 0xFF || bytes[3])
    return 6;
  return check_low();
}
