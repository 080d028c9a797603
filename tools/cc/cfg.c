/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The control-flow graph of a function in IR text, its numbers, and the list of
 * quiet functions. A function's lines come in; byte_places.c and
 * trace_assembly.c use the graph. cfg_read finds the blocks and edges first,
 * then the variable through which clang leaves scopes, then the numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "byte_counters.h"

/* ---- numbers of arcs ----
 *
 * The states (a block and the variable's value) are the nodes of a graph. The
 * first arc to each state makes a spanning tree. All other arcs get random
 * numbers. The numbers of the tree's arcs follow from those, from the last
 * state to the first. Numbers are modulo 2^64. */

enum { MOST = 1 << 30 };
#define NO_EDGE SIZE_MAX

/* A block, and the value that the variable has there. */
struct block_state {
  size_t block;
  uint64_t value; /* 0: not known */
  size_t arc;     /* the tree's arc to this state */
  uint64_t sum;   /* the flow out of the state minus the flow into it */
  bool ends;      /* a path leads from here to the function's end */
};

struct state_arc {
  size_t from, to; /* states */
  size_t edge;     /* NO_EDGE: from the function's end to its beginning */
  uint64_t number;
  bool fresh; /* the arc's flow does not come from its state: the edge
                 unwinds */
};

struct flow_solver {
  struct cfg *flow;
  struct buffer states, arcs;
  struct map known;
  size_t state_count, arc_count;
  uint64_t seed;
};

static struct block_state *solve_states(const struct flow_solver *work) {
  return (struct block_state *)work->states.data;
}

static struct state_arc *solve_arcs(const struct flow_solver *work) {
  return (struct state_arc *)work->arcs.data;
}

/* splitmix64, always from the same seed: the same function gets the same
 * numbers. */
static uint64_t next_random_number(struct flow_solver *work) {
  uint64_t z = work->seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static const char *add_state_arc(struct flow_solver *work, size_t from,
                                 size_t to, size_t edge) {
  struct state_arc arc = {.from = from,
                          .to = to,
                          .edge = edge,
                          .number = next_random_number(work),
                          .fresh = edge != NO_EDGE &&
                                   cfg_edges(work->flow)[edge].unwinds};
  work->arc_count++;
  return buffer_append(&work->arcs, &arc, sizeof arc);
}

/* Adds the arc of an edge, and the state that it leads to if that is new. */
static const char *follow_edge(struct flow_solver *work, size_t from,
                               size_t edge, uint64_t value) {
  size_t block = cfg_edges(work->flow)[edge].to;
  uint64_t *number = map_find_or_add(&work->known, block, value, 0);
  const char *error = NULL;
  if (!number)
    return out_of_memory;
  if (!*number) {
    struct block_state state = {.block = block, .value = value};
    state.arc = work->arc_count;
    *number = ++work->state_count;
    error = buffer_append(&work->states, &state, sizeof state);
  }
  return error ? error : add_state_arc(work, from, (size_t)*number - 1, edge);
}

/* Whether an edge of the block is chosen by this value. */
static bool has_edge_for_value(const struct cfg *flow,
                               const struct cfg_block *block, uint64_t value) {
  for (size_t i = block->edges; i < block->last; i++)
    if (cfg_edges(flow)[i].chosen && cfg_edges(flow)[i].value == value)
      return true;
  return false;
}

static const char *follow_block_edges(struct flow_solver *work, size_t number) {
  const struct cfg_block *block =
      cfg_blocks(work->flow) + solve_states(work)[number].block;
  uint64_t value =
      block->sets ? block->value : solve_states(work)[number].value;
  bool chosen = has_edge_for_value(work->flow, block, value);
  const char *error = NULL;
  for (size_t i = block->edges; i < block->last && !block->traps && !error;
       i++) {
    const struct cfg_edge *edge = &cfg_edges(work->flow)[i];
    if (value && edge->chosen && edge->value != value)
      continue;
    if (value && edge->other && chosen)
      continue;
    error = follow_edge(work, number, i, value);
  }
  if (!error && (block->edges == block->last || block->traps))
    error = add_state_arc(work, number, 0, NO_EDGE);
  return error;
}

/* Gives each endless loop an arc to the function's end, from its last state. */
static const char *end_endless_loops(struct flow_solver *work) {
  const char *error = NULL;
  for (size_t last = work->state_count; last && !error;) {
    for (bool more = true; more;) {
      more = false;
      for (size_t i = work->arc_count; i--;) {
        const struct state_arc *arc = &solve_arcs(work)[i];
        bool ends = arc->edge == NO_EDGE || solve_states(work)[arc->to].ends;
        more |= ends && !solve_states(work)[arc->from].ends;
        solve_states(work)[arc->from].ends |= ends;
      }
    }
    while (last && solve_states(work)[last - 1].ends)
      last--;
    if (last)
      error = add_state_arc(work, last - 1, 0, NO_EDGE);
  }
  return error;
}

static void solve_arc_numbers(struct flow_solver *work) {
  struct block_state *list = solve_states(work);
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct state_arc *arc = &solve_arcs(work)[i];
    if (arc->edge != NO_EDGE && list[arc->to].arc == i && arc->to)
      continue;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
    list[arc->to].sum -= arc->number;
  }
  for (size_t i = work->state_count; i-- > 1;) {
    struct state_arc *arc = &solve_arcs(work)[list[i].arc];
    arc->number = list[i].sum;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
  }
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct state_arc *arc = &solve_arcs(work)[i];
    if (!arc->fresh)
      cfg_blocks(work->flow)[list[arc->from].block].number += arc->number;
    if (arc->edge != NO_EDGE)
      cfg_edges(work->flow)[arc->edge].number += arc->number;
  }
}

