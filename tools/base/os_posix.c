/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements os.h on POSIX: names, files, memory, terminals, signals, regular
 * expressions.
 */
#define _XOPEN_SOURCE 700 /* for realpath, nftw */
#define _DEFAULT_SOURCE   /* for madvise */
#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ere.h"

void os_prepare_program(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  for (int number = 0; number < 3; number++)
    if (fcntl(number, F_GETFD) < 0)
      (void)open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
}

unsigned os_count_processors(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors > 1 ? (unsigned)processors : 1;
}

/* ---- names ---- */

bool os_is_separator(char c) { return c == '/'; }

const char *os_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool os_is_absolute(const char *path) { return *path == '/'; }

bool os_are_same_name(const char *a, const char *b, size_t size) {
  return strncmp(a, b, size) == 0;
}

char *os_real_path(const char *name) { return realpath(name, NULL); }

char *os_current_folder(char *room, size_t size) { return getcwd(room, size); }

const char os_program_end[] = "";
const char os_nowhere[] = "/dev/null";
const char *os_program_path(void) { return "/proc/self/exe"; }
const char os_temporary_files[] = "/tmp";

const char *os_temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

bool os_is_open_file_name(const char *name) {
  return !strncmp(name, "/dev/fd/", 8) || !strncmp(name, "/dev/std", 8) ||
         !strncmp(name, "/proc/", 6);
}

bool os_is_standard_output_name(const char *name) {
  return !strcmp(name, "/dev/stdout");
}

/* ---- facts about files ---- */

static bool convert_stat_to_info(const struct stat *status,
                                 struct os_file_info *facts) {
  *facts = (struct os_file_info){.kind = S_ISREG(status->st_mode)   ? OS_FILE
                                         : S_ISDIR(status->st_mode) ? OS_FOLDER
                                                                    : OS_OTHER,
                                 .device = (uint64_t)status->st_dev,
                                 .number = (uint64_t)status->st_ino,
                                 .size = (uint64_t)status->st_size,
                                 .seconds = status->st_mtim.tv_sec,
                                 .nanoseconds = status->st_mtim.tv_nsec};
  return true;
}

bool os_stat(const char *name, struct os_file_info *facts) {
  struct stat status;
  *facts = (struct os_file_info){0};
  return stat(name, &status) == 0 && convert_stat_to_info(&status, facts);
}

bool os_stat_open(int file, struct os_file_info *facts) {
  struct stat status;
  *facts = (struct os_file_info){0};
  return fstat(file, &status) == 0 && convert_stat_to_info(&status, facts);
}

bool os_exists(const char *name) { return access(name, F_OK) == 0; }

bool os_can_read(const char *name) { return access(name, R_OK) == 0; }

bool os_can_run(const char *name) {
  struct os_file_info facts;
  return os_stat(name, &facts) && facts.kind == OS_FILE &&
         access(name, X_OK) == 0;
}

bool os_is_link(const char *name) {
  struct stat status;
  return lstat(name, &status) == 0 && S_ISLNK(status.st_mode);
}

/* ---- files ---- */

int os_open(const char *name) { return open(name, O_RDONLY | O_CLOEXEC); }

int os_open_to_append(const char *name) {
  return open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
}

long os_read(int file, void *bytes, size_t size) {
  ssize_t got;
  do
    got = read(file, bytes, size < SSIZE_MAX ? size : SSIZE_MAX);
  while (got < 0 && errno == EINTR);
  return got;
}

FILE *os_fopen(const char *name, const char *mode) { return fopen(name, mode); }

void *os_map_file(int file, size_t size) {
  void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  return map == MAP_FAILED ? NULL : map;
}

void os_unmap(void *bytes, size_t size) { munmap(bytes, size); }

void os_release_pages(const void *bytes, size_t size) {
#ifdef MADV_DONTNEED
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)bytes;
  uintptr_t begin = (end + page - 1) / page * page;
  end = (end + size) / page * page;
  if (begin < end)
    (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
#else
  (void)bytes;
  (void)size;
#endif
}

