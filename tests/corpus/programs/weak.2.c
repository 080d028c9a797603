/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of weak.c.
 */
int overridden(int n);
int elsewhere(int n);

int overridden(int n) { return n & 1 ? n * 7 : 2; }
int elsewhere(int n) { return overridden(n) - 1; }
