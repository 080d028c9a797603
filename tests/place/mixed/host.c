/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same program on the host, whose C library writes the profile at its end.
 */
int program(void);

int main(void) {
  volatile int sum = program();
  return sum == -1;
}
