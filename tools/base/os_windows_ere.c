/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements regular expressions on Windows. A pattern is compiled to steps of
 * a machine. To repeat a piece of the pattern, its steps are copied. The first
 * half of the file runs the machine over a text, the second half compiles
 * patterns.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ere.h"
#include "storage.h"

/* The kinds of steps to which a pattern is compiled. */
enum ere_step_kind {
  STEP_BYTE,
  STEP_SET,
  STEP_ANY,
  STEP_BOTH, /* the machine tries the next step, then step `value` */
  STEP_BACK, /* the machine tries step `value`, then the next step */
  STEP_TO,
  STEP_OPEN, /* STEP_OPEN and STEP_CLOSE: the start and end of the first
                group */
  STEP_CLOSE,
  STEP_BEGIN, /* the start of the text; the next steps are positions, too */
  STEP_END,
  STEP_EDGE,
  STEP_NO_EDGE,
  STEP_WORD_BEGIN,
  STEP_WORD_END,
  STEP_FOUND
};

struct ere_step {
  enum ere_step_kind kind;
  unsigned value; /* a byte, the index of a set, or the index of a step */
};

struct ere_byte_set {
  unsigned char bits[32];
};

struct ere_program {
  struct ere_step *steps;
  size_t count;
  struct ere_byte_set *sets;
  size_t set_count;
};

static inline bool ere_set_has(const struct ere_byte_set *set,
                               unsigned char byte) {
  return set->bits[byte / 8] >> byte % 8 & 1;
}

static inline bool ere_is_word_byte(unsigned char byte) {
  return byte == '_' || (byte < 0x80 && isalnum(byte));
}

/* ==== The machine runs the steps of a pattern over a text. All alternatives
 * advance together, so the run time does not grow exponentially with the length
 * of the text. */

struct ere_state {
  unsigned step;
  const char *begin, *open, *close; /* the start of the match; the start and end
                                       of its first group */
};

/* The current steps of the machine; each step occurs once. If several ways lead
 * to a step, the first way is kept. */
struct ere_states {
  struct ere_state *list;
  size_t count;
  unsigned *mark; /* for each step, the round in which it was added */
};

struct ere_machine {
  const struct ere_program *program;
  struct ere_state *stack;
  unsigned round;
  const char *text, *at;
  bool any; /* the caller only needs to know whether there is a match */
  struct ere_state best;
  const char *end; /* the end of the best match; NULL: none was found so far */
};

static bool is_at_position(const struct ere_machine *machine,
                           enum ere_step_kind kind) {
  bool before = machine->at > machine->text &&
                ere_is_word_byte((unsigned char)machine->at[-1]);
  bool after = ere_is_word_byte((unsigned char)*machine->at);
  switch (kind) {
  case STEP_BEGIN:
    return machine->at == machine->text;
  case STEP_END:
    return !*machine->at;
  case STEP_EDGE:
    return before != after;
  case STEP_NO_EDGE:
    return before == after;
  case STEP_WORD_BEGIN:
    return !before && after;
  case STEP_WORD_END:
    return before && !after;
  default:
    return true;
  }
}

/* Keeps the better of two matches: the leftmost match, then the longest, then
 * the first. */
static void keep_better_match(struct ere_machine *machine,
                              const struct ere_state *way) {
  if (machine->end &&
      (way->begin > machine->best.begin ||
       (way->begin == machine->best.begin && machine->at <= machine->end)))
    return;
  machine->best = *way;
  machine->end = machine->at;
}

/* Adds a step, and all steps that the machine reaches from it without consuming
 * a byte. */
static void add_reachable_states(struct ere_machine *machine,
                                 struct ere_states *places,
                                 struct ere_state way) {
  size_t waiting = 0;
  machine->stack[waiting++] = way;
  while (waiting) {
    way = machine->stack[--waiting];
    if (places->mark[way.step] == machine->round)
      continue;
    places->mark[way.step] = machine->round;
    const struct ere_step *is = &machine->program->steps[way.step];
    struct ere_state here = way, there = way;
    here.step++;
    there.step = is->value;
    if (is->kind == STEP_FOUND) {
      keep_better_match(machine, &way);
    } else if (is->kind <= STEP_ANY) {
      places->list[places->count++] = way;
    } else if (is->kind == STEP_TO) {
      machine->stack[waiting++] = there;
    } else if (is->kind == STEP_BOTH || is->kind == STEP_BACK) {
      bool back = is->kind == STEP_BACK;
      machine->stack[waiting++] = back ? here : there;
      machine->stack[waiting++] = back ? there : here;
    } else if (is_at_position(machine, is->kind)) {
      if (is->kind == STEP_OPEN)
        here.open = machine->at;
      if (is->kind == STEP_CLOSE)
        here.close = machine->at;
      machine->stack[waiting++] = here;
    }
  }
}

