/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What both units of inline_variables.cpp include.
 */
int elsewhere(int n);

inline int make(int n) {
  static int calls;
  return ++calls > 2 ? n : n + 1;
}

inline int made = make(5);

template <class T>
struct Table {
  static inline int size = make(sizeof(T)) * 2;
};
