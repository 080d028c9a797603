/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A bad line between a target and the host:
 *   proxy PER_MILLE SEED frames|bytes
 * Listens on two ports of 127.0.0.1 that the system chooses, and prints them:
 * the target's, then the host's. The target connects once, and its end is the
 * end; the host as often as it likes. What the target sends while there is no
 * host waits, up to a limit. Host to target nothing is changed; of what the
 * other way goes, so many in a thousand are lost or damaged, half and half:
 * whole frames, or single bytes. The same seed and bytes meet the same faults.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What waits for the host, and in `frame` for its own end. */
enum { FRAME_MOST = 4096, WAITING_MOST = 1 << 20 };

static struct {
  unsigned per_mille;
  bool frames;
  uint32_t random;
  unsigned char frame[FRAME_MOST];
  size_t frame_size;
  unsigned char waiting[WAITING_MOST];
  size_t waiting_size;
  unsigned units, faults;
} line;

static void fail(const char *what) {
  fprintf(stderr, "proxy: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* xorshift32. */
static uint32_t draw(uint32_t below) {
  line.random ^= line.random << 13;
  line.random ^= line.random >> 17;
  line.random ^= line.random << 5;
  return line.random % below;
}

static void put(const unsigned char *bytes, size_t size) {
  if (size > WAITING_MOST - line.waiting_size)
    size = WAITING_MOST - line.waiting_size;
  memcpy(line.waiting + line.waiting_size, bytes, size);
  line.waiting_size += size;
}

/* A frame or a byte, as it is, not at all, or with one bit changed. */
static void put_unit(unsigned char *bytes, size_t size) {
  line.units++;
  if (draw(1000) < line.per_mille) {
    line.faults++;
    if (draw(2))
      return;
    bytes[draw((uint32_t)size)] ^= (unsigned char)(1 << draw(7));
  }
  put(bytes, size);
}

/* Where a frame of either encoding ends, if the bytes so far begin one. */
static bool ends(const unsigned char *bytes, size_t size) {
  unsigned char last = bytes[size - 1];
  return bytes[0] == '~' ? last == '}' : last == 0xFB;
}

static bool begins(const unsigned char *bytes, size_t size) {
  if (bytes[0] == '~')
    return size == 1 || bytes[1] == '{';
  return bytes[0] == 0xFA;
}

static void from_target(unsigned char byte) {
  if (!line.frames) {
    put_unit(&byte, 1);
    return;
  }
  line.frame[line.frame_size++] = byte;
  if (!begins(line.frame, line.frame_size) || line.frame_size == FRAME_MOST)
    put(line.frame, line.frame_size);
  else if (ends(line.frame, line.frame_size))
    put_unit(line.frame, line.frame_size);
  else
    return;
  line.frame_size = 0;
}

static int listen_at(unsigned *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 1) ||
      getsockname(fd, (struct sockaddr *)&address, &size))
    fail("listen");
  *port = ntohs(address.sin_port);
  return fd;
}

static int accept_from(int listener) {
  int on = 1;
  int fd = accept(listener, NULL, NULL);
  if (fd < 0)
    fail("accept");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

/* Whether all bytes went. */
static bool send_all(int fd, const unsigned char *bytes, size_t size) {
  while (size) {
    ssize_t sent = write(fd, bytes, size);
    if (sent < 0)
      return false;
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* One round; false when the target has gone. */
static bool pass(int target, int listener, int *host) {
  unsigned char bytes[4096];
  struct pollfd waits[] = {{target, POLLIN, 0},
                           {*host < 0 ? listener : *host, POLLIN, 0}};
  if (poll(waits, 2, -1) < 0)
    fail("poll");
  if (waits[0].revents) {
    ssize_t got = read(target, bytes, sizeof bytes);
    for (ssize_t i = 0; i < got; i++)
      from_target(bytes[i]);
    if (got <= 0)
      return false;
  }
  if (waits[1].revents && *host < 0) {
    *host = accept_from(listener);
  } else if (waits[1].revents) {
    ssize_t got = read(*host, bytes, sizeof bytes);
    if (got <= 0 || !send_all(target, bytes, (size_t)got)) {
      close(*host);
      *host = -1;
    }
  }
  return true;
}

int main(int count, char **arguments) {
  unsigned ports[2];
  if (count != 4)
    return 2;
  alarm(60); /* Whoever has started it may have gone. */
  signal(SIGPIPE, SIG_IGN);
  line.per_mille = (unsigned)strtoul(arguments[1], NULL, 10);
  line.random = (uint32_t)strtoul(arguments[2], NULL, 10) * 2654435761u + 1;
  line.frames = !strcmp(arguments[3], "frames");
  int for_target = listen_at(&ports[0]), for_host = listen_at(&ports[1]);
  printf("%u %u\n", ports[0], ports[1]);
  fflush(stdout);
  int target = accept_from(for_target), host = -1;
  bool running = true;
  while (running) {
    running = pass(target, for_host, &host);
    if (host >= 0 && send_all(host, line.waiting, line.waiting_size))
      line.waiting_size = 0;
  }
  fprintf(stderr, "proxy: %u faults in %u\n", line.faults, line.units);
  return 0;
}
