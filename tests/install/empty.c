/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that does nothing. */
int main(void) { return 0; }
