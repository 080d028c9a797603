/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A child that becomes another run of the program: it finds the name in the
 * environment, and its counts begin at zero.
 */
#include <sys/wait.h>
#include <unistd.h>

static int work(int n) { return n > 5 ? n : 5; }

int main(int argc, char **argv) {
  int status, sum = 0;
  for (int i = 0; i < argc * 4; i++)
    sum += work(i);
  if (argc > 2)
    return sum & 7;
  if (fork() == 0) {
    work(99);
    char more[] = "more";
    execv(argv[0], (char *[]){argv[0], more, more, NULL});
  }
  wait(&status);
  return WEXITSTATUS(status);
}
