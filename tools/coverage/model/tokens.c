/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds the tokens, lambdas, macros' definitions and parts of `try`
 * of a source without a grammar. The file uses only the order of tokens and the
 * nesting of brackets. Sources are read without preprocessing.
 */
#include "tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/file.h"
#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "../inputs/paths.h"
#include "coverage_model.h"

/* ---- one token ---- */

/* `word` must not be empty. */
static bool is_word(struct bytes word, const char *text) {
  return *text == *word.data && strlen(text) == word.size &&
         memcmp(word.data, text, word.size) == 0;
}

bool token_is_one_of(struct bytes word, const char *const *words) {
  while (word.size && *words && !is_word(word, *words))
    words++;
  return word.size && *words;
}

static bool is_line_end(int byte) { return byte == '\n' || byte == '\r'; }

static size_t find_comment_end(struct bytes text, size_t at) {
  const unsigned char *data = text.data;
  if (data[at + 1] == '/') {
    while (at < text.size && !is_line_end(data[at]))
      at++;
    return at;
  }
  for (size_t end = at + 3; end < text.size; end++) {
    const unsigned char *slash = memchr(data + end, '/', text.size - end);
    if (!slash)
      break;
    end = (size_t)(slash - data);
    if (slash[-1] == '*')
      return end + 1;
  }
  return text.size;
}

/* Returns the end of the raw string R"x(...)x" whose first quote is at `at`.
 * Returns `at` if the string is not a raw string. */
static size_t find_raw_string_end(struct bytes text, size_t at) {
  const unsigned char *data = text.data;
  size_t open = at + 1;
  while (open < text.size && open - at <= 17 && !strchr("( )\\\n", data[open]))
    open++;
  if (open >= text.size || data[open] != '(')
    return at;
  size_t size = open - at; /* length of the ) and the delimiter */
  for (size_t end = open; end + size < text.size; end++)
    if (data[end] == ')' && data[end + size] == '"' &&
        memcmp(data + end + 1, data + at + 1, size - 1) == 0)
      return end + size + 1;
  return text.size;
}

static size_t find_number_end(struct bytes text, size_t at) {
  const unsigned char *data = text.data;
  while (at < text.size) {
    bool sign =
        (data[at] == '+' || data[at] == '-') && strchr("eEpP", data[at - 1]);
    bool separates = data[at] == '\'' && at + 1 < text.size &&
                     token_is_word_byte(data[at + 1]);
    if (!token_is_word_byte(data[at]) && data[at] != '.' && !sign && !separates)
      break;
    at++;
  }
  return at;
}

size_t token_find_end(struct bytes text, size_t at) {
  static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
  const unsigned char *data = text.data;
  int first = data[at], second = at + 1 < text.size ? data[at + 1] : 0;
  size_t end = at + 1;
  if (first == '/' && (second == '*' || second == '/'))
    return find_comment_end(text, at);
  if (first == '"' || first == '\'') {
    while (end < text.size && data[end] != first && !is_line_end(data[end]))
      if (data[end++] == '\\')
        end += 1 + (end + 1 < text.size && memcmp(data + end, "\r\n", 2) == 0);
    return end < text.size ? end + (data[end] == first) : text.size;
  }
  if (token_is_digit(first))
    return find_number_end(text, end);
  if (!token_is_word_byte(first))
    return end;
  while (end < text.size && token_is_word_byte(data[end]))
    end++;
  if (end < text.size && data[end] == '"' &&
      token_is_one_of((struct bytes){data + at, end - at}, raw))
    return find_raw_string_end(text, end);
  return end;
}

/* Returns whether the text from `at` to `end` is a blank, a backslash or a
 * comment. */
static bool is_between_tokens(struct bytes text, size_t at, size_t end) {
  int byte = text.data[at];
  return isspace(byte) || byte == '\\' || token_is_comment(text, at, end);
}

struct bytes token_find_next(struct bytes text, size_t *at) {
  for (size_t begin = *at; begin < text.size; begin = *at) {
    *at = token_find_end(text, begin);
    if (!is_between_tokens(text, begin, *at))
      return (struct bytes){text.data + begin, *at - begin};
  }
  return (struct bytes){text.data + text.size, 0};
}

