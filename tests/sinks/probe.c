/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plays the debug probe for RTT: through QEMU's gdb server it searches RAM for
 * the control block by its id, takes what is in the ring, moves the host's
 * index, and lets the core run on, until the program ends.
 *   probe SOCKET ADDRESS SIZE OUT    RAM to search, in hexadecimal
 * Knows of RTT only what a probe does. Prints how often it took something.
 *
 * Or it plays the probe's program, too: prints a port, lets one host connect,
 * and moves bytes both ways, until the host has gone.
 *   probe SOCKET ADDRESS SIZE openocd|probe-rs:CHANNEL    says nothing itself
 *   probe SOCKET ADDRESS SIZE jlink      says who it is, and waits for the
 *                                        number of a channel
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The control block of a 32-bit target: id, numbers of up- and down-buffers,
 * the buffers. And offsets in a buffer. */
enum { UP_COUNT = 16, DOWN_COUNT = 20, BUFFERS = 24, EACH = 24 };
enum { BUFFER = 4, SIZE = 8, WRITTEN = 12, TAKEN = 16 };
enum { AT_ONCE = 1024 };

static int server = -1, host = -1;
static unsigned channel;

static void fail(const char *what) {
  fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void wait_a_little(void) {
  const struct timespec two_ms = {0, 2000000};
  nanosleep(&two_ms, NULL);
}

static void put(const char *bytes, size_t size) {
  if (write(server, bytes, size) != (ssize_t)size)
    fail("write");
}

/* -1 when QEMU has gone. */
static int get(void) {
  unsigned char byte;
  return read(server, &byte, 1) == 1 ? byte : -1;
}

/* The next packet; an empty one when there is none any more. */
static void receive(char *packet, size_t room) {
  int byte;
  size_t size = 0;
  while ((byte = get()) != '$' && byte != -1) {
  }
  while (byte != -1 && (byte = get()) != '#' && byte != -1)
    if (size + 1 < room)
      packet[size++] = (char)byte;
  packet[size] = 0;
  if (byte == -1 || get() == -1 || get() == -1)
    packet[0] = 0;
  else
    put("+", 1);
}

/* A request and its reply, past what the server says of stops meanwhile. */
static void ask(const char *request, char *reply, size_t room) {
  char packet[64];
  unsigned sum = 0;
  for (const char *at = request; *at; ++at)
    sum += (unsigned char)*at;
  put(packet,
      (size_t)snprintf(packet, sizeof packet, "$%s#%02x", request, sum & 0xff));
  do
    receive(reply, room);
  while (reply[0] == 'T');
}

/* Of stopped memory; size is at most AT_ONCE. */
static void read_memory(uint32_t address, unsigned char *to, size_t size) {
  char text[2 * AT_ONCE + 8];
  snprintf(text, sizeof text, "m%x,%zx", (unsigned)address, size);
  ask(text, text, sizeof text);
  for (size_t i = 0; i < size; ++i) {
    unsigned byte;
    if (sscanf(text + 2 * i, "%2x", &byte) != 1)
      fail("memory cannot be read");
    to[i] = (unsigned char)byte;
  }
}

static uint32_t word(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

static void write_word(uint32_t address, uint32_t value) {
  char text[64];
  snprintf(text, sizeof text, "M%x,4:%02x%02x%02x%02x", (unsigned)address,
           (unsigned)(value & 0xff), (unsigned)(value >> 8 & 0xff),
           (unsigned)(value >> 16 & 0xff), (unsigned)(value >> 24));
  ask(text, text, sizeof text);
  if (strcmp(text, "OK") != 0)
    fail("memory cannot be written");
}

/* The address of the block, or 0. */
static uint32_t search(uint32_t begin, uint32_t size) {
  unsigned char memory[AT_ONCE];
  for (uint32_t at = begin; at - begin < size; at += AT_ONCE / 2) {
    read_memory(at, memory, AT_ONCE);
    for (size_t i = 0; i <= AT_ONCE / 2; i += 4)
      if (memcmp(memory + i, "SEGGER RTT\0\0\0\0\0", 16) == 0)
        return at + (uint32_t)i;
  }
  return 0;
}

static void to_host(const unsigned char *bytes, size_t size, FILE *out) {
  if (out)
    fwrite(bytes, 1, size, out);
  else if (send(host, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
    fail("the host does not take bytes");
}

/* What is in the up-buffer goes out; returns how much that was. */
static size_t drain(uint32_t at, FILE *out) {
  unsigned char ring[EACH], bytes[AT_ONCE];
  read_memory(at, ring, sizeof ring);
  uint32_t buffer = word(ring + BUFFER), size = word(ring + SIZE);
  uint32_t written = word(ring + WRITTEN), taken = word(ring + TAKEN);
  uint32_t before = taken;
  size_t count = 0;
  while (taken != written) {
    uint32_t piece = (taken < written ? written : size) - taken;
    if (taken >= size || written >= size || piece > AT_ONCE)
      fail("the ring is broken");
    read_memory(buffer + taken, bytes, piece);
    to_host(bytes, piece, out);
    count += piece;
    taken = taken + piece == size ? 0 : taken + piece;
  }
  if (taken != before)
    write_word(at + TAKEN, taken);
  return count;
}

static void write_byte(uint32_t address, unsigned char byte) {
  char text[64];
  snprintf(text, sizeof text, "M%x,1:%02x", (unsigned)address, byte);
  ask(text, text, sizeof text);
  if (strcmp(text, "OK") != 0)
    fail("memory cannot be written");
}

/* What the host sends goes into the down-buffer, as far as there is room; none
 * before the target has given the buffer. False if the host has gone. */
static int fill(uint32_t at) {
  unsigned char ring[EACH], byte;
  read_memory(at, ring, sizeof ring);
  uint32_t buffer = word(ring + BUFFER), size = word(ring + SIZE);
  uint32_t written = word(ring + WRITTEN), taken = word(ring + TAKEN);
  struct pollfd waits = {.fd = host, .events = POLLIN};
  while (size && (written + 1) % size != taken && poll(&waits, 1, 0) == 1) {
    if (recv(host, &byte, 1, 0) != 1)
      return 0;
    write_byte(buffer + written, byte);
    written = (written + 1) % size;
  }
  if (size)
    write_word(at + WRITTEN, written);
  return 1;
}

/* The buffers of the channel, both ways; true while a host is there. */
static int serve(uint32_t at) {
  unsigned char counts[8];
  read_memory(at + UP_COUNT, counts, sizeof counts);
  uint32_t ups = word(counts), downs = word(counts + 4);
  if (channel >= ups || channel >= downs)
    fail("there is no such channel");
  drain(at + BUFFERS + EACH * channel, NULL);
  return fill(at + BUFFERS + EACH * (ups + channel));
}

/* J-Link's programs: a banner in pieces, then a channel or what was said
 * instead, which the target gets. J-Link waits 100 ms, which a busy machine may
 * need for itself. */
static void greet(void) {
  static const char *const banner[] = {
      "SEGGER J-Link V7.96f - Real time ", "terminal output\r\nJ-Li",
      "nk ARM V10 compiled Jan 1 2024, SN=1\r\n", "Process: JLinkExe\r\n"};
  static const char wanted[] = "$$SEGGER_TELNET_ConfigStr=RTTCh;";
  char said[64] = "";
  struct pollfd waits = {.fd = host, .events = POLLIN};
  for (unsigned i = 0; i < 4; i++, wait_a_little())
    to_host((const unsigned char *)banner[i], strlen(banner[i]), NULL);
  if (poll(&waits, 1, 2000) == 1 &&
      recv(host, said, sizeof said - 1, MSG_PEEK) > 0 &&
      strncmp(said, wanted, sizeof wanted - 1) == 0) {
    channel = (unsigned)atoi(said + sizeof wanted - 1);
    size_t size = (size_t)(strstr(said + 2, "$$") + 2 - said);
    if (recv(host, said, size, 0) != (ssize_t)size)
      fail("the host has gone");
  }
}

/* Prints the port, and waits for the host. */
static void await_host(const char *style) {
  struct sockaddr_in name = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&name, size) ||
      getsockname(listener, (struct sockaddr *)&name, &size) ||
      listen(listener, 1))
    fail("listen");
  printf("%u\n", ntohs(name.sin_port));
  fflush(stdout);
  host = accept(listener, NULL, NULL);
  if (host < 0)
    fail("accept");
  const char *number = strchr(style, ':');
  if (number)
    channel = (unsigned)atoi(number + 1);
  else
    greet();
}

static void reach(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof name.sun_path)
    fail("the path is too long");
  strcpy(name.sun_path, path);
  for (unsigned tries = 0; tries < 2000; ++tries) {
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&name, sizeof name) == 0)
      return;
    close(server);
    wait_a_little();
  }
  fail("no server");
}

