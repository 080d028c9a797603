/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command is the head of a process group of its own, so that its child
 * processes can be ended too. Signals that end bareprof are delayed meanwhile
 * (folder.h); the loop checks for them.
 */
#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/error.h"
#include "../base/interrupt.h"
#include "../object/elf.h"
#include "../wire/hear.h"
#include "../wire/session.h"

/* Milliseconds: for the rest of the output behind the last dump; for the
 * command's end after SIGTERM. */
enum { LOOK_AROUND = 50, GRACE = 500, MERCY = 2000 };

struct listener {
  struct console *console;
  const struct inputs *inputs;
  struct hearing hearing;
  FILE *log;
  unsigned *counts; /* whole dumps, of each ELF */
  pid_t child, guard;
  int pipe;
  int alive;   /* closed when bareprof ends, by any signal */
  bool closed; /* no more output will come */
};

/* ---- the command's output ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  const struct listener *listener = context;
  if (!listener->console->quiet)
    fwrite(bytes, 1, size, stdout);
}

static bool on_frame(void *context, const struct frame *frame, size_t size) {
  const struct listener *listener = context;
  bool refused = frame && frame->type == BAREPROF_FRAME_REFUSED;
  (void)size;
  if (frame && frame->type == BAREPROF_FRAME_ANSWER)
    return true;
  listener->console->refused |= refused;
  listener->console->frames++;
  return refused;
}

static void on_whole(void *context, struct snapshot *dump) {
  const struct listener *listener = context;
  const struct inputs *inputs = listener->inputs;
  for (size_t i = 0; i < inputs->count; i++)
    if (dump->header.kind == BAREPROF_KIND_PROFILE &&
        build_id_same(inputs->subjects[i].build_id, header_id(&dump->header))) {
      listener->counts[i]++;
      listener->console->dumps++;
    }
}

/* The report names the gaps later. */
static void on_gaps(void *context, struct snapshot *dump) {
  (void)context;
  (void)dump;
}

static void on_lost(void *context, const char *what) {
  (void)context;
  (void)what;
}

/* After a refusal there is nothing to wait for. */
static bool enough(const struct listener *listener) {
  if (listener->console->refused)
    return true;
  for (size_t i = 0; i < listener->inputs->count; i++)
    if (listener->counts[i] < listener->console->count)
      return false;
  return true;
}

/* ---- the command ---- */

/* In the child: sends errno through the pipe if a step fails. */
static void become(char **command, int out, int told) {
  sigset_t none;
  int in = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                                : STDIN_FILENO;
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(out, STDERR_FILENO) >= 0)
    execvp(command[0], command);
  int error = errno;
  if (write(told, &error, sizeof error) < 0)
    _exit(126);
  _exit(127);
}

/* Opens a pipe that no program inherits. */
static bool open_pipe(int ends[2]) {
  return !pipe(ends) && !fcntl(ends[0], F_SETFD, FD_CLOEXEC) &&
         !fcntl(ends[1], F_SETFD, FD_CLOEXEC);
}

/* Starts a process that ends the command if a signal that cannot be caught
 * kills bareprof. No signal to bareprof reaches this process. Without the
 * process, everything else works. */
static void start_guard(struct listener *listener) {
  int alive[2];
  char byte;
  listener->guard = -1;
  if (!open_pipe(alive))
    return;
  listener->alive = alive[1];
  listener->guard = fork();
  if (listener->guard == 0) {
    setpgid(0, 0);
    close(alive[1]);
    close(listener->pipe);
    while (read(alive[0], &byte, 1) < 0 && errno == EINTR)
      ;
    kill(-listener->child, SIGKILL);
    _exit(0);
  }
  close(alive[0]);
}

/* Returns 0 or errno. */
static int start(struct listener *listener) {
  int out[2] = {-1, -1}, told[2] = {-1, -1}, error = 0;
  if (!open_pipe(out))
    return errno;
  if (!open_pipe(told)) {
    error = errno;
    close(out[0]);
    close(out[1]);
    return error;
  }
  fflush(NULL);
  listener->child = fork();
  if (listener->child == 0)
    become(listener->console->command, out[1], told[1]);
  close(out[1]);
  close(told[1]);
  /* Parent and child both make the group, because neither may act on the group
   * before it exists. */
  if (listener->child > 0)
    setpgid(listener->child, listener->child);
  if (listener->child < 0)
    error = errno;
  else if (read(told[0], &error, sizeof error) != sizeof error)
    error = 0;
  else
    waitpid(listener->child, NULL, 0);
  close(told[0]);
  listener->pipe = out[0];
  if (!error)
    start_guard(listener);
  return error;
}

