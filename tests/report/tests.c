/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware of five tests that dumps after each. RESET: it resets its counters
 * before each, and writes a reference, TEST.profraw, by semihosting; else each
 * dump has what ran before, too. LINES: names come in lines of text, else in
 * frames. The last test runs what those before it ran; the fourth fails.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"
#include "tested.h"

static const struct bareprof_sink uart = {to_uart, NULL};

static int test_parse(void) { return parse("12") == 12 && parse("-7") == -7; }
static int test_wrong(void) { return parse("1x") == ERROR; }
static int test_low(void) { return clamp(-1, 5) == 0; }
static int test_scale(void) { return scale("9", 5) == 11; }
static int test_again(void) { return parse("3") == 3 && clamp(-4, 5) == 0; }

static const struct {
  const char *name;
  int (*run)(void);
} tests[] = {{"parse: numbers", test_parse},
             {"parse: wrong", test_wrong},
             {"clamp.low", test_low},
             {"scale", test_scale},
             {"again", test_again}};

static int dump(const char *name) {
  int error = 0;
#ifdef RESET
  if (name) {
    char file[] = "?.profraw";
    file[0] = name[0] == 'p' && name[7] == 'w' ? 'w' : name[0];
    error = write_reference(file);
  }
#endif
#ifdef LINES
  if (name) {
    board_puts("RUN   ");
    board_puts(name);
    board_puts(" (0 ms)\r\n");
  }
#else
  if (name)
    error |= bareprof_send_name(&uart, FORM, name);
#endif
  error |= bareprof_send(&uart, FORM | BAREPROF_LEAN | BAREPROF_BOOT(7));
  return error;
}

int main(void) {
  int error = 0;
  tick();
#ifndef RESET
  error |= dump(NULL);
#endif
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
#ifdef RESET
    bareprof_reset();
#endif
    board_puts(tests[i].run() ? "passed\r\n" : "failed\r\n");
    error |= dump(tests[i].name);
  }
#ifndef RESET
  tick();
  error |= dump(NULL);
#endif
  board_puts(error ? "broken\r\n" : "done\r\n");
  return error;
}
