/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof receive: dumps out of a console log, or from a live port, to
 * files; all else that the console says to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "commands.h"
#include "wire/session.h"

static const char help[] =
    "usage: bareprof receive [--port DEV | FILE | -] -o OUT [options]\n"
    "\n"
    "Finds the dumps of bareprof_send in a console log, or listens on a port.\n"
    "Full dumps become raw profiles (.profraw), lean ones files for\n"
    "`bareprof join` (.bpdump), MIP files for `bareprof mip` (.mipraw),\n"
    "samples files for `bareprof samples` (.samples): the first is OUT, the\n"
    "next OUT with -2 and so on before its extension. All other console\n"
    "output goes to standard output, untouched.\n"
    "\n"
    "  -o, --output OUT   where to; needed\n"
    "  -p, --port DEV     a serial device, or tcp:HOST:PORT\n"
    "  -b, --baud N       its rate (115200)\n"
    "      --request      ask the firmware for a dump (bareprof_wire_feed)\n"
    "      --every S      ask for one every S seconds\n"
    "      --reset        ask for a reset of the counters first\n"
    "      --text, --binary, --lean, --full   the dumps to ask for\n"
    "  -n, --count N      end after N dumps; 1 with --request\n"
    "      --timeout S    end after S seconds without a byte, or without an\n"
    "                     answer to a request (30, except with --every)\n"
    "      --increments   write what has happened since the dump before\n"
    "      --partial      write dumps with gaps too, as OUT.partial\n"
    "      --elf ELF      of the same build: names functions in gaps, and\n"
    "                     fills gaps in records and names\n"
    "  -q, --quiet        drop the console's other output\n";

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

static const struct option option_list[] = {
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

static int usage(const char *what) { return options_wrong("receive", what); }

/* A number above 0 and at most `most`, times scale; false if it is none. */
static bool number(const char *text, double scale, double most, double *value) {
  char *end;
  *value = strtod(text, &end) * scale;
  return end != text && !*end && *value >= 1 && *value <= most;
}

/* The options that take a number; 0, or the usage's status. */
static int numbered(struct session *session, int option) {
  double value;
  bool seconds = option == EVERY || option == TIMEOUT;
  if (!number(optarg, seconds ? 1000 : 1, 1e9, &value))
    return usage("a number is expected");
  if (option == 'b')
    session->baud = (unsigned long)value;
  else if (option == 'n')
    session->count = (unsigned)value;
  else if (option == EVERY)
    session->ask.every = (uint64_t)value;
  else
    session->timeout = (uint64_t)value;
  return 0;
}

/* What dumps to ask for. */
struct form {
  bool chosen;
  uint8_t options;
};

struct arguments {
  struct session *session;
  struct form form;
};

static int take(void *context, int option) {
  struct arguments *arguments = context;
  struct session *session = arguments->session;
  struct form *form = &arguments->form;
  struct outcome *outcome = &session->outcome;
  switch (option) {
  case 'o':
    outcome->out = optarg;
    return 0;
  case 'p':
    session->input = optarg;
    session->live = true;
    return 0;
  case 'q':
    session->quiet = true;
    return 0;
  case REQUEST:
    session->ask.dump = true;
    return 0;
  case RESET:
    session->ask.reset = true;
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
    return numbered(session, option);
  default:
    return options_unknown("receive");
  }
}

int command_receive(int argc, char **argv) {
  static const struct options options = {"receive", help, "o:p:b:n:qh",
                                         option_list, take};
  struct session session = {0};
  struct arguments arguments = {.session = &session};
  const struct form *form = &arguments.form;
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  session.ask.dump |= session.ask.every != 0;
  ask_begin(&session.ask);
  session.ask.options = form->chosen ? form->options : 0x80;
  if (session.ask.dump && !session.ask.every && !session.count)
    session.count = 1;
  if (!session.outcome.out)
    return usage("-o OUT is missing");
  if (session.live ? optind != argc : optind + 1 != argc)
    return usage("give one FILE, or -, or --port DEV");
  if (!session.live)
    session.input = argv[optind];
  if (!session.live && (session.ask.dump || session.ask.reset))
    return usage("only a --port can be asked");
  if (strcmp(session.outcome.out, "-") == 0)
    session.quiet = true;
  status = session_run(&session);
  outcome_free(&session.outcome);
  return status;
}
