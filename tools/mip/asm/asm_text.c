/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Divides assembly into statements, and finds its sections, functions and
 * labels. blocks.c continues with the functions. To find the ends of statements
 * in a line, the lexer has to recognise strings and comments, which differ
 * between architectures.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../object/digest.h"
#include "asm_text.h"
#include "plan.h"

struct asm_lexer {
  struct asm_text *text;
  size_t at;
  bool line_start; /* since the last line end, there were only blanks */
  unsigned macros; /* number of open .macro, .rept, .irp */
  bool inside;
};

static char peek_character(const struct asm_lexer *lexer, size_t ahead) {
  size_t at = lexer->at + ahead;
  return at < lexer->text->size ? lexer->text->data[at] : '\n';
}

/* ---- comments ---- */

static bool is_comment_begin(const struct asm_lexer *lexer) {
  char c = peek_character(lexer, 0);
  switch (lexer->text->machine->arch) {
  case ASM_ARM:
    return c == '@' || (c == '#' && lexer->line_start) ||
           (c == '/' && peek_character(lexer, 1) == '/');
  case ASM_AARCH64:
    return (c == '/' && peek_character(lexer, 1) == '/') ||
           (c == '#' && lexer->line_start);
  default:
    return c == '#';
  }
}

static enum asm_note parse_note(const char *at, size_t size) {
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
  /* gcc writes `5 "file.c" 1` before each inline assembly, and `0 "" 2` after
   * the inline assembly. */
  if (size > 4 && isdigit((unsigned char)*at) && at[size - 2] == ' ' &&
      memchr(at, '"', size)) {
    if (at[size - 1] == '1')
      return ASM_NOTE_INSIDE;
    if (at[size - 1] == '2' && *at == '0')
      return ASM_NOTE_OUTSIDE;
  }
  return ASM_NOTE_NONE;
}

static struct asm_statement *
append_statement(struct asm_lexer *lexer, enum asm_kind kind, size_t begin) {
  struct asm_text *text = lexer->text;
  LIST_ADD(text->statements, text->count,
           (struct asm_statement){.begin = (uint32_t)begin,
                                  .end = (uint32_t)begin,
                                  .section = ASM_NONE,
                                  .function = ASM_NONE,
                                  .next = ASM_NONE,
                                  .block = ASM_NONE,
                                  .kind = (uint8_t)kind,
                                  .inside = lexer->inside || lexer->macros});
  return &text->statements[text->count - 1];
}

/* Moves to the end of the line. Adds a statement if the comment is a note. */
static void parse_comment_note(struct asm_lexer *lexer) {
  const char *data = lexer->text->data;
  size_t begin = lexer->at;
  while (peek_character(lexer, 0) != '\n')
    lexer->at++;
  size_t first = begin + (data[begin] == '/' ? 2 : 1), end = lexer->at;
  while (first < end && isblank((unsigned char)data[first]))
    first++;
  while (end > first && isspace((unsigned char)data[end - 1]))
    end--;
  if (first >= end)
    return;
  enum asm_note note = parse_note(data + first, end - first);
  if (note == ASM_NOTE_NONE)
    return;
  append_statement(lexer, ASM_NOTE, begin)->note = (uint8_t)note;
  if (note == ASM_NOTE_INSIDE || note == ASM_NOTE_OUTSIDE)
    lexer->inside = note == ASM_NOTE_INSIDE;
}

static void skip_block_comment(struct asm_lexer *lexer) {
  lexer->at += 2;
  while (lexer->at < lexer->text->size &&
         !(peek_character(lexer, 0) == '*' && peek_character(lexer, 1) == '/'))
    lexer->at++;
  lexer->at += lexer->at < lexer->text->size ? 2 : 0;
}

/* ---- statements ---- */

static void skip_string(struct asm_lexer *lexer) {
  lexer->at++;
  while (peek_character(lexer, 0) != '"' && peek_character(lexer, 0) != '\n')
    lexer->at +=
        peek_character(lexer, 0) == '\\' && peek_character(lexer, 1) != '\n'
            ? 2
            : 1;
  lexer->at += peek_character(lexer, 0) == '"';
}