static bool step_matches(const struct ere_machine *machine, unsigned step,
                         unsigned char byte) {
  const struct ere_step *is = &machine->program->steps[step];
  return is->kind == STEP_ANY ||
         (is->kind == STEP_BYTE
              ? is->value == byte
              : ere_set_has(&machine->program->sets[is->value], byte));
}

static void run_machine(struct ere_machine *machine, struct ere_states *now,
                        struct ere_states *next) {
  for (;;) {
    /* A new match begins at this byte only if no match has been found. */
    const struct ere_state begin = {0, machine->at, NULL, NULL};
    if (!machine->end)
      add_reachable_states(machine, now, begin);
    if (!*machine->at || (machine->end && (machine->any || !now->count)))
      return;
    unsigned char byte = (unsigned char)*machine->at++;
    next->count = 0;
    machine->round++;
    for (size_t i = 0; i < now->count; i++)
      if (step_matches(machine, now->list[i].step, byte)) {
        struct ere_state way = now->list[i];
        way.step++;
        add_reachable_states(machine, next, way);
      }
    struct ere_states swap = *now;
    *now = *next;
    *next = swap;
  }
}

static bool find_match(const struct ere_program *program, const char *text,
                       struct ere_machine *machine) {
  /* The stack holds at most two entries for each step. */
  size_t count = program->count + 1;
  struct ere_state *ways = calloc(count, 4 * sizeof *ways);
  unsigned *marks = calloc(count, 2 * sizeof *marks);
  if (ways && marks) {
    struct ere_states now = {ways, 0, marks};
    struct ere_states next = {ways + count, 0, marks + count};
    machine->program = program;
    machine->stack = ways + 2 * count;
    machine->round = 1;
    machine->text = machine->at = text;
    run_machine(machine, &now, &next);
  }
  free(ways);
  free(marks);
  return machine->end;
}

bool ere_matches(const struct ere *ere, const char *text) {
  struct ere_machine machine = {.any = true};
  return find_match(ere->program, text, &machine);
}

bool ere_find(const struct ere *ere, const char *text, struct ere_span *span) {
  struct ere_machine machine = {.any = false};
  if (!find_match(ere->program, text, &machine))
    return false;
  bool group = machine.best.open && machine.best.close;
  const char *begin = group ? machine.best.open : machine.best.begin;
  const char *end = group ? machine.best.close : machine.end;
  *span = (struct ere_span){(size_t)(begin - text), (size_t)(end - text)};
  return true;
}

/* ==== The next functions compile patterns. */

enum { STEPS_MOST = 1 << 16, DEPTH_MOST = 200, REPEATS_MOST = 0x7FFF };

struct ere_parser {
  struct ere_program *program;
  const char *at;
  unsigned depth;
  bool has_group;
  const char *error;
};

static const char too_big[] = "Regular expression too big";

/* ---- steps ---- */

static size_t append_ere_step(struct ere_parser *parser,
                              enum ere_step_kind kind, size_t value) {
  struct ere_program *program = parser->program;
  if (program->count == STEPS_MOST) {
    parser->error = too_big;
    return 0;
  }
  if (!list_make_room(&program->steps, program->count,
                      sizeof *program->steps)) {
    parser->error = "Memory exhausted";
    return 0;
  }
  program->steps[program->count] = (struct ere_step){kind, (unsigned)value};
  return program->count++;
}

static bool is_jump(enum ere_step_kind kind) {
  return kind == STEP_BOTH || kind == STEP_BACK || kind == STEP_TO;
}

/* Inserts a step at an index. The later steps move, and the indices of steps in
 * them are adjusted. */
