/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One more instrumented function, for an object of another compiler.
 */
volatile unsigned other_input;
__attribute__((used, retain)) void other(void) {
  if (other_input)
    other_input = 0;
}
