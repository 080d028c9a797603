/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
static inline int halved(int value) {
  if (value < 0)
    return -halved(-value);
  return value / 2;
}
