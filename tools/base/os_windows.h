/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of Windows share. Only they include this.
 */
#ifndef BASE_OS_WINDOWS_H
#define BASE_OS_WINDOWS_H

#include <winsock2.h>

#include <windows.h>

#include "os.h"

/* UTF-16 of a text. The caller frees it. NULL: errno. */
wchar_t *os_wide(const char *text);

/* The same of a file's name, which may be longer than 260 characters. */
wchar_t *os_wide_name(const char *name);

/* UTF-8 of a text. os_narrow_name turns \ to /. */
char *os_narrow(const wchar_t *text);
char *os_narrow_name(const wchar_t *name);

/* Sets errno by GetLastError. Returns -1. */
int os_fail(void);

/* Whether the name is that of a device: NUL, COM7, \\.\COM12. */
bool os_is_device(const char *name);

/* Opens a file or device without sharing it with programs that are started.
 * Returns INVALID_HANDLE_VALUE and errno if it fails. */
HANDLE os_handle(const char *name, DWORD access, DWORD how, DWORD flags);

/* Fills the X in XXXXXX at the end of a path. */
void os_new_name(char *path);

#endif
