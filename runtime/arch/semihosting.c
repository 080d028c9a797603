/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the semihosting sink: functions that open, write and close a file on
 * the host, print, and exit. The functions are the same on every architecture;
 * semihosting_trap.S has the trap, which differs. bareprof_semihosting.h
 * documents the functions. Only exit repeats a call that has failed.
 */
#include "bareprof_semihosting.h"

#include <stdint.h>

/* These numbers come from Arm's semihosting specification. */
enum {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITE0 = 0x04,
  SYS_WRITE = 0x05,
  SYS_EXIT_EXTENDED = 0x20,
  MODE_WRITE_BINARY = 5,     /* fopen's "wb" */
  APPLICATION_EXIT = 0x20026 /* ADP_Stopped_ApplicationExit */
};

/* QEMU reads the arguments in the block as little-endian, even if the core has
 * been switched to big-endian. */
static uintptr_t to_little_endian(uintptr_t value) {
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    return value;
  if (sizeof value == 8)
    return (uintptr_t)__builtin_bswap64(value);
  return (uintptr_t)__builtin_bswap32((uint32_t)value);
}

static int answer_to_error(long answer) {
  return answer == 0 ? 0 : BAREPROF_SEMIHOSTING_ERROR;
}

int bareprof_semihosting_open(struct bareprof_semihosting *file,
                              const char *path) {
  uintptr_t length = 0;
  while (path[length] != 0)
    ++length;
  uintptr_t block[3] = {to_little_endian((uintptr_t)path),
                        to_little_endian(MODE_WRITE_BINARY),
                        to_little_endian(length)};
  file->handle = bareprof_semihosting_call(SYS_OPEN, block);
  return answer_to_error(file->handle == -1);
}

int bareprof_semihosting_write(void *file, const void *bytes, size_t size) {
  const struct bareprof_semihosting *f = file;
  uintptr_t block[3] = {to_little_endian((uintptr_t)f->handle),
                        to_little_endian((uintptr_t)bytes),
                        to_little_endian(size)};
  /* The debugger returns how many bytes were not written. */
  return answer_to_error(bareprof_semihosting_call(SYS_WRITE, block));
}

int bareprof_semihosting_close(struct bareprof_semihosting *file) {
  uintptr_t block[1] = {to_little_endian((uintptr_t)file->handle)};
  return answer_to_error(bareprof_semihosting_call(SYS_CLOSE, block));
}

void bareprof_semihosting_print(const char *text) {
  bareprof_semihosting_call(SYS_WRITE0, (void *)(uintptr_t)text);
}

void bareprof_semihosting_exit(int status) {
  /* On 32-bit cores only SYS_EXIT_EXTENDED passes an exit status. */
  uintptr_t block[2] = {to_little_endian(APPLICATION_EXIT),
                        to_little_endian((uintptr_t)status)};
  for (;;)
    bareprof_semihosting_call(SYS_EXIT_EXTENDED, block);
}
