/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "script.h"

#include <stdlib.h>

#include "../base/error.h"
#include "../base/number.h"
#include "../base/os.h"
#include "../base/storage.h"

enum { NESTED_MOST = 8, SIZE_MOST = 16 << 20, LIST_MOST = 1 << 18 };

bool token_is(struct bytes text, const char *word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool same(struct bytes a, struct bytes b) {
  return a.size == b.size && a.size && memcmp(a.data, b.data, a.size) == 0;
}

const struct ld_region *script_region(const struct script *script,
                                      struct bytes name) {
  for (unsigned depth = 0; depth < NESTED_MOST; depth++) {
    size_t i = 0;
    while (i < script->region_count && !same(script->regions[i].name, name))
      i++;
    if (i == script->region_count)
      return NULL;
    if (!script->regions[i].alias_of.size)
      return &script->regions[i];
    name = script->regions[i].alias_of;
  }
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
  for (size_t i = 1; i < script->file_count; i++) {
    free((char *)script->files[i]->name);
    file_close(script->files[i]);
    free(script->files[i]);
  }
  free(script->tokens);
  free(script->regions);
  free(script->sections);
  free(script->symbols);
}

/* Lists grow by one, up to a limit. */
#define ADD(script, list, count, ...)                                     \
  ((script)->count == LIST_MOST                                           \
       ? "it has too many words; is it a linker script?"                  \
   : !list_more(&(script)->list, (script)->count, sizeof *(script)->list) \
       ? out_of_memory                                                    \
       : ((script)->list[(script)->count++] = __VA_ARGS__, NULL))

/* ==== Tokens: without comments, with the files that INCLUDE names. */

static const char *add_tokens(struct script *script, const struct file *file,
                              unsigned depth);

/* Opens a file as it is, beside the script that names it, or in a folder. */
static const char *include(struct script *script, const struct file *from,
                           struct bytes name, unsigned depth) {
  int beside = (int)(os_base(from->name) - from->name);
  struct file *file = calloc(1, sizeof *file);
  char *path = malloc(PRIVATE_FOLDER);
  bool found = false;
  for (size_t i = 0; file && path && !found; i++) {
    const char *folder = i > 1 ? script->folders[i - 2] : "";
    if (!folder)
      break;
    snprintf(path, PRIVATE_FOLDER, "%.*s%s%s%.*s", i == 1 ? beside : 0,
             from->name, folder, i > 1 ? "/" : "", (int)name.size,
             (const char *)name.data);
    if (file_read_if(file, path, SIZE_MOST, &found))
      break;
  }
  if (found && depth < NESTED_MOST && script->file_count < 64) {
    script->files[script->file_count++] = file;
    return add_tokens(script, file, depth + 1);
  }
  if (found)
    file_close(file);
  if (path)
    snprintf(path, PRIVATE_FOLDER, "%.*s", (int)name.size,
             (const char *)name.data);
  char shown[200] = "";
  snprintf(script->said, sizeof script->said, "it includes %s, %s",
           path ? printable(shown, sizeof shown, path) : "a file",
           found ? "and so on, without an end"
                 : "which cannot be read; give its folder with -L");
  free(path);
  free(file);
  return script->said;
}

static bool is_name_byte(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' ||
         byte == '$';
}

/* The size of a token, with quotes. */
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

/* Moves behind blanks, comments, and the marks of lines that a preprocessor
 * leaves. */
static const char *skip(const unsigned char **at, const struct bytes all) {
  const unsigned char *end = all.data + all.size;
  while (*at != end) {
    const unsigned char *p = *at;
    if (take_word(at, end, "/*")) {
      while (!take_word(at, end, "*/"))
        if (++*at >= end)
          return "a comment does not end; is it complete?";
    } else if (*p == '#' && (p == all.data || p[-1] == '\n')) {
      if (end - p < 3 || p[1] != ' ' || digit_of(p[2]) > 9)
        return "it is for the C preprocessor; give what that makes of it "
               "(clang -E -P -x c; Zephyr: build/zephyr/linker.cmd)";
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

static const char *add_tokens(struct script *script, const struct file *file,
                              unsigned depth) {
  const unsigned char *at = file->bytes.data, *end = at + file->bytes.size;
  const char *error = NULL;
  while (!error && !(error = skip(&at, file->bytes)) && at != end) {
    struct bytes text = {at, token_size(at, end)};
    at += text.size;
    if (token_is(text, "INCLUDE")) {
      error = skip(&at, file->bytes);
      bool quoted = at != end && *at == '"';
      at += quoted;
      for (text.data = at;
           at != end && !strchr(quoted ? "\"" : " \t\r\n;", *at);)
        at++;
      text.size = (size_t)(at - text.data);
      at += quoted && at != end;
      if (text.size > 8 && memcmp(text.data, "bareprof", 8) == 0)
        script->has_ours = true;
      else if (!error)
        error = include(script, file, text, depth);
      continue;
    }
    script->has_preinit |= token_is(text, "__preinit_array_start");
    if (!script->for_lld &&
        (token_is(text, "READONLY") || token_is(text, "ALIGN_WITH_INPUT")))
      script->for_lld = file;
    if (text.size > 1 && *text.data == '"')
      text = (struct bytes){text.data + 1, text.size - 2};
    error = ADD(script, tokens, token_count, (struct ld_token){text, file});
  }
  return error;
}

static struct bytes token(const struct script *script, size_t i) {
  return i < script->token_count ? script->tokens[i].text
                                 : (struct bytes){NULL, 0};
}
static bool is(const struct script *script, size_t i, const char *word) {
  return token_is(token(script, i), word);
}
static bool is_name(const struct script *script, size_t i) {
  struct bytes text = token(script, i);
  return text.size && is_name_byte(*text.data);
}

/* ==== Expressions, as far as they are known before the link. */

/* Symbols may name each other: both are bounded. */
struct ld_expression {
  const struct script *script;
  size_t at;
  unsigned depth, *steps;
};
struct ld_number {
  bool is;
  uint64_t value;
};
static const struct ld_number unknown = {false, 0};

/* Of operators that are stronger than this rank. */
static struct ld_number expression(struct ld_expression *in, unsigned rank);
enum { UNARY = 10 };

static bool takes(struct ld_expression *in, const char *word) {
  bool taken = is(in->script, in->at, word);
  in->at += taken;
  return taken;
}

static struct ld_number elsewhere(const struct ld_expression *in, size_t at) {
  struct ld_expression other = {in->script, at, in->depth, in->steps};
  return expression(&other, 0);
}

static struct ld_number number(struct bytes text) {
  struct ld_number number = {true, 0};
  unsigned last = text.data[text.size - 1] | 0x20u;
  bool zero = text.size > 1 && text.data[0] == '0';
  bool hex = zero && (text.data[1] | 0x20) == 'x';
  unsigned shift = last == 'k' ? 10 : last == 'm' ? 20 : 0;
  text.size -= shift != 0;
  if (hex)
    text = (struct bytes){text.data + 2, text.size - 2};
  number.is = number_in(text, hex ? 16 : zero ? 8 : 10, &number.value);
  number.value <<= shift;
  return number;
}

/* What a name stands for, or the call of a function. */
static struct ld_number named(struct ld_expression *in) {
  const struct script *script = in->script;
  struct bytes name = token(script, in->at++), inner;
  struct ld_symbol *symbol = script_symbol(script, name);
  struct ld_number value;
  /* A symbol is no function: behind an address, (NOLOAD) may follow. */
  if (symbol || !takes(in, "(")) {
    if (!symbol || symbol->busy || token_is(name, "."))
      return unknown;
    symbol->busy = true;
    value = elsewhere(in, symbol->value);
    symbol->busy = false;
    return value;
  }
  inner = token(script, in->at);
  value = expression(in, 0);
  while (takes(in, ","))
    expression(in, 0);
  takes(in, ")");
  const struct ld_region *region = script_region(script, inner);
  symbol = script_symbol(script, inner);
  if (token_is(name, "DEFINED"))
    return (struct ld_number){true, symbol && !symbol->busy};
  if (region && token_is(name, "ORIGIN"))
    return elsewhere(in, region->origin);
  if (region && token_is(name, "LENGTH"))
    return elsewhere(in, region->length);
  return token_is(name, "ABSOLUTE") ? value : unknown;
}

static struct ld_number operand(struct ld_expression *in) {
  struct ld_number value;
  if (takes(in, "(")) {
    value = expression(in, 0);
    takes(in, ")");
  } else if (takes(in, "-")) {
    value = expression(in, UNARY);
    value.value = 0 - value.value;
  } else if (takes(in, "~")) {
    value = expression(in, UNARY);
    value.value = ~value.value;
  } else if (!is_name(in->script, in->at)) {
    return unknown;
  } else if (digit_of(*token(in->script, in->at).data) < 10) {
    value = number(token(in->script, in->at++));
  } else {
    value = named(in);
  }
  return value;
}

/* By rank. Of comparisons nothing is known. */
static const struct {
  char text[3];
  unsigned char rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},
                 {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},
                 {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9},  {"-", 9},
                 {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static struct ld_number apply(const char *by, struct ld_number a,
                              struct ld_number b) {
  struct ld_number result = {a.is && b.is, 0};
  uint64_t x = a.value, y = b.value;
  if (strcmp(by, "<<") == 0 && y < 64)
    result.value = x << y;
  else if (strcmp(by, "+") == 0)
    result.value = x + y;
  else if (strcmp(by, "-") == 0)
    result.value = x - y;
  else if (strcmp(by, "*") == 0)
    result.value = x * y;
  else if (strcmp(by, "/") == 0 && y)
    result.value = x / y;
  else if (strcmp(by, "&") == 0)
    result.value = x & y;
  else if (strcmp(by, "|") == 0)
    result.value = x | y;
  else
    result.is = false;
  return result;
}

static struct ld_number expression(struct ld_expression *in, unsigned rank) {
  if (in->depth > 40 || ++*in->steps > 1000)
    return unknown;
  in->depth++;
  struct ld_number value = operand(in);
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].rank > rank && takes(in, operators[i].text)) {
      value =
          apply(operators[i].text, value, expression(in, operators[i].rank));
      i = (size_t)-1;
    }
  if (!rank && takes(in, "?")) {
    struct ld_number yes = expression(in, 0);
    takes(in, ":");
    struct ld_number no = expression(in, 0);
    value = !value.is ? unknown : value.value ? yes : no;
  }
  in->depth--;
  return value;
}

/* The value from a token on, which moves behind the expression. */
static bool value_at(const struct script *script, size_t *at, uint64_t *value) {
  unsigned steps = 0;
  struct ld_expression in = {script, *at, 0, &steps};
  struct ld_number result = expression(&in, 0);
  *at = in.at;
  *value = result.value;
  return result.is;
}

bool script_value(const struct script *script, size_t token, uint64_t *value) {
  return value_at(script, &token, value);
}

bool script_is_end(const struct script *script, size_t token) {
  size_t end = token;
  uint64_t value;
  bool known = value_at(script, &end, &value);
  while (token < end && !is(script, token, "LENGTH"))
    token++;
  return !known && token < end;
}

bool script_extent(const struct script *script, const struct ld_region *region,
                   uint64_t *origin, uint64_t *length) {
  return region && script_value(script, region->origin, origin) &&
         script_value(script, region->length, length);
}

/* ==== Statements. */

/* To the next one of two words, or to the end. */
static size_t find(const struct script *script, size_t i, const char *word,
                   const char *other) {
  while (i < script->token_count && !is(script, i, word) &&
         !is(script, i, other))
    i++;
  return i;
}

static bool names_size(struct bytes text) {
  for (size_t i = 0; i + 4 <= text.size; i++)
    if ((text.data[i] | 0x20) == 's' && (text.data[i + 1] | 0x20) == 'i' &&
        (text.data[i + 2] | 0x20) == 'z' && (text.data[i + 3] | 0x20) == 'e')
      return true;
  return false;
}

/* An assignment: *i is its name; then what follows it. for-lld.awk has the same
 * rules: a region before MEMORY; in a section, a size as a place. */
static const char *assignment(struct script *script, size_t *i,
                              unsigned depth) {
  size_t name = *i, value = name + 2, end = value;
  bool size = false, regions = false;
  for (unsigned open = 0; end < script->token_count; end++) {
    if (!open &&
        (is(script, end, ")") || is(script, end, ";") || is(script, end, "}")))
      break;
    open += is(script, end, "(");
    open -= is(script, end, ")");
    size |= names_size(token(script, end));
    regions |= is(script, end, "ORIGIN") || is(script, end, "LENGTH");
  }
  *i = end;
  bool place = is(script, name, ".");
  if (!script->for_lld &&
      ((regions && !script->region_count) ||
       (size && place && depth > 1 && !is(script, value, ".") &&
        !is(script, value, "ALIGN") && !is(script, value, "ABSOLUTE") &&
        !is(script, value, "ADDR") && !is(script, value, "ORIGIN"))))
    script->for_lld = script->tokens[name].file;
  return ADD(
      script, symbols, symbol_count,
      (struct ld_symbol){token(script, name), value, script->section_count,
                         end == value + 1 && !is(script, value, "."), false});
}

/* NAME (LETTERS) : ORIGIN = VALUE, LENGTH = VALUE and so on, from { to }. */
static const char *memory(struct script *script, size_t *i) {
  const char *error = NULL;
  for (++*i; !error && !is(script, *i, "}");) {
    struct ld_region region = {.name = token(script, *i)};
    for (++*i; *i < script->token_count && !is(script, *i, ":"); ++*i)
      for (size_t k = 0; k < token(script, *i).size && !script->for_lld; k++)
        if (strchr("iIlL", token(script, *i).data[k]))
          script->for_lld = script->tokens[*i].file;
    size_t *const values[] = {&region.origin, &region.length};
    for (size_t k = 0; k < 2; k++) {
      uint64_t value;
      *i = *values[k] = find(script, *i, "=", "}") + 1;
      if (!is(script, *i - 1, "=") || !is_name_byte(*region.name.data))
        return "its MEMORY is not NAME : ORIGIN = ..., LENGTH = ...; is it a "
               "complete script of GNU ld?";
      value_at(script, i, &value);
    }
    error = ADD(script, regions, region_count, region);
  }
  ++*i;
  return error;
}

/* What stands behind the } of an output section: > REGION AT > REGION :SEGMENT
 * =FILL. */
static size_t tail(const struct script *script, size_t i,
                   struct ld_section *section) {
  for (;;)
    if (is(script, i, ">")) {
      section->region = token(script, i + 1);
      i += 2;
    } else if (is(script, i, "AT") && is(script, i + 1, ">")) {
      section->load_region = token(script, i + 2);
      i += 3;
    } else if (is(script, i, ":") || is(script, i, "=") || is(script, i, ",")) {
      i += is(script, i, ",") ? 1 : 2;
    } else {
      return i;
    }
}

/* The head of an output section, up to {: NAME [ADDRESS] [(TYPE)] : [AT (...)]
 */
static const char *head(struct script *script, size_t begin, size_t brace) {
  struct ld_section section = {.address = begin + 1};
  for (size_t i = begin; i < brace; i++)
    section.loads_at |= is(script, i, "AT") && is(script, i + 1, "(");
  return ADD(script, sections, section_count, section);
}

static void pattern(struct script *script, size_t i) {
  if (is(script, i - 1, "(") &&
      (is(script, i - 2, "ADDR") || is(script, i - 2, "LOADADDR") ||
       is(script, i - 2, "SIZEOF")))
    return;
  struct ld_section *section = &script->sections[script->section_count - 1];
  section->has_bss |= is(script, i, ".bss") || is(script, i, ".bss.") ||
                      is(script, i, "COMMON");
  section->has_text |= is(script, i, ".text") || is(script, i, ".text.");
}

static const char *parse(struct script *script) {
  const char *error = NULL;
  unsigned depth = 0; /* of braces: 1 in SECTIONS, 2 in an output section */
  size_t begin = 0;   /* of the statement */
  bool named = false; /* That is a section, and its name is complete. */
  for (size_t i = 0; !error && i < script->token_count;) {
    bool outside = !depth && is(script, i + 1, "{");
    if (outside && is(script, i, "MEMORY")) {
      i++;
      error = memory(script, &i);
    } else if (outside && is(script, i, "SECTIONS")) {
      script->has_sections = true;
      depth = 1;
      begin = i += 2;
    } else if (outside) {
      script->has_phdrs |= is(script, i, "PHDRS");
      i = find(script, i, "}", "}") + 1;
    } else if (is(script, i, "REGION_ALIAS")) {
      error = ADD(script, regions, region_count,
                  (struct ld_region){.name = token(script, i + 2),
                                     .alias_of = token(script, i + 4)});
      i += 5;
    } else if (is_name(script, i) && is(script, i + 1, "=")) {
      error = assignment(script, &i, depth);
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
  return error   ? error
         : depth ? "it ends inside SECTIONS; is it complete?"
                 : NULL;
}

/* The bytes from a place in a section up to the end of the region; 0: that is
 * none at the end. */
static uint64_t to_end(const struct script *script,
                       const struct ld_section *section, size_t address) {
  uint64_t origin, length, place;
  if (!script_value(script, address, &place) ||
      !script_extent(script, script_region(script, section->region), &origin,
                     &length))
    return script_is_end(script, address);
  place -= origin;
  return place <= length / 2 || place > length ? 0 : length - place + 1;
}

/* Sections that an address puts into the end of their region. */
static void find_ends(struct script *script) {
  for (size_t i = 0; i < script->section_count; i++) {
    struct ld_section *section = &script->sections[i];
    section->stack = to_end(script, section, section->address);
  }
  for (size_t i = 0; i < script->symbol_count; i++) {
    const struct ld_symbol *symbol = &script->symbols[i];
    if (!token_is(symbol->name, ".") || !symbol->section)
      continue;
    struct ld_section *section = &script->sections[symbol->section - 1];
    uint64_t stack = to_end(script, section, symbol->value);
    section->stack = section->stack < stack ? stack : section->stack;
  }
}

const char *script_read(struct script *script, struct file *file) {
  script->files[script->file_count++] = file;
  const char *error = add_tokens(script, file, 0);
  if (!error)
    error = parse(script);
  if (error)
    return error;
  if (!script->has_sections)
    return "it has no SECTIONS; give the linker script, of GNU ld or lld, that "
           "places your sections";
  find_ends(script);
  return NULL;
}
