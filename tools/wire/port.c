/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bytes from and to a target: POSIX terminals, TCP, files. Descriptors that
 * bareprof opens do not block. Standard input keeps its mode, and is read only
 * when bytes are there. The signals' flag is the only global state.
 */
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/error.h"
#include "../base/file.h"

#ifdef __linux__
#include <linux/serial.h>
#include <sys/ioctl.h>
#endif

/* ---- serial devices ---- */

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

static const struct rate *find_rate(unsigned long baud) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (rates[i].baud == baud)
      return &rates[i];
  return NULL;
}

/* Sets the terminal fd, and saves the previous settings for tcsetattr. name is
 * for the error message. Returns 0, or 1: nothing has changed. */
/* Not HUPCL: on many boards the line that it drops is the reset. A driver may
 * report success after it took only a part of the settings, so the rate is read
 * back. */
static int serial_set(int fd, const char *name, unsigned long baud,
                      struct termios *saved) {
  const struct rate *rate = find_rate(baud);
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

static struct serial_losses serial_losses(int fd) {
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

enum { BAUD = 115200 }; /* the default */

/* Milliseconds. */
enum { WRITE_PATIENCE = 2000, CONNECT_PATIENCE = 5000, RETRY = 100 };

/* ---- signals ---- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t stopped;
static struct sigaction before[SIGNALS];

/* The next signal of this kind ends the program, as by default. */
static void note_signal(int number) {
  stopped = 1;
  for (unsigned i = 0; i < SIGNALS; i++)
    if (signals[i] == number)
      sigaction(number, &before[i], NULL);
}

void port_catch_signals(void) {
  struct sigaction action = {.sa_flags = 0};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < SIGNALS; i++)
    sigaction(signals[i], &action, &before[i]);
}

bool port_stopped(void) { return stopped; }

/* ---- opening ---- */

static void wait_for(int milliseconds) {
  struct timespec time = {.tv_sec = milliseconds / 1000,
                          .tv_nsec = milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* Connects to one address. Returns the descriptor, or -1 and errno. */
static int connect_to(const struct addrinfo *address) {
  int fd = socket(address->ai_family, address->ai_socktype, 0);
  if (fd < 0)
    return -1;
  int error = 0;
  socklen_t size = sizeof error;
  struct pollfd waits = {.fd = fd, .events = POLLOUT};
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  if (connect(fd, address->ai_addr, address->ai_addrlen))
    error = errno;
  if (error == EINPROGRESS) {
    int ready = poll(&waits, 1, CONNECT_PATIENCE);
    if (ready <= 0)
      error = ready ? errno : ETIMEDOUT;
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
      error = errno;
  }
  if (!error)
    return fd;
  close(fd);
  errno = error;
  return -1;
}

/* Splits host:service or [host]:service in place. */
static const char *look_up(char *text, struct addrinfo **found) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
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
  int error = getaddrinfo(text, colon + 1, &hints, found);
  return error ? gai_strerror(error) : NULL;
}

/* Connects to server, HOST:PORT. */
static int open_tcp(struct port *port, const char *server) {
  struct addrinfo *found = NULL;
  char *text = strdup(server);
  const char *wrong = text ? look_up(text, &found) : out_of_memory;
  if (wrong) {
    report(port->name, "%s; give the host and a port number", wrong);
    free(text);
    return 1;
  }
  free(text);
  for (int waited = 0; port->in < 0; waited += RETRY) {
    for (const struct addrinfo *a = found; a && port->in < 0; a = a->ai_next)
      port->in = connect_to(a);
    if (port->in >= 0 || stopped || errno != ECONNREFUSED ||
        waited >= CONNECT_PATIENCE)
      break;
    wait_for(RETRY);
  }
  int error = errno;
  freeaddrinfo(found);
  if (port->in < 0)
    return report(port->name, "cannot connect: %s; start the other side first",
                  strerror(error));
  port->tcp = true;
  port->out = port->in;
  return 0;
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

/* Opens devices for writing too, if that is allowed. Opening a pipe blocks
 * until another program writes, because otherwise the pipe would end at
 * once. */
static int open_file(struct port *port) {
  struct stat status;
  bool device = !stat(port->name, &status) && S_ISCHR(status.st_mode);
  if (device)
    port->in = open(port->name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (port->in >= 0)
    port->out = port->in;
  else if (!device || errno == EACCES || errno == EROFS)
    port->in = open(port->name, O_RDONLY | O_NOCTTY | O_CLOEXEC |
                                    (device ? O_NONBLOCK : 0));
  if (port->in < 0)
    return report(
        port->name, "%s; %s", strerror(errno),
        errno == EACCES
            ? "may this user read it?"
            : "is the board connected? A network port is tcp:HOST:PORT");
  if (!fstat(port->in, &status) && S_ISDIR(status.st_mode))
    return report(port->name, "is a folder; give a device or a log");
  return 0;
}

int port_open(struct port *port, const char *name, unsigned long baud) {
  *port = (struct port){.name = name, .in = -1, .out = -1, .keys = -1};
  int failed = 0;
  if (!strcmp(name, "-"))
    port->in = STDIN_FILENO;
  else if (!strncmp(name, "tcp:", 4))
    failed = open_tcp(port, name + 4);
  else if (!strncmp(name, "rtt:", 4))
    failed = open_rtt(port);
  else
    failed = open_file(port);
  if (!failed && !port->tcp && port->out >= 0 && isatty(port->in)) {
    failed = serial_set(port->in, name, baud ? baud : BAUD, &port->saved);
    port->set = !failed;
    port->before = serial_losses(port->in);
  } else if (!failed && baud)
    failed = report(name, "has no baud rate; leave out --baud");
  if (failed && port->in > STDIN_FILENO)
    close(port->in);
  if (!failed)
    same_input(port->in);
  return failed;
}

void port_close(struct port *port) {
  if (port->keys_set)
    tcsetattr(port->keys, TCSANOW, &port->keys_saved);
  if (port->set)
    tcsetattr(port->in, TCSANOW, &port->saved);
  if (port->in > STDIN_FILENO)
    close(port->in);
  port->in = port->out = port->keys = -1;
  port->set = port->keys_set = false;
}

struct serial_losses port_losses(const struct port *port) {
  struct serial_losses losses = {0, 0};
  if (!port->set)
    return losses;
  losses = serial_losses(port->in);
  losses.overrun -= port->before.overrun;
  losses.framing -= port->before.framing;
  return losses;
}

/* ---- bytes ---- */

void port_forward(struct port *port, int fd) {
  if (port->out < 0)
    return;
  /* A terminal of another foreground group would stop bareprof. */
  if (isatty(fd)) {
    if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &port->keys_saved))
      return;
    struct termios keys = port->keys_saved;
    keys.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    keys.c_iflag &= (tcflag_t)~ICRNL; /* Enter is CR, as on the wire. */
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    port->keys_set = !tcsetattr(fd, TCSANOW, &keys);
  }
  port->keys = fd;
}

static void forward_keys(struct port *port) {
  unsigned char bytes[256];
  ssize_t got = read(port->keys, bytes, sizeof bytes);
  if (got > 0)
    port_write(port, bytes, (size_t)got);
  else if (got == 0 || errno != EINTR)
    port->keys = -1;
}

long port_read(struct port *port, void *bytes, size_t size, int timeout) {
  struct pollfd waits[2] = {{.fd = port->in, .events = POLLIN},
                            {.fd = port->keys, .events = POLLIN}};
  if (poll(waits, 2, stopped ? 0 : timeout) <= 0)
    return 0;
  if (waits[1].revents)
    forward_keys(port);
  if (!waits[0].revents)
    return 0;
  bool banner = port->rtt && !port->banner.over;
  if (banner)
    size -= sizeof port->banner.held;
  ssize_t got = read(port->in, bytes, size);
  if (got > 0)
    return banner ? (long)rtt_without_banner(&port->banner, bytes, (size_t)got)
                  : got;
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static ssize_t send_some(const struct port *port, const void *bytes,
                         size_t size) {
  if (port->tcp)
    return send(port->out, bytes, size, MSG_NOSIGNAL);
  return write(port->out, bytes, size);
}

int port_write(struct port *port, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  if (port->out < 0)
    return report(port->name, "is for listening only; give a device");
  while (size) {
    ssize_t sent = send_some(port, next, size);
    if (sent > 0) {
      next += sent;
      size -= (size_t)sent;
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return report(port->name,
                    "cannot be written: %s; is the target still "
                    "there?",
                    strerror(errno));
    struct pollfd waits = {.fd = port->out, .events = POLLOUT};
    if (stopped || !poll(&waits, 1, WRITE_PATIENCE))
      return report(port->name, "takes no more bytes; is something holding "
                                "the line?");
  }
  return 0;
}
