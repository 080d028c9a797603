/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof receive: dumps out of a console log, or from a live port, to
 * files; all else that the console says to standard output.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "link/ask.h"
#include "link/outcome.h"
#include "link/port.h"
#include "link/progress.h"
#include "link/scan.h"

enum { ELF_LIMIT = 1 << 30, WAIT = 50 };

struct receive {
  const char *input;
  bool live, quiet;
  unsigned long baud;
  unsigned count;   /* whole dumps to end after; 0: at the end of input */
  uint64_t timeout; /* ms without a byte to give up after; 0: never */
  struct outcome outcome;
  struct ask ask;
  struct progress progress;
  struct collector *collector;
  struct scan *scan;
  size_t bytes; /* of the dump that is coming */
  bool refused;
};

static const char help[] =
    "usage: bareprof receive [--port DEV | FILE | -] -o OUT [options]\n"
    "\n"
    "Finds the dumps of bareprof_send in a console log, or listens on a port.\n"
    "Full dumps become raw profiles (.profraw), lean ones files for\n"
    "`bareprof join` (.bpdump): the first is OUT, the next OUT with -2 and so\n"
    "on before its extension. All other console output goes to standard\n"
    "output, untouched.\n"
    "\n"
    "  -o, --output OUT   where to; needed\n"
    "  -p, --port DEV     a serial device, or tcp:HOST:PORT\n"
    "  -b, --baud N       its rate (115200)\n"
    "      --request      ask the firmware for a dump (bareprof_link_feed)\n"
    "      --every S      ask for one every S seconds\n"
    "      --reset        ask for a reset of the counters first\n"
    "      --text, --binary, --lean, --full   the dumps to ask for\n"
    "  -n, --count N      end after N dumps; 1 with --request\n"
    "      --timeout S    end after S seconds without a byte\n"
    "      --increments   write what has happened since the dump before\n"
    "      --partial      write dumps with gaps too, as OUT.partial\n"
    "      --elf ELF      of the same build: names functions in gaps, and\n"
    "                     fills gaps in records and names\n"
    "  -q, --quiet        drop the console's other output\n";

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- events ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct receive *receive = context;
  if (receive->quiet)
    return;
  progress_text(&receive->progress, bytes, size);
  fwrite(bytes, 1, size, stdout);
}

static void on_answer(struct receive *receive, struct bytes body) {
  struct answer answer;
  const char *error = answer_read(&answer, body);
  if (!error)
    error = ask_answer(&receive->ask, &answer);
  if (error) {
    progress_clear(&receive->progress);
    report(receive->input, "the firmware refuses a dump: %s", error);
    receive->refused = true;
  }
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct receive *receive = context;
  struct bytes all = {bytes, size};
  struct frame frame;
  if (!frame_read(&frame, all)) {
    if (frame.type == BAREPROF_FRAME_REQUEST)
      return; /* The other side echoes. */
    ask_heard(&receive->ask, now(), frame.type == BAREPROF_FRAME_END);
    if (frame.type == BAREPROF_FRAME_ANSWER) {
      on_answer(receive, frame.body);
      return;
    }
  }
  receive->bytes += size;
  collect_frame(receive->collector, all, mended);
  struct progress_state state = {receive->bytes, 0, 0};
  collect_progress(receive->collector, &state.done, &state.all);
  if (state.all)
    progress_update(&receive->progress, &state);
}

static void end_of_dump(struct receive *receive) {
  fflush(stdout);
  progress_end(&receive->progress);
  receive->bytes = 0;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  struct receive *receive = context;
  end_of_dump(receive);
  outcome_whole(&receive->outcome, snapshot);
  ask_whole(&receive->ask, now());
}

static void on_partial(void *context, struct snapshot *snapshot) {
  struct receive *receive = context;
  end_of_dump(receive);
  /* What begins behind the last dump that was wanted is nobody's loss. */
  if (!receive->count || receive->outcome.whole < receive->count)
    outcome_partial(&receive->outcome, snapshot);
}

