/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the functions of os.h for the tool's start and end, the console
 * and other programs on Windows. The tool runs programs in a job, so that they
 * and all their child processes end with the tool.
 */
#include "os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_INTERVAL = 50, STEP = 5 }; /* in milliseconds */

/* ---- the start ---- */

static char own_name[1024];

const char *os_program_path(void) { return own_name; }

static UINT page_before;

static void restore_code_page(void) {
  if (page_before)
    SetConsoleOutputCP(page_before);
}

struct argument_words {
  char **list; /* the words; NULL ends the list */
  int count;
};

static void append_argument_word(struct argument_words *words, char *text) {
  char **list = realloc(words->list, ((size_t)words->count + 2) * sizeof *list);
  if (!list || !text)
    abort();
  words->list = list;
  list[words->count++] = text;
  list[words->count] = NULL;
}

/* Adds the files that match a pattern, because Windows' shells leave this to
 * the program. A pattern that matches no file is kept. */
static bool append_matching_files(struct argument_words *words,
                                  const char *pattern) {
  WIN32_FIND_DATAW found;
  wchar_t *wide = os_name_to_utf16(pattern);
  HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
  size_t folder = (size_t)(os_base_name(pattern) - pattern);
  bool any = false;
  free(wide);
  if (search == INVALID_HANDLE_VALUE)
    return false;
  do {
    char *name = os_to_utf8(found.cFileName);
    char *path = name ? malloc(folder + strlen(name) + 1) : NULL;
    if (path && !(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)) {
      memcpy(path, pattern, folder);
      strcpy(path + folder, name);
      append_argument_word(words, path);
      any = true;
    }
    free(name);
  } while (FindNextFileW(search, &found));
  FindClose(search);
  return any;
}

/* Replaces the arguments with UTF-8 words, and patterns with matching files. An
 * argument after an option is kept, because it may be the option's value. */
static void expand_arguments(int *argc, char ***argv) {
  int count = 0;
  wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
  struct argument_words words = {NULL, 0};
  bool files = true, after_option = true;
  for (int i = 0; wide && i < count; i++) {
    char *word = os_to_utf8(wide[i]);
    if (!word)
      abort();
    files = files && strcmp(word, "--") != 0;
    bool pattern = files && !after_option && strpbrk(word, "*?");
    if (!pattern || !append_matching_files(&words, word))
      append_argument_word(&words, word);
    after_option = *word == '-';
  }
  LocalFree((HLOCAL)wide);
  if (words.count) {
    *argc = words.count;
    *argv = words.list;
  }
}

void os_prepare_program(int *argc, char ***argv) {
  wchar_t own[512];
  DWORD size = GetModuleFileNameW(NULL, own, 512);
  char *name = size && size < 512 ? os_name_to_utf8(own) : NULL;
  snprintf(own_name, sizeof own_name, "%s", name ? name : "bareprof");
  free(name);
  for (int number = 0; number < 3; number++) {
    if (_get_osfhandle(number) < 0)
      (void)_open(os_nowhere, number == 0 ? _O_WRONLY : _O_RDONLY);
    _setmode(number, _O_BINARY);
  }
  if (os_is_terminal(1) || os_is_terminal(2)) {
    page_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    atexit(restore_code_page);
  }
  expand_arguments(argc, argv);
}

unsigned os_count_processors(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwNumberOfProcessors > 1 ? (unsigned)info.dwNumberOfProcessors
                                       : 1;
}

/* ---- the console ---- */

/* Returns whether the file is a console. NUL is a device, but not a console. */
bool os_is_terminal(int file) {
  DWORD mode;
  return GetConsoleMode((HANDLE)_get_osfhandle(file), &mode);
}

