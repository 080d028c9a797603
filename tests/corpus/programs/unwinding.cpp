/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Destructors that count while the stack is unwound, an exception within such
 * a destructor, and one that is thrown on.
 */
static int sum;

struct Guard {
  int weight;
  ~Guard() {
    try {
      if (weight == 3)
        throw 'x';
      sum += weight;
    } catch (char) {
      sum += 30;
    }
  }
};

static void inner(int n) {
  Guard one{1}, three{3};
  if (n > 2)
    throw n;
  sum += 100;
}

static void outer(int n) {
  Guard five{5};
  try {
    inner(n);
  } catch (int seen) {
    if (seen > 4)
      throw;
    sum += seen;
  }
}

int main() {
  for (int i = 0; i < 8; i++)
    try {
      outer(i);
    } catch (...) {
      sum++;
    }
  return sum & 63;
}
