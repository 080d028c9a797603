/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls between probes, which RISC-V linkers make shorter.
 */
int count;

__attribute__((noinline)) int leaf(int value) {
  if (value > 2)
    count++;
  return value * count;
}

static inline int once(int value) { return value > 5 ? leaf(value) : value; }

__attribute__((noinline)) int middle(int value) {
  int sum = 0;
  for (int i = 0; i < value; i++) {
    if (leaf(i) > 3)
      sum += leaf(i + 1);
    else
      sum -= leaf(value);
  }
  return sum + once(sum);
}

void _start(void) {
  middle(3);
  for (;;)
    ;
}
