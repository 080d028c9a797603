/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a linker script (linker_script.h): first all tokens, then the
 * statements. Values of expressions are computed when they are needed.
 */
#include "linker_script.h"

#include <stdlib.h>

#include "../base/catch.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../base/number.h"

enum { TOKENS_MOST = 1 << 18, PATH_MOST = 4000, STEPS_MOST = 200 };

static bool is_same_text(struct bytes a, struct bytes b) {
  return a.size && compare_bytes(a.data, a.size, b.data, b.size) == 0;
}

const struct ld_region *script_find_region(const struct linker_script *script,
                                           struct bytes name) {
  for (size_t i = 0; i < script->region_count; i++)
    if (is_same_text(script->regions[i].name, name))
      return &script->regions[i];
  return NULL;
}

struct ld_symbol *script_find_symbol(const struct linker_script *script,
                                     struct bytes name) {
  for (size_t i = script->symbol_count; i--;)
    if (is_same_text(script->symbols[i].name, name))
      return &script->symbols[i];
  return NULL;
}

void script_free(struct linker_script *script) {
  while (script->file_count) {
    struct file *file = &script->files[--script->file_count];
    free((char *)file->name);
    file_close(file);
  }
  free(script->tokens);
  free(script->regions);
  free(script->sections);
  free(script->symbols);
}

/* ==== Tokens: the script without comments, including the files that INCLUDE
 * names. */

static void append_script_tokens(struct linker_script *script,
                                 struct bytes all);

/* Reads an included file from where linkers look: the path as it is, then the
 * folders of -L. */
static void include_script(struct linker_script *script, struct bytes name) {
  struct file *file = &script->files[script->file_count];
  bool found = false, full = script->file_count == SCRIPT_FILES;
  char *path = full ? NULL : need_memory(malloc(PATH_MOST));
  for (size_t i = 0; path && !found && (!i || script->folders[i - 1]); i++) {
    snprintf(path, PATH_MOST, "%s%s%.*s", i ? script->folders[i - 1] : "",
             i ? "/" : "", (int)name.size, (const char *)name.data);
    if (file_read_if_exists(file, path, 16 << 20, &found))
      break;
  }
  if (found) {
    script->file_count++;
    append_script_tokens(script, file->bytes);
    return;
  }
  free(path);
  snprintf(script->said, sizeof script->said, "the script includes %.*s, %s",
           (int)name.size, (const char *)name.data,
           full ? "and so on, without an end"
                : "which cannot be read; pass its folder with -L");
  raise_error(script->said);
}

static bool is_name_byte(unsigned char byte) {
  const char text[] = {(char)byte, '\0'};
  return byte && name_is_plain(text);
}

/* Returns the size of a token, including quotes. */
static size_t token_size(const unsigned char *at, const unsigned char *end) {
  size_t size = 1, room = (size_t)(end - at);
  if (*at == '"') {
    while (size < room && at[size] != '"')
      size++;
    return size + (size < room);
  }
  if (is_name_byte(*at)) {
    while (size < room && is_name_byte(at[size]))
      size++;
    return size;
  }
  bool pair = room > 1 && *at &&
              ((at[1] == '=' && strchr("=!<>+-*/&|", *at)) ||
               (at[1] == *at && strchr("<>&|", *at)));
  return 1u + pair;
}

/* Skips blanks, comments, and the line markers of a preprocessor. */
static const unsigned char *skip_to_token(const unsigned char *at,
                                          const struct bytes all) {
  const unsigned char *end = all.data + all.size;
  while (at != end) {
    if (skip_prefix(&at, end, "/*")) {
      while (!skip_prefix(&at, end, "*/"))
        if (++at >= end)
          raise_error("a comment does not end; pass the complete script");
    } else if (*at == '#' && (at == all.data || at[-1] == '\n')) {
      if (end - at < 3 || at[1] != ' ' || digit_value(at[2]) > 9)
        raise_error("the script needs the C preprocessor; pass the output of "
                    "clang -E -P -x c (Zephyr: build/zephyr/linker.cmd)");
      while (at != end && *at != '\n')
        at++;
    } else if (*at <= ' ' && *at) {
      at++;
    } else {
      break;
    }
  }
  return at;
}

