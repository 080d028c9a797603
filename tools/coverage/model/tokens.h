/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a source has code: words, numbers, texts and operators that do
 * something. Brackets, commas, `else` and the like do not run; neither do
 * comments and directives.
 */
#ifndef BAREPROF_TOOLS_TOKENS_H
#define BAREPROF_TOOLS_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/bytes.h"
#include "../../base/storage.h"

static inline bool token_digit(int byte) { return byte >= '0' && byte <= '9'; }

/* Whether a byte is of a word. Not isalnum, which is a call for each byte of a
 * source. */
static inline bool token_word(int byte) {
  return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || token_digit(byte) ||
         byte == '_' || byte >= 0x80;
}

/* The end of the comment, literal, word or single character at `at`. A literal
 * ends with its line at last: #error can't have two. */
size_t token_end(struct bytes text, size_t at);

/* Whether what ends there is a comment. */
static inline bool token_is_comment(struct bytes text, size_t at, size_t end) {
  return end > at + 1 && text.data[at] == '/';
}

/* TOKEN_OPENS, TOKEN_CLOSES: a round bracket. */
enum token_kind { TOKEN_CODE, TOKEN_OPENS, TOKEN_CLOSES };

struct source_token {
  uint64_t place;     /* place_number */
  uint32_t size : 30; /* in bytes */
  uint32_t kind : 2;  /* enum token_kind */
};

/* The braces of what looks like a lambda: places of both. */
struct lambda {
  uint64_t begin, end;
};

struct tokens {
  struct buffer list;    /* struct source_token, in the order of the source */
  struct buffer lambdas; /* struct lambda, by their beginnings */
};

/* Finds the tokens of a source. The caller frees *tokens. */
void tokens_read(struct tokens *tokens, struct bytes text);
void tokens_free(struct tokens *tokens);

/* The tokens of sources, each of which is read once, when it is asked for.
 * Begins as {.paths = ...}. */
struct token_store {
  const struct paths *paths;
  struct map numbers;   /* of names, from 1 on */
  struct tokens **list; /* NULL: the source is not there */
  size_t count;
  bool failed; /* An error was reported. */
};

/* Returns the tokens of a source, by the compiler's name; NULL: there are
 * none. */
const struct tokens *token_store_get(struct token_store *store,
                                     const char *name);
/* The source has changed: it has no tokens from now on. */
void token_store_forget(struct token_store *store, const char *name);
void token_store_free(struct token_store *store);

#endif
