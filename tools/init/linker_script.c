/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a linker script to regions.ld (linker_script.h): tokens, expressions,
 * statements, the decision.
 */
#include "linker_script.h"

#include <inttypes.h>

#include "../base/catch.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/text_part.h"

enum {
  FILES_MOST = 64,
  TEXTS_LIMIT = 1 << 28,
  STEPS_MOST = 200, /* operands of an expression, which limits the recursion */
  PASSES = 4        /* over the statements: expressions may use later symbols */
};

/* The value of anything that only the link decides. No real size or address is
 * so large. */
static const uint64_t unknown = UINT64_MAX;

/* Returns a text, formatted like printf's, that lives as long as the script. */
#define TEXT(...) need_formatted_text(&in->texts, __VA_ARGS__)

/* Adds a line to regions.ld. */
#define ADD_LINE(...) (in->lines = TEXT("%s%s", in->lines, TEXT(__VA_ARGS__)))

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
  size_t section;  /* the section that the assignment is in or comes after; 0:
                      none */
};

/* Returns the region that has this name or alias, or NULL. */
static struct ld_region *find_region(const struct ld_script *in,
                                     const char *name) {
  for (size_t i = 0; name && i < in->region_count; i++)
    if (strcmp(in->regions[i].name, name) == 0)
      return &in->regions[in->regions[i].real];
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

/* Returns the facts that a word implies about the script, and about the section
 * that contains the word. The star of .bss.* is a token of its own. */
static unsigned facts_of_word(const char *word) {
  return text_is_listed(word, ".bss .bss. COMMON")           ? FACT_BSS
         : text_is_listed(word, ".text .text.")              ? FACT_TEXT
         : text_is_listed(word, "__preinit_array_start")     ? FACT_PREINIT
         : text_is_listed(word, "PHDRS")                     ? FACT_PHDRS
         : text_is_listed(word, "READONLY ALIGN_WITH_INPUT") ? FACT_GNU
                                                             : 0;
}

/* Reads an included file from where linkers look: the path as it is, then the
 * folders of -L. */
static const char *read_included_file(struct ld_script *in, const char *name) {
  bool found = false, full = in->files++ == FILES_MOST;
  const char *path = name;
  struct file file;
  if (text_starts_with(name, "bareprof") && name[8])
    raise_error("the script includes a bareprof script already; link with this "
                "script as it is");
  for (size_t i = 0; !full &&
                     !file_read_if_exists(&file, path, SCRIPT_LIMIT, &found) &&
                     !found && i < in->folder_count;)
    path = TEXT("%s/%s", in->folders[i++], name);
  if (!found)
    raise_error(TEXT("the script includes %s, %s", name,
                     full ? "and includes more than 64 files; remove an "
                            "INCLUDE that leads back to its own file"
                          : "which cannot be read; pass its folder with -L"));
  const char *text = TEXT("%.*s", (int)file.bytes.size, file.bytes.data);
  file_close(&file);
  return text;
}

/* Skips blanks, comments, and the line markers of a preprocessor. */
static const char *skip_to_token(const char *at) {
  for (;;) {
    if (at[0] == '/' && at[1] == '*') {
      at = strstr(at + 2, "*/");
      if (!at)
        raise_error("a comment does not end; pass the complete script");
      at += 2;
    } else if (*at == '#') {
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

/* Returns the size of a name, number or operator. */
static size_t token_size(const char *at) {
  static const char pairs[] = "== != <= >= += -= *= /= &= |= << >> && ||";
  size_t size = name_size(at);
  return size ? size : 1u + text_starts_with_any(at, pairs);
}

static void append_script_tokens(struct ld_script *in, const char *at) {
  bool includes = false; /* the next token is a file name */
  while (*(at = skip_to_token(at))) {
    bool quoted = *at == '"';
    at += quoted;
    size_t size = quoted     ? strcspn(at, "\"")
                  : includes ? strcspn(at, " \t\r\n;")
                             : token_size(at);
    const char *token = TEXT("%.*s", (int)size, at);
    at += size + (quoted && at[size]);
    in->facts |= facts_of_word(token);
    bool is_include = strcmp(token, "INCLUDE") == 0;
    if (includes)
      append_script_tokens(in, read_included_file(in, token));
    else if (*token && !is_include)
      LIST_ADD(in->tokens, in->token_count, token);
    includes = !includes && is_include;
  }
}

static bool is_token(const struct ld_script *in, const char *word) {
  return strcmp(*in->at, word) == 0;
}

static bool skip_token(struct ld_script *in, const char *word) {
  bool is = is_token(in, word);
  in->at += is;
  return is;
}

/* ==== Expressions, as far as they have a value before the link. */

/* The operators by rank: the later ones bind more tightly. Regions and
 * addresses in vendors' scripts do not use the first ones. Their result is
 * unknown, and so is all that is computed with it: they need no ranks. */
static const char *const operators[] = {
    "|| && ^ == != < <= > >= >> %", "|", "&", "<<", "+ -", "* /", NULL};

static uint64_t apply_operator(char by, uint64_t x, uint64_t y) {
  return x == unknown || y == unknown ? unknown
         : by == '|'                  ? x | y
         : by == '&'                  ? x & y
         : by == '<' && y < 64        ? x << y
         : by == '+'                  ? x + y
         : by == '-'                  ? x - y
         : by == '*'                  ? x * y
         : by == '/' && y             ? x / y
                                      : unknown;
}

/* Evaluates an expression, up to an operator of a lower rank. */
static uint64_t parse_expression(struct ld_script *in, unsigned rank);

static uint64_t parse_number(const char *text) {
  char *end;
  uint64_t value = strtoull(text, &end, 0);
  return value == unknown || !*end    ? value
         : text_is_listed(end, "k K") ? value << 10
         : text_is_listed(end, "m M") ? value << 20
                                      : unknown;
}

/* Evaluates the call of a function, or a value in parentheses if the function
 * has no name, after the opening parenthesis. */
static uint64_t parse_call(struct ld_script *in, const char *function) {
  const struct ld_region *region = find_region(in, *in->at);
  bool defined = find_symbol(in, *in->at) != NULL,
       length = strcmp(function, "LENGTH") == 0;
  uint64_t value;
  do
    value = parse_expression(in, 0);
  while (skip_token(in, ","));
  skip_token(in, ")");
  if (!*function)
    return value;
  if (strcmp(function, "DEFINED") == 0)
    return defined;
  if (!length && strcmp(function, "ORIGIN") != 0)
    return unknown;
  in->has_length |= length;
  /* lld rejects these two functions before MEMORY. */
  if (!in->region_count)
    in->facts |= FACT_GNU;
  return !region ? unknown : length ? region->length : region->origin;
}

static uint64_t parse_operand(struct ld_script *in) {
  if (++in->steps > STEPS_MOST)
    return unknown;
  const char *token = *in->at;
  if (strlen(token) == 1 && strchr("-~!+", *token)) {
    in->at++;
    uint64_t value = parse_operand(in);
    return *token == '+' || value == unknown ? value
           : *token == '-'                   ? -value
           : *token == '~'                   ? ~value
                                             : !value;
  }
  if (skip_token(in, "("))
    return parse_call(in, "");
  if (!name_size(token))
    return unknown;
  in->at++;
  if (digit_value((unsigned char)*token) < 10)
    return parse_number(token);
  /* A known symbol is not a function, although ( may follow: after an address
   * comes (NOLOAD). */
  const struct ld_symbol *symbol = find_symbol(in, token);
  if (!symbol)
    return skip_token(in, "(") ? parse_call(in, token) : unknown;
  in->has_length |= symbol->has_length;
  return symbol->value;
}

static uint64_t parse_expression(struct ld_script *in, unsigned rank) {
  if (!operators[rank])
    return parse_operand(in);
  uint64_t value = parse_expression(in, rank + 1);
  while (text_is_listed(*in->at, operators[rank])) {
    char by = **in->at++;
    uint64_t other = parse_expression(in, rank + 1);
    value = rank ? apply_operator(by, value, other) : unknown;
  }
  if (!rank && in->steps <= STEPS_MOST && skip_token(in, "?")) {
    uint64_t yes = parse_expression(in, 0);
    skip_token(in, ":");
    uint64_t no = parse_expression(in, 0);
    value = value == unknown ? unknown : value ? yes : no;
  }
  return value;
}

static uint64_t parse_assigned_value(struct ld_script *in) {
  in->steps = 0;
  in->has_length = false;
  return parse_expression(in, 0);
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

/* Adds a region, or an alias of the region with the index `real`, unless an
 * earlier pass has added it. Returns the region. */
static struct ld_region *
find_or_add_region(struct ld_script *in, const char *name, size_t real) {
  if (!find_region(in, name))
    LIST_ADD(in->regions, in->region_count,
             (struct ld_region){name, real, unknown, unknown});
  return find_region(in, name);
}

/* Reads the regions of MEMORY: NAME (LETTERS) : ORIGIN = VALUE, LENGTH = VALUE
 * and so on. */
static void parse_memory(struct ld_script *in) {
  for (in->at += 2; !skip_token(in, "}");) {
    const char *name = *in->at++;
    struct ld_region *region = find_or_add_region(in, name, in->region_count);
    for (; **in->at && !is_token(in, ":"); in->at++)
      if (strpbrk(*in->at, "iIlL"))
        in->facts |= FACT_GNU;
    for (size_t k = 0; k < 2; k++) {
      while (**in->at && !strspn(*in->at, "=}"))
        in->at++;
      if (!name_size(name) || !skip_token(in, "="))
        raise_error("MEMORY is not a list of NAME : ORIGIN = ..., LENGTH = "
                    "...; pass a complete script for GNU ld or lld");
      *(k ? &region->length : &region->origin) = parse_assigned_value(in);
    }
  }
}

/* Reads the value that = (set) or another operator assigns to a symbol, or to
 * the location counter. */
static void parse_assignment(struct ld_script *in, const char *name, bool set) {
  const char **begin = in->at;
  struct ld_section *section = &in->sections[in->section];
  uint64_t value = parse_assigned_value(in);
  struct ld_symbol symbol = {name, set ? value : unknown, in->has_length,
                             in->section};
  if (strcmp(name, ".") == 0) {
    uint64_t stack = distance_to_end(find_region(in, section->region), &symbol);
    if (section->stack < stack)
      section->stack = stack;
    return;
  }
  /* With `end = __end__', `end' has the place of __end__. */
  const struct ld_symbol *same =
      in->at == begin + 1 ? find_symbol(in, *begin) : NULL;
  if (same)
    symbol.section = same->section;
  LIST_ADD(in->symbols, in->symbol_count, symbol);
}

/* Begins an output section at the colon after NAME [ADDRESS] [(TYPE)]. Reads
 * up to its {. */
static void begin_section(struct ld_script *in, const char **head) {
  const char **colon = in->at;
  if (++in->section == in->section_count)
    LIST_ADD(in->sections, in->section_count, (struct ld_section){0});
  in->sections[in->section].stack = 0;
  in->at = head + 1;
  parse_assignment(in, ".", true);
  for (in->at = colon; **in->at && !skip_token(in, "{"); in->at++)
    if (is_token(in, "AT"))
      in->sections[in->section].facts |= FACT_LOADS;
    else if (is_token(in, "}"))
      raise_error("SECTIONS has a section without a {; pass a complete script "
                  "for GNU ld or lld");
}

/* Reads what follows the } of an output section: > REGION AT > REGION :SEGMENT
 * =FILL. */
static void parse_section_tail(struct ld_script *in) {
  struct ld_section *section = &in->sections[in->section];
  for (;; skip_token(in, ",")) {
    bool load = is_token(in, "AT") && strcmp(in->at[1], ">") == 0;
    in->at += load;
    if (skip_token(in, ">"))
      *(load ? &section->load_region : &section->region) = *in->at++;
    else if (skip_token(in, ":") || skip_token(in, "="))
      in->at++;
    else
      return;
  }
}

static void parse_statements(struct ld_script *in) {
  unsigned depth = 0; /* open braces: 1 in SECTIONS, 2 in an output section */
  const char **head = in->at = in->tokens; /* the statement's first token */
  in->section = 0;
  while (**in->at) {
    const char *token = *in->at, *next = in->at[1];
    bool block = !depth && strcmp(next, "{") == 0;
    if (block && is_token(in, "MEMORY")) {
      parse_memory(in);
    } else if (block && is_token(in, "SECTIONS")) {
      depth = 1;
      head = in->at += 2;
    } else if (is_token(in, "REGION_ALIAS")) {
      /* Linkers reject an alias of a region that comes later. */
      const struct ld_region *region = find_region(in, in->at[4]);
      if (region)
        find_or_add_region(in, in->at[2], region->real);
      in->at += 5;
    } else if (name_size(token) &&
               strcmp(next + strspn(next, "+-*/&|"), "=") == 0) {
      in->at += 2;
      parse_assignment(in, token, strcmp(next, "=") == 0);
    } else if (depth == 1 && is_token(in, ":")) {
      begin_section(in, head);
      depth = 2;
    } else if (depth > 1 && skip_token(in, "{")) {
      depth++;
    } else if (depth && skip_token(in, "}")) {
      if (--depth == 1)
        parse_section_tail(in);
      head = in->at;
    } else {
      unsigned facts = facts_of_word(*in->at++);
      if (depth > 1)
        in->sections[in->section].facts |= facts;
      else if (depth && *token == '{')
        raise_error("SECTIONS has a section without a colon; pass a complete "
                    "script for GNU ld or lld");
      /* A name in these asks for something, and places nothing. */
      if (text_is_listed(token, "ADDR SIZEOF LOADADDR ASSERT") &&
          skip_token(in, "("))
        parse_call(in, token);
      /* The next name begins a statement after ASSERT(...) and the like. */
      token = in->at[-1];
      if (*token == ';' || (*token == ')' && name_size(*in->at)))
        head = in->at;
    }
  }
  if (depth)
    raise_error("the script ends inside SECTIONS; pass the complete script");
}

/* ==== The decision. */

/* Returns the region of the counters or the records: the user's choice (name),
 * or the region that has .bss or .text of all objects. */
static const struct ld_region *choose_region(struct ld_script *in,
                                             const char *name, bool rom) {
  const struct ld_region *region = find_region(in, name);
  bool several = false;
  for (size_t i = 0; !name && i < in->section_count; i++) {
    const struct ld_section *section = &in->sections[i];
    const char *load = rom ? section->load_region : NULL;
    const struct ld_region *of = find_region(in, load ? load : section->region);
    if (!of || !(section->facts & (rom ? FACT_TEXT : FACT_BSS)))
      continue;
    several |= region && region != of;
    region = of;
  }
  if (!name && !region && in->region_count == 1)
    region = in->regions;
  if (region && !several)
    return region;
  const char *text =
      TEXT("%s %s; choose the region with --%s REGION for the %s:",
           name      ? "the script has no region with this name for"
           : several ? "several regions have"
                     : "no region has",
           rom ? ".text" : ".bss", rom ? "rom" : "ram",
           rom ? "records" : "counters");
  for (size_t i = 0; i < in->region_count; i++)
    text = TEXT("%s%s %s", text, i ? "," : "", in->regions[i].name);
  raise_error(text);
}

/* Returns the size of a new region within a region: at most a quarter of it
 * (but not below 256 bytes), and at most `most`. */
static uint64_t limit_size(const struct ld_region *region, uint64_t most) {
  while (most > region->length / 4 && most > 256)
    most /= 2;
  return most;
}

/* Adds an alias of a region; or, if size is not 0, a new region of this size
 * that starts `before` bytes before the region's end. */
static void append_region_lines(struct ld_script *in, const char *side,
                                const char *of, uint64_t before,
                                uint64_t size) {
  if (size)
    ADD_LINE("MEMORY {\n  BAREPROF_%s : ORIGIN = ORIGIN(%s) + LENGTH(%s) - "
             "%" PRIu64 ", LENGTH = %" PRIu64 "\n}\n",
             side, of, of, before, size);
  else
    ADD_LINE("REGION_ALIAS(\"BAREPROF_%s\", %s)\n", side, of);
}

/* Plans new regions: below a stack at the end of RAM; at the end of ROM, if the
 * script loads data to a fixed address after the code. */
static void plan_own_regions(struct ld_script *in) {
  for (size_t i = 0; i < in->section_count; i++) {
    const struct ld_section *section = &in->sections[i];
    if (find_region(in, section->region) != in->ram)
      continue;
    if (section->facts & FACT_LOADS)
      in->rom_size = limit_size(in->rom, 64 << 10);
    if (in->stack < section->stack)
      in->stack = section->stack;
  }
  in->lines = "";
  if (in->stack) {
    in->ram_size = limit_size(in->ram, 8 << 10);
    in->stack = (in->stack + 1022) & ~UINT64_C(1023);
    if (in->stack < in->ram_size)
      in->stack = in->ram_size;
    ADD_LINE("/* Below a stack of up to %" PRIu64 " bytes. */\n", in->stack);
  }
  append_region_lines(in, "RAM", in->ram->name, in->stack + in->ram_size,
                      in->ram_size);
  append_region_lines(in, "ROM", in->rom->name, in->rom_size, in->rom_size);
}

/* Symbols for a heap's end, for the start of newlib's _sbrk, and for the start
 * of other allocators. Those stop at the end symbol, but _sbrk may not. */
static const char *const heap_names[] = {
    "__heap_end",     "__heap_end__", "_heap_end",
    "__HeapLimit",    "__heap_limit", "end",
    "_end",           "__end__",      "__heap_start",
    "__heap_start__", "_heap_start",  "__HeapBase",
    "__heap_base"};
enum { FIRST_NEWLIB = 5, FIRST_OTHER = 8, HEAP_NAMES = 13 };

/* Where a heap symbol is in the RAM that gets the counters. */
enum heap_place { HEAP_NOWHERE, HEAP_AFTER_DATA, HEAP_AT_END };

static enum heap_place find_heap_place(const struct ld_script *in,
                                       const char *name) {
  const struct ld_symbol *symbol = find_symbol(in, name);
  if (symbol && distance_to_end(in->ram, symbol))
    return HEAP_AT_END;
  if (!symbol || !symbol->section)
    return HEAP_NOWHERE;
  const struct ld_section *section = &in->sections[symbol->section];
  if (section->region && find_region(in, section->region) != in->ram)
    return HEAP_NOWHERE;
  return section->stack ? HEAP_AT_END : HEAP_AFTER_DATA;
}

/* Adds lines that move the heap's symbols to the end of the profile's sections,
 * which are placed after the data. */
static void plan_heap(struct ld_script *in) {
  /* The heap's symbols after the data: the first that newlib's _sbrk starts at,
   * the last that any heap starts at, the first that one ends at. */
  const char *newlib = NULL, *last = NULL, *end = NULL;
  enum heap_place places[HEAP_NAMES];
  for (unsigned i = HEAP_NAMES; i--;) {
    const char *name = heap_names[i];
    places[i] = find_heap_place(in, name);
    if (places[i] != HEAP_AFTER_DATA)
      continue;
    if (i < FIRST_NEWLIB)
      end = name;
    else if (i < FIRST_OTHER)
      newlib = name;
    if (i >= FIRST_NEWLIB && !last)
      last = name;
  }
  bool own = in->ram_size, both = newlib && end && !own,
       moves = !own && (both ? in->heap == HEAP_OPEN : last && !end);
  if (both && in->heap == HEAP_ASKED)
    raise_error(TEXT(
        "the script does not show whether the heap from `%s' stops at `%s'; "
        "use --heap limited if your _sbrk stops there, or --heap open if your "
        "_sbrk does not stop there (newlib's does not)",
        newlib, end));
  in->names_heap = last || own;
  if (both && !moves)
    ADD_LINE("__bareprof_end_checked = 1; /* The heap ends before that. */\n");
  for (unsigned i = 0; i < HEAP_NAMES; i++) {
    const char *name = heap_names[i];
    if (own && i < FIRST_NEWLIB && places[i] == HEAP_AT_END)
      ADD_LINE("%s = __start___llvm_prf_cnts;\n", name);
    else if (moves && places[i] == HEAP_AFTER_DATA)
      /* An end keeps its distance to the last start. An earlier start may be
       * before an alignment. */
      ADD_LINE("%s = __bareprof_end%s;\n", name,
               i < FIRST_NEWLIB ? TEXT(" + (%s - %s)", name, last) : "");
  }
}

void script_parse_and_plan(void *script) {
  struct ld_script *in = script;
  in->texts.limit = TEXTS_LIMIT;
  LIST_ADD(in->sections, in->section_count, (struct ld_section){0});
  append_script_tokens(in, TEXT("%.*s", (int)in->text.size, in->text.data));
  /* Empty tokens are the end; REGION_ALIAS skips five tokens at once. */
  for (unsigned i = 0; i < 6; i++)
    LIST_ADD(in->tokens, in->token_count, "");
  for (unsigned pass = 0; pass < PASSES; pass++)
    parse_statements(in);
  if (in->section_count == 1)
    raise_error("SECTIONS is missing; pass the linker script for GNU ld or lld "
                "that places your sections");
  if (!in->region_count)
    raise_error("the script has no MEMORY; put one line in front of a copy, "
                "such as `MEMORY { RAM (rwx) : ORIGIN = 0x80000, LENGTH = 1M "
                "}', with your board's numbers; or use `bareprof cc "
                "--coverage', which needs no script");
  in->ram = choose_region(in, in->ram_name, false);
  in->rom = choose_region(in, in->rom_name, true);
  plan_own_regions(in);
  plan_heap(in);
}