bool os_is_ansi_terminal(int file) {
  const char *terminal = getenv("TERM");
  HANDLE handle = (HANDLE)_get_osfhandle(file);
  DWORD mode;
  return (!terminal || strcmp(terminal, "dumb") != 0) &&
         GetConsoleMode(handle, &mode) &&
         SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool os_is_reader_gone(void) {
  HANDLE out = (HANDLE)_get_osfhandle(1);
  DWORD written;
  return GetFileType(out) == FILE_TYPE_PIPE &&
         !WriteFile(out, "", 0, &written, NULL);
}

/* ---- the end: Windows runs the handler in a thread of its own ---- */

static void (*clean_up)(void);
static void (*explain_broken)(uintptr_t at);
static volatile LONG delayed, waiting, stops, stopped;

enum { NO_EVENT = 0, KEY = 1, CLOSES = 2 };

static BOOL WINAPI on_console_event(DWORD event) {
  LONG kind = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? KEY : CLOSES;
  if (delayed) {
    waiting = kind;
    /* The system ends a program whose handler for this event returns. */
    while (kind == CLOSES && delayed)
      Sleep(POLL_INTERVAL);
    return TRUE;
  }
  if (stops && !InterlockedExchange(&stopped, 1))
    return TRUE;
  clean_up();
  restore_code_page();
  TerminateProcess(GetCurrentProcess(), STATUS_CONTROL_C_EXIT);
  return TRUE;
}

void os_catch_signals(void (*clean)(void)) {
  clean_up = clean;
  SetConsoleCtrlHandler(on_console_event, TRUE);
}

void os_delay_signals(void) { delayed = 1; }

void os_resume_signals(void) {
  delayed = 0;
  if (waiting == NO_EVENT)
    return;
  clean_up();
  restore_code_page();
  TerminateProcess(GetCurrentProcess(), STATUS_CONTROL_C_EXIT);
}

bool os_is_signal_pending(void) { return waiting != NO_EVENT; }

bool os_discard_signal(void) {
  bool came = waiting != NO_EVENT;
  InterlockedCompareExchange(&waiting, NO_EVENT, KEY);
  return came;
}

void os_catch_stop_signals(void) { stops = 1; }

bool os_is_stop_requested(void) { return stopped; }

/* Handles the loss of a mapped file. Only a file on a network can be lost,
 * because nobody can shorten a mapped file on the same machine. */
static LONG WINAPI on_page_error(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  if (record->ExceptionCode == EXCEPTION_IN_PAGE_ERROR &&
      record->NumberParameters >= 2)
    explain_broken((uintptr_t)record->ExceptionInformation[1]);
  return EXCEPTION_CONTINUE_SEARCH;
}

void os_catch_mapped_file_fault(void (*explain)(uintptr_t at)) {
  explain_broken = explain;
  AddVectoredExceptionHandler(1, on_page_error);
}

void os_write_error(const char *text) {
  DWORD written;
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)strlen(text), &written,
            NULL);
}

_Noreturn void os_exit_now(int status) { _exit(status); }

/* ---- finding programs ---- */

/* Returns the path of a program, with .exe appended if needed. Frees the
 * argument. */
static char *find_executable_or_free(char *path) {
  size_t size = path ? strlen(path) : 0;
  char *longer = path ? malloc(size + 5) : NULL;
  if (longer) {
    memcpy(longer, path, size);
    strcpy(longer + size, ".exe");
  }
  if (longer && os_can_run(longer)) {
    free(path);
    return longer;
  }
  free(longer);
  if (path && strchr(os_base_name(path), '.') && os_can_run(path))
    return path;
  free(path);
  return NULL;
}

char *os_find_program(const char *name) {
  if (os_base_name(name) != name)
    return find_executable_or_free(strdup(name));
  const wchar_t *wide = _wgetenv(L"PATH");
  char *folders = wide ? os_to_utf8(wide) : NULL, *found = NULL;
  for (const char *at = folders; at && *at && !found;) {
    size_t size = strcspn(at, ";"), room = size + strlen(name) + 2;
    const char *end = at + size;
    bool quoted = size > 1 && *at == '"' && end[-1] == '"';
    char *path = size ? malloc(room) : NULL;
    if (path)
      snprintf(path, room, "%.*s/%s", (int)(quoted ? size - 2 : size),
               at + quoted, name);
    found = find_executable_or_free(path);
    at = end + (*end == ';');
  }
  free(folders);
  return found;
}

