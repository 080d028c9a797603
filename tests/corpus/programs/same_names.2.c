/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of same_names.c.
 */
int other(int n);

static int work(int n) { return n > 4 ? n * 3 : 1; }
static int (*volatile chosen)(int) = work;

int other(int n) { return chosen(n); }
