/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs tests/cc/flags_middle.c once for each place, on a board, and appends the
 * raw section of each run to follow.mipraw. Its main is `program` here.
 */
#include <setjmp.h>
#include <stdlib.h>

#include "bareprof_mip.h"
#include "bareprof_semihosting.h"

enum { PLACES = 252 };

static int place;
static jmp_buf ended;
static struct bareprof_semihosting file;

int program(int count, char **arguments);
int __llvm_profile_write_file(void);
_Noreturn void _exit(int status);

/* The argument of the program is the place. */
int atoi(const char *text) {
  (void)text;
  return place;
}

int __llvm_profile_write_file(void) {
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  return bareprof_mip_write(&sink);
}

_Noreturn void _exit(int status) {
  (void)status;
  longjmp(ended, 1);
}

int main(void) {
  char *arguments[] = {NULL, NULL};
  if (bareprof_semihosting_open(&file, "follow.mipraw"))
    return 3;
  for (place = 1; place <= PLACES; place += STRIDE) {
    bareprof_mip_init();
    if (setjmp(ended) == 0)
      program(2, arguments);
  }
  return bareprof_semihosting_close(&file) ? 4 : 0;
}

/* Thumb-2: no C library is linked. */
__asm__("  .syntax unified\n"
        "  .thumb\n"
        "  .text\n"
        "  .globl setjmp\n"
        "  .type setjmp, %function\n"
        "setjmp:\n"
        "  mov ip, sp\n"
        "  stm r0, {r4-r12, lr}\n"
        "  movs r0, #0\n"
        "  bx lr\n"
        "  .size setjmp, .-setjmp\n"
        "  .globl longjmp\n"
        "  .type longjmp, %function\n"
        "longjmp:\n"
        "  ldm r0, {r4-r12, lr}\n"
        "  mov sp, ip\n"
        "  movs r0, r1\n"
        "  bx lr\n"
        "  .size longjmp, .-longjmp\n");
