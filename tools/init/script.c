/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a linker script (script.h): first all tokens, then the statements.
 * Values of expressions are computed when they are needed.
 */
#include "script.h"

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/number.h"
#include "../base/storage.h"

enum { LIST_MOST = 1 << 18, PATH_MOST = 4000, STEPS_MOST = 200 };

static bool same(struct bytes a, struct bytes b) {
  return a.size && compare_bytes(a.data, a.size, b.data, b.size) == 0;
}

const struct ld_region *script_region(const struct script *script,
                                      struct bytes name) {
  for (size_t i = 0; i < script->region_count; i++)
    if (same(script->regions[i].name, name))
      return &script->regions[i];
  return NULL;
}

struct ld_symbol *script_symbol(const struct script *script,
                                struct bytes name) {
  for (size_t i = script->symbol_count; i--;)
    if (same(script->symbols[i].name, name))
      return &script->symbols[i];
  return NULL;
}

void script_free(struct script *script) {
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

/* Appends an element to a list of the script. Returns NULL or the error. */
#define ADD(script, list, count, ...)                                         \
  ((script)->count == LIST_MOST ? "the file has too many words for a linker " \
                                  "script; check that this is the right file" \
   : !list_more(&(script)->list, (script)->count, sizeof *(script)->list)     \
       ? out_of_memory                                                        \
       : ((script)->list[(script)->count++] = __VA_ARGS__, NULL))

/* ==== Tokens: the script without comments, including the files that INCLUDE
 * names. */

static const char *add_tokens(struct script *script, struct bytes all);

/* Reads an included file from where linkers look: the path as it is, then the
 * folders of -L. */
static const char *include(struct script *script, struct bytes name) {
  struct file *file = &script->files[script->file_count];
  bool found = false, full = script->file_count == SCRIPT_FILES;
  char *path = full ? NULL : malloc(PATH_MOST);
  for (size_t i = 0; path && !found && (!i || script->folders[i - 1]); i++) {
    snprintf(path, PATH_MOST, "%s%s%.*s", i ? script->folders[i - 1] : "",
             i ? "/" : "", (int)name.size, (const char *)name.data);
    if (file_read_if(file, path, 16 << 20, &found))
      break;
  }
  if (found) {
    script->file_count++;
    return add_tokens(script, file->bytes);
  }
  free(path);
  snprintf(script->said, sizeof script->said, "it includes %.*s, %s",
           (int)name.size, (const char *)name.data,
           full ? "and so on, without an end"
                : "which cannot be read; pass its folder with -L");
  return script->said;
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
static const char *skip(const unsigned char **at, const struct bytes all) {
  const unsigned char *end = all.data + all.size;
  while (*at != end) {
    const unsigned char *p = *at;
    if (take_word(at, end, "/*")) {
      while (!take_word(at, end, "*/"))
        if (++*at >= end)
          return "a comment does not end; pass the complete script";
    } else if (*p == '#' && (p == all.data || p[-1] == '\n')) {
      if (end - p < 3 || p[1] != ' ' || digit_of(p[2]) > 9)
        return "the script needs the C preprocessor; pass the output of clang "
               "-E -P -x c (Zephyr: build/zephyr/linker.cmd)";
      while (*at != end && **at != '\n')
        ++*at;
    } else if (*p <= ' ' && *p) {
      ++*at;
    } else {
      break;
    }
  }
  return NULL;
}

static const char *add_tokens(struct script *script, struct bytes all) {
  const unsigned char *at = all.data, *end = at + all.size;
  const char *error = NULL;
  bool includes = false; /* the next token is a file name */
  while (!error && !(error = skip(&at, all)) && at != end) {
    struct bytes text = {at, token_size(at, end)};
    if (includes && *at != '"')
      while (at + text.size != end && !strchr(" \t\r\n;", at[text.size]))
        text.size++;
    at += text.size;
    if (text.size > 1 && *text.data == '"')
      text = (struct bytes){text.data + 1, text.size - 2};
    if (includes && text.size > 8 && memcmp(text.data, "bareprof", 8) == 0)
      script->has_ours = true;
    else if (includes)
      error = include(script, text);
    else if (!same(text, bytes_text("INCLUDE")))
      error = ADD(script, tokens, token_count, text);
    includes = !includes && same(text, bytes_text("INCLUDE"));
  }
  return error;
}

static struct bytes token(const struct script *script, size_t i) {
  return i < script->token_count ? script->tokens[i] : (struct bytes){NULL, 0};
}
static bool is(const struct script *script, size_t i, const char *word) {
  return same(token(script, i), bytes_text(word));
}
static bool is_name(const struct script *script, size_t i) {
  struct bytes text = token(script, i);
  return text.size && is_name_byte(*text.data);
}

/* ==== Expressions, as far as they have a value before the link. */

struct ld_expression {
  const struct script *script;
  size_t at;
  unsigned steps; /* limited, because a region's origin may refer to itself */
  bool has_length;
};
/* The value of anything that only the link decides. No real size or address is
 * so large. */
static const uint64_t unknown = UINT64_MAX;

/* Evaluates operators that bind more tightly than this rank. */
static uint64_t expression(struct ld_expression *in, unsigned rank);

static bool takes(struct ld_expression *in, const char *word) {
  bool taken = is(in->script, in->at, word);
  in->at += taken;
  return taken;
}

static uint64_t elsewhere(struct ld_expression *in, size_t at) {
  size_t back = in->at;
  in->at = at;
  uint64_t value = expression(in, 0);
  in->at = back;
  return value;
}

static uint64_t number(struct bytes text) {
  uint64_t value;
  unsigned last = text.data[text.size - 1] | 0x20u;
  bool zero = text.size > 1 && text.data[0] == '0';
  bool hex = zero && (text.data[1] | 0x20) == 'x';
  unsigned shift = last == 'k' ? 10 : last == 'm' ? 20 : 0;
  text.size -= shift != 0;
  if (hex)
    text = (struct bytes){text.data + 2, text.size - 2};
  bool is = number_in(text, hex ? 16 : zero ? 8 : 10, &value);
  return is ? value << shift : unknown;
}

/* Evaluates a symbol or a function call. */
static uint64_t named(struct ld_expression *in) {
  const struct script *script = in->script;
  size_t name = in->at++;
  struct ld_symbol *symbol = script_symbol(script, token(script, name));
  uint64_t value = unknown;
  /* A known symbol is not a function, although ( may follow: after an address
   * comes (NOLOAD). */
  if (symbol || !takes(in, "(")) {
    if (!symbol || symbol->busy || is(script, name, "."))
      return unknown;
    symbol->busy = true;
    value = elsewhere(in, symbol->value);
    symbol->busy = false;
    return value;
  }
  const struct ld_region *region = script_region(script, token(script, in->at));
  symbol = script_symbol(script, token(script, in->at));
  expression(in, 0);
  while (takes(in, ","))
    expression(in, 0);
  takes(in, ")");
  in->has_length |= is(script, name, "LENGTH");
  if (is(script, name, "DEFINED"))
    return symbol && !symbol->busy;
  if (region && is(script, name, "ORIGIN"))
    return elsewhere(in, region->origin);
  if (region && is(script, name, "LENGTH"))
    return elsewhere(in, region->length);
  return unknown;
}

/* Applies an operator. Regions and addresses in vendors' scripts use only these
 * operators; the result of all others is unknown. */
static uint64_t apply(const char *by, uint64_t x, uint64_t y) {
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

static uint64_t operand(struct ld_expression *in) {
  uint64_t value = unknown;
  if (++in->steps > STEPS_MOST)
    return unknown;
  if (takes(in, "(")) {
    value = expression(in, 0);
    takes(in, ")");
  } else if (takes(in, "-")) {
    value = apply("-", 0, operand(in));
  } else if (takes(in, "~")) {
    value = operand(in);
    value = value == unknown ? unknown : ~value;
  } else if (is_name(in->script, in->at)) {
    value = digit_of(*token(in->script, in->at).data) < 10
                ? number(token(in->script, in->at++))
                : named(in);
  }
  return value;
}

/* A higher rank binds more tightly. */
static const struct {
  char text[3];
  unsigned char rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},
                 {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},
                 {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9},  {"-", 9},
                 {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static uint64_t expression(struct ld_expression *in, unsigned rank) {
  uint64_t value = operand(in);
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].rank > rank && takes(in, operators[i].text)) {
      value =
          apply(operators[i].text, value, expression(in, operators[i].rank));
      i = (size_t)-1;
    }
  if (!rank && in->steps <= STEPS_MOST && takes(in, "?")) {
    uint64_t yes = expression(in, 0);
    takes(in, ":");
    uint64_t no = expression(in, 0);
    value = value == unknown ? unknown : value ? yes : no;
  }
  return value;
}

static uint64_t value_at(const struct script *script, size_t token,
                         bool *has_length) {
  struct ld_expression in = {.script = script, .at = token};
  uint64_t value = expression(&in, 0);
  *has_length = in.has_length;
  return value;
}

bool script_extent(const struct script *script, const struct ld_region *region,
                   uint64_t *origin, uint64_t *length) {
  bool ignored;
  *origin = region ? value_at(script, region->origin, &ignored) : unknown;
  *length = region ? value_at(script, region->length, &ignored) : unknown;
  return *origin != unknown && *length != unknown;
}

uint64_t script_to_end(const struct script *script, struct bytes region,
                       size_t token) {
  uint64_t origin, length;
  bool has_length;
  uint64_t place = value_at(script, token, &has_length);
  if (place == unknown)
    return has_length;
  if (!script_extent(script, script_region(script, region), &origin, &length))
    return 0;
  place -= origin;
  return place > length / 2 && place <= length ? length - place + 1 : 0;
}

/* ==== Statements. */

/* Reads an assignment. *i is the token of its name, and becomes the token after
 * the value. */
static const char *assignment(struct script *script, size_t *i) {
  size_t name = *i, value = name + 2, end = value;
  for (unsigned open = 0; end < script->token_count; end++) {
    if (!open &&
        (is(script, end, ")") || is(script, end, ";") || is(script, end, "}")))
      break;
    open += is(script, end, "(");
    open -= is(script, end, ")");
    /* lld rejects these functions before MEMORY. */
    script->gnu_only |= !script->region_count && (is(script, end, "ORIGIN") ||
                                                  is(script, end, "LENGTH"));
  }
  *i = end;
  return ADD(script, symbols, symbol_count,
             (struct ld_symbol){.name = token(script, name),
                                .value = value,
                                .section = script->section_count,
                                .is_name = end == value + 1 &&
                                           !is(script, value, ".")});
}

/* Reads the regions of MEMORY, from { to }: NAME (LETTERS) : ORIGIN = VALUE,
 * LENGTH = VALUE and so on. */
static const char *memory(struct script *script, size_t *at) {
  const char *error = NULL;
  size_t i = *at + 1;
  while (!error && !is(script, i, "}")) {
    struct ld_region region = {.name = token(script, i)};
    size_t *const values[] = {&region.origin, &region.length};
    bool named = is_name(script, i++);
    for (; i < script->token_count && !is(script, i, ":"); i++)
      for (size_t k = 0; k < token(script, i).size; k++)
        script->gnu_only |= strchr("iIlL", token(script, i).data[k]) != NULL;
    for (size_t k = 0; k < 2; k++) {
      while (i < script->token_count && !is(script, i, "=") &&
             !is(script, i, "}"))
        i++;
      if (!named || !is(script, i, "="))
        return "MEMORY is not a list of NAME : ORIGIN = ..., LENGTH = ...; "
               "pass a complete script for GNU ld or lld";
      struct ld_expression in = {.script = script, .at = *values[k] = i + 1};
      expression(&in, 0);
      i = in.at;
    }
    error = ADD(script, regions, region_count, region);
  }
  *at = i + 1;
  return error;
}

/* Adds an alias. Ignores an alias of a region that comes later: linkers reject
 * it, too. */
static const char *alias(struct script *script, struct bytes name,
                         struct bytes of) {
  const struct ld_region *known = script_region(script, of);
  if (!known)
    return NULL;
  struct ld_region region = {name, known->origin, known->length};
  return ADD(script, regions, region_count, region);
}

/* Reads what follows the } of an output section: > REGION AT > REGION :SEGMENT
 * =FILL. Returns the next token. */
static size_t tail(const struct script *script, size_t i,
                   struct ld_section *section) {
  while (i < script->token_count) {
    bool load = is(script, i, "AT") && is(script, i + 1, ">");
    if (load || is(script, i, ">"))
      *(load ? &section->load_region : &section->region) =
          token(script, i + load + 1);
    else if (!is(script, i, ":") && !is(script, i, "="))
      break;
    i += 2u + load;
    i += is(script, i, ",");
  }
  return i;
}

/* Adds an output section. The section's head is NAME [ADDRESS] [(TYPE)] : [AT
 * (...)], up to the {. */
static const char *head(struct script *script, size_t begin, size_t brace) {
  struct ld_section section = {.address = begin + 1};
  for (size_t i = begin; i < brace; i++)
    section.loads_at |= is(script, i, "AT") && is(script, i + 1, "(");
  return ADD(script, sections, section_count, section);
}

static void pattern(const struct script *script, size_t i) {
  struct ld_section *section = &script->sections[script->section_count - 1];
  if (is(script, i - 1, "(") &&
      (is(script, i - 2, "ADDR") || is(script, i - 2, "LOADADDR") ||
       is(script, i - 2, "SIZEOF")))
    return;
  section->has_bss |= is(script, i, ".bss") || is(script, i, ".bss.") ||
                      is(script, i, "COMMON");
  section->has_text |= is(script, i, ".text") || is(script, i, ".text.");
}

static const char *parse(struct script *script) {
  const char *error = NULL;
  unsigned depth = 0; /* open braces: 1 in SECTIONS, 2 in an output section */
  size_t begin = 0;   /* first token of the statement */
  bool named = false; /* the statement is an output section, and its colon has
                         been read */
  for (size_t i = 0; !error && i < script->token_count;) {
    bool outside = !depth && is(script, i + 1, "{");
    if (outside && is(script, i, "MEMORY")) {
      i++;
      error = memory(script, &i);
    } else if (outside && is(script, i, "SECTIONS")) {
      depth = 1;
      begin = i += 2;
    } else if (outside) {
      script->has_phdrs |= is(script, i, "PHDRS");
      while (i < script->token_count && !is(script, i++, "}"))
        ;
    } else if (is(script, i, "REGION_ALIAS")) {
      error = alias(script, token(script, i + 2), token(script, i + 4));
      i += 5;
    } else if (is_name(script, i) && is(script, i + 1, "=")) {
      error = assignment(script, &i);
    } else if (depth && is(script, i, "{")) {
      if (depth++ == 1)
        error = head(script, begin, i);
      named = false;
      i++;
    } else if (depth && is(script, i, "}")) {
      i++;
      if (--depth == 1)
        begin = i =
            tail(script, i, &script->sections[script->section_count - 1]);
    } else {
      if (depth > 1) {
        pattern(script, i);
      } else if (is(script, i, ";") ||
                 (!named && is(script, i, ")") && is_name(script, i + 1))) {
        begin = i + 1;
        named = false;
      }
      named |= is(script, i++, ":");
    }
  }
  return depth && !error
             ? "the script ends inside SECTIONS; pass the complete script"
             : error;
}

/* Notes the section's distance to the end of its region, if this address puts
 * the section near there. */
static void find_end(const struct script *script, struct ld_section *section,
                     size_t address) {
  uint64_t stack = script_to_end(script, section->region, address);
  if (section->stack < stack)
    section->stack = stack;
}

const char *script_read(struct script *script, struct bytes text) {
  const char *error = add_tokens(script, text);
  if (!error)
    error = parse(script);
  if (error)
    return error;
  if (!script->section_count && !script->has_ours)
    return "SECTIONS is missing; pass the linker script for GNU ld or lld that "
           "places your sections";
  for (size_t i = 0; i < script->token_count; i++) {
    script->has_preinit |= is(script, i, "__preinit_array_start");
    script->gnu_only |=
        is(script, i, "READONLY") || is(script, i, "ALIGN_WITH_INPUT");
  }
  for (size_t i = 0; i < script->section_count; i++)
    find_end(script, &script->sections[i], script->sections[i].address);
  for (size_t i = 0; i < script->symbol_count; i++) {
    const struct ld_symbol *symbol = &script->symbols[i];
    if (same(symbol->name, bytes_text(".")) && symbol->section)
      find_end(script, &script->sections[symbol->section - 1], symbol->value);
  }
  return NULL;
}
