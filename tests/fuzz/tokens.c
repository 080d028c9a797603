/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the tokens of a source. They follow each other in order, are
 * within their lines, and none begins in blanks; lambdas and parts of a `try`
 * have their braces there. The text is read up to its last byte, and not
 * beyond.
 */
#include <string.h>

#include "coverage/model/coverage_model.h"
#include "coverage/model/tokens.h"
#include "input.h"
#include "phrases.h"

static const char *const phrases[] = {"\n",
                                      "\r\n",
                                      "\r",
                                      "\\\n",
                                      "//",
                                      "/*",
                                      "*/",
                                      "\"",
                                      "'",
                                      "R\"x(",
                                      ")x\"",
                                      "u8R\"(",
                                      ")\"",
                                      "1'000",
                                      "0x1p-3",
                                      "#if ",
                                      "[&](",
                                      "[]{",
                                      "](int q) mutable -> int {",
                                      "}",
                                      ")",
                                      "]",
                                      "return ",
                                      "else ",
                                      "try {",
                                      "catch (...)",
                                      "} catch (int e) {",
                                      "throw x;",
                                      "&&",
                                      "? x : y",
                                      "a::b, ",
                                      "if (",
                                      "goto *",
                                      "asm goto (",
                                      "\n#define F(a, ...) G##a(a)(",
                                      "a[1]",
                                      "name"};

/* Where line `line` begins; lines end as clang has them. */
static size_t line_begin(const char *text, size_t size, uint32_t line) {
  size_t at = 0;
  for (uint32_t now = 1; now < line; at++) {
    must(at < size, "a line is there");
    now += text[at] == '\n' ||
           (text[at] == '\r' && (at + 1 == size || text[at + 1] != '\n'));
  }
  return at;
}

static size_t offset_of(const char *text, size_t size, uint64_t place) {
  size_t begin = line_begin(text, size, (uint32_t)(place >> 32));
  size_t at = begin + (uint32_t)place - 1;
  must(at < size, "a place is in the text");
  return at;
}

/* Each part of a `try` is in braces, or a word in the block's braces. */
static void judge_tries(const char *text, size_t size,
                        const struct source_tokens *tokens) {
  const struct try_part *list = (const void *)tokens->tries.data;
  for (size_t i = 0; i < tokens->tries.size / sizeof *list; i++) {
    const struct try_part *part = &list[i];
    const char *begin = text + offset_of(text, size, part->begin);
    bool first = !i || list[i - 1].block != part->block;
    must(!i || list[i - 1].block <= part->block, "a try is in order");
    must(first || list[i - 1].kind <= part->kind, "and its parts are");
    must(text[offset_of(text, size, part->block)] == '{', "it has a block");
    must(part->kind == TRY_THROW
             ? !strncmp(begin, "throw", 5) && part->begin > part->block
             : *begin == '{' && part->end > part->begin &&
                   text[offset_of(text, size, part->end)] == '}',
         "a part is in braces, or a throw");
    must((part->kind == TRY_BLOCK) == (part->begin == part->block),
         "only its block begins where it does");
    must(part->kind != TRY_HANDLER ||
             (!first && part->begin > list[i - 1].end),
         "a handler follows the block");
  }
}

static void judge_marks_and_jumps(const char *text, size_t size,
                                  const struct source_tokens *tokens) {
  const struct source_mark *marks = (const void *)tokens->marks.data;
  const struct source_jump *jumps = (const void *)tokens->jumps.data;
  for (size_t i = 0; i < tokens->marks.size / sizeof *marks; i++) {
    int byte = text[offset_of(text, size, marks[i].end - 1)];
    must(!i || marks[i - 1].end < marks[i].end, "marks are in order");
    must(byte == marks[i].byte || (strchr("{&|", marks[i].byte) &&
                                   strchr("dehfr", byte)),
         "a mark is an operator, or a word that stands for it");
  }
  for (size_t i = 0; i < tokens->jumps.size / sizeof *jumps; i++)
    must(text[offset_of(text, size, jumps[i].place)] ==
             (jumps[i].assembly ? ')' : '*'),
         "a jump has a star, or ends with a bracket");
}

static void judge(const char *text, size_t size,
                  const struct source_tokens *tokens) {
  const struct source_token *list = (const void *)tokens->list.data;
  const struct lambda_span *lambdas = (const void *)tokens->lambdas.data;
  uint64_t last = 0;
  for (size_t i = 0; i < tokens->list.size / sizeof *list; i++) {
    size_t at = offset_of(text, size, list[i].place);
    must(list[i].place > last, "tokens are in order");
    must(list[i].size && at + list[i].size <= size, "and within the text");
    must(!strchr(" \t\n\r;,{}", text[at]) || !text[at], "and do something");
    must(list[i].kind != TOKEN_OPENS || text[at] == '(', "a bracket is one");
    must(list[i].kind != TOKEN_CLOSES || text[at] == ')', "also one behind");
    last = list[i].place;
  }
  for (size_t i = 0; i < tokens->lambdas.size / sizeof *lambdas; i++)
    must(text[offset_of(text, size, lambdas[i].begin)] == '{' &&
             text[offset_of(text, size, lambdas[i].end)] == '}' &&
             lambdas[i].begin < lambdas[i].end,
         "a lambda is in braces");
  judge_tries(text, size, tokens);
  judge_marks_and_jumps(text, size, tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source_tokens tokens;
  size_t length = 0;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            size, &length);
  unsigned char *block = malloc(length + !length);
  memcpy(block, text, length);
  tokens_parse(&tokens, (struct bytes){block, length});
  judge(text, length, &tokens);
  tokens_free(&tokens);
  free(block);
  free(text);
  return 0;
}
