/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts programs with posix_spawnp. Their output goes to files without a name
 * instead of pipes, so a program that writes a lot to both does not wait for a
 * reader.
 */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "interrupt.h"

extern char **environ;

/* ---- command lines ---- */

static void add(struct arguments *arguments, char *text) {
  char **list = realloc(arguments->list, (arguments->count + 2) * sizeof *list);
  if (list)
    arguments->list = list;
  if (!text || !list) {
    free(text);
    arguments->failed = true;
    return;
  }
  list[arguments->count++] = text;
  list[arguments->count] = NULL;
}

void arguments_add(struct arguments *arguments, const char *format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  int size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  if (text)
    vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  add(arguments, text);
}

void arguments_file(struct arguments *arguments, const char *option,
                    const char *name) {
  /* LLVM's programs read more arguments from a file after @. */
  bool plain = *name == '/' || *name == '.';
  arguments_add(arguments, "%s%s%s", option, plain ? "" : "./", name);
}

void arguments_free(struct arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    free(arguments->list[i]);
  free(arguments->list);
  *arguments = (struct arguments){0};
}

/* ---- finding ---- */

static bool can_run(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         access(path, X_OK) == 0;
}

char *program_find(const char *name) {
  const char *path = getenv("PATH");
  if (strchr(name, '/'))
    return can_run(name) ? strdup(name) : NULL;
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    size_t size = strcspn(at, ":");
    size_t room = size + strlen(name) + 3;
    char *found = malloc(room);
    if (!found)
      return NULL;
    snprintf(found, room, "%.*s/%s", (int)size, size ? at : ".", name);
    if (size == 0)
      snprintf(found, room, "./%s", name);
    if (can_run(found))
      return found;
    free(found);
    at += size + (at[size] == ':');
  }
  return NULL;
}

char *program_find_release(const char *tool, unsigned release) {
  char name[64];
  snprintf(name, sizeof name, "%s-%u", tool, release);
  return program_find(name);
}

/* ---- running ---- */

/* Starts the program. Returns 0 or an errno value. */
static int start(const struct arguments *arguments, FILE *out, FILE *messages,
                 pid_t *child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  if (posix_spawn_file_actions_init(&files) ||
      posix_spawnattr_init(&attributes))
    return ENOMEM;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGQUIT);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  if (arguments->input)
    posix_spawn_file_actions_adddup2(&files, fileno(arguments->input), 0);
  else
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
  posix_spawn_file_actions_adddup2(&files, fileno(messages), 2);
  int error = posix_spawnp(child, arguments->list[0], &files, &attributes,
                           arguments->list, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

enum { LOOK_AROUND = 50 }; /* milliseconds */

/* What is set while children run. */
struct waiting {
  struct sigaction quit;
  sigset_t ends, before;
};

static void begin_waiting(struct waiting *waiting) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&waiting->ends);
  sigaddset(&waiting->ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &waiting->ends, &waiting->before);
  sigaction(SIGQUIT, &ignore, &waiting->quit);
}

static void end_waiting(const struct waiting *waiting) {
  sigaction(SIGQUIT, &waiting->quit, NULL);
  sigprocmask(SIG_SETMASK, &waiting->before, NULL);
}

/* Whether the child has ended. A signal that ends bareprof ends the child
 * first, because the child may not receive the signal. *ended: the child, or
 * -1. */
static bool has_ended(pid_t child, int *status, pid_t *ended) {
  *ended = waitpid(child, status, WNOHANG);
  if (*ended != 0 && (*ended > 0 || errno != EINTR))
    return true;
  if (interrupt_waits())
    kill(child, SIGTERM);
  return false;
}

static void look_later(const struct waiting *waiting) {
  const struct timespec time = {.tv_nsec = LOOK_AROUND * 1000000L};
  sigtimedwait(&waiting->ends, NULL, &time);
}

int program_wait(const struct arguments *arguments, FILE *out, FILE *messages) {
  struct waiting waiting;
  pid_t child, ended = -1;
  int status = -1;
  begin_waiting(&waiting);
  errno = start(arguments, out, messages, &child);
  if (errno == 0)
    while (!has_ended(child, &status, &ended))
      look_later(&waiting);
  end_waiting(&waiting);
  return ended < 0 ? -1 : status;
}

static int take(struct buffer *to, FILE *from) {
  rewind(from);
  for (;;) {
    if (buffer_reserve(to, 1 << 16))
      return 1;
    size_t got =
        fread(to->data + to->size, 1, to->capacity - to->size - 1, from);
    to->size += got;
    to->data[to->size] = 0;
    if (got == 0)
      return ferror(from);
  }
}

