/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Connects to a target through a port: a serial device, a pseudo-terminal, a
 * TCP connection, or, for listening only, a file, a pipe or standard input. A
 * port only moves bytes; receiver.c passes the bytes on to the scanner, which
 * finds frames. A function that fails prints the error with report().
 */
#ifndef BAREPROF_TOOLS_PORT_H
#define BAREPROF_TOOLS_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/os.h"

/* ---- RTT ----
 *
 * Implements the host's side of RTT. The program of a debug probe offers a
 * channel in the target's RAM as a TCP connection. J-Link's programs listen on
 * port 19021, start with some lines about themselves, and accept a channel
 * number within 100 ms. OpenOCD and probe-rs have a port for each channel, and
 * do not add text.
 *
 * The control block of a 32-bit target consists of the id "SEGGER RTT" padded
 * with zeros to 16 bytes, the number of up-buffers, the number of down-buffers,
 * and 24 bytes for each buffer: name, address, size, the target's index, the
 * host's index, mode. */

/* The state of the filter that removes the lines of J-Link's banner. Initialise
 * with zeros. */
struct banner_filter {
  char held[16]; /* the start of a line that may be a line of the banner */
  size_t held_size;
  unsigned lines; /* the number of banner lines seen so far */
  bool drops;     /* the filter is inside a line of the banner */
  bool over;      /* the banner has ended, or the server sent none */
};

enum { RTT_HOST_MOST = 256, RTT_CONFIG_MOST = 48 };

/* Splits rtt:[CHANNEL@]HOST[:PORT] into HOST:PORT and the channel. The default
 * port is J-Link's port, the default channel is -1. HOST may be an IPv6 address
 * in brackets. Returns NULL or the error. */
const char *port_parse_rtt_name(const char *name, char server[RTT_HOST_MOST],
                                int *channel);

/* Removes the banner from the bytes of a connection. The first call gets the
 * first byte of the connection. `bytes` must have space for size plus sizeof
 * held bytes. Returns how many bytes remain. */
size_t port_remove_banner(struct banner_filter *banner, unsigned char *bytes,
                          size_t size);

/* Implements `bareprof receive --rtt ELF`: prints how to reach the channel of
 * the ELF's control block with OpenOCD, J-Link and probe-rs. Returns the exit
 * status. */
int port_print_rtt_help(const char *elf_name, int channel);

struct port {
  const char *name; /* the name of the port as the user gave it */
  struct os_port *os;
  bool rtt; /* a debug probe's program serves the port through RTT */
  struct banner_filter banner;
};

/* Makes the port name of a GDB server from HOST:PORT, tcp:HOST:PORT,
 * gdb:HOST:PORT or unix:PATH. Returns 0 or 1. */
enum { SERVER_NAME = 300 };
int port_make_gdb_name(char name[SERVER_NAME], const char *server);

/* Opens a port. name is tcp:HOST:PORT or unix:PATH (both retried for some
 * seconds if nobody listens), rtt:[CHANNEL@]HOST[:PORT], a serial device (raw,
 * 8N1, no flow control; baud 0 means 115200), any other file, or "-" for
 * standard input. name must live as long as the port. Returns 0, or 1 if the
 * port was not opened. */
int port_open(struct port *port, const char *name, unsigned long baud);

/* Returns whether the port accepts bytes; files and pipes do not. */
bool port_can_write(const struct port *port);

/* Makes port_read also pass standard input (keyboard or script) to the port
 * while port_read waits. A terminal then delivers single keys without echo; its
 * signal keys still work. Do not call this function for the port `-`. */
void port_enable_keys(struct port *port);

/* Waits at most timeout milliseconds for bytes; size must be at least 64.
 * Returns how many bytes came, 0 after the timeout or a signal, or -1 at the
 * end of the file or connection. */
long port_read(struct port *port, void *bytes, size_t size, int timeout);

/* Sends all bytes. Gives up if the port accepts no byte for two seconds, or
 * after a signal. Returns 0, or 1 after an error; a port that cannot be written
 * is an error for 0 bytes, too. */
int port_write(struct port *port, const void *bytes, size_t size);

/* Returns how many bytes the driver of a serial device has lost since the port
 * was opened. Returns zeros if the driver does not count them. */
struct os_port_losses port_count_losses(const struct port *port);

/* Restores the terminals' settings, and closes the port. */
void port_close(struct port *port);

/* Makes the first Ctrl-C, SIGTERM or SIGHUP set the state that
 * port_is_stop_requested returns; port_read then returns at once. A second
 * signal ends the program. */
void port_catch_signals(void);
bool port_is_stop_requested(void);

#endif
