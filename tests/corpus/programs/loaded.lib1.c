/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library of loaded.c that goes.
 */
int first(int n);
static int work(int n) { return n & 1 ? n : 3; }
static int (*volatile target)(int) = work;
int first(int n) { return target(n) + work(n + 1); }
