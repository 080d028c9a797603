/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: its events, and the loop over the input.
 */
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/error.h"
#include "../base/file.h"
#include "port.h"
#include "../image/raw_write.h"

enum { ELF_LIMIT = 1 << 30, WAIT = 50, TELL_AFTER = 2000, ODD_LEAST = 64 };

uint64_t session_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- events ---- */

/* Bytes that no log has: what a line at another rate looks like. */
static void count_odd(struct session *session, const unsigned char *bytes,
                      size_t size) {
  session->text += size;
  for (size_t i = 0; i < size; i++)
    session->odd += bytes[i] >= 0x7F ||
                    (bytes[i] < 0x20 && bytes[i] != '\n' && bytes[i] != '\r' &&
                     bytes[i] != '\t' && bytes[i] != 0x1B);
}

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct session *session = context;
  count_odd(session, bytes, size);
  if (!session->live)
    collect_text(session->collector, bytes, size);
  if (session->quiet)
    return;
  progress_text(&session->progress, bytes, size);
  fwrite(bytes, 1, size, stdout);
}

/* The answer to a request; or a dump that nobody asked for was refused. */
static void on_answer(struct session *session, const struct frame *frame) {
  struct answer answer;
  const char *error = answer_read(&answer, frame);
  bool asked = frame->type == BAREPROF_FRAME_ANSWER;
  if (!error)
    error = asked ? ask_answer(&session->ask, &answer)
                  : profile_error((int)answer.error);
  if (!error)
    return;
  progress_clear(&session->progress);
  report(session->input, "the firmware refused a dump: %s", error);
  if (asked)
    session->refused = true;
  else
    session->outcome.broken++;
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct session *session = context;
  struct bytes all = {bytes, size};
  struct frame frame;
  if (!frame_read(&frame, all)) {
    if (frame.type == BAREPROF_FRAME_REQUEST)
      return; /* The other side echoes. */
    ask_heard(&session->ask, session_now(), frame.type == BAREPROF_FRAME_END);
    if (frame.type == BAREPROF_FRAME_ANSWER ||
        frame.type == BAREPROF_FRAME_REFUSED) {
      on_answer(session, &frame);
      return;
    }
  }
  session->bytes += size;
  collect_frame(session->collector, all, mended);
  struct progress_state state = {session->bytes, 0, 0};
  collect_progress(session->collector, &state.done, &state.all);
  if (state.all)
    progress_update(&session->progress, &state);
}

static void end_of_dump(struct session *session) {
  fflush(stdout);
  progress_end(&session->progress);
  session->bytes = 0;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  struct session *session = context;
  end_of_dump(session);
  if (!ask_wants(&session->ask, &snapshot->header))
    return;
  outcome_whole(&session->outcome, snapshot);
  ask_whole(&session->ask, session_now());
}

static void on_partial(void *context, struct snapshot *snapshot) {
  struct session *session = context;
  end_of_dump(session);
  /* Without a number nothing fills its gaps, and it is asked for as a whole. */
  if (session->ask.dump && snapshot->header.tag && !snapshot->header.boot)
    return;
  /* What begins behind the last dump that was wanted is nobody's loss. */
  if (ask_wants(&session->ask, &snapshot->header) &&
      (!session->count || session->outcome.whole < session->count))
    outcome_partial(&session->outcome, snapshot);
}

static void on_passed(void *context, struct snapshot *snapshot) {
  struct session *session = context;
  (void)snapshot;
  end_of_dump(session);
  fprintf(stderr, "bareprof: a dump had gaps; a later one of its start has its "
                  "counts\n");
}

static void on_lost(void *context, const char *what) {
  struct session *session = context;
  progress_clear(&session->progress);
  report(session->input, "something is lost: %s", what);
  if (!session->live)
    session->outcome.broken++;
}

/* ---- the work ---- */

static bool done(const struct session *session) {
  return (session->count && session->outcome.whole >= session->count) ||
         session->refused;
}

/* Sends what is to be asked for; false: the port takes nothing. */
static bool speak(struct session *session, struct port *port) {
  char line[WISH_LINE];
  size_t length =
      ask_line(&session->ask, session->collector, session_now(), line);
  return length == 0 || port_write(port, line, length) == 0;
}

/* Whether a request has waited long enough; says that it waits. A session that
 * asks again and again goes on, unless the user has set an end. */
