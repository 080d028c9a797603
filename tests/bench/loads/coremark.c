/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: CoreMark's performance run, 20 iterations. It checks its own
 * results; if they are wrong, or not what it knows, there is no profile.
 */
#include "coremark.h"

#include <stdarg.h>

#include "board.h"
#include "forms.h"

volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = 20, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

static int correct;
static uint32_t sums;

int coremark(void);

static int begins(const char *text, const char *with) {
  while (*with)
    if (*text++ != *with++)
      return 0;
  return 1;
}

/* Takes note of the CRCs, which are a core's number and the sum. */
int ee_printf(const char *format, ...) {
  va_list values;
  va_start(values, format);
  if (begins(format, "Correct operation validated"))
    correct = 1;
  if (begins(format, "[%d]crc"))
    for (unsigned i = 0; i < 2; i++)
      sums = sums * 31 + va_arg(values, unsigned);
  va_end(values);
  return 0;
}

/* It must have taken ten seconds at least, it says. */
secs_ret time_in_secs(CORE_TICKS ticks) { return ticks; }
CORE_TICKS get_time(void) { return 10; }
void start_time(void) {}
void stop_time(void) {}

void portable_init(core_portable *port, int *argc, char *argv[]) {
  (void)port, (void)argc, (void)argv;
}
void portable_fini(core_portable *port) { (void)port; }

uint32_t work_result(void) { return sums; }

void work(void) {
  correct = 0;
  coremark();
  if (!correct)
    board_exit(10);
}
