/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A threaded interpreter of computed gotos: edges that cannot be split, so that
 * IR leaves some without a counter.
 */
static int run(const unsigned char *code) {
  static const void *const labels[] = {&&push, &&add, &&dup, &&loop, &&end};
  int stack[32], top = 0, turns = 3;
  const unsigned char *at = code;
  goto *labels[*at];
push:
  stack[top++] = at[1];
  at += 2;
  goto *labels[*at];
add:
  top--;
  stack[top - 1] += stack[top];
  at++;
  goto *labels[*at];
dup:
  stack[top] = stack[top - 1];
  top++;
  at++;
  goto *labels[*at];
loop:
  at = turns-- > 0 ? code : at + 1;
  goto *labels[*at];
end:
  return stack[0] + top;
}

int main(void) {
  static const unsigned char code[] = {0, 5, 0, 6, 1, 2, 1, 3, 4};
  return run(code);
}
