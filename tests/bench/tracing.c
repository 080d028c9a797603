/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a workload once. The twin writes its profile.
 */
#include "../tracing/twin.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "forms.h"

/* Some workloads define no result. */
__attribute__((weak)) uint32_t work_result(void) { return 0; }

/* C++ calls these: delete with a size of 64 bits, pure virtual functions. */
void _ZdlPvm(void *, unsigned long);
void _ZdlPvm(void *at, unsigned long size) { (void)at, (void)size; }

void __cxa_pure_virtual(void);
void __cxa_pure_virtual(void) { board_exit(1); }

/* Runs no destructor, which would count after the twin's profile. */
void finish(void) { bareprof_semihosting_exit(save()); }

int main(void) {
  work();
  board_put_number(work_result());
  board_putc('\n');
  finish();
}
