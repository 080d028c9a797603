/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of up to 4,000 characters: the blob of names, and length fields of more
 * than a byte.
 */
#define T(a, b) a##b
#define P(a, b) T(a, b)
#define A10 abcdefghij
#define A20 P(A10, A10)
#define A40 P(A20, A20)
#define A80 P(A40, A40)
#define A160 P(A80, A80)
#define A320 P(A160, A160)
#define A1000 P(P(A320, A320), P(A320, A40))
#define A4000 P(P(A1000, A1000), P(A1000, A1000))

int A160(int n);
int A1000(int n);
int A4000(int n);

int A160(int n) { return n > 1 ? n : 1; }
int A1000(int n) { return n > 2 ? A160(n) : 2; }
int A4000(int n) { return n > 3 ? A1000(n) : 3; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 7; i++)
    sum += A4000(i);
  return sum;
}
