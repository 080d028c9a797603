/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a linker script to regions.ld (linker_script.h): tokens, expressions,
 * statements, the decision, the output.
 */
#include "linker_script.h"

#include <inttypes.h>

#include "../base/arena.h"
#include "../base/catch.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/text_part.h"

enum {
  TOKENS_MOST = 1 << 18,
  FILES_MOST = 64,
  FILE_LIMIT = 16 << 20,
  TEXTS_LIMIT = 1 << 28,
  STEPS_MOST = 200, /* of an expression; a file may nest them without an end */
  PASSES = 4        /* over the statements: expressions may use later symbols */
};

/* The value of anything that only the link decides. No real size or address is
 * so large. */
static const uint64_t unknown = UINT64_MAX;

struct ld_section {
  const char *region, *load_region; /* NULL: not given */
  unsigned facts;                   /* bits of enum script_fact */
  uint64_t stack; /* 1 + bytes from the section to its region's end, if an
                     address puts it near there; else 0 */
};

/* An assignment to a symbol. */
struct ld_symbol {
  const char *name;
  uint64_t value;
  bool has_length; /* the value is computed from the length of a region */
  size_t section;  /* 1 + index of the section that contains or precedes it; 0:
                      none */
};

static struct ld_region *find_region(const struct ld_script *in,
                                     const char *name) {
  for (size_t i = 0; name && i < in->region_count; i++)
    if (strcmp(in->regions[i].name, name) == 0)
      return &in->regions[i];
  return NULL;
}

/* Returns the last assignment to a symbol. */
static const struct ld_symbol *find_symbol(const struct ld_script *in,
                                           const char *name) {
  for (size_t i = in->symbol_count; i--;)
    if (strcmp(in->symbols[i].name, name) == 0)
      return &in->symbols[i];
  return NULL;
}

/* ==== Tokens: the script without comments, including the files that INCLUDE
 * names. */

/* Words that imply a fact about the script, and about the section that contains
 * them. The star of .bss.* is a token of its own. */
static const struct script_word {
  const char *word;
  enum script_fact fact;
} words[] = {{".bss", FACT_BSS},
             {".bss.", FACT_BSS},
             {"COMMON", FACT_BSS},
             {".text", FACT_TEXT},
             {".text.", FACT_TEXT},
             {"__preinit_array_start", FACT_PREINIT},
             {"PHDRS", FACT_PHDRS},
             {"READONLY", FACT_GNU_ONLY},
             {"ALIGN_WITH_INPUT", FACT_GNU_ONLY},
             {"ADDR", FACT_ASKS},
             {"LOADADDR", FACT_ASKS},
             {"SIZEOF", FACT_ASKS}};

static unsigned facts_of_word(const char *word) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].word, word) == 0)
      return words[i].fact;
  return 0;
}

static const char *copy_text(struct ld_script *in, struct bytes text) {
  return need_memory(arena_copy(&in->texts, text.data, text.size));
}

/* Reads an included file from where linkers look: the path as it is, then the
 * folders of -L. */
static const char *read_included_file(struct ld_script *in, const char *name) {
  bool found = false, full = in->files++ == FILES_MOST;
  const char *const *folder = in->folders, *path = name;
  struct file file;
  while (!full && !file_read_if_exists(&file, path, FILE_LIMIT, &found) &&
         !found && *folder)
    path = need_format(&in->texts, "%s/%s", *folder++, name);
  if (!found)
    raise_error(
        need_format(&in->texts, "the script includes %s, %s", name,
                    full ? "and so on, without an end"
                         : "which cannot be read; pass its folder with -L"));
  const char *text = copy_text(in, file.bytes);
  file_close(&file);
  return text;
}

/* Returns the size of a token, including quotes. */
static size_t token_size(const char *at) {
  size_t size = name_size(at);
  if (*at == '"') {
    size = 1 + strcspn(at + 1, "\"");
    return size + (at[size] == '"');
  }
  bool pair = (at[1] == '=' && strchr("=!<>+-*/&|", *at)) ||
              (at[1] == *at && strchr("<>&|", *at));
  return size ? size : 1u + pair;
}

