/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the ports of os.h on POSIX: terminals, TCP, files. Descriptors
 * that bareprof opens do not block. Standard input keeps its mode, and is read
 * only when bytes are available.
 */
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "error.h"

#ifdef __linux__
#include <linux/serial.h>
#include <sys/ioctl.h>
#endif

enum { CONNECT_PATIENCE = 5000 }; /* in milliseconds */

struct os_port {
  int in;
  int out; /* the descriptor for writing; -1: the port cannot be written */
  bool tcp;
  bool set; /* the port is a terminal, and `saved` holds its previous
               settings */
  int keys; /* the descriptor from which keys are read; -1: none */
  bool keys_set; /* `keys_saved` holds the keyboard's previous settings */
  struct termios saved, keys_saved;
  struct os_port_losses before; /* the driver's counts at os_port_set_baud */
};

void os_sleep(int milliseconds) {
  struct timespec time = {.tv_sec = milliseconds / 1000,
                          .tv_nsec = milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* ---- serial devices ---- */

static const struct baud_rate {
  unsigned long baud;
  speed_t speed;
} rates[] = {
    {1200, B1200},       {2400, B2400},       {4800, B4800},
    {9600, B9600},       {19200, B19200},     {38400, B38400},
#ifdef B230400
    {57600, B57600},     {115200, B115200},   {230400, B230400},
#endif
#ifdef B921600
    {460800, B460800},   {921600, B921600},
#endif
#ifdef B4000000
    {500000, B500000},   {576000, B576000},   {1000000, B1000000},
    {1152000, B1152000}, {1500000, B1500000}, {2000000, B2000000},
    {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
    {4000000, B4000000},
#endif
};

static const struct baud_rate *find_baud_rate(unsigned long baud) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (rates[i].baud == baud)
      return &rates[i];
  return NULL;
}

static struct os_port_losses read_losses(int fd) {
  struct os_port_losses losses = {0, 0};
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

/* Clears HUPCL, because the signal that HUPCL drops is connected to the reset
 * on many boards. A driver may report success after it applied only some
 * settings, so the rate is read back. */
int os_port_set_baud(struct os_port *port, const char *name,
                     unsigned long baud) {
  const struct baud_rate *rate = find_baud_rate(baud);
  struct termios raw;
  if (!rate)
    return report(name,
                  "this system does not support %lu baud; use a standard rate "
                  "such as 115200, 230400 or 921600",
                  baud);
  if (tcgetattr(port->in, &port->saved))
    return report(name, "%s; check that this is a serial port",
                  strerror(errno));
  raw = port->saved;
  raw.c_iflag = 0;
  raw.c_oflag = 0;
  raw.c_lflag = 0;
  raw.c_cflag = CS8 | CREAD | CLOCAL;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  cfsetispeed(&raw, rate->speed);
  cfsetospeed(&raw, rate->speed);
  if (tcsetattr(port->in, TCSANOW, &raw))
    return report(name, "%s; check that this is a serial port",
                  strerror(errno));
  if (!tcgetattr(port->in, &raw) && cfgetospeed(&raw) == rate->speed) {
    port->set = true;
    port->before = read_losses(port->in);
    return 0;
  }
  tcsetattr(port->in, TCSANOW, &port->saved);
  return report(name, "the port does not support %lu baud; use another rate",
                baud);
}

struct os_port_losses os_port_count_losses(const struct os_port *port) {
  struct os_port_losses losses = {0, 0};
  if (!port->set)
    return losses;
  losses = read_losses(port->in);
  losses.overrun -= port->before.overrun;
  losses.framing -= port->before.framing;
  return losses;
}

/* ---- opening ---- */

static struct os_port *allocate_port(int in, int out, const char **error) {
  struct os_port *port = calloc(1, sizeof *port);
  if (!port) {
    *error = out_of_memory;
    if (in > STDIN_FILENO)
      close(in);
    return NULL;
  }
  port->in = in;
  port->out = out;
  port->keys = -1;
  return port;
}

/* Opens a device for writing, too, if that is permitted. Opening a pipe blocks
 * until another program writes to the pipe, because otherwise the pipe would
 * end at once. */
struct os_port *os_port_open(const char *name, const char **error) {
  struct stat status;
  bool device = !stat(name, &status) && S_ISCHR(status.st_mode);
  int in = -1, out = -1;
  if (!strcmp(name, "-"))
    return allocate_port(STDIN_FILENO, -1, error);
  if (device)
    in = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (in >= 0)
    out = in;
  else if (!device || errno == EACCES || errno == EROFS)
    in =
        open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC | (device ? O_NONBLOCK : 0));
  if (in >= 0)
    return allocate_port(in, out, error);
  *error = strerror(errno);
  return NULL;
}

/* Connects to one address. Returns the descriptor, or -1 and errno. */
static int connect_to_address(const struct addrinfo *address) {
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

struct os_server_address {
  struct addrinfo *addresses;
};

struct os_server_address *
os_server_resolve(const char *host, const char *service, const char **error) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct os_server_address *server = malloc(sizeof *server);
  *error = out_of_memory;
  if (!server)
    return NULL;
  int wrong = getaddrinfo(host, service, &hints, &server->addresses);
  if (!wrong)
    return server;
  *error = gai_strerror(wrong);
  free(server);
  return NULL;
}

void os_server_free(struct os_server_address *server) {
  if (server)
    freeaddrinfo(server->addresses);
  free(server);
}

struct os_port *os_server_connect(const struct os_server_address *server,
                                  bool *refused, const char **error) {
  int fd = -1;
  for (const struct addrinfo *a = server->addresses; a && fd < 0;
       a = a->ai_next)
    fd = connect_to_address(a);
  *refused = fd < 0 && errno == ECONNREFUSED;
  *error = strerror(errno);
  struct os_port *port = fd < 0 ? NULL : allocate_port(fd, fd, error);
  if (port)
    port->tcp = true;
  return port;
}

const bool os_has_local_servers = true;

#ifdef __APPLE__
const char *const os_opener[2] = {"open", NULL};
#else
const char *const os_opener[2] = {"xdg-open", NULL};
#endif

struct os_port *os_port_open_local(const char *path, const char **error) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  *error = "the path in TMPDIR or in the address is too long";
  if (strlen(path) >= sizeof name.sun_path)
    return NULL;
  memcpy(name.sun_path, path, strlen(path));
  const struct addrinfo address = {.ai_family = AF_UNIX,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_addr = (struct sockaddr *)&name,
                                   .ai_addrlen = sizeof name};
  const struct os_server_address server = {
      (struct addrinfo *)(uintptr_t)&address};
  bool refused;
  return os_server_connect(&server, &refused, error);
}

struct os_port *os_port_listen(unsigned *number, const char **error) {
  struct sockaddr_in here = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*number),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int yes = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (fd >= 0 && !bind(fd, (struct sockaddr *)&here, size) && !listen(fd, 8) &&
      !getsockname(fd, (struct sockaddr *)&here, &size)) {
    *number = ntohs(here.sin_port);
    return allocate_port(fd, -1, error);
  }
  *error = strerror(errno);
  if (fd >= 0)
    close(fd);
  return NULL;
}

