/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports, and files of the host through semihosting. The first file is the
 * profile from bareprof_semihosting_write: all others must equal it.
 */
#include "bareprof_semihosting.h"
#include "fakes.h"

volatile uint32_t idle_calls;

void idle(void) { ++idle_calls; }

void report(const char *label, int good, uint32_t got) {
  board_puts(good ? "ok " : "not ok ");
  board_puts(label);
  if (!good) {
    board_puts(": got ");
    board_put_number(got);
  }
  board_puts("\n");
}

void expect(const char *label, uint32_t wanted, uint32_t got) {
  report(label, wanted == got, got);
}

static struct bareprof_semihosting file;
static int file_error;

void capture_begin(const char *name) {
  file_error = bareprof_semihosting_open(&file, name);
}

void capture(const void *bytes, size_t size) {
  file_error |= bareprof_semihosting_write(&file, bytes, size);
}

void capture_end(void) {
  file_error |= bareprof_semihosting_close(&file);
  if (file_error)
    report("a file of the host", 0, (uint32_t)file_error);
}

int dump(int (*write)(void *, const void *, size_t), void *context) {
  const struct bareprof_sink sink = {write, context};
  return bareprof_write(&sink);
}

static void expected(void) {
  struct bareprof_semihosting out;
  int error = bareprof_semihosting_open(&out, "expected.profraw");
  error |= dump(bareprof_semihosting_write, &out);
  error |= bareprof_semihosting_close(&out);
  expect("the profile itself", 0, (uint32_t)error);
}

int main(void) {
  feed();
  expected();
#ifdef TEST_PROBE
  test_probed();
#else
  test_dma();
  test_flash();
  test_rtos();
  test_rtt();
#ifdef TEST_SWO
  test_swo();
#endif
#endif
  board_puts("done\n");
  return 0;
}
