/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The third unit of empty_unit.c.
 */
int work(int n);
int work(int n) { return n & 1 ? n : 8; }