/* Skips blanks, comments, and the line markers of a preprocessor. */
static const char *skip_to_token(const char *at, const char *text) {
  for (;;) {
    if (at[0] == '/' && at[1] == '*') {
      at = strstr(at + 2, "*/");
      if (!at)
        raise_error("a comment does not end; pass the complete script");
      at += 2;
    } else if (*at == '#' && (at == text || at[-1] == '\n')) {
      if (at[1] != ' ' || digit_value((unsigned char)at[2]) > 9)
        raise_error("the script needs the C preprocessor; pass the output of "
                    "clang -E -P -x c (Zephyr: build/zephyr/linker.cmd)");
      at += strcspn(at, "\n");
    } else if (*at && (unsigned char)*at <= ' ') {
      at++;
    } else {
      return at;
    }
  }
}

static void append_script_tokens(struct ld_script *in, const char *text) {
  bool includes = false; /* the next token is a file name */
  for (const char *at = text; *(at = skip_to_token(at, text));) {
    size_t quotes = *at == '"', size = token_size(at);
    if (includes && !quotes)
      size += strcspn(at + size, " \t\r\n;");
    const char *token = need_format(&in->texts, "%.*s",
                                    (int)(size > 1 ? size - 2 * quotes : size),
                                    at + (size > 1 ? quotes : 0));
    at += size;
    bool include = strcmp(token, "INCLUDE") == 0;
    if (includes && text_starts_with(token, "bareprof") && token[8])
      in->facts |= FACT_OURS;
    else if (includes)
      append_script_tokens(in, read_included_file(in, token));
    else if (in->token_count == TOKENS_MOST)
      raise_error("the file has too many words for a linker script; check that "
                  "this is the right file");
    else if (!include)
      LIST_ADD(in->tokens, in->token_count, token);
    in->facts |= facts_of_word(token);
    includes = !includes && include;
  }
}

/* Returns the next token or one after it; empty after the end. */
static const char *token_ahead(const struct ld_script *in, size_t ahead) {
  return in->at + ahead < in->token_count ? in->tokens[in->at + ahead] : "";
}
static bool is_token(const struct ld_script *in, size_t ahead,
                     const char *word) {
  return strcmp(token_ahead(in, ahead), word) == 0;
}

/* Whether the next token is one of these characters, or the end. */
static bool is_mark(const struct ld_script *in, const char *characters) {
  const char *token = token_ahead(in, 0);
  return !token[0] || (!token[1] && strchr(characters, *token));
}

static bool skip_token(struct ld_script *in, const char *word) {
  bool is = is_token(in, 0, word);
  in->at += is;
  return is;
}

static const char *next_token(struct ld_script *in) {
  const char *token = token_ahead(in, 0);
  in->at++;
  return token;
}

static void skip_to_mark(struct ld_script *in, const char *characters) {
  while (!is_mark(in, characters))
    in->at++;
}

/* ==== Expressions, as far as they have a value before the link. */

/* A higher rank binds more tightly. */
static const struct ld_operator {
  char text[3];
  unsigned char rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},
                 {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},
                 {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9},  {"-", 9},
                 {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof operators / sizeof *operators };

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

/* Evaluates an expression, as far as its operators bind more tightly than this
 * rank. */
static uint64_t parse_expression(struct ld_script *in, unsigned rank);

static uint64_t parse_number(const char *text) {
  char *end;
  uint64_t value = strtoull(text, &end, 0);
  unsigned unit = *end ? *end++ | 0x20u : 0;
  if (value == unknown || *end || (unit && unit != 'k' && unit != 'm'))
    return unknown;
  return unit == 'k' ? value << 10 : unit == 'm' ? value << 20 : value;
}

/* Evaluates the call of a function, after its parenthesis. */
static uint64_t parse_call(struct ld_script *in, const char *function) {
  const char *name = token_ahead(in, 0);
  const struct ld_region *region = find_region(in, name);
  bool defined = find_symbol(in, name) != NULL;
  do
    parse_expression(in, 0);
  while (skip_token(in, ","));
  skip_token(in, ")");
  if (strcmp(function, "DEFINED") == 0)
    return defined;
  bool length = strcmp(function, "LENGTH") == 0;
  in->has_length |= length;
  if (!region || (!length && strcmp(function, "ORIGIN") != 0))
    return unknown;
  return length ? region->length : region->origin;
}

