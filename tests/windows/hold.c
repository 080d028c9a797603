/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Another program that has a file open: hold FILE [alone]. It writes there, and
 * `alone` lets nobody else in. Ends with standard input.
 */
#include <stdio.h>
#include <windows.h>

int main(int count, char **words) {
  HANDLE file = CreateFileA(words[1], GENERIC_READ | GENERIC_WRITE,
                            count > 2 ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE,
                            NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return 1;
  puts("open");
  fflush(stdout);
  while (getchar() != EOF)
    ;
  return 0;
}
