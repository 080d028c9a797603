/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matches bytes with POSIX extended regular expressions. On POSIX the C library
 * implements them. Windows lacks such functions, so os_windows_ere.c implements
 * alternatives, groups, * + ? {M,N}, brackets with classes, . ^ $, and GNU's \w
 * \W \s \S \b \B \< \> \` \'. os_windows_ere.c does not implement
 * back-references (\1). If a group can match in several ways, the first way
 * that makes the whole match longest counts.
 */
#ifndef BASE_ERE_H
#define BASE_ERE_H

#include <stdbool.h>
#include <stddef.h>

/* A compiled pattern. Initialise with {0}. */
struct ere {
  void *program;
};

/* Compiles a pattern. Returns NULL, or the error in the pattern; the error's
 * text is valid until the next call. */
const char *ere_compile(struct ere *ere, const char *text);

/* Returns whether any part of the text matches the pattern. */
bool ere_matches(const struct ere *ere, const char *text);

/* Finds the part of the text that the first group matches or, if no group
 * matched, the whole match. The whole match is the longest of the leftmost
 * matches. */
struct ere_span {
  size_t begin, end;
};
bool ere_find(const struct ere *ere, const char *text, struct ere_span *span);

void ere_free(struct ere *ere);

#endif
