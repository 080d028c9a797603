/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lexer finds the ends of statements in a line. So it must recognise
 * strings, and comments, which differ by architecture.
 */
#include "asm_text.h"
#include "../../base/buffer.h"

#include <ctype.h>
#include <string.h>

struct lexer {
  struct asm_text *text;
  size_t at;
  bool line_start; /* only blanks since the last newline */
  unsigned macros; /* open .macro, .rept, .irp */
  bool inside;
  const char *error;
};

static char peek(const struct lexer *lexer, size_t ahead) {
  size_t at = lexer->at + ahead;
  return at < lexer->text->size ? lexer->text->data[at] : '\n';
}

/* ---- comments ---- */

static bool comment_begins(const struct lexer *lexer) {
  char c = peek(lexer, 0);
  switch (lexer->text->machine->arch) {
  case ASM_ARM:
    return c == '@' || (c == '#' && lexer->line_start) ||
           (c == '/' && peek(lexer, 1) == '/');
  case ASM_AARCH64:
    return (c == '/' && peek(lexer, 1) == '/') ||
           (c == '#' && lexer->line_start);
  default:
    return c == '#';
  }
}

static enum asm_note note_of_line(const char *at, size_t size) {
  static const struct {
    const char *begins;
    enum asm_note note;
  } notes[] = {
      {"APP", ASM_NOTE_INSIDE},
      {"NO_APP", ASM_NOTE_OUTSIDE},
      {"Start of file scope inline assembly", ASM_NOTE_INSIDE},
      {"End of file scope inline assembly", ASM_NOTE_OUTSIDE},
      {"Naked Function", ASM_NOTE_NAKED},
      {"Nested: function declared inside", ASM_NOTE_NESTED},
      {"args = ", ASM_NOTE_COMPILED},
      {"@", ASM_NOTE_COMPILED},
  };
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    size_t length = strlen(notes[i].begins);
    if (size >= length && memcmp(at, notes[i].begins, length) == 0)
      return notes[i].note;
  }
  /* gcc: `5 "file.c" 1` before and `0 "" 2` behind each inline assembly. */
  if (size > 4 && isdigit((unsigned char)*at) && at[size - 2] == ' ' &&
      memchr(at, '"', size)) {
    if (at[size - 1] == '1')
      return ASM_NOTE_INSIDE;
    if (at[size - 1] == '2' && *at == '0')
      return ASM_NOTE_OUTSIDE;
  }
  return ASM_NOTE_NONE;
}

static struct asm_statement *add_statement(struct lexer *lexer,
                                           enum asm_kind kind, size_t begin) {
  struct buffer *buffer = &lexer->text->statements;
  if (!lexer->error && lexer->text->count == ASM_STATEMENT_LIMIT)
    lexer->error = "it has more than 16 million statements; compile less at "
                   "once";
  if (!lexer->error)
    lexer->error = buffer_reserve(buffer, sizeof(struct asm_statement));
  if (lexer->error)
    return NULL;
  struct asm_statement *made = asm_at(lexer->text, lexer->text->count++);
  buffer->size += sizeof *made;
  *made = (struct asm_statement){.begin = (uint32_t)begin,
                                 .end = (uint32_t)begin,
                                 .section = ASM_NONE,
                                 .function = ASM_NONE,
                                 .next = ASM_NONE,
                                 .block = ASM_NONE,
                                 .kind = (uint8_t)kind,
                                 .inside = lexer->inside || lexer->macros};
  return made;
}

/* Goes to the end of the line, and keeps what the comment says. */
static void take_comment(struct lexer *lexer) {
  const char *data = lexer->text->data;
  size_t begin = lexer->at;
  while (peek(lexer, 0) != '\n')
    lexer->at++;
  size_t first = begin + (data[begin] == '/' ? 2 : 1), end = lexer->at;
  while (first < end && isblank((unsigned char)data[first]))
    first++;
  while (end > first && isspace((unsigned char)data[end - 1]))
    end--;
  if (first >= end)
    return;
  enum asm_note note = note_of_line(data + first, end - first);
  struct asm_statement *made =
      note == ASM_NOTE_NONE ? NULL : add_statement(lexer, ASM_NOTE, begin);
  if (!made)
    return;
  made->note = (uint8_t)note;
  if (note == ASM_NOTE_INSIDE || note == ASM_NOTE_OUTSIDE)
    lexer->inside = note == ASM_NOTE_INSIDE;
}

