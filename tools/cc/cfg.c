/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The control-flow graph of a function in IR text, its numbers, and the list of
 * quiet functions. A function's lines come in; flags_place.c and labels_room.c
 * use the graph. cfg_read finds the blocks and edges first, then the variable
 * through which clang leaves scopes, then the numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "flags_inside.h"

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

struct value_arc {
  size_t from, to; /* states */
  size_t edge;     /* NO_EDGE: from the function's end to its beginning */
  uint64_t number;
  bool fresh; /* the arc's flow does not come from its state: the edge
                 unwinds */
};

struct solve_work {
  struct cfg *flow;
  struct buffer states, arcs;
  struct map known;
  size_t state_count, arc_count;
  uint64_t seed;
};

static struct block_state *states(const struct solve_work *work) {
  return (struct block_state *)work->states.data;
}

static struct value_arc *arcs(const struct solve_work *work) {
  return (struct value_arc *)work->arcs.data;
}

/* splitmix64, always from the same seed: the same function gets the same
 * numbers. */
static uint64_t random_number(struct solve_work *work) {
  uint64_t z = work->seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static const char *add_arc(struct solve_work *work, size_t from, size_t to,
                           size_t edge) {
  struct value_arc arc = {.from = from,
                          .to = to,
                          .edge = edge,
                          .number = random_number(work),
                          .fresh = edge != NO_EDGE &&
                                   cfg_edges(work->flow)[edge].unwinds};
  work->arc_count++;
  return buffer_add(&work->arcs, &arc, sizeof arc);
}

/* Adds the arc of an edge, and the state that it leads to if that is new. */
static const char *follow(struct solve_work *work, size_t from, size_t edge,
                          uint64_t value) {
  size_t block = cfg_edges(work->flow)[edge].to;
  uint64_t *number = map_at(&work->known, block, value, 0);
  const char *error = NULL;
  if (!number)
    return out_of_memory;
  if (!*number) {
    struct block_state state = {.block = block, .value = value};
    state.arc = work->arc_count;
    *number = ++work->state_count;
    error = buffer_add(&work->states, &state, sizeof state);
  }
  return error ? error : add_arc(work, from, (size_t)*number - 1, edge);
}

/* Whether an edge of the block is chosen by this value. */
static bool is_chosen(const struct cfg *flow, const struct cfg_block *block,
                      uint64_t value) {
  for (size_t i = block->edges; i < block->last; i++)
    if (cfg_edges(flow)[i].chosen && cfg_edges(flow)[i].value == value)
      return true;
  return false;
}

static const char *follow_all(struct solve_work *work, size_t number) {
  const struct cfg_block *block =
      cfg_blocks(work->flow) + states(work)[number].block;
  uint64_t value = block->sets ? block->value : states(work)[number].value;
  bool chosen = is_chosen(work->flow, block, value);
  const char *error = NULL;
  for (size_t i = block->edges; i < block->last && !block->traps && !error;
       i++) {
    const struct cfg_edge *edge = &cfg_edges(work->flow)[i];
    if (value && edge->chosen && edge->value != value)
      continue;
    if (value && edge->other && chosen)
      continue;
    error = follow(work, number, i, value);
  }
  if (!error && (block->edges == block->last || block->traps))
    error = add_arc(work, number, 0, NO_EDGE);
  return error;
}

/* Gives each endless loop an arc to the function's end, from its last state. */
static const char *end_all(struct solve_work *work) {
  const char *error = NULL;
  for (size_t last = work->state_count; last && !error;) {
    for (bool more = true; more;) {
      more = false;
      for (size_t i = work->arc_count; i--;) {
        const struct value_arc *arc = &arcs(work)[i];
        bool ends = arc->edge == NO_EDGE || states(work)[arc->to].ends;
        more |= ends && !states(work)[arc->from].ends;
        states(work)[arc->from].ends |= ends;
      }
    }
    while (last && states(work)[last - 1].ends)
      last--;
    if (last)
      error = add_arc(work, last - 1, 0, NO_EDGE);
  }
  return error;
}

static void solve(struct solve_work *work) {
  struct block_state *list = states(work);
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct value_arc *arc = &arcs(work)[i];
    if (arc->edge != NO_EDGE && list[arc->to].arc == i && arc->to)
      continue;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
    list[arc->to].sum -= arc->number;
  }
  for (size_t i = work->state_count; i-- > 1;) {
    struct value_arc *arc = &arcs(work)[list[i].arc];
    arc->number = list[i].sum;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
  }
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct value_arc *arc = &arcs(work)[i];
    if (!arc->fresh)
      cfg_blocks(work->flow)[list[arc->from].block].number += arc->number;
    if (arc->edge != NO_EDGE)
      cfg_edges(work->flow)[arc->edge].number += arc->number;
  }
}