void os_copy_mode(FILE *to, const char *like) {
  struct stat status;
  if (stat(like, &status) == 0)
    (void)fchmod(fileno(to), status.st_mode & 0777);
}

FILE *os_temporary_file(void) { return tmpfile(); }

bool os_truncate_file(FILE *file) { return ftruncate(fileno(file), 0) == 0; }

bool os_rename(const char *from, const char *to) {
  return rename(from, to) == 0;
}

bool os_remove(const char *file) { return unlink(file) == 0; }

bool os_make_private_folder(char *path) { return mkdtemp(path); }

bool os_make_folder(const char *path) { return mkdir(path, 0777) == 0; }

bool os_list_folder(const char *folder,
                    bool (*each)(void *context, const char *path,
                                 bool is_folder),
                    void *context) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, NULL, alphasort);
  bool more = count >= 0;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = more ? malloc(room) : NULL;
    struct stat status;
    if (path)
      snprintf(path, room, "%s/%s", folder, name);
    if (!path)
      more = false;
    else if (strcmp(name, ".") && strcmp(name, ".."))
      more = each(context, path,
                  lstat(path, &status) == 0 && S_ISDIR(status.st_mode));
    free(path);
    free(entries[i]);
  }
  free(entries);
  return more;
}

static int remove_folder_entry(const char *path, const struct stat *status,
                               int type, struct FTW *where) {
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

void os_remove_folder(const char *folder) {
  nftw(folder, remove_folder_entry, 16, FTW_DEPTH | FTW_PHYS);
}

bool os_fill_random_bytes(void *bytes, size_t size) {
  int file = os_open("/dev/urandom");
  long got = file < 0 ? -1 : os_read(file, bytes, size);
  if (file >= 0)
    close(file);
  return got == (long)size;
}

const char *os_error_text(int error) { return strerror(error); }

/* ---- memory ---- */

/* Extends the memory to whole small pages, even if the neighbours share these
 * pages. So a large page may cover the end of one piece and the beginning of
 * the next, and realloc can move a piece without copying it. */
void *os_use_large_pages(void *bytes, size_t size) {
#ifdef MADV_HUGEPAGE
  enum { LEAST = 1 << 21, MOST = 1 << 25 };
  if (!bytes || size < LEAST || size > MOST)
    return bytes;
  size_t before = (uintptr_t)bytes % (size_t)sysconf(_SC_PAGESIZE);
  (void)madvise((char *)bytes - before, before + size, MADV_HUGEPAGE);
#else
  (void)size;
#endif
  return bytes;
}

FILE *os_open_memory_stream(char **text, size_t *size) {
  return open_memstream(text, size);
}

bool os_close_memory_stream(FILE *stream, char **text, size_t *size) {
  bool wrong = ferror(stream);
  (void)text;
  (void)size;
  wrong |= fclose(stream) != 0;
  return !wrong;
}

/* ---- terminals ---- */

bool os_is_terminal(int file) { return isatty(file); }

bool os_is_ansi_terminal(int file) {
  const char *terminal = getenv("TERM");
  return terminal && strcmp(terminal, "dumb") != 0 && isatty(file);
}

bool os_is_reader_gone(void) {
  struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&wait, 1, 0) > 0 && wait.revents & POLLERR;
}

/* ---- signals: handlers call only what POSIX allows in handlers ---- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void (*clean_up)(void);
static void (*explain_broken)(uintptr_t at);
static sigset_t before_delay;
static volatile sig_atomic_t stopped;
static struct sigaction before_stop[SIGNALS];

/* Ends the program with the signal, so that a shell sees the signal's status.
 */
static void end_by_signal(int number) {
  clean_up();
  signal(number, SIG_DFL);
  raise(number);
}

