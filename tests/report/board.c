/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A board at a serial port, which is a pseudo-terminal in its default settings:
 * it echoes, as a tty does that nobody has set. Prints the port's name, waits
 * until the port is raw, sends the file, and stays. Then it prints how many
 * bytes have come back.
 *
 *     board FILE [SECONDS]
 */
#define _XOPEN_SOURCE 600
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void nap(void) {
  const struct timespec while_ = {0, 20000000};
  nanosleep(&while_, NULL);
}

static long drain(int fd) {
  char bytes[256];
  struct pollfd waits = {.fd = fd, .events = POLLIN};
  long count = 0, got;
  while (poll(&waits, 1, 0) > 0 && waits.revents & POLLIN &&
         (got = read(fd, bytes, sizeof bytes)) > 0)
    count += got;
  return count;
}

int main(int argc, char **argv) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  double seconds = argc > 2 ? atof(argv[2]) : 1;
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (master < 0 || grantpt(master) || unlockpt(master) || !file)
    return 2;
  /* Held open, or the master would see a hang-up. */
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  struct termios settings;
  printf("%s\n", ptsname(master));
  fflush(stdout);
  for (int i = 0; i < 1000; i++) {
    if (!tcgetattr(slave, &settings) && !(settings.c_lflag & ECHO))
      break;
    nap();
  }
  long back = 0;
  for (int byte; (byte = getc(file)) != EOF;) {
    char sent = (char)byte;
    if (write(master, &sent, 1) != 1)
      return 2;
    back += drain(master);
  }
  for (double waited = 0; waited < seconds; waited += 0.02) {
    nap();
    back += drain(master);
  }
  printf("%ld came back\n", back);
  return 0;
}
