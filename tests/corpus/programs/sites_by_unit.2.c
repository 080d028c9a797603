/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The second unit of sites_by_unit.c.
 */
int second(int n);
static int g(int n) { return n - 1; }
static int h(int n) { return n * 2; }
static int (*volatile here[])(int) = {g, h};
int second(int n) { return here[n & 1](n); }
