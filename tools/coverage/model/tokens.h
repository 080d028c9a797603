/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a source has code: words, numbers, strings and operators that run.
 * Brackets, commas, `else` and the like do not run, nor do comments and
 * directives. truth.c counts the tokens; c_text.c uses token_find_end.
 */
#ifndef BAREPROF_TOOLS_TOKENS_H
#define BAREPROF_TOOLS_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/bytes.h"
#include "../../base/storage.h"

static inline bool token_is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

/* Whether a byte belongs to a word. isalnum would be a function call for each
 * byte of a source. */
static inline bool token_is_word_byte(int byte) {
  return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
         token_is_digit(byte) || byte == '_' || byte >= 0x80;
}

/* Returns the end of the comment, literal, word or single character at `at`. A
 * literal ends with its line at the latest, because of apostrophes in #error
 * lines. */
size_t token_find_end(struct bytes text, size_t at);

/* Whether the token from at to end is a comment. */
static inline bool token_is_comment(struct bytes text, size_t at, size_t end) {
  return end > at + 1 && text.data[at] == '/';
}

/* Returns the next token at or after *at, without blanks, backslashes and
 * comments. *at becomes the end of the token. At the end of the text, the
 * token's size is 0. */
struct bytes token_find_next(struct bytes text, size_t *at);

/* TOKEN_OPENS and TOKEN_CLOSES are round brackets. */
enum token_kind { TOKEN_CODE, TOKEN_OPENS, TOKEN_CLOSES };

struct source_token {
  uint64_t place;     /* place_number */
  uint32_t size : 30; /* in bytes */
  uint32_t kind : 2;  /* enum token_kind */
};

/* The positions of the braces of a probable lambda. */
struct lambda_span {
  uint64_t begin, end;
};

struct source_tokens {
  struct buffer list;    /* struct source_token, in the order of the source */
  struct buffer lambdas; /* struct lambda_span, sorted by their beginnings */
};

/* Finds the tokens of a source. The caller calls tokens_free. */
void tokens_parse(struct source_tokens *tokens, struct bytes text);
void tokens_free(struct source_tokens *tokens);

/* The tokens of sources. A source is read when it is first requested.
 * Initialise as {.paths = ...}. */
struct token_store {
  const struct source_maps *paths;
  struct map numbers;   /* names to indexes in list + 1 */
  struct source_tokens **list; /* NULL: the source does not exist */
  size_t count;
  bool failed; /* An error was reported. */
};

/* Returns the tokens of the source that the compiler calls `name`. NULL: the
 * source is not there or was forgotten. The store owns the tokens. */
const struct source_tokens *token_store_get(struct token_store *store,
                                            const char *name);
/* Forgets the tokens of a source that has changed since the build. */
void token_store_forget(struct token_store *store, const char *name);
void token_store_free(struct token_store *store);

#endif
