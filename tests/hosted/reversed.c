/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * 200,000 records in the reversed order of their counters, and one whose
 * counters a linker has dropped. With BUFFER, fewer, in a program that has a
 * profile in memory only. With an argument the last counts where the first
 * does, but for CLASH of the one's hash.
 */
#include <stdint.h>

/* Without a byte in the file. */
#define ZERO(type, name, section, size)                                \
  __asm__(".pushsection " section ",\"aw\",@nobits\n.balign 8\n" #name \
          ":\n.skip " size "\n.popsection");                           \
  extern type name[]

struct record {
  uint64_t name, hash, counters;
#if __clang_major__ >= 18
  uint64_t bitmap;
#endif
  uint64_t function, values;
  uint32_t count;
#if __clang_major__ >= 19
  uint16_t sites[3];
#else
  uint16_t sites[2];
#endif
#if __clang_major__ >= 18
  uint32_t bitmap_size;
#endif
} __attribute__((aligned(8)));

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#ifdef BUFFER
#define RECORDS 20000
#else
#define RECORDS 200000
#endif
#if __clang_major__ >= 18
#define SIZE 64
#else
#define SIZE 48
#endif
_Static_assert(sizeof(struct record) == SIZE, "a record's size");

ZERO(struct record, records, "__llvm_prf_data",
     TEXT(RECORDS) "*" TEXT(SIZE) "+" TEXT(SIZE));
ZERO(uint64_t, counters, "__llvm_prf_cnts", TEXT(RECORDS) "*8");
static char names[8] __attribute__((section("__llvm_prf_names"), used)) =
    "name";

static void claim(struct record *record, uintptr_t at) {
  record->counters = at - (uintptr_t)record;
  record->count = 1;
}

#ifdef BUFFER
int __llvm_profile_runtime = 0;
uint64_t __llvm_profile_get_size_for_buffer(void);
#endif

int main(int count, char **arguments) {
  for (int i = 0; i < RECORDS; i++) {
    records[i].hash = (uint64_t)i % 2;
    claim(&records[i], (uintptr_t)&counters[RECORDS - 1 - i]);
  }
  claim(&records[RECORDS], 8);
  if (count > 1) {
    struct record *last = &records[RECORDS - 1];
    claim(last, (uintptr_t)&counters[RECORDS - 1]);
    last->hash = arguments[1][0] == 'c';
  }
#ifdef BUFFER
  return __llvm_profile_get_size_for_buffer() == 0;
#else
  return 0;
#endif
}
