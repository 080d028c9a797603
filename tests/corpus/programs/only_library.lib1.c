/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library of only_library.c.
 */
int work(int n);
int work(int n) { return n & 1 ? n * 3 : n / 2; }
