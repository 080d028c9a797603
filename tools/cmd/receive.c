/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof receive: reads a console log or a live port, writes each dump to a
 * file, and the rest of the console output to standard output. wire/session.h
 * does the work, or receive_gdb.c if --port names a GDB server.
 */
#include <string.h>

#include "../base/file.h"
#include "../base/options.h"
#include "../image/dumpfile.h"
#include "../object/elf.h"
#include "commands.h"
#include "../wire/port.h"
#include "../wire/session.h"

struct arguments {
  struct receive_session session;
  const char *port, *rtt;
  struct gdb_settings gdb;
  double every, timeout; /* the interval and the timeout, both in seconds */
  bool text, binary, lean, full;
};

/* Returns the bits of a request that choose the format of its dumps. */
static uint8_t choose_request_options(const struct arguments *arguments) {
  if (!arguments->text && !arguments->binary && !arguments->lean &&
      !arguments->full)
    return BAREPROF_REQUEST_AS_IT_LIKES;
  return (uint8_t)((arguments->binary ? BAREPROF_BINARY : 0) |
                   (arguments->lean ? BAREPROF_LEAN : 0));
}

static uint64_t to_milliseconds(double seconds) {
  return (uint64_t)(seconds * 1000 + 0.999);
}

/* Runs --rtt. If --port is rtt:CHANNEL@..., uses this channel. */
static int print_rtt_help(const struct command *command,
                          const struct arguments *arguments, int argc) {
  char server[RTT_HOST_MOST];
  int channel = -1;
  if (optind != argc)
    return options_report_misuse(command, "--rtt takes no FILE");
  if (arguments->port &&
      (strncmp(arguments->port, "rtt:", 4) != 0 ||
       port_parse_rtt_name(arguments->port, server, &channel)))
    return options_report_misuse(command,
                                 "with --rtt, --port is rtt:CHANNEL@HOST");
  return port_print_rtt_help(arguments->rtt, channel);
}

/* Runs --port gdb:. Rejects options that are only for dumps and requests. */
static int run_receive_gdb(const struct command *command,
                           struct arguments *arguments, int argc, char **argv) {
  const struct receive_session *session = &arguments->session;
  struct gdb_settings *settings = &arguments->gdb;
  settings->baud = session->baud;
  settings->reset = session->requester.kinds[ANSWER_RESET];
  settings->quiet = session->quiet || strcmp(session->writer.out, "-") == 0;
  settings->timeout = to_milliseconds(arguments->timeout);
  settings->every = session->count == 1 ? 0 : to_milliseconds(arguments->every);
  settings->count = session->count;
  settings->out = session->writer.out;
  if (optind + 1 != argc)
    return options_report_misuse(command, "--port gdb: needs exactly one ELF");
  settings->increments = session->writer.increments;
  settings->allow_missing = session->allow_missing;
  if (session->requester.dump || session->requester.samples ||
      session->writer.partial || session->writer.elf_name)
    return options_report_misuse(
        command,
        "--port gdb: reads memory; remove the options for requests and dumps");
  if (settings->until && !settings->console)
    return options_report_misuse(command,
                                 "--until needs the console; add --console");
  const char *wrong = receive_gdb_check_settings(settings);
  return wrong ? options_report_misuse(command, "%s", wrong)
               : receive_gdb_counters(settings, argv[optind]);
}

/* If the file is of a known kind other than a log, reports an error and returns
 * 1. */
static int refuse_non_log_file(const char *name) {
  struct os_file_info facts;
  struct file file;
  if (!os_stat(name, &facts) || facts.kind != OS_FILE)
    return 0;
  int status = file_map(&file, name, SIZE_MAX);
  if (!status && file_is_raw_profile(file.bytes))
    status = report(
        name,
        "this is a raw profile; pass it to bareprof report or bareprof merge");
  else if (!status && dumpfile_is_dump(file.bytes))
    status = report(name, "this is a .bpdump; pass it to bareprof report or "
                          "bareprof join");
  else if (!status)
    status = file_refuse_non_log(name, file.bytes, "a console log");
  file_close(&file);
  return status;
}

