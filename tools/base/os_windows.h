/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of Windows share. Only they include this.
 */
#ifndef BASE_OS_WINDOWS_H
#define BASE_OS_WINDOWS_H

#include <ctype.h>
#include <windows.h>
#include <winsock2.h>

#include "ere.h"
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

/* ---- os_windows_ere.c ----
 *
 * The steps that a pattern becomes: os_windows_ere.c makes them,
 * os_windows_ere_match.c goes through a text with them.
 */

enum ere_kind {
  STEP_BYTE,
  STEP_SET,
  STEP_ANY,
  STEP_BOTH, /* goes on here, or there */
  STEP_BACK, /* goes on there, or here */
  STEP_TO,
  STEP_OPEN, /* the first group; and its end */
  STEP_CLOSE,
  STEP_BEGIN, /* of the text; the following are places too */
  STEP_END,
  STEP_EDGE,
  STEP_NO_EDGE,
  STEP_WORD_BEGIN,
  STEP_WORD_END,
  STEP_FOUND
};

struct ere_step {
  enum ere_kind kind;
  unsigned value; /* a byte, the number of a set, or of another step */
};

struct ere_set {
  unsigned char bits[32];
};

struct ere_program {
  struct ere_step *steps;
  size_t count;
  struct ere_set *sets;
  size_t set_count;
};

static inline bool ere_has(const struct ere_set *set, unsigned char byte) {
  return set->bits[byte / 8] >> byte % 8 & 1;
}

static inline bool ere_is_word(unsigned char byte) {
  return byte == '_' || (byte < 0x80 && isalnum(byte));
}

#endif
