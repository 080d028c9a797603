/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function in a comdat: several objects have it, with counters and record,
 * and the linker keeps one.
 */
template <typename T>
__attribute__((noinline)) T twice(T n) {
  if (n > 9)
    return n;
  return n + n;
}
