/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Builds the control-flow graph of a function in IR text, computes its numbers,
 * and lists the functions that always return. The input is a function's lines;
 * byte_places.c and trace_assembly.c use the graph. cfg_parse finds the blocks
 * and edges first, then the variable through which clang leaves scopes, then
 * the numbers.
 */
#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/llvm.h"
#include "byte_counters.h"

/* ---- numbers of arcs ----
 *
 * The states (a block and the variable's value) are the nodes of a graph, whose
 * edges are called arcs. The first arcs to all states make a spanning tree. All
 * other arcs get random numbers. From these, the numbers of the tree's arcs are
 * computed, from the last state to the first. Numbers are modulo 2^64. */

#define NO_EDGE SIZE_MAX

/* A state: a block, and the value that the variable has in this block. */
struct block_state {
  size_t block;
  uint64_t value;   /* the value; 0: unknown */
  size_t tree_arc; /* the tree's arc to this state */
  uint64_t sum;     /* the sum of the numbers of outgoing arcs minus the sum of
                     the numbers of incoming arcs */
  bool ends;        /* a path leads from this state to the function's end */
};

struct state_arc {
  size_t from, to; /* the indices of the states */
  size_t edge;     /* the index of the edge; NO_EDGE: the arc leads from the
                      function's end to its beginning */
  uint64_t number;
  bool fresh; /* the arc's number does not count in the state where it starts,
                 because the edge unwinds */
};

struct flow_solver {
  struct cfg *cfg;
  struct block_state *states;
  struct state_arc *arcs;
  size_t state_count, arc_count;
  struct map known; /* map of the indices of states + 1; the key is a block and
                       a value */
  uint64_t seed;
};

/* Returns the next number of splitmix64. The seed is always the same, so the
 * same function gets the same numbers. */
