/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A power-on as in cold.c, of what else sets RAM to an initial value: the tiny
 * senders, and the raw section of MIP, here of 5 functions with a count and a
 * time each.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "bareprof_tiny.h"
#include "board.h"
#include "work.h"

void board_fault(uintptr_t cause, uintptr_t pc) {
  (void)cause, (void)pc;
  bareprof_semihosting_exit(1);
}

#ifdef MIP

__asm__(".pushsection __llvm_mipraw, \"aw\", %progbits\n"
        "raw_bytes: .space 40\n"
        ".popsection\n");
extern unsigned char raw_bytes[];

static int count(void *bytes, const void *from, size_t size) {
  (void)from;
  *(size_t *)bytes += size;
  return 0;
}

int main(void) {
  size_t bytes = 0;
  const struct bareprof_sink sink = {count, &bytes};
  __asm__ volatile("" : : "r"(raw_bytes)); /* or --gc-sections took them */
  bareprof_mip_init();
  if (bareprof_mip_write(&sink))
    return 1;
  bareprof_mip_reset();
  return bytes < 40;
}

#else

static int discard(void *context, unsigned char byte) {
  (void)context, (void)byte;
  return 0;
}

int main(void) {
  INIT();
  for (unsigned i = 0; i < 4; i++)
    visit(i);
  return SEND(discard, NULL);
}

#endif
