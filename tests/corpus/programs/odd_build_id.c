/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A build id of 13 bytes, and a note of somebody else before it: padded to 8.
 *
 * link: -Wl,--build-id=0x0102030405060708090a0b0c0d
 */
__asm__(".pushsection .note.aaa, \"a\", @note\n"
        ".long 4, 5, 7\n"
        ".ascii \"abc\\0\"\n"
        ".ascii \"12345\\0\\0\\0\"\n"
        ".popsection");

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) { return work(3) + work(6); }
