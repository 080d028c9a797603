/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes lower uses this file to read clang's assembly line by line.
 * The command writes the assembly with labels instead of .pseudoprobe
 * directives, then the section .pseudo_probe. clang writes one statement on
 * each line, except in inline assembly.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/catch.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/text_part.h"
#include "../object/digest.h"
#include "probe.h"
#include "probe_inside.h"

/* ==== The tree. A map finds equal bodies. After the last body, the bodies and
 * probes are put in order. */

struct body_probe {
  uint32_t body, probe;
};

void probe_tree_init(struct probe_tree *tree) {
  *tree = (struct probe_tree){.bodies = {.limit = (size_t)1 << 31},
                              .probes = {.limit = (size_t)1 << 31},
                              .numbers = {.limit = UINT32_MAX - 1}};
}

void probe_tree_free(struct probe_tree *tree) {
  buffer_free(&tree->bodies);
  buffer_free(&tree->probes);
  map_free(&tree->numbers);
}

/* ---- building the tree ---- */

static uint64_t hash_body(const struct probe_body *body) {
  unsigned char bytes[20];
  store64(bytes, body->guid, false);
  store32(bytes + 8, body->parent, false);
  store32(bytes + 12, body->site, false);
  store32(bytes + 16, body->discriminator, false);
  return md5_low64(bytes, sizeof bytes);
}

uint32_t probe_tree_find_or_add_body(struct probe_tree *tree,
                                     const struct probe_body *body) {
  bool is_new;
  size_t place = map_find_or_assign_number(
      &tree->numbers, (uint64_t[3]){hash_body(body)}, &is_new);
  if (!place)
    need_memory(NULL);
  if (is_new)
    need_append(&tree->bodies, body, sizeof *body);
  return (uint32_t)place - 1;
}

void probe_tree_add_probe(struct probe_tree *tree, uint32_t body,
                          uint32_t probe) {
  struct body_probe placed = {body, probe};
  tree->probe_count++;
  need_append(&tree->probes, &placed, sizeof placed);
}

/* ---- the order of the file ---- */

static int compare_bodies(const void *left, const void *right) {
  const struct probe_body *a = *(const struct probe_body *const *)left;
  const struct probe_body *b = *(const struct probe_body *const *)right;
  int order = compare_numbers(a->parent, b->parent);
  if (!order && a->parent == PROBE_NO_BODY)
    order = compare_numbers(a->site, b->site);
  if (!order)
    order = compare_numbers(a->guid, b->guid);
  if (!order)
    order = compare_numbers(a->site, b->site);
  return order ? order : compare_numbers(a->discriminator, b->discriminator);
}

struct body_tree_walk {
  struct probe_body *bodies;
  const struct probe_body **order; /* bodies; the bodies inside one parent are
                                      adjacent */
  uint32_t *probes;                /* numbers of probes; the probes of one body
                                      are adjacent */
};

static void link_child_bodies(const struct probe_tree *tree,
                              struct body_tree_walk *walk) {
  for (uint32_t i = 0; i < tree->numbers.count; i++)
    walk->order[i] = &walk->bodies[i];
  sort_array(walk->order, tree->numbers.count, sizeof *walk->order,
             compare_bodies);
  for (uint32_t i = 0; i < tree->numbers.count; i++) {
    if (walk->order[i]->parent == PROBE_NO_BODY)
      continue;
    struct probe_body *parent = &walk->bodies[walk->order[i]->parent];
    if (!parent->child_count++)
      parent->child = i;
  }
}

static void group_probes_by_body(const struct probe_tree *tree,
                                 struct body_tree_walk *walk) {
  const struct body_probe *placed =
      (const struct body_probe *)tree->probes.data;
  uint32_t first = 0;
  for (uint32_t i = 0; i < tree->probe_count; i++)
    walk->bodies[placed[i].body].count++;
  for (uint32_t i = 0; i < tree->numbers.count; i++) {
    walk->bodies[i].first = first;
    first += walk->bodies[i].count;
    walk->bodies[i].count = 0;
  }
  for (uint32_t i = 0; i < tree->probe_count; i++) {
    struct probe_body *body = &walk->bodies[placed[i].body];
    walk->probes[body->first + body->count++] = placed[i].probe;
  }
}