/* ---- starting programs ---- */

/* Appends a word in quotes, in the form that the start-up code of C programs
 * parses: each quote, and the backslashes before it, get a backslash. Returns
 * the end of the text. */
static char *append_quoted_word(char *to, const char *word) {
  bool plain = *word && !strpbrk(word, " \t\n\v\"");
  if (!plain)
    *to++ = '"';
  for (; *word; word++) {
    size_t slashes = strspn(word, "\\");
    word += slashes;
    memset(to, '\\', 2 * slashes);
    bool twice = *word == '"' || (!*word && !plain);
    to += twice ? 2 * slashes : slashes;
    if (*word == '"')
      *to++ = '\\';
    if (!*word)
      break;
    *to++ = *word;
  }
  if (!plain)
    *to++ = '"';
  *to = 0;
  return to;
}

static wchar_t *make_command_line(char *const *list) {
  size_t room = 1;
  for (char *const *at = list; *at; at++)
    room += 2 * strlen(*at) + 3;
  char *line = malloc(room), *to = line;
  if (!line)
    return NULL;
  for (char *const *at = list; *at; at++) {
    if (at != list)
      *to++ = ' ';
    to = append_quoted_word(to, *at);
  }
  wchar_t *wide = os_to_utf16(line);
  free(line);
  return wide;
}

static HANDLE make_inheritable_copy(HANDLE file) {
  HANDLE copy = NULL, self = GetCurrentProcess();
  DuplicateHandle(self, file, self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS);
  return copy;
}

struct os_child {
  HANDLE job, process, pipe;
  DWORD group;
};

static HANDLE create_job_object(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  HANDLE job = CreateJobObjectW(NULL, NULL);
  memset(&limits, 0, sizeof limits);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job)
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                            sizeof limits);
  return job;
}

/* Starts list[0] with these three standard files. A file that is NULL or
 * invalid becomes NUL. */
static bool start_program(struct os_child *child, char *const *list,
                          const HANDLE files[3], DWORD flags) {
  PROCESS_INFORMATION process;
  STARTUPINFOW startup;
  char *path = os_find_program(list[0]);
  wchar_t *program = path ? os_name_to_utf16(path) : NULL;
  wchar_t *line = program ? make_command_line(list) : NULL;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = make_inheritable_copy(files[0]);
  startup.hStdOutput = make_inheritable_copy(files[1]);
  startup.hStdError = make_inheritable_copy(files[2]);
  if (!path)
    errno = ENOENT;
  child->job = create_job_object();
  bool done = line && CreateProcessW(program, line, NULL, NULL, TRUE,
                                     flags | CREATE_SUSPENDED, NULL, NULL,
                                     &startup, &process);
  if (line && !done)
    os_set_errno();
  if (done) {
    child->process = process.hProcess;
    child->group = process.dwProcessId;
    if (child->job)
      AssignProcessToJobObject(child->job, process.hProcess);
    ResumeThread(process.hThread);
    CloseHandle(process.hThread);
  } else if (child->job) {
    CloseHandle(child->job);
  }
  CloseHandle(startup.hStdInput);
  CloseHandle(startup.hStdOutput);
  CloseHandle(startup.hStdError);
  free(path);
  free(program);
  free(line);
  return done;
}

/* Returns the exit status of a program. If the program ended in a way for which
 * POSIX has a signal, returns -1 minus the signal's number. */
