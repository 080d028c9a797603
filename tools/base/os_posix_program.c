/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the functions of os.h for other programs on POSIX. A program whose
 * output is read while it runs leads a process group of its own, so that its
 * child processes can be ended, too.
 */
#define _XOPEN_SOURCE 700 /* for mkdtemp */
#define _DEFAULT_SOURCE   /* for flock */

#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { POLL_INTERVAL = 50 }; /* in milliseconds */

char *os_find_program(const char *name) {
  const char *path = getenv("PATH");
  if (strchr(name, '/'))
    return os_can_run(name) ? strdup(name) : NULL;
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    size_t size = strcspn(at, ":");
    size_t room = size + strlen(name) + 3;
    char *found = malloc(room);
    if (!found)
      return NULL;
    snprintf(found, room, "%.*s/%s", size ? (int)size : 1, size ? at : ".",
             name); /* an empty entry is the current folder */
    if (os_can_run(found))
      return found;
    free(found);
    at += size + (at[size] == ':');
  }
  return NULL;
}

/* ---- programs that are waited for ---- */

static int spawn_program(char *const *list, FILE *const files[3],
                         pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  if (posix_spawn_file_actions_init(&actions) ||
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
  if (files[0])
    posix_spawn_file_actions_adddup2(&actions, fileno(files[0]), 0);
  else
    posix_spawn_file_actions_addopen(&actions, 0, os_nowhere, 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(files[1]), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(files[2]), 2);
  int error =
      posix_spawnp(child, list[0], &actions, &attributes, list, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int os_run_program(char *const *list, FILE *input, FILE *out, FILE *messages) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  const struct timespec time = {.tv_nsec = POLL_INTERVAL * 1000000L};
  FILE *const files[3] = {input, out, messages};
  struct sigaction quit_before;
  sigset_t ends, before;
  pid_t child, ended = 0;
  int status = -1;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, &before);
  sigaction(SIGQUIT, &ignore, &quit_before);
  int error = spawn_program(list, files, &child);
  while (!error && !ended) {
    ended = waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno != EINTR)
      error = errno;
    else if (ended <= 0) {
      ended = 0;
      /* The child may have missed the signal that ends bareprof, so it gets a
       * signal, too. */
      if (os_is_signal_pending())
        kill(child, SIGTERM);
      sigtimedwait(&ends, NULL, &time);
    }
  }
  sigaction(SIGQUIT, &quit_before, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return error ? -1 : status;
}

int os_end_signal(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int os_exit_status(int status) { return WEXITSTATUS(status); }

void os_exec_program(char *const *list) {
  signal(SIGPIPE, SIG_DFL);
  execvp(list[0], list);
}

/* ---- programs whose output is read ---- */

struct os_child {
  pid_t child, watchdog;
  int pipe;
  int alive;  /* the end of a pipe to the watchdog, which the system closes when
                 bareprof ends, however bareprof ends */
  bool ended; /* the program has ended, and `status` is set */
  int status;
};

/* Runs the program, unless it is an ELF of another machine, which execvp would
 * pass to the shell. Sets errno to the reason why the program did not start. */
static bool exec_unless_other_machine(char *const *list) {
  char magic[4] = "";
  if (!strchr(list[0], '/'))
    return false;
  execv(list[0], list);
  int error = errno, file = error == ENOEXEC ? open(list[0], O_RDONLY) : -1;
  bool other = file >= 0 && read(file, magic, sizeof magic) == sizeof magic &&
               memcmp(magic, "\177ELF", sizeof magic) == 0;
  errno = error;
  return other;
}

/* Runs the program; only the child calls this function. If a step fails, sends
 * errno through the pipe. */
static void exec_child(char *const *list, int out, int error_pipe) {
  sigset_t none;
  int in = isatty(STDIN_FILENO) ? open(os_nowhere, O_RDONLY | O_CLOEXEC)
                                : STDIN_FILENO;
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(out, STDERR_FILENO) >= 0 && !exec_unless_other_machine(list))
    execvp(list[0], list);
  int error = errno;
  if (write(error_pipe, &error, sizeof error) < 0)
    _exit(126);
  _exit(127);
}

static bool open_pipe(int both[2]) {
  return !pipe(both) && !fcntl(both[0], F_SETFD, FD_CLOEXEC) &&
         !fcntl(both[1], F_SETFD, FD_CLOEXEC);
}

/* Starts a process that ends the program if a signal that cannot be caught
 * kills bareprof. No signal to bareprof reaches this process. If the process
 * cannot be started, everything else still works. */
static void start_watchdog(struct os_child *child) {
  int alive[2];
  char byte;
  child->watchdog = -1;
  if (!open_pipe(alive))
    return;
  child->alive = alive[1];
  child->watchdog = fork();
  if (child->watchdog == 0) {
    setpgid(0, 0);
    close(alive[1]);
    close(child->pipe);
    while (read(alive[0], &byte, 1) < 0 && errno == EINTR)
      ;
    kill(-child->child, SIGKILL);
    _exit(0);
  }
  close(alive[0]);
}

/* Starts the child. Returns 0 or an errno. */
static int start_child(struct os_child *child, char *const *list) {
  int out[2] = {-1, -1}, error_pipe[2] = {-1, -1}, error = 0;
  if (!open_pipe(out))
    return errno;
  if (!open_pipe(error_pipe)) {
    error = errno;
    close(out[0]);
    close(out[1]);
    return error;
  }
  fflush(NULL);
  child->child = fork();
  if (child->child == 0)
    exec_child(list, out[1], error_pipe[1]);
  close(out[1]);
  close(error_pipe[1]);
  /* Both the parent and the child create the group, because neither may use the
   * group before it exists. */
  if (child->child > 0)
    setpgid(child->child, child->child);
  if (child->child < 0)
    error = errno;
  else if (read(error_pipe[0], &error, sizeof error) != sizeof error)
    error = 0;
  else
    waitpid(child->child, NULL, 0);
  close(error_pipe[0]);
  child->pipe = out[0];
  if (!error)
    start_watchdog(child);
  return error;
}

struct os_child *os_child_start(char *const *list) {
  struct os_child *child = calloc(1, sizeof *child);
  if (!child)
    return NULL;
  int error = start_child(child, list);
  if (!error)
    return child;
  free(child);
  errno = error;
  return NULL;
}

long os_child_read(struct os_child *child, void *bytes, size_t size,
                   int milliseconds) {
  struct pollfd waits = {.fd = child->pipe, .events = POLLIN};
  if (poll(&waits, 1, milliseconds) <= 0)
    return 0;
  ssize_t got = read(child->pipe, bytes, size);
  if (got > 0)
    return got;
  return got == 0 || (errno != EINTR && errno != EAGAIN) ? -1 : 0;
}

bool os_child_has_ended(struct os_child *child, int *status) {
  if (!child->ended &&
      waitpid(child->child, &child->status, WNOHANG) == child->child)
    child->ended = true;
  *status = child->status;
  return child->ended;
}

void os_child_terminate(struct os_child *child) {
  kill(-child->child, SIGTERM);
}

void os_child_kill(struct os_child *child, int *status) {
  kill(-child->child, SIGKILL);
  if (!child->ended)
    waitpid(child->child, &child->status, 0);
  child->ended = true;
  *status = child->status;
  /* The watchdog must end before another group can get the same number. */
  if (child->watchdog > 0) {
    kill(child->watchdog, SIGKILL);
    waitpid(child->watchdog, NULL, 0);
    close(child->alive);
  }
}

void os_child_free(struct os_child *child) {
  close(child->pipe);
  free(child);
}

/* ---- leftovers ----
 *
 * Creates unfinished files and folders, and removes those that a killed run has
 * left. The run that creates one holds a lock, which disappears when the run
 * ends. If the file system lacks locks, nothing is removed.
 */

enum { RANDOM = 6, MIDDLE = sizeof OS_UNFINISHED - 1 - RANDOM, TRIES = 100 };

static bool is_same_file(int file, const char *path) {
  struct stat here, there;
  return fstat(file, &here) == 0 && lstat(path, &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Locks a file. Returns false if the file is gone, because another run may have
 * found and removed the file before it was locked. */
static bool lock_file(int file, const char *path) {
  return flock(file, LOCK_EX) != 0 || is_same_file(file, path);
}

static int make_temporary_file(char *path) { return mkstemp(path); }

static int make_random_folder(char *path) {
  if (!mkdtemp(path))
    return -1;
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Tries again if another run has removed the file or folder before it was
 * locked, or the folder before it was opened (ENOENT). */
static int make_and_lock_file(char *path, int (*make)(char *path)) {
  char *end = path + strlen(path) - RANDOM;
  for (unsigned i = 0; i < TRIES; i++) {
    memcpy(end, "XXXXXX", RANDOM);
    int file = make(path);
    if (file < 0 ? errno != ENOENT : lock_file(file, path))
      return file;
    if (file >= 0)
      close(file);
  }
  return -1;
}

static mode_t apply_umask(mode_t all) {
  mode_t mask = umask(0);
  umask(mask);
  return all & ~mask;
}

int os_make_temporary_file(char *path, const char *like) {
  int file = make_and_lock_file(path, make_temporary_file);
  struct stat status;
  /* A failure is ignored, because some file systems do not have permissions. */
  if (file >= 0)
    (void)fchmod(file, stat(like, &status) == 0 ? status.st_mode & 0777
                                                : apply_umask(0666));
  return file;
}

bool os_make_shared_folder(char *path, int *held) {
  *held = make_and_lock_file(path, make_random_folder);
  if (*held < 0)
    return false;
  (void)chmod(path, apply_umask(0777));
  return true;
}

void os_unlock_folder(int held) {
  if (held >= 0)
    close(held);
}

/* Returns whether an entry of the target's folder has a name that os_make_...
 * creates for the target. A replaced report has one more suffix, and is removed
 * only if the new report exists. */
static bool is_unfinished_name(const char *entry, const char *target,
                               const char *name) {
  size_t size = strlen(name);
  if (strncmp(entry, name, size) != 0 ||
      strncmp(entry + size, OS_UNFINISHED, MIDDLE) != 0)
    return false;
  entry += size + MIDDLE;
  return strspn(entry, "abcdefghijklmnopqrstuvwxyz"
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == RANDOM &&
         (!entry[RANDOM] ||
          (!strcmp(entry + RANDOM, OS_REPLACED) && os_exists(target)));
}

/* Removes a file or folder of this user, unless a running program has locked
 * it. Follows no link, because others may write to the folder, such as /tmp. */
static void remove_if_unlocked(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0 || status.st_uid != geteuid() ||
      !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
    return;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_same_file(file, path))
    os_remove_folder(path);
  close(file);
}

void os_remove_unfinished(const char *target) {
  enum { ENTRIES = 10000 }; /* a larger folder is not searched to its end */
  const char *name = os_base_name(target);
  size_t above = (size_t)(name - target);
  size_t room = above + strlen(name) + sizeof OS_UNFINISHED OS_REPLACED;
  char *path = malloc(room + 1);
  if (!path)
    return;
  snprintf(path, room, "%.*s", (int)above, target);
  DIR *entries = opendir(*path ? path : ".");
  struct dirent *entry;
  for (int i = 0; entries && i < ENTRIES && (entry = readdir(entries)); i++)
    if (is_unfinished_name(entry->d_name, target, name)) {
      snprintf(path, room, "%.*s%s", (int)above, target, entry->d_name);
      remove_if_unlocked(path);
    }
  if (entries)
    closedir(entries);
  free(path);
}
