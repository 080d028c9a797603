/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of source files as compilers on Windows, llvm-cov and users write them:
 * with either separator, and with a drive. Each name gets one form when it
 * comes in; behind that, only `/` separates folders.
 */
#ifndef BASE_SOURCE_NAME_H
#define BASE_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name does not depend on a folder, here or on Windows. */
bool source_is_absolute(const char *name);

/* Whether a name begins with a drive or a share. */
bool source_is_windows(const char *name, size_t size);

/* Gives a name its form in place, and returns its size, which may have become
 * smaller; no zero comes behind it. A name of Windows gets `/` for `\` and a
 * capital letter for its drive, and loses `.` and `..`, and a folder in front
 * of its drive, which programs of POSIX put there. Other names stay as they
 * are; on Windows `\` separates there too. */
size_t source_name_sized(char *name, size_t size);

/* The same for a text that ends in a zero. Returns the name. */
char *source_name(char *name);

/* Removes empty components, `.`, and `..` with what is in front, behind the
 * root, in place. Returns the size. Links are not followed. */
size_t source_tidy(char *name, size_t size, size_t root);

#endif
