/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * termios. The rates above 38400 are not in POSIX; a system that has one
 * gives it the name below. What was lost only Linux's drivers say.
 */
#include "serial.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#ifdef __linux__
#include <linux/serial.h>
#include <sys/ioctl.h>
#endif

#include "../base/error.h"

static const struct rate {
  unsigned long baud;
  speed_t speed;
} rates[] = {
    {1200, B1200},       {2400, B2400},   {4800, B4800},
    {9600, B9600},       {19200, B19200}, {38400, B38400},
#ifdef B57600
    {57600, B57600},
#endif
#ifdef B115200
    {115200, B115200},
#endif
#ifdef B230400
    {230400, B230400},
#endif
#ifdef B460800
    {460800, B460800},
#endif
#ifdef B500000
    {500000, B500000},
#endif
#ifdef B576000
    {576000, B576000},
#endif
#ifdef B921600
    {921600, B921600},
#endif
#ifdef B1000000
    {1000000, B1000000},
#endif
#ifdef B1152000
    {1152000, B1152000},
#endif
#ifdef B1500000
    {1500000, B1500000},
#endif
#ifdef B2000000
    {2000000, B2000000},
#endif
#ifdef B2500000
    {2500000, B2500000},
#endif
#ifdef B3000000
    {3000000, B3000000},
#endif
#ifdef B3500000
    {3500000, B3500000},
#endif
#ifdef B4000000
    {4000000, B4000000},
#endif
};

static const struct rate *find(unsigned long baud) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (rates[i].baud == baud)
      return &rates[i];
  return NULL;
}

/* Not HUPCL: on many boards the line that it drops is the reset. A driver may
 * take a part of the settings and be content, so the rate is read back. */
int serial_set(int fd, const char *name, unsigned long baud,
               struct termios *saved) {
  const struct rate *rate = find(baud);
  struct termios raw;
  if (!rate)
    return report(name,
                  "%lu baud has no name on this system; "
                  "use one such as 115200, 230400 or 921600",
                  baud);
  if (tcgetattr(fd, saved))
    return report(name, "%s; is it a serial device?", strerror(errno));
  raw = *saved;
  raw.c_iflag = 0;
  raw.c_oflag = 0;
  raw.c_lflag = 0;
  raw.c_cflag = CS8 | CREAD | CLOCAL;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  cfsetispeed(&raw, rate->speed);
  cfsetospeed(&raw, rate->speed);
  if (tcsetattr(fd, TCSANOW, &raw))
    return report(name, "%s; is it a serial device?", strerror(errno));
  if (!tcgetattr(fd, &raw) && cfgetospeed(&raw) == rate->speed)
    return 0;
  tcsetattr(fd, TCSANOW, saved);
  return report(name, "cannot do %lu baud; use another rate", baud);
}

struct serial_losses serial_losses(int fd) {
  struct serial_losses losses = {0, 0};
#ifdef TIOCGICOUNT
  struct serial_icounter_struct counts;
  if (!ioctl(fd, TIOCGICOUNT, &counts)) {
    losses.overrun =
        (unsigned long)counts.overrun + (unsigned long)counts.buf_overrun;
    losses.framing = (unsigned long)counts.frame;
  }
#else
  (void)fd;
#endif
  return losses;
}