/* ---- lambdas and parts of a `try` ----
 *
 * This part recognises [captures](parameters) words { body }. A [ after a name
 * or a bracket is an index instead. A block after `try`, and a block after a
 * `catch` directly after such a block, are parts of a `try`.
 */

/* An open bracket. */
struct bracket_state {
  uint64_t place;
  int byte;
  bool of_lambda; /* one of the brackets around parts of a lambda */
  bool jumps;     /* The statement around the bracket begins with a jump. */
  /* the block or handler of a `try` that begins here; `begin` 0: none */
  struct try_part part;
};

enum { WORDS_MOST = 12 /* limit between the parameters and the body */ };

enum { PARAMETERS_MOST = 32, CALLS_MOST = 8 };

/* The state while the definition of a macro is read. */
struct definition_reader {
  enum {
    DEFINE_NONE, /* no definition, or one that is not understood */
    DEFINE_HASH,
    DEFINE_WORD,
    DEFINE_NAME,
    DEFINE_BRACKET,
    DEFINE_PARAMETERS,
    DEFINE_TEXT
  } next; /* the next part */
  struct macro_definition made;
  size_t name_end;
  struct bytes names[PARAMETERS_MOST]; /* parameters, also a variadic one that
                                          has a name */
  uint32_t count;                      /* number of names */
  struct bytes last;                   /* the last token of the text */
  uint64_t last_place;
  bool named;              /* The variadic parameter has a name. */
  bool pastes;             /* ## is before the last token, or is it. */
  struct parameter_use ended; /* the call whose bracket ended last */
  struct parameter_use calls[CALLS_MOST]; /* the calls around this place */
  size_t depth;
};

/* The state while a source is read. */
struct token_reader {
  struct source_tokens *tokens;
  struct bytes text;
  size_t at, line_begin;
  uint32_t line;
  bool fresh;         /* Only blanks are before this place in its line. */
  struct buffer open; /* list of struct bracket_state */
  bool index;         /* A [ at this place would be an index. */
  bool captured;      /* The captures of a lambda end at this place. */
  bool after_goto;    /* Only words are between a goto and this place. */
  unsigned operands;  /* number of open brackets of an `asm goto` */
  unsigned words;     /* number of words that may still precede the body of a
                         lambda, plus 1 */
  enum { BLOCK_PLAIN, BLOCK_TRY, BLOCK_HANDLER } next; /* kind of the next { */
  uint64_t left;  /* position of the block of the `try` of which a part has
                     just ended; 0: none */
  unsigned dots;  /* number of dots before this place */
  bool apart; /* The last token does not run, and is not in the list. */
  bool fresh_statement; /* A statement begins here. */
  bool jumps;           /* This statement begins with a jump. */
  bool jumped;          /* The last statement was a jump. */
  struct definition_reader define;
};

static uint64_t get_place(const struct token_reader *reading) {
  return place_number(reading->line,
                      (uint32_t)(reading->at - reading->line_begin) + 1);
}

static void push_open_bracket(struct token_reader *reading, int byte,
                              uint64_t place) {
  size_t behind = reading->at + 1;
  bool twice = behind < reading->text.size && reading->text.data[behind] == '[';
  bool of_lambda = byte == '['   ? !reading->index && !twice
                   : byte == '(' ? reading->captured
                                 : reading->captured || reading->words;
  struct bracket_state made = {
      .place = place, .byte = byte, .of_lambda = of_lambda};
  made.jumps = reading->jumps;
  if (byte == '{' && reading->next) {
    bool handler = reading->next == BLOCK_HANDLER;
    made.part = (struct try_part){handler ? reading->left : place, place, 0,
                                  handler ? TRY_HANDLER : TRY_BLOCK,
                                  handler && reading->dots == 3};
    reading->next = BLOCK_PLAIN;
    reading->left = 0;
  }
  need_append(&reading->open, &made, sizeof made);
  reading->fresh_statement |= byte == '{';
  reading->jumps &= byte != '{';
  reading->captured = reading->index = false;
  reading->words = 0;
}