char *program_line(char **at) {
  char *line = *at, *to = *at, *from = *at;
  if (!*line)
    return NULL;
  while (*from && *from != '\n') {
    if (from[0] == 27 && from[1] == '[')
      from += 2 + strspn(from + 2, "0123456789;") + 1;
    else
      *to++ = *from++;
  }
  *at = *from ? from + 1 : from;
  *to = 0;
  return line;
}

/* Reports the program's own message: the first line that says error, otherwise
 * the last line. */
static int report_failure(const char *program, int status,
                          const struct buffer *messages) {
  const char *slash = strrchr(program, '/');
  const char *name = slash ? slash + 1 : program;
  const char *said = NULL;
  char *at = messages->data ? (char *)messages->data : NULL;
  for (char *line; at && (line = program_line(&at));) {
    const char *error = strstr(line, "error: ");
    if (*line)
      said = error ? error + strlen("error: ") : line;
    if (error)
      break;
  }
  if (said)
    return report(name, "%s", said);
  if (WIFSIGNALED(status))
    return report(name, "ended by signal %d; run it again", WTERMSIG(status));
  return report(name, "ended with status %d and said nothing; run it by hand",
                WEXITSTATUS(status));
}

/* Opens the files. Returns 0, or reports the error and returns 1. */
static int open_run(struct program_run *run) {
  run->written = tmpfile();
  run->said = tmpfile();
  if (run->arguments.failed)
    return report_memory(NULL);
  if (!run->written || !run->said)
    return report("/tmp", "no file can be made there: %s; free the disk",
                  strerror(errno));
  return 0;
}

/* Takes what a program has written, and reports its failure. ended: its
 * status, or -1 and errno. */
static void finish_run(struct program_run *run, int ended) {
  const struct arguments *arguments = &run->arguments;
  run->status = 1;
  if (ended == -1) {
    if (!arguments->quiet && !interrupt_waits())
      report(arguments->list[0], "cannot be run: %s; give another",
             strerror(errno));
  } else if (take(&run->messages, run->said) ||
             (run->keeps && take(&run->out, run->written))) {
    report(arguments->list[0],
           "its output cannot be read; free memory or the disk");
  } else if (ended) {
    if (!arguments->quiet && !interrupt_waits())
      report_failure(arguments->list[0], ended, &run->messages);
  } else {
    run->status = 0;
  }
}

static void close_run(struct program_run *run) {
  if (run->written)
    fclose(run->written);
  if (run->said)
    fclose(run->said);
  run->written = run->said = NULL;
}

int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages) {
  struct program_run run = {
      .arguments = *arguments, .messages = *messages, .keeps = out};
  if (out)
    run.out = *out;
  int status = open_run(&run);
  if (!status) {
    finish_run(&run, program_wait(arguments, run.written, run.said));
    status = run.status;
  }
  close_run(&run);
  if (out)
    *out = run.out;
  *messages = run.messages;
  return status;
}

/* ---- side by side ---- */

static void start_run(struct program_run *run) {
  pid_t child;
  run->state = RUN_DONE;
  run->ended = -1;
  if ((run->status = open_run(run)) != 0)
    return;
  errno = start(&run->arguments, run->written, run->said, &child);
  if (errno) {
    finish_run(run, -1);
    return;
  }
  run->child = child;
  run->state = RUN_RUNS;
}

/* Looks which have ended. Returns how many still run. */
static size_t look(struct program_run *list, size_t count) {
  size_t running = 0;
  for (size_t i = 0; i < count; i++) {
    struct program_run *run = &list[i];
    pid_t ended;
    int status = -1;
    if (run->state != RUN_RUNS)
      continue;
    if (!has_ended(run->child, &status, &ended)) {
      running++;
      continue;
    }
    run->state = RUN_DONE;
    finish_run(run, ended < 0 ? -1 : status);
  }
  return running;
}

int programs_run(struct program_run *list, size_t count) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t most = processors < 1 ? 1 : (size_t)processors;
  size_t next = 0, running = 0;
  struct waiting waiting;
  int failed = 0;
  begin_waiting(&waiting);
  while (running || (next < count && !failed)) {
    size_t before = running;
    for (; next < count && running < most && !failed; next++) {
      start_run(&list[next]);
      running += list[next].state == RUN_RUNS;
      failed |= list[next].status;
    }
    running = look(list, next);
    for (size_t i = 0; i < next; i++)
      failed |= list[i].state == RUN_DONE && list[i].status;
    if (running && running >= before)
      look_later(&waiting);
  }
  end_waiting(&waiting);
  for (size_t i = 0; i < count; i++)
    close_run(&list[i]);
  return failed;
}

void programs_free(struct program_run *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    arguments_free(&list[i].arguments);
    buffer_free(&list[i].out);
    buffer_free(&list[i].messages);
  }
  free(list);
}
