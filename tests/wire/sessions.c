/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests over TCP to a firmware that restarts: `bareprof receive` runs as it
 * is, and this is the firmware, by the runtime's own code. It has counters,
 * the raw section of MIP (whose build a restart may change), or samples. A
 * restart comes in any byte of what is sent, also between frames and dumps.
 * What may never happen: a file that no moment of one start had; of increments,
 * a difference that no start had.
 *
 *   sessions RECEIVER FOLDER COUNT [SEED [AT-ONCE]]
 *   sessions RECEIVER FOLDER show SEED     one session, its files kept
 */
#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bareprof_mip.h"
#include "bareprof_sampler.h"
#include "../../runtime/image.h"

enum {
  COUNTERS_MOST = 400,
  BITMAP = 24,
  MOMENTS_MOST = 200,
  DUMPS = 3,
  FILE_MOST = 1 << 16,
  PATIENCE = 300, /* polls of 20 ms without a byte */
  HEADER = 24,    /* of MIP, whose raw bytes follow it */
  HASH = 12,      /* of MIP's build */
  SAMPLES = 50,
  SAMPLES_FILE = sizeof(struct bareprof_samples) + SAMPLES * 16
};

/* The memory of an image; of samples, the file. */
struct moment {
  unsigned start;
  uint64_t counters[COUNTERS_MOST];
  unsigned char bitmap[BITMAP];
  size_t size;
  unsigned char bytes[SAMPLES_FILE];
};

enum form { FORM_LEAN, FORM_MIP, FORM_SAMPLES, FORMS };
static const char *const forms[] = {"lean", "MIP", "samples"};
static const char *const ends[] = {"bpdump", "mipraw", "samples"};

BAREPROF_SAMPLER_RING(SAMPLES);

static _Alignas(8) const unsigned char note[36] = {
    4,    0,    0,    0,    20,   0,    0,    0,    3,    0,    0,    0,
    'G',  'N',  'U',  0,    0xB1, 0x1D, 0x5C, 0x93, 0x07, 0xE8, 0x4A, 0xF6,
    0x21, 0xD9, 0x70, 0x3B, 0x8E, 0x12, 0xC5, 0x66, 0xA9, 0x04, 0xDB, 0x37};
static uint64_t version;
static uint64_t guard;
static struct moment now; /* the memory of the image */
static size_t counters;
static struct bareprof_image image;

static struct {
  enum form form;
  uint64_t random;
  int socket;
  bool numbered, increments, gone;
  long until; /* bytes up to the next restart */
  unsigned restarts, moment_count;
  unsigned options;
  jmp_buf restart;
  struct bareprof_wire wire;
} board;
static struct moment moments[MOMENTS_MOST];

static uint32_t pick(uint32_t below) {
  board.random = board.random * UINT64_C(6364136223846793005) +
                 UINT64_C(1442695040888963407);
  return (uint32_t)(board.random >> 33) % below;
}

/* ---- the firmware ---- */

static void put(const void *bytes, size_t size) {
  if (!board.gone && send(board.socket, bytes, size, MSG_NOSIGNAL) < 0)
    board.gone = true;
}

static int to_socket(void *context, const void *bytes, size_t size) {
  (void)context;
  if (board.restarts && (long)size > board.until) {
    put(bytes, (size_t)board.until);
    longjmp(board.restart, 1);
  }
  board.until -= (long)size;
  put(bytes, size);
  return 0;
}

static const struct bareprof_sink sink = {to_socket, NULL};

static int to_file(void *context, const void *bytes, size_t size) {
  (void)context;
  memcpy(now.bytes + now.size, bytes, size);
  now.size += size;
  return 0;
}

/* Samples of a few places, and what would be written of them. */
static void sample(unsigned odds) {
  const struct bareprof_sink file = {to_file, NULL};
  bareprof_sampler_start(7);
  for (unsigned i = 0; i < odds; i++)
    bareprof_sampler_take(0x8000 + 2 * pick(40), 0x9001 + 4 * pick(3), 0);
  now.size = 0;
  (void)bareprof_sampler_write(&file);
}

/* A raw byte of MIP is 0 where its function ran. */
static void call(unsigned odds) {
  unsigned char *bytes = (unsigned char *)now.counters + HEADER;
  for (size_t i = 0; i < counters; i++)
    if (pick(100) < odds)
      bytes[i] = 0;
}

static void run(unsigned odds) {
  if (board.form == FORM_SAMPLES) {
    sample(odds);
    return;
  }
  if (board.form == FORM_MIP) {
    call(odds);
    return;
  }
  for (size_t i = 0; i < counters; i++)
    if (pick(100) < odds)
      now.counters[i] += 1 + pick(pick(3) ? 3 : 100000);
  for (size_t i = 0; i < BITMAP; i++)
    if (pick(100) < odds)
      now.bitmap[i] |= (unsigned char)(1u << pick(8));
}

