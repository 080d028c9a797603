/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects with priorities, in the reverse order of the source: functions are
 * first seen in an order of their own.
 */
static volatile int sum;

static int third(int n) { return n > 3 ? n : 3; }
static int second(int n) { return n > 2 ? n : 2; }
static int first(int n) { return n > 1 ? n : 1; }

struct Noted {
  explicit Noted(int (*step)(int)) { sum += step(sum); }
  ~Noted() { sum = third(sum) - 1; }
};

__attribute__((init_priority(3000))) static Noted c(third);
__attribute__((init_priority(2000))) static Noted b(second);
__attribute__((init_priority(1000))) static Noted a(first);

int main() { return sum & 63; }
