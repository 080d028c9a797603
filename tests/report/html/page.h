/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define BOTH(x, y) ((x) && (y))
#define READY(x) ((x)&1)
static inline int leaf(int a) { return a > 2 ? a : BOTH(a, a - 1); }