/* Ends a block, and lists it if it is the block of a `try` or a handler. */
static void end_block(struct token_reader *reading,
                      const struct bracket_state *block, uint64_t place) {
  struct try_part part = block->part;
  part.end = place;
  part.final |= part.kind == TRY_BLOCK && reading->jumped;
  if (part.begin)
    need_append(&reading->tokens->tries, &part, sizeof part);
  reading->left = part.begin ? part.block : 0;
  reading->jumps = block->jumps;
  reading->fresh_statement = true;
  reading->jumped = false;
}

static void pop_bracket_add_lambda(struct token_reader *reading, int byte,
                                   uint64_t place) {
  struct buffer *open = &reading->open;
  struct bracket_state last = {.byte = 0};
  if (open->size) {
    open->size -= sizeof last;
    memcpy(&last, open->data + open->size, sizeof last);
  }
  bool of_lambda = last.of_lambda && last.byte == (byte == ')'   ? '('
                                                   : byte == ']' ? '['
                                                                 : '{');
  if (of_lambda && byte == '}')
    need_append(&reading->tokens->lambdas,
                &(struct lambda_span){last.place, place},
                sizeof(struct lambda_span));
  if (byte == '}')
    end_block(reading, &last, place);
  reading->index = byte != '}';
  reading->captured = of_lambda && byte == ']';
  reading->words = of_lambda && byte == ')' ? WORDS_MOST : 0;
}

/* Adds a `throw` to the innermost `try` around it, unless it is in a lambda. */
static void append_throw(struct token_reader *reading, uint64_t place) {
  const struct bracket_state *list = (const void *)reading->open.data;
  size_t depth = reading->open.size / sizeof *list;
  while (depth && (list[depth - 1].part.kind != TRY_BLOCK ||
                   !list[depth - 1].part.begin) &&
         (list[depth - 1].byte != '{' || !list[depth - 1].of_lambda))
    depth--;
  if (depth && list[depth - 1].part.begin)
    need_append(&reading->tokens->tries,
                &(struct try_part){list[depth - 1].place, place, place,
                                   TRY_THROW, false},
                sizeof(struct try_part));
}

static void update_statement_state(struct token_reader *reading,
                                   struct bytes word, uint64_t place) {
  static const char *const jumps[] = {"return", "co_return", "throw", "goto",
                                      "break",  "continue",  NULL};
  int byte = *word.data;
  if (byte == ';') {
    reading->jumped = reading->jumps;
    reading->jumps = false;
    reading->fresh_statement = true;
  } else if (reading->fresh_statement && token_is_word_byte(byte)) {
    reading->jumps = token_is_one_of(word, jumps);
    reading->fresh_statement = false;
  }
  if (is_word(word, "try"))
    reading->next = BLOCK_TRY;
  else if (reading->left && is_word(word, "catch"))
    reading->next = BLOCK_HANDLER;
  else if (!reading->next)
    reading->left = 0;
  if (is_word(word, "throw"))
    append_throw(reading, place);
  reading->dots = byte == '.' ? reading->dots + 1
                  : byte == ')' || byte == '{' ? reading->dots
                                               : 0;
}

static void update_bracket_state(struct token_reader *reading,
                                 struct bytes word, uint64_t place) {
  static const char *const returns[] = {"return", "co_return", NULL};
  int byte = *word.data;
  if (byte == '(' || byte == '[' || byte == '{') {
    push_open_bracket(reading, byte, place);
    return;
  }
  if (byte == ')' || byte == ']' || byte == '}') {
    pop_bracket_add_lambda(reading, byte, place);
    return;
  }
  reading->captured = false;
  reading->index = (token_is_word_byte(byte) || byte == '"') &&
                   !token_is_one_of(word, returns);
  if (byte == ';' || byte == ',')
    reading->words = 0;
  else if (reading->words)
    reading->words--;
}

ORDER_BY(by_begin, struct lambda_span, x->begin);
ORDER_BY(by_block, struct try_part, x->block, x->kind, x->begin);

/* ---- a source ---- */

static bool does_token_not_run(struct bytes word, int behind) {
  static const char *const words[] = {"else",  "do",  "while", "try",
                                      "catch", "and", "or",    NULL};
  int byte = *word.data;
  if (token_is_word_byte(byte))
    return token_is_one_of(word, words);
  return strchr("{}[];:,?.\\", byte) ||
         ((byte == '&' || byte == '|') && behind == byte);
}

static const char *const control_words[] = {"if", "for", "while", "switch",
                                            NULL};