static void insert_step(struct ere_parser *parser, size_t place,
                        enum ere_step_kind kind, size_t value) {
  struct ere_program *program = parser->program;
  append_ere_step(parser, STEP_FOUND, 0);
  if (parser->error)
    return;
  for (size_t i = program->count - 1; i > place; i--) {
    program->steps[i] = program->steps[i - 1];
    if (is_jump(program->steps[i].kind))
      program->steps[i].value++;
  }
  program->steps[place] = (struct ere_step){kind, (unsigned)value};
}

/* ---- brackets ---- */

static void add_byte_to_set(struct ere_byte_set *set, unsigned byte) {
  set->bits[byte / 8] |= (unsigned char)(1u << byte % 8);
}

static const struct {
  const char *name;
  int (*is)(int);
} classes[] = {{"alpha", isalpha}, {"digit", isdigit},  {"alnum", isalnum},
               {"upper", isupper}, {"lower", islower},  {"space", isspace},
               {"punct", ispunct}, {"print", isprint},  {"graph", isgraph},
               {"cntrl", iscntrl}, {"xdigit", isxdigit}};

/* Parses the name between [: and :], and adds the bytes of the class to the
 * set. */
static const char *parse_class(struct ere_byte_set *set, const char *name,
                               size_t size) {
  static const char blank[] = "blank";
  if (size == sizeof blank - 1 && memcmp(name, blank, size) == 0) {
    add_byte_to_set(set, ' ');
    add_byte_to_set(set, '\t');
    return NULL;
  }
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strlen(classes[i].name) == size &&
        memcmp(classes[i].name, name, size) == 0) {
      for (int byte = 0; byte < 0x80; byte++)
        if (classes[i].is(byte))
          add_byte_to_set(set, (unsigned)byte);
      return NULL;
    }
  return "Invalid character class name";
}

static const char unclosed[] = "Unmatched [, [^, [:, [., or [=";

/* Parses an element of a bracket: a byte, or a class. For a class, *byte stays
 * negative. */
static const char *parse_bracket_element(struct ere_parser *parser,
                                         struct ere_byte_set *set, int *byte) {
  const char *at = parser->at;
  char form = at[1];
  *byte = -1;
  if (!*at)
    return unclosed;
  if (*at != '[' || !form || !strchr(":.=", form)) {
    *byte = (unsigned char)*at;
    parser->at++;
    return NULL;
  }
  const char *name = at + 2, *end = name;
  while (*end && !(end[0] == form && end[1] == ']'))
    end++;
  if (!*end)
    return unclosed;
  parser->at = end + 2;
  if (form == ':')
    return parse_class(set, name, (size_t)(end - name));
  if (end != name + 1)
    return "Invalid collation character";
  if (form == '=')
    add_byte_to_set(set, (unsigned char)*name);
  else
    *byte = (unsigned char)*name;
  return NULL;
}

static const char *parse_bracket_elements(struct ere_parser *parser,
                                          struct ere_byte_set *set) {
  static const char bad_range[] = "Invalid range end";
  for (bool first = true; first || *parser->at != ']'; first = false) {
    int low, high;
    const char *at = parser->at;
    if (!first && at[0] == '-' && at[1] && at[1] != ']')
      return bad_range;
    bool was_class = at[0] == '[' && at[1] && strchr(":=", at[1]);
    const char *error = parse_bracket_element(parser, set, &low);
    if (error)
      return error;
    high = low;
    at = parser->at;
    if (at[0] == '-' && at[1] && at[1] != ']') {
      parser->at++;
      bool is_class = at[1] == '[' && at[2] && strchr(":=", at[2]);
      error = parse_bracket_element(parser, set, &high);
      if (error)
        return error;
      if (was_class || is_class || low > high)
        return bad_range;
    }
    for (int byte = low; byte >= 0 && byte <= high; byte++)
      add_byte_to_set(set, (unsigned)byte);
  }
  parser->at++;
  return NULL;
}

static void append_set_step(struct ere_parser *parser,
                            const struct ere_byte_set *set) {
  struct ere_program *program = parser->program;
  if (!list_make_room(&program->sets, program->set_count,
                      sizeof *program->sets)) {
    parser->error = "Memory exhausted";
    return;
  }
  program->sets[program->set_count] = *set;
  append_ere_step(parser, STEP_SET, program->set_count++);
}