/* Sets the number of each block and edge. Returns NULL or the error. */
static const char *cfg_solve(struct cfg *flow) {
  struct solve_work work = {.flow = flow,
                            .states = {.limit = MOST},
                            .arcs = {.limit = MOST},
                            .known = {.limit = MOST}};
  struct block_state first = {.arc = NO_EDGE};
  uint64_t *number = map_at(&work.known, 0, 0, 0);
  const char *error = number ? NULL : out_of_memory;
  if (!error)
    error = buffer_append(&work.states, &first, sizeof first);
  if (!error)
    *number = work.state_count = 1;
  for (size_t i = 0; i < work.state_count && !error; i++)
    error = follow_all(&work, i);
  if (!error)
    error = end_all(&work);
  if (!error)
    solve(&work);
  buffer_free(&work.states);
  buffer_free(&work.arcs);
  map_free(&work.known);
  return error;
}

/* ---- lines ---- */

static bool cfg_label(struct part *line, struct part *name) {
  bool quoted = false;
  for (; line->size; part_cut(line, 1)) {
    quoted ^= *line->at == '"';
    if (quoted || !part_take(line, "label %"))
      continue;
    line->at--;
    line->size++;
    *name = text_name(line);
    if (name->size && name->at[name->size - 1] == ']')
      name->size--;
    return true;
  }
  return false;
}

bool cfg_is_block(struct part line, struct part *name) {
  bool quoted = false;
  if (!line.size || *line.at == ' ' || *line.at == ';' || *line.at == '}')
    return false;
  for (size_t i = 0; i < line.size; i++) {
    quoted ^= line.at[i] == '"';
    if (!quoted && line.at[i] == ':') {
      *name = (struct part){line.at, i};
      return true;
    }
  }
  return false;
}

/* Whether the line begins with "  %5 = WORD " or "  WORD ". */
static bool is_instruction(struct part line, const char *word) {
  if (!part_take(&line, "  ") || part_begins(line, " "))
    return false;
  if (text_name(&line).size)
    part_take(&line, " = ");
  return part_begins(line, word);
}

/* Whether calls are not allowed before this line: it is a phi or a pad. A
 * landing pad's clauses are indented by more blanks. */
static bool is_first(struct part line) {
  return is_instruction(line, "phi ") || is_instruction(line, "landingpad ") ||
         is_instruction(line, "cleanuppad ") ||
         is_instruction(line, "catchpad ") || part_begins(line, "   ");
}

/* ---- blocks ---- */

static const char *add_block(struct cfg *flow, struct part name, size_t line) {
  struct cfg_block block = {
      .name = name, .begin = line, .end = line, .place = line};
  flow->block_count++;
  return buffer_append(&flow->blocks, &block, sizeof block);
}

static const char *read_blocks(struct cfg *flow) {
  struct part name = {"", 0};
  const char *error = add_block(flow, name, 0);
  for (size_t i = 0; i < flow->line_count && !error; i++) {
    struct cfg_block *block = cfg_blocks(flow) + flow->block_count - 1;
    if (cfg_is_block(flow->lines[i], &name)) {
      /* The first block may have a label. */
      if (block->begin == block->end && !block->name.size)
        *block = (struct cfg_block){
            .name = name, .begin = i + 1, .end = i + 1, .place = i + 1};
      else
        error = add_block(flow, name, i + 1);
      continue;
    }
    if (block->place == i && is_first(flow->lines[i]))
      block->place = i + 1;
    block->traps |= part_contains(flow->lines[i], "call void @llvm.trap(");
    block->end = i + 1;
  }
  return error;
}

