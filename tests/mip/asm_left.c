/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that get no sled, or only a plain one; asm_skip.sh says which.
 */
__asm__(".text\n"
        ".globl by_hand\n"
        ".type by_hand,%function\n"
        "by_hand:\n"
        "  nop\n"
        ".size by_hand,.-by_hand\n");

volatile int flag;
int plain(int a) { return a + 1; }

#if !defined(__aarch64__) || defined(__clang__)
__attribute__((naked)) void bare(void) { __asm__ volatile("nop"); }
#endif

#if defined(__arm__) || defined(__riscv)
__attribute__((interrupt)) void handler(void) { flag++; }
#endif

#if !defined(__clang__)
void (*volatile run)(int (*)(int));
int outer(int n) {
  int sum = n;
  __attribute__((noinline)) int inner(int a) { return sum += a; }
  return inner(1) + inner(n);
}
#endif

void part(void) __asm__("work.cold");
void part(void) { flag = 3; }
void outlined(void) __asm__("OUTLINED_FUNCTION_7");
void outlined(void) { flag = 4; }
