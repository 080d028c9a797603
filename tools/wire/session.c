/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs `bareprof receive`: loops over the input, and handles the events of
 * scanner and reassembler. port.h reads the bytes, receiver.c finds the dumps,
 * and dump_writer.c writes them.
 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../image/dumpfile.h"
#include "../image/image.h"
#include "port.h"

/* ---- progress: a bar on a terminal, otherwise two lines ---- */

enum { CELLS = 24, REDRAW = 100 /* milliseconds */ };

static void progress_init(struct progress_display *progress) {
  *progress = (struct progress_display){.bar = os_is_ansi_terminal(2)};
  progress->console = progress->bar && os_is_terminal(1);
}

static long milliseconds_between(const struct timespec *from,
                                 const struct timespec *to) {
  return (long)(to->tv_sec - from->tv_sec) * 1000 +
         (to->tv_nsec - from->tv_nsec) / 1000000;
}

/* Formats the progress as `12345 bytes, 10.2 kB/s`. Leaves out the rate at
 * first. */
static void format_progress(const struct progress_display *progress, char *text,
                            size_t room) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long time = milliseconds_between(&progress->begun, &now);
  size_t bytes = progress->state.bytes;
  int used = snprintf(text, room, "%zu bytes", bytes);
  if (time >= REDRAW)
    snprintf(text + used, room - (size_t)used, ", %.1f kB/s",
             (double)bytes / (double)time);
}

/* Returns how much of a dump has arrived, in thousandths. Rounds down, so that
 * 100 % means complete. */
static unsigned permille_done(const struct progress_state *state) {
  if (!state->all || state->done >= state->all)
    return state->all ? 1000 : 0;
  return (unsigned)((double)state->done / (double)state->all * 1000);
}

static void draw_progress(struct progress_display *progress) {
  char cells[CELLS + 1], text[64];
  unsigned part = permille_done(&progress->state);
  memset(cells, '.', CELLS);
  memset(cells, '#', part * CELLS / 1000);
  cells[CELLS] = 0;
  format_progress(progress, text, sizeof text);
  fprintf(stderr, "\r[%s] %3u %%  %s\033[K", cells, part / 10, text);
  progress->drawn = true;
}

/* Draws the bar, at most ten times a second; without a terminal, says once that
 * a dump begins. The caller must flush stdio before the call. */
static void progress_update(struct progress_display *progress,
                            const struct progress_state *state) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  progress->state = *state;
  if (!progress->running) {
    progress->running = true;
    progress->begun = progress->shown = now;
    if (!progress->bar)
      fprintf(stderr, "bareprof: a dump begins\n");
    return;
  }
  if (!progress->bar || progress->wide ||
      milliseconds_between(&progress->shown, &now) < REDRAW)
    return;
  progress->shown = now;
  draw_progress(progress);
}

static void erase_progress(struct progress_display *progress) {
  if (progress->drawn)
    fprintf(stderr, "\r\033[K%.*s", (int)progress->used, progress->line);
  progress->drawn = false;
}

/* Erases the bar and ends an unfinished line of text. Call it before a message
 * is printed on standard error. The next update draws the bar again. */
static void progress_clear(struct progress_display *progress) {
  erase_progress(progress);
  if (progress->used || progress->wide)
    fputc('\n', stderr);
  progress->used = 0;
  progress->wide = false;
}

/* Erases the bar, and remembers an unfinished line of the text. Call it before
 * console text is printed. */
static void erase_bar_and_track_text(struct progress_display *progress,
                                     const unsigned char *text, size_t size) {
  erase_progress(progress);
  if (!progress->console)
    return;
  for (size_t i = size; i > 0; i--)
    if (text[i - 1] == '\n') {
      progress->used = 0;
      progress->wide = false;
      text += i;
      size -= i;
      break;
    }
  if (progress->wide || size > sizeof progress->line - progress->used) {
    progress->wide = true;
    progress->used = 0;
    return;
  }
  memcpy(progress->line + progress->used, text, size);
  progress->used += size;
}

