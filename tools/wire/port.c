/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of ports, what is wrong with them, and the banners of debug probes.
 */
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"

enum { BAUD = 115200 }; /* the default */

/* Milliseconds. */
enum { WRITE_PATIENCE = 2000, CONNECT_PATIENCE = 5000, RETRY = 100 };

void port_catch_signals(void) { os_catch_stop(); }

bool port_stopped(void) { return os_stopped(); }

/* ---- opening ---- */

/* Splits host:service or [host]:service in place. */
static const char *look_up(char *text, struct os_server **found) {
  const char *wrong = NULL;
  char *colon = strrchr(text, ':');
  /* getaddrinfo takes a number modulo 65536. */
  if (!colon || colon == text || !colon[1] ||
      strtoul(colon + 1, NULL, 10) > 65535)
    return "not tcp:HOST:PORT";
  *colon = 0;
  if (*text == '[' && colon[-1] == ']') {
    colon[-1] = 0;
    text++;
  }
  *found = os_server_find(text, colon + 1, &wrong);
  return wrong;
}

/* Connects to a server's addresses, or to the path of a socket. */
static int connect_to(struct port *port, const struct os_server *server,
                      const char *path) {
  const char *wrong = NULL;
  bool refused = true;
  for (int waited = 0;; waited += RETRY) {
    port->os = server ? os_server_connect(server, &refused, &wrong)
                      : os_port_local(path, &wrong);
    if (port->os || os_stopped() || !refused || waited >= CONNECT_PATIENCE)
      break;
    os_wait(RETRY);
  }
  return port->os
             ? 0
             : report(port->name,
                      "cannot connect: %s; start the other side first", wrong);
}

/* Connects to server, HOST:PORT. */
static int open_tcp(struct port *port, const char *server) {
  struct os_server *found = NULL;
  char *text = strdup(server);
  const char *wrong = text ? look_up(text, &found) : out_of_memory;
  free(text);
  if (!found)
    return report(port->name, "%s; give the host and a port number", wrong);
  int status = connect_to(port, found, NULL);
  os_server_free(found);
  return status;
}

static int open_rtt(struct port *port) {
  char server[RTT_HOST_MOST], line[RTT_CONFIG_MOST];
  int channel;
  const char *wrong = rtt_name(port->name, server, &channel);
  if (wrong)
    return report(port->name,
                  "%s; give rtt:localhost or, for example, "
                  "rtt:1@localhost:19021",
                  wrong);
  if (open_tcp(port, server))
    return 1;
  port->rtt = true;
  /* At once: J-Link waits 100 ms. */
  return channel >= 0 && port_write(port, line, rtt_config(line, channel));
}

static int open_file(struct port *port) {
  struct os_facts facts;
  const char *wrong = NULL;
  port->os = os_port_open(port->name, &wrong);
  if (!port->os)
    return report(
        port->name, "%s; %s", wrong,
        errno == EACCES
            ? "may this user read it?"
            : "is the board connected? A network port is tcp:HOST:PORT");
  if (strcmp(port->name, "-") != 0 && os_port_look(port->os, &facts) &&
      facts.kind == OS_FOLDER)
    return report(port->name, "is a folder; give a device or a log");
  return 0;
}

int port_open(struct port *port, const char *name, unsigned long baud) {
  *port = (struct port){.name = name};
  int failed = 0;
  if (!strncmp(name, "tcp:", 4))
    failed = open_tcp(port, name + 4);
  else if (!strncmp(name, "unix:", 5))
    failed = connect_to(port, NULL, name + 5);
  else if (!strncmp(name, "rtt:", 4))
    failed = open_rtt(port);
  else
    failed = open_file(port);
  if (!failed && os_port_is_serial(port->os))
    failed = os_port_set(port->os, name, baud ? baud : BAUD);
  else if (!failed && baud)
    failed = report(name, "has no baud rate; leave out --baud");
  if (!failed)
    same_input(os_port_file(port->os));
  else
    port_close(port);
  return failed;
}

void port_close(struct port *port) {
  if (port->os)
    os_port_close(port->os);
  port->os = NULL;
}

bool port_writes(const struct port *port) { return os_port_writes(port->os); }

struct os_losses port_losses(const struct port *port) {
  return os_port_losses(port->os);
}

/* ---- bytes ---- */

void port_forward(struct port *port) {
  if (os_port_writes(port->os))
    os_port_keys(port->os);
}

static void forward_keys(struct port *port) {
  unsigned char bytes[256];
  long got = os_port_read_keys(port->os, bytes, sizeof bytes);
  if (got > 0)
    port_write(port, bytes, (size_t)got);
}

long port_read(struct port *port, void *bytes, size_t size, int timeout) {
  unsigned ready = os_port_wait(port->os, timeout);
  if (ready & OS_KEYS)
    forward_keys(port);
  if (!(ready & OS_BYTES))
    return 0;
  bool banner = port->rtt && !port->banner.over;
  if (banner)
    size -= sizeof port->banner.held;
  long got = os_port_read(port->os, bytes, size);
  return got > 0 && banner
             ? (long)rtt_without_banner(&port->banner, bytes, (size_t)got)
             : got;
}

int port_write(struct port *port, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  if (!os_port_writes(port->os))
    return report(port->name, "is for listening only; give a device");
  while (size) {
    long sent = os_port_write(port->os, next, size, WRITE_PATIENCE);
    if (sent < 0)
      return report(port->name,
                    "cannot be written: %s; is the target still "
                    "there?",
                    os_error(errno));
    if (sent == 0)
      return report(port->name, "takes no more bytes; is something holding "
                                "the line?");
    next += sent;
    size -= (size_t)sent;
  }
  return 0;
}