/* Visits a record and the bodies inside it without recursion. For each depth,
 * the arrays `next` and `end` have the range of bodies not visited yet. */
static const char *walk_record_bodies(const struct body_tree_walk *walk,
                                      const struct probe_body *body,
                                      const struct probe_visitor *visitor) {
  uint32_t next[PROBE_DEPTH_MOST + 1], end[PROBE_DEPTH_MOST + 1];
  for (unsigned depth = 0;;) {
    const char *error = visitor->body(visitor->context, body);
    for (uint32_t i = 0; !error && i < body->count; i++)
      error = visitor->probe(visitor->context, walk->probes[body->first + i]);
    if (error)
      return error;
    if (depth == PROBE_DEPTH_MOST)
      return "the probe is inlined more than 1,000 levels deep; compile with "
             "less inlining";
    next[depth] = body->child;
    end[depth++] = body->child + body->child_count;
    while (depth && next[depth - 1] == end[depth - 1])
      depth--;
    if (!depth)
      return NULL;
    body = walk->order[next[depth - 1]++];
  }
}

const char *probe_tree_walk(struct probe_tree *tree,
                            const struct probe_visitor *visitor) {
  struct body_tree_walk walk = {.bodies =
                                    (struct probe_body *)tree->bodies.data};
  uint32_t count = (uint32_t)tree->numbers.count;
  const char *error = NULL;
  walk.order = need_memory(calloc(count + (size_t)1, sizeof(void *)));
  walk.probes =
      need_memory(calloc(tree->probe_count + (size_t)1, sizeof *walk.probes));
  for (uint32_t i = 0; i < count; i++)
    walk.bodies[i].child_count = walk.bodies[i].count = 0;
  link_child_bodies(tree, &walk);
  group_probes_by_body(tree, &walk);
  for (uint32_t i = 0; !error && i < count; i++)
    if (walk.order[i]->parent == PROBE_NO_BODY)
      error = walk_record_bodies(&walk, walk.order[i], visitor);
  free(walk.order);
  free(walk.probes);
  return error;
}

/* ==== Assembly: statements, words, and the current section with its group.
 * Text that looks like a comment is not split at semicolons, so a comment stays
 * complete. Code that is mistaken for a comment stays complete, too, which is
 * harmless. */

/* The section that the assembler is in. */
struct assembly_section {
  struct text_part group; /* group of the section, of size 0 if none */
  bool comdat;
};

struct section_stack {
  struct assembly_section now, previous, stack[64];
  unsigned depth;
};

struct assembly_scan_state {
  bool arm, riscv;
  bool hashes;  /* A # begins a comment anywhere in a line. */
  bool comment; /* The line is inside a comment of several lines. */
  struct section_stack sections;
};

/* ---- words ---- */

static bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/* Removes the next word from *rest. A word is the bytes up to a blank or comma,
 * or a quoted string with its quotes. Returns false if no word follows. */
static bool parse_next_word(struct text_part *rest, struct text_part *word) {
  const char *at = rest->at, *end = rest->at + rest->size;
  while (at < end && is_separator(*at))
    at++;
  word->at = at;
  if (at < end && *at == '"') {
    at++;
    while (at < end && *at != '"')
      at += *at == '\\' && end - at > 1 ? 2 : 1;
    at += at < end;
  } else
    while (at < end && !is_separator(*at))
      at++;
  word->size = (size_t)(at - word->at);
  *rest = (struct text_part){at, (size_t)(end - at)};
  return word->size != 0;
}

