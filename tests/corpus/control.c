/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the corpus adds to compiler-rt's own runtime to check itself: code and
 * data of every kind, which move what comes behind them, and where SPOILT is
 * defined a counter that is one too high.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint64_t __start___llvm_prf_cnts[] __attribute__((weak));

static int zeros[3000];
static int numbers[2000] = {1};
static int *const pointers[] = {zeros, numbers};
static const double constants[700] = {2.5};

__attribute__((constructor(102))) static void move(void) {
#ifdef SPOILT
  if (__start___llvm_prf_cnts)
    __start___llvm_prf_cnts[0]++;
#endif
  if (pointers[zeros[7]][3] != 0)
    printf("%f %d\n", constants[numbers[0]], abs(atoi(getenv("HOME"))));
}
