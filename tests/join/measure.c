/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a command several times, and prints what the fastest took, in
 * milliseconds, and the most memory that one had, in KB:
 *   measure TIMES COMMAND ARGUMENT...
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  double fastest = 1e9;
  long most = 0;
  for (int i = 0; argc > 2 && i < atoi(argv[1]); i++) {
    struct rusage usage;
    int status;
    double begin = now();
    pid_t child = fork();
    if (child == 0) {
      execvp(argv[2], argv + 2);
      _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
      return 1;
    if (now() - begin < fastest)
      fastest = now() - begin;
    if (usage.ru_maxrss > most)
      most = usage.ru_maxrss;
  }
  printf("%.1f %ld\n", fastest, most);
  return 0;
}