/* Returns the byte of a mark, or 0. The token is between two bytes. */
static int find_mark(struct bytes word, int before, int behind) {
  int byte = *word.data;
  if (token_is_word_byte(byte))
    return token_is_one_of(word, control_words) ? '{'
           : is_word(word, "and")               ? '&'
           : is_word(word, "or")                ? '|'
                                                : 0;
  bool twice = behind == byte && before != byte;
  bool once = behind != byte && before != byte;
  return strchr(",?{", byte) || (byte == ':' && once) ||
                 ((byte == '&' || byte == '|') && twice)
             ? byte
             : 0;
}

static void append_token_if_runs(struct token_reader *reading, size_t end) {
  const unsigned char *data = reading->text.data;
  size_t at = reading->at;
  struct bytes word = {data + at, end - at};
  uint64_t place = get_place(reading);
  int behind = end < reading->text.size ? data[end] : 0;
  int before = at ? data[at - 1] : 0, mark = find_mark(word, before, behind);
  update_statement_state(reading, word, place);
  update_bracket_state(reading, word, place);
  if (mark)
    need_append(&reading->tokens->marks,
                &(struct source_mark){place + word.size, mark},
                sizeof(struct source_mark));
  /* Whether this is the second character of && or ||. */
  bool half = (*word.data == '&' || *word.data == '|') && before == *word.data;
  if (half || does_token_not_run(word, behind)) {
    reading->apart = true;
    return;
  }
  const struct source_token made = {.place = place,
                                    .size = (uint32_t)word.size & 0x1FFFFFFF,
                                    .kind = *word.data == '('   ? TOKEN_OPENS
                                            : *word.data == ')' ? TOKEN_CLOSES
                                                                : TOKEN_CODE,
                                    .apart = reading->apart};
  reading->apart = false;
  need_append(&reading->tokens->list, &made, sizeof made);
}

static void append_jump(struct token_reader *reading, size_t end) {
  size_t at = reading->at;
  struct bytes word = {reading->text.data + at, end - at};
  int byte = *word.data;
  bool inside = reading->operands != 0;
  if (is_between_tokens(reading->text, at, end))
    return;
  if (inside || reading->after_goto)
    reading->operands += byte == '(';
  reading->operands -= inside && byte == ')';
  const struct source_jump made = {get_place(reading), inside};
  if (inside ? !reading->operands : reading->after_goto && byte == '*')
    need_append(&reading->tokens->jumps, &made, sizeof made);
  reading->after_goto = is_word(word, "goto") ||
                        (reading->after_goto && token_is_word_byte(byte));
}

/* ---- definitions of macros ---- */

static void read_parameter(struct definition_reader *define,
                           struct bytes word) {
  int byte = *word.data;
  if (byte == ')') {
    define->next = DEFINE_TEXT;
    define->made.parameter_count = define->count - define->named;
  } else if (byte == '.') {
    /* GNU's form is a name and three dots. */
    define->named |= !define->made.variadic && define->count &&
                     token_is_word_byte(*define->last.data);
    define->made.variadic = true;
  } else if (token_is_word_byte(byte) && define->count < PARAMETERS_MOST) {
    define->names[define->count++] = word;
  } else if (byte != ',') {
    define->next = DEFINE_NONE;
  }
  define->last = word;
}

/* Returns the index of a parameter, or UINT32_MAX. */
static uint32_t find_parameter(const struct definition_reader *define,
                               struct bytes word) {
  for (uint32_t i = 0; i < define->count; i++)
    if (define->names[i].size == word.size &&
        memcmp(define->names[i].data, word.data, word.size) == 0)
      return i;
  return define->made.variadic && is_word(word, "__VA_ARGS__")
             ? define->made.parameter_count
             : UINT32_MAX;
}

static void append_parameter_uses(struct token_reader *reading,
                                  uint32_t parameter, uint64_t place) {
  struct definition_reader *define = &reading->define;
  for (size_t i = define->depth + 1; i--;) {
    struct parameter_use use = {.call = 0};
    if (i)
      use = define->calls[i - 1];
    use.place = place;
    use.parameter = parameter;
    if (i && !use.call)
      continue;
    need_append(&reading->tokens->uses, &use, sizeof use);
    define->made.count++;
  }
}