static void append_script_tokens(struct linker_script *script,
                                 struct bytes all) {
  const unsigned char *at = all.data, *end = at + all.size;
  bool includes = false; /* the next token is a file name */
  while ((at = skip_to_token(at, all)) != end) {
    struct bytes text = {at, token_size(at, end)};
    if (includes && *at != '"')
      while (at + text.size != end && !strchr(" \t\r\n;", at[text.size]))
        text.size++;
    at += text.size;
    if (text.size > 1 && *text.data == '"')
      text = (struct bytes){text.data + 1, text.size - 2};
    bool include = is_same_text(text, bytes_of_text("INCLUDE"));
    if (includes && text.size > 8 && memcmp(text.data, "bareprof", 8) == 0)
      script->has_ours = true;
    else if (includes)
      include_script(script, text);
    else if (script->token_count == TOKENS_MOST)
      raise_error("the file has too many words for a linker script; check that "
                  "this is the right file");
    else if (!include)
      LIST_ADD(script->tokens, script->token_count, text);
    includes = !includes && include;
  }
}

static struct bytes token_at(const struct linker_script *script, size_t i) {
  return i < script->token_count ? script->tokens[i] : (struct bytes){NULL, 0};
}
static bool token_is(const struct linker_script *script, size_t i,
                     const char *word) {
  return is_same_text(token_at(script, i), bytes_of_text(word));
}
static bool is_name_token(const struct linker_script *script, size_t i) {
  struct bytes text = token_at(script, i);
  return text.size && is_name_byte(*text.data);
}

/* Returns the first token from i on that is one of these characters, or the
 * number of tokens. */
static size_t find_token(const struct linker_script *script, size_t i,
                         const char *characters) {
  while (i < script->token_count &&
         !(script->tokens[i].size == 1 &&
           strchr(characters, *script->tokens[i].data)))
    i++;
  return i;
}

/* ==== Expressions, as far as they have a value before the link. */

struct ld_expression_reader {
  const struct linker_script *script;
  size_t at;
  unsigned steps; /* limited, because a region's origin may refer to itself */
  bool has_length;
};
/* The value of anything that only the link decides. No real size or address is
 * so large. */
static const uint64_t unknown = UINT64_MAX;

/* Evaluates an expression, as far as its operators bind more tightly than this
 * rank. */
static uint64_t evaluate_expression(struct ld_expression_reader *in,
                                    unsigned rank);

static bool skip_token(struct ld_expression_reader *in, const char *word) {
  bool is = token_is(in->script, in->at, word);
  in->at += is;
  return is;
}

static uint64_t evaluate_at_token(struct ld_expression_reader *in, size_t at) {
  size_t back = in->at;
  in->at = at;
  uint64_t value = evaluate_expression(in, 0);
  in->at = back;
  return value;
}

static uint64_t parse_number(struct bytes text) {
  uint64_t value;
  unsigned last = text.data[text.size - 1] | 0x20u;
  bool zero = text.size > 1 && text.data[0] == '0';
  bool hex = zero && (text.data[1] | 0x20) == 'x';
  unsigned shift = last == 'k' ? 10 : last == 'm' ? 20 : 0;
  text.size -= shift != 0;
  if (hex)
    text = (struct bytes){text.data + 2, text.size - 2};
  return parse_number_in_base(text,
                              hex    ? 16
                              : zero ? 8
                                     : 10,
                              &value)
             ? value << shift
             : unknown;
}