struct os_port *os_port_accept(const struct os_port *listener) {
  const char *error;
  int fd = accept(listener->in, NULL, NULL);
  if (fd < 0)
    return NULL;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  struct os_port *port = allocate_port(fd, fd, &error);
  if (port)
    port->tcp = true;
  return port;
}

bool os_port_can_write(const struct os_port *port) { return port->out >= 0; }

bool os_port_is_serial(const struct os_port *port) {
  return !port->tcp && port->out >= 0 && isatty(port->in);
}

bool os_port_stat(const struct os_port *port, struct os_file_info *facts) {
  return os_stat_open(port->in, facts);
}

int os_port_descriptor(const struct os_port *port) { return port->in; }

void os_port_close(struct os_port *port) {
  if (port->keys_set)
    tcsetattr(port->keys, TCSANOW, &port->keys_saved);
  if (port->set)
    tcsetattr(port->in, TCSANOW, &port->saved);
  if (port->in > STDIN_FILENO)
    close(port->in);
  free(port);
}

/* ---- bytes ---- */

void os_port_add_keys(struct os_port *port) {
  /* If another process group is in the foreground, a change of the terminal's
   * settings would stop bareprof. */
  if (isatty(STDIN_FILENO)) {
    if (tcgetpgrp(STDIN_FILENO) != getpgrp() ||
        tcgetattr(STDIN_FILENO, &port->keys_saved))
      return;
    struct termios keys = port->keys_saved;
    keys.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    keys.c_iflag &= (tcflag_t)~ICRNL; /* the Enter key then sends CR */
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    port->keys_set = !tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  port->keys = STDIN_FILENO;
}

unsigned os_port_wait(struct os_port *port, int milliseconds) {
  struct pollfd waits[2] = {{.fd = port->in, .events = POLLIN},
                            {.fd = port->keys, .events = POLLIN}};
  if (poll(waits, 2, os_is_stop_requested() ? 0 : milliseconds) <= 0)
    return 0;
  return (waits[0].revents ? OS_BYTES : 0) | (waits[1].revents ? OS_KEYS : 0);
}

long os_port_read(struct os_port *port, void *bytes, size_t size) {
  ssize_t got = read(port->in, bytes, size);
  if (got > 0)
    return got;
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

long os_port_read_keys(struct os_port *port, void *bytes, size_t size) {
  ssize_t got = read(port->keys, bytes, size);
  if (got <= 0 && (got == 0 || errno != EINTR))
    port->keys = -1;
  return got;
}

static ssize_t send_bytes(const struct os_port *port, const void *bytes,
                          size_t size) {
  if (port->tcp)
    return send(port->out, bytes, size, MSG_NOSIGNAL);
  return write(port->out, bytes, size);
}

long os_port_write(struct os_port *port, const void *bytes, size_t size,
                   int milliseconds) {
  struct pollfd waits = {.fd = port->out, .events = POLLOUT};
  for (;;) {
    ssize_t sent = send_bytes(port, bytes, size);
    if (sent > 0 || (sent < 0 && errno != EAGAIN && errno != EINTR))
      return sent;
    if (os_is_stop_requested() || !poll(&waits, 1, milliseconds))
      return 0;
  }
}
