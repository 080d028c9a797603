/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that are left in the middle of an expression. There clang subtracts
 * too little: the code after it counts as run.
 */
static volatile int zero;
static int calls, limit;

static int next(int value) {
  return ++calls == limit ? -1 : value + zero;
}

#define TRY(x)                                                                 \
  ({                                                                           \
    int got = (x);                                                             \
    if (got < 0)                                                               \
      return got;                                                              \
    got;                                                                       \
  })

static int both(int a) { return TRY(next(a)) && TRY(next(a + 1)); }

static int three(int a) {
  if (TRY(next(a)) && TRY(next(a - 1)) && TRY(next(a - 2)))
    return 1;
  return 0;
}

static int loop(int a) {
  int sum = 0;
  for (int i = TRY(next(a)); i < TRY(next(9)); i += TRY(next(3)))
    sum += i;
  return sum;
}

static int choice(int a) {
  return TRY(next(a)) ? TRY(next(1)) : TRY(next(2));
}

static int cases(int a) {
  switch (TRY(next(a))) {
  case 1: return 3;
  case 2: a = TRY(next(2)); break;
  default: return TRY(next(9));
  }
  return a;
}

static int either(int a) {
  while (TRY(next(a)) > 3 || TRY(next(a + 5)) < 8)
    if (a++ > 5)
      break;
  return a;
}

static int leaves(int a) {
  do {
    a = ({
      if (a == 5)
        break;
      if (a == 7)
        continue;
      a + 1;
    });
  } while (({
    if (a == 9)
      return 4;
    a < 20;
  }));
  return a;
}

static int ends(int a) {
  if (({
        if (a)
          return 1;
        a > 3;
      }) ||
      ({
        return 2;
        1;
      }))
    return 4;
  return 5;
}

static int steps(int a) {
  for (; ({
         if (a > 20)
           return 2;
         a;
       });
       ({
         if (a == 2)
           return 3;
         a++;
       }))
    ;
  return 1;
}

/* What an RTOS asserts. clang counts on after a loop without an end. */
#define SPIN(x)                                                                \
  if (x)                                                                       \
    for (;;) {                                                                 \
    }
#define TRAP(x)                                                                \
  do {                                                                         \
    if (x) {                                                                   \
      __builtin_trap();                                                        \
    }                                                                          \
  } while (0)

static int asserts(int a) {
  SPIN(a < 0)
  TRAP(a < -1);
  SPIN(a < -2)
  TRAP(a < -3);
  SPIN(a < -4)
  for (int i = 0; i < a; i++) {
    SPIN(i < 0)
    TRAP(i < -1);
    SPIN(i < -2)
    if (i == 2)
      continue;
    SPIN(i < -3)
    zero = i * 0;
  }
  SPIN(a < -5)
  TRAP(a < -6);
  SPIN(a < -7)
  return a > 2;
}

static int (*const all[])(int) = {both,   three,  loop, choice, cases,
                                  either, leaves, ends, steps,  asserts};

int main(int argc, char **argv) {
  int sum = 0;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    for (int a = 0; a < 4; a++) {
      calls = 0;
      limit = argc > 1 ? *argv[1] - '0' : 0;
      sum += all[i](a);
    }
  return sum == 12345;
}
