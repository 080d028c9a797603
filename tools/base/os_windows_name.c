/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles names of files on Windows. Inside the tool, names are UTF-8. Names
 * that the tool makes have slashes, which Windows accepts, too.
 */
#include "os_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool os_is_separator(char c) { return c == '/' || c == '\\'; }

static bool has_drive(const char *path) {
  return ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z')) &&
         path[1] == ':';
}

const char *os_base_name(const char *path) {
  const char *base = has_drive(path) ? path + 2 : path;
  for (const char *at = base; *at; at++)
    if (os_is_separator(*at))
      base = at + 1;
  return base;
}

bool os_is_absolute(const char *path) {
  return os_is_separator(path[has_drive(path) ? 2 : 0]);
}

static char fold_case_and_separator(char c) {
  return os_is_separator(c)     ? '/'
         : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a')
                                : c;
}

/* Compares names without regard to case. Letters outside ASCII must be
 * identical, because the file system decides about their upper and lower case.
 */
bool os_are_same_name(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (fold_case_and_separator(a[i]) != fold_case_and_separator(b[i]))
      return false;
    else if (!a[i])
      return true;
  return true;
}

const char os_program_end[] = ".exe";
const char os_nowhere[] = "NUL";
const char os_temporary_files[] = "%TEMP%";

bool os_is_open_file_name(const char *name) {
  (void)name;
  return false;
}

bool os_is_standard_output_name(const char *name) {
  (void)name;
  return false;
}

bool os_is_device(const char *name) {
  static const char *const devices[] = {"nul", "con", "aux", "prn"};
  const char *base = os_base_name(name);
  size_t size = strcspn(base, ".:");
  if (os_are_same_name(name, "//./", 4))
    return true;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    if (size == 3 && os_are_same_name(base, devices[i], 3))
      return true;
  return size == 4 && base[3] >= '1' && base[3] <= '9' &&
         (os_are_same_name(base, "com", 3) || os_are_same_name(base, "lpt", 3));
}

/* ---- UTF-16 ---- */

wchar_t *os_to_utf16(const char *text) {
  int size =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
  wchar_t *wide = size ? malloc((size_t)size * sizeof *wide) : NULL;
  if (wide)
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size);
  else
    errno = size ? ENOMEM : ENOENT;
  return wide;
}

/* The length of the longest name without a prefix. A longer name needs a
 * prefix, and then must not contain / or `..`. The limit leaves space for an
 * 8.3 name in a folder. */
enum { NAME_MOST = 247 };

static wchar_t *replace_by_long_name(wchar_t *name, DWORD size) {
  static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
  wchar_t *full = malloc((size + 10) * sizeof *full);
  if (full) {
    wchar_t *at = full + 8; /* leave space for either prefix */
    GetFullPathNameW(name, size, at, NULL);
    bool shared = at[0] == L'\\' && at[1] == L'\\';
    const wchar_t *front = shared ? share : prefix;
    size_t length = wcslen(front);
    /* The name \\server\share becomes \\?\UNC\server\share. */
    at += shared;
    memmove(full + length, at, (wcslen(at) + 1) * sizeof *at);
    memcpy(full, front, length * sizeof *front);
  } else {
    errno = ENOMEM;
  }
  free(name);
  return full;
}

wchar_t *os_name_to_utf16(const char *name) {
  wchar_t *wide = os_to_utf16(name);
  if (!wide || os_are_same_name(name, "//./", 4) ||
      os_are_same_name(name, "//?/", 4))
    return wide;
  DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
  return size > NAME_MOST ? replace_by_long_name(wide, size) : wide;
}

char *os_to_utf8(const wchar_t *text) {
  int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
  char *narrow = size ? malloc((size_t)size) : NULL;
  if (narrow)
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
  else
    errno = ENOMEM;
  return narrow;
}

char *os_name_to_utf8(const wchar_t *name) {
  if (wcsncmp(name, L"\\\\?\\", 4) == 0 && name[4] && name[5] == L':')
    name += 4;
  char *narrow = os_to_utf8(name);
  for (char *at = narrow; at && *at; at++)
    if (*at == '\\')
      *at = '/';
  return narrow;
}

/* ---- folders ---- */

char *os_current_folder(char *room, size_t size) {
  wchar_t wide[4096];
  DWORD length = GetCurrentDirectoryW(sizeof wide / sizeof *wide, wide);
  char *name = length && length < sizeof wide / sizeof *wide
                   ? os_name_to_utf8(wide)
                   : NULL;
  bool fits = name && strlen(name) < size;
  if (fits)
    strcpy(room, name);
  free(name);
  return fits ? room : NULL;
}

const char *os_temporary_folder(void) {
  static char folder[1024] = "";
  wchar_t wide[512];
  DWORD length = GetTempPathW(sizeof wide / sizeof *wide, wide);
  char *name = length && length < sizeof wide / sizeof *wide
                   ? os_name_to_utf8(wide)
                   : NULL;
  size_t size = name ? strlen(name) : 0;
  while (size > 3 && name[size - 1] == '/')
    name[--size] = 0;
  snprintf(folder, sizeof folder, "%s", size ? name : ".");
  free(name);
  return folder;
}

char *os_real_path(const char *name) {
  wchar_t wide[4096];
  HANDLE file =
      os_open_handle(name, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE)
    return NULL;
  DWORD size =
      GetFinalPathNameByHandleW(file, wide, sizeof wide / sizeof *wide, 0);
  if (!size || size >= sizeof wide / sizeof *wide)
    os_set_errno();
  CloseHandle(file);
  return size && size < sizeof wide / sizeof *wide ? os_name_to_utf8(wide)
                                                   : NULL;
}

void os_randomise_name(char *path) {
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  static volatile LONG calls;
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  uint64_t mixed =
      ((uint64_t)now.QuadPart ^ (uint64_t)GetCurrentProcessId() << 32 ^
       (uint64_t)(uint32_t)InterlockedIncrement(&calls) << 20) *
      UINT64_C(0x9E3779B97F4A7C15);
  char *at = path + strlen(path) - 6;
  for (unsigned i = 0; i < 6; i++, mixed /= 36)
    at[i] = digits[(mixed >> 8) % 36];
}
