/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Not measured. COUNTED: clang's own counters, whose profile goes to a file.
 */
#ifdef COUNTED
#include "bareprof.h"
#include "bareprof_semihosting.h"
#endif
#include "board.h"
#include "measured.h"

static int no(int x) { return x > 1; }

#ifdef COUNTED
static int save(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "twin.profraw"))
    return 1;
  int error = bareprof_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}
#else
static int save(void) { return 0; }
#endif

int main(void) {
  asked = no;
  unsigned sum = decisions() + classes();
  for (int i = 0; i < 8; i++)
    sum += (unsigned)asks(i & 1, i, i & 4);
  board_put_number(sum);
  board_putc('\n');
  return save();
}