static bool word_equals(struct text_part word, const char *text) {
  return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

static bool parse_decimal_word(struct text_part word, uint64_t *value) {
  const struct bytes text = {(const unsigned char *)word.at, word.size};
  return parse_number_in_base(text, 10, value);
}

static struct text_part strip_quotes(struct text_part word) {
  if (word.size < 2 || *word.at != '"')
    return word;
  return (struct text_part){word.at + 1, word.size - 2};
}

/* Returns whether two words are the same name, with or without quotes. An empty
 * word is not equal to any word. */
static bool is_same_name(struct text_part a, struct text_part b) {
  a = strip_quotes(a);
  b = strip_quotes(b);
  return a.size == b.size && a.size && memcmp(a.at, b.at, a.size) == 0;
}

/* ---- sections ---- */

static bool has_section_flag(struct text_part flags, char flag) {
  return flags.size && memchr(flags.at, flag, flags.size);
}

/* Parses the operands of .section: NAME, "FLAGS", TYPE[, ENTRY SIZE][,
 * LINKED][, GROUP[, comdat]]. Returns the section's group. */
static struct assembly_section parse_section(struct text_part rest) {
  struct assembly_section place = {.comdat = false};
  struct text_part name, flags = {NULL, 0}, word;
  if (!parse_next_word(&rest, &name) || !parse_next_word(&rest, &flags) ||
      !parse_next_word(&rest, &word) || *flags.at != '"' ||
      !has_section_flag(flags, 'G'))
    return place;
  if (has_section_flag(flags, 'M'))
    parse_next_word(&rest, &word);
  if (has_section_flag(flags, 'o'))
    parse_next_word(&rest, &word);
  if (!parse_next_word(&rest, &place.group))
    place.group.size = 0;
  place.comdat = parse_next_word(&rest, &word) && word_equals(word, "comdat");
  return place;
}

static void switch_section(struct section_stack *places,
                           struct assembly_section place) {
  places->previous = places->now;
  places->now = place;
}

/* Handles a directive that may change the section. */
static void track_section(struct section_stack *places, struct text_part word,
                          struct text_part rest) {
  if (word_equals(word, ".section"))
    switch_section(places, parse_section(rest));
  else if (word_equals(word, ".text") || word_equals(word, ".data") ||
           word_equals(word, ".bss"))
    switch_section(places, (struct assembly_section){.comdat = false});
  else if (word_equals(word, ".pushsection")) {
    if (places->depth == sizeof places->stack / sizeof *places->stack)
      raise_error(".pushsection is nested 65 deep without .popsection; pass a "
                  "compiler's assembly");
    places->stack[places->depth++] = places->now;
    places->now = parse_section(rest);
  } else if (word_equals(word, ".popsection") && places->depth)
    places->now = places->stack[--places->depth];
  else if (word_equals(word, ".previous"))
    switch_section(places, places->previous);
}

/* ---- statements ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char char_at(struct text_part line, size_t i) {
  return i < line.size ? line.at[i] : '\n';
}

/* Returns whether a comment begins at line[i]. On Arm, #1 is a number, and @
 * begins a comment, except in .pseudoprobe. After a register such as %rax, or
 * an operator such as %hi, # begins a comment in the rest of the file. */
static bool track_comment_begin(struct assembly_scan_state *text,
                                struct text_part line, size_t i, bool first,
                                bool probe) {
  char c = line.at[i], next = char_at(line, i + 1);
  if (c == '%' && is_letter(next) && !text->arm)
    text->hashes = true;
  if (c == '/' && next == '*')
    text->comment = true;
  return (c == '/' && (next == '/' || next == '*')) ||
         (c == '@' && text->arm && !probe) ||
         (c == '#' && (text->hashes || text->riscv || first || is_blank(next) ||
                       next == '\n' || next == '#'));
}

/* Returns the index after a string or a character in quotes, where line[i] is
 * the first quote.
 */
static size_t find_quote_end(struct text_part line, size_t i) {
  if (line.at[i] == '"') {
    while (++i < line.size && line.at[i] != '"')
      i += line.at[i] == '\\';
    return i + 1;
  }
  i += char_at(line, i + 1) == '\\' ? 3 : 2;
  return i + (char_at(line, i) == '\'');
}

/* Returns whether the line begins in a comment of several lines. Recognises the
 * end of the comment. */
static bool track_block_comment(struct assembly_scan_state *text,
                                struct text_part line) {
  bool was = text->comment;
  for (size_t i = 0; text->comment && i + 1 < line.size; i++)
    if (line.at[i] == '*' && line.at[i + 1] == '/')
      text->comment = false;
  return was;
}

/* Returns the first statement of a line, without the semicolon after it. */
static struct text_part parse_first_statement(struct assembly_scan_state *text,
                                              struct text_part line) {
  struct text_part rest = line, word;
  bool first = true;
  bool probe =
      parse_next_word(&rest, &word) && word_equals(word, ".pseudoprobe");
  for (size_t i = 0; i < line.size;) {
    char c = line.at[i];
    if (c == ';')
      return (struct text_part){line.at, i};
    if (track_comment_begin(text, line, i, first, probe)) {
      if (text->comment)
        track_block_comment(
            text, (struct text_part){line.at + i + 2, line.size - i - 2});
      return line;
    }
    first &= is_blank(c);
    i = c == '"' || c == '\'' ? find_quote_end(line, i) : i + 1;
  }
  return line;
}

/* ==== Probes and functions. */

struct lowered_function {
  struct text_part name; /* name in the assembly, perhaps with quotes */
  uint64_t guid;
  struct assembly_section place;
  bool labelled; /* The label .Lbareprof_beginN marks the function's start. */
};

struct lowered_probe {
  uint32_t index, discriminator;
  uint8_t type, attributes;
};

struct lowering_state {
  FILE *stream;
  struct bytes assembly; /* the assembly that has not been read yet */
  size_t line;           /* number of the current line; 0: none yet */
  enum probe_lowering_mode how;
  struct assembly_scan_state text;
  bool wide;               /* Pointers have 8 bytes. */
  struct text_part typed;  /* last symbol that .type declares as a function */
  uint32_t current;        /* index of the current function, or PROBE_NO_BODY */
  struct buffer functions; /* list of struct lowered_function */
  struct buffer probes;    /* list of struct lowered_probe; a probe's label is
                              .Lbareprof_probeN */
  struct probe_tree tree;  /* the probes by body; the site of a record is the
                              index of its function */
  struct map numbers;      /* map from the MD5 of a name to the function's
                              index */
};

/* ==== Functions by name. */

static struct lowered_function *
get_lowered_function(const struct lowering_state *l, uint32_t number) {
  return (struct lowered_function *)l->functions.data + number;
}

static const struct lowered_probe *
get_lowered_probe(const struct lowering_state *l, uint32_t number) {
  return (const struct lowered_probe *)l->probes.data + number;
}

/* Returns the index of the function with this name. Adds a new function. */
static uint32_t find_or_add_function(struct lowering_state *l,
                                     struct text_part word) {
  struct text_part name = strip_quotes(word);
  const struct lowered_function made = {.name = word,
                                        .guid = md5_low64(name.at, name.size),
                                        .place = l->text.sections.now};
  bool is_new;
  size_t place =
      map_find_or_assign_number(&l->numbers, (uint64_t[3]){made.guid}, &is_new);
  if (!place)
    need_memory(NULL);
  if (is_new)
    need_append(&l->functions, &made, sizeof made);
  return (uint32_t)place - 1;
}

/* ==== Reading the assembly line by line. */

/* ---- functions ---- */

/* Begins a function. Writes an additional label at its start, because bit 0 of
 * a Thumb function's symbol is set. */
static void begin_lowered_function(struct lowering_state *l,
                                   struct text_part name) {
  l->current = find_or_add_function(l, name);
  struct lowered_function *function = get_lowered_function(l, l->current);
  if (function->labelled)
    raise_error("a function begins twice; pass a compiler's assembly");
  function->labelled = true;
  function->place = l->text.sections.now;
  fprintf(l->stream, ".Lbareprof_begin%u:\n", (unsigned)l->current);
}

/* ---- directives ---- */

static const char wrong[] = "this .pseudoprobe does not have clang's format; "
                            "pass the output of `clang -S`";

/* Parses the next word as a number and removes it from *rest. Returns false if
 * the word is not a number. */
static bool parse_number(struct text_part *rest, uint64_t *value) {
  struct text_part after = *rest, word;
  if (!parse_next_word(&after, &word) || !parse_decimal_word(word, value))
    return false;
  *rest = after;
  return true;
}

/* Parses GUID INDEX TYPE [ATTRIBUTES [DISCRIMINATOR]]. The first patches of
 * 2020 do not print attributes. */
static bool parse_probe_numbers(struct text_part *rest, uint64_t *guid,
                                struct lowered_probe *probe) {
  uint64_t index, type, attributes = 0, discriminator = 0;
  if (!parse_number(rest, guid) || !parse_number(rest, &index) ||
      !parse_number(rest, &type))
    return false;
  if (parse_number(rest, &attributes))
    parse_number(rest, &discriminator);
  if (index > UINT32_MAX || type > 15 || attributes > 7 ||
      discriminator > UINT32_MAX)
    return false;
  probe->index = (uint32_t)index;
  probe->type = (uint8_t)type;
  probe->attributes = (uint8_t)attributes;
  probe->discriminator = (uint32_t)discriminator;
  /* clang does not print the attribute bit that announces a discriminator. */
  if (probe->discriminator)
    probe->attributes |= 4;
  return true;
}

/* Parses @ GUID:SITE. Returns false, and leaves *rest unchanged, if other text
 * follows. */
static bool parse_caller(struct text_part *rest, uint64_t *guid,
                         uint32_t *site) {
  struct text_part after = *rest, word;
  if (!parse_next_word(&after, &word) || *word.at != '@')
    return false;
  if (word.size > 1)
    word = (struct text_part){word.at + 1, word.size - 1};
  else if (!parse_next_word(&after, &word))
    return false;
  const char *colon = memchr(word.at, ':', word.size);
  if (!colon)
    return false;
  struct text_part left = {word.at, (size_t)(colon - word.at)};
  struct text_part right = {colon + 1, word.size - left.size - 1};
  uint64_t wide;
  if (!parse_decimal_word(left, guid) || !parse_decimal_word(right, &wide) ||
      wide > UINT32_MAX)
    return false;
  *site = (uint32_t)wide;
  *rest = after;
  return true;
}

/* Finds the function whose code contains the probe. The next word is the name
 * of this function. Until clang 15, this name is missing; then the probe
 * belongs to the function that contains the directive. */
static uint32_t parse_probe_function(struct lowering_state *l,
                                     struct text_part rest) {
  struct text_part word;
  if (parse_next_word(&rest, &word) && !memchr("#@/;", *word.at, 4)) {
    if (digit_value((unsigned char)*word.at) < 10)
      raise_error(wrong);
    return find_or_add_function(l, word);
  }
  if (l->current == PROBE_NO_BODY)
    raise_error("this .pseudoprobe is outside of a function; pass the output "
                "of `clang -S`");
  return l->current;
}

static void lower_probe_directive(struct lowering_state *l,
                                  struct text_part rest) {
  struct lowered_probe probe = {0};
  uint64_t guids[PROBE_DEPTH_MOST + 1];
  uint32_t sites[PROBE_DEPTH_MOST + 1], depth = 0, body = PROBE_NO_BODY;
  uint64_t guid;
  if (!parse_probe_numbers(&rest, &guid, &probe))
    raise_error(wrong);
  while (depth < PROBE_DEPTH_MOST &&
         parse_caller(&rest, &guids[depth], &sites[depth + 1]))
    depth++;
  guids[depth] = guid;
  sites[0] = parse_probe_function(l, rest);
  for (uint32_t i = 0; i <= depth; i++) {
    const struct probe_body wanted = {
        .guid = guids[i], .parent = body, .site = sites[i]};
    body = probe_tree_find_or_add_body(&l->tree, &wanted);
  }
  uint32_t number = (uint32_t)(l->probes.size / sizeof probe);
  probe_tree_add_probe(&l->tree, body, number);
  need_append(&l->probes, &probe, sizeof probe);
  fprintf(l->stream, ".Lbareprof_probe%u:", (unsigned)number);
}

/* ---- statements ---- */

/* Detects the machine. clang writes one of these directives near the top. */
static void detect_machine(struct lowering_state *l, struct text_part word,
                           struct text_part rest) {
  if (word_equals(word, ".syntax") || word_equals(word, ".eabi_attribute"))
    l->text.arm = true;
  if (!word_equals(word, ".attribute"))
    return;
  for (size_t i = 0; i + 4 <= rest.size; i++)
    if (memcmp(rest.at + i, "rv32", 4) == 0 ||
        memcmp(rest.at + i, "rv64", 4) == 0) {
      l->text.riscv = true;
      l->wide = rest.at[i + 2] == '6';
    }
}

static void parse_type_operands(struct lowering_state *l,
                                struct text_part rest) {
  struct text_part name, type;
  if (parse_next_word(&rest, &name) && parse_next_word(&rest, &type) &&
      type.size == 9 && memcmp(type.at + 1, "function", 8) == 0)
    l->typed = name;
}

static bool parse_label(struct text_part word, struct text_part *name) {
  if (word.size < 2 || word.at[word.size - 1] != ':')
    return false;
  *name = (struct text_part){word.at, word.size - 1};
  return true;
}

static void lower_statement(struct lowering_state *l,
                            struct text_part statement) {
  struct text_part rest = statement, word = {"", 0}, name;
  bool any = parse_next_word(&rest, &word);
  if (word_equals(word, ".pseudoprobe")) {
    lower_probe_directive(l, rest);
    return;
  }
  /* A hint for lld, which GNU as does not know. */
  if (word_equals(word, ".addrsig") || word_equals(word, ".addrsig_sym"))
    return;
  part_print_text(l->stream, statement);
  if (!any)
    return;
  if (*word.at == '"' && rest.size && *rest.at == ':')
    name = word;
  else if (!parse_label(word, &name)) {
    detect_machine(l, word, rest);
    if (word_equals(word, ".type"))
      parse_type_operands(l, rest);
    track_section(&l->text.sections, word, rest);
    return;
  }
  if (is_same_name(name, l->typed)) {
    fputc('\n', l->stream);
    begin_lowered_function(l, name);
  }
}

static void lower_line(struct lowering_state *l, struct text_part line) {
  if (track_block_comment(&l->text, line)) {
    part_print_text(l->stream, line);
    return;
  }
  for (;;) {
    struct text_part statement = parse_first_statement(&l->text, line);
    lower_statement(l, statement);
    part_cut_front(&line, statement.size);
    if (!line.size)
      return;
    /* The next statement has its own line, because labels may precede it. */
    part_cut_front(&line, 1);
    fputc('\n', l->stream);
  }
}

/* ==== Writing the sections, with directives that GNU as and clang know. */

struct probe_section_writer {
  struct lowering_state *lowering;
  uint32_t function;
  uint32_t last; /* previous probe; PROBE_NO_BODY stands for the start of the
                    function */
};

/* Ties the section to the code of the function, so that linkers drop both
 * together. The section is in the COMDAT group of the code, or else has the
 * flag o. The section does not have both, because assemblers disagree about the
 * order of their operands. clang 14 writes groups without comdat, which no LLVM
 * assembler can read, so sections in such groups get the flag o. */
static void print_section_directive(const struct lowering_state *l,
                                    uint32_t number) {
  const struct lowered_function *function = get_lowered_function(l, number);
  bool grouped = function->place.comdat;
  fprintf(l->stream, "\t.section\t.pseudo_probe,\"%c\",%cprogbits,",
          grouped ? 'G' : 'o', l->text.arm ? '%' : '@');
  part_print_text(l->stream, grouped ? function->place.group : function->name);
  fputs(grouped ? ",comdat\n" : "\n", l->stream);
}

static void print_function_begin(const struct lowering_state *l,
                                 uint32_t number) {
  const struct lowered_function *function = get_lowered_function(l, number);
  if (function->labelled)
    fprintf(l->stream, ".Lbareprof_begin%u", (unsigned)number);
  else
    part_print_text(l->stream, function->name);
}

static bool probe_data_has_addresses(const struct lowering_state *l) {
  return l->how == LOWER_ABSOLUTE || (l->how == LOWER_AUTO && l->text.riscv);
}

static const char *print_body_head(void *context,
                                   const struct probe_body *body) {
  struct probe_section_writer *writer = context;
  struct lowering_state *l = writer->lowering;
  bool whole = body->parent == PROBE_NO_BODY, sentinel = false;
  uint64_t guid = 0;
  if (whole) {
    guid = get_lowered_function(l, body->site)->guid;
    sentinel = guid != body->guid && !probe_data_has_addresses(l);
    writer->function = body->site;
    writer->last = PROBE_NO_BODY;
    print_section_directive(l, body->site);
  } else
    fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n", body->site);
  fprintf(l->stream,
          "\t.8byte\t0x%" PRIx64 "\n\t.uleb128\t%" PRIu32
          "\n\t.uleb128\t%" PRIu32 "\n",
          body->guid, body->count + sentinel, body->child_count);
  if (sentinel)
    fprintf(l->stream, "\t.byte\t0, 0x20\n\t.8byte\t0x%" PRIx64 "\n", guid);
  return NULL;
}

/* Prints the address of a probe, or its distance from the last probe (for the
 * first probe, from the function's beginning). */
static void print_probe_address(const struct probe_section_writer *writer,
                                uint32_t number) {
  const struct lowering_state *l = writer->lowering;
  FILE *stream = l->stream;
  if (probe_data_has_addresses(l)) {
    fprintf(stream, "\t.%dbyte\t.Lbareprof_probe%u\n%s", l->wide ? 8 : 4,
            (unsigned)number, l->wide ? "" : "\t.4byte\t0\n");
    return;
  }
  fprintf(stream, "\t.sleb128\t.Lbareprof_probe%u-", (unsigned)number);
  if (writer->last == PROBE_NO_BODY)
    print_function_begin(l, writer->function);
  else
    fprintf(stream, ".Lbareprof_probe%u", (unsigned)writer->last);
  fputc('\n', stream);
}

static const char *print_probe_data(void *context, uint32_t number) {
  struct probe_section_writer *writer = context;
  const struct lowering_state *l = writer->lowering;
  const struct lowered_probe *probe = get_lowered_probe(l, number);
  fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n\t.byte\t0x%x\n", probe->index,
          (unsigned)(probe->type | probe->attributes << 4 |
                     (probe_data_has_addresses(l) ? 0 : 0x80)));
  print_probe_address(writer, number);
  writer->last = number;
  if (probe->attributes & 4)
    fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n", probe->discriminator);
  return NULL;
}

