/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny senders in an image that is not theirs: 17 flags, which are no whole
 * number of wider counters, or a note without a build id. The flags, up to a
 * multiple of 8 as a linker script leaves them, the guard after them, and the
 * note end where memory ends: a read of what follows is a fault.
 */
#include <sys/mman.h>

#include "bareprof_tiny.h"
#include "check.h"

#ifdef WITHOUT_ID
#define ID_BYTES "0"
#define WHAT "a note without a build id: an error, and nothing sent"
#else
#define ID_BYTES "8"
#define WHAT "17 flags: each sender ends, and reads nothing outside"
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

int main(void) {
  check_begin("tiny, " WHAT);
  protect(PROT_NONE);
  bareprof_tiny_init_flags();
  send("64 bits", bareprof_tiny_send);
  send("64 bits as text", bareprof_tiny_send_text);
  send("32 bits", bareprof_tiny_send_packed);
  send("32 bits as text", bareprof_tiny_send_text_packed);
  send("flags", bareprof_tiny_send_flags);
  send("flags as text", bareprof_tiny_send_text_flags);
  send("bits", NULL);
  protect(PROT_READ); /* A sanitizer looks for pointers there. */
  check_end();
  return 0;
}
