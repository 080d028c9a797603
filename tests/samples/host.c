/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * More ways through a program than work.c has: calls in circles of two and
 * three functions, tail calls, what is inlined into what is inlined, a callback
 * out of code without probes, and calls by pointers that nobody knows. With
 * UNPROBED it is that code, else the program, which ends by itself.
 */
typedef unsigned word;

word through(word (*callee)(word), word value);

#ifdef UNPROBED
word through(word (*callee)(word), word value) {
  word sum = callee(value);
  for (word i = 0; i < (value & 3); i++)
    sum ^= callee(sum >> i) << 1;
  return sum + 1;
}
/* Another name, which the calls are not said to be of. */
word across(word (*callee)(word), word value) __attribute__((alias("through")));
#else

#define APART __attribute__((noinline))

int main(void);
static volatile word seed = 1;

static word next(void) {
  seed = seed * 1103515245u + 12345u;
  return seed >> 16 & 0x7FFF;
}

/* ---- circles ---- */

static word odd(word n);
APART static word even(word n) { return n ? odd(n - 1) * 3 + 1 : 1; }
APART static word odd(word n) { return n ? even(n - 1) * 5 + 2 : 0; }

APART static word first(word n);
APART static word third(word n) { return n < 3 ? n : first(n - 2) + 7; }
APART static word second(word n) {
  word sum = third(n);
  return n & 1 ? sum + third(n / 2) : sum;
}
APART static word first(word n) { return n ? second(n - 1) * 2 + 1 : 3; }

/* ---- inlined ---- */

APART static word leaf(word value) {
  word sum = 0;
  for (; value; value >>= 1)
    sum += value & 1 ? value : 1;
  return sum;
}
static inline word middle(word value) {
  return value % 3 ? leaf(value) : value * 9;
}
static inline word outer(word value) {
  word sum = 0;
  for (int i = 0; i < 3; i++)
    sum += middle(value + (word)i);
  return sum;
}

/* The compiler makes one of the two ends: which call of note that is, nobody
 * knows then. */
static volatile word noted;
static inline void note(word value) {
  noted = value;
  while (value & 16)
    value = leaf(value) & 15;
  noted = value * 3;
}
APART static word merged(word value) {
  word sum;
  if (value & 4) {
    sum = leaf(value);
    note(sum);
  } else {
    sum = leaf(value + 1);
    note(sum);
  }
  return sum;
}

/* ---- pointers, tail calls ---- */

APART static word tail(word value) { return leaf(value ^ 0x55); }
APART static word plain(word value) { return value * value + 1; }
/* Which of these two jumped to plain, no frame tells. */
APART static word left(word value) { return plain(value ^ 1); }
APART static word right(word value) { return plain(value + 5); }
/* Filled at run time: nobody relocates a table. */
static word (*volatile callees[4])(word);

APART static word choose(word value) {
  return callees[value & 3](value) + (value & 8 ? outer(value) : 0);
}

APART static word kind(word value) {
  switch (value & 7) {
  case 0:
    return even(value & 7);
  case 1:
    return first(value & 15);
  case 2:
    return through(leaf, value);
  case 3:
    return through(choose, value & 0xFF);
  case 4:
    return outer(value) + outer(value >> 3);
  case 5:
    return tail(value);
  case 6:
    return through(plain, value & 7) + merged(value);
  default:
    return value & 64    ? left(value)
           : value & 128 ? right(value)
                         : choose(value);
  }
}

int main(void) {
  word sum = 0;
  callees[0] = leaf;
  callees[1] = tail;
  callees[2] = merged;
  callees[3] = outer;
  for (int round = 0; round < 400; round++)
    sum += kind(next());
  return sum == 0;
}

/* Of a program without a library. */
__attribute__((force_align_arg_pointer, noreturn)) void _start(void) {
  int result = main();
  __asm__ volatile("syscall" : : "a"(60), "D"(result) : "rcx", "r11", "memory");
  __builtin_unreachable();
}
#endif
