/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware that brings up the existing devices, three of four, and polls
 * them. Compiled with PROFILE, it writes to order.mipraw which functions ran,
 * how often, and in what order.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "modules.h"

#ifdef PROFILE
BAREPROF_MIP_ROOM(8 * 500);

static int leave(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "order.mipraw"))
    return 1;
  int error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error;
}
#endif

static int is_there(uint32_t device) { return (device & 3) != 2; }

/* The devices are not in the order of their code. */
static uint32_t nth(uint32_t i) { return (i * 7) % DEVICES; }

APART uint32_t start_all(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < DEVICES; i++)
    if (is_there(nth(i)))
      sum += devices[nth(i)].start(sum);
  return sum;
}

/* Here start-up ends: `run` measures up to the first call. */
APART uint32_t poll_all(uint32_t sum) {
  for (uint32_t i = 0; i < DEVICES; i++)
    if (is_there(i))
      sum += devices[i].poll(sum | 0x10000);
  return sum;
}

APART uint32_t describe_all(uint32_t sum) {
  for (uint32_t i = 0; i < DEVICES; i++)
    sum += devices[i].describe(sum);
  return sum;
}

/* main has no nops for a sled, because it begins before bareprof_mip_init has
 * set the counters. */
__attribute__((patchable_function_entry(0))) int main(void) {
#ifdef PROFILE
  bareprof_mip_init();
#endif
  uint32_t sum = start_all();
  for (uint32_t round = 0; round < 10; round++) {
    sum = poll_all(sum);
    if (board_getc() == '?')
      sum = describe_all(sum);
  }
  board_put_number(sum);
  board_putc('\n');
#ifdef PROFILE
  return leave();
#else
  return 0;
#endif
}
