/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware: runs the simulated computer, prints its output and the number
 * of instructions of the RISC-V core. One source for three builds: if compiled
 * with -fprofile-generate, it writes its profile to pgo.profraw.
 *
 * The counters are set to 0 before main: the link has -u bareprof_preinit.
 */
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "bareprof_values.h"
#include "board.h"
#include "program.h"

/* Records which functions its pointers reach, and how long its copies are. */
BAREPROF_VALUES(64, 8);

/* The output of the computer is counted and summed up, in order. */
static unsigned words;
static uint32_t checksum;

static void put_out(uint16_t word) {
  ++words;
  checksum ^= word;
  for (unsigned bit = 0; bit < 16; ++bit)
    checksum = (checksum >> 1) ^ (checksum & 1 ? 0xEDB88320u : 0);
}

static struct machine machine = {
    .program = program,
    .length = sizeof program / sizeof program[0],
    .console = put_out,
    .random = 4711,
};

/* The counter of retired instructions, or its lower half; under QEMU's
 * -icount it is exact, and the same in each run. */
static unsigned long retired(void) {
  unsigned long count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return count;
}

static int save_profile(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  int error = bareprof_semihosting_open(&file, "pgo.profraw");
  if (error)
    return error;
  error = bareprof_write(&sink);
  int close_error = bareprof_semihosting_close(&file);
  return error ? error : close_error;
}

static void print(const char *what, uint32_t number) {
  board_puts(what);
  board_put_number(number);
}

int main(void) {
  unsigned long start = retired();
  enum machine_fault fault = machine_run(&machine);
  uint32_t instructions = (uint32_t)(retired() - start);

  print("words ", words);
  print(", checksum ", checksum);
  print("\ninstructions ", instructions);
  board_puts("\n");
  if (fault != FAULT_NONE || words != ENTRIES + PRIMES) {
    board_puts("wrong result\n");
    return 1;
  }
  if (bareprof_status() == BAREPROF_E_EMPTY)
    return 0;
  int error = save_profile();
  if (error == 0)
    return 0;
  print(error < 0 ? "no profile: error -" : "no profile: error ",
        error < 0 ? 0u - (unsigned)error : (unsigned)error);
  board_puts(", see bareprof.h\n");
  return 1;
}