/* ==== The whole assembly file. */

static void lower_assembly(void *context) {
  struct lowering_state *l = context;
  struct bytes line;
  if (l->assembly.size && memchr(l->assembly.data, 0, l->assembly.size))
    raise_error("this is not assembly; pass the output of `clang -S`");
  for (l->line = 1; bytes_next_line(&l->assembly, &line); l->line++) {
    lower_line(l, (struct text_part){(const char *)line.data, line.size});
    fputc('\n', l->stream);
  }
  l->line = 0;
  struct probe_section_writer writer = {.lowering = l};
  const struct probe_visitor visitor = {&writer, print_body_head,
                                        print_probe_data};
  l->wide = l->wide && !l->text.arm;
  raise_if_error(probe_tree_walk(&l->tree, &visitor));
}

const char *probes_lower_assembly(FILE *stream, struct bytes assembly,
                                  enum probe_lowering_mode how, size_t *line) {
  struct lowering_state l = {.stream = stream,
                             .assembly = assembly,
                             .how = how,
                             .wide = true,
                             .current = PROBE_NO_BODY,
                             .functions = {.limit = (size_t)1 << 30},
                             .probes = {.limit = (size_t)1 << 30},
                             .numbers = {.limit = UINT32_MAX - 1}};
  probe_tree_init(&l.tree);
  const char *error = catch_error(lower_assembly, &l);
  *line = l.line;
  probe_tree_free(&l.tree);
  buffer_free(&l.functions);
  buffer_free(&l.probes);
  map_free(&l.numbers);
  return error;
}
