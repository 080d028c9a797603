/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny senders with counters of each width, which 17 bytes hold no whole
 * number of, or with a note without a build id. The counters, up to a multiple
 * of 8 as a linker script leaves them, the guard after them, and the note end
 * where memory ends: a read of what follows is a fault.
 */
#include <sys/mman.h>

#include "bareprof_tiny.h"
#include "check.h"

#ifdef WITHOUT_ID
#define ID_BYTES "0"
#define WHAT "a note without a build id: an error, and nothing sent"
#else
#define ID_BYTES "8"
#define WHAT "17 bytes: each sender ends, and reads nothing outside"
#endif

__asm__(".bss\n .balign 4096\n .skip 4096 - 32\n"
        ".globl __start___llvm_prf_cnts, __stop___llvm_prf_cnts\n"
        ".globl __start___llvm_prf_bits, __stop___llvm_prf_bits\n"
        ".globl __bareprof_build_id_start, __bareprof_build_id_end\n"
        ".globl __bareprof_guard, after_guard, after_note\n"
        "__start___llvm_prf_cnts: .skip 17\n"
        "__stop___llvm_prf_cnts: .skip 7\n"
        "__start___llvm_prf_bits:\n"
        "__stop___llvm_prf_bits:\n"
        "__bareprof_guard: .skip 8\n"
        "after_guard: .skip 4096\n"
        ".skip 4096 - 16 - " ID_BYTES "\n"
        "__bareprof_build_id_start: .skip 16 + " ID_BYTES "\n"
        "__bareprof_build_id_end:\n"
        "after_note: .skip 4096\n"
        ".text");
extern unsigned char after_guard[], after_note[];
extern unsigned char counters[] __asm__("__start___llvm_prf_cnts");

/* Its bits are the counters' width. */
extern uint64_t __llvm_profile_raw_version;
uint64_t __llvm_profile_raw_version;

static unsigned sent;

static int put(void *context, unsigned char byte) {
  (void)context;
  (void)byte;
  return ++sent == 1000; /* A sender that does not end is stopped. */
}
static void put_byte(unsigned char byte) { put(NULL, byte); }

typedef int sender(bareprof_tiny_put *put, void *context);

static void protect(int protection) {
  expect(0, mprotect(after_guard, 4096, protection));
  expect(0, mprotect(after_note, 4096, protection));
}

static void send(const char *name, sender *by) {
  check_where("%s", name);
  sent = 0;
  int error = by ? by(put, NULL) : bareprof_tiny_send_bits(put_byte);
#ifdef WITHOUT_ID
  expect(BAREPROF_E_NO_BUILD_ID, error);
  expect(0, sent);
#else
  /* At the least head, format, id and check; in base64 a third more. */
  expect(0, error);
  expect_true(sent > 20 && sent < 120);
#endif
}

static void send_as(const char *width, uint64_t version) {
  __llvm_profile_raw_version = version;
  send(width, bareprof_tiny_send);
  send(width, bareprof_tiny_send_text);
}

int main(void) {
  check_begin("tiny, " WHAT);
  protect(PROT_NONE);
  bareprof_tiny_init_flags();
  send_as("8 bytes", 0);
  send_as("4 bytes", UINT64_C(1) << 31);
  send_as("a byte", UINT64_C(1) << 60);
  send("bits", NULL);
  for (unsigned i = 0; i < 24; i++)
    counters[i] = 1; /* no byte counter has such a value */
  send("bits of damaged counters", NULL);
  protect(PROT_READ); /* A sanitizer looks for pointers there. */
  check_end();
  return 0;
}
