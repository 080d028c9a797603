/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The first library of library.c.
 */
int first(int n);
static int work(int n) { return n & 1 ? n : 3; }
int first(int n) { return work(n) + work(n + 1); }
