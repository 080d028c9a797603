/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects with constructors and destructors at file scope and within functions:
 * those that die after the runtime wrote count in vain.
 */
static volatile int sum;

struct Noted {
  int weight;
  explicit Noted(int n) : weight(n) { sum += n > 2 ? n : 2; }
  ~Noted() {
    for (int i = 0; i < weight; i++)
      sum += i;
  }
};

static Noted first(3), second(5);

static int use(int n) {
  static Noted late(4);
  if (n > 3) {
    static Noted later(6);
    return later.weight;
  }
  return late.weight;
}

int main() {
  for (int i = 0; i < 6; i++)
    sum += use(i);
  return 0;
}