static void clear(void) {
  const struct bareprof_sampler *sampler = &bareprof_sampler;
  const uint32_t header[HEADER / 4] = {
      0x50494DFB, 8 | 1u << 16, 1 | 2, 0xB1D0 + now.start * pick(2), 0, HEADER};
  now = (struct moment){.start = now.start + 1};
  if (board.form == FORM_MIP) {
    memset(now.counters, 0xFF, HEADER + counters);
    memcpy(now.counters, header, sizeof header);
  }
  memset(sampler->state, 0, sizeof *sampler->state);
  memset(sampler->entries, 0, sampler->size);
}

static void start(void) {
  unsigned number = board.numbered ? 1 + pick(60000) : 0;
  clear();
  guard = bareprof_expected_guard_half(&image) | (uint64_t)number << 32;
  board.wire = (struct bareprof_wire){
      .image = &image,
      .out = &sink,
      .options = board.options |
                 (board.form == FORM_LEAN ? 0 : BAREPROF_BOOT(number))};
  board.until = pick(pick(2) ? 300 : 3000);
  run(40);
  put("boot\r\n", 6);
}

/* A start may do all that the one before did, so that nothing but its number
 * tells them apart. */
static void restart(void) {
  struct moment before = now;
  board.restarts--;
  start();
  if (pick(3) == 0 && board.form != FORM_SAMPLES) {
    memcpy(now.counters, before.counters, sizeof now.counters);
    memcpy(now.bitmap, before.bitmap, sizeof now.bitmap);
    run(10);
  }
}

static void serve(void) {
  if (board.moment_count < MOMENTS_MOST)
    moments[board.moment_count++] = now;
  if (setjmp(board.restart))
    restart();
  else if (board.form == FORM_SAMPLES)
    (void)bareprof_sampler_serve(&board.wire);
  else
    (void)bareprof_wire_serve(&board.wire);
}

/* Until the host goes. */
static void be_firmware(void) {
  unsigned char bytes[256];
  start();
  for (unsigned quiet = 0; quiet < PATIENCE && !board.gone; quiet++) {
    struct pollfd poll_for = {board.socket, POLLIN, 0};
    if (pick(20) == 0)
      put("log line\r\n", 10);
    if (poll(&poll_for, 1, 20) <= 0)
      continue;
    ssize_t size = recv(board.socket, bytes, sizeof bytes, 0);
    if (size <= 0)
      return;
    quiet = 0;
    for (ssize_t i = 0; i < size; i++)
      if (bareprof_wire_feed(&board.wire, bytes[i]) == BAREPROF_WIRE_REQUEST) {
        serve();
        run(5);
      }
  }
}

/* ---- the host ---- */

static pid_t receive(const char *receiver, const char *out, unsigned port) {
  const char *option = board.form == FORM_SAMPLES ? "--samples"
                       : board.increments         ? "--increments"
                                                  : NULL;
  char address[40], number[10];
  snprintf(address, sizeof address, "tcp:127.0.0.1:%u", port);
  snprintf(number, sizeof number, "%d", DUMPS);
  const char *const arguments[] = {
      receiver,    "receive",   "--port",        address,
      "-o",        out,         "-q",            "--request",
      "-n",        number,      "--every",       "0.02",
      "--timeout", "6",         option,
      NULL};
  pid_t child = fork();
  if (child)
    return child;
  if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
    _exit(126);
  execv(receiver, (char *const *)arguments);
  _exit(127);
}

/* Listens at a port of its own, lets the host connect. */
static pid_t connect_host(const char *receiver, const char *out) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0 || bind(server, (struct sockaddr *)&address, size) ||
      listen(server, 1) ||
      getsockname(server, (struct sockaddr *)&address, &size))
    exit(2);
  pid_t host = receive(receiver, out, ntohs(address.sin_port));
  struct pollfd poll_for = {server, POLLIN, 0};
  board.socket =
      poll(&poll_for, 1, 20000) > 0 ? accept(server, NULL, NULL) : -1;
  close(server);
  return host;
}

/* ---- what came ---- */

/* What a file has of a moment. Of MIP's header the host writes the first 8
 * bytes anew. */
static size_t contents(unsigned char *bytes, const struct moment *one) {
  size_t size = counters * sizeof *one->counters;
  if (board.form == FORM_SAMPLES) {
    memcpy(bytes, one->bytes, one->size);
    return one->size;
  }
  if (board.form == FORM_MIP) {
    memcpy(bytes, (const unsigned char *)one->counters + 8,
           HEADER - 8 + counters);
    return HEADER - 8 + counters;
  }
  memcpy(bytes, one->counters, size);
  memcpy(bytes + size, one->bitmap, BITMAP);
  return size + BITMAP;
}

