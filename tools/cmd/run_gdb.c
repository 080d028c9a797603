/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a program with a GDB server and collects its counters. QEMU's server is
 * a socket in a private folder: no other user can reach it, and it occupies no
 * TCP port. Frames of dumps in the console output are not shown.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../base/program.h"
#include "../doctor/findings.h"
#include "../wire/gdb.h"
#include "../wire/scan.h"
#include "../wire/session.h"

/* Milliseconds between two reads of the console, for QEMU to start, and for
 * QEMU to end. ENDLESS and REACH are default timeouts: for a program that does
 * not end, and for a program that has to reach something or is polled. */
enum { READ_INTERVAL = 10, START = 10000, MERCY = 2000 };
enum { ENDLESS = 10000, REACH = 60000 };

/* The number of polls in a row whose failure ends the run. */
enum { FAILED_POLLS_MOST = 20 };

struct run_gdb_state {
  const struct run_gdb_settings *settings;
  struct live_session *live;
  struct inputs *inputs;
  struct failed_checks *checks;
  struct console *console;
  struct os_child *child; /* the process of QEMU; NULL for a board */
  struct port server;
  FILE *log;
  struct frame_scanner *scan;
  struct console_searcher until;
  bool closed, signalled; /* closed: the console is closed; signalled: the run
                             was ended with Ctrl-C */
};

/* ---- the console ---- */

static void show_and_search_console(void *context, const unsigned char *bytes,
                                    size_t size) {
  struct run_gdb_state *work = context;
  if (!work->console->quiet)
    fwrite(bytes, 1, size, stdout);
  gdb_search_console(&work->until, bytes, size);
}

static void drop_frame(void *context, const unsigned char *bytes, size_t size,
                       bool mended) {
  (void)context, (void)bytes, (void)size, (void)mended;
}

/* Logs and scans console output, also from the GDB server (semihosting). */
static void log_and_scan_console(void *context, const unsigned char *bytes,
                                 size_t size) {
  struct run_gdb_state *work = context;
  fwrite(bytes, 1, size, work->log);
  scan_feed(work->scan, bytes, size);
}

static void read_console_output(struct run_gdb_state *work) {
  static unsigned char bytes[1 << 16];
  long got = work->child ? 1 : 0;
  live_serve_and_redraw(work->live);
  while (got > 0 && !work->closed) {
    got = os_child_read(work->child, bytes, sizeof bytes, 0);
    if (got > 0)
      log_and_scan_console(work, bytes, (size_t)got);
    else if (got == 0)
      scan_note_idle(work->scan);
    work->closed = got < 0;
  }
  fflush(stdout);
}

static bool check_child_ended(struct run_gdb_state *work) {
  struct console *console = work->console;
  if (!console->ended && work->child)
    console->ended = os_child_has_ended(work->child, &console->status);
  return console->ended;
}

/* ---- the link ---- */

static long read_gdb_and_console(void *context, void *bytes, size_t size,
                                 int wait) {
  struct run_gdb_state *work = context;
  long got = port_read(&work->server, bytes, size,
                       wait < READ_INTERVAL ? wait : READ_INTERVAL);
  if (!got && wait)
    read_console_output(work);
  return got;
}

static bool write_gdb_bytes(void *context, const void *bytes, size_t size) {
  struct run_gdb_state *work = context;
  return gdb_visit_write_to_port(&work->server, bytes, size);
}

/* Returns whether the run should end early. The visit checks the timeout
 * itself. */
static bool serve_and_check_end(void *context) {
  struct run_gdb_state *work = context;
  work->signalled |= os_discard_signal();
  live_serve_and_redraw(work->live);
  return work->until.seen || work->signalled;
}

/* ---- QEMU ---- */

static int connect_to_qemu(struct run_gdb_state *work, const char *path) {
  const char *wrong = NULL;
  uint64_t begun = session_get_time();
  while (!(work->server.os = os_port_open_local(path, &wrong))) {
    read_console_output(work);
    if (check_child_ended(work)) {
      int signal = os_end_signal(work->console->status);
      return report(work->console->command[0],
                    "the command ended with %s %d before QEMU waited for a "
                    "debugger; read the message of the command; a script must "
                    "pass its last arguments, -S -gdb ..., to QEMU",
                    signal ? "signal" : "exit status",
                    signal ? signal : os_exit_status(work->console->status));
    }
    if (session_get_time() - begun > START || os_discard_signal())
      return report(work->console->command[0],
                    "the command does not wait for a debugger: %s; a script "
                    "must pass its last arguments, -S -gdb ..., to QEMU",
                    wrong);
    os_sleep(READ_INTERVAL);
  }
  return 0;
}

