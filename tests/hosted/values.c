/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One site that sees many values: functions, which are called as often as
 * their number says. With MANY there are twenty such sites; with an argument
 * none is called. The status is whether main, linked with -wrap, has asked for
 * memory.
 */
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);

static int running, asked;

void *__wrap_malloc(size_t size) {
  asked |= running;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  asked |= running;
  return __real_calloc(count, size);
}

#define FUNCTION(n) \
  static int f##n(int of) { return of + n; }
#define TEN(n)   \
  FUNCTION(n##0) \
  FUNCTION(n##1) \
  FUNCTION(n##2) \
  FUNCTION(n##3) \
  FUNCTION(n##4) \
  FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7) FUNCTION(n##8) FUNCTION(n##9)
#define NAMES(n)                                                          \
  f##n##0, f##n##1, f##n##2, f##n##3, f##n##4, f##n##5, f##n##6, f##n##7, \
      f##n##8, f##n##9
TEN(1)
TEN(2)
TEN(3)
TEN(4)
TEN(5)
TEN(6)
static int (*const functions[])(int) = {NAMES(1), NAMES(2), NAMES(3),
                                        NAMES(4), NAMES(5), NAMES(6)};

#define CALL sum += functions[i](times);
#ifdef MANY
#define FIVE CALL CALL CALL CALL CALL
#define CALLS FIVE FIVE FIVE FIVE
#else
#define CALLS CALL
#endif

int main(int count, char **arguments) {
  volatile int sum = 0;
  (void)arguments;
  running = 1;
  for (int i = 0; i < 60 && count == 1; i++)
    for (int times = 10 + i; times; times--) {
      CALLS
    }
  running = 0;
  return asked;
}