/* Evaluates a symbol or a function call. */
static uint64_t evaluate_name(struct ld_expression_reader *in) {
  const struct linker_script *script = in->script;
  size_t name = in->at++;
  struct ld_symbol *symbol = script_find_symbol(script, token_at(script, name));
  /* A known symbol is not a function, although ( may follow: after an address
   * comes (NOLOAD). */
  if (symbol || !skip_token(in, "(")) {
    if (!symbol || symbol->busy || token_is(script, name, "."))
      return unknown;
    symbol->busy = true;
    uint64_t value = evaluate_at_token(in, symbol->value);
    symbol->busy = false;
    return value;
  }
  const struct ld_region *region =
      script_find_region(script, token_at(script, in->at));
  symbol = script_find_symbol(script, token_at(script, in->at));
  do
    evaluate_expression(in, 0);
  while (skip_token(in, ","));
  skip_token(in, ")");
  in->has_length |= token_is(script, name, "LENGTH");
  if (token_is(script, name, "DEFINED"))
    return symbol && !symbol->busy;
  if (region && token_is(script, name, "ORIGIN"))
    return evaluate_at_token(in, region->origin);
  if (region && token_is(script, name, "LENGTH"))
    return evaluate_at_token(in, region->length);
  return unknown;
}

/* Applies an operator. Regions and addresses in vendors' scripts use only these
 * operators; the result of all others is unknown. */
static uint64_t apply_operator(const char *by, uint64_t x, uint64_t y) {
  if (x == unknown || y == unknown)
    return unknown;
  if (strcmp(by, "<<") == 0)
    return y < 64 ? x << y : unknown;
  if (by[1] || (*by == '/' && !y))
    return unknown;
  return *by == '|'   ? x | y
         : *by == '&' ? x & y
         : *by == '+' ? x + y
         : *by == '-' ? x - y
         : *by == '*' ? x * y
         : *by == '/' ? x / y
                      : unknown;
}

static uint64_t evaluate_operand(struct ld_expression_reader *in) {
  uint64_t value = unknown;
  struct bytes text = token_at(in->script, in->at);
  if (++in->steps > STEPS_MOST)
    return unknown;
  if (skip_token(in, "(")) {
    value = evaluate_expression(in, 0);
    skip_token(in, ")");
  } else if (skip_token(in, "-")) {
    value = apply_operator("-", 0, evaluate_operand(in));
  } else if (skip_token(in, "~")) {
    value = evaluate_operand(in);
    value = value == unknown ? unknown : ~value;
  } else if (is_name_token(in->script, in->at)) {
    bool digit = digit_value(*text.data) < 10;
    in->at += digit;
    value = digit ? parse_number(text) : evaluate_name(in);
  }
  return value;
}

/* A higher rank binds more tightly. */
static const struct ld_operator {
  char text[3];
  unsigned char rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},
                 {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},
                 {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9},  {"-", 9},
                 {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static uint64_t evaluate_expression(struct ld_expression_reader *in,
                                    unsigned rank) {
  uint64_t value = evaluate_operand(in);
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].rank > rank && skip_token(in, operators[i].text)) {
      value = apply_operator(operators[i].text, value,
                             evaluate_expression(in, operators[i].rank));
      i = (size_t)-1;
    }
  if (!rank && in->steps <= STEPS_MOST && skip_token(in, "?")) {
    uint64_t yes = evaluate_expression(in, 0);
    skip_token(in, ":");
    uint64_t no = evaluate_expression(in, 0);
    value = value == unknown ? unknown : value ? yes : no;
  }
  return value;
}

bool script_region_extent(const struct linker_script *script,
                          const struct ld_region *region, uint64_t *origin,
                          uint64_t *length) {
  struct ld_expression_reader in = {.script = script}, in_length = in;
  *origin = region ? evaluate_at_token(&in, region->origin) : unknown;
  *length = region ? evaluate_at_token(&in_length, region->length) : unknown;
  return *origin != unknown && *length != unknown;
}