static bool has(const unsigned char *file, size_t size,
                const struct moment *one) {
  unsigned char bytes[sizeof one->counters + BITMAP];
  size_t wanted = contents(bytes, one);
  /* Behind them is a check of the file. */
  for (size_t i = 0; i + wanted <= size; i++)
    if (!memcmp(file + i, bytes, wanted))
      return true;
  return false;
}

/* Bits of a bitmap that are new, and more of each counter. */
static bool difference(struct moment *to, const struct moment *from,
                       const struct moment *until) {
  *to = *until;
  for (size_t i = 0; i < counters; i++)
    to->counters[i] -= from->counters[i];
  for (size_t i = 0; i < BITMAP; i++)
    to->bitmap[i] &= (unsigned char)~from->bitmap[i];
  return from->start == until->start;
}

static bool is_true(const unsigned char *file, size_t size) {
  struct moment between;
  for (unsigned i = 0; i < board.moment_count; i++) {
    if (has(file, size, &moments[i]))
      return true;
    for (unsigned k = 0; board.increments && k < i; k++)
      if (difference(&between, &moments[k], &moments[i]) &&
          has(file, size, &between))
        return true;
  }
  return false;
}

/* Prints the session if a file is false. Returns how many files there are. */
static unsigned judge(const char *folder, uint64_t seed, bool keep) {
  static unsigned char bytes[FILE_MOST];
  unsigned count = 0;
  for (unsigned i = 1; i <= DUMPS; i++) {
    char name[512];
    char which[12] = "";
    if (i > 1)
      snprintf(which, sizeof which, "-%u", i);
    snprintf(name, sizeof name, "%s/%llu%s.%s", folder,
             (unsigned long long)seed, which, ends[board.form]);
    FILE *file = fopen(name, "rb");
    if (!file)
      break;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    count++;
    if (!is_true(bytes, size))
      printf("false %llu: file %u, %s, %s, %s\n", (unsigned long long)seed, i,
             forms[board.form], board.numbered ? "numbered" : "without numbers",
             board.increments ? "increments" : "whole");
    if (!keep)
      remove(name);
  }
  return count;
}

static void make_image(void) {
  unsigned char *memory = (unsigned char *)now.counters;
  image = (struct bareprof_image){.version = &version};
  if (board.form == FORM_MIP) {
    version = 8 | BAREPROF_BYTE_COVERAGE;
    image.records = (struct bareprof_span){memory, memory + HEADER};
    memory += HEADER;
    image.counters = (struct bareprof_span){memory, memory + counters};
    return;
  }
  version = 10;
  image.guard = &guard;
  image.build_id = (struct bareprof_span){note, note + sizeof note};
  image.counters =
      (struct bareprof_span){memory, memory + counters * sizeof *now.counters};
  image.bitmap = (struct bareprof_span){now.bitmap, now.bitmap + BITMAP};
}

static void make_board(uint64_t seed) {
  static const unsigned options[] = {BAREPROF_LEAN, BAREPROF_MIP,
                                     BAREPROF_SAMPLER_WIRE};
  memset(&board, 0, sizeof board);
  memset(&now, 0, sizeof now);
  board.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  pick(2);
  board.form = (enum form)(pick(2) ? FORM_LEAN : 1 + pick(2));
  board.numbered = pick(2);
  board.increments = board.form == FORM_LEAN && pick(2);
  board.restarts = pick(4);
  board.options =
      options[board.form] | (pick(2) ? BAREPROF_TEXT : BAREPROF_BINARY);
  counters = 10 + pick(pick(2) ? 60 : COUNTERS_MOST - 10);
  make_image();
}

static void session(const char *receiver, const char *folder, uint64_t seed,
                    bool keep) {
  char out[512];
  int status = 0;
  make_board(seed);
  snprintf(out, sizeof out, "%s/%llu.%s", folder, (unsigned long long)seed,
           ends[board.form]);
  pid_t host = connect_host(receiver, out);
  if (board.socket >= 0)
    be_firmware();
  close(board.socket);
  waitpid(host, &status, 0);
  unsigned files = judge(folder, seed, keep);
  printf("session %llu: %u files, status %d, %u moments of %u starts, %s\n",
         (unsigned long long)seed, files, WEXITSTATUS(status),
         board.moment_count, now.start, forms[board.form]);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  bool show = strcmp(argv[3], "show") == 0;
  unsigned long seed = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
  unsigned long count = show ? 1 : strtoul(argv[3], NULL, 10);
  unsigned long most = argc > 5 ? strtoul(argv[5], NULL, 10) : 16;
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (unsigned long i = 0, running = 0; i < count || running;) {
    if (i < count && running < most) {
      if (fork() == 0) {
        session(argv[1], argv[2], seed + i, show);
        return 0;
      }
      i++, running++;
    } else {
      wait(NULL);
      running--;
    }
  }
  return 0;
}