/* Ends the progress display of the current dump, even if the dump is
 * incomplete. Without a current dump, acts like progress_clear. */
static void progress_end(struct progress_display *progress) {
  char text[64];
  progress_clear(progress);
  if (!progress->running)
    return;
  progress->running = false;
  format_progress(progress, text, sizeof text);
  if (!progress->bar)
    fprintf(stderr, "bareprof: a dump ends: %s\n", text);
}

/* ---- the session ---- */

/* The default limit in milliseconds for the time that a request may wait. */
enum { PATIENCE_DEFAULT = 30000 };

enum { WAIT = 50 }; /* the milliseconds that a read waits for bytes */

uint64_t session_get_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- events ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct receive_session *session = context;
  if (session->quiet)
    return;
  erase_bar_and_track_text(&session->progress, bytes, size);
  fwrite(bytes, 1, size, stdout);
}

/* Handles an answer to a request, or the refusal of a dump that nobody
 * requested. */
static void on_answer(struct receive_session *session,
                      const struct frame *frame) {
  struct answer answer;
  const char *error = frame_parse_answer(&answer, frame);
  bool asked = frame->type == BAREPROF_FRAME_ANSWER;
  /* An answer to another program's request is ignored. */
  if (asked && answer.tag != session->requester.tag)
    return;
  if (!error)
    error = asked ? requester_note_answer(&session->requester, &answer)
                  : image_error_message((int)answer.error);
  if (!error)
    error = answer_print(&answer, stderr);
  if (!error)
    return;
  progress_clear(&session->progress);
  report(session->input, "the firmware rejected a dump: %s", error);
  if (asked)
    session->refused = true;
  else
    session->writer.broken++;
}

/* Returns whether enough dumps are complete. After the last of these dumps, a
 * port has usually sent a part of another dump; this part is not reported as
 * lost. */
static bool has_enough_dumps(const struct receive_session *session) {
  return session->count && session->writer.whole >= session->count;
}

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  struct receive_session *session = context;
  if (has_enough_dumps(session))
    return true; /* one read may have brought more dumps than are wanted */
  if (frame)
    requester_note_frame(&session->requester, session_get_time(),
                         frame->type == BAREPROF_FRAME_END);
  if (frame && (frame->type == BAREPROF_FRAME_ANSWER ||
                frame->type == BAREPROF_FRAME_REFUSED)) {
    on_answer(session, frame);
    return true;
  }
  session->bytes += size;
  return false;
}

static void on_frame_collected(void *context) {
  struct receive_session *session = context;
  struct progress_state state = {session->bytes, 0, 0};
  reassembly_get_progress(session->receiver.reassembler, &state.done,
                          &state.all);
  if (state.all)
    progress_update(&session->progress, &state);
}

static void end_dump_progress(struct receive_session *session) {
  fflush(stdout);
  progress_end(&session->progress);
  session->bytes = 0;
}

static void on_complete_dump(void *context, struct snapshot *snapshot) {
  struct receive_session *session = context;
  end_dump_progress(session);
  if (!requester_wants_dump(&session->requester, &snapshot->header))
    return;
  dump_writer_write_complete(&session->writer, snapshot);
  requester_note_complete_dump(&session->requester, session_get_time());
}

static void on_dump_closed(void *context, struct dump_header *header) {
  struct receive_session *session = context;
  requester_note_closed_dump(&session->requester, header, session_get_time());
}

static void on_partial_dump(void *context, struct snapshot *snapshot) {
  struct receive_session *session = context;
  end_dump_progress(session);
  /* A gap cannot be filled in samples, in a boot without a boot number, or
   * after the boot has ended. In these cases a complete dump is requested
   * again. */
  if (session->requester.dump && !session->ending &&
      (session->requester.samples || snapshot->header.tag)) {
    if (snapshot->header.boot)
      fprintf(stderr,
              "bareprof: a dump of boot %u had gaps that cannot be filled any "
              "more; a complete dump is requested\n",
              snapshot->header.boot);
    return;
  }
  if (requester_wants_dump(&session->requester, &snapshot->header) &&
      !has_enough_dumps(session))
    dump_writer_write_partial(&session->writer, snapshot);
}