uint64_t script_distance_to_end(const struct linker_script *script,
                                struct bytes region, size_t token) {
  struct ld_expression_reader in = {.script = script};
  uint64_t origin, length, place = evaluate_at_token(&in, token);
  if (place == unknown)
    return in.has_length;
  if (!script_region_extent(script, script_find_region(script, region), &origin,
                            &length))
    return 0;
  place -= origin;
  return place > length / 2 && place <= length ? length - place + 1 : 0;
}

/* ==== Statements. */

/* Reads an assignment, whose name is token i. Returns the token after the
 * value. */
static size_t parse_assignment(struct linker_script *script, size_t i) {
  size_t value = i + 2, end = value;
  for (unsigned open = 0; end < script->token_count; end++) {
    if (!open && find_token(script, end, ");}") == end)
      break;
    open += token_is(script, end, "(");
    open -= token_is(script, end, ")");
    /* lld rejects these functions before MEMORY. */
    script->gnu_only |=
        !script->region_count &&
        (token_is(script, end, "ORIGIN") || token_is(script, end, "LENGTH"));
  }
  const struct ld_symbol symbol = {.name = token_at(script, i),
                                   .value = value,
                                   .section = script->section_count,
                                   .is_name = end == value + 1 &&
                                              !token_is(script, value, ".")};
  LIST_ADD(script->symbols, script->symbol_count, symbol);
  return end;
}

/* Reads the regions of MEMORY, from the { on: NAME (LETTERS) : ORIGIN = VALUE,
 * LENGTH = VALUE and so on. Returns the token after the }. */
static size_t parse_memory(struct linker_script *script, size_t i) {
  for (i++; !token_is(script, i, "}");) {
    struct ld_region region = {.name = token_at(script, i)};
    size_t *const values[] = {&region.origin, &region.length};
    size_t colon = find_token(script, i + 1, ":");
    bool named = is_name_token(script, i++);
    for (; i < colon; i++)
      for (size_t k = 0; k < token_at(script, i).size; k++)
        script->gnu_only |= strchr("iIlL", token_at(script, i).data[k]) != NULL;
    for (size_t k = 0; k < 2; k++) {
      i = find_token(script, i, "=}");
      if (!named || !token_is(script, i, "="))
        raise_error("MEMORY is not a list of NAME : ORIGIN = ..., LENGTH = "
                    "...; pass a complete script for GNU ld or lld");
      struct ld_expression_reader in = {.script = script,
                                        .at = *values[k] = i + 1};
      evaluate_expression(&in, 0);
      i = in.at;
    }
    LIST_ADD(script->regions, script->region_count, region);
  }
  return i + 1;
}

/* Adds an alias. Ignores an alias of a region that comes later: linkers reject
 * it, too. */
static void add_alias(struct linker_script *script, struct bytes name,
                      struct bytes of) {
  const struct ld_region *known = script_find_region(script, of);
  if (!known)
    return;
  struct ld_region region = {name, known->origin, known->length};
  LIST_ADD(script->regions, script->region_count, region);
}

/* Reads what follows the } of an output section: > REGION AT > REGION :SEGMENT
 * =FILL. Returns the next token. */
static size_t parse_section_tail(const struct linker_script *script, size_t i) {
  struct ld_section *section = &script->sections[script->section_count - 1];
  for (; i < script->token_count; i += token_is(script, i, ",")) {
    bool load = token_is(script, i, "AT") && token_is(script, i + 1, ">");
    if (load || token_is(script, i, ">"))
      *(load ? &section->load_region : &section->region) =
          token_at(script, i + load + 1);
    else if (!token_is(script, i, ":") && !token_is(script, i, "="))
      break;
    i += 2u + load;
  }
  return i;
}

/* Adds an output section. The section's head is NAME [ADDRESS] [(TYPE)] : [AT
 * (...)], up to the {. */
static void add_section(struct linker_script *script, size_t begin,
                        size_t brace) {
  struct ld_section section = {.address = begin + 1};
  for (size_t i = begin; i < brace; i++)
    section.loads_at |=
        token_is(script, i, "AT") && token_is(script, i + 1, "(");
  LIST_ADD(script->sections, script->section_count, section);
}

