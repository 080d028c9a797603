/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
static inline int outer(int n) { //= 5
#ifdef SHORT
  n += 2;                        //= 2
#else
  n += 3;                        //= 3
#endif
  auto inner = [](int k) {       //= 5
    if (k)                       //= 0
      return 1;                  //= 0
    return 2;                    //= 0
  };
  return n > 9 ? inner(n) : n;   //= 5
}
template <bool B> int chosen(int n) { //= 5
  if constexpr (B) {                  //= 5
    n += 1;                           //= 2
  } else {
    n += 2;                           //= 3
  }
  return n;                           //= 5
}