static uint64_t parse_operand(struct ld_script *in) {
  if (++in->steps > STEPS_MOST)
    return unknown;
  bool minus = skip_token(in, "-");
  if (minus || skip_token(in, "~")) {
    uint64_t value = parse_operand(in);
    return value == unknown ? unknown : minus ? -value : ~value;
  }
  if (skip_token(in, "(")) {
    uint64_t value = parse_expression(in, 0);
    skip_token(in, ")");
    return value;
  }
  if (!name_size(token_ahead(in, 0)))
    return unknown;
  const char *name = next_token(in);
  if (digit_value((unsigned char)*name) < 10)
    return parse_number(name);
  /* A known symbol is not a function, although ( may follow: after an address
   * comes (NOLOAD). */
  const struct ld_symbol *symbol = find_symbol(in, name);
  if (!symbol)
    return skip_token(in, "(") ? parse_call(in, name) : unknown;
  in->has_length |= symbol->has_length;
  return symbol->value;
}

static uint64_t parse_expression(struct ld_script *in, unsigned rank) {
  uint64_t value = parse_operand(in);
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].rank > rank && skip_token(in, operators[i].text)) {
      value = apply_operator(operators[i].text, value,
                             parse_expression(in, operators[i].rank));
      i = (size_t)-1;
    }
  if (!rank && in->steps <= STEPS_MOST && skip_token(in, "?")) {
    uint64_t yes = parse_expression(in, 0);
    skip_token(in, ":");
    uint64_t no = parse_expression(in, 0);
    value = value == unknown ? unknown : value ? yes : no;
  }
  return value;
}

/* Evaluates the expression at this token. The parser stays where it is. */
static struct ld_symbol evaluate_symbol(struct ld_script *in, const char *name,
                                        size_t at) {
  size_t back = in->at;
  in->at = at;
  in->steps = 0;
  in->has_length = false;
  uint64_t value = parse_expression(in, 0);
  in->at = back;
  return (struct ld_symbol){name, value, in->has_length, in->section};
}

/* Returns 1 + the bytes from a symbol's address to the end of a region, if the
 * address is in the region's second half. 1: the address is computed from the
 * length of a region, but only the link decides the value. 0: any other
 * address, or no region. */
static uint64_t distance_to_end(const struct ld_region *region,
                                const struct ld_symbol *symbol) {
  if (symbol->value == unknown)
    return symbol->has_length;
  if (!region || region->origin == unknown || region->length == unknown)
    return 0;
  uint64_t place = symbol->value - region->origin, length = region->length;
  return place > length / 2 && place <= length ? length - place + 1 : 0;
}

/* ==== Statements. */

/* Adds a region or an alias, unless an earlier pass has added it. */
static void set_region(struct ld_script *in, const char *name,
                       struct ld_region region) {
  struct ld_region *known = find_region(in, name);
  region.name = name;
  if (known)
    *known = region;
  else
    LIST_ADD(in->regions, in->region_count, region);
}

/* Reads the regions of MEMORY: NAME (LETTERS) : ORIGIN = VALUE, LENGTH = VALUE
 * and so on. */
static void parse_memory(struct ld_script *in) {
  for (in->at += 2; !skip_token(in, "}");) {
    struct ld_region region = {.token = in->at};
    const char *name = next_token(in);
    for (; !is_mark(in, ":"); in->at++)
      if (strpbrk(token_ahead(in, 0), "iIlL"))
        in->facts |= FACT_GNU_ONLY;
    uint64_t *const values[] = {&region.origin, &region.length};
    for (size_t k = 0; k < 2; k++) {
      skip_to_mark(in, "=}");
      if (!name_size(name) || !skip_token(in, "="))
        raise_error("MEMORY is not a list of NAME : ORIGIN = ..., LENGTH = "
                    "...; pass a complete script for GNU ld or lld");
      in->steps = 0;
      *values[k] = parse_expression(in, 0);
    }
    set_region(in, name, region);
  }
}

/* Ignores an alias of a region that comes later: linkers reject it, too. */
static void parse_alias(struct ld_script *in) {
  const struct ld_region *region = find_region(in, token_ahead(in, 4));
  if (region)
    set_region(in, token_ahead(in, 2), *region);
  in->at += 5;
}

/* Notes that the current section has this address. */
static void add_address(struct ld_script *in, const struct ld_symbol *address) {
  if (!in->section)
    return;
  struct ld_section *section = &in->sections[in->section - 1];
  uint64_t stack = distance_to_end(find_region(in, section->region), address);
  if (section->stack < stack)
    section->stack = stack;
}

