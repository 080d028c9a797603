/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The uninstrumented half of the join tests' firmware: two runs of the counted
 * functions, with a reset between them. Each leaves N.profraw, by the full
 * writer, where the image can have one, and N.frames, a lean dump; N is 1
 * and 2, or from FIRST on. Then it says `done` on the serial port, and
 * - ends with status 0; or
 * - STAY: does not end, for the host to read its memory; or
 * - NEXT, after the first run: starts the image that is there.
 * FULL: leaves fN.frames too, a full dump.
 */
#include "bareprof_wire.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "counts.h"

#ifndef FIRST
#define FIRST 1
#endif
#ifndef IMAGE
#define IMAGE 0
#endif
#ifndef EXPECTED_STATUS
#define EXPECTED_STATUS BAREPROF_E_NO_RECORDS
#endif

enum { WRITE, LEAN_FRAMES, FULL_FRAMES };

static int write_to(const char *name, unsigned core, int how) {
  const unsigned options = BAREPROF_BINARY |
                           (how == LEAN_FRAMES ? BAREPROF_LEAN : 0) |
                           BAREPROF_CORE(core) | BAREPROF_IMAGE(IMAGE);
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = how ? bareprof_send(&sink, options) : bareprof_write(&sink);
  return bareprof_semihosting_close(&file) | error;
}

static int run(unsigned number) {
  char profile[] = "0.profraw", frames[] = "0.frames";
  profile[0] = frames[0] = (char)('0' + number);
  for (unsigned i = FIRST; i <= number; i++)
    counts_run();
  int status = bareprof_status();
  if (status && status != EXPECTED_STATUS)
    return status;
  if (!status && write_to(profile, 0, WRITE))
    return 1;
#ifdef FULL
  char full[] = "f0.frames";
  full[1] = profile[0];
  if (!status && write_to(full, number, FULL_FRAMES))
    return 1;
#endif
  return write_to(frames, number, LEAN_FRAMES);
}

#ifdef NEXT
static int go_on(void) {
  const uint32_t *vectors = (const uint32_t *)NEXT;
  __asm__ volatile("msr msp, %0\n\tbx %1" ::"r"(vectors[0]), "r"(vectors[1]));
  return 1;
}
#else
static int go_on(void) {
#ifdef STAY
  for (;;) {
  }
#endif
  return 0;
}
#endif

int main(void) {
  int error = run(FIRST);
#ifndef NEXT
  bareprof_reset();
  error |= run(FIRST + 1);
#endif
  if (error) {
    board_puts("status -");
    board_put_number((uint64_t)-error);
    board_puts("\n");
    return 1;
  }
  board_puts("done\n");
  return go_on();
}