static void on_passed(void *context, struct snapshot *snapshot) {
  struct receive *receive = context;
  (void)snapshot;
  end_of_dump(receive);
  fprintf(stderr, "bareprof: a dump had gaps; the next one has its counts\n");
}

static void on_lost(void *context, const char *what) {
  struct receive *receive = context;
  progress_clear(&receive->progress);
  report(receive->input, "something is lost: %s", what);
  if (!receive->live)
    receive->outcome.broken++;
}

/* ---- the work ---- */

static bool done(const struct receive *receive) {
  return (receive->count && receive->outcome.whole >= receive->count) ||
         receive->refused;
}

/* Sends what is to be asked for; false: the port takes nothing. */
static bool speak(struct receive *receive, struct port *port) {
  char line[WISH_LINE];
  size_t length = ask_line(&receive->ask, receive->collector, now(), line);
  return length == 0 || port_write(port, line, length) == 0;
}

static int listen_to(struct receive *receive, struct port *port) {
  static unsigned char bytes[1 << 16];
  uint64_t heard = now();
  while (!done(receive) && !port_stopped()) {
    if (port->out >= 0 && !speak(receive, port))
      return 1;
    long size = port_read(port, bytes, sizeof bytes, WAIT);
    if (size < 0)
      break;
    if (size > 0) {
      heard = now();
      scan_feed(receive->scan, bytes, (size_t)size);
    } else {
      scan_idle(receive->scan);
      if (receive->timeout && now() - heard >= receive->timeout)
        break;
    }
    if (fflush(stdout))
      return report("standard output", "%s; free the disk or the reader",
                    strerror(errno));
  }
  return 0;
}

static int run(struct receive *receive) {
  const struct collect_events collected = {receive, on_whole, on_partial,
                                           on_passed, on_lost};
  const struct scan_events scanned = {receive, on_text, on_frame};
  struct port port;
  progress_init(&receive->progress);
  port_catch_signals();
  if (port_open(&port, receive->input, receive->baud))
    return 1;
  if (receive->live && isatty(STDIN_FILENO))
    port_forward(&port, STDIN_FILENO);
  receive->collector = collect_new(&collected);
  receive->scan = scan_new(&scanned);
  if (!receive->collector || !receive->scan)
    return report(receive->input, "out of memory; close other programs");
  int status = listen_to(receive, &port);
  port_close(&port);
  size_t damaged = scan_damaged(receive->scan);
  scan_end(receive->scan);
  collect_end(receive->collector);
  fflush(stdout);
  progress_end(&receive->progress);
  if (damaged)
    fprintf(stderr, "bareprof: %zu frames came damaged\n", damaged);
  if (receive->refused)
    return 1;
  if (!receive->outcome.whole && !receive->outcome.broken)
    return report(receive->input,
                  "there is no dump in it; does the firmware call "
                  "bareprof_send, on this port?");
  if (receive->count > receive->outcome.whole)
    return report(receive->input, "%u dumps of %u came whole; see above",
                  receive->outcome.whole, receive->count);
  return status || receive->outcome.broken;
}

static int with_elf(struct receive *receive) {
  struct outcome *outcome = &receive->outcome;
  struct file file;
  struct elf elf;
  if (!outcome->elf_name)
    return run(receive);
  if (file_map(&file, outcome->elf_name, ELF_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  int status = 1;
  if (error) {
    report(outcome->elf_name, "%s", error);
  } else {
    outcome->elf = &elf;
    status = run(receive);
  }
  file_close(&file);
  return status;
}

/* ---- the command line ---- */

enum {
  REQUEST = 256,
  EVERY,
  RESET,
  TEXT,
  BINARY,
  LEAN,
  FULL,
  TIMEOUT,
  INCREMENTS,
  PARTIAL,
  ELF
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"port", required_argument, NULL, 'p'},
    {"baud", required_argument, NULL, 'b'},
    {"count", required_argument, NULL, 'n'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"request", no_argument, NULL, REQUEST},
    {"every", required_argument, NULL, EVERY},
    {"reset", no_argument, NULL, RESET},
    {"text", no_argument, NULL, TEXT},
    {"binary", no_argument, NULL, BINARY},
    {"lean", no_argument, NULL, LEAN},
    {"full", no_argument, NULL, FULL},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"increments", no_argument, NULL, INCREMENTS},
    {"partial", no_argument, NULL, PARTIAL},
    {"elf", required_argument, NULL, ELF},
    {NULL, 0, NULL, 0}};

