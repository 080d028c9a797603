/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An instrumented unit under a main that is not.
 */
int work(int n);

static int half(int n) { return n > 7 ? n / 2 : n; }
int work(int n) { return n & 1 ? half(n) : half(n + 1); }
