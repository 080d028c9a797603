/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file runs a command or reads a port, shows its console output, and
 * writes the log that boots.c reads later. Meanwhile, signals that would end
 * bareprof are delayed (coverage.c). listen_until_done checks for signals.
 */
#include "inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/program.h"
#include "../../object/elf.h"
#include "../../wire/session.h"
#include "../../wire/port.h"

/* Times in milliseconds: LOOK_AROUND is the limit of one read, GRACE the time
 * for the rest of the output after the last dump, and MERCY the time for the
 * command to end after SIGTERM. TAIL_MOST is in bytes. */
enum { LOOK_AROUND = 50, GRACE = 500, MERCY = 2000, TAIL_MOST = 1 << 20 };

/* Times in milliseconds: the answer to the last request may come LAST_ANSWER
 * after the last frame, and may take LAST_MOST in all. LAST_ANSWER has time for
 * three repeats of a request that was lost, as a repeat comes each second. */
enum { LAST_ANSWER = 3500, LAST_MOST = 30000 };

struct console_listener {
  struct console *console;
  const struct inputs *inputs;
  struct receiver receiver;
  FILE *log;
  unsigned *counts;       /* number of complete dumps of each ELF */
  uint32_t *tags;         /* last request that each ELF has answered */
  struct os_child *child; /* the running command; NULL if a port is read */
  struct port port;
  struct requester *requester; /* sender of requests; NULL if none are sent */
  uint64_t framed;             /* time when the last frame arrived */
  bool foreign;       /* The user was told of a dump of another build. */
  bool reported_wait; /* The user was told that no request was answered. */
  uint64_t waited; /* seconds of silence that the terminal shows; 0 if none */
  bool closed;     /* No more output will arrive. */
  /* The output after the last wanted dump, which is not in the log yet. */
  struct buffer tail;
  bool broken;      /* The tail contains a dump with gaps. */
  const char *lost; /* other losses in the tail, or NULL */
  /* The next fields are for the callback console->on_dumps. */
  bool fresh;         /* Complete dumps have arrived since the last call. */
  uint64_t next_call; /* earliest time of the next call */
  int status;         /* result of the last call */
};

/* ---- the command's output ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  const struct console_listener *listener = context;
  if (!listener->console->quiet)
    fwrite(bytes, 1, size, stdout);
}

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  struct console_listener *listener = context;
  bool refused = frame && frame->type == BAREPROF_FRAME_REFUSED;
  (void)size;
  if (frame && listener->requester) {
    listener->framed = session_get_time();
    requester_note_frame(listener->requester, listener->framed,
                         frame->type == BAREPROF_FRAME_END);
  }
  if (frame && frame->type == BAREPROF_FRAME_ANSWER)
    return true;
  listener->console->refused |= refused;
  listener->console->frames++;
  return refused;
}

/* Writes the kept output to the log, because another dump follows it, or
 * because it contains something that the report should mention. */
static void write_tail_to_log(struct console_listener *listener) {
  if (listener->tail.size)
    fwrite(listener->tail.data, 1, listener->tail.size, listener->log);
  listener->tail.size = 0;
  if (listener->lost)
    listener->console->lost = listener->lost;
  listener->broken = false;
  listener->lost = NULL;
}

static void on_dump_header(void *context, struct dump_header *header) {
  const struct console_listener *listener = context;
  if (listener->requester)
    requester_note_closed_dump(listener->requester, header, session_get_time());
}

static void on_whole_dump(void *context, struct snapshot *dump) {
  struct console_listener *listener = context;
  const struct inputs *inputs = listener->inputs;
  const struct input_elf *subject =
      inputs_find_elf(inputs, header_build_id(&dump->header));
  if (subject && dump->header.kind == BAREPROF_KIND_PROFILE) {
    size_t which = (size_t)(subject - inputs->subjects);
    if (listener->counts[which]++ < listener->console->count)
      listener->console->dumps++;
    if (dump->header.tag)
      listener->tags[which] = dump->header.tag;
    listener->fresh = true;
  } else if (!subject && listener->console->on_dumps && !listener->foreign) {
    report(
        listener->console->port ? listener->console->port
                                : listener->console->command[0],
        "a dump has a build id that matches no ELF; pass the ELF that ran");
    listener->foreign = true;
  }
  if (listener->requester)
    requester_note_complete_dump(listener->requester, session_get_time());
  write_tail_to_log(listener);
}

/* The report lists the gaps when it reads the log. */
static void on_incomplete_dump(void *context, struct snapshot *dump) {
  struct console_listener *listener = context;
  listener->broken = true;
  (void)dump;
}

static void ignore_unneeded_dump(void *context, struct snapshot *dump) {
  (void)context;
  (void)dump;
}

static void on_data_lost(void *context, const char *what) {
  struct console_listener *listener = context;
  listener->lost = what;
}

/* Returns whether to stop waiting: all wanted dumps have arrived, or the
 * firmware refused a dump. */
static bool can_stop_waiting(const struct console_listener *listener) {
  if (listener->console->refused)
    return true;
  for (size_t i = 0; i < listener->inputs->count; i++)
    if (listener->counts[i] < listener->console->count)
      return false;
  return true;
}

