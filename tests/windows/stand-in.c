/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Under wine: runs the program of this machine that has the name of this one,
 * by the script stand-in. Wine starts such a program, but gives it no pipes,
 * and tells neither its end nor its status: all of that goes through files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

enum { LINE = 32768, NAME = 1024 };

/* The files' common beginning, as this machine and as wine name it. */
static wchar_t here[NAME], wine[NAME];

static void name_files(void) {
  const wchar_t *folder = _wgetenv(L"STAND_IN");
  if (!folder) {
    fputs("stand-in: STAND_IN is not set\n", stderr);
    exit(127);
  }
  _snwprintf(here, NAME - 20, L"%ls/run-%lu-%lu", folder, GetCurrentProcessId(),
             GetTickCount());
  _snwprintf(wine, NAME - 18, L"Z:%ls", here);
}

static HANDLE open_file(const wchar_t *end) {
  wchar_t name[NAME];
  _snwprintf(name, NAME - 1, L"%ls.%ls", wine, end);
  return CreateFileW(name, GENERIC_READ,
                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                     NULL, OPEN_EXISTING, 0, NULL);
}

static void remove_file(const wchar_t *end) {
  wchar_t name[NAME];
  _snwprintf(name, NAME - 1, L"%ls.%ls", wine, end);
  DeleteFileW(name);
}

/* The command line as it came is behind the program's own name. */
static const wchar_t *arguments(void) {
  const wchar_t *line = GetCommandLineW();
  wchar_t end = *line == '"' ? '"' : ' ';
  line += *line == '"';
  while (*line && *line != end)
    line++;
  return *line ? line + 1 : line;
}

static BOOL start(const wchar_t *name) {
  static wchar_t line[LINE + NAME];
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  _snwprintf(line, LINE + NAME - 1, L"bash %ls/stand-in %ls %ls %ls",
             _wgetenv(L"STAND_IN"), here, name, arguments());
  return CreateProcessW(L"Z:\\bin\\bash", line, NULL, NULL, FALSE, 0, NULL,
                        NULL, &startup, &process);
}

/* Passes on what has been added to a file. */
static void pass(HANDLE from, DWORD to) {
  static char bytes[1 << 16];
  DWORD got, written;
  while (ReadFile(from, bytes, sizeof bytes, &got, NULL) && got)
    WriteFile(GetStdHandle(to), bytes, got, &written, NULL);
}

static int status_of(HANDLE file) {
  char text[20] = "";
  DWORD got;
  ReadFile(file, text, sizeof text - 1, &got, NULL);
  CloseHandle(file);
  return atoi(text);
}

int main(void) {
  wchar_t own[NAME];
  HANDLE out, errors, status;
  GetModuleFileNameW(NULL, own, NAME);
  wchar_t *name = wcsrchr(own, '\\') + 1;
  *wcsrchr(name, '.') = 0;
  name_files();
  if (!start(name)) {
    fputs("stand-in: bash cannot be started\n", stderr);
    return 127;
  }
  while ((out = open_file(L"out")) == INVALID_HANDLE_VALUE)
    Sleep(2);
  while ((status = open_file(L"status")) == INVALID_HANDLE_VALUE) {
    pass(out, STD_OUTPUT_HANDLE);
    Sleep(2);
  }
  pass(out, STD_OUTPUT_HANDLE);
  CloseHandle(out);
  errors = open_file(L"errors");
  pass(errors, STD_ERROR_HANDLE);
  CloseHandle(errors);
  remove_file(L"out");
  remove_file(L"errors");
  remove_file(L"status");
  return status_of(status);
}
