/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Macros of texts.c, with lines of their own, before and after a function.
 */
#define CLAMP(value, most)        \
  do {                            \
    if ((value) > (most)) {       \
      (value) = (most);           \
    }                             \
  } while (0)

static inline int halved(int value) {
  if (value % 2)
    value++;
  return value / 2;
}

#define LOUDER(value)             \
  do {                            \
    for (int k = 0; k < 2; k++) { \
      (value) += halved(value);   \
      if ((value) == 9)           \
        (value) = 0;              \
    }                             \
  } while (0)
