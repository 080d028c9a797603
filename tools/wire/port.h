/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The connection to a target, for its bytes and for requests: a serial device,
 * a pseudo-terminal, a TCP connection, or, for listening only, a file, a pipe
 * or standard input. A port moves bytes and does not know frames. Functions
 * that fail have printed the error with report().
 */
#ifndef BAREPROF_TOOLS_PORT_H
#define BAREPROF_TOOLS_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/os.h"

/* ---- RTT ----
 *
 * RTT on the host's side: a debug probe's program gives a channel of the
 * target's RAM as a TCP connection. J-Link's programs listen on port 19021,
 * begin with some lines about themselves, and take the number of a channel
 * within 100 ms. OpenOCD and probe-rs have a port for each channel, and say
 * nothing.
 *
 * The control block, of a 32-bit target: the id "SEGGER RTT" and zeros (16
 * bytes), the number of up-buffers and of down-buffers, then 24 bytes for each
 * buffer: name, address, size, index of the target, index of the host, mode.
 */

/* J-Link's lines about itself, as they come in pieces. All 0 at first. */
struct rtt_banner {
  char held[16]; /* the begin of a line that may be of the banner */
  size_t held_size;
  unsigned lines; /* of the banner, until now */
  bool drops;     /* within a line of the banner */
  bool over;
};

enum { RTT_HOST_MOST = 256, RTT_CONFIG_MOST = 48 };

/* Splits rtt:[CHANNEL@]HOST[:PORT], where HOST may be an address of IPv6 in
 * brackets, into HOST:PORT (J-Link's port if there is none) and a channel, -1
 * if there is none. Returns NULL or the error. */
const char *rtt_name(const char *name, char server[RTT_HOST_MOST],
                     int *channel);

/* Takes the banner out of the bytes of a connection, from its first byte on;
 * bytes has room for size and sizeof held more. Returns how many bytes are
 * left. */
size_t rtt_without_banner(struct rtt_banner *banner, unsigned char *bytes,
                          size_t size);

/* `bareprof receive --rtt ELF`: prints how OpenOCD, J-Link and probe-rs get at
 * the channel of the ELF's control block. Returns the exit status. */
int rtt_show(const char *elf_name, int channel);

struct port {
  const char *name; /* as the user gave it */
  struct os_port *os;
  bool rtt; /* of a debug probe's program */
  struct rtt_banner banner;
};

/* The port of a GDB server: HOST:PORT, also with tcp: or gdb: in front, or
 * unix:PATH. Returns 0 or 1. */
enum { SERVER_NAME = 300 };
int port_of_server(char name[SERVER_NAME], const char *server);

/* Opens tcp:HOST:PORT or unix:PATH, a socket in the file system (both retried
 * for some seconds if nobody listens), rtt:[CHANNEL@]HOST[:PORT] (port.c; a
 * channel is told to J-Link), a serial
 * device (raw, 8N1, no flow control; baud 0 is 115200), or any other file; "-"
 * is standard input. name must live as long as the port. Returns 0, or 1: then
 * there is nothing to close. */
int port_open(struct port *port, const char *name, unsigned long baud);

/* Whether the port is not for listening only. */
bool port_writes(const struct port *port);

/* From now on, bytes of standard input (the user's keyboard or a script) go to
 * the port while port_read waits. A terminal then gives single keys without
 * echo; its signal keys still work. Not for a port that is `-`. */
void port_forward(struct port *port);

/* Waits for bytes, at most timeout milliseconds; size is 64 at least. Returns
 * how many came; 0 when the time is over or a signal came; -1 at the end of the
 * file or when the other side has gone. */
long port_read(struct port *port, void *bytes, size_t size, int timeout);

/* Sends all bytes. Gives up when the port takes none for two seconds, or is
 * stopped. Returns 0 or 1. */
int port_write(struct port *port, const void *bytes, size_t size);

/* Returns the losses that the driver of a serial device has counted since it
 * was opened; all 0 if the driver does not count. */
struct os_losses port_losses(const struct port *port);

/* Gives terminals their settings back, and closes the port. */
void port_close(struct port *port);

/* Ctrl-C, SIGTERM and SIGHUP no longer end the program at once. The first
 * signal makes port_stopped true and port_read return at once. A second signal
 * ends the program. */
void port_catch_signals(void);
bool port_stopped(void);

#endif