/* ---- the command ---- */

/* Returns whether the command has ended or the port was closed. */
static bool poll_input_ended(struct console_listener *listener) {
  struct console *console = listener->console;
  if (!listener->child)
    return listener->closed;
  if (!console->ended)
    console->ended = os_child_has_ended(listener->child, &console->status);
  return console->ended;
}

/* Ends the command and all its child processes. SIGTERM is tried first. */
static void end_command(struct console_listener *listener) {
  struct console *console = listener->console;
  uint64_t begun = session_get_time();
  bool by_itself = poll_input_ended(listener);
  os_child_terminate(listener->child);
  while (!poll_input_ended(listener) && session_get_time() - begun < MERCY)
    os_sleep(LOOK_AROUND);
  os_child_kill(listener->child, &console->status);
  console->ended = by_itself;
}

/* ---- the command or the port ---- */

/* Returns the length up to the first byte that may end a frame. A 0 may be half
 * of such a character in UTF-16. */
static size_t find_possible_frame_end(const unsigned char *bytes, size_t size) {
  size_t i = 0;
  while (i < size && bytes[i] && bytes[i] != '\n' && bytes[i] != '{' &&
         bytes[i] != '}' && bytes[i] != BAREPROF_BINARY_BEGIN &&
         bytes[i] != BAREPROF_BINARY_END)
    i++;
  return i + (i < size);
}

/* Passes output on in pieces that end where frames may end, so that the log can
 * be cut right after a dump. */
static void log_and_feed_output(struct console_listener *listener,
                                const unsigned char *bytes, size_t size) {
  while (size) {
    size_t piece = find_possible_frame_end(bytes, size);
    if (!can_stop_waiting(listener) ||
        buffer_append_bytes(&listener->tail, bytes, piece)) {
      write_tail_to_log(listener);
      fwrite(bytes, 1, piece, listener->log);
    }
    receiver_feed(&listener->receiver, bytes, piece);
    bytes += piece;
    size -= piece;
  }
}

/* Handles the end of the output. Firmware that keeps sending is usually cut off
 * inside a dump, which is not a loss if all wanted dumps have arrived. */
static void end_receiver_and_log(struct console_listener *listener,
                                 bool by_itself) {
  receiver_end(&listener->receiver);
  listener->console->lacks = receiver_explain_no_dump(&listener->receiver);
  if (by_itself || !can_stop_waiting(listener) || listener->console->refused ||
      (!listener->broken && !listener->lost))
    write_tail_to_log(listener);
  buffer_free(&listener->tail);
}

/* Removes the line of print_waiting_time from the terminal. */
static void clear_waiting_time(struct console_listener *listener) {
  if (listener->waited)
    fputs("\r\x1b[K", stderr);
  listener->waited = 0;
}

/* Reads the available output. Returns false if no output is available. */
static bool read_and_feed_output(struct console_listener *listener) {
  static unsigned char bytes[1 << 16];
  if (listener->closed) {
    os_sleep(LOOK_AROUND);
    return false;
  }
  long got =
      listener->child
          ? os_child_read(listener->child, bytes, sizeof bytes, LOOK_AROUND)
          : port_read(&listener->port, bytes, sizeof bytes, LOOK_AROUND);
  if (got == 0)
    receiver_note_idle(&listener->receiver);
  listener->closed = got < 0;
  if (got <= 0)
    return false;
  clear_waiting_time(listener);
  log_and_feed_output(listener, bytes, (size_t)got);
  return true;
}

/* After three seconds of silence, shows every second on a terminal how many
 * dumps have arrived. */
static void print_waiting_time(struct console_listener *listener,
                               uint64_t silence) {
  const struct console *console = listener->console;
  if (silence < 3000 || silence / 1000 == listener->waited || console->tick ||
      !os_is_ansi_terminal(2))
    return;
  listener->waited = silence / 1000;
  fprintf(stderr, "\r%zu of %zu dumps; %llu s without output\x1b[K",
          console->dumps, listener->inputs->count * console->count,
          (unsigned long long)listener->waited);
}

/* Sends the next request. If a write to the port fails, the port is only read
 * from then on. */
static void send_due_request(struct console_listener *listener) {
  char line[REQUEST_LINE];
  if (listener->requester && !listener->reported_wait &&
      requester_wait_time(listener->requester, session_get_time()) >=
          REQUEST_REPORT_AFTER) {
    requester_report_wait(listener->requester);
    listener->reported_wait = true;
  }
  size_t length = listener->requester
                      ? requester_build_next_line(
                            listener->requester, listener->receiver.reassembler,
                            session_get_time(), line)
                      : 0;
  if (length && port_write(&listener->port, line, length))
    listener->requester = NULL;
}

/* Returns whether each image that has ever answered a request has also answered
 * a request after the request number `tag`. */
static bool
have_answering_elfs_answered(const struct console_listener *listener,
                             uint32_t tag) {
  size_t all = 0, some = 0;
  for (size_t i = 0; i < listener->inputs->count; i++) {
    all += listener->tags[i] != 0;
    some += listener->tags[i] > tag;
  }
  return all && some == all;
}

