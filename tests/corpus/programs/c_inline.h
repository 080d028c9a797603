/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What both units of c_inline.c include.
 */
int again(int n);

inline int c99(int n) { return n & 1 ? n + 1 : n - 1; }

extern inline __attribute__((gnu_inline, always_inline)) int gnu(int n) {
  return n & 2 ? n : c99(n);
}
