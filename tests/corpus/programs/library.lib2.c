/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The second library of library.c.
 */
int second(int n);
static int work(int n) { return n & 2 ? n : 4; }
int second(int n) { return n > 3 ? work(n) : 1; }
