/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What both units of comdats.cpp include.
 */
int elsewhere(int n);

struct Account {
  int sum;
  explicit Account(int n) : sum(n > 3 ? n : 3) {}
  int add(int n) { return sum += n & 1 ? n : 1; }
};

template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}

inline int tally() {
  static int calls = 40;
  return calls++ > 44 ? calls : 0;
}