static void parse_input_pattern(const struct linker_script *script, size_t i) {
  struct ld_section *section = &script->sections[script->section_count - 1];
  if (token_is(script, i - 1, "(") &&
      (token_is(script, i - 2, "ADDR") || token_is(script, i - 2, "LOADADDR") ||
       token_is(script, i - 2, "SIZEOF")))
    return;
  section->has_bss |= token_is(script, i, ".bss") ||
                      token_is(script, i, ".bss.") ||
                      token_is(script, i, "COMMON");
  section->has_text |=
      token_is(script, i, ".text") || token_is(script, i, ".text.");
}

static void parse_statements(struct linker_script *script) {
  unsigned depth = 0; /* open braces: 1 in SECTIONS, 2 in an output section */
  size_t begin = 0;   /* first token of the statement */
  bool named = false; /* the statement is an output section, and its colon has
                         been read */
  for (size_t i = 0; i < script->token_count;) {
    bool outside = !depth && token_is(script, i + 1, "{");
    if (outside && token_is(script, i, "MEMORY")) {
      i = parse_memory(script, i + 1);
    } else if (outside && token_is(script, i, "SECTIONS")) {
      depth = 1;
      begin = i += 2;
    } else if (outside) {
      script->has_phdrs |= token_is(script, i, "PHDRS");
      i = find_token(script, i, "}") + 1;
    } else if (token_is(script, i, "REGION_ALIAS")) {
      add_alias(script, token_at(script, i + 2), token_at(script, i + 4));
      i += 5;
    } else if (is_name_token(script, i) && token_is(script, i + 1, "=")) {
      i = parse_assignment(script, i);
    } else if (depth && token_is(script, i, "{")) {
      if (depth++ == 1)
        add_section(script, begin, i);
      named = false;
      i++;
    } else if (depth && token_is(script, i, "}")) {
      i++;
      if (--depth == 1)
        begin = i = parse_section_tail(script, i);
    } else {
      if (depth > 1) {
        parse_input_pattern(script, i);
      } else if (token_is(script, i, ";") ||
                 (!named && token_is(script, i, ")") &&
                  is_name_token(script, i + 1))) {
        begin = i + 1;
        named = false;
      }
      named |= token_is(script, i++, ":");
    }
  }
  if (depth)
    raise_error("the script ends inside SECTIONS; pass the complete script");
}

/* Notes the distance of section `number` to the end of its region, if this
 * address puts the section near there. */
static void note_stack_distance(struct linker_script *script, size_t number,
                                size_t address) {
  struct ld_section *section = &script->sections[number];
  uint64_t stack = script_distance_to_end(script, section->region, address);
  if (section->stack < stack)
    section->stack = stack;
}

static void parse_script(void *context) {
  struct linker_script *script = context;
  append_script_tokens(script, script->text);
  parse_statements(script);
  if (!script->section_count && !script->has_ours)
    raise_error("SECTIONS is missing; pass the linker script for GNU ld or lld "
                "that places your sections");
  for (size_t i = 0; i < script->token_count; i++) {
    script->has_preinit |= token_is(script, i, "__preinit_array_start");
    script->gnu_only |= token_is(script, i, "READONLY") ||
                        token_is(script, i, "ALIGN_WITH_INPUT");
  }
  for (size_t i = 0; i < script->section_count; i++)
    note_stack_distance(script, i, script->sections[i].address);
  for (size_t i = 0; i < script->symbol_count; i++) {
    const struct ld_symbol *symbol = &script->symbols[i];
    if (is_same_text(symbol->name, bytes_of_text(".")) && symbol->section)
      note_stack_distance(script, symbol->section - 1, symbol->value);
  }
}

const char *script_parse(struct linker_script *script, struct bytes text) {
  script->text = text;
  return catch_error(parse_script, script);
}