static int usage(const char *what) {
  fprintf(stderr, "bareprof: receive: %s; see bareprof receive --help\n", what);
  return 2;
}

/* A number above 0 and at most `most`, times scale; false if it is none. */
static bool number(const char *text, double scale, double most, double *value) {
  char *end;
  *value = strtod(text, &end) * scale;
  return end != text && !*end && *value >= 1 && *value <= most;
}

/* The options that take a number; 0, or the usage's status. */
static int numbered(struct receive *receive, int option) {
  double value;
  bool seconds = option == EVERY || option == TIMEOUT;
  if (!number(optarg, seconds ? 1000 : 1, 1e9, &value))
    return usage("a number is expected");
  if (option == 'b')
    receive->baud = (unsigned long)value;
  else if (option == 'n')
    receive->count = (unsigned)value;
  else if (option == EVERY)
    receive->ask.every = (uint64_t)value;
  else
    receive->timeout = (uint64_t)value;
  return 0;
}

/* What dumps to ask for. */
struct form {
  bool chosen;
  uint8_t options;
};

static int take(struct receive *receive, int option, struct form *form) {
  struct outcome *outcome = &receive->outcome;
  switch (option) {
  case 'o':
    outcome->out = optarg;
    return 0;
  case 'p':
    receive->input = optarg;
    receive->live = true;
    return 0;
  case 'q':
    receive->quiet = true;
    return 0;
  case REQUEST:
    receive->ask.dump = true;
    return 0;
  case RESET:
    receive->ask.reset = true;
    return 0;
  case INCREMENTS:
    outcome->increments = true;
    return 0;
  case PARTIAL:
    outcome->partial = true;
    return 0;
  case ELF:
    outcome->elf_name = optarg;
    return 0;
  case BINARY:
  case LEAN:
    form->options |= option == LEAN ? BAREPROF_LEAN : BAREPROF_BINARY;
    form->chosen = true;
    return 0;
  case TEXT:
  case FULL:
    form->chosen = true;
    return 0;
  case 'b':
  case 'n':
  case EVERY:
  case TIMEOUT:
    return numbered(receive, option);
  default:
    return usage("there is an unknown option, or one lacks its value");
  }
}

int command_receive(int argc, char **argv) {
  struct receive receive = {0};
  struct form form = {false, 0};
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, "o:p:b:n:qh", options, NULL)) !=
         -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return 0;
    }
    int status = take(&receive, option, &form);
    if (status)
      return status;
  }
  receive.ask.dump |= receive.ask.every != 0;
  /* Another one than that of the last receive, or a reset is not heard. */
  receive.ask.tag = (uint8_t)(now() ^ (uint64_t)getpid());
  receive.ask.options = form.chosen ? form.options : 0x80;
  if (receive.ask.dump && !receive.ask.every && !receive.count)
    receive.count = 1;
  if (!receive.outcome.out)
    return usage("-o OUT is missing");
  if (receive.live ? optind != argc : optind + 1 != argc)
    return usage("give one FILE, or -, or --port DEV");
  if (!receive.live)
    receive.input = argv[optind];
  if (!receive.live && (receive.ask.dump || receive.ask.reset))
    return usage("only a --port can be asked");
  if (strcmp(receive.outcome.out, "-") == 0)
    receive.quiet = true;
  int status = with_elf(&receive);
  outcome_free(&receive.outcome);
  return status;
}
