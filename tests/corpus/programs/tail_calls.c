/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls that are jumps: the counter is behind them in the source, but must be
 * written first.
 */
static int pong(int n, int sum);
static int ping(int n, int sum) {
  if (n == 0)
    return sum;
  __attribute__((musttail)) return pong(n - 1, sum + 1);
}
static int pong(int n, int sum) {
  if (n == 0)
    return -sum;
  __attribute__((musttail)) return ping(n - 1, sum + 2);
}

int main(void) { return (ping(1000, 0) + pong(33, 1)) & 63; }
