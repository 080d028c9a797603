/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions in every place that C and C++ have for them, some of which clang
 * leaves out of MC/DC: its warnings say which.
 */
#include "corpus.h"
#define BOTH(x, y) ((x) && (y))
#define AND &&
#define IS(x) ((x) > 3)
#define NEST(x, y) ((x) && f((y) || g))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define CHECK(x) do { if (!(x)) f(false); } while (0)

extern int g;

int places(int a, int b, int c, int d) {
  if (a && f(b || c)) return 1;
  if (a && b) return 2;
  do { a--; } while (a && f(b || c));
  do a--; while (a);
  do { if (a) if (b || c) a--; } while (a > 3);
  while (a) a--;
  while (a && b) a--;
  for (; a && f(b || d);) a--;
  for (int i = 0; i < a && !b; i++) c += i;
  for (;;) { if (a || f(b && c)) break; }
  int x = a && f(b && c);
  f(a && f(b && c));
  if (a) if (b) return 14;
  if (a) { a = b && c; } else if (b) { f(b || f(c && d)); }
  switch (a) {
    case 1: if (b && f(c || d)) return 3; break;
    case 2: return b;
    default: x = c ? a && f(b || c) : d;
  }
  return x ? a ? 3 : 4 : b || f(c && d);
}

int shapes(int a, int b, int c, int d) {
  if (a && (b ? c : d)) return 1;
  if (a && (b ? c && d : d)) return 2;
  if ((a ? b : c) && d) return 3;
  if (a && !(b || !c)) return 4;
  if (a && (b || (c && d))) return 5;
  if ((a || f(b && c)) && d) return 6;
  if (a && (b || f(c && d))) return 7;
  if (a || b || c || d) return 8;
  if (a && b && c && f(c || d)) return 9;
  if (f(a && b) && c) return 10;
  if (!(a && f(b || c))) return 11;
  if ((a && b) == (c || d)) return 12;
  if (a
      && b
      && f(c
           || d))
    return 13;
  if (d &&
      (a ||
       f(b && c)))
    return 14;
  if (1 && f(a || b)) return 15;
  if (a && f(b || 1)) return 16;
  if (1 && a) return 17;
  if (a && 0) return 18;
  return (a && b) + (c || d);
}

int macros(int a, int b, int c) {
  if (BOTH(a, b)) return 3;
  if (BOTH(a, f(b || c))) return 4;
  if (a AND f(b AND c)) return 5;
  if (a AND b) return 5;
  if (NEST(a, b)) return 6;
  if (IS(a) && IS(b)) return 7;
  if (IS(a) && f(IS(b) || c)) return 7;
  if (a && f(IS(b) || IS(c))) return 8;
  if (LIKELY(a && b)) return 9;
  if (IS(a) && IS(b) && f(c || a)) return 11;
  CHECK(a && b);
  CHECK(a && BOTH(b, c));
  CHECK(a);
  if (a) CHECK(b);
  if (a) CHECK(IS(b) && c);
  return a and f(b or not c);
}

template <class T> bool of_type(T a, T b, T c) { return a && f(b || c); }
template <class T> bool measured(T a, T b) { return a && b; }
bool types(int a) {
  return of_type(a, 2, 3) + of_type(1.0, 2.0, 3.0) + measured(a, 1);
}

auto within = [](int a, int b, int c) { return a && [&] { return b || c; }(); };
int lambdas(int a, int b, int c) {
  return a && within(b, b, c) && ({
           int z = 3;
           if (b || c) z = 4;
           z;
         });
}

struct pump {
  int x;
  pump(int a, int b) : x(a && f(b || a)) { if (a || b) x = 2; }
  explicit operator bool() const { return x && f(x || g); }
  bool operator==(const pump &o) const { return x == o.x || f(x && o.x); }
  ~pump() { if (x && g) f(x); }
};
bool objects(int a, int b) {
  pump p(a, b), q(b, a);
  try { if (p && q) return p == q; } catch (...) { return a || f(b && a); }
  int list[] = {1, 2, 3};
  for (int v : list) if (v && f(v || a)) return true;
  return inlined(a, b) || q;
}