/* A block in the list that is sorted by name. */
struct block_named {
  struct part name;
  size_t block;
};

static int by_name(const void *a, const void *b) {
  const struct block_named *x = a, *y = b;
  size_t size = x->name.size < y->name.size ? x->name.size : y->name.size;
  int order = memcmp(x->name.at, y->name.at, size);
  return order ? order : (x->name.size > y->name.size) - (size < y->name.size);
}

/* Reads "    i32 4, label %45": for the value 4 the variable chooses the
 * edge. */
static void read_case(struct part line, struct cfg_edge *edge) {
  edge->chosen = part_take(&line, "    i32 ");
  edge->other = !edge->chosen;
  for (; edge->chosen && line.size && *line.at != ','; part_cut(&line, 1))
    edge->value = edge->value * 31 + (unsigned char)*line.at;
}

/* Whether the line jumps to this name in a way that no counter counts: as in "
 * unwind label %45", and in " to label %44 [label %45, label %46]" of an asm
 * goto for all names but the first. */
static bool leaps(struct part line, struct part name) {
  static const char word[] = " unwind label %";
  size_t size = sizeof word - 1, before = (size_t)(name.at - line.at);
  if (before >= size && memcmp(name.at - size, word, size) == 0)
    return true;
  return part_begins(line, "          to label %") &&
         memchr(line.at, '[', before);
}

static const char *read_edges(struct cfg *flow, struct cfg_block *block,
                              const struct block_named *names) {
  const char *error = NULL;
  bool splits = false;
  size_t from = (size_t)(block - cfg_blocks(flow));
  block->edges = flow->edge_count;
  for (size_t i = block->begin; i < block->end && !error; i++) {
    struct part line = flow->lines[i];
    struct block_named key = {.block = 0}, *found;
    splits |= is_instruction(line, "br ") || is_instruction(line, "switch ");
    while (!error && cfg_label(&line, &key.name)) {
      struct cfg_edge edge = {.from = from, .name = key.name, .splits = splits};
      part_cut(&key.name, 1); /* % */
      found = bsearch(&key, names, flow->block_count, sizeof key, by_name);
      if (!found)
        return "the IR has a jump to a block that does not exist; compile with "
               "clang 14 to 23, or with --counters=64";
      edge.to = found->block;
      edge.unwinds = leaps(flow->lines[i], key.name);
      read_case(flow->lines[i], &edge);
      flow->edge_count++;
      error = buffer_append(&flow->edges, &edge, sizeof edge);
    }
  }
  block->last = flow->edge_count;
  return error;
}

static const char *read_graph(struct cfg *flow) {
  const char *error = NULL;
  struct block_named *names = calloc(flow->block_count, sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < flow->block_count; i++)
    names[i] = (struct block_named){cfg_blocks(flow)[i].name, i};
  qsort(names, flow->block_count, sizeof *names, by_name);
  for (size_t i = 0; i < flow->block_count && !error; i++)
    error = read_edges(flow, cfg_blocks(flow) + i, names);
  free(names);
  return error;
}

/* ---- the variable ---- */

/* Reads "  %43 = load i32, ptr %8, align 4". */
static bool is_load(struct part line, struct part *result, struct part *from) {
  if (!part_take(&line, "  "))
    return false;
  *result = text_name(&line);
  if (!part_take(&line, " = load i32, ptr ") &&
      !part_take(&line, " = load i32, i32* "))
    return false;
  *from = text_name(&line);
  return from->size > 0;
}

/* Reads "  store i32 4, ptr %8, align 4". */
static bool is_store(struct part line, struct part *value, struct part *to) {
  if (!part_take(&line, "  store i32 "))
    return false;
  *value = line;
  while (line.size && *line.at != ',')
    part_cut(&line, 1);
  value->size -= line.size;
  if (!part_take(&line, ", ptr ") && !part_take(&line, ", i32* "))
    return false;
  *to = text_name(&line);
  return to->size > 0;
}

static bool has_name(struct part line, struct part name) {
  for (; line.size >= name.size; part_cut(&line, 1)) {
    const char *next = line.at + name.size;
    if (memcmp(line.at, name.at, name.size) == 0 &&
        (line.size == name.size || strchr(" ,)]", *next)))
      return true;
  }
  return false;
}

