/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The uninstrumented half of the test firmware: runs the counted functions,
 * writes the profile, and checks on the spot what can be checked there. The
 * files it leaves are judged on the host: counts.profraw; reset.profraw,
 * after a reset; merged.profraw, after two merges of the first. The exit
 * status is 0, or the number of the line that failed, modulo 251, plus 1.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "counts.h"
#include "profile/instr_prof_interface.h"

#define CHECK(condition)                           \
  do {                                             \
    if (!(condition)) {                            \
      board_puts("failed: " #condition ", line "); \
      board_put_number(__LINE__);                  \
      board_puts("\n");                            \
      return __LINE__ % 251 + 1;                   \
    }                                              \
  } while (0)

static unsigned char first[BUFFER_SIZE];

static int write_file(const char *name) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = bareprof_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}

static int fail_at_once(void *context, const void *bytes, size_t size) {
  (void)bytes;
  (void)size;
  ++*(int *)context;
  return 77;
}

/* Compares with what a sink has got before; context: the next byte of it. Where
 * this file counts, its own counters have changed in between. */
#ifndef __LLVM_INSTR_PROFILE_GENERATE
#define __LLVM_INSTR_PROFILE_GENERATE 0
#endif
static int compare(void *context, const void *bytes, size_t size) {
  const unsigned char **next = context, *now = bytes;
  for (; size; size--)
    if (*(*next)++ != *now++ && !__LLVM_INSTR_PROFILE_GENERATE)
      return 78;
  return 0;
}

int main(void) {
  int calls = 0;
  const struct bareprof_sink failing = {fail_at_once, &calls};
  struct bareprof_memory memory = {first, first + sizeof first};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  const unsigned char *next = first;
  const struct bareprof_sink comparing = {compare, &next};

  counts_run();
  int status = bareprof_status();
  if (status != EXPECTED_STATUS) {
    board_puts("status -");
    board_put_number((uint64_t)-status);
    board_puts("\n");
    return 1;
  }
  if (status && status != BAREPROF_E_VALUES) {
    /* Refused: with the same reason, and without a word to the sink. */
    CHECK(bareprof_write(&failing) == status && calls == 0);
    CHECK(bareprof_size() == 0);
    CHECK(bareprof_merge(first, sizeof first) == status);
    board_puts("done\n");
    return 0;
  }
  CHECK(write_file("counts.profraw") == 0);
  CHECK(bareprof_write(&failing) == 77 && calls == 1);
  CHECK(bareprof_write(&sink) == 0);
  size_t size = (size_t)(memory.next - first);
  CHECK(size == bareprof_size());
  CHECK(bareprof_write(&comparing) == 0 && next == first + size);
  CHECK(__llvm_profile_get_size_for_buffer() == size);
  CHECK(__llvm_profile_check_compatibility((char *)first, size) == 0);

  bareprof_reset();
  CHECK(write_file("reset.profraw") == 0);
  CHECK(bareprof_merge(first, 200) == BAREPROF_E_TRUNCATED);
  CHECK(bareprof_merge(first, size) == 0);
  CHECK(bareprof_merge(first, size) == 0);
  CHECK(write_file("merged.profraw") == 0);
  board_puts("done\n");
  return 0;
}