/* Requests a last dump, so that the report has the final counts. Images that
 * never answered send dumps by themselves. */
static void request_and_await_last_dump(struct console_listener *listener) {
  uint64_t begun = session_get_time(), now = begun;
  struct requester *requester = listener->requester;
  if (!requester)
    return;
  uint32_t tag = requester->tag;
  bool has_answered = have_answering_elfs_answered(listener, 0);
  listener->framed = begun;
  requester_make_dump_due(requester);
  while (listener->requester && !listener->closed &&
         !have_answering_elfs_answered(listener, tag) &&
         now - listener->framed < LAST_ANSWER && now - begun < LAST_MOST &&
         !os_discard_signal()) {
    send_due_request(listener);
    read_and_feed_output(listener);
    now = session_get_time();
  }
  listener->console->unanswered =
      has_answered && !have_answering_elfs_answered(listener, tag);
}

/* Calls console->on_dumps, which reads the log. The next call waits long enough
 * that the callback uses at most a tenth of the time. */
static void call_dump_callback(struct console_listener *listener) {
  struct console *console = listener->console;
  uint64_t begun = session_get_time();
  if (!console->on_dumps || !listener->fresh || begun < listener->next_call)
    return;
  fflush(listener->log);
  listener->status = console->on_dumps(console->context);
  listener->fresh = false;
  uint64_t rest = 10 * (session_get_time() - begun);
  listener->next_call = begun + (rest > console->every ? rest : console->every);
}

/* Reads output until the command has ended or must be ended. */
static void listen_until_done(struct console_listener *listener) {
  struct console *console = listener->console;
  uint64_t begun = session_get_time(), last_output = begun, last = 0;
  while (!os_discard_signal()) {
    if (console->tick)
      console->tick(console->context);
    send_due_request(listener);
    bool came = read_and_feed_output(listener);
    uint64_t now = session_get_time();
    if (came)
      last_output = now;
    fflush(stdout);
    print_waiting_time(listener, now - last_output);
    call_dump_callback(listener);
    if (listener->status || (!came && poll_input_ended(listener)))
      return;
    if (can_stop_waiting(listener) && !console->endless) {
      last = last ? last : now;
      if (now - last >= GRACE)
        return;
    } else if (console->timeout ? now - begun >= console->timeout
                                : now - last_output >= CONSOLE_PATIENCE) {
      console->out_of_time = !can_stop_waiting(listener);
      return;
    }
  }
}

static int listen_to_port(struct console_listener *listener) {
  struct console *console = listener->console;
  if (port_open(&listener->port, console->port, console->baud))
    return 1;
  /* `bareprof live` also watches a port that cannot be written. */
  if (console->polls && !console->endless &&
      port_write(&listener->port, NULL, 0)) {
    port_close(&listener->port);
    return 1;
  }
  struct requester requester = {.dump = true,
                                .changes = true,
                                .every = console->every,
                                .options = BAREPROF_REQUEST_AS_IT_LIKES};
  if (console->polls && port_can_write(&listener->port)) {
    requester_draw_numbers(&requester);
    listener->requester = &requester;
  }
  listen_until_done(listener);
  clear_waiting_time(listener);
  request_and_await_last_dump(listener);
  listener->requester = NULL;
  port_close(&listener->port);
  end_receiver_and_log(listener, listener->closed);
  fflush(stdout);
  return listener->status;
}

static int listen_to_port_or_command(struct console_listener *listener) {
  struct console *console = listener->console;
  const struct receiver_events events = {
      .dumps = {.context = listener,
                .whole = on_whole_dump,
                .partial = on_incomplete_dump,
                .passed = ignore_unneeded_dump,
                .lost = on_data_lost,
                .header = on_dump_header,
                .asks = console->polls,
                .joins = console->polls},
      .live =
          console->polls, /* boots.c also sets this when it reads the log. */
      .text = on_text,
      .frame = on_frame};
  bool begun = receiver_begin(&listener->receiver, &events);
  size_t count = listener->inputs->count;
  listener->counts = need_memory(calloc(count, sizeof *listener->counts));
  listener->tags = need_memory(calloc(count, sizeof *listener->tags));
  need_memory(begun ? listener : NULL);
  if (console->port)
    return listen_to_port(listener);
  listener->child = os_child_start(console->command);
  if (!listener->child)
    return report_command_error(console->command, errno);
  listen_until_done(listener);
  clear_waiting_time(listener);
  end_command(listener);
  end_receiver_and_log(listener, console->ended);
  fflush(stdout);
  os_child_free(listener->child);
  return listener->status;
}

int console_listen(struct console *console, const struct inputs *inputs) {
  struct console_listener listener = {
      .console = console, .inputs = inputs, .tail.limit = TAIL_MOST};
  listener.log = os_fopen(console->log, "w");
  int status = listener.log ? listen_to_port_or_command(&listener) : 0;
  int unwritten = file_close_written(listener.log, console->log, CHECK_DISK);
  free(listener.counts);
  free(listener.tags);
  return unwritten ? unwritten : status;
}
