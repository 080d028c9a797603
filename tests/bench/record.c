/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a workload and prints the size of its profile: sizes of counters and
 * bitmaps, of the .profraw (0 in a lean image), and of all forms of a dump.
 */
#include "bareprof.h"
#include "board.h"
#include "forms.h"

static void put(const char *what, size_t number) {
  board_puts(NAME);
  board_puts(what);
  board_put_number(number);
  board_putc('\n');
}

static size_t size_of(const struct bareprof_span *span) {
  return (size_t)(span->end - span->begin);
}

void finish(void) {
  put(" version ", (size_t)*bareprof_running.version);
  put(" counters ", size_of(&bareprof_running.counters) / 8);
  put(" bitmap ", size_of(&bareprof_running.bitmap));
  put(" profraw ", bareprof_size());
  board_exit(forms(NAME, &bareprof_running) ? 1 : 0);
}

int main(void) {
  work();
  finish();
}
