/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A user at a terminal:
 *   typist TEXT COMMAND [ARGUMENT...]
 * Runs the command on a pseudo-terminal of its own, and types the text's
 * characters (^ and a letter: that control character), the next one when
 * something has been shown and then, for a second, nothing new.
 * Prints all that the terminal shows. Ends as the command does, or, after 30
 * seconds, with 124.
 */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THINKING = 1000, MOST = 30000 }; /* milliseconds */

/* The child: the first terminal that the leader of a session opens is its. */
static void run(const char *terminal, char **command) {
  setsid();
  int fd = open(terminal, O_RDWR);
  if (fd < 0)
    _exit(126);
  dup2(fd, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  setenv("TERM", "vt100", 1);
  execvp(*command, command);
  _exit(127);
}

static const char *type(int fd, const char *text) {
  char key = *text++;
  if (key == '^' && *text)
    key = (char)(*text++ & 31);
  return write(fd, &key, 1) == 1 ? text : text - 1;
}

int main(int count, char **arguments) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY);
  int status, waited = 0;
  bool begun = false;
  char shown[4096];
  if (count < 3 || fd < 0 || grantpt(fd) || unlockpt(fd))
    return 2;
  const char *text = arguments[1];
  pid_t child = fork();
  if (child == 0)
    run(ptsname(fd), arguments + 2);
  for (;;) {
    struct pollfd waits = {fd, POLLIN, 0};
    if (poll(&waits, 1, THINKING) > 0) {
      ssize_t got = read(fd, shown, sizeof shown);
      begun = true;
      if (got > 0)
        fwrite(shown, 1, (size_t)got, stdout);
      else if (waitpid(child, &status, 0) == child)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
    } else if (*text && begun) {
      text = type(fd, text);
    } else if ((waited += THINKING) > MOST) {
      kill(child, SIGKILL);
      return 124;
    }
  }
}