static uint64_t next_random_number(struct flow_solver *solver) {
  uint64_t z = solver->seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static void add_state_arc(struct flow_solver *solver, size_t from, size_t to,
                           size_t edge) {
  const struct state_arc arc = {.from = from,
                                 .to = to,
                                 .edge = edge,
                                 .number = next_random_number(solver),
                                 .fresh = edge != NO_EDGE &&
                                          solver->cfg->edges[edge].unwinds};
  CC_APPEND(solver->cfg->memory, solver->arcs, solver->arc_count, arc);
}

/* Adds the arc of an edge. If the edge leads to a new state, adds the state,
 * too. */
static void add_arc_and_new_state(struct flow_solver *solver, size_t from,
                                  size_t edge, uint64_t value) {
  size_t block = solver->cfg->edges[edge].to;
  uint64_t *number = cc_map_find_or_add(&solver->known, block, value, 0);
  if (!*number) {
    const struct block_state state = {
        .block = block, .value = value, .tree_arc = solver->arc_count};
    CC_APPEND(solver->cfg->memory, solver->states, solver->state_count, state);
    *number = solver->state_count;
  }
  add_state_arc(solver, from, (size_t)*number - 1, edge);
}

static bool has_edge_for_value(const struct cfg *cfg,
                               const struct cfg_block *block, uint64_t value) {
  for (size_t i = block->edges; i < block->last; i++)
    if (cfg->edges[i].chosen && cfg->edges[i].value == value)
      return true;
  return false;
}

static void add_state_arcs(struct flow_solver *solver, size_t number) {
  const struct cfg *cfg = solver->cfg;
  const struct cfg_block *block = &cfg->blocks[solver->states[number].block];
  uint64_t value = block->sets ? block->value : solver->states[number].value;
  bool chosen = has_edge_for_value(cfg, block, value);
  for (size_t i = block->edges; i < block->last && !block->traps; i++) {
    const struct cfg_edge *edge = &cfg->edges[i];
    if (!value ||
        !((edge->chosen && edge->value != value) || (edge->other && chosen)))
      add_arc_and_new_state(solver, number, i, value);
  }
  if (block->edges == block->last || block->traps)
    add_state_arc(solver, number, 0, NO_EDGE);
}

/* Gives each endless loop an arc to the function's end, from its last state. */
static void connect_endless_loops(struct flow_solver *solver) {
  struct block_state *states = solver->states;
  for (size_t last = solver->state_count; last;) {
    for (bool more = true; more;) {
      more = false;
      for (size_t i = solver->arc_count; i--;) {
        const struct state_arc *arc = &solver->arcs[i];
        bool ends = arc->edge == NO_EDGE || states[arc->to].ends;
        more |= ends && !states[arc->from].ends;
        states[arc->from].ends |= ends;
      }
    }
    while (last && states[last - 1].ends)
      last--;
    if (last)
      add_state_arc(solver, last - 1, 0, NO_EDGE);
  }
}

static void solve_flow_numbers(struct flow_solver *solver) {
  struct block_state *list = solver->states;
  for (size_t i = 0; i < solver->arc_count; i++) {
    const struct state_arc *arc = &solver->arcs[i];
    if (arc->edge != NO_EDGE && list[arc->to].tree_arc == i && arc->to)
      continue;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
    list[arc->to].sum -= arc->number;
  }
  for (size_t i = solver->state_count; i-- > 1;) {
    struct state_arc *arc = &solver->arcs[list[i].tree_arc];
    arc->number = list[i].sum;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
  }
  for (size_t i = 0; i < solver->arc_count; i++) {
    const struct state_arc *arc = &solver->arcs[i];
    if (!arc->fresh)
      solver->cfg->blocks[list[arc->from].block].number += arc->number;
    if (arc->edge != NO_EDGE)
      solver->cfg->edges[arc->edge].number += arc->number;
  }
}

static void number_blocks_and_edges(struct cfg *cfg) {
  struct flow_solver solver = {.cfg = cfg,
                               .known = {.limit = BYTE_COUNTERS_MOST}};
  /* State 0 is the first block, with an unknown value. */
  *cc_map_find_or_add(&solver.known, 0, 0, 0) = 1;
  CC_APPEND(cfg->memory, solver.states, solver.state_count,
            (struct block_state){.tree_arc = NO_EDGE});
  for (size_t i = 0; i < solver.state_count; i++)
    add_state_arcs(&solver, i);
  connect_endless_loops(&solver);
  solve_flow_numbers(&solver);
  map_free(&solver.known);
}

/* ---- lines ---- */

/* Moves past the next label of a jump, such as "label %45". Sets *name to the
 * label. */
static bool find_jump_target(struct text_part *line, struct text_part *name) {
  bool quoted = false;
  for (; line->size; part_cut_front(line, 1)) {
    quoted ^= *line->at == '"';
    if (quoted || !part_skip_word(line, "label %"))
      continue;
    line->at--;
    line->size++;
    *name = text_cut_local(line);
    name->size -= name->size && name->at[name->size - 1] == ']';
    return true;
  }
  return false;
}

bool cfg_parse_block_label(struct text_part line, struct text_part *name) {
  bool quoted = false;
  if (!line.size || strchr(" ;}", *line.at))
    return false;
  for (size_t i = 0; i < line.size; i++) {
    quoted ^= line.at[i] == '"';
    if (!quoted && line.at[i] == ':') {
      *name = (struct text_part){line.at, i};
      return true;
    }
  }
  return false;
}

/* Returns whether the line begins with " %5 = WORD " or " WORD ". */
static bool is_instruction_named(struct text_part line, const char *word) {
  if (!part_skip_word(&line, "  ") || part_starts_with(line, " "))
    return false;
  if (text_cut_local(&line).size)
    part_skip_word(&line, " = ");
  return part_starts_with(line, word);
}

/* Returns whether the line is a phi or a pad, before which calls are not
 * allowed. The clauses of a landing pad are indented by more blanks. */
static bool is_phi_or_pad(struct text_part line) {
  return is_instruction_named(line, "phi ") ||
         is_instruction_named(line, "landingpad ") ||
         is_instruction_named(line, "cleanuppad ") ||
         is_instruction_named(line, "catchpad ") ||
         part_starts_with(line, "   ");
}

/* ---- blocks ---- */

static void parse_blocks(struct cfg *cfg) {
  struct text_part name = {"", 0};
  CC_APPEND(cfg->memory, cfg->blocks, cfg->block_count,
            (struct cfg_block){.name = name});
  for (size_t i = 0; i < cfg->line_count; i++) {
    struct cfg_block *block = &cfg->blocks[cfg->block_count - 1];
    if (cfg_parse_block_label(cfg->lines[i], &name)) {
      /* The first block may have a label, too. */
      if (block->begin == block->end && !block->name.size)
        cfg->block_count--;
      CC_APPEND(
          cfg->memory, cfg->blocks, cfg->block_count,
          (struct cfg_block){
              .name = name, .begin = i + 1, .end = i + 1, .place = i + 1});
      continue;
    }
    if (block->place == i && is_phi_or_pad(cfg->lines[i]))
      block->place = i + 1;
    block->traps |= part_contains(cfg->lines[i], "call void @llvm.trap(");
    block->end = i + 1;
  }
}

/* A block in the list that is sorted by name. */
struct block_by_name {
  struct text_part name;
  size_t block;
};

static int compare_block_names(const void *a, const void *b) {
  const struct block_by_name *x = a, *y = b;
  return compare_bytes(x->name.at, x->name.size, y->name.at, y->name.size);
}

/* Parses " i32 4, label %45". The variable chooses this edge if it has the
 * value 4. */
static void parse_switch_case(struct text_part line, struct cfg_edge *edge) {
  edge->chosen = part_skip_word(&line, "    i32 ");
  edge->other = !edge->chosen;
  for (; edge->chosen && line.size && *line.at != ','; part_cut_front(&line, 1))
    edge->value = edge->value * 31 + (unsigned char)*line.at;
}

/* Returns whether the line jumps to this name in a way that no counter counts.
 * Such names are in " unwind label %45", and all names but the first in " to
 * label %44 [label %45, label %46]" of an asm goto. */
static bool is_uncounted_jump(struct text_part line, struct text_part name) {
  static const char word[] = " unwind label %";
  size_t size = sizeof word - 1, before = (size_t)(name.at - line.at);
  if (before >= size && memcmp(name.at - size, word, size) == 0)
    return true;
  return part_starts_with(line, "          to label %") &&
         memchr(line.at, '[', before);
}

static void parse_edges(struct cfg *cfg, size_t from,
                        const struct block_by_name *names) {
  struct cfg_block *block = &cfg->blocks[from];
  bool splits = false;
  block->edges = cfg->edge_count;
  for (size_t i = block->begin; i < block->end; i++) {
    struct text_part line = cfg->lines[i];
    struct block_by_name key = {.block = 0}, *found;
    splits |= is_instruction_named(line, "br ") ||
              is_instruction_named(line, "switch ");
    while (find_jump_target(&line, &key.name)) {
      struct cfg_edge edge = {.from = from, .name = key.name, .splits = splits};
      part_cut_front(&key.name, 1); /* skip the % */
      found = bsearch(&key, names, cfg->block_count, sizeof key,
                      compare_block_names);
      if (!found)
        raise_error("the IR has a jump to a block that does not exist; compile "
                    "with clang 14 to " LLVM_LAST_TEXT
                    ", or with --counters=64");
      edge.to = found->block;
      edge.unwinds = is_uncounted_jump(cfg->lines[i], key.name);
      parse_switch_case(cfg->lines[i], &edge);
      CC_APPEND(cfg->memory, cfg->edges, cfg->edge_count, edge);
    }
  }
  block->last = cfg->edge_count;
}

static void parse_all_edges(struct cfg *cfg) {
  struct block_by_name *names =
      cc_allocate(cfg->memory, cfg->block_count * sizeof *names);
  for (size_t i = 0; i < cfg->block_count; i++)
    names[i] = (struct block_by_name){cfg->blocks[i].name, i};
  qsort(names, cfg->block_count, sizeof *names, compare_block_names);
  for (size_t i = 0; i < cfg->block_count; i++)
    parse_edges(cfg, i, names);
}

/* ---- the variable ---- */

/* Parses " %43 = load i32, ptr %8, align 4". */
static bool parse_load(struct text_part line, struct text_part *result,
                       struct text_part *from) {
  return part_match_pattern(&line, text_cut_operand, "  %n = load i32, ptr %n",
                            result, from) ||
         part_match_pattern(&line, text_cut_operand, "  %n = load i32, i32* %n",
                            result, from);
}

/* Parses " store i32 4, ptr %8, align 4". */
static bool parse_store(struct text_part line, struct text_part *value,
                        struct text_part *to) {
  return part_match_pattern(&line, text_cut_operand, "  store i32 %o, ptr %n",
                            value, to) ||
         part_match_pattern(&line, text_cut_operand, "  store i32 %o, i32* %n",
                            value, to);
}

static bool contains_name(struct text_part line, struct text_part name) {
  for (; line.size >= name.size; part_cut_front(&line, 1)) {
    const char *next = line.at + name.size;
    if (memcmp(line.at, name.at, name.size) == 0 &&
        (line.size == name.size || strchr(" ,)]", *next)))
      return true;
  }
  return false;
}

/* Returns whether the code stores only constants, and the variable's own
 * earlier value, in this variable. */
static bool is_scope_exit_variable(const struct cfg *cfg,
                                   struct text_part name) {
  struct text_part value, place, made = {"", 0};
  bool stores = false;
  for (size_t i = 0; i < cfg->line_count; i++) {
    struct text_part line = cfg->lines[i];
    if (parse_load(line, &value, &place)) {
      made = part_equals(place, name) ? value : made;
    } else if (parse_store(line, &value, &place) && part_equals(place, name)) {
      if (*value.at == '%' && !part_equals(value, made))
        return false;
      stores |= *value.at != '%';
    } else if (contains_name(line, name) &&
               !part_contains(line, " = alloca i32")) {
      return false;
    }
  }
  return stores;
}

/* Returns the variable on which the block's last instruction switches. */
static struct text_part find_switch_variable(const struct cfg *cfg,
                                             const struct cfg_block *block) {
  struct text_part value, place, loaded = {"", 0}, from = loaded;
  for (size_t i = block->begin; i < block->end; i++) {
    struct text_part line = cfg->lines[i];
    if (parse_load(line, &value, &place)) {
      loaded = value;
      from = place;
    } else if (part_skip_word(&line, "  switch i32 ") &&
               part_equals(text_cut_local(&line), loaded)) {
      return from;
    }
  }
  return (struct text_part){"", 0};
}

static struct text_part find_scope_exit_variable(const struct cfg *cfg) {
  struct text_part last = {"", 0};
  for (size_t i = 0; i < cfg->block_count; i++) {
    struct text_part name = find_switch_variable(cfg, &cfg->blocks[i]);
    if (name.size && !part_equals(name, last) &&
        is_scope_exit_variable(cfg, name))
      return name;
    last = name;
  }
  return (struct text_part){"", 0};
}

/* Marks the blocks that set the variable, and the switches that read it. If a
 * switch reads something else, no value chooses its edges. */
static void mark_scope_exit_variable_uses(struct cfg *cfg) {
  struct text_part name = find_scope_exit_variable(cfg), value, place;
  for (size_t i = 0; i < cfg->block_count; i++) {
    struct cfg_block *block = &cfg->blocks[i];
    bool chooses =
        name.size && part_equals(find_switch_variable(cfg, block), name);
    for (size_t k = block->edges; k < block->last && !chooses; k++)
      cfg->edges[k].chosen = cfg->edges[k].other = false;
    for (size_t k = block->begin; k < block->end && name.size; k++) {
      if (!parse_store(cfg->lines[k], &value, &place) ||
          !part_equals(place, name) || *value.at == '%')
        continue;
      block->sets = true;
      block->value = 0;
      for (; value.size; part_cut_front(&value, 1))
        block->value = block->value * 31 + (unsigned char)*value.at;
    }
  }
}

void cfg_parse(struct cfg *cfg) {
  parse_blocks(cfg);
  parse_all_edges(cfg);
  mark_scope_exit_variable_uses(cfg);
  number_blocks_and_edges(cfg);
}

/* ==== The next functions find calls that always return. A jump to an earlier
 * block may be a loop; any other jump is not, because clang's front end writes
 * blocks in the order of the source. */

enum { UNDECIDED = 1, ALWAYS_RETURNS, MAY_LEAVE, CALLS_LEAVING = 4 };

/* A call, as the hashes of the calling function and the called function. */
struct call_edge {
  uint64_t from, to;
};

const struct call_effects call_effects_none = {
    .functions = {.limit = BYTE_COUNTERS_MOST},
    .blocks = {.limit = BYTE_COUNTERS_MOST},
    .memory = {.limit = BYTE_COUNTERS_MOST}};

/* Intrinsics that do not run code of the program. */
static const char *const intrinsics[] = {
    "abs.",   "assume",   "bitreverse.", "bswap.",        "ceil.",
    "ct",     "dbg.",     "expect",      "experimental.", "fabs.",
    "floor.", "fmuladd.", "frameaddr",   "fsh",           "instrprof.",
    "is.",    "launder.", "lifetime.",   "mem",           "objectsize",
    "ptr.",   "returna",  "sadd.",       "smax.",         "smin.",
    "smul.",  "sqrt.",    "ssub.",       "stack",         "strip.",
    "thread", "trunc.",   "uadd.",       "umax.",         "umin.",
    "umul.",  "usub.",    "va_"};

static bool intrinsic_runs_no_program_code(struct text_part name) {
  if (!part_skip_word(&name, "@llvm."))
    return false;
  for (unsigned i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (part_starts_with(name, intrinsics[i]))
      return true;
  return false;
}

/* Returns whether the line is a call. Sets *name to the called function, which
 * is the first global name outside parentheses. The name is empty if the line
 * calls a pointer or assembly. */
static bool parse_call(struct text_part line, struct text_part *name) {
  static const char *const kinds[] = {"tail ", "musttail ", "notail "};
  unsigned depth = 0;
  *name = (struct text_part){"", 0};
  if (!part_skip_word(&line, "  "))
    return false;
  if (text_cut_local(&line).size)
    part_skip_word(&line, " = ");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    part_skip_word(&line, kinds[i]);
  if (!part_starts_with(line, "call ") && !part_starts_with(line, "invoke ") &&
      !part_starts_with(line, "callbr "))
    return false;
  if (part_contains(line, " asm "))
    return true;
  for (; line.size && !name->size; part_cut_front(&line, line.size > 0)) {
    depth += *line.at == '(';
    depth -= *line.at == ')' && depth;
    if (*line.at == '@' && !depth)
      *name = text_cut_global(&line);
  }
  return true;
}

/* Returns a hash that is never 0, because 0 stands for a missing function. */
static uint64_t hash_function_name(struct text_part name) {
  return text_hash(name) | 1;
}

/* ---- reading ---- */

static void begin_function_effects(struct call_effects *effects,
                                   struct text_part line) {
  bool other =
      part_contains(line, " weak") || part_contains(line, " linkonce ");
  map_free(&effects->blocks);
  effects->function = other ? 0 : hash_function_name(text_defined_name(line));
  if (!other)
    *cc_map_find_or_add(&effects->functions, effects->function, 0, 0) =
        UNDECIDED;
}

/* Returns whether a line jumps to an earlier block. */
static bool jumps_back(const struct call_effects *effects,
                       struct text_part line) {
  struct text_part name;
  while (find_jump_target(&line, &name)) {
    part_cut_front(&name, 1);
    if (map_find(&effects->blocks, text_hash(name), 0, 0))
      return true;
  }
  return false;
}

void call_effects_parse_line(struct call_effects *effects,
                             struct text_part line) {
  struct text_part name;
  if (part_starts_with(line, "define ")) {
    begin_function_effects(effects, line);
    return;
  }
  if (part_starts_with(line, "}"))
    effects->function = 0;
  if (!effects->function)
    return;
  if (cfg_parse_block_label(line, &name)) {
    cc_map_find_or_add(&effects->blocks, text_hash(name), 0, 0);
    return;
  }
  bool calls = parse_call(line, &name) && !intrinsic_runs_no_program_code(name);
  if (jumps_back(effects, line) || part_starts_with(line, "  unreachable") ||
      part_starts_with(line, "  indirectbr ") || (calls && !name.size)) {
    *cc_map_find_or_add(&effects->functions, effects->function, 0, 0) =
        MAY_LEAVE;
    effects->function = 0;
  } else if (calls) {
    CC_APPEND(&effects->memory, effects->calls, effects->call_count,
              (struct call_edge){effects->function, hash_function_name(name)});
  }
}

/* ---- effects of calls ---- */

static uint64_t find_function_effect(const struct call_effects *effects,
                                     uint64_t function) {
  const uint64_t *at = map_find(&effects->functions, function, 0, 0);
  return at ? *at : MAY_LEAVE;
}

/* Marks a function as always returning if it calls only functions that always
 * return. Other functions stay undecided, so a recursive function is never
 * decided. Returns whether any function changed. */
static bool decide_effects_once(struct call_effects *effects) {
  bool more = false;
  for (size_t i = 0; i < effects->call_count; i++) {
    const struct call_edge *call = &effects->calls[i];
    if (find_function_effect(effects, call->from) == UNDECIDED &&
        find_function_effect(effects, call->to) != ALWAYS_RETURNS)
      *map_find(&effects->functions, call->from, 0, 0) |= CALLS_LEAVING;
  }
  for (const struct map_entry *at = NULL;
       (at = map_next_entry(&effects->functions, at));) {
    uint64_t *effect = map_find(&effects->functions, at->key[0], 0, 0);
    more |= *effect == UNDECIDED;
    *effect = *effect == UNDECIDED ? ALWAYS_RETURNS
                                   : *effect & ~(uint64_t)CALLS_LEAVING;
  }
  return more;
}

void call_effects_decide(struct call_effects *effects) {
  while (decide_effects_once(effects)) {
  }
}

bool call_effects_may_not_return(const struct call_effects *effects,
                                 struct text_part line) {
  struct text_part name;
  return parse_call(line, &name) && !intrinsic_runs_no_program_code(name) &&
         (!name.size ||
          find_function_effect(effects, hash_function_name(name)) !=
              ALWAYS_RETURNS);
}

void call_effects_free(struct call_effects *effects) {
  map_free(&effects->functions);
  map_free(&effects->blocks);
  arena_free(&effects->memory);
}