/* Says how the program stopped. A program that stops on its own has met a fault
 * or turned the machine off. */
static void report_program_stop(const struct run_gdb_state *work,
                                const struct gdb_visit *visit, const char *elf,
                                struct failed_checks *checks) {
  const struct run_gdb_settings *settings = work->settings;
  const struct report_check check = {"stop", elf, -1, -1};
  const char *join = *visit->where ? "; " : "";
  char shown[256];
  if (visit->why != STOP_AT && gdb_visit_find_missed_stop(visit))
    checks_add_failed(
        checks, &check,
        "the program did not reach %s; the counts are from the end of "
        "the program%s%s",
        gdb_visit_find_missed_stop(visit), join, visit->where);
  else if (settings->until && !work->until.seen)
    checks_add_failed(
        checks, &check,
        "the console did not show the text of --until; the counts are "
        "from the end of the program%s%s",
        join, visit->where);
  else if (visit->fault)
    checks_add_failed(
        checks, &check,
        "the program ended in a fault: %s; the counts are from this moment",
        visit->where);
  else if (work->signalled || visit->why == STOP_TIME)
    fprintf(stderr,
            "bareprof: %s: the program still ran, and was halted %s; the "
            "counts are from this moment\n",
            make_printable(shown, sizeof shown, elf),
            work->signalled ? "by Ctrl-C" : "by --timeout");
  if (visit->restarts)
    fprintf(stderr,
            "bareprof: %s: the program restarted %zu time%s; the counts of all "
            "its boots are added\n",
            make_printable(shown, sizeof shown, elf), visit->restarts,
            visit->restarts == 1 ? "" : "s");
}

static int add_counts_of_elf(void *context, const struct gdb_visit *visit,
                             size_t i) {
  struct run_gdb_state *work = context;
  return inputs_add_core(work->inputs, i, buffer_bytes(&visit->list[i].core));
}

/* Names the ELFs whose counters are all zero, and the faults that the doctor
 * finds in them. */
static int report_elfs_without_counts(const struct gdb_visit *visit,
                                      const struct inputs *inputs) {
  int status = 0;
  for (size_t i = 0; i < visit->count; i++)
    if (!visit->list[i].counts.counted && !inputs->subjects[i].boots) {
      status = gdb_visit_report_no_counts(visit, i);
      doctor_check_and_report(inputs->subjects[i].name,
                              &inputs->subjects[i].elf);
    }
  return inputs->allow_missing ? 0 : status;
}

/* Returns the milliseconds until the next poll or the timeout, at least 1. */
static uint64_t find_poll_wait(const struct run_gdb_state *work,
                               uint64_t begun) {
  const struct console *console = work->console;
  uint64_t wait = console->every ? console->every : UINT64_MAX;
  uint64_t passed = session_get_time() - begun, most = console->timeout;
  uint64_t left = !most ? UINT64_MAX : passed < most ? most - passed : 1;
  return left < wait ? left : wait;
}

/* Lets the program run to its end. With --every, polls the counters meanwhile;
 * a poll ends the run only if the timeout is over. */
static const char *run_program_to_end(struct run_gdb_state *work,
                                      struct gdb_visit *visit, int *status) {
  uint64_t begun = session_get_time(), most = work->console->timeout;
  uint64_t every = work->console->every;
  if (every)
    visit->stops.timeout = find_poll_wait(work, begun);
  const char *error = gdb_visit_run(visit);
  while (!error && every) {
    *status = live_show_counts(work->live, visit);
    if (*status || visit->why != STOP_TIME ||
        (most && session_get_time() - begun >= most))
      break;
    visit->stops.timeout = find_poll_wait(work, begun);
    error = gdb_visit_continue_and_read(visit);
  }
  return error;
}

/* Polls the counters of a board. The core is halted only while its memory is
 * read, and runs while the counts are evaluated. */
static const char *poll_board(struct run_gdb_state *work,
                              struct gdb_visit *visit, int *status) {
  uint64_t begun = session_get_time(), most = work->console->timeout;
  uint64_t every = work->console->every;
  unsigned failed = 0;
  const char *error = gdb_visit_run(visit);
  for (bool last = false; !error && !*status;) {
    error = last ? gdb_detach(&visit->gdb) : gdb_visit_resume(visit);
    /* A poll between a reset and bareprof_init fails, because the counters are
     * not valid yet. */
    if (!error && every)
      failed = live_show_counts(work->live, visit) ? failed + 1 : 0;
    *status = failed == FAILED_POLLS_MOST;
    if (last || error || *status)
      break;
    error = gdb_visit_wait_and_read(visit, find_poll_wait(work, begun));
    last = work->signalled || (most && session_get_time() - begun >= most);
  }
  if (error && visit->gdb.state == GDB_STOPPED)
    (void)gdb_detach(&visit->gdb);
  return error;
}

