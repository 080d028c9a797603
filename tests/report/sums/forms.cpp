/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Templates of which each form lacks something else, or has other constants;
 * lambdas in them; counts whose sum is more than 64 bits.
 */
#define EITHER(a, b) ((a) || (b))
#define TEST(x) ((x) ? 1 : 0)
#define SOME(a, b)     \
  if constexpr (N > 2) \
    sum += TEST(a);    \
  sum += TEST(b)
/* Of the macro's two branches one form has the second one alone. */
template <int N> int some(int a, int b) {
  int sum = 0;
  SOME(a, b);
  return sum;
}
template <class T, int N> int sized(T a, T b) {
  if (N > 2)
    return a && b;
  auto larger = [&](T c) { return c > b && EITHER(c, a); };
  return larger(a) ? 1 : EITHER(a, b) + EITHER(b, 0);
}
template <class T> int plain(T a, T b) {
  if (a && b)
    return 1;
  return a || b ? 2 : 3;
}
template <class T> int folded(T a) {
  if (sizeof(T) > 4)
    return a ? 1 : 2;
  return a > 1 && a < 9;
}
template <class T> int wide(T a) { return a ? 1 : 2; }
/* Counters of the front end are in the order of the functions' sections. */
extern "C" unsigned long __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
int main(int n, char **) {
  int sum = sized<int, 2>(1, 0) + sized<double, 3>(1, 0) + sized<long, 3>(0, 1) +
            sized<char, 1>(0, 0) + plain(1, 1) + plain(0.0, 0.0) + plain(1L, 0L) +
            some<2>(1, 0) + some<3>(1, 1) + folded(1) + folded(2L) + wide(1) + wide(1L);
#ifdef HUGE
  for (unsigned long *one = __start___llvm_prf_cnts;
       one != __stop___llvm_prf_cnts; one++)
    if (*one)
      *one = HUGE;
#endif
  return n > 9 ? sum : 0;
}