static void set_signal_handler(int number, void (*handler)(int)) {
  struct sigaction action, before;
  if (sigaction(number, NULL, &before) || before.sa_handler == SIG_IGN)
    return;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void os_catch_signals(void (*clean)(void)) {
  clean_up = clean;
  for (unsigned i = 0; i < SIGNALS; i++)
    set_signal_handler(signals[i], end_by_signal);
  signal(SIGPIPE, SIG_IGN);
  /* If the caller ignores SIGCHLD, waitpid would not see how a program ends. */
  signal(SIGCHLD, SIG_DFL);
}

/* Returns whether a signal does nothing, because nohup has started the tool. A
 * shell makes its background commands ignore SIGINT, but `kill -INT` must stop
 * them. */
static bool is_ignored_hangup(int number) {
  struct sigaction now;
  return number == SIGHUP && sigaction(number, NULL, &now) == 0 &&
         now.sa_handler == SIG_IGN;
}

void os_delay_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  for (unsigned i = 0; i < SIGNALS; i++)
    if (!is_ignored_hangup(signals[i]))
      sigaddset(&set, signals[i]);
  sigprocmask(SIG_BLOCK, &set, &before_delay);
}

void os_resume_signals(void) { sigprocmask(SIG_SETMASK, &before_delay, NULL); }

bool os_is_signal_pending(void) {
  sigset_t set;
  bool waits = false;
  sigpending(&set);
  for (unsigned i = 0; i < SIGNALS; i++)
    waits = waits || sigismember(&set, signals[i]) == 1;
  return waits;
}

/* Discards a waiting SIGINT. Other signals stay pending, and end the tool
 * later. */
bool os_discard_signal(void) {
  const struct timespec now = {0};
  sigset_t key;
  sigemptyset(&key);
  sigaddset(&key, SIGINT);
  if (!os_is_signal_pending())
    return false;
  sigtimedwait(&key, NULL, &now);
  return true;
}

static void on_broken_map(int number, siginfo_t *info, void *context) {
  (void)context;
  explain_broken((uintptr_t)info->si_addr);
  end_by_signal(number);
}

void os_catch_mapped_file_fault(void (*explain)(uintptr_t at)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  explain_broken = explain;
  action.sa_sigaction = on_broken_map;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
}

void os_write_error(const char *text) {
  /* If this write fails, nothing can report the failure. */
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return;
}

_Noreturn void os_exit_now(int status) { _exit(status); }

/* Notes that the program should stop. The next signal of this kind ends the
 * program, which is the signal's default action. */
static void note_stop_signal(int number) {
  stopped = 1;
  for (unsigned i = 0; i < SIGNALS; i++)
    if (signals[i] == number)
      sigaction(number, &before_stop[i], NULL);
}

void os_catch_stop_signals(void) {
  struct sigaction action = {.sa_flags = 0};
  action.sa_handler = note_stop_signal;
  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < SIGNALS; i++)
    if (!is_ignored_hangup(signals[i]))
      sigaction(signals[i], &action, &before_stop[i]);
}

bool os_is_stop_requested(void) { return stopped; }

/* ---- regular expressions: the C library's ---- */

const char *ere_compile(struct ere *ere, const char *text) {
  static char why[100];
  regex_t *compiled = malloc(sizeof *compiled);
  if (!compiled)
    return "Memory exhausted";
  int error = regcomp(compiled, text, REG_EXTENDED);
  ere->program = error ? NULL : compiled;
  if (!error)
    return NULL;
  regerror(error, compiled, why, sizeof why);
  free(compiled);
  return why;
}

/* Passes no array for positions, because the library is then faster. */
bool ere_matches(const struct ere *ere, const char *text) {
  return regexec(ere->program, text, 0, NULL, 0) == 0;
}

bool ere_find(const struct ere *ere, const char *text, struct ere_span *span) {
  regmatch_t match[2];
  if (regexec(ere->program, text, 2, match, 0) != 0)
    return false;
  unsigned group = match[1].rm_so >= 0;
  *span =
      (struct ere_span){(size_t)match[group].rm_so, (size_t)match[group].rm_eo};
  return true;
}

void ere_free(struct ere *ere) {
  if (ere->program)
    regfree(ere->program);
  free(ere->program);
  ere->program = NULL;
}
