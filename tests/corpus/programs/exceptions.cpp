/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exceptions thrown through counted frames: what was counted on the way down
 * stays, what is behind a call that threw is not counted.
 */
struct Error {
  int code;
};

static int depth;

static int down(int n) {
  depth++;
  if (n == 0)
    throw Error{depth};
  int below = down(n - 1);
  return below + 1;
}

static int attempt(int n) {
  try {
    if (n % 4 == 3)
      throw n;
    return down(n);
  } catch (const Error &error) {
    return error.code & 7;
  } catch (int number) {
    return number > 5 ? 5 : number;
  }
}

int main() {
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += attempt(i);
  return sum & 63;
}