/* Returns the call that a bracket in a macro's text begins, if any. */
static struct parameter_use begin_call(const struct definition_reader *define) {
  struct parameter_use made = {.call = 0};
  int last = define->last.size ? *define->last.data : 0;
  if (last == ')') {
    made.call = define->ended.call;
    made.made = made.call != 0;
  } else if (token_is_word_byte(last) &&
             !token_is_one_of(define->last, control_words)) {
    made.call = define->last_place;
    made.made = define->pastes;
  }
  return made;
}

/* Reads a token of a macro's text. A macro may make the name of a call with ##
 * or another call, as in NAME(x)(y). */
static void read_macro_text(struct token_reader *reading, struct bytes word,
                            uint64_t place) {
  struct definition_reader *define = &reading->define;
  int byte = *word.data, last = define->last.size ? *define->last.data : 0;
  uint32_t parameter = find_parameter(define, word);
  bool pastes = byte == '#' && last == '#';
  if (byte == '(' && define->depth == CALLS_MOST)
    define->next = DEFINE_NONE;
  else if (byte == '(')
    define->calls[define->depth++] = begin_call(define);
  else if (byte == ')' && define->depth)
    define->ended = define->calls[--define->depth];
  else if (byte == ',' && define->depth)
    define->calls[define->depth - 1].argument++;
  else if (parameter != UINT32_MAX && last != '#')
    append_parameter_uses(reading, parameter, place);
  define->pastes = pastes || (define->pastes && !last);
  define->made.end = place;
  define->last = pastes ? (struct bytes){word.data, 0} : word;
  define->last_place = place;
}

static void read_definition_token(struct token_reader *reading, size_t end) {
  struct definition_reader *define = &reading->define;
  size_t at = reading->at;
  struct bytes word = {reading->text.data + at, end - at};
  uint64_t place = get_place(reading);
  if (define->next == DEFINE_NONE ||
      is_between_tokens(reading->text, at, end))
    return;
  switch (define->next) {
  case DEFINE_HASH:
    define->next = DEFINE_WORD;
    break;
  case DEFINE_WORD:
    define->next = is_word(word, "define") ? DEFINE_NAME : DEFINE_NONE;
    break;
  case DEFINE_NAME:
    define->made.begin = place;
    define->name_end = end;
    define->next = DEFINE_BRACKET;
    break;
  case DEFINE_BRACKET:
    define->next = *word.data == '(' && at == define->name_end
                       ? DEFINE_PARAMETERS
                       : DEFINE_NONE;
    break;
  case DEFINE_PARAMETERS:
    read_parameter(define, word);
    if (define->next == DEFINE_TEXT)
      define->last.size = 0;
    break;
  default:
    read_macro_text(reading, word, place);
  }
}

/* Advances to `end` and counts the line ends on the way: LF, CR or both. */
static void skip_to_offset(struct token_reader *reading, size_t end) {
  const unsigned char *data = reading->text.data;
  for (; reading->at < end; reading->at++) {
    size_t at = reading->at;
    bool both =
        data[at] == '\r' && at + 1 < reading->text.size && data[at + 1] == '\n';
    if ((data[at] == '\n' || data[at] == '\r') && !both) {
      reading->line++;
      reading->line_begin = at + 1;
      reading->fresh = true;
    }
  }
}

/* Advances to the end of a directive: the end of a line that does not end with
 * a backslash. */
static void skip_directive(struct token_reader *reading) {
  struct bytes text = reading->text;
  struct definition_reader *define = &reading->define;
  bool joined = false;
  *define = (struct definition_reader){
      .next = DEFINE_HASH,
      .made.first = reading->tokens->uses.size / sizeof(struct parameter_use)};
  while (reading->at < text.size) {
    size_t at = reading->at;
    if ((text.data[at] == '\n' || text.data[at] == '\r') && !joined)
      break;
    joined = text.data[at] == '\\' || (joined && text.data[at] == '\r');
    size_t end = text.data[at] == '\'' ? at + 1 : token_find_end(text, at);
    append_jump(reading, end);
    read_definition_token(reading, end);
    skip_to_offset(reading, end);
  }
  reading->after_goto = false;
  reading->operands = 0;
  if (define->next == DEFINE_TEXT)
    need_append(&reading->tokens->macros, &define->made, sizeof define->made);
}