static void invert_set(struct ere_byte_set *set) {
  for (unsigned i = 0; i < sizeof set->bits; i++)
    set->bits[i] = (unsigned char)~set->bits[i];
}

static void parse_bracket(struct ere_parser *parser) {
  struct ere_byte_set set = {{0}};
  bool other = *parser->at == '^';
  parser->at += other;
  parser->error = *parser->at ? parse_bracket_elements(parser, &set)
                              : "Invalid regular expression";
  if (other)
    invert_set(&set);
  if (!parser->error)
    append_set_step(parser, &set);
}

/* ---- pieces ---- */

static void parse_alternatives(struct ere_parser *parser);

static void parse_named_set(struct ere_parser *parser, char name) {
  struct ere_byte_set set = {{0}};
  bool word = name == 'w' || name == 'W';
  for (unsigned byte = 0; byte < 256; byte++)
    if (word ? ere_is_word_byte((unsigned char)byte)
             : byte < 0x80 && isspace((int)byte))
      add_byte_to_set(&set, byte);
  if (name == 'W' || name == 'S')
    invert_set(&set);
  append_set_step(parser, &set);
}

/* Parses the part of an escape after the backslash. Returns true if it is a
 * position, which cannot be repeated. */
static bool parse_escape(struct ere_parser *parser) {
  static const char places[] = "`'bB<>";
  static const enum ere_step_kind kinds[] = {STEP_BEGIN,      STEP_END,
                                             STEP_EDGE,       STEP_NO_EDGE,
                                             STEP_WORD_BEGIN, STEP_WORD_END};
  char c = *parser->at;
  const char *place = c ? strchr(places, c) : NULL;
  if (!c) {
    parser->error = "Trailing backslash";
    return false;
  }
  parser->at++;
  if (place)
    append_ere_step(parser, kinds[place - places], 0);
  else if (strchr("wWsS", c))
    parse_named_set(parser, c);
  else if (c >= '1' && c <= '9')
    parser->error = "Invalid back reference";
  else
    append_ere_step(parser, STEP_BYTE, (unsigned char)c);
  return place;
}

static void parse_group(struct ere_parser *parser) {
  bool first = !parser->has_group;
  parser->has_group = true;
  if (first)
    append_ere_step(parser, STEP_OPEN, 0);
  if (++parser->depth > DEPTH_MOST)
    parser->error = too_big;
  else if (!parser->error)
    parse_alternatives(parser);
  parser->depth--;
  if (!parser->error && *parser->at != ')')
    parser->error = "Unmatched ( or \\(";
  parser->at++;
  if (first && !parser->error)
    append_ere_step(parser, STEP_CLOSE, 0);
}

/* Parses a part of the pattern that can be repeated, or a position. Returns
 * true for a position. */
static bool parse_atom(struct ere_parser *parser) {
  char c = *parser->at++;
  switch (c) {
  case '(':
    parse_group(parser);
    return false;
  case '[':
    parse_bracket(parser);
    return false;
  case '\\':
    return parse_escape(parser);
  case '.':
    append_ere_step(parser, STEP_ANY, 0);
    return false;
  case '^':
    append_ere_step(parser, STEP_BEGIN, 0);
    return true;
  case '$':
    append_ere_step(parser, STEP_END, 0);
    return true;
  case '*':
  case '+':
  case '?':
  case '{':
    parser->error = "Invalid preceding regular expression";
    return false;
  default:
    append_ere_step(parser, STEP_BYTE, (unsigned char)c);
    return false;
  }
}

/* ---- repetitions ---- */

enum { NO_END = -1 };

/* Parses the text up to a comma or the closing brace. Returns the number, -1 if
 * the text is empty, or -2 for any other text. */
static int parse_repeat_number(struct ere_parser *parser) {
  int number = -1;
  for (; *parser->at && *parser->at != ',' && *parser->at != '}'; parser->at++)
    if (number == -2 || *parser->at < '0' || *parser->at > '9')
      number = -2;
    else if (number <= REPEATS_MOST)
      number = (number < 0 ? 0 : 10 * number) + (*parser->at - '0');
  return number;
}