static void parse_assignment(struct ld_script *in) {
  const char *name = next_token(in);
  size_t begin = ++in->at;
  for (unsigned open = 0; open || !is_mark(in, ");}");) {
    const char *token = next_token(in);
    if (!*token)
      break;
    open += strcmp(token, "(") == 0;
    open -= strcmp(token, ")") == 0;
    /* lld rejects these functions before MEMORY. */
    if (!in->region_count &&
        (strcmp(token, "ORIGIN") == 0 || strcmp(token, "LENGTH") == 0))
      in->facts |= FACT_GNU_ONLY;
  }
  struct ld_symbol symbol = evaluate_symbol(in, name, begin);
  /* With `end = __end__', `end' has the place of __end__. */
  const struct ld_symbol *same =
      in->at == begin + 1 ? find_symbol(in, in->tokens[begin]) : NULL;
  if (same)
    symbol.section = same->section;
  if (strcmp(name, ".") == 0)
    add_address(in, &symbol);
  else
    LIST_ADD(in->symbols, in->symbol_count, symbol);
}

/* Begins an output section, whose head is NAME [ADDRESS] [(TYPE)] : [AT (...)],
 * up to the {. */
static void begin_section(struct ld_script *in, size_t head) {
  if (in->section++ == in->section_count)
    LIST_ADD(in->sections, in->section_count, (struct ld_section){0});
  struct ld_section *section = &in->sections[in->section - 1];
  section->stack = 0;
  for (size_t i = head; i < in->at; i++)
    if (strcmp(in->tokens[i], "AT") == 0)
      section->facts |= FACT_LOADS_AT;
  const struct ld_symbol address = evaluate_symbol(in, ".", head + 1);
  add_address(in, &address);
}

/* Reads what follows the } of an output section: > REGION AT > REGION :SEGMENT
 * =FILL. */
static void parse_section_tail(struct ld_script *in) {
  struct ld_section *section = &in->sections[in->section - 1];
  for (;; skip_token(in, ",")) {
    bool load = is_token(in, 0, "AT") && is_token(in, 1, ">");
    in->at += load;
    if (skip_token(in, ">"))
      *(load ? &section->load_region : &section->region) = next_token(in);
    else if (skip_token(in, ":") || skip_token(in, "="))
      in->at++;
    else
      return;
  }
}

static void parse_statements(struct ld_script *in) {
  unsigned depth = 0; /* open braces: 1 in SECTIONS, 2 in an output section */
  size_t head = 0;    /* first token of the statement */
  bool named = false; /* the statement is an output section, and its colon has
                         been read */
  while (in->at < in->token_count) {
    bool block = !depth && is_token(in, 1, "{");
    if (block && is_token(in, 0, "MEMORY")) {
      parse_memory(in);
    } else if (block && is_token(in, 0, "SECTIONS")) {
      depth = 1;
      head = in->at += 2;
    } else if (block) {
      skip_to_mark(in, "}");
      in->at++;
    } else if (is_token(in, 0, "REGION_ALIAS")) {
      parse_alias(in);
    } else if (name_size(token_ahead(in, 0)) && is_token(in, 1, "=")) {
      parse_assignment(in);
    } else if (depth && is_token(in, 0, "{")) {
      if (depth++ == 1)
        begin_section(in, head);
      in->at++;
      named = false;
    } else if (depth && skip_token(in, "}")) {
      if (--depth == 1)
        parse_section_tail(in);
      head = in->at;
    } else if (depth > 1) {
      unsigned facts = facts_of_word(next_token(in));
      in->sections[in->section - 1].facts |= facts;
      if (facts & FACT_ASKS && skip_token(in, "("))
        in->at++;
    } else {
      bool ends = is_token(in, 0, ";") || (!named && is_token(in, 0, ")") &&
                                           name_size(token_ahead(in, 1)));
      named = !ends && (named || is_token(in, 0, ":"));
      in->at++;
      head = ends ? in->at : head;
    }
  }
  if (depth)
    raise_error("the script ends inside SECTIONS; pass the complete script");
}

/* ==== The decision. */

/* Whether this name is a name of the region, which may have aliases. */
static bool is_region_name(const struct ld_script *script,
                           const struct ld_region *region, const char *name) {
  const struct ld_region *named = find_region(script, name);
  return named && named->token == region->token;
}

/* bareprof needs two regions. Each element has the words of the questions about
 * one region, and what its sections contain. */
