/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plays the debug probe for rtt.c: through QEMU's gdb server it searches RAM
 * for the control block by its id, takes what is in the ring, moves the
 * host's index, and lets the core run on, until the program ends.
 *   probe SOCKET ADDRESS SIZE OUT    RAM to search, in hexadecimal
 * Knows of RTT only what a probe does. Prints how often it took something.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Offsets in the control block of a 32-bit target with one up-buffer. */
enum { BUFFER = 28, WRITTEN = 36, TAKEN = 40, BLOCK = 48 };
enum { AT_ONCE = 1024 };

static int server = -1;

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

/* What is in the ring goes to the file; returns how much that was. */
static size_t drain(uint32_t at, FILE *out) {
  unsigned char block[BLOCK], bytes[AT_ONCE];
  read_memory(at, block, sizeof block);
  uint32_t buffer = word(block + BUFFER), size = word(block + BUFFER + 4);
  uint32_t written = word(block + WRITTEN), taken = word(block + TAKEN);
  uint32_t before = taken;
  size_t count = 0;
  while (taken != written) {
    uint32_t piece = (taken < written ? written : size) - taken;
    if (taken >= size || written >= size || piece > AT_ONCE)
      fail("the ring is broken");
    read_memory(buffer + taken, bytes, piece);
    count += fwrite(bytes, 1, piece, out);
    taken = taken + piece == size ? 0 : taken + piece;
  }
  if (taken != before)
    write_word(at + TAKEN, taken);
  return count;
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

int main(int count, char **arguments) {
  char stop[64];
  uint32_t at = 0;
  unsigned pieces = 0;
  if (count != 5)
    return 2;
  FILE *out = fopen(arguments[4], "wb");
  if (!out)
    fail(arguments[4]);
  signal(SIGPIPE, SIG_IGN);
  reach(arguments[1]);
  for (;;) {
    if (!at)
      at = search((uint32_t)strtoul(arguments[2], NULL, 16),
                  (uint32_t)strtoul(arguments[3], NULL, 16));
    pieces += at && drain(at, out);
    put("$c#63", 5);
    wait_a_little();
    if (write(server, "\003", 1) != 1)
      break;
    receive(stop, sizeof stop);
    if (stop[0] != 'T' && stop[0] != 'S')
      break;
  }
  printf("%u\n", pieces);
  return fclose(out) ? 1 : 0;
}