static void skip_block_comment(struct lexer *lexer) {
  lexer->at += 2;
  while (lexer->at < lexer->text->size &&
         !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
    lexer->at++;
  lexer->at += lexer->at < lexer->text->size ? 2 : 0;
}

/* ---- statements ---- */

static void skip_string(struct lexer *lexer) {
  lexer->at++;
  while (peek(lexer, 0) != '"' && peek(lexer, 0) != '\n')
    lexer->at += peek(lexer, 0) == '\\' && peek(lexer, 1) != '\n' ? 2 : 1;
  lexer->at += peek(lexer, 0) == '"';
}

/* Goes to the end of a statement; returns where its last character ends. */
static size_t skip_statement(struct lexer *lexer) {
  size_t last = lexer->at;
  for (;;) {
    char c = peek(lexer, 0);
    if (c == '\n' || c == ';' || comment_begins(lexer))
      return last;
    if (c == '/' && peek(lexer, 1) == '*') {
      skip_block_comment(lexer);
      continue;
    }
    if (c == '"')
      skip_string(lexer);
    else if (c == '\'' && peek(lexer, 1) != '\n')
      lexer->at += peek(lexer, 1) == '\\' && peek(lexer, 2) != '\n' ? 3 : 2;
    else
      lexer->at++;
    lexer->line_start = false;
    if (!isspace((unsigned char)c))
      last = lexer->at;
  }
}

/* Behind a statement: its semicolon, or its comment and newline. */
static size_t finish(struct lexer *lexer) {
  if (comment_begins(lexer))
    take_comment(lexer);
  if (lexer->at < lexer->text->size) {
    lexer->line_start = peek(lexer, 0) == '\n';
    lexer->at++;
  }
  return lexer->at;
}

bool asm_in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' ||
         (unsigned char)c >= 0x80;
}

static void skip_blanks(struct lexer *lexer) {
  for (;;) {
    char c = peek(lexer, 0);
    if (c == '/' && peek(lexer, 1) == '*')
      skip_block_comment(lexer);
    else if (c != '\n' && isspace((unsigned char)c))
      lexer->at++;
    else
      return;
  }
}

/* Returns whether it was a label, and then only that has been taken. */
static bool take_label(struct lexer *lexer, size_t begin) {
  struct asm_slice word = {(uint32_t)begin, (uint32_t)(lexer->at - begin)};
  skip_blanks(lexer);
  if (!word.size || peek(lexer, 0) != ':' || peek(lexer, 1) == ':')
    return false;
  lexer->at++;
  lexer->line_start = false;
  struct asm_statement *made = add_statement(lexer, ASM_LABEL, begin);
  uint32_t index = lexer->text->count - 1;
  if (!made)
    return true;
  made->word = word;
  size_t behind = lexer->at;
  skip_blanks(lexer);
  if (comment_begins(lexer) || peek(lexer, 0) == '\n')
    behind = finish(lexer);
  asm_at(lexer->text, index)->end = (uint32_t)behind;
  return true;
}

static void count_macros(struct lexer *lexer, struct asm_slice word) {
  if (asm_listed(lexer->text, word, ".macro .rept .irp .irpc"))
    lexer->macros++;
  else if (lexer->macros &&
           asm_listed(lexer->text, word, ".endm .endr .endmacro"))
    lexer->macros--;
}

static void take_statement(struct lexer *lexer) {
  struct asm_text *text = lexer->text;
  size_t begin = lexer->at;
  if (peek(lexer, 0) == '"')
    skip_string(lexer);
  else
    while (asm_in_name(peek(lexer, 0)))
      lexer->at++;
  size_t word_end = lexer->at;
  if (take_label(lexer, begin))
    return;
  bool assigns = peek(lexer, 0) == '=';
  size_t rest = lexer->at, last = skip_statement(lexer);
  enum asm_kind kind =
      assigns || text->data[begin] == '.' ? ASM_DIRECTIVE : ASM_INSTRUCTION;
  struct asm_statement *made = add_statement(lexer, kind, begin);
  uint32_t index = text->count - 1;
  if (!made)
    return;
  made->word =
      (struct asm_slice){(uint32_t)begin, (uint32_t)(word_end - begin)};
  made->rest = (struct asm_slice){(uint32_t)rest,
                                  (uint32_t)(last > rest ? last - rest : 0)};
  count_macros(lexer, made->word);
  size_t end = finish(lexer);
  asm_at(text, index)->end = (uint32_t)end;
}