/* Parses {M}, {M,}, {,N} or {M,N}, after the opening brace. */
static void parse_interval(struct ere_parser *parser, int *least, int *most) {
  *least = *most = parse_repeat_number(parser);
  bool two = *parser->at == ',';
  if (two) {
    parser->at++;
    *least = *least == -1 ? 0 : *least;
    *most = parse_repeat_number(parser);
  }
  if (!*parser->at)
    parser->error = "Unmatched \\{";
  else if (*parser->at != '}' || *least < 0 || *most == -2 ||
           (*most != NO_END && *most < *least))
    parser->error = "Invalid content of \\{\\}";
  else if (*most > REPEATS_MOST || *least > REPEATS_MOST)
    parser->error = too_big;
  parser->at++;
}

static void append_copied_steps(struct ere_parser *parser, size_t begin,
                                size_t end) {
  size_t moved = parser->program->count - begin;
  for (size_t i = begin; i < end && !parser->error; i++) {
    struct ere_step step = parser->program->steps[i];
    append_ere_step(parser, step.kind,
                    is_jump(step.kind) ? step.value + moved : step.value);
  }
}

static void repeat_piece(struct ere_parser *parser, size_t begin, int least,
                         int most) {
  struct ere_program *program = parser->program;
  size_t end = program->count;
  if (most == 0) {
    program->count = begin;
    return;
  }
  for (int i = 1; i < least && !parser->error; i++)
    append_copied_steps(parser, begin, end);
  if (most == NO_END && least) {
    /* The last copy may repeat any number of times. */
    append_ere_step(parser, STEP_BACK, program->count - (end - begin));
    return;
  }
  if (least == 0) {
    insert_step(parser, begin, STEP_BOTH, end + 1);
    end++;
    if (most == NO_END) {
      append_ere_step(parser, STEP_TO, begin);
      if (!parser->error)
        program->steps[begin].value = (unsigned)program->count;
      return;
    }
    for (int i = 1; i < most && !parser->error; i++)
      append_copied_steps(parser, begin, end);
    return;
  }
  for (int i = least; i < most && !parser->error; i++) {
    size_t both = append_ere_step(parser, STEP_BOTH, 0);
    append_copied_steps(parser, begin, end);
    if (!parser->error)
      program->steps[both].value = (unsigned)program->count;
  }
}

static void parse_piece(struct ere_parser *parser) {
  size_t begin = parser->program->count;
  if (parse_atom(parser))
    return;
  while (!parser->error && *parser->at && strchr("*+?{", *parser->at)) {
    char c = *parser->at++;
    int least = c == '+', most = c == '?' ? 1 : NO_END;
    if (c == '{')
      parse_interval(parser, &least, &most);
    if (!parser->error)
      repeat_piece(parser, begin, least, most);
  }
}

static bool is_alternative_end(const struct ere_parser *parser) {
  char c = *parser->at;
  return !c || c == '|' || (c == ')' && parser->depth);
}

static void parse_alternatives(struct ere_parser *parser) {
  struct ere_program *program = parser->program;
  size_t begin = program->count;
  for (;;) {
    while (!parser->error && !is_alternative_end(parser))
      parse_piece(parser);
    if (parser->error || *parser->at != '|')
      return;
    parser->at++;
    /* Adds a choice between all steps so far and the next alternative. After
     * the steps so far, a jump leads past the next alternative. */
    insert_step(parser, begin, STEP_BOTH, 0);
    size_t out = append_ere_step(parser, STEP_TO, 0);
    if (parser->error)
      return;
    program->steps[begin].value = (unsigned)program->count;
    while (!parser->error && !is_alternative_end(parser))
      parse_piece(parser);
    program->steps[out].value = (unsigned)program->count;
  }
}

static void free_program(struct ere_program *program) {
  free(program->steps);
  free(program->sets);
  free(program);
}

const char *ere_compile(struct ere *ere, const char *text) {
  struct ere_parser parser = {.program = calloc(1, sizeof *parser.program),
                              .at = text};
  *ere = (struct ere){0};
  if (!parser.program)
    return "Memory exhausted";
  parse_alternatives(&parser);
  if (!parser.error)
    append_ere_step(&parser, STEP_FOUND, 0);
  if (parser.error)
    free_program(parser.program);
  else
    ere->program = parser.program;
  return parser.error;
}

void ere_free(struct ere *ere) {
  if (ere->program)
    free_program(ere->program);
  ere->program = NULL;
}
