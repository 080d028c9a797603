/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Interrupts measured code with a signal after each of its instructions, one
 * run for each. The handler runs the same measured code. All runs must leave
 * the byte counters (or counters) that both leave one after the other. Prints
 * how many runs there were, and fails if one differs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);

enum { ROOM = 4000, RUNS_MOST = 20000 };
static volatile int sum;

static int step(int a) { return a & 1 ? a * 3 + 1 : a / 2; }

__attribute__((noinline)) static void work(int a) {
  for (int i = 0; i < 4; i++) {
    switch (a & 3) {
    case 0:
      sum += a > 5 || i == 2 ? 2 : step(a);
      break;
    case 1:
      sum++;
    case 2:
      if (a > 4 && i)
        sum -= 3;
      break;
    default:
      while (a > 9)
        a = step(a) - 1;
    }
    a += i;
  }
}

PLAIN static void on_signal(int number) {
  (void)number;
  work(11);
}

/* What the child does: the measured code lies between two stops. */
PLAIN static void child(char *result, int both) {
  signal(SIGUSR1, on_signal);
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  work(4);
  raise(SIGSTOP);
  if (both)
    work(11);
  memcpy(result, __llvm_profile_begin_counters(),
         (size_t)(__llvm_profile_end_counters() -
                  __llvm_profile_begin_counters()));
  _exit(0);
}

/* Goes on with a signal, and through stops, to the end. */
PLAIN static void finish(pid_t pid, int number) {
  int status = 0;
  do {
    ptrace(PTRACE_CONT, pid, 0, number);
    if (waitpid(pid, &status, 0) != pid)
      return;
    number = 0;
  } while (!WIFEXITED(status) && !WIFSIGNALED(status));
}

/* false: the code has fewer instructions. */
PLAIN static int run(char *result, int instructions) {
  int status;
  pid_t pid = fork();
  if (pid == 0)
    child(result, instructions < 0);
  waitpid(pid, &status, 0);
  for (int i = 0; i < instructions; i++) {
    ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
    waitpid(pid, &status, 0);
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP) {
      finish(pid, 0);
      return 0;
    }
  }
  finish(pid, instructions < 0 ? 0 : SIGUSR1);
  return 1;
}

PLAIN int main(void) {
  char *shared = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int runs = 0, wrong = 0;
  if (__llvm_profile_end_counters() - __llvm_profile_begin_counters() > ROOM)
    return 2;
  run(shared, -1);
  for (; runs < RUNS_MOST; runs++) {
    memset(shared + ROOM, 0x55, ROOM);
    if (!run(shared + ROOM, runs))
      break;
    size_t size = (size_t)(__llvm_profile_end_counters() -
                           __llvm_profile_begin_counters());
    wrong += memcmp(shared, shared + ROOM, size) != 0;
  }
  printf("%d runs, %d differ\n", runs, wrong);
  return wrong || runs < 100;
}
