/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records with sites where nothing was seen, with some seen, and records
 * without sites, in turns: what the value data of each begin with.
 */
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*volatile target)(int) = f;

int never(int n);
int never(int n) { return target(n) + target(n + 1); }

int partly(int n);
int partly(int n) {
  if (n > 100)
    return target(n);
  if (n > 50)
    return target(n + 1) + target(n + 2);
  return n;
}

int without(int n);
int without(int n) { return n & 1 ? n : 2; }

int fully(int n);
int fully(int n) {
  int sum = target(n);
  target = g;
  return sum + target(n);
}

int main(void) {
  return (partly(60) + without(4) + fully(3) + (target ? 0 : never(1))) & 63;
}