static void on_superseded_dump(void *context, struct snapshot *snapshot) {
  struct receive_session *session = context;
  (void)snapshot;
  end_dump_progress(session);
  fprintf(stderr, "bareprof: a dump had gaps; a later dump of this boot "
                  "contains its counts\n");
}

static void on_data_lost(void *context, const char *what) {
  struct receive_session *session = context;
  if (has_enough_dumps(session))
    return;
  progress_clear(&session->progress);
  report(session->input, "data is lost: %s", what);
  session->lost = true;
  if (!session->requester.dump)
    session->writer.broken++;
}

/* Reports missing dumps, unless the session requests dumps: it then requests
 * the missing ones again. */
static void on_missing_ordinals(void *context,
                                const struct missing_ordinal_range *missing) {
  struct receive_session *session = context;
  char text[MISSING_TEXT];
  if (session->requester.dump || has_enough_dumps(session))
    return;
  ordinals_describe_missing(text, missing);
  progress_clear(&session->progress);
  report(session->input, "%s; send the dump again%s", text,
         session->allow_missing ? "" : ", or use --allow-missing");
  if (!session->allow_missing)
    session->writer.broken++;
}

static void on_dumps_unnumbered(void *context,
                                const struct dump_header *header) {
  struct receive_session *session = context;
  (void)header;
  if (!session->requester.dump && !session->uncounted)
    ordinals_report_unnumbered(session->input);
  session->uncounted = true;
}

/* ---- the loop ---- */

static bool is_session_done(const struct receive_session *session) {
  return has_enough_dumps(session) || session->refused;
}

/* Sends the next request. Returns false if the port does not accept it. */
static bool send_next_request(struct receive_session *session,
                              struct port *port) {
  char line[REQUEST_LINE];
  size_t length = requester_build_next_line(&session->requester,
                                            session->receiver.reassembler,
                                            session_get_time(), line);
  return length == 0 || port_write(port, line, length) == 0;
}

/* Returns whether the user wants requests. Without them, the session still
 * requests lost frames, but goes on if the firmware does not answer. */
static bool has_wanted_request(const struct receive_session *session) {
  return session->requester.dump ||
         requester_get_first_command(&session->requester) < ANSWER_KINDS;
}

/* Returns whether a request has waited long enough. Also tells the user once
 * that the session waits. If requests are repeated, the session continues,
 * unless the user has set a timeout. */
static bool warn_or_give_up(struct receive_session *session) {
  if (!has_wanted_request(session))
    return false;
  uint64_t waits = requester_wait_time(&session->requester, session_get_time());
  uint64_t patience = session->timeout           ? session->timeout
                      : session->requester.every ? UINT64_MAX
                                                 : PATIENCE_DEFAULT;
  if (waits >= REQUEST_REPORT_AFTER && !session->told) {
    progress_clear(&session->progress);
    requester_report_wait(&session->requester);
    session->told = true;
  }
  session->unanswered = waits >= patience;
  return session->unanswered;
}

static int receive_until_done(struct receive_session *session,
                              struct port *port) {
  static unsigned char bytes[1 << 16];
  uint64_t heard = session_get_time();
  while (!is_session_done(session) && !port_is_stop_requested() &&
         !warn_or_give_up(session)) {
    if (port_can_write(port) && !send_next_request(session, port))
      return 1;
    long size = port_read(port, bytes, sizeof bytes, WAIT);
    session->gone = size < 0;
    if (session->gone)
      break;
    if (size > 0) {
      heard = session_get_time();
      receiver_feed(&session->receiver, bytes, (size_t)size);
    } else {
      receiver_note_idle(&session->receiver);
      if (session->timeout && session_get_time() - heard >= session->timeout) {
        session->unanswered =
            has_wanted_request(session) &&
            requester_wait_time(&session->requester, session_get_time()) != 0;
        break;
      }
    }
    /* standard output is closed or full; dumps still arrive */
    if (fflush(stdout))
      session->quiet = true;
  }
  return 0;
}