static int run_receive(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.port = NULL};
  struct receive_session *session = &arguments.session;
  char **files = options_parse(command, argc, argv, &arguments);
  const char *port = arguments.port;
  if (port && !strncmp(port, "gdb:", 4))
    arguments.gdb.server = port + 4;
  if (arguments.rtt)
    return print_rtt_help(command, &arguments, argc);
  if (!session->writer.out)
    return options_report_misuse(command, "-o OUT is missing");
  if (arguments.gdb.server)
    return run_receive_gdb(command, &arguments, argc, argv);
  if (arguments.gdb.at || arguments.gdb.until || arguments.gdb.poison ||
      arguments.gdb.halt || arguments.gdb.console)
    return options_report_misuse(command,
                                 "--at, --until, --poison, --halt and "
                                 "--console need --port gdb:HOST:PORT");
  if (session->writer.increments && session->writer.partial)
    return options_report_misuse(
        command, "--increments does not work with --partial: a dump with "
                 "gaps has no exact increment; remove one of the two options");
  session->live = arguments.port != NULL;
  session->requester.every = to_milliseconds(arguments.every);
  session->timeout = to_milliseconds(arguments.timeout);
  session->requester.dump |= session->requester.every != 0;
  requester_draw_numbers(&session->requester);
  session->requester.options = choose_request_options(&arguments);
  if (session->requester.dump && !session->requester.every && !session->count)
    session->count = 1;
  if (session->live ? optind != argc : optind + 1 != argc)
    return options_report_misuse(command,
                                 "pass one FILE, or -, or --port ADDRESS");
  bool asks = requester_get_first_command(&session->requester) < ANSWER_KINDS;
  session->input = session->live ? arguments.port : *files;
  if (!session->live && (session->requester.dump || asks))
    return options_report_misuse(command, "requests need a --port");
  if (session->requester.samples && !session->requester.dump && !asks)
    return options_report_misuse(
        command,
        "--samples needs a request; add --request, --every or --reset");
  if (strcmp(session->writer.out, "-") == 0)
    session->quiet = true;
  int status = (!session->live && refuse_non_log_file(session->input)) ||
               session_receive(session);
  dump_writer_free(&session->writer);
  return status;
}