const char *asm_text_read(struct asm_text *text, struct bytes bytes,
                          const struct asm_machine *machine) {
  *text = (struct asm_text){
      .machine = machine, .data = (const char *)bytes.data, .size = bytes.size};
  text->statements.limit =
      sizeof(struct asm_statement) * (size_t)ASM_STATEMENT_LIMIT;
  struct lexer lexer = {.text = text, .line_start = true};
  if (bytes.size > ASM_SIZE_LIMIT)
    return "it is larger than 256 MB; compile less at once";
  if (bytes.size && memchr(bytes.data, 0, bytes.size))
    return "it is not text; give a compiler's assembly, from -S";
  while (lexer.at < text->size && !lexer.error) {
    skip_blanks(&lexer);
    char c = peek(&lexer, 0);
    if (c == '\n' || c == ';' || comment_begins(&lexer))
      finish(&lexer);
    else
      take_statement(&lexer);
  }
  return lexer.error;
}

void asm_text_free(struct asm_text *text) { buffer_free(&text->statements); }

/* ==== Pieces of the text: comparing, and finding operands and words. */

bool asm_is(const struct asm_text *text, struct asm_slice slice,
            const char *word) {
  return strlen(word) == slice.size &&
         memcmp(text->data + slice.at, word, slice.size) == 0;
}

bool asm_begins(const struct asm_text *text, struct asm_slice slice,
                const char *prefix) {
  size_t size = strlen(prefix);
  return size <= slice.size && memcmp(text->data + slice.at, prefix, size) == 0;
}

bool asm_same(const struct asm_text *text, struct asm_slice a,
              struct asm_slice b) {
  return a.size == b.size &&
         memcmp(text->data + a.at, text->data + b.at, a.size) == 0;
}

bool asm_next_word(const char **list, struct bytes *word) {
  *word = (struct bytes){(const unsigned char *)*list, strcspn(*list, " ")};
  *list += word->size + ((*list)[word->size] == ' ');
  return word->size != 0;
}

bool asm_listed(const struct asm_text *text, struct asm_slice slice,
                const char *list) {
  struct bytes word;
  while (asm_next_word(&list, &word)) {
    bool begins = word.data[word.size - 1] == '*';
    word.size -= begins;
    if ((begins ? slice.size >= word.size : slice.size == word.size) &&
        memcmp(text->data + slice.at, word.data, word.size) == 0)
      return true;
  }
  return false;
}

bool asm_mentions_bytes(const struct asm_text *text, struct asm_slice slice,
                        struct bytes word) {
  uint32_t end = slice.at + slice.size;
  for (uint32_t at = slice.at; at < end;) {
    uint32_t from = at;
    while (at < end && asm_in_name(text->data[at]))
      at++;
    if (at - from == word.size &&
        memcmp(text->data + from, word.data, word.size) == 0)
      return true;
    at += at == from;
  }
  return false;
}

bool asm_mentions(const struct asm_text *text, struct asm_slice slice,
                  const char *word) {
  return asm_mentions_bytes(
      text, slice, (struct bytes){(const unsigned char *)word, strlen(word)});
}

static void trim(const struct asm_text *text, struct asm_slice *slice) {
  while (slice->size && isspace((unsigned char)text->data[slice->at]))
    slice->at++, slice->size--;
  while (slice->size &&
         isspace((unsigned char)text->data[slice->at + slice->size - 1]))
    slice->size--;
}

bool asm_operand(const struct asm_text *text, struct asm_slice *rest,
                 struct asm_slice *operand) {
  const char *data = text->data + rest->at;
  unsigned depth = 0, size = 0;
  bool quoted = false;
  if (!rest->size)
    return false;
  for (; size < rest->size; size++) {
    char c = data[size];
    if (c == '"' && !(size && data[size - 1] == '\\'))
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (c == ',' && !depth)
      break;
    depth += c == '(' || c == '[' || c == '{';
    depth -= depth && (c == ')' || c == ']' || c == '}');
  }
  *operand = (struct asm_slice){rest->at, size};
  size += size < rest->size;
  *rest = (struct asm_slice){rest->at + size, rest->size - size};
  trim(text, operand);
  return true;
}

struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number) {
  struct asm_slice operand = {rest.at, 0};
  do
    if (!asm_operand(text, &rest, &operand))
      return (struct asm_slice){rest.at, 0};
  while (number--);
  return operand;
}

struct asm_slice asm_last_operand(const struct asm_text *text,
                                  struct asm_slice rest) {
  struct asm_slice operand = {rest.at, 0};
  while (asm_operand(text, &rest, &operand))
    ;
  return operand;
}
