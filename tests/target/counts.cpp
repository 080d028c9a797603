/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * counts.c as C++, with a template instantiated twice and global objects,
 * whose constructors run before main: they count only if bareprof_init ran
 * before them.
 */
extern "C" {
#define counts_run counts_run_c
#include "counts.c"
#undef counts_run
}

template <typename T>
struct tally {
  T total;
  __attribute__((noinline)) explicit tally(T start) : total(start) {
    total += (T)counts_input;
  }
  __attribute__((noinline)) void add(T value) {
    if (value > 2)
      total += value;
    else
      total++;
  }
};

static tally<unsigned> words(1), more(2);
static tally<unsigned char> bytes(3);

extern "C" void counts_run(void) {
  for (unsigned i = 0; i < 5; i++)
    words.add(i);
  for (unsigned char i = 1; i < 4; i++)
    bytes.add(i);
  counts_input += more.total;
  counts_run_c();
}
