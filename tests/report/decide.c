/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A decision of which two starts can see other outcomes while no counter of
 * the later one is smaller.
 */
int decide(int first, int second);

int decide(int first, int second) {
  if (first && second)
    return 1;
  return 0;
}
