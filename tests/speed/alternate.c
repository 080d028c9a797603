/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs commands by turns, so that what else the machine does hits all alike:
 *   alternate TIMES COMMAND ARGUMENT... [-- COMMAND ARGUMENT...]...
 * prints a line for each: milliseconds of processor (user and system), and of
 * the clock; the most memory that was resident, in KB; and how many times the
 * processor time of the first command it takes. Times and ratios are medians; a
 * ratio is of two runs in the same turn.
 * Standard output goes nowhere.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 8, TIMES = 64 };

struct command {
  char **arguments;
  double processor[TIMES], clock[TIMES], ratio[TIMES];
  long most;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double milliseconds(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static int run(struct command *command, int number) {
  struct rusage usage;
  int status;
  double begin = now();
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    execvp(command->arguments[0], command->arguments);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
    return 1;
  command->clock[number] = now() - begin;
  command->processor[number] =
      milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  if (usage.ru_maxrss > command->most)
    command->most = usage.ru_maxrss;
  return 0;
}

static int ascending(const void *a, const void *b) {
  const double *one = a, *two = b;
  return (*one > *two) - (*one < *two);
}

static double median(double *list, int count) {
  qsort(list, (size_t)count, sizeof *list, ascending);
  return list[count / 2];
}

int main(int argc, char **argv) {
  static struct command commands[COMMANDS];
  int count = 0, times = argc > 2 ? atoi(argv[1]) : 0;
  if (times < 1 || times > TIMES)
    return 2;
  for (int i = 2; i < argc && count < COMMANDS; count++) {
    commands[count].arguments = argv + i;
    while (i < argc && strcmp(argv[i], "--") != 0)
      i++;
    if (i < argc)
      argv[i++] = NULL;
  }
  for (int i = 0; i < times; i++)
    for (int j = 0; j < count; j++)
      if (run(&commands[j], i)) {
        fprintf(stderr, "%s failed\n", commands[j].arguments[0]);
        return 1;
      }
  for (int j = 0; j < count; j++)
    for (int i = 0; i < times; i++)
      commands[j].ratio[i] =
          commands[j].processor[i] / (commands[0].processor[i] + 0.1);
  for (int j = 0; j < count; j++)
    printf("%.1f %.1f %ld %.2f\n", median(commands[j].processor, times),
           median(commands[j].clock, times), commands[j].most,
           median(commands[j].ratio, times));
  return 0;
}