static void limit_or_free_lists(struct source_tokens *tokens, size_t limit) {
  struct buffer *const lists[] = {
      &tokens->list,   &tokens->lambdas, &tokens->jumps, &tokens->marks,
      &tokens->macros, &tokens->uses,    &tokens->tries};
  buffers_limit_or_free(lists, sizeof lists / sizeof *lists, limit);
}

void tokens_parse(struct source_tokens *tokens, struct bytes text) {
  struct token_reader reading = {
      .tokens = tokens, .text = text, .line = 1, .fresh = true};
  *tokens = (struct source_tokens){.list.size = 0};
  limit_or_free_lists(tokens, SIZE_MAX);
  reading.open.limit = SIZE_MAX;
  while (reading.at < text.size) {
    int byte = text.data[reading.at];
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      skip_to_offset(&reading, reading.at + 1);
      continue;
    }
    if (byte == '#' && reading.fresh) {
      skip_directive(&reading);
      continue;
    }
    size_t end = token_find_end(text, reading.at);
    append_jump(&reading, end);
    if (!token_is_comment(text, reading.at, end)) {
      reading.fresh = false;
      append_token_if_runs(&reading, end);
    }
    bool fresh = reading.fresh;
    skip_to_offset(&reading, end);
    reading.fresh = fresh;
  }
  buffer_free(&reading.open);
  struct buffer *lambdas = &tokens->lambdas;
  if (lambdas->size)
    sort_array(lambdas->data, lambdas->size / sizeof(struct lambda_span),
               sizeof(struct lambda_span), by_begin);
  struct buffer *tries = &tokens->tries;
  if (tries->size)
    sort_array(tries->data, tries->size / sizeof(struct try_part),
               sizeof(struct try_part), by_block);
}

void tokens_free(struct source_tokens *tokens) {
  limit_or_free_lists(tokens, 0);
}

/* ---- sources ---- */

enum { SOURCE_LIMIT = 1 << 30 };

/* Reads the tokens of a source. Returns NULL if the file does not exist or
 * cannot be read. */
static struct source_tokens *read_source_tokens(struct token_store *store,
                                                const char *name) {
  struct file file;
  struct os_file_info info;
  bool found = false;
  char *here = paths_local_name(store->paths, name);
  if (os_stat(here, &info) && info.kind == OS_FILE)
    store->failed |=
        file_read_if_exists(&file, here, SOURCE_LIMIT, &found) != 0;
  free(here);
  if (!found)
    return NULL;
  struct source_tokens *made = need_memory(malloc(sizeof *made));
  tokens_parse(made, file.bytes);
  file_close(&file);
  return made;
}

static struct source_tokens **find_or_read_tokens(struct token_store *store,
                                                  const char *name) {
  size_t size = strlen(name);
  const uint64_t key[3] = {md5_low64(name, size), size, 0};
  bool is_new;
  store->numbers.limit = SIZE_MAX;
  size_t number = map_find_or_assign_number(&store->numbers, key, &is_new);
  need_memory(number ? store : NULL);
  if (is_new)
    LIST_ADD(store->list, store->count, read_source_tokens(store, name));
  return &store->list[number - 1];
}

const struct source_tokens *token_store_get(struct token_store *store,
                                            const char *name) {
  return *find_or_read_tokens(store, name);
}

static void free_and_clear_tokens(struct source_tokens **place) {
  if (*place)
    tokens_free(*place);
  free(*place);
  *place = NULL;
}

void token_store_forget(struct token_store *store, const char *name) {
  free_and_clear_tokens(find_or_read_tokens(store, name));
  store->forgotten.limit = SIZE_MAX;
  need_memory(
      map_find_or_add(&store->forgotten, md5_low64(name, strlen(name)), 0, 0));
}

bool token_store_has_forgotten(const struct token_store *store,
                               const char *name) {
  return map_find(&store->forgotten, md5_low64(name, strlen(name)), 0, 0);
}

void token_store_free(struct token_store *store) {
  for (size_t i = 0; i < store->count; i++)
    free_and_clear_tokens(&store->list[i]);
  free(store->list);
  map_free(&store->numbers);
  map_free(&store->forgotten);
}