/* Moves to the end of a statement. Returns the offset at which the statement's
 * last character ends. */
static size_t skip_statement(struct asm_lexer *lexer) {
  size_t last = lexer->at;
  for (;;) {
    char c = peek_character(lexer, 0);
    if (c == '\n' || c == ';' || is_comment_begin(lexer))
      return last;
    if (c == '/' && peek_character(lexer, 1) == '*') {
      skip_block_comment(lexer);
      continue;
    }
    if (c == '"')
      skip_string(lexer);
    else if (c == '\'' && peek_character(lexer, 1) != '\n')
      lexer->at +=
          peek_character(lexer, 1) == '\\' && peek_character(lexer, 2) != '\n'
              ? 3
              : 2;
    else
      lexer->at++;
    lexer->line_start = false;
    if (!isspace((unsigned char)c))
      last = lexer->at;
  }
}

/* Skips a semicolon, or a comment and the line end. Returns the new offset. */
static size_t end_statement_and_parse_note(struct asm_lexer *lexer) {
  if (is_comment_begin(lexer))
    parse_comment_note(lexer);
  if (lexer->at < lexer->text->size) {
    lexer->line_start = peek_character(lexer, 0) == '\n';
    lexer->at++;
  }
  return lexer->at;
}

bool asm_is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' ||
         (unsigned char)c >= 0x80;
}

static void skip_blanks(struct asm_lexer *lexer) {
  for (;;) {
    char c = peek_character(lexer, 0);
    if (c == '/' && peek_character(lexer, 1) == '*')
      skip_block_comment(lexer);
    else if (c != '\n' && isspace((unsigned char)c))
      lexer->at++;
    else
      return;
  }
}

/* Adds a label if a colon follows the word that was just read. Returns false if
 * no colon follows. */
static bool parse_label(struct asm_lexer *lexer, size_t begin) {
  struct asm_slice word = {(uint32_t)begin, (uint32_t)(lexer->at - begin)};
  skip_blanks(lexer);
  if (!word.size || peek_character(lexer, 0) != ':' ||
      peek_character(lexer, 1) == ':')
    return false;
  lexer->at++;
  lexer->line_start = false;
  uint32_t index = lexer->text->count;
  append_statement(lexer, ASM_LABEL, begin)->word = word;
  size_t behind = lexer->at;
  skip_blanks(lexer);
  if (is_comment_begin(lexer) || peek_character(lexer, 0) == '\n')
    behind = end_statement_and_parse_note(lexer);
  lexer->text->statements[index].end = (uint32_t)behind;
  return true;
}

static void track_macro_depth(struct asm_lexer *lexer, struct asm_slice word) {
  if (asm_is_listed(lexer->text, word, ".macro .rept .irp .irpc"))
    lexer->macros++;
  else if (lexer->macros &&
           asm_is_listed(lexer->text, word, ".endm .endr .endmacro"))
    lexer->macros--;
}

static void parse_statement(struct asm_lexer *lexer) {
  struct asm_text *text = lexer->text;
  size_t begin = lexer->at;
  if (peek_character(lexer, 0) == '"')
    skip_string(lexer);
  else
    while (asm_is_name_char(peek_character(lexer, 0)))
      lexer->at++;
  size_t word_end = lexer->at;
  if (parse_label(lexer, begin))
    return;
  bool assigns = peek_character(lexer, 0) == '=';
  size_t rest = lexer->at, last = skip_statement(lexer);
  enum asm_kind kind =
      assigns || text->data[begin] == '.' ? ASM_DIRECTIVE : ASM_INSTRUCTION;
  struct asm_statement *made = append_statement(lexer, kind, begin);
  uint32_t index = text->count - 1;
  made->word =
      (struct asm_slice){(uint32_t)begin, (uint32_t)(word_end - begin)};
  made->rest = (struct asm_slice){(uint32_t)rest,
                                  (uint32_t)(last > rest ? last - rest : 0)};
  track_macro_depth(lexer, made->word);
  size_t end = end_statement_and_parse_note(lexer);
  text->statements[index].end = (uint32_t)end;
}

