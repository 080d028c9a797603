/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library of loaded.c that stays.
 */
int second(int n);
int second(int n) { return n > 3 ? n : 1; }
