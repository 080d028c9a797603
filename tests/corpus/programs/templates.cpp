/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Function templates in many instances, recursive and with packs: mangled names
 * of some length, records of weak functions.
 */
template <int N>
struct Number {};

template <int N>
int power(int n) {
  if constexpr (N == 0)
    return 1;
  else
    return n & 1 ? n * power<N - 1>(n) : power<N - 1>(n) + N;
}

template <class... T>
int count(T... all) {
  return ((all > 2 ? 1 : 0) + ... + 0);
}

template <int... N>
int deep(Number<N>...) {
  return (power<N>(3) + ...);
}

int main() {
  int sum = deep(Number<1>(), Number<4>(), Number<9>(), Number<12>());
  sum += count(1, 2L, 3.0, 'x', 5u) + count() + count(7ll, 1.5f);
  return sum & 63;
}