const char *asm_text_parse(struct asm_text *text, struct bytes bytes,
                           const struct asm_machine *machine) {
  *text = (struct asm_text){
      .machine = machine, .data = (const char *)bytes.data, .size = bytes.size};
  struct asm_lexer lexer = {.text = text, .line_start = true};
  if (bytes.size > ASM_SIZE_LIMIT)
    return "the assembly is larger than 256 MB; compile smaller files";
  if (bytes.size && memchr(bytes.data, 0, bytes.size))
    return "this is not text; pass the compiler's assembly (-S)";
  while (lexer.at < text->size) {
    skip_blanks(&lexer);
    char c = peek_character(&lexer, 0);
    if (c == '\n' || c == ';' || is_comment_begin(&lexer))
      end_statement_and_parse_note(&lexer);
    else
      parse_statement(&lexer);
    if (text->count > ASM_STATEMENT_LIMIT)
      return "the assembly has more than 16 million statements; compile "
             "smaller files";
  }
  return NULL;
}

void asm_text_free(struct asm_text *text) { free(text->statements); }

/* ==== Compares slices of the text, and finds operands and words in them. */

bool asm_equals(const struct asm_text *text, struct asm_slice slice,
                const char *word) {
  return strlen(word) == slice.size &&
         memcmp(text->data + slice.at, word, slice.size) == 0;
}

bool asm_starts_with(const struct asm_text *text, struct asm_slice slice,
                     const char *prefix) {
  size_t size = strlen(prefix);
  return size <= slice.size && memcmp(text->data + slice.at, prefix, size) == 0;
}

static bool slices_equal(const struct asm_text *text, struct asm_slice a,
                         struct asm_slice b) {
  return a.size == b.size &&
         memcmp(text->data + a.at, text->data + b.at, a.size) == 0;
}

bool asm_pop_word(const char **list, struct bytes *word) {
  *word = (struct bytes){(const unsigned char *)*list, strcspn(*list, " ")};
  *list += word->size + ((*list)[word->size] == ' ');
  return word->size != 0;
}