/* Reports losses on the link, and what may have caused them. */
static void report_losses(const struct receive_session *session,
                          const struct os_port_losses *losses, size_t damaged) {
  if (damaged)
    fprintf(stderr,
            "bareprof: %zu frame%s arrived damaged; if bytes are missing, let "
            "the sink wait for its UART before each byte\n",
            damaged, damaged == 1 ? "" : "s");
  if (losses->overrun)
    fprintf(stderr,
            "bareprof: the host's serial port lost %lu byte%s (overrun); use a "
            "lower rate, or flow control\n",
            losses->overrun, losses->overrun == 1 ? "" : "s");
  if (losses->framing)
    fprintf(stderr,
            "bareprof: the link damaged %lu byte%s; check that --baud is the "
            "firmware's rate\n",
            losses->framing, losses->framing == 1 ? "" : "s");
  else if (session->live && receiver_is_garbled(&session->receiver) &&
           session->writer.whole + session->writer.broken)
    fprintf(stderr, "bareprof: the input is not text; check that --baud is the "
                    "firmware's rate\n");
}

static int report_result(const struct receive_session *session) {
  const struct dump_writer *outcome = &session->writer;
  if (session->refused)
    return 1;
  if (session->unanswered && outcome->whole + outcome->broken)
    return report(session->input, "no answer to the last request; check that "
                                  "the firmware still runs");
  if (session->unanswered)
    return report(
        session->input,
        "no answer to the request; check the port and --baud, and that the "
        "firmware passes each byte to bareprof_wire_feed and calls "
        "bareprof_%s_serve",
        session->requester.samples ? "sampler" : "wire");
  if (!outcome->whole && session->live && session->gone)
    return report(session->input,
                  "the port closed before a complete dump arrived; check the "
                  "board or the server");
  if (!outcome->whole && !outcome->broken)
    return session->lost ? 1
                         : report(session->input, "%s",
                                  receiver_explain_no_dump(&session->receiver));
  if (session->count > outcome->whole)
    return report(session->input,
                  outcome->broken || session->lost
                      ? "%u of %u dump%s arrived complete; see the messages "
                        "above"
                      : "%u of %u dump%s arrived complete; check --count, and "
                        "what the firmware sends",
                  outcome->whole, session->count,
                  session->count == 1 ? "" : "s");
  return outcome->broken != 0;
}

static int receive_from_port(struct receive_session *session) {
  const struct receiver_events events = {
      .dumps = {.context = session,
                .whole = on_complete_dump,
                .partial = on_partial_dump,
                .passed = on_superseded_dump,
                .lost = on_data_lost,
                .header = on_dump_closed,
                .asks = session->requester.dump,
                .missing = on_missing_ordinals,
                .uncounted = on_dumps_unnumbered,
                .joins = session->live},
      .live = session->live,
      .text = on_text,
      .frame = on_frame,
      .taken = on_frame_collected};
  struct port port;
  progress_init(&session->progress);
  port_catch_signals();
  if (port_open(&port, session->input, session->baud))
    return 1;
  /* A port that cannot be written is an error at once. */
  if (has_wanted_request(session) && port_write(&port, NULL, 0)) {
    port_close(&port);
    return 1;
  }
  if (session->live && os_is_terminal(0))
    port_enable_keys(&port);
  if (!receiver_begin(&session->receiver, &events))
    return report_out_of_memory(session->input);
  int status = receive_until_done(session, &port);
  struct os_port_losses losses = port_count_losses(&port);
  port_close(&port);
  session->ending = true;
  size_t damaged = receiver_end(&session->receiver);
  fflush(stdout);
  progress_end(&session->progress);
  report_losses(session, &losses, damaged);
  return report_result(session) || status;
}

int session_receive(struct receive_session *session) {
  struct dump_writer *outcome = &session->writer;
  struct file file;
  struct elf elf;
  if (!outcome->elf_name)
    return receive_from_port(session);
  if (image_open_file(&elf, &file, outcome->elf_name))
    return 1;
  outcome->elf = &elf;
  int status = receive_from_port(session);
  file_close(&file);
  return status;
}
