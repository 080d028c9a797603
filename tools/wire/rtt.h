/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#ifndef BAREPROF_TOOLS_RTT_H
#define BAREPROF_TOOLS_RTT_H

#include <stdbool.h>
#include <stddef.h>

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

/* Makes what J-Link wants to hear of a channel. Returns the length. */
size_t rtt_config(char line[RTT_CONFIG_MOST], int channel);

/* Takes the banner out of the bytes of a connection, from its first byte on;
 * bytes has room for size and sizeof held more. Returns how many bytes are
 * left. */
size_t rtt_without_banner(struct rtt_banner *banner, unsigned char *bytes,
                          size_t size);

/* `bareprof receive --rtt ELF`: prints how OpenOCD, J-Link and probe-rs get at
 * the channel of the ELF's control block. Returns the exit status. */
int rtt_show(const char *elf_name, int channel);

#endif