/* Whether the only values stored there are constants and the variable's own
 * earlier value. */
static bool is_variable(const struct cfg *flow, struct part name) {
  struct part value, place, made = {"", 0};
  bool stores = false;
  for (size_t i = 0; i < flow->line_count; i++) {
    struct part line = flow->lines[i];
    if (is_load(line, &value, &place)) {
      made = part_same(place, name) ? value : made;
    } else if (is_store(line, &value, &place) && part_same(place, name)) {
      if (*value.at == '%' && !part_same(value, made))
        return false;
      stores |= *value.at != '%';
    } else if (has_name(line, name) && !part_contains(line, " = alloca i32")) {
      return false;
    }
  }
  return stores;
}

/* Returns the variable on which the block's last instruction switches. */
static struct part chooses_by(const struct cfg *flow,
                              const struct cfg_block *block) {
  struct part value, place, loaded = {"", 0}, from = loaded;
  for (size_t i = block->begin; i < block->end; i++) {
    struct part line = flow->lines[i];
    if (is_load(line, &value, &place)) {
      loaded = value;
      from = place;
    } else if (part_take(&line, "  switch i32 ")) {
      return part_same(text_name(&line), loaded) ? from : (struct part){"", 0};
    }
  }
  return (struct part){"", 0};
}

static struct part find_variable(const struct cfg *flow) {
  struct part last = {"", 0};
  for (size_t i = 0; i < flow->block_count; i++) {
    struct part name = chooses_by(flow, cfg_blocks(flow) + i);
    if (name.size && !part_same(name, last) && is_variable(flow, name))
      return name;
    last = name;
  }
  return (struct part){"", 0};
}

/* Marks the blocks that set the variable. No value chooses an edge whose switch
 * reads something else. */
static void follow_variable(struct cfg *flow) {
  struct part name = find_variable(flow), value, place;
  for (size_t i = 0; i < flow->block_count; i++) {
    struct cfg_block *block = cfg_blocks(flow) + i;
    bool chooses = name.size && part_same(chooses_by(flow, block), name);
    for (size_t k = block->edges; k < block->last && !chooses; k++)
      cfg_edges(flow)[k].chosen = cfg_edges(flow)[k].other = false;
    for (size_t k = block->begin; k < block->end && name.size; k++) {
      if (!is_store(flow->lines[k], &value, &place) ||
          !part_same(place, name) || *value.at == '%')
        continue;
      block->sets = true;
      block->value = 0;
      for (; value.size; part_cut(&value, 1))
        block->value = block->value * 31 + (unsigned char)*value.at;
    }
  }
}

const char *cfg_read(struct cfg *flow, const struct part *lines, size_t count) {
  *flow = (struct cfg){.lines = lines,
                       .line_count = count,
                       .blocks = {.limit = MOST},
                       .edges = {.limit = MOST}};
  const char *error = read_blocks(flow);
  if (!error)
    error = read_graph(flow);
  if (error)
    return error;
  follow_variable(flow);
  return cfg_solve(flow);
}

void cfg_free(struct cfg *flow) {
  buffer_free(&flow->blocks);
  buffer_free(&flow->edges);
}

/* ==== Quiet functions. A jump to an earlier block may be a loop, because
 * clang's front end writes blocks in the order of the source. */

enum { QUIET_BYTES = 1 << 28, UNKNOWN = 1, QUIET, LOUD, CALLS_LOUD = 4 };

struct quiet_call {
  uint64_t from, to;
};

