/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that nobody calls, static, external and inline, some in the middle
 * of others: records of zeros, or none at all where the linker drops them.
 */
static int __attribute__((used)) never_static(int n) { return n ? n : 2; }
int never_external(int n);
int never_external(int n) { return n > 1 ? n * never_external(n - 1) : 1; }

static int called(int n) { return n & 1 ? n : -n; }

int never_last(int n);
int never_last(int n) {
  while (n > 0)
    n -= called(n);
  return n;
}

int main(void) { return called(3); }
