/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module finds where a source has code: words, numbers, strings and
 * operators that run. Brackets, commas, `else`, comments and directives do not
 * run. truth.c counts the tokens; test_selection.c uses token_find_end.
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

/* Returns whether a byte belongs to a word. isalnum would be a function call
 * for each byte of a source. */
static inline bool token_is_word_byte(int byte) {
  return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
         token_is_digit(byte) || byte == '_' || byte >= 0x80;
}

/* Returns the end of the comment, literal, word or single character that begins
 * at `at`. A literal ends at the end of its line at the latest, because #error
 * lines may contain apostrophes. */
size_t token_find_end(struct bytes text, size_t at);

/* Returns whether the token from `at` to `end` is a comment. */
static inline bool token_is_comment(struct bytes text, size_t at, size_t end) {
  return end > at + 1 && text.data[at] == '/';
}

/* Returns the next token at or after *at and sets *at to the end of the token.
 * Skips blanks, backslashes and comments. At the end of the text, the size of
 * the token is 0. */
struct bytes token_find_next(struct bytes text, size_t *at);

/* Returns whether a word is in a list that ends with NULL. */
bool token_is_one_of(struct bytes word, const char *const *words);

/* TOKEN_OPENS and TOKEN_CLOSES are round brackets; TOKEN_CODE is any other
 * token that runs. */
enum token_kind { TOKEN_CODE, TOKEN_OPENS, TOKEN_CLOSES };

struct source_token {
  uint64_t place;     /* position of the token, see place_number */
  uint32_t size : 29; /* size in bytes */
  uint32_t kind : 2;  /* enum token_kind */
  uint32_t apart : 1; /* A token that does not run comes before this token. */
};

/* The positions of the braces of a probable lambda. */
struct lambda_span {
  uint64_t begin, end;
};

/* A part of a `try`: the braces of its block, the braces of a handler, or a
 * `throw` that leaves the block. */
enum try_part_kind { TRY_BLOCK, TRY_HANDLER, TRY_THROW };

struct try_part {
  uint64_t block; /* position where the `try`'s block begins */
  uint64_t begin, end;
  enum try_part_kind kind;
  bool final; /* TRY_BLOCK: its last statement is a jump. TRY_HANDLER: the
                 handler catches all exceptions. */
};

/* A comma, `?`, single colon, && or ||, or a { for a brace or a word such as
 * `if`: a token that may end a part of a macro's argument. */
struct source_mark {
  uint64_t end; /* position after the token */
  int byte;
};

/* A jump that clang does not take for one: at the * of a computed goto, or at
 * the bracket that ends an `asm goto`. Macros have such jumps, too. */
struct source_jump {
  uint64_t place;
  bool assembly;
};

/* The definition of a macro with parameters. */
struct macro_definition {
  uint64_t begin, end;      /* positions of its name, and of its last token */
  size_t first, count;      /* part of source_tokens.uses */
  uint32_t parameter_count; /* without the variadic one */
  bool variadic;
};

/* A parameter in the text of a macro. Each call around the parameter has a use,
 * the innermost first. The last use is without a call. */
struct parameter_use {
  uint64_t place;     /* position of the parameter */
  uint64_t call;      /* position of the name that is called; 0: none */
  uint32_t argument;  /* index of the call's argument around the parameter */
  uint32_t parameter; /* index; the variadic parameter is the last */
  bool made;          /* The macro makes the name that is called. */
};

struct source_tokens {
  struct buffer list;    /* list of struct source_token in source order */
  struct buffer lambdas; /* list of struct lambda_span, sorted by `begin` */
  struct buffer jumps;   /* list of struct source_jump */
  struct buffer marks;   /* list of struct source_mark in source order */
  struct buffer macros;  /* list of struct macro_definition, sorted by
                            `begin` */
  struct buffer uses;    /* list of struct parameter_use */
  struct buffer tries;   /* list of struct try_part, sorted by `block`, `kind`
                            and `begin` */
};

/* Finds the tokens of a source. The caller calls tokens_free. */
void tokens_parse(struct source_tokens *tokens, struct bytes text);
void tokens_free(struct source_tokens *tokens);

/* The tokens of all sources. A source is read when its tokens are first
 * requested. Initialise as {.paths = ...}. */
struct token_store {
  const struct source_maps *paths;
  struct map numbers; /* map from the names of sources to their indexes in
                           `list`, plus 1 */
  struct source_tokens **list; /* tokens of each source; NULL: no such source */
  size_t count;
  struct map forgotten; /* set of the names of forgotten sources */
  bool failed;          /* An error was reported. */
};

/* Returns the tokens of the source that the compiler calls `name`. Returns NULL
 * if the source does not exist or was forgotten. The store owns the tokens. */
const struct source_tokens *token_store_get(struct token_store *store,
                                            const char *name);
/* Forgets the tokens of a source that has changed since the build. */
void token_store_forget(struct token_store *store, const char *name);
bool token_store_has_forgotten(const struct token_store *store,
                               const char *name);
void token_store_free(struct token_store *store);

#endif
