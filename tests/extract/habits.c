/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stand-ins for the GDB servers of debug probes, before QEMU's:
 *   habits SERVER SOCKET SOCKET-OF-QEMU
 * Each says what QEMU says as its documents and sources say that it would:
 * the greeting, the features, how a stop and an error look, text of its own
 * between the answers, runs of equal digits, and what detaching does.
 *
 * Others are slow: `patient` has small packets and a long way to the target;
 * `crumbs` gives a byte of memory an answer; `chatter` gives text and no
 * answer once memory is asked for; `acknowledges` gives as many +.
 */
#define _DEFAULT_SOURCE /* usleep */

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct habits {
  const char *name, *features;
  const char *stop;   /* behind T and the signal */
  const char *error;  /* of memory that cannot be read */
  const char *log;    /* a packet before a stop; NULL: none */
  bool greets;        /* acknowledges what nobody sent */
  bool keeps_alive;   /* sends text of no length before answers */
  bool runs;          /* of equal digits are made short */
  bool hardware_only; /* it has no breakpoints in memory */
  unsigned wait;      /* ms before each answer */
  bool crumbs;        /* of memory, an answer has one byte */
  const char *floods; /* in place of memory, for ever; NULL: nothing */
  bool leaves;        /* detaching closes the connection, without an answer */
} all[] = {
    {.name = "openocd",
     .features = "PacketSize=4000;qXfer:memory-map:read+;qXfer:features:read+;"
                 "qXfer:threads:read+;QStartNoAckMode+;vContSupported+",
     .stop = "",
     .error = "E0E",
     .log = "O5b6d70735d2068616c7465640a", /* "[mps] halted" */
     .greets = true,
     .keeps_alive = true},
    {.name = "jlink",
     .features = "PacketSize=4000;qXfer:memory-map:read+;QStartNoAckMode+;"
                 "hwbreak+;qXfer:features:read+",
     .stop = "thread:dead;",
     .error = "E01",
     .leaves = true},
    {.name = "pyocd",
     .features = "qXfer:features:read+;QStartNoAckMode+;qXfer:threads:read+;"
                 "QNonStop+;PacketSize=800;qXfer:memory-map:read+",
     .stop = "07:00000020;0d:f0ff3f20;0e:ffffffff;0f:00010000;thread:1;",
     .error = "E01",
     .leaves = true},
    {.name = "probe-rs",
     .features = "PacketSize=400;vContSupported+;multiprocess+;"
                 "QStartNoAckMode+;hwbreak+;qXfer:memory-map:read+",
     .stop = "thread:p01.01;hwbreak:;",
     .error = "E0e",
     .runs = true,
     .hardware_only = true},
    {.name = "patient",
     .features = "PacketSize=40;qXfer:features:read+",
     .stop = "",
     .error = "E01",
     .wait = 50},
    {.name = "crumbs",
     .features = "PacketSize=4000",
     .stop = "",
     .error = "E01",
     .wait = 30,
     .crumbs = true},
    {.name = "chatter",
     .features = "PacketSize=4000",
     .stop = "",
     .error = "E01",
     .wait = 100,
     .floods = "$O41#b4"},
    {.name = "acknowledges",
     .features = "PacketSize=4000",
     .stop = "",
     .error = "E01",
     .floods = "+"}};

enum { ROOM = 1 << 17 };

static const struct habits *habits;
static int client, qemu;

/* What came of one side, and is no whole packet yet. */
struct side {
  char bytes[ROOM];
  size_t size;
};

static void give(int to, const char *bytes, size_t size) {
  if (write(to, bytes, size) != (ssize_t)size)
    exit(0);
}

/* Digits that follow each other, as a star and their number. */
static size_t shorten(const char *text, char *to) {
  size_t size = 0;
  while (*text) {
    size_t equal = strspn(text, (char[]){*text, 0}), more = equal - 1;
    more = more > 90 ? 90 : more;
    while (more == '#' - 29 || more == '$' - 29)
      more--;
    to[size++] = *text++;
    if (more < 3)
      continue;
    to[size++] = '*';
    to[size++] = (char)(more + 29);
    text += more;
  }
  to[size] = 0;
  return size;
}

