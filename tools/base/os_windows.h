/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that the os_windows*.c files share. No other file includes this.
 */
#ifndef BASE_OS_WINDOWS_H
#define BASE_OS_WINDOWS_H

#include <winsock2.h>

#include <windows.h>

#include "os.h"

/* Converts a text to UTF-16. The caller frees it. Returns NULL and errno on
 * failure. */
wchar_t *os_to_utf16(const char *text);

/* Converts a file's name, which may have more than 260 characters, to UTF-16.
 */
wchar_t *os_name_to_utf16(const char *name);

/* Converts UTF-16 to UTF-8. os_name_to_utf8 also replaces \ by /. */
char *os_to_utf8(const wchar_t *text);
char *os_name_to_utf8(const wchar_t *name);

/* Sets errno from GetLastError. Returns -1. */
int os_set_errno(void);

/* Whether the name denotes a device: NUL, COM7, \\.\COM12. */
bool os_is_device(const char *name);

/* Opens a file or device that started programs do not inherit. Returns
 * INVALID_HANDLE_VALUE and errno if it fails. */
HANDLE os_open_handle(const char *name, DWORD access, DWORD how, DWORD flags);

/* Replaces XXXXXX at the end of a path by random letters. */
void os_randomise_name(char *path);

#endif
