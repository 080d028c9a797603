/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: the user's view, requests to the firmware,
 * events, and the loop over the input.
 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "frame.h"
#include "scan.h"
#include "../image/raw_write.h"
#include "../base/error.h"
#include "../base/file.h"
#include "port.h"

/* Milliseconds that a request waits by default. */
enum { PATIENCE_DEFAULT = 30000 };

/* ---- progress ---- */

enum { CELLS = 24, REDRAW = 100 /* milliseconds */ };

static void progress_init(struct progress *progress) {
  const char *terminal = getenv("TERM");
  *progress = (struct progress){.bar = isatty(STDERR_FILENO)};
  if (!terminal || !strcmp(terminal, "dumb"))
    progress->bar = false;
  progress->console = progress->bar && isatty(STDOUT_FILENO);
}

static long milliseconds(const struct timespec *from,
                         const struct timespec *to) {
  return (long)(to->tv_sec - from->tv_sec) * 1000 +
         (to->tv_nsec - from->tv_nsec) / 1000000;
}

/* Prints `12345 bytes, 10.2 kB/s`. The rate appears after some time. */
static void describe_progress(const struct progress *progress, char *text,
                              size_t room) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long time = milliseconds(&progress->begun, &now);
  size_t bytes = progress->state.bytes;
  int used = snprintf(text, room, "%zu bytes", bytes);
  if (time >= REDRAW)
    snprintf(text + used, room - (size_t)used, ", %.1f kB/s",
             (double)bytes / (double)time);
}

/* In thousandths, so that 100 % means everything. */
static unsigned portion(const struct progress_state *state) {
  if (!state->all || state->done >= state->all)
    return state->all ? 1000 : 0;
  return (unsigned)((double)state->done / (double)state->all * 1000);
}

static void draw(struct progress *progress) {
  char cells[CELLS + 1], text[64];
  unsigned part = portion(&progress->state);
  memset(cells, '.', CELLS);
  memset(cells, '#', part * CELLS / 1000);
  cells[CELLS] = 0;
  describe_progress(progress, text, sizeof text);
  fprintf(stderr, "\r[%s] %3u %%  %s\033[K", cells, part / 10, text);
  progress->drawn = true;
}

/* Call it any number of times: the bar is drawn at most ten times a second.
 * Flush stdio's text before. */
static void progress_update(struct progress *progress,
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
      milliseconds(&progress->shown, &now) < REDRAW)
    return;
  progress->shown = now;
  draw(progress);
}

static void erase(struct progress *progress) {
  if (progress->drawn)
    fprintf(stderr, "\r\033[K%.*s", (int)progress->used, progress->line);
  progress->drawn = false;
}

/* Call it before a message is printed on standard error: ends an unfinished
 * line of text. The bar comes back with the next update. */
static void progress_clear(struct progress *progress) {
  erase(progress);
  if (progress->used || progress->wide)
    fputc('\n', stderr);
  progress->used = 0;
  progress->wide = false;
}

/* Call it before console text is printed, with that text. */
static void progress_text(struct progress *progress, const unsigned char *text,
                          size_t size) {
  erase(progress);
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

/* Ends the running dump, complete or not. Without a running dump, acts as
 * progress_clear. */
static void progress_end(struct progress *progress) {
  char text[64];
  progress_clear(progress);
  if (!progress->running)
    return;
  progress->running = false;
  describe_progress(progress, text, sizeof text);
  if (!progress->bar)
    fprintf(stderr, "bareprof: a dump ends: %s\n", text);
}

/* ---- requests ---- */

enum { PATIENCE = 1000, TRIES_MOST = 20, AS_IT_LIKES = 0x80 };

/* Tags count up from the time in milliseconds, modulo 12 days: no run makes
 * more than one wish a millisecond. */
void ask_begin(struct ask *ask) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t time = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  uint64_t mixed =
      (time << 20 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 40) *
      UINT64_C(0x9E3779B97F4A7C15);
  ask->first = (uint32_t)(time % (TAG_MOST / 2)) + 1;
  ask->name = (uint16_t)(1 + mixed % 65535);
}

