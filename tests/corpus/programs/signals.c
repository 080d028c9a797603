/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts and value sites in signal handlers, raised by the program itself in
 * the middle of what they count.
 */
#include <signal.h>

static volatile sig_atomic_t seen;

static void bump(int by) { seen += by; }
static void (*volatile action)(int) = bump;

static void handler(int number) {
  if (number == SIGUSR1)
    action(1);
  else
    action(10);
}

int main(void) {
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  for (int i = 0; i < 9; i++) {
    action(100);
    raise(i % 3 ? SIGUSR1 : SIGUSR2);
  }
  return seen & 63;
}
