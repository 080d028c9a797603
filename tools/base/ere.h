/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * POSIX extended regular expressions of bytes. On POSIX they are those of the C
 * library. Windows has none: there they are alternatives, groups, * + ? {M,N},
 * brackets with classes, . ^ $, and of GNU \w \W \s \S \b \B \< \> \` \'; there
 * are no references back (\1), and if a group can match in several ways, it
 * takes the first of them that makes the whole match the longest.
 */
#ifndef BASE_ERE_H
#define BASE_ERE_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as {0}. */
struct ere {
  void *program;
};

/* Returns NULL, or what is wrong with the text: valid until the next call. */
const char *ere_compile(struct ere *ere, const char *text);

/* Whether any part of the text matches. */
bool ere_matches(const struct ere *ere, const char *text);

/* The same. The span is that of the first group if that matched, otherwise of
 * the whole match, which is the leftmost and then the longest. */
struct ere_span {
  size_t begin, end;
};
bool ere_find(const struct ere *ere, const char *text, struct ere_span *span);

void ere_free(struct ere *ere);

#endif