static const struct option_row options[] = {
    {.help = "Input"},
    {"port", 'p', "ADDRESS",
     "listen on this port: /dev/ttyACM0, COM7, tcp:HOST:PORT, unix:PATH or "
     "rtt:[CHANNEL@]HOST[:PORT]. With gdb:HOST:PORT or gdb:unix:PATH, read the "
     "counters of the ELF through a GDB server (QEMU, OpenOCD, J-Link); the "
     "target then needs no bareprof code. With gdb: and -o FILE.core, write a "
     "core file for `bareprof report`",
     OPTION(struct arguments, port), .often = true},
    {"console", 0, "ADDRESS",
     "with --port gdb: read the console of the firmware from this port, for "
     "--until",
     OPTION(struct arguments, gdb.console), .often = true},
    {"rtt", 0, "ELF",
     "print how to open the RTT channel of this ELF with OpenOCD, J-Link and "
     "probe-rs, and exit",
     OPTION(struct arguments, rtt)},
    {"baud", 'b', "N", "baud rate of the serial port (default: 115200)",
     OPTION(struct arguments, session.baud), .least = 1, .most = 1000000000,
     .often = true},
    {"at", 0, "SYMBOL",
     "with --port gdb: let the target run to SYMBOL, and read the counters "
     "there. SYMBOL is FUNCTION, FUNCTION+0xOFFSET or 0xADDRESS",
     OPTION(struct arguments, gdb.at), .often = true},
    {"until", 0, "TEXT",
     "with --port gdb: read the counters when the console of --console prints "
     "TEXT",
     OPTION(struct arguments, gdb.until)},
    {"elf", 0, "ELF",
     "use this ELF, of the same build, for dumps that lost bytes on the way: "
     "take lost records and names from the ELF, and name the functions whose "
     "counters are lost",
     OPTION(struct arguments, session.writer.elf_name), .often = true},
    {.help = "Requests"},
    {"request", 0, NULL,
     "request a dump from the firmware; the firmware must call "
     "bareprof_wire_feed",
     OPTION(struct arguments, session.requester.dump), .often = true},
    {"every", 0, "S",
     "request a dump every S seconds. With --port gdb, read the counters every "
     "S seconds while the target runs",
     OPTION(struct arguments, every), .most = 1000000, .often = true},
#define ANSWER_OPTION(kind, option, about, tell) \
  {option, .help = about,                        \
   OPTION(struct arguments, session.requester.kinds[ANSWER_##kind])},
    ANSWERS(ANSWER_OPTION){
        "samples",
        .help = "request samples instead of profiles; the firmware must call "
                "bareprof_sampler_serve. With --reset, the firmware first "
                "deletes its earlier samples",
        OPTION(struct arguments, session.requester.samples)},
    {"text", 0, NULL,
     "request dumps in the TEXT format, for ports that carry only text",
     OPTION(struct arguments, text)},
    {"binary", 0, NULL,
     "request dumps in the BINARY format, which is a quarter smaller than TEXT",
     OPTION(struct arguments, binary)},
    {"lean", 0, NULL,
     "request lean dumps, which contain the counters without records and names",
     OPTION(struct arguments, lean)},
    {"full", 0, NULL,
     "request full dumps, which also contain records and names (default: the "
     "format that the firmware chooses)",
     OPTION(struct arguments, full)},
    {.help = "End"},
    {"count", 'n', "N",
     "stop after N dumps (default: 1 with --request, otherwise no limit)",
     OPTION(struct arguments, session.count), .least = 1, .most = 1000000000,
     .often = true},
    {"timeout", 0, "S",
     "stop if the port is silent for S seconds. With --port gdb, let the "
     "target run for at most S seconds. Default: no limit, but 30 seconds for "
     "the answer to a request, except with --every",
     OPTION(struct arguments, timeout), .most = 1000000, .often = true},
    {.help = "Outputs"},
    {"output", 'o', "OUT",
     "write the first dump to the file OUT (required, except with --rtt)",
     OPTION(struct arguments, session.writer.out),
     .parse_value = options_parse_output_name, .often = true},
    {"increments", 0, NULL,
     "write only the counts since the previous dump, or with --port gdb, since "
     "the previous read",
     OPTION(struct arguments, session.writer.increments), .often = true},
    {"partial", 0, NULL,
     "also write dumps that lost bytes on the way; the names of their files "
     "have .partial before the extension",
     OPTION(struct arguments, session.writer.partial)},
    {"allow-missing", 0, NULL,
     "exit with status 0 even if dumps are missing in the sequence of dump "
     "numbers, or with --port gdb, if all counters are 0",
     OPTION(struct arguments, session.allow_missing)},
    {"quiet", 'q', NULL, "do not copy other console output to standard output",
     OPTION(struct arguments, session.quiet), .often = true},
    {.help = "Expert"},
    {"poison", 0, NULL,
     "with --port gdb: fill the counters with 0xA5 at reset, and report an "
     "error if the start-up code does not clear the counters",
     OPTION(struct arguments, gdb.poison)},
    {"halt", 0, NULL,
     "with --port gdb: leave the target halted at the end (default: let the "
     "target run)",
     OPTION(struct arguments, gdb.halt)},
    {0}};

const struct command command_receive = {
    .name = "receive",
    .summary =
        "extract profiles from a console log, or receive them from a port",
    .examples =
        "bareprof receive /dev/ttyACM0 --baud 115200 -n 1 -o fw.profraw\n"
        "bareprof receive console.log -o fw.profraw",
    .usage = "[--port ADDRESS | FILE | -] -o OUT [options]\n--port "
             "gdb:HOST:PORT ELF -o "
             "OUT [options]\n--rtt ELF",
    .about =
        "Saves the profiles that firmware sends with bareprof_send, from a "
        "console log (FILE), standard input (-) or a port. A profile on its "
        "way to the host is called a dump. Full dumps become raw profiles "
        "(.profraw). Lean dumps, which contain only counters, become files for "
        "`bareprof join` (.bpdump). MIP dumps become files for `bareprof mip` "
        "(.mipraw), and dumps of samples become files for `bareprof samples` "
        "(.samples). The first dump is written to OUT; the names of later "
        "files have -2, -3 and so on before the extension. All other console "
        "output goes to standard output unchanged.",
    RUNS(run_receive, options, 0, 0, NULL)};