bool asm_is_listed(const struct asm_text *text, struct asm_slice slice,
                   const char *list) {
  struct bytes word;
  while (asm_pop_word(&list, &word)) {
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
    while (at < end && asm_is_name_char(text->data[at]))
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

static void trim_blanks(const struct asm_text *text, struct asm_slice *slice) {
  while (slice->size && isspace((unsigned char)text->data[slice->at]))
    slice->at++, slice->size--;
  while (slice->size &&
         isspace((unsigned char)text->data[slice->at + slice->size - 1]))
    slice->size--;
}

bool asm_pop_operand(const struct asm_text *text, struct asm_slice *rest,
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
  trim_blanks(text, operand);
  return true;
}

struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number) {
  struct asm_slice operand = {rest.at, 0};
  do
    if (!asm_pop_operand(text, &rest, &operand))
      return (struct asm_slice){rest.at, 0};
  while (number--);
  return operand;
}

struct asm_slice asm_last_operand(const struct asm_text *text,
                                  struct asm_slice rest) {
  struct asm_slice operand = {rest.at, 0};
  while (asm_pop_operand(text, &rest, &operand))
    ;
  return operand;
}

/* ==== Finds the section of each statement. When compilers return to a section,
 * they write only its name, unless the section is in a group. So the name, the
 * group and the `unique` number identify a section. */

static enum asm_role decide_section_role(const struct asm_text *text,
                                         struct asm_slice name,
                                         struct asm_slice flags) {
  struct asm_slice bare = name;
  if (name.size && text->data[name.at] == '"')
    bare.at++, bare.size--;
  if (asm_is_listed(
          text, bare,
          ".debug* .llvm* .stack_sizes* .note* .eh_frame* .ARM.exidx* "
          "__patchable* .comment* .BTF* __mcount_loc* .rela* .rel.* "
          ".symtab* .gnu.* .xray*"))
    return ASM_ASIDE;
  if (asm_is_listed(text, bare, ".gcc_except_table* .ARM.extab*"))
    return ASM_EXCEPTIONS;
  if (flags.size)
    return memchr(text->data + flags.at, 'x', flags.size)   ? ASM_CODE
           : memchr(text->data + flags.at, 'a', flags.size) ? ASM_DATA
                                                            : ASM_ASIDE;
  return asm_is_listed(text, name, ".text* .init* .fini*") &&
                 !asm_is_listed(text, name, ".init_array* .fini_array*")
             ? ASM_CODE
             : ASM_DATA;
}

static bool has_character(const struct asm_text *text, struct asm_slice slice,
                          char c) {
  return slice.size && memchr(text->data + slice.at, c, slice.size);
}

/* Parses NAME, "FLAGS", TYPE[, ENTRY SIZE][, GROUP[, comdat]][, unique,
 * NUMBER]. */
static void parse_section(const struct asm_text *text, struct asm_slice rest,
                          struct asm_section *section,
                          struct asm_slice *unique) {
  struct asm_slice flags = {rest.at, 0}, operand;
  *section = (struct asm_section){.open = ASM_NONE};
  *unique = flags;
  if (!asm_pop_operand(text, &rest, &section->name))
    section->name = flags;
  if (asm_pop_operand(text, &rest, &operand) &&
      has_character(text, operand, '"'))
    flags = operand;
  section->pure =
      has_character(text, flags, 'y') || asm_starts_with(text, flags, "\"0x2");
  asm_pop_operand(text, &rest, &operand);
  if (has_character(text, flags, 'M'))
    asm_pop_operand(text, &rest, &operand);
  if (has_character(text, flags, 'G'))
    asm_pop_operand(text, &rest, &section->group);
  while (asm_pop_operand(text, &rest, &operand))
    if (asm_equals(text, operand, "comdat"))
      section->comdat = true;
    else if (asm_equals(text, operand, "unique"))
      asm_pop_operand(text, &rest, unique);
  section->role = (uint8_t)decide_section_role(text, section->name, flags);
}

/* Tracks the current section while statements are read. */
struct section_tracker {
  uint32_t section, previous;
  uint32_t stack[64]; /* the sections that .pushsection saved */
  unsigned depth;
  struct map sections; /* numbers of the sections, by name, group and unique
                          number */
};

static uint64_t hash_slice(const struct asm_text *text,
                           struct asm_slice slice) {
  return md5_low64(text->data + slice.at, slice.size);
}

static void enter_section(struct section_tracker *tracker,
                          struct asm_program *program,
                          const struct asm_section *section,
                          struct asm_slice unique) {
  const struct asm_text *text = program->text;
  uint32_t known = program->section_count;
  uint64_t *number = need_memory(map_find_or_add(
      &tracker->sections, hash_slice(text, section->name),
      hash_slice(text, section->group), hash_slice(text, unique)));
  if (tracker->sections.count > known) {
    LIST_ADD(program->sections, program->section_count, *section);
    *number = known;
  }
  tracker->previous = tracker->section;
  tracker->section = (uint32_t)*number;
}

/* ---- switching ---- */

static void enter_named_section(struct section_tracker *tracker,
                                struct asm_program *program,
                                struct asm_slice rest) {
  struct asm_section section;
  struct asm_slice unique;
  parse_section(program->text, rest, &section, &unique);
  enter_section(tracker, program, &section, unique);
}

/* Applies a directive that may switch sections. Returns NULL or the error. */
static const char *
apply_section_directive(struct section_tracker *tracker,
                        struct asm_program *program,
                        const struct asm_statement *statement) {
  const struct asm_text *text = program->text;
  struct asm_slice word = statement->word;
  if (asm_equals(text, word, ".section")) {
    enter_named_section(tracker, program, statement->rest);
  } else if (asm_equals(text, word, ".pushsection")) {
    if (tracker->depth == sizeof tracker->stack / sizeof *tracker->stack)
      return ".pushsection is nested 65 deep without .popsection; pass a "
             "compiler's assembly";
    tracker->stack[tracker->depth++] = tracker->section;
    enter_named_section(tracker, program, statement->rest);
  } else if (asm_equals(text, word, ".popsection") && tracker->depth)
    tracker->section = tracker->stack[--tracker->depth];
  else if (asm_equals(text, word, ".previous")) {
    uint32_t now = tracker->section;
    tracker->section = tracker->previous;
    tracker->previous = now;
  } else if (asm_equals(text, word, ".handlerdata")) {
    /* The section ends at .fnend, and lacks a name of its own. */
    struct asm_section section = {
        .name = word, .role = ASM_EXCEPTIONS, .open = ASM_NONE};
    enter_section(tracker, program, &section, (struct asm_slice){word.at, 0});
  } else if (asm_equals(text, word, ".fnend") &&
             asm_equals(text, program->sections[tracker->section].name,
                        ".handlerdata"))
    tracker->section = tracker->previous;
  else if (asm_is_listed(text, word, ".text .data .bss"))
    /* The name of the directive is the section's name. */
    enter_named_section(tracker, program, word);
  return NULL;
}

/* ==== Finds functions and labels. A function begins at a label that a .type
 * directive shortly before declares as a function, and ends at the .size
 * directive with its name. Inside a function, compilers switch to other
 * sections and back, for jump tables and cold code. */

struct asm_program_builder {
  struct asm_program *program;
  struct section_tracker tracker;
  struct asm_slice typed; /* the last name that .type called a function */
  bool thumb;
};

static void add_function_at_label(struct asm_program_builder *builder,
                                  uint32_t index) {
  struct asm_program *program = builder->program;
  struct asm_statement *label = &program->text->statements[index];
  uint32_t section = builder->tracker.section;
  struct asm_function function = {.name = label->word,
                                  .label = index,
                                  .size = ASM_NONE,
                                  .last = index,
                                  .section = section,
                                  .thumb = builder->thumb,
                                  .entry = index};
  if (label->inside)
    function.skipped = "written by hand, in file-scope assembly";
  program->sections[section].open = label->function = program->function_count;
  LIST_ADD(program->functions, program->function_count, function);
}

static void add_code_label(struct asm_program_builder *builder,
                           uint32_t index) {
  struct asm_program *program = builder->program;
  const struct asm_text *text = program->text;
  struct asm_slice name = text->statements[index].word;
  bool begins = builder->typed.size && slices_equal(text, name, builder->typed);
  if (program->sections[builder->tracker.section].role != ASM_CODE)
    return;
  if (begins) {
    builder->typed.size = 0;
    add_function_at_label(builder, index);
  }
  if (begins || asm_starts_with(text, name, ".L"))
    LIST_ADD(program->labels, program->label_count,
             (struct asm_label){
                 .name = name, .statement = index, .block = ASM_NONE});
}

static void parse_type_directive(struct asm_program_builder *builder,
                                 struct asm_slice rest) {
  const struct asm_text *text = builder->program->text;
  struct asm_slice name, type;
  if (asm_pop_operand(text, &rest, &name) &&
      asm_pop_operand(text, &rest, &type) &&
      asm_is_listed(text, type, "%function @function STT_FUNC \"function\""))
    builder->typed = name;
}

/* Ends the open function if a .size directive has the function's name. */
static void parse_size_directive(struct asm_program_builder *builder,
                                 uint32_t index) {
  struct asm_program *program = builder->program;
  struct asm_section *section = &program->sections[builder->tracker.section];
  struct asm_slice rest = program->text->statements[index].rest, name;
  if (section->open == ASM_NONE ||
      !asm_pop_operand(program->text, &rest, &name))
    return;
  struct asm_function *function = &program->functions[section->open];
  if (!slices_equal(program->text, name, function->name))
    return;
  function->size = index;
  section->open = ASM_NONE;
}

static void track_thumb_state(struct asm_program_builder *builder,
                              const struct asm_statement *at) {
  const struct asm_text *text = builder->program->text;
  if (asm_equals(text, at->word, ".code"))
    builder->thumb = asm_equals(text, at->rest, "16");
  else if (asm_is_listed(text, at->word, ".thumb .thumb_func"))
    builder->thumb = true;
  else if (asm_equals(text, at->word, ".arm"))
    builder->thumb = false;
}

static void append_statement_to_function(struct asm_program_builder *builder,
                                         uint32_t index) {
  struct asm_program *program = builder->program;
  struct asm_statement *at = &program->text->statements[index];
  uint32_t open = program->sections[builder->tracker.section].open;
  at->section = builder->tracker.section;
  if (open == ASM_NONE)
    return;
  struct asm_function *function = &program->functions[open];
  at->function = open;
  if (at->kind == ASM_NOTE && at->note == ASM_NOTE_COMPILED)
    function->compiled = program->has_notes = true;
  program->has_nested |= at->kind == ASM_NOTE && at->note == ASM_NOTE_NESTED;
  if (function->last != index)
    program->text->statements[function->last].next = index;
  function->last = index;
}

static const char *interpret_statement(struct asm_program_builder *builder,
                                       uint32_t index) {
  struct asm_program *program = builder->program;
  struct asm_statement *at = &program->text->statements[index];
  const char *error = NULL;
  if (at->kind == ASM_LABEL)
    add_code_label(builder, index);
  else if (at->kind == ASM_DIRECTIVE) {
    error = apply_section_directive(&builder->tracker, program, at);
    if (asm_equals(program->text, at->word, ".type"))
      parse_type_directive(builder, at->rest);
    else if (asm_equals(program->text, at->word, ".size"))
      parse_size_directive(builder, index);
    track_thumb_state(builder, at);
  }
  if (!error)
    append_statement_to_function(builder, index);
  return error;
}

/* ---- labels ---- */

static const struct asm_text *sorted_text; /* for compare_labels, because qsort
                                              lacks a context argument */

static int compare_names(struct asm_slice a, struct asm_slice b) {
  return compare_bytes(sorted_text->data + a.at, a.size,
                       sorted_text->data + b.at, b.size);
}

/* Compares labels. If two labels have the same name, searches find the first
 * label of the file. */
static int compare_labels(const void *a, const void *b) {
  const struct asm_label *left = a, *right = b;
  int order = compare_names(left->name, right->name);
  return order ? order : compare_numbers(left->statement, right->statement);
}

struct asm_label *asm_label_find(const struct asm_program *program,
                                 struct asm_slice name) {
  struct asm_label *labels = program->labels;
  uint32_t low = 0, high = program->label_count;
  sorted_text = program->text;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_names(labels[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == program->label_count ||
      !slices_equal(program->text, labels[low].name, name))
    return NULL;
  return labels + low;
}

const char *asm_program_build(struct asm_program *program,
                              struct asm_text *text) {
  *program = (struct asm_program){.text = text};
  struct asm_program_builder builder = {
      .program = program,
      .tracker = {.sections = {.limit = ASM_STATEMENT_LIMIT + 1}}};
  const struct asm_section first = {.role = ASM_CODE, .open = ASM_NONE};
  const char *error = NULL;
  enter_section(&builder.tracker, program, &first, (struct asm_slice){0, 0});
  for (uint32_t i = 0; i < text->count && !error; i++)
    error = interpret_statement(&builder, i);
  map_free(&builder.tracker.sections);
  sorted_text = text;
  sort_array(program->labels, program->label_count, sizeof *program->labels,
             compare_labels);
  return error;
}

void asm_program_free(struct asm_program *program) {
  free(program->sections);
  free(program->functions);
  free(program->labels);
  free(program->blocks);
  free(program->implications);
}