/* Reports why a visit failed. QEMU may be about to end, so waits for its
 * status. */
static int report_visit_error(struct run_gdb_state *work,
                              const struct gdb_visit *visit,
                              const char *error) {
  const struct console *console = work->console;
  const char *elf = visit->count ? visit->list[0].name : NULL;
  bool gone = visit->gdb.state == GDB_ENDED || error == gdb_gone;
  uint64_t begun = session_get_time();
  while (work->child && gone && !check_child_ended(work) &&
         session_get_time() - begun < MERCY)
    os_sleep(READ_INTERVAL);
  if (!work->child || (!gone && !check_child_ended(work)))
    return gdb_visit_report_error(
        visit, work->child ? console->command[0] : console->port, error);
  int signal = console->ended ? os_end_signal(console->status) : 0;
  const char *hint = visit->count && visit->list[0].absent
                         ? "; the ELF was not in the memory at reset; check "
                           "that QEMU loads the ELF with -kernel ELF"
                         : "";
  if (signal) {
    report(elf,
           "%s was ended by signal %d before bareprof read the counters; read "
           "the message of this program%s",
           console->command[0], signal,
           *hint ? hint : "; check that the ELF is linked for this board");
    doctor_check_and_report(elf, visit->list[0].counts.elf);
    return 1;
  }
  return report(elf,
                "%s ended before bareprof read the counters, because the "
                "program turned the machine off or reset the machine; read the "
                "counters earlier with --at FUNCTION (the last function that "
                "is called) or --at 0xADDRESS (the store that turns the "
                "machine off); --trace with --counters=trace reads no memory%s",
                console->command[0], hint);
}

static int read_and_add_counts(struct run_gdb_state *work) {
  struct inputs *inputs = work->inputs;
  const struct run_gdb_settings *settings = work->settings;
  struct gdb_visit visit = {.at = settings->at,
                            .at_count = settings->at_count,
                            .until = settings->until,
                            .most = work->console->timeout,
                            .on_restart = add_counts_of_elf,
                            .ends = work->child,
                            .init = work->child && !settings->poison,
                            .poison = settings->poison,
                            .runs = work->child,
                            .gdb.link = {work, read_gdb_and_console,
                                         write_gdb_bytes, log_and_scan_console},
                            .stops = {.asked = serve_and_check_end,
                                      .context = work,
                                      .timeout = work->console->timeout}};
  int status = 0;
  for (size_t i = 0; i < inputs->count && !status; i++)
    status = gdb_visit_add_elf(&visit, inputs->subjects[i].name,
                               &inputs->subjects[i].elf);
  const char *error = status ? NULL
                             : (work->child ? run_program_to_end : poll_board)(
                                   work, &visit, &status);
  read_console_output(work);
  if (error)
    status = report_visit_error(work, &visit, error);
  status = status || report_elfs_without_counts(&visit, inputs);
  if (!status) {
    gdb_visit_warn_unproven(&visit);
    if (work->child)
      report_program_stop(work, &visit, inputs->subjects[0].name, work->checks);
    for (size_t i = 0; i < visit.count && !status; i++)
      status = add_counts_of_elf(work, &visit, i);
  }
  gdb_visit_free(&visit);
  return status;
}

/* Ends QEMU and its child processes. Their last output is not shown. */
static void end_qemu(struct run_gdb_state *work) {
  uint64_t begun = session_get_time();
  os_child_terminate(work->child);
  while (!check_child_ended(work) && session_get_time() - begun < MERCY)
    os_sleep(READ_INTERVAL);
  os_child_kill(work->child, &work->console->status);
  os_child_free(work->child);
}

/* Starts the command with additional arguments. With -no-shutdown, a machine
 * that was turned off keeps its memory. */
static int start_qemu(struct run_gdb_state *work, const char *path) {
  char *const *command = work->console->command;
  char socket[4200];
  size_t count = 0;
  while (command[count])
    count++;
  snprintf(socket, sizeof socket, "unix:%s,server=on,wait=off", path);
  char halted[] = "-S", gdb[] = "-gdb", stays[] = "-no-shutdown";
  char *const more[] = {halted, gdb, socket, stays, NULL};
  char **words =
      need_memory(calloc(count + sizeof more / sizeof *more, sizeof *words));
  memcpy(words, command, count * sizeof *words);
  memcpy(words + count, more, sizeof more);
  work->child = os_child_start(words);
  int error = errno;
  free(words);
  return work->child ? 0 : report_command_error(command, error);
}

