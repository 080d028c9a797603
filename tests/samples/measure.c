/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * measure OUT COMMAND...: runs the command, with its output in OUT, and prints
 * its user time in milliseconds, and its memory in KB.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long milliseconds(struct timeval time) {
  return (long)time.tv_sec * 1000 + (long)time.tv_usec / 1000;
}

int main(int argc, char **argv) {
  struct rusage usage;
  int status;
  if (argc < 3)
    return 2;
  pid_t child = fork();
  if (child == 0) {
    int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
      execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status ||
      getrusage(RUSAGE_CHILDREN, &usage))
    return 1;
  printf("%ld %ld\n", milliseconds(usage.ru_utime), usage.ru_maxrss);
  return 0;
}
