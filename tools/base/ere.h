/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * POSIX extended regular expressions for bytes. On POSIX these are the C
 * library's. Windows has none, so os_windows_ere.c implements alternatives,
 * groups, * + ? {M,N}, brackets with classes, . ^ $, and GNU's \w \W \s \S \b
 * \B \< \> \` \'. Back-references (\1) are missing there. If a group can match
 * in several ways, the first way that makes the whole match longest counts.
 */
#ifndef BASE_ERE_H
#define BASE_ERE_H

#include <stdbool.h>
#include <stddef.h>

/* A compiled pattern. Initialise with {0}. */
struct ere {
  void *program;
};

/* Returns NULL, or the error in the pattern, whose text is valid until the next
 * call. */
const char *ere_compile(struct ere *ere, const char *text);

/* Whether any part of the text matches. */
bool ere_matches(const struct ere *ere, const char *text);

/* Finds the first group if it matched, otherwise the whole match, which is the
 * leftmost and then the longest. */
struct ere_span {
  size_t begin, end;
};
bool ere_find(const struct ere *ere, const char *text, struct ere_span *span);

void ere_free(struct ere *ere);

#endif
