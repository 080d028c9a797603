/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions whose frames differ: of any size, with registers of VFP, of a size
 * that is known when it runs, of functions that never return or have only jumps
 * to others, and without a frame.
 */
int called(int *list, double value);
double computed(double value);
extern volatile int shared;
int large(int n, double value);
int dynamic(int n);
int many(int a, int b, int c, int d, int e, int f);
double floating(double a, double b, double c);
int jumping(int n);
int leaf(int n);
int stacked(int n, ...);
int early(int n);
void forever(void) __attribute__((noreturn));

volatile int shared;
int called(int *list, double value) { return *list + (int)value + shared; }
double computed(double value) { return value * shared; }

int large(int n, double value) {
  int list[400];
  list[n] = 1;
  return called(list, computed(value) + value) + list[2];
}
int dynamic(int n) {
  int list[n];
  list[0] = n;
  return called(list, 1) + n;
}
int many(int a, int b, int c, int d, int e, int f) {
  return called(&a, b) + called(&b, c) + c * d + e * f + called(&e, 1) + d;
}
double floating(double a, double b, double c) {
  double product = computed(a) * b;
  return computed(product + c) + a * b * c + computed(c);
}
int jumping(int n) { return n > 3 ? leaf(n) : called(&n, 2); }
int leaf(int n) { return n * 3; }
int stacked(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int first = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return called(&first, n) + first;
}
int early(int n) {
  if (n < 2)
    return n;
  return many(n, leaf(n), early(n - 1), stacked(n, n), dynamic(n), 7);
}
void forever(void) {
  for (;;)
    shared += jumping(early(shared)) + large(2, floating(1, 2, 3));
}