/* A frame has come; end: the last one of a dump. */
static void ask_heard(struct ask *ask, uint64_t now, bool end) {
  ask->heard = now;
  ask->tries = 0;
  if (end)
    ask->next = 0;
}

/* The answer to a request has come. Returns NULL or the reason of a refusal. */
static const char *ask_answer(struct ask *ask, const struct answer *answer) {
  if (answer->tag != ask->tag)
    return NULL;
  if (answer->command == BAREPROF_COMMAND_RESET) {
    ask->reset = false;
    ask->again = false;
    ask->tries = 0;
    ask->next = 0;
  }
  return answer->error ? profile_error((int)answer->error) : NULL;
}

/* Whether a tag belongs to this run: from the first to the last tag. */
static bool is_own(const struct ask *ask, uint32_t tag) {
  return tag >= ask->first && tag <= ask->tag;
}

/* Whether to take a dump. Refuses dumps that an earlier run requested, and
 * dumps from before the reset. */
static bool ask_wants(const struct ask *ask, const struct header *header) {
  if (!ask->dump && !ask->reset)
    return true;
  return !ask->reset && (header->tag == 0 || is_own(ask, header->tag));
}

/* A complete dump has come. */
static void ask_whole(struct ask *ask, uint64_t now) {
  ask->wants_dump = false;
  ask->again = false;
  ask->tries = 0;
  ask->next = 0;
  if (ask->every && ask->due <= now)
    ask->due = now + ask->every;
}

/* Returns how long no frame has come since the request; 0: all requests are
 * answered. */
static uint64_t ask_waits(const struct ask *ask, uint64_t now) {
  return ask->tries ? now - ask->since : 0;
}

static size_t make_wish(struct ask *ask, struct wish *wish, uint64_t now,
                        char line[WISH_LINE]) {
  if (!ask->tag)
    ask->tag = ask->first;
  else if (!ask->again)
    ask->tag++;
  if (ask->tries == 0)
    ask->since = now;
  ask->again = true;
  ask->next = now + PATIENCE;
  ask->tries++;
  wish->tag = ask->tag;
  wish->name = ask->name;
  return wish_line(line, wish);
}

/* Asks for the gaps of a dump in the form that was sent. Each request names
 * other gaps, or another state of the same gaps. */
static size_t ask_gaps(struct ask *ask, struct collector *collector,
                       uint64_t now, char line[WISH_LINE]) {
  struct hole holes[BAREPROF_WIRE_RANGES];
  struct wish gaps = {.command = BAREPROF_COMMAND_DUMP, .holes = holes};
  gaps.hole_count =
      collect_missing(collector, &gaps.to, holes, BAREPROF_WIRE_RANGES);
  if (gaps.hole_count == 0)
    return 0;
  for (unsigned i = 0; i < gaps.hole_count; i++)
    if (holes[i].piece == BAREPROF_PIECE_BITMAP) {
      holes[i].piece = BAREPROF_PIECE_COUNTERS;
      holes[i].first += header_elements(gaps.to, BAREPROF_PIECE_COUNTERS);
    }
  gaps.options = gaps.to->lean ? BAREPROF_LEAN : 0;
  if (ask->options & AS_IT_LIKES)
    gaps.options = AS_IT_LIKES;
  else
    gaps.options |= ask->options & BAREPROF_BINARY;
  ask->again = false;
  return make_wish(ask, &gaps, now, line);
}

/* Makes the line to send now. Returns its length, 0 for nothing. Call it some
 * times a second. */
static size_t ask_line(struct ask *ask, struct collector *collector,
                       uint64_t now, char line[WISH_LINE]) {
  struct wish simple = {.command = BAREPROF_COMMAND_DUMP,
                        .options = ask->options};
  if (now < ask->next || ask->tries >= TRIES_MOST)
    return 0;
  if (ask->reset) {
    simple.command = BAREPROF_COMMAND_RESET;
    return make_wish(ask, &simple, now, line);
  }
  /* While frames come, more may follow; none follow an end. */
  bool quiet = now - ask->heard >= PATIENCE;
  collect_settle(collector, quiet);
  if (collect_running(collector))
    return 0;
  size_t length = ask_gaps(ask, collector, now, line);
  if (length || !ask->dump || (!ask->wants_dump && now < ask->due))
    return length;
  if (!ask->wants_dump) {
    ask->wants_dump = true;
    ask->again = false;
    ask->tries = 0;
    ask->due = ask->every ? now + ask->every : UINT64_MAX;
  }
  return make_wish(ask, &simple, now, line);
}

