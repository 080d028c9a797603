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

/* A signal that ends bareprof ends the child first, because the child may not
 * receive the signal. */
static pid_t wait_for(pid_t child, int *status, const sigset_t *ends) {
  const struct timespec time = {.tv_nsec = LOOK_AROUND * 1000000L};
  for (;;) {
    pid_t ended = waitpid(child, status, WNOHANG);
    if (ended != 0 && (ended > 0 || errno != EINTR))
      return ended;
    if (interrupt_waits())
      kill(child, SIGTERM);
    sigtimedwait(ends, NULL, &time);
  }
}

int program_wait(const struct arguments *arguments, FILE *out, FILE *messages) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction quit;
  sigset_t ends, before;
  pid_t child, ended = -1;
  int status = -1;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, &before);
  sigaction(SIGQUIT, &ignore, &quit);
  errno = start(arguments, out, messages, &child);
  if (errno == 0)
    ended = wait_for(child, &status, &ends);
  sigaction(SIGQUIT, &quit, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
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

int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages) {
  FILE *written = tmpfile(), *said = tmpfile();
  int status = 1;
  if (arguments->failed) {
    report_memory(NULL);
  } else if (!written || !said) {
    report("/tmp", "no file can be made there: %s; free the disk",
           strerror(errno));
  } else if ((status = program_wait(arguments, written, said)) == -1) {
    status = arguments->quiet || interrupt_waits() ||
             report(arguments->list[0], "cannot be run: %s; give another",
                    strerror(errno));
  } else if (take(messages, said) || (out && take(out, written))) {
    status = report(arguments->list[0],
                    "its output cannot be read; free memory or the disk");
  } else if (status) {
    status = arguments->quiet || interrupt_waits() ||
             report_failure(arguments->list[0], status, messages);
  }
  if (written)
    fclose(written);
  if (said)
    fclose(said);
  return status;
}
