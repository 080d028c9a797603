/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constructors and destructors with priorities: counted before the runtime
 * has started and after it has written.
 */
static volatile int sum;

static void work(int n) {
  for (int i = 0; i < n; i++)
    sum += i;
}

__attribute__((constructor(101))) static void early(void) { work(3); }
__attribute__((constructor)) static void usual(void) { work(5); }
__attribute__((constructor(65000))) static void late(void) { work(7); }
__attribute__((destructor)) static void end(void) { work(11); }
__attribute__((destructor(101))) static void very_end(void) { work(13); }

int main(void) {
  work(2);
  return 0;
}