static const struct region_question {
  const char *option, *section, *content;
  enum script_fact fact;
} rom_side = {"rom", ".text", "records", FACT_TEXT},
  ram_side = {"ram", ".bss", "counters", FACT_BSS};

/* Raises the question, with all regions as possible answers. */
static _Noreturn void ask_for_region(struct ld_script *script,
                                     const struct region_question *side,
                                     const char *what) {
  const char *text =
      need_format(&script->texts,
                  "%s %s; choose the region with --%s REGION for the %s:", what,
                  side->section, side->option, side->content);
  for (size_t i = 0; i < script->region_count; i++)
    text = need_format(&script->texts, "%s%s %s", text, i ? "," : "",
                       script->regions[i].name);
  raise_error(text);
}

/* Returns one of the two regions: the user's choice (name), or the region that
 * has .bss or .text of all objects. */
static const struct ld_region *choose_region(struct ld_script *script,
                                             const struct region_question *side,
                                             const char *name) {
  const struct ld_region *region = find_region(script, name);
  if (name && !region)
    ask_for_region(script, side, "the script has no region with this name for");
  for (size_t i = 0; !name && i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    bool loads = side == &rom_side && section->load_region;
    const char *of = loads ? section->load_region : section->region;
    if (!find_region(script, of) || !(section->facts & side->fact))
      continue;
    if (region && !is_region_name(script, region, of))
      ask_for_region(script, side, "several regions have");
    region = find_region(script, of);
  }
  if (!region && script->region_count == 1)
    region = script->regions;
  if (!region)
    ask_for_region(script, side, "no region has");
  return region;
}

/* Returns the size of a new region within a region: at most a quarter of it
 * (but not below 256 bytes), and at most `most`. */
static uint64_t limit_region_size(const struct ld_region *region,
                                  uint64_t most) {
  bool known = region->origin != unknown && region->length != unknown;
  while (known && most > region->length / 4 && most > 256)
    most /= 2;
  return most;
}

/* Plans new regions: below a stack at the end of RAM; at the end of ROM, if the
 * script loads data to a fixed address after the code. */
static void plan_own_regions(struct ld_script *script) {
  for (size_t i = 0; i < script->section_count; i++) {
    const struct ld_section *section = &script->sections[i];
    if (!is_region_name(script, script->ram, section->region))
      continue;
    if (section->facts & FACT_LOADS_AT)
      script->rom_size = limit_region_size(script->rom, 64 << 10);
    if (!section->stack)
      continue;
    script->ram_size = limit_region_size(script->ram, 8 << 10);
    if (script->stack < script->ram_size)
      script->stack = script->ram_size;
    if (script->stack < section->stack)
      script->stack = (section->stack + 1022) & ~UINT64_C(1023);
  }
}

/* Symbols for a heap's end, for the start of newlib's _sbrk, and for the start
 * of other allocators, which stop at the end symbol; _sbrk may not. */
static const char *const heap_names[] = {
    "__heap_end",     "__heap_end__", "_heap_end",
    "__HeapLimit",    "__heap_limit", "end",
    "_end",           "__end__",      "__heap_start",
    "__heap_start__", "_heap_start",  "__HeapBase",
    "__heap_base"};
enum { FIRST_NEWLIB = 5, FIRST_OTHER = 8, HEAP_NAMES = 13 };

/* Where a heap symbol is in the RAM that gets the counters. */
enum heap_place { HEAP_NOWHERE, HEAP_AFTER_DATA, HEAP_AT_END };

static enum heap_place find_heap_place(const struct ld_script *script,
                                       const char *name) {
  const struct ld_symbol *symbol = find_symbol(script, name);
  if (symbol && distance_to_end(script->ram, symbol))
    return HEAP_AT_END;
  if (!symbol || !symbol->section)
    return HEAP_NOWHERE;
  const struct ld_section *section = &script->sections[symbol->section - 1];
  if (section->region && !is_region_name(script, script->ram, section->region))
    return HEAP_NOWHERE;
  return section->stack ? HEAP_AT_END : HEAP_AFTER_DATA;
}

