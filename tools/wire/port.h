/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where bytes of a target come from, and requests to it go: a serial device,
 * a pseudo-terminal, a TCP connection, or, for listening only, a file, a pipe
 * or standard input. It moves bytes and knows nothing of frames. Functions
 * that fail have printed why, by report().
 */
#ifndef BAREPROF_TOOLS_PORT_H
#define BAREPROF_TOOLS_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* What a driver says that has been lost, ever; all 0 if it does not. */
struct serial_losses {
  unsigned long overrun; /* bytes that came faster than they were taken */
  unsigned long framing; /* bytes that were none: noise, another rate */
};

struct port {
  const char *name; /* as the user gave it */
  int in;
  int out; /* -1: for listening only */
  bool tcp;
  bool set; /* a terminal whose settings before are in saved */
  int keys; /* the user's end, -1: none */
  bool keys_set;
  struct termios saved, keys_saved;
  struct serial_losses before; /* the driver's numbers when it was opened */
};

/* Opens tcp:HOST:PORT (tried again for some seconds while nobody listens), a
 * serial device (raw, 8N1, no flow control; baud 0 is 115200),
 * or any other file; "-" is standard input. name must live as long as the
 * port. 0, or 1: then there is nothing to close. */
int port_open(struct port *port, const char *name, unsigned long baud);

/* From now on what comes on fd, the user's keyboard or a script, goes to the
 * port while port_read waits. A terminal gives single keys then, without
 * echo; its keys for signals go on working. Not for a port that is `-`. */
void port_forward(struct port *port, int fd);

/* Waits for bytes, at most timeout milliseconds. How many there are in bytes
 * now; 0 when the time is over, or early when a signal came; -1 when nothing
 * will come any more: the end of the file, or the other side has gone. */
long port_read(struct port *port, void *bytes, size_t size, int timeout);

/* Sends all of the bytes; gives up when the port takes none for two seconds,
 * or is stopped. 0, or 1. */
int port_write(struct port *port, const void *bytes, size_t size);

/* What a serial device has lost since it was opened. */
struct serial_losses port_losses(const struct port *port);

/* Gives terminals their settings back, and closes the port. */
void port_close(struct port *port);

/* Ctrl-C, SIGTERM and SIGHUP no longer end the program: the first makes
 * port_stopped true, and port_read return at once. A second one ends it. */
void port_catch_signals(void);
bool port_stopped(void);

#endif