static void give_packet(int to, const char *text, bool runs) {
  static char framed[ROOM];
  char end[8];
  unsigned sum = 0;
  size_t size = runs ? shorten(text, framed + 1) : strlen(text);
  if (!runs)
    memcpy(framed + 1, text, size);
  for (size_t i = 1; i <= size; i++)
    sum += (unsigned char)framed[i];
  framed[0] = '$';
  snprintf(end, sizeof end, "#%02x", sum & 255);
  memcpy(framed + 1 + size, end, 3);
  give(to, framed, size + 4);
}

static char command[ROOM]; /* the last one */

static void flood(void) {
  for (;;) {
    usleep(habits->wait * 1000);
    give(client, habits->floods, strlen(habits->floods));
  }
}

static void on_answer(const char *text) {
  char stop[200], crumb[3];
  bool stopped = (*text == 'T' || *text == 'S') && strlen(text) >= 3;
  if (stopped) {
    snprintf(stop, sizeof stop, "T%.2s%s", text + 1, habits->stop);
    text = stop;
  } else if (!strncmp(command, "qSupported", 10)) {
    text = habits->features;
  } else if (*text == 'E') {
    text = habits->error;
  } else if (*command == 'D' && habits->leaves) {
    exit(0);
  }
  usleep(habits->wait * 1000);
  if (*command == 'm' && habits->floods)
    flood();
  if (*command == 'm' && habits->crumbs && *text != 'E') {
    snprintf(crumb, sizeof crumb, "%.2s", text);
    text = crumb;
  }
  if (stopped && habits->log)
    give_packet(client, habits->log, false);
  if (habits->keeps_alive)
    give_packet(client, "O", false);
  give_packet(client, text, habits->runs && *command == 'm');
}

static void on_command(const char *text) {
  strcpy(command, text);
  if (habits->hardware_only && (!strncmp(text, "Z0", 2))) {
    give(client, "+$#00", 5);
    return;
  }
  give_packet(qemu, text, false);
}

/* Takes packets; other bytes go on as they are. */
static void take(struct side *side, int from, int to,
                 void (*on_packet)(const char *text)) {
  long got = read(from, side->bytes + side->size, ROOM - 1 - side->size);
  if (got <= 0)
    exit(0);
  side->size += (size_t)got;
  for (size_t at = 0;;) {
    char *begin = side->bytes + at, *end;
    side->bytes[side->size] = 0;
    if (at < side->size && *begin != '$') {
      give(to, begin, 1);
      at++;
      continue;
    }
    end = at < side->size ? strchr(begin, '#') : NULL;
    if (!end || end + 3 > side->bytes + side->size) {
      side->size -= at;
      memmove(side->bytes, begin, side->size);
      return;
    }
    *end = 0;
    on_packet(begin + 1);
    at = (size_t)(end + 3 - side->bytes);
  }
}

static struct sockaddr_un local(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof name.sun_path)
    exit(2);
  strcpy(name.sun_path, path);
  return name;
}

int main(int argc, char **argv) {
  static struct side of_client, of_qemu;
  if (argc != 4)
    return 2;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i].name, argv[1]))
      habits = &all[i];
  struct sockaddr_un own = local(argv[2]), theirs = local(argv[3]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  qemu = socket(AF_UNIX, SOCK_STREAM, 0);
  for (int i = 0; connect(qemu, (void *)&theirs, sizeof theirs); i++) {
    if (i == 500)
      return 3;
    usleep(10000);
  }
  if (!habits || bind(listener, (void *)&own, sizeof own) ||
      listen(listener, 1) || (client = accept(listener, NULL, NULL)) < 0)
    return 2;
  if (habits->greets)
    give(client, "+", 1);
  for (;;) {
    struct pollfd both[] = {{.fd = client, .events = POLLIN},
                            {.fd = qemu, .events = POLLIN}};
    if (poll(both, 2, -1) < 0)
      return 3;
    if (both[0].revents)
      take(&of_client, client, qemu, on_command);
    if (both[1].revents)
      take(&of_qemu, qemu, client, on_answer);
  }
}
