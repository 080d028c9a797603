/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image with a hand-written map: three functions, one with blocks, counts
 * and times. It never runs: the test makes its data.
 */
int helper(int x) { return x + 1; }

int choose(int x) {
  if (x) {
    __asm__ volatile("choose_then:");
    return helper(x);
  }
  __asm__ volatile("choose_else:");
  return 2;
}

int unused(int x) { return x; }

/* Not in the map: known by the ELF's symbols only. */
int outside(int x) { return choose(x); }

void _start(void) { outside(unused(1)); }

__asm__(".section __llvm_mipraw,\"aw\",%nobits\n"
        "raw: .space 52\n"
        ".section __llvm_mipmap,\"\",%progbits\n"
        ".byte 0xFB\n .ascii \"MIP\"\n .short 8, 2\n"
        ".long 14, 0x1234, 0, 24\n"
        ".macro record name, slot, size, signature\n"
        "  .long raw, raw + \\slot, \\name, \\size, \\signature\n"
        ".endm\n"
        "record helper, 24, 12, 0\n"
        ".long 0, 6\n .ascii \"helper\"\n"
        ".p2align 3, 0\n"
        "record choose, 32, 40, 0x70c9fa27\n"
        ".long 2, choose_then - choose, choose_else - choose, 6\n"
        ".ascii \"choose\"\n"
        ".p2align 3, 0\n"
        "record unused, 44, 8, 0\n"
        ".long 0, 6\n .ascii \"unused\"\n"
        ".text\n");
