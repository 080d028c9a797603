/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a workload once. The twin writes its profile.
 */
#ifdef COUNTED
#include "bareprof.h"
#endif
#include "bareprof_semihosting.h"
#include "board.h"
#include "forms.h"

/* Of a workload that has none. */
__attribute__((weak)) uint32_t work_result(void) { return 0; }

/* C++: delete with a size of 64 bits, and a function that is none. */
void _ZdlPvm(void *, unsigned long);
void _ZdlPvm(void *at, unsigned long size) { (void)at, (void)size; }

void __cxa_pure_virtual(void);
void __cxa_pure_virtual(void) { board_exit(1); }

static int save(void) {
#ifdef COUNTED
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "twin.profraw"))
    return 1;
  int error = bareprof_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
#else
  return 0;
#endif
}

/* Runs no destructor, which would count after the twin's profile. */
void finish(void) { bareprof_semihosting_exit(save()); }

int main(void) {
  work();
  board_put_number(work_result());
  board_putc('\n');
  finish();
}