/* Whether the command has ended. */
static bool has_ended(struct listener *listener) {
  struct console *console = listener->console;
  if (!console->ended &&
      waitpid(listener->child, &console->status, WNOHANG) == listener->child)
    console->ended = true;
  return console->ended;
}

/* Consumes Ctrl-C. Other signals stay pending and end bareprof later. */
static bool interrupted(void) {
  const struct timespec now = {0};
  sigset_t key;
  sigemptyset(&key);
  sigaddset(&key, SIGINT);
  if (!interrupt_waits())
    return false;
  sigtimedwait(&key, NULL, &now);
  return true;
}

static void nap(void) {
  const struct timespec time = {.tv_nsec = LOOK_AROUND * 1000000L};
  nanosleep(&time, NULL);
}

/* Ends the command and all its child processes. */
static void end(struct listener *listener) {
  struct console *console = listener->console;
  uint64_t begun = session_now();
  bool by_itself = has_ended(listener);
  kill(-listener->child, SIGTERM);
  while (!has_ended(listener) && session_now() - begun < MERCY)
    nap();
  kill(-listener->child, SIGKILL);
  if (!console->ended)
    waitpid(listener->child, &console->status, 0);
  console->ended = by_itself;
  /* Before another group can get the same number. */
  if (listener->guard > 0) {
    kill(listener->guard, SIGKILL);
    waitpid(listener->guard, NULL, 0);
    close(listener->alive);
  }
}

/* ---- both ---- */

/* Reads the available output. false: nothing came. */
static bool hear_more(struct listener *listener) {
  static unsigned char bytes[1 << 16];
  struct pollfd waits = {.fd = listener->pipe, .events = POLLIN};
  if (listener->closed) {
    nap();
    return false;
  }
  if (poll(&waits, 1, LOOK_AROUND) <= 0) {
    hear_idle(&listener->hearing);
    return false;
  }
  ssize_t got = read(listener->pipe, bytes, sizeof bytes);
  if (got <= 0) {
    listener->closed = got == 0 || (errno != EINTR && errno != EAGAIN);
    return false;
  }
  fwrite(bytes, 1, (size_t)got, listener->log);
  hear_feed(&listener->hearing, bytes, (size_t)got);
  return true;
}

/* Listens until the command has ended or must be ended. */
static void listen_to(struct listener *listener) {
  struct console *console = listener->console;
  uint64_t begun = session_now(), heard = begun, last = 0;
  while (!interrupted()) {
    bool came = hear_more(listener);
    uint64_t now = session_now();
    if (came)
      heard = now;
    fflush(stdout);
    if (!came && has_ended(listener))
      return;
    if (enough(listener)) {
      last = last ? last : now;
      if (now - last >= GRACE)
        return;
    } else if (console->timeout ? now - begun >= console->timeout
                                : now - heard >= CONSOLE_PATIENCE) {
      console->out_of_time = true;
      return;
    }
  }
}

static int run(struct listener *listener) {
  struct console *console = listener->console;
  const struct hear_events events = {
      {listener, on_whole, on_gaps, on_gaps, on_lost, NULL, false},
      true,
      on_text,
      on_frame,
      NULL};
  bool begun = hear_begin(&listener->hearing, &events);
  listener->counts = calloc(listener->inputs->count, sizeof *listener->counts);
  if (!begun || !listener->counts)
    return report_memory(NULL);
  int error = start(listener);
  if (error)
    return report(console->command[0],
                  "cannot be run: %s; check its name and PATH",
                  strerror(error));
  listen_to(listener);
  end(listener);
  hear_end(&listener->hearing);
  fflush(stdout);
  close(listener->pipe);
  return 0;
}

int console_run(struct console *console, const struct inputs *inputs) {
  struct listener listener = {.console = console, .inputs = inputs};
  listener.log = fopen(console->log, "w");
  int status = listener.log ? run(&listener) : 0;
  free(listener.counts);
  bool failed = !listener.log || ferror(listener.log) != 0;
  if ((listener.log && fclose(listener.log)) || failed)
    return report(console->log, "cannot be written: %s; free the disk",
                  strerror(errno));
  return status;
}
