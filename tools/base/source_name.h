/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of source files as compilers on Windows, llvm-cov and users write them:
 * with either separator, and with a drive. Each name is normalised when it is
 * read; afterwards only `/` separates folders.
 */
#ifndef BASE_SOURCE_NAME_H
#define BASE_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name is absolute, here or on Windows. */
bool source_name_is_absolute(const char *name);

/* Whether a name begins with a drive or a share. */
bool source_name_is_windows(const char *name, size_t size);

/* Normalises a name in place, and returns its size, which may have become
 * smaller; no zero is appended. In a Windows name, `\` becomes `/` and the
 * drive becomes a capital letter; `.`, `..`, and a folder before the drive,
 * which POSIX programs put there, are removed. Other names stay unchanged,
 * except that on Windows `\` separates there too. */
size_t source_name_normalise_bytes(char *name, size_t size);

char *source_name_normalise(char *name);

/* Removes empty components, `.`, and `..` with the component before it, after
 * the root, in place. Returns the size. Links are not followed. */
size_t source_name_remove_dots(char *name, size_t size, size_t root);

/* Returns how many components, counted from the end, two paths share. */
unsigned source_name_count_shared_parts(const char *a, const char *b);

#endif
