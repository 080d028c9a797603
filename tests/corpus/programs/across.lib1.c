/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library of across.c.
 */
int call(int (*target)(int), int n);
int theirs(int n);

int theirs(int n) { return n & 1 ? n : 5; }
int call(int (*target)(int), int n) { return target(n) + target(n + 1); }
