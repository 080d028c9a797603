/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that `bareprof mip patch` must skip, and one that it patches,
 * `good`. Compiled with nops, linked without a runtime, and never run.
 */
#include <stdint.h>

#ifdef __riscv
#define HANDLER __attribute__((interrupt))
#else
#define HANDLER
#endif

uint32_t good(uint32_t a);
void handler(void);
void start(void);

/* What the library has. */
unsigned char room[24 + ROOM] __attribute__((section("__llvm_mipraw"), used));
__attribute__((used)) const uint32_t bareprof_mip_unit[2] = {1, 0};
__attribute__((patchable_function_entry(0))) void
bareprof_mip_count_index(void);
void bareprof_mip_count_index(void) {}

uint32_t good(uint32_t a) { return 3 * a; }

HANDLER void handler(void) { *(volatile uint32_t *)64 = 1; }

__attribute__((patchable_function_entry(0))) uint32_t none(uint32_t a);
uint32_t none(uint32_t a) { return a + 1; }

__attribute__((patchable_function_entry(1))) uint32_t one(uint32_t a);
uint32_t one(uint32_t a) { return a + 2; }

uint32_t bareprof_made_up(uint32_t a);
uint32_t bareprof_made_up(uint32_t a) { return a + 4; }

/* Data that looks like nops; a label without a size. */
__asm__(".text\n"
        ".balign 4\n"
        ".globl unsized\n"
        ".type unsized, %function\n"
        "unsized: nop\n nop\n nop\n nop\n"
        ".globl table\n"
        ".type table, %function\n"
        "table:\n"
#ifdef __riscv
        ".4byte 0x00010001, 0x00010001\n"
#else
        ".4byte 0xbf00bf00, 0xbf00bf00\n"
#endif
        ".size table, . - table\n");

#ifdef __arm__
uint32_t (*volatile keep)(uint32_t);

/* Its inner function gets the address of a in ip. */
uint32_t outer(uint32_t a);
uint32_t outer(uint32_t a) {
  __attribute__((noinline, noclone)) uint32_t inner(uint32_t b) {
    return a += b;
  }
  return inner(1) + inner(2);
}
#endif

#ifdef FAR
__attribute__((section(".far"))) uint32_t far(uint32_t a);
uint32_t far(uint32_t a) { return a + 5; }
#endif

void start(void) {}