/* ---- the run ---- */

enum { ELF_LIMIT = 1 << 30, WAIT = 50, TELL_AFTER = 2000, ODD_LEAST = 64 };

uint64_t session_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- events ---- */

/* Counts bytes that no log has. A line at another rate produces them. */
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
  if (session->quiet)
    return;
  progress_text(&session->progress, bytes, size);
  fwrite(bytes, 1, size, stdout);
}

/* An answer to a request, or the refusal of a dump that nobody requested. */
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

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  struct session *session = context;
  if (frame)
    ask_heard(&session->ask, session_now(), frame->type == BAREPROF_FRAME_END);
  if (frame && (frame->type == BAREPROF_FRAME_ANSWER ||
                frame->type == BAREPROF_FRAME_REFUSED)) {
    on_answer(session, frame);
    return true;
  }
  session->bytes += size;
  return false;
}

static void on_taken(void *context) {
  struct session *session = context;
  struct progress_state state = {session->bytes, 0, 0};
  collect_progress(session->hearing.collector, &state.done, &state.all);
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
  /* Without a start number nothing fills the gaps, so the whole dump is
   * requested again. */
  if (session->ask.dump && snapshot->header.tag && !snapshot->header.boot)
    return;
  /* A dump that begins behind the last wanted dump is no loss. */
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

static bool is_done(const struct session *session) {
  return (session->count && session->outcome.whole >= session->count) ||
         session->refused;
}

/* Sends the next request. false: the port takes nothing. */
static bool send_wish(struct session *session, struct port *port) {
  char line[WISH_LINE];
  size_t length =
      ask_line(&session->ask, session->hearing.collector, session_now(), line);
  return length == 0 || port_write(port, line, length) == 0;
}

/* Whether a request has waited long enough. Tells the user that the session
 * waits. A session with repeated requests continues, unless the user has set a
 * timeout. */
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

static int listen_to(struct session *session, struct port *port) {
  static unsigned char bytes[1 << 16];
  uint64_t heard = session_now();
  while (!is_done(session) && !port_stopped() && !gives_up(session)) {
    if (port->out >= 0 && !send_wish(session, port))
      return 1;
    long size = port_read(port, bytes, sizeof bytes, WAIT);
    if (size < 0)
      break;
    if (size > 0) {
      heard = session_now();
      hear_feed(&session->hearing, bytes, (size_t)size);
    } else {
      hear_idle(&session->hearing);
      if (session->timeout && session_now() - heard >= session->timeout) {
        session->unanswered = ask_waits(&session->ask, session_now()) != 0;
        break;
      }
    }
    /* Standard output has no reader or no room; dumps still arrive. */
    if (fflush(stdout))
      session->quiet = true;
  }
  return 0;
}

/* Reports losses on the way, and possible causes. */
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
    fprintf(
        stderr,
        "bareprof: the input is hardly text; is --baud the firmware's rate?\n");
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

static int run_port(struct session *session) {
  const struct hear_events events = {
      {session, on_whole, on_partial, on_passed, on_lost, NULL, session->live},
      session->live,
      on_text,
      on_frame,
      on_taken};
  struct port port;
  progress_init(&session->progress);
  port_catch_signals();
  if (port_open(&port, session->input, session->baud))
    return 1;
  if (session->live && isatty(STDIN_FILENO))
    port_forward(&port, STDIN_FILENO);
  if (!hear_begin(&session->hearing, &events))
    return report_memory(session->input);
  int status = listen_to(session, &port);
  struct serial_losses losses = port_losses(&port);
  port_close(&port);
  size_t damaged = hear_end(&session->hearing);
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
    return run_port(session);
  if (file_map(&file, outcome->elf_name, ELF_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  int status = 1;
  if (error) {
    report(outcome->elf_name, "%s", error);
  } else {
    outcome->elf = &elf;
    status = run_port(session);
  }
  file_close(&file);
  return status;
}
