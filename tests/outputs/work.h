/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured code of the comparison's inputs.
 */
#ifndef OUTPUTS_WORK_H
#define OUTPUTS_WORK_H
#ifdef __cplusplus
extern "C" {
#endif

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define INSIDE(x) ((x) > 2 && (x) < 90)

static inline int half(int value) {
  if (value < 0)
    return -half(-value);
  return value / 2;
}

int sweep(int from, int to);
int kind_of(int value);
int decide(int a, int b, int c);
int more(int count);

#ifdef __cplusplus
}
#endif
#endif