/* Lets the core run a little. False when QEMU has gone. */
static int run_on(void) {
  char stop[64];
  put("$c#63", 5);
  wait_a_little();
  if (write(server, "\003", 1) != 1)
    return 0;
  receive(stop, sizeof stop);
  return stop[0] == 'T' || stop[0] == 'S';
}

int main(int count, char **arguments) {
  uint32_t at = 0;
  unsigned pieces = 0;
  FILE *out = NULL;
  if (count != 5)
    return 2;
  signal(SIGPIPE, SIG_IGN);
  int serves = strcmp(arguments[4], "jlink") == 0 || strchr(arguments[4], ':');
  if (!serves && !(out = fopen(arguments[4], "wb")))
    fail(arguments[4]);
  reach(arguments[1]);
  /* Not for ever, if no host comes. */
  alarm(serves ? 60 : 0);
  if (serves)
    await_host(arguments[4]);
  do {
    if (!at)
      at = search((uint32_t)strtoul(arguments[2], NULL, 16),
                  (uint32_t)strtoul(arguments[3], NULL, 16));
    if (at && serves && !serve(at))
      return 0;
    pieces += at && out && drain(at + BUFFERS, out);
  } while (run_on());
  printf("%u\n", pieces);
  return out ? fclose(out) != 0 : 1;
}