/* Sets the number of each block and edge. Returns NULL or the error. */
static const char *number_blocks_and_edges(struct cfg *flow) {
  struct flow_solver work = {.flow = flow,
                             .states = {.limit = MOST},
                             .arcs = {.limit = MOST},
                             .known = {.limit = MOST}};
  struct block_state first = {.arc = NO_EDGE};
  uint64_t *number = map_find_or_add(&work.known, 0, 0, 0);
  const char *error = number ? NULL : out_of_memory;
  if (!error)
    error = buffer_append_bytes(&work.states, &first, sizeof first);
  if (!error)
    *number = work.state_count = 1;
  for (size_t i = 0; i < work.state_count && !error; i++)
    error = follow_block_edges(&work, i);
  if (!error)
    error = end_endless_loops(&work);
  if (!error)
    solve_arc_numbers(&work);
  buffer_free(&work.states);
  buffer_free(&work.arcs);
  map_free(&work.known);
  return error;
}

/* ---- lines ---- */

static bool find_jump_target(struct text_part *line, struct text_part *name) {
  bool quoted = false;
  for (; line->size; part_cut_front(line, 1)) {
    quoted ^= *line->at == '"';
    if (quoted || !part_skip_word(line, "label %"))
      continue;
    line->at--;
    line->size++;
    *name = text_cut_local(line);
    if (name->size && name->at[name->size - 1] == ']')
      name->size--;
    return true;
  }
  return false;
}