static bool gives_up(struct session *session) {
  uint64_t waits = ask_waits(&session->ask, session_now());
  uint64_t patience = session->timeout     ? session->timeout
                      : session->ask.every ? UINT64_MAX
                                           : PATIENCE_DEFAULT;
  if (waits >= TELL_AFTER && !session->told) {
    progress_clear(&session->progress);
    fprintf(stderr,
            "bareprof: waiting for an answer to the request for a %s; the "
            "firmware gives each byte to bareprof_wire_feed, and calls "
            "bareprof_wire_serve\n",
            session->ask.reset ? "reset" : "dump");
    session->told = true;
  }
  session->unanswered = waits >= patience;
  return session->unanswered;
}

static void to_scan(void *context, const unsigned char *bytes, size_t size) {
  scan_feed(context, bytes, size);
}

/* Only a log is in UTF-16, not a port. */
static void hear(struct session *session, const unsigned char *bytes,
                 size_t size) {
  if (session->live)
    scan_feed(session->scan, bytes, size);
  else
    utf16_feed(&session->utf16, bytes, size, to_scan, session->scan);
}

static int listen_to(struct session *session, struct port *port) {
  static unsigned char bytes[1 << 16];
  uint64_t heard = session_now();
  while (!done(session) && !port_stopped() && !gives_up(session)) {
    if (port->out >= 0 && !speak(session, port))
      return 1;
    long size = port_read(port, bytes, sizeof bytes, WAIT);
    if (size < 0)
      break;
    if (size > 0) {
      heard = session_now();
      hear(session, bytes, (size_t)size);
    } else {
      scan_idle(session->scan);
      if (session->timeout && session_now() - heard >= session->timeout) {
        session->unanswered = ask_waits(&session->ask, session_now()) != 0;
        break;
      }
    }
    /* The console has no reader, or no room: dumps still arrive. */
    if (fflush(stdout))
      session->quiet = true;
  }
  return 0;
}

/* What got lost on the way, and why that may be. */
static void tell_losses(const struct session *session,
                        const struct serial_losses *losses, size_t damaged) {
  if (damaged)
    fprintf(stderr,
            "bareprof: %zu frames came damaged; where bytes are missing, the "
            "sender may be faster than its UART: the sink must wait for it\n",
            damaged);
  if (losses->overrun)
    fprintf(stderr,
            "bareprof: %lu bytes were lost in this machine's serial port "
            "(overrun); use a lower rate, or flow control\n",
            losses->overrun);
  if (losses->framing)
    fprintf(stderr,
            "bareprof: %lu bytes were damaged on the line; is --baud the "
            "firmware's rate?\n",
            losses->framing);
  else if (session->live && session->text >= ODD_LEAST &&
           session->odd > session->text / 4)
    fprintf(stderr, "bareprof: what came is hardly text; is --baud the "
                    "firmware's rate?\n");
}

static int verdict(const struct session *session) {
  const struct outcome *outcome = &session->outcome;
  if (session->refused)
    return 1;
  if (session->unanswered)
    return report(session->input,
                  "the request was not answered; is bareprof_wire_feed given "
                  "each byte, and bareprof_wire_serve called?");
  if (!outcome->whole && !outcome->broken)
    return report(session->input,
                  "there is no dump in it; does the firmware call "
                  "bareprof_send, on this port?");
  if (session->count > outcome->whole)
    return report(session->input, "%u dumps of %u came whole; see above",
                  outcome->whole, session->count);
  return outcome->broken != 0;
}

static int run(struct session *session) {
  const struct collect_events collected = {
      session, on_whole, on_partial, on_passed, on_lost, NULL, session->live};
  const struct scan_events scanned = {session, on_text, on_frame};
  struct port port;
  progress_init(&session->progress);
  port_catch_signals();
  if (port_open(&port, session->input, session->baud))
    return 1;
  if (session->live && isatty(STDIN_FILENO))
    port_forward(&port, STDIN_FILENO);
  session->collector = collect_new(&collected);
  session->scan = scan_new(&scanned);
  if (!session->collector || !session->scan)
    return report(session->input, "out of memory; close other programs");
  int status = listen_to(session, &port);
  struct serial_losses losses = port_losses(&port);
  port_close(&port);
  utf16_end(&session->utf16, to_scan, session->scan);
  size_t damaged = scan_damaged(session->scan);
  scan_end(session->scan);
  collect_end(session->collector);
  fflush(stdout);
  progress_end(&session->progress);
  tell_losses(session, &losses, damaged);
  return verdict(session) || status;
}

int session_run(struct session *session) {
  struct outcome *outcome = &session->outcome;
  struct file file;
  struct elf elf;
  if (!outcome->elf_name)
    return run(session);
  if (file_map(&file, outcome->elf_name, ELF_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  int status = 1;
  if (error) {
    report(outcome->elf_name, "%s", error);
  } else {
    outcome->elf = &elf;
    status = run(session);
  }
  file_close(&file);
  return status;
}
