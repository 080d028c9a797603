/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The settings of a serial device: raw, 8 data bits, no parity, no flow
 * control, a rate. POSIX termios and nothing more: a rate for which the
 * system has no name is refused.
 */
#ifndef BAREPROF_TOOLS_SERIAL_H
#define BAREPROF_TOOLS_SERIAL_H

#include <termios.h>

/* Sets the terminal fd, and keeps in saved what tcsetattr then takes to undo
 * it. name is for the error that is printed. 0, or 1: nothing has changed. */
int serial_set(int fd, const char *name, unsigned long baud,
               struct termios *saved);

/* What a driver says that has been lost, ever; all 0 if it does not. */
struct serial_losses {
  unsigned long overrun; /* bytes that came faster than they were taken */
  unsigned long framing; /* bytes that were none: noise, another rate */
};
struct serial_losses serial_losses(int fd);

#endif