static void plan_heap(struct ld_script *script) {
  for (unsigned i = 0; i < HEAP_NAMES; i++) {
    const char *name = heap_names[i];
    if (find_heap_place(script, name) != HEAP_AFTER_DATA)
      continue;
    if (i >= FIRST_NEWLIB)
      script->last_start = name;
    else if (!script->first_end)
      script->first_end = name;
    if (i >= FIRST_NEWLIB && i < FIRST_OTHER && !script->newlib_start)
      script->newlib_start = name;
  }
  if (script->newlib_start && script->first_end && !script->heap &&
      !script->ram_size)
    raise_error(need_format(
        &script->texts,
        "the script does not show whether the heap from `%s' stops at `%s'; "
        "use --heap limited if your _sbrk stops there, or --heap open if your "
        "_sbrk does not stop there (newlib's does not)",
        script->newlib_start, script->first_end));
}

static void read_script(void *context) {
  struct ld_script *script = context;
  script->texts.limit = TEXTS_LIMIT;
  append_script_tokens(script, copy_text(script, script->text));
  for (unsigned pass = 0; pass < PASSES; pass++) {
    script->at = script->section = 0;
    parse_statements(script);
  }
  if (script->facts & FACT_OURS)
    raise_error("the script includes a bareprof script already; link with this "
                "script as it is");
  if (!script->section_count)
    raise_error("SECTIONS is missing; pass the linker script for GNU ld or lld "
                "that places your sections");
  if (!script->region_count)
    raise_error("the script has no MEMORY; put one line in front of a copy, "
                "such as `MEMORY { RAM (rwx) : ORIGIN = 0x80000, LENGTH = 1M "
                "}', with your board's numbers; or use `bareprof cc "
                "--coverage', which needs no script");
  script->ram = choose_region(script, &ram_side, script->ram_name);
  script->rom = choose_region(script, &rom_side, script->rom_name);
  plan_own_regions(script);
  plan_heap(script);
}

const char *script_read(struct ld_script *script) {
  return catch_error(read_script, script);
}

void script_free(struct ld_script *script) {
  arena_free(&script->texts);
  free(script->tokens);
  free(script->regions);
  free(script->sections);
  free(script->symbols);
}

/* ==== The output. */

/* Writes an alias of a region; or, if size is not 0, a new region of this size
 * that starts `before` bytes before the region's end. */
static void print_region_or_alias(FILE *out, const char *name,
                                  const struct ld_region *region,
                                  const char *letters, uint64_t before,
                                  uint64_t size) {
  if (size)
    fprintf(out,
            "MEMORY {\n  %s %s : ORIGIN = ORIGIN(%s) + LENGTH(%s) - %" PRIu64
            ", LENGTH = %" PRIu64 "\n}\n",
            name, letters, region->name, region->name, before, size);
  else
    fprintf(out, "REGION_ALIAS(\"%s\", %s)\n", name, region->name);
}

/* Moves a heap to after the counters, or lets it end before them. End symbols
 * keep their distance to the last start symbol; an earlier start symbol may be
 * before an alignment. */
static void print_heap_symbols(FILE *out, const struct ld_script *script) {
  bool limited = script->heap == HEAP_LIMITED && script->newlib_start,
       moves = script->last_start && !script->ram_size &&
               (!script->first_end || (script->newlib_start && !limited));
  if (!script->ram_size && script->first_end && limited)
    fputs("__bareprof_end_checked = 1; /* The heap ends before that. */\n",
          out);
  for (unsigned i = 0; i < HEAP_NAMES; i++) {
    const char *name = heap_names[i];
    enum heap_place place = find_heap_place(script, name);
    if (script->ram_size && i < FIRST_NEWLIB && place == HEAP_AT_END)
      fprintf(out, "%s = __start___llvm_prf_cnts;\n", name);
    else if (moves && place == HEAP_AFTER_DATA && i < FIRST_NEWLIB)
      fprintf(out, "%s = __bareprof_end + (%s - %s);\n", name, name,
              script->last_start);
    else if (moves && place == HEAP_AFTER_DATA)
      fprintf(out, "%s = __bareprof_end;\n", name);
  }
}

void script_print_regions(FILE *out, const struct ld_script *script) {
  if (script->ram_size)
    fprintf(out, "/* Below a stack of up to %" PRIu64 " bytes. */\n",
            script->stack);
  print_region_or_alias(out, "BAREPROF_RAM", script->ram, "(rw)",
                        script->stack + script->ram_size, script->ram_size);
  if (script->rom_size)
    fputs("/* The script loads data behind code, at an address. */\n", out);
  print_region_or_alias(out, "BAREPROF_ROM", script->rom, "(r)",
                        script->rom_size, script->rom_size);
  print_heap_symbols(out, script);
}
