/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls through pointers to members, virtual and not: sites that first decide
 * whether there is a vtable to look into.
 */
struct Machine {
  int state = 1;
  int step(int n) { return state += n & 1 ? n : 1; }
  virtual int jump(int n) { return state += n > 4 ? 4 : n; }
};
struct Faster : Machine {
  int jump(int n) override { return state += n * 2; }
};

__attribute__((noinline)) static int run(Machine &machine,
                                         int (Machine::*move)(int), int n) {
  return (machine.*move)(n);
}

int main() {
  Machine machine;
  Faster faster;
  int sum = 0;
  for (int i = 0; i < 14; i++)
    sum += run(i % 3 ? machine : faster,
               i & 1 ? &Machine::step : &Machine::jump, i);
  return sum & 63;
}