static int run_qemu_command(struct run_gdb_state *work) {
  char folder[PRIVATE_FOLDER], path[PRIVATE_FOLDER + 4];
  if (make_folder_for_qemu(folder, "-gdb"))
    return 1;
  snprintf(path, sizeof path, "%s/gdb", folder);
  int status = start_qemu(work, path);
  if (!status) {
    status = connect_to_qemu(work, path) || read_and_add_counts(work);
    if (work->server.os)
      port_close(&work->server);
    end_qemu(work);
  }
  os_remove_folder(folder);
  return status;
}

static int read_board_counts(struct run_gdb_state *work) {
  char name[SERVER_NAME];
  if (port_make_gdb_name(name, run_gdb_find_server_address(work->console)) ||
      port_open(&work->server, name, work->console->baud))
    return 1;
  int status = read_and_add_counts(work);
  port_close(&work->server);
  return status;
}

const char *run_gdb_find_server_address(const struct console *console) {
  const char *port = console->port;
  return port && strncmp(port, "gdb:", 4) == 0 ? port + 4 : NULL;
}

/* Returns whether a command has one of the arguments in the list, for QEMU. */
static bool has_qemu_argument(char *const *command, const char *const *list) {
  while (command && *command &&
         strncmp(os_base_name(*command), "qemu-system-", 12))
    command++;
  for (; command && *command; command++)
    for (size_t i = 0; list[i]; i++)
      if (!strcmp(*command, list[i]))
        return true;
  return false;
}

const char *run_gdb_check_settings(const struct report_arguments *arguments) {
  const struct run_gdb_settings *settings = &arguments->gdb;
  const struct console *console = &arguments->console;
  static const char *const servers[] = {"-s", "-gdb", "--gdb", NULL};
  static const char *const daemons[] = {"-daemonize", "--daemonize", NULL};
  bool board = run_gdb_find_server_address(console);
  if (has_qemu_argument(console->command, daemons))
    return "remove -daemonize from the command of QEMU: bareprof ends QEMU "
           "itself";
  if (board && (settings->wanted || settings->at_count || settings->until ||
                settings->poison))
    return "--port gdb:HOST:PORT reads a board that runs; for --at, --until "
           "and --poison use bareprof receive --port gdb:...";
  if (!settings->wanted &&
      (settings->at_count || settings->until || settings->poison))
    return "--at, --until and --poison need --gdb";
  if (settings->wanted && !os_has_local_servers)
    return "--gdb does not work on Windows; start QEMU with -gdb "
           "tcp:127.0.0.1:1234, and use bareprof receive --port gdb:...";
  if (settings->wanted && console->port)
    return "--gdb starts a COMMAND; for a board remove --gdb and use --port "
           "gdb:HOST:PORT";
  if (settings->wanted && has_qemu_argument(console->command, servers))
    return "remove -s and -gdb from the command of QEMU: --gdb adds -S -gdb "
           "itself";
  if (settings->until && strlen(settings->until) > UNTIL_MOST)
    return "--until is longer than 255 bytes; use a part of the text";
  return NULL;
}

int run_gdb_program(struct report_arguments *arguments,
                    struct live_session *live) {
  const struct run_gdb_settings *settings = &arguments->gdb;
  struct console *console = &arguments->console;
  struct run_gdb_state work = {.settings = settings,
                               .live = live,
                               .inputs = &arguments->inputs,
                               .checks = &arguments->checks,
                               .console = console,
                               .until.text = settings->until};
  const struct scan_events events = {&work, show_and_search_console,
                                     drop_frame};
  if (!console->timeout && !console->endless &&
      !run_gdb_find_server_address(console))
    console->timeout = settings->at_count || settings->until || console->every
                           ? REACH
                           : ENDLESS;
  work.log = os_fopen(console->log, "w");
  if (!work.log)
    return report(console->log, CHECK_DISK, os_error_text(errno));
  work.scan = scan_new(&events);
  int status = !work.scan ? report_out_of_memory(NULL)
               : run_gdb_find_server_address(console) ? read_board_counts(&work)
                                                      : run_qemu_command(&work);
  if (work.scan)
    scan_end_and_free(work.scan);
  fflush(stdout);
  int unwritten = file_close_written(work.log, console->log, CHECK_DISK);
  return unwritten ? unwritten : status;
}