const struct quiet quiet_none = {.functions = {.limit = QUIET_BYTES},
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

static bool is_intrinsic(struct part name) {
  if (!part_take(&name, "@llvm."))
    return false;
  for (unsigned i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (part_begins(name, intrinsics[i]))
      return true;
  return false;
}

static uint64_t key_of(struct part name) {
  return md5_low64(name.at, name.size) | 1;
}

/* Whether the line is a call. Sets *name to the called function, the first
 * global name outside parentheses; empty: a pointer or assembly. */
static bool read_call(struct part line, struct part *name) {
  static const char *const kinds[] = {"tail ", "musttail ", "notail "};
  unsigned depth = 0;
  *name = (struct part){"", 0};
  if (!part_take(&line, "  "))
    return false;
  if (text_name(&line).size)
    part_take(&line, " = ");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    part_take(&line, kinds[i]);
  if (!part_begins(line, "call ") && !part_begins(line, "invoke ") &&
      !part_begins(line, "callbr "))
    return false;
  if (part_contains(line, " asm "))
    return true;
  for (; line.size; part_cut(&line, 1)) {
    depth += *line.at == '(';
    depth -= *line.at == ')' && depth;
    if (*line.at == '@' && !depth) {
      *name = text_global(&line);
      break;
    }
  }
  return true;
}

/* ---- reading ---- */

static const char *begin_function(struct quiet *quiet, struct part line) {
  struct part name = line;
  bool other =
      part_contains(line, " weak") || part_contains(line, " linkonce ");
  while (name.size && *name.at != '@')
    part_cut(&name, 1);
  name = text_global(&name);
  map_free(&quiet->blocks);
  quiet->function = other ? 0 : key_of(name);
  if (other)
    return NULL;
  uint64_t *at = map_at(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = UNKNOWN;
  return NULL;
}

static const char *make_loud(struct quiet *quiet) {
  uint64_t *at = map_at(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = LOUD;
  quiet->function = 0;
  return NULL;
}

/* Whether a line jumps to an earlier block. */
static bool jumps_back(const struct quiet *quiet, struct part line) {
  struct part name;
  while (cfg_label(&line, &name)) {
    part_cut(&name, 1);
    if (map_find(&quiet->blocks, key_of(name), 0, 0))
      return true;
  }
  return false;
}

const char *quiet_read(struct quiet *quiet, struct part line) {
  struct part name;
  if (part_begins(line, "define "))
    return begin_function(quiet, line);
  if (part_begins(line, "}"))
    quiet->function = 0;
  if (!quiet->function)
    return NULL;
  if (cfg_is_block(line, &name))
    return map_at(&quiet->blocks, key_of(name), 0, 0) ? NULL : out_of_memory;
  if (jumps_back(quiet, line) || part_begins(line, "  unreachable") ||
      part_begins(line, "  indirectbr "))
    return make_loud(quiet);
  if (!read_call(line, &name) || is_intrinsic(name))
    return NULL;
  if (!name.size)
    return make_loud(quiet);
  struct quiet_call call = {quiet->function, key_of(name)};
  return buffer_append(&quiet->calls, &call, sizeof call);
}

/* ---- all ---- */

static uint64_t state_of(const struct quiet *quiet, uint64_t function) {
  const uint64_t *at = map_find(&quiet->functions, function, 0, 0);
  return at ? *at : LOUD;
}

/* An unknown function becomes quiet if it calls only quiet functions. Others
 * stay unknown, so a recursive function never becomes quiet. Returns whether
 * any function changed. */
static bool settle_once(struct quiet *quiet) {
  const struct quiet_call *calls = (const struct quiet_call *)quiet->calls.data;
  bool more = false;
  for (size_t i = 0; i < quiet->calls.size / sizeof *calls; i++)
    if (state_of(quiet, calls[i].from) == UNKNOWN &&
        state_of(quiet, calls[i].to) != QUIET)
      *map_find(&quiet->functions, calls[i].from, 0, 0) |= CALLS_LOUD;
  for (const struct map_entry *at = NULL;
       (at = map_next(&quiet->functions, at));) {
    uint64_t *state = map_find(&quiet->functions, at->key[0], 0, 0);
    more |= *state == UNKNOWN;
    *state = *state == UNKNOWN ? QUIET : *state & ~(uint64_t)CALLS_LOUD;
  }
  return more;
}

void quiet_settle(struct quiet *quiet) {
  while (settle_once(quiet)) {
  }
}

bool quiet_is_call(const struct quiet *quiet, struct part line) {
  struct part name;
  return read_call(line, &name) && !is_intrinsic(name) &&
         (!name.size || state_of(quiet, key_of(name)) != QUIET);
}

void quiet_free(struct quiet *quiet) {
  map_free(&quiet->functions);
  map_free(&quiet->blocks);
  buffer_free(&quiet->calls);
}
