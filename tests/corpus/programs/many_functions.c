/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A hundred functions: more records than any fixed table, names that are
 * compressed in one piece of half a kilobyte.
 */
#define F(n)       \
  int f##n(int x); \
  int f##n(int x) { return x & 1 ? x + (int)sizeof #n : 3; }
#define F10(n) \
  F(n##0)      \
  F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define F100(n)                                                         \
  F10(n##0)                                                             \
  F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5) F10(n##6) F10(n##7) \
      F10(n##8) F10(n##9)
#define C(n) sum += f##n(sum);
#define C10(n) C(n##0) C(n##3) C(n##7)

F100(a)

int main(void) {
  int sum = 0;
  C10(a0) C10(a9) C10(a4) return sum & 63;
}
