/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Its arguments say what runs: lABC calls level, sN sum, g gone.
 * against.sh moves and changes it.
 */
#define BOTH(x, y) ((x) > 1 && (y) > 1)

static int level(int a, int b, int c) {
  if (a && (b || c))
    return 1;
  if (BOTH(a, c))
    return 3;
  return c ? 2 : 0;
}

int sum(int n) {
  int all = 0;
  for (int i = 1; i <= n; i++) {
    if (i == 2)
      all += 10;
    all += i;
  }
  switch (n) {
  case 0:
    all--;
    break;
  case 3:
    all++;
    break;
  }
  return all;
}

int gone(void) { return 1; }

int main(int count, char **list) {
  int all = 0;
  for (int i = 1; i < count; i++) {
    const char *at = list[i];
    switch (*at) {
    case 'l':
      all += level(at[1] - '0', at[2] - '0', at[3] - '0');
      break;
    case 's':
      all += sum(at[1] - '0');
      break;
    default:
      all += gone();
    }
  }
  return all < 0;
}