static int read_end_status(HANDLE process) {
  static const struct {
    DWORD code;
    int number;
  } signals[] = {{0xC000013A, 2}, {0xC0000005, 11}, {0xC00000FD, 11},
                 {0xC000001D, 4}, {0xC0000094, 8},  {0xC0000409, 6}};
  DWORD code = 1;
  GetExitCodeProcess(process, &code);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i].code == code)
      return -1 - signals[i].number;
  return (int)(code & INT32_MAX);
}

int os_end_signal(int status) { return status < -1 ? -1 - status : 0; }

int os_exit_status(int status) { return status; }

int os_run_program(char *const *list, FILE *input, FILE *out, FILE *messages) {
  struct os_child child = {0};
  HANDLE none = os_open_handle(os_nowhere, GENERIC_READ, OPEN_EXISTING, 0);
  fflush(out);
  fflush(messages);
  const HANDLE files[3] = {input ? (HANDLE)_get_osfhandle(_fileno(input))
                                 : none,
                           (HANDLE)_get_osfhandle(_fileno(out)),
                           (HANDLE)_get_osfhandle(_fileno(messages))};
  bool done = start_program(&child, list, files, 0);
  CloseHandle(none);
  if (!done)
    return -1;
  while (WaitForSingleObject(child.process, STEP) == WAIT_TIMEOUT)
    if (os_is_signal_pending())
      TerminateJobObject(child.job, STATUS_CONTROL_C_EXIT);
  int status = read_end_status(child.process);
  CloseHandle(child.process);
  CloseHandle(child.job);
  return status;
}

/* Runs the program and exits with its status, because Windows cannot replace
 * the current program. */
void os_exec_program(char *const *list) {
  int status = os_run_program(list, stdin, stdout, stderr);
  if (status == -1)
    return;
  fflush(NULL);
  exit(os_end_signal(status) ? 128 + os_end_signal(status) : status);
}

/* ---- programs whose output is read ---- */

struct os_child *os_child_start(char *const *list) {
  struct os_child *child = calloc(1, sizeof *child);
  HANDLE end = NULL;
  if (!child || !CreatePipe(&child->pipe, &end, NULL, 1 << 16)) {
    free(child);
    errno = ENOMEM;
    return NULL;
  }
  HANDLE none = os_open_handle(os_nowhere, GENERIC_READ, OPEN_EXISTING, 0);
  const HANDLE files[3] = {os_is_terminal(0) ? none : (HANDLE)_get_osfhandle(0),
                           end, end};
  bool done = start_program(child, list, files, CREATE_NEW_PROCESS_GROUP);
  CloseHandle(none);
  CloseHandle(end);
  if (done)
    return child;
  CloseHandle(child->pipe);
  free(child);
  return NULL;
}

long os_child_read(struct os_child *child, void *bytes, size_t size,
                   int milliseconds) {
  DWORD there = 0, got = 0;
  for (int waited = 0;; waited += STEP) {
    if (!PeekNamedPipe(child->pipe, NULL, 0, NULL, &there, NULL))
      return -1;
    if (there)
      break;
    if (waited >= milliseconds)
      return 0;
    Sleep(STEP);
  }
  if (!ReadFile(child->pipe, bytes, there < size ? there : (DWORD)size, &got,
                NULL))
    return -1;
  return (long)got;
}

bool os_child_has_ended(struct os_child *child, int *status) {
  if (WaitForSingleObject(child->process, 0) == WAIT_TIMEOUT)
    return false;
  *status = read_end_status(child->process);
  return true;
}

void os_child_terminate(struct os_child *child) {
  GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child->group);
}

void os_child_kill(struct os_child *child, int *status) {
  TerminateJobObject(child->job, STATUS_CONTROL_C_EXIT);
  TerminateProcess(child->process, STATUS_CONTROL_C_EXIT);
  WaitForSingleObject(child->process, INFINITE);
  *status = read_end_status(child->process);
  CloseHandle(child->process);
  CloseHandle(child->job);
}

void os_child_free(struct os_child *child) {
  CloseHandle(child->pipe);
  free(child);
}