bool cfg_is_block_label(struct text_part line, struct text_part *name) {
  bool quoted = false;
  if (!line.size || *line.at == ' ' || *line.at == ';' || *line.at == '}')
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

/* Whether the line begins with "  %5 = WORD " or "  WORD ". */
static bool is_instruction(struct text_part line, const char *word) {
  if (!part_skip_word(&line, "  ") || part_starts_with(line, " "))
    return false;
  if (text_cut_local(&line).size)
    part_skip_word(&line, " = ");
  return part_starts_with(line, word);
}

/* Whether calls are not allowed before this line: it is a phi or a pad. A
 * landing pad's clauses are indented by more blanks. */
static bool is_phi_or_pad(struct text_part line) {
  return is_instruction(line, "phi ") || is_instruction(line, "landingpad ") ||
         is_instruction(line, "cleanuppad ") ||
         is_instruction(line, "catchpad ") || part_starts_with(line, "   ");
}

/* ---- blocks ---- */

static const char *add_block(struct cfg *flow, struct text_part name,
                             size_t line) {
  struct cfg_block block = {
      .name = name, .begin = line, .end = line, .place = line};
  flow->block_count++;
  return buffer_append_bytes(&flow->blocks, &block, sizeof block);
}

static const char *read_blocks(struct cfg *flow) {
  struct text_part name = {"", 0};
  const char *error = add_block(flow, name, 0);
  for (size_t i = 0; i < flow->line_count && !error; i++) {
    struct cfg_block *block = cfg_blocks(flow) + flow->block_count - 1;
    if (cfg_is_block_label(flow->lines[i], &name)) {
      /* The first block may have a label. */
      if (block->begin == block->end && !block->name.size)
        *block = (struct cfg_block){
            .name = name, .begin = i + 1, .end = i + 1, .place = i + 1};
      else
        error = add_block(flow, name, i + 1);
      continue;
    }
    if (block->place == i && is_phi_or_pad(flow->lines[i]))
      block->place = i + 1;
    block->traps |= part_contains(flow->lines[i], "call void @llvm.trap(");
    block->end = i + 1;
  }
  return error;
}

/* A block in the list that is sorted by name. */
struct named_block {
  struct text_part name;
  size_t block;
};

static int compare_block_names(const void *a, const void *b) {
  const struct named_block *x = a, *y = b;
  size_t size = x->name.size < y->name.size ? x->name.size : y->name.size;
  int order = memcmp(x->name.at, y->name.at, size);
  return order ? order : (x->name.size > y->name.size) - (size < y->name.size);
}

/* Reads "    i32 4, label %45": for the value 4 the variable chooses the
 * edge. */
static void parse_switch_case(struct text_part line, struct cfg_edge *edge) {
  edge->chosen = part_skip_word(&line, "    i32 ");
  edge->other = !edge->chosen;
  for (; edge->chosen && line.size && *line.at != ','; part_cut_front(&line, 1))
    edge->value = edge->value * 31 + (unsigned char)*line.at;
}

/* Whether the line jumps to this name in a way that no counter counts: as in "
 * unwind label %45", and in " to label %44 [label %45, label %46]" of an asm
 * goto for all names but the first. */
static bool is_uncounted_jump(struct text_part line, struct text_part name) {
  static const char word[] = " unwind label %";
  size_t size = sizeof word - 1, before = (size_t)(name.at - line.at);
  if (before >= size && memcmp(name.at - size, word, size) == 0)
    return true;
  return part_starts_with(line, "          to label %") &&
         memchr(line.at, '[', before);
}

static const char *read_edges(struct cfg *flow, struct cfg_block *block,
                              const struct named_block *names) {
  const char *error = NULL;
  bool splits = false;
  size_t from = (size_t)(block - cfg_blocks(flow));
  block->edges = flow->edge_count;
  for (size_t i = block->begin; i < block->end && !error; i++) {
    struct text_part line = flow->lines[i];
    struct named_block key = {.block = 0}, *found;
    splits |= is_instruction(line, "br ") || is_instruction(line, "switch ");
    while (!error && find_jump_target(&line, &key.name)) {
      struct cfg_edge edge = {.from = from, .name = key.name, .splits = splits};
      part_cut_front(&key.name, 1); /* % */
      found = bsearch(&key, names, flow->block_count, sizeof key,
                      compare_block_names);
      if (!found)
        return "the IR has a jump to a block that does not exist; compile with "
               "clang 14 to 23, or with --counters=64";
      edge.to = found->block;
      edge.unwinds = is_uncounted_jump(flow->lines[i], key.name);
      parse_switch_case(flow->lines[i], &edge);
      flow->edge_count++;
      error = buffer_append_bytes(&flow->edges, &edge, sizeof edge);
    }
  }
  block->last = flow->edge_count;
  return error;
}

static const char *read_graph(struct cfg *flow) {
  const char *error = NULL;
  struct named_block *names = calloc(flow->block_count, sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < flow->block_count; i++)
    names[i] = (struct named_block){cfg_blocks(flow)[i].name, i};
  qsort(names, flow->block_count, sizeof *names, compare_block_names);
  for (size_t i = 0; i < flow->block_count && !error; i++)
    error = read_edges(flow, cfg_blocks(flow) + i, names);
  free(names);
  return error;
}

/* ---- the variable ---- */

/* Reads "  %43 = load i32, ptr %8, align 4". */
static bool parse_load(struct text_part line, struct text_part *result,
                       struct text_part *from) {
  if (!part_skip_word(&line, "  "))
    return false;
  *result = text_cut_local(&line);
  if (!part_skip_word(&line, " = load i32, ptr ") &&
      !part_skip_word(&line, " = load i32, i32* "))
    return false;
  *from = text_cut_local(&line);
  return from->size > 0;
}

/* Reads "  store i32 4, ptr %8, align 4". */
static bool parse_store(struct text_part line, struct text_part *value,
                        struct text_part *to) {
  if (!part_skip_word(&line, "  store i32 "))
    return false;
  *value = line;
  while (line.size && *line.at != ',')
    part_cut_front(&line, 1);
  value->size -= line.size;
  if (!part_skip_word(&line, ", ptr ") && !part_skip_word(&line, ", i32* "))
    return false;
  *to = text_cut_local(&line);
  return to->size > 0;
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

/* Whether the only values stored there are constants and the variable's own
 * earlier value. */
static bool is_scope_variable(const struct cfg *flow, struct text_part name) {
  struct text_part value, place, made = {"", 0};
  bool stores = false;
  for (size_t i = 0; i < flow->line_count; i++) {
    struct text_part line = flow->lines[i];
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
static struct text_part find_switch_variable(const struct cfg *flow,
                                             const struct cfg_block *block) {
  struct text_part value, place, loaded = {"", 0}, from = loaded;
  for (size_t i = block->begin; i < block->end; i++) {
    struct text_part line = flow->lines[i];
    if (parse_load(line, &value, &place)) {
      loaded = value;
      from = place;
    } else if (part_skip_word(&line, "  switch i32 ")) {
      return part_equals(text_cut_local(&line), loaded)
                 ? from
                 : (struct text_part){"", 0};
    }
  }
  return (struct text_part){"", 0};
}

static struct text_part find_scope_variable(const struct cfg *flow) {
  struct text_part last = {"", 0};
  for (size_t i = 0; i < flow->block_count; i++) {
    struct text_part name = find_switch_variable(flow, cfg_blocks(flow) + i);
    if (name.size && !part_equals(name, last) && is_scope_variable(flow, name))
      return name;
    last = name;
  }
  return (struct text_part){"", 0};
}

/* Marks the blocks that set the variable. No value chooses an edge whose switch
 * reads something else. */
static void mark_variable_edges(struct cfg *flow) {
  struct text_part name = find_scope_variable(flow), value, place;
  for (size_t i = 0; i < flow->block_count; i++) {
    struct cfg_block *block = cfg_blocks(flow) + i;
    bool chooses =
        name.size && part_equals(find_switch_variable(flow, block), name);
    for (size_t k = block->edges; k < block->last && !chooses; k++)
      cfg_edges(flow)[k].chosen = cfg_edges(flow)[k].other = false;
    for (size_t k = block->begin; k < block->end && name.size; k++) {
      if (!parse_store(flow->lines[k], &value, &place) ||
          !part_equals(place, name) || *value.at == '%')
        continue;
      block->sets = true;
      block->value = 0;
      for (; value.size; part_cut_front(&value, 1))
        block->value = block->value * 31 + (unsigned char)*value.at;
    }
  }
}

const char *cfg_read(struct cfg *flow, const struct text_part *lines,
                     size_t count) {
  *flow = (struct cfg){.lines = lines,
                       .line_count = count,
                       .blocks = {.limit = MOST},
                       .edges = {.limit = MOST}};
  const char *error = read_blocks(flow);
  if (!error)
    error = read_graph(flow);
  if (error)
    return error;
  mark_variable_edges(flow);
  return number_blocks_and_edges(flow);
}

void cfg_free(struct cfg *flow) {
  buffer_free(&flow->blocks);
  buffer_free(&flow->edges);
}

/* ==== Quiet functions. A jump to an earlier block may be a loop, because
 * clang's front end writes blocks in the order of the source. */

enum {
  QUIET_BYTES = 1 << 28,
  UNDECIDED = 1,
  ALWAYS_RETURNS,
  MAY_LEAVE,
  CALLS_LEAVING = 4
};

struct call_edge {
  uint64_t from, to;
};

const struct call_effects call_effects_none = {
    .functions = {.limit = QUIET_BYTES},
    .blocks = {.limit = QUIET_BYTES},
    .calls = {.limit = QUIET_BYTES}};

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

static bool is_harmless_intrinsic(struct text_part name) {
  if (!part_skip_word(&name, "@llvm."))
    return false;
  for (unsigned i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (part_starts_with(name, intrinsics[i]))
      return true;
  return false;
}

static uint64_t hash_name(struct text_part name) {
  return md5_low64(name.at, name.size) | 1;
}

/* Whether the line is a call. Sets *name to the called function, the first
 * global name outside parentheses; empty: a pointer or assembly. */
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
  for (; line.size; part_cut_front(&line, 1)) {
    depth += *line.at == '(';
    depth -= *line.at == ')' && depth;
    if (*line.at == '@' && !depth) {
      *name = text_cut_global(&line);
      break;
    }
  }
  return true;
}

/* ---- reading ---- */

static const char *begin_function_effects(struct call_effects *quiet,
                                          struct text_part line) {
  struct text_part name = line;
  bool other =
      part_contains(line, " weak") || part_contains(line, " linkonce ");
  while (name.size && *name.at != '@')
    part_cut_front(&name, 1);
  name = text_cut_global(&name);
  map_free(&quiet->blocks);
  quiet->function = other ? 0 : hash_name(name);
  if (other)
    return NULL;
  uint64_t *at = map_find_or_add(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = UNDECIDED;
  return NULL;
}

static const char *mark_may_leave(struct call_effects *quiet) {
  uint64_t *at = map_find_or_add(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = MAY_LEAVE;
  quiet->function = 0;
  return NULL;
}

/* Whether a line jumps to an earlier block. */
static bool jumps_back(const struct call_effects *quiet,
                       struct text_part line) {
  struct text_part name;
  while (find_jump_target(&line, &name)) {
    part_cut_front(&name, 1);
    if (map_find(&quiet->blocks, hash_name(name), 0, 0))
      return true;
  }
  return false;
}

const char *call_effects_read(struct call_effects *quiet,
                              struct text_part line) {
  struct text_part name;
  if (part_starts_with(line, "define "))
    return begin_function_effects(quiet, line);
  if (part_starts_with(line, "}"))
    quiet->function = 0;
  if (!quiet->function)
    return NULL;
  if (cfg_is_block_label(line, &name))
    return map_find_or_add(&quiet->blocks, hash_name(name), 0, 0)
               ? NULL
               : out_of_memory;
  if (jumps_back(quiet, line) || part_starts_with(line, "  unreachable") ||
      part_starts_with(line, "  indirectbr "))
    return mark_may_leave(quiet);
  if (!parse_call(line, &name) || is_harmless_intrinsic(name))
    return NULL;
  if (!name.size)
    return mark_may_leave(quiet);
  struct call_edge call = {quiet->function, hash_name(name)};
  return buffer_append_bytes(&quiet->calls, &call, sizeof call);
}

/* ---- all ---- */

static uint64_t find_function_effect(const struct call_effects *quiet,
                                     uint64_t function) {
  const uint64_t *at = map_find(&quiet->functions, function, 0, 0);
  return at ? *at : MAY_LEAVE;
}

/* An unknown function becomes quiet if it calls only quiet functions. Others
 * stay unknown, so a recursive function never becomes quiet. Returns whether
 * any function changed. */
static bool settle_effects_once(struct call_effects *quiet) {
  const struct call_edge *calls = (const struct call_edge *)quiet->calls.data;
  bool more = false;
  for (size_t i = 0; i < quiet->calls.size / sizeof *calls; i++)
    if (find_function_effect(quiet, calls[i].from) == UNDECIDED &&
        find_function_effect(quiet, calls[i].to) != ALWAYS_RETURNS)
      *map_find(&quiet->functions, calls[i].from, 0, 0) |= CALLS_LEAVING;
  for (const struct map_entry *at = NULL;
       (at = map_next(&quiet->functions, at));) {
    uint64_t *state = map_find(&quiet->functions, at->key[0], 0, 0);
    more |= *state == UNDECIDED;
    *state = *state == UNDECIDED ? ALWAYS_RETURNS
                                 : *state & ~(uint64_t)CALLS_LEAVING;
  }
  return more;
}

void call_effects_settle(struct call_effects *quiet) {
  while (settle_effects_once(quiet)) {
  }
}

bool call_effects_may_leave(const struct call_effects *quiet,
                            struct text_part line) {
  struct text_part name;
  return parse_call(line, &name) && !is_harmless_intrinsic(name) &&
         (!name.size ||
          find_function_effect(quiet, hash_name(name)) != ALWAYS_RETURNS);
}

void call_effects_free(struct call_effects *quiet) {
  map_free(&quiet->functions);
  map_free(&quiet->blocks);
  buffer_free(&quiet->calls);
}
