/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
static __attribute__((noinline)) unsigned shared(unsigned n) {
  if (n == 5)
    return 50;
  return n + 1;
}
