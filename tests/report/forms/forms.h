/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Text that two units compile with other macros. A mark is the count of its
 * line: what ran in any form.
 */
static inline int pick(int n) {         //= 1
#ifdef SHORT
  return n + 1;                         //= 1
#else
  if (n > 0)                            //= 0
    return n + 1;                       //= 0
  return n - 1;                         //= 0
#endif
}
#ifdef SHORT
static inline int sized(int n) {        //= 1
#else
static inline int sized(int n, int m) { //= 0
  n += m;                               //= 0
#endif
  n *= 1;                               //= 1
  if (n > 5)                            //= 1
    return 1;                           //= 0
  return n;                             //= 1
}
static inline int guarded(int n) {      //= 8
  GUARD(n)                              //= 8
    return 7;                           //= 6
  return 8;                             //= 2
}
