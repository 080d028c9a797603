/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters in another RAM than the linked one, for report.c: moved before
 * main. When the program ends, what was not theirs must be as it was, and the
 * last state leaves once more over the link, full and lean. Where a status
 * other than 0 is expected, the objects are such as cannot be moved, and
 * nobody initialises. A failure ends the program with 90 and up.
 */
#include "bareprof_wire.h"
#include "bareprof_options.h"
#include "bareprof_semihosting.h"

enum { JUNK = 0xA5, SIZE = 4096 };

/* If it is linked: the count, which is last, follows the JUNK there. */
extern __attribute__((weak)) uint32_t bareprof_boot_number(void);
enum { FIRST_START = 0xA5A6 };
/* If it is linked: it writes what is last. */
extern __attribute__((weak)) void bareprof_note_reboot(const char *name);

/* Of bareprof.ld: what it reserves in vain. */
extern unsigned char __start___llvm_prf_cnts[], __bareprof_end[];

static union {
  unsigned char bytes[SIZE];
  uint64_t align;
} ram;

static void expect(int true, int status) {
  if (!true)
    bareprof_semihosting_exit(status);
}

static void fill(unsigned char *at, const unsigned char *end) {
  while (at < end)
    *(volatile unsigned char *)at++ = JUNK;
}

static int filled(const unsigned char *at, const unsigned char *end) {
  while (at < end && *(const volatile unsigned char *)at == JUNK)
    at++;
  return at == end;
}

static void move(void) {
  const int no_room =
      EXPECTED_STATUS ? BAREPROF_E_NOT_MOVABLE : BAREPROF_E_NO_ROOM;
  const int done = EXPECTED_STATUS ? BAREPROF_E_NOT_MOVABLE : 0;
  size_t size = bareprof_relocate_size();
  fill(__start___llvm_prf_cnts, __bareprof_end);
  fill(ram.bytes, ram.bytes + SIZE);
  expect(size > 8 && size <= SIZE - 16, 90);
  expect(bareprof_relocate(NULL, SIZE) == no_room, 91);
  expect(bareprof_relocate(ram.bytes + 4, SIZE) == no_room, 92);
  expect(bareprof_relocate(ram.bytes + 8, size - 1) == no_room, 93);
  expect(filled(ram.bytes, ram.bytes + SIZE), 94);
  expect(bareprof_status() == BAREPROF_E_NOT_INIT, 95);
  expect(bareprof_relocate(ram.bytes + 8, size) == done, 96);
}

static void send(const char *name, unsigned options) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  expect(bareprof_semihosting_open(&file, name) == 0, 97);
  expect(bareprof_send(&sink, options) == 0, 98);
  expect(bareprof_semihosting_close(&file) == 0, 99);
}

static void check(void) {
  const unsigned char *end = ram.bytes + 8 + bareprof_relocate_size();
  if (EXPECTED_STATUS)
    return;
  if (bareprof_note_reboot)
    bareprof_note_reboot("reset: of nothing");
  expect(filled(__start___llvm_prf_cnts, __bareprof_end), 100);
  expect(filled(ram.bytes, ram.bytes + 8), 101);
  expect(filled(end, ram.bytes + SIZE) && !filled(end - 8, end), 102);
  const uint64_t *count = (const uint64_t *)(const void *)end - 1;
  expect(!bareprof_boot_number || (uint32_t)*count == FIRST_START, 103);
  send("full.frames", BAREPROF_TEXT);
  send("lean.frames", BAREPROF_BINARY | BAREPROF_LEAN);
}

__attribute__((section(".preinit_array"),
               used)) void (*const first)(void) = move;
__attribute__((section(".fini_array"), used)) void (*const last)(void) = check;
