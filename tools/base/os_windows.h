/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions that the os_windows*.c files share. No other file
 * includes this header.
 */
#ifndef BASE_OS_WINDOWS_H
#define BASE_OS_WINDOWS_H

#include <winsock2.h>

#include <windows.h>

#include "os.h"

/* ---- os_windows_name.c ---- */

/* Converts a text to UTF-16. The caller frees it. Returns NULL and errno on
 * failure. */
wchar_t *os_to_utf16(const char *text);

/* Converts the name of a file to UTF-16. The name may have more than 260
 * characters. */
wchar_t *os_name_to_utf16(const char *name);

/* Each converts UTF-16 to UTF-8. os_name_to_utf8 also replaces \ with /. */
char *os_to_utf8(const wchar_t *text);
char *os_name_to_utf8(const wchar_t *name);

/* Returns whether the name denotes a device: NUL, COM7, \\.\COM12. */
bool os_is_device(const char *name);

/* Replaces XXXXXX at the end of a path with random letters. */
void os_randomise_name(char *path);

/* ---- os_windows.c ---- */

/* Sets errno according to GetLastError. Returns -1. */
int os_set_errno(void);

/* Opens a file or device that started programs do not inherit. Returns
 * INVALID_HANDLE_VALUE and errno if it fails. */
HANDLE os_open_handle(const char *name, DWORD access, DWORD how, DWORD flags);

#endif
