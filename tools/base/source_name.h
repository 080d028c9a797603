/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Normalises names of source files. Compilers on Windows, llvm-cov and users
 * write them with either separator, and with a drive. Each name is normalised
 * when it is read; afterwards only `/` separates folders.
 */
#ifndef BASE_SOURCE_NAME_H
#define BASE_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a name is absolute, on this machine or on Windows. */
bool source_name_is_absolute(const char *name);

/* Returns whether a name begins with a drive or a share. */
bool source_name_is_windows(const char *name, size_t size);

/* Normalises a name in place, and returns its size, which may have become
 * smaller; no zero is appended. In a Windows name, `\` becomes `/` and the
 * drive becomes a capital letter; `.`, `..`, and a folder before the drive,
 * which POSIX programs put there, are removed. Other names stay unchanged, but
 * if the tool runs on Windows, `\` becomes `/` in them, too. */
size_t source_name_normalise_bytes(char *name, size_t size);

char *source_name_normalise(char *name);

/* Removes empty components, `.`, and each `..` with the component before it.
 * Changes the name in place, after its root of `root` bytes. Returns the new
 * size. Links are not followed. */
size_t source_name_remove_dots(char *name, size_t size, size_t root);

/* Returns in how many of their last components two paths agree. */
unsigned source_name_count_shared_parts(const char *a, const char *b);

#endif
