/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces the counters in a module of clang's front end with byte counters.
 * Reads the module once to find names, counters and mappings, and a second time
 * to write it. byte_places.c finds the places of stores. After the lowering,
 * byte_lowered.c checks what clang made of the byte counters.
 *
 * If other objects may also have a function's code, the function's byte
 * counters depend only on its mapping. So a reader that keeps one mapping per
 * name reads the counters of all objects correctly.
 */
#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/llvm.h"
#include "byte_counters.h"
#include "image_layout.h"

const char byte_counters_unknown[] =
    "the counters have an unsupported format; compile with clang 14 "
    "to " LLVM_LAST_TEXT ", or with --counters=64";

/* ==== The next functions number byte counters. If some byte counters are
 * dropped, the others get new numbers. A region whose byte counter is dropped
 * gets the sum of the byte counters that imply it, so every reader of clang's
 * mappings can read the result. Places that occur in the same sums share one
 * byte counter. */

struct byte_counter_numbering {
  struct function_body *body;
  struct function_counters *function;
  size_t words;      /* the number of 64-bit words in a set of places */
  uint64_t *sum;     /* the set of kept places that imply a counter */
  uint64_t *in_sum;  /* the set of the byte counters of these places */
  uint64_t *marks;   /* for each place, a hash of the counters in whose sums the
                        place occurs; 0: none */
  size_t *uses;      /* the indices of body->uses, sorted by counter */
  size_t *use_begin; /* for each counter, the index of its first element in
                        `uses`; a last element holds the number of uses */
  uint64_t *numbers; /* the byte counters in a sum */
  uint64_t *todo;    /* the counters that collect_implying_places has yet to
                     visit */
  bool *seen; /* the expressions that collect_implying_places has visited */
  struct mapping *mapping;
  struct counter_expression *expressions;
  size_t expression_count;
  struct map known; /* the indices of expressions + 1, by their operands */
  uint64_t total, never;
};

/* A set has one bit for each number. */
static void add_to_set(uint64_t *set, uint64_t number) {
  set[number / 64] |= UINT64_C(1) << number % 64;
}

static bool set_has(const uint64_t *set, uint64_t number) {
  return set[number / 64] >> number % 64 & 1;
}

/* Adds the kept places that imply a place to a set: the place itself, unless it
 * is dropped. */
static void add_implying_places(const struct byte_counter_numbering *numbering,
                                uint64_t *set, size_t number) {
  const struct byte_counter_place *place = &numbering->body->places[number];
  if (!place->dropped)
    add_to_set(set, number);
  else
    for (size_t i = 0; i < numbering->words; i++)
      set[i] |= place->implying[i];
}

/* Sets `implying` of the dropped places. A dropped place is implied only by
 * kept places and by places that were dropped later. So the function begins
 * with the last dropped place. */
static void compute_implying_sets(struct byte_counter_numbering *numbering) {
  const struct function_body *body = numbering->body;
  for (size_t i = body->drop_count; i--;) {
    struct byte_counter_place *place = &body->places[body->drops[i]];
    place->implying =
        cc_allocate(body->memory, numbering->words * sizeof(uint64_t));
    for (size_t k = 0; k < place->from_count; k++)
      add_implying_places(numbering, place->implying, place->from[k]);
  }
}

/* ---- counters of the mapping ---- */

static bool is_use_of_function(const struct byte_counter_numbering *numbering,
                               struct byte_counter_use use) {
  return numbering->body->places[use.place].function == numbering->function;
}

static size_t
count_function_counters(const struct function_counters *function) {
  return (size_t)function->counters + function->count;
}

static void group_uses_by_counter(struct byte_counter_numbering *numbering) {
  const struct byte_counter_use *uses = numbering->body->uses;
  size_t count = numbering->body->use_count, sum = 0;
  size_t *begin = numbering->use_begin;
  for (size_t i = 0; i < count; i++)
    if (is_use_of_function(numbering, uses[i]))
      begin[uses[i].index]++;
  for (size_t i = 0; i <= count_function_counters(numbering->function); i++)
    begin[i] = sum += begin[i];
  for (size_t i = count; i--;)
    if (is_use_of_function(numbering, uses[i]))
      numbering->uses[--begin[uses[i].index]] = i;
}

/* Sets numbering->sum for a counter, and visits each expression once. */
static void collect_implying_places(struct byte_counter_numbering *numbering,
                                    uint64_t counter) {
  const struct function_counters *function = numbering->function;
  const size_t *begin = numbering->use_begin;
  uint64_t *todo = numbering->todo;
  size_t count = 0;
  memset(numbering->sum, 0, numbering->words * sizeof *numbering->sum);
  memset(numbering->seen, 0, function->expression_count);
  for (todo[count++] = counter; count;) {
    counter = todo[--count];
    if (counter % 4 == COUNTER_ZERO)
      continue;
    size_t number = expressions_counter_number(function, counter);
    if (number < count_function_counters(function)) {
      for (size_t i = begin[number]; i < begin[number + 1]; i++) {
        struct byte_counter_use use = numbering->body->uses[numbering->uses[i]];
        while (use.count--)
          add_implying_places(numbering, numbering->sum, use.place++);
      }
    } else if (number == SIZE_MAX && !numbering->seen[counter / 4]) {
      numbering->seen[counter / 4] = true;
      todo[count++] = function->expressions[counter / 4].left;
      todo[count++] = function->expressions[counter / 4].right;
    }
  }
}

/* ---- regions ---- */

static void for_each_region_counter(struct byte_counter_numbering *numbering,
                                    void (*act)(struct byte_counter_numbering *,
                                                uint64_t *)) {
  for (size_t i = 0; i < numbering->mapping->region_count; i++) {
    struct region *region = &numbering->mapping->regions[i];
    bool branch =
        region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
    if (region->counter % 4 != COUNTER_ZERO)
      act(numbering, &region->counter);
    if (branch && region->other % 4 != COUNTER_ZERO)
      act(numbering, &region->other);
  }
}

/* Adds the counter to the marks of all places in its sum. */
static void mark_places_in_sum(struct byte_counter_numbering *numbering,
                               uint64_t *counter) {
  collect_implying_places(numbering, *counter);
  for (size_t i = 0; i < numbering->body->place_count; i++)
    if (set_has(numbering->sum, i))
      numbering->marks[i] =
          expressions_mix_hash(numbering->marks[i], *counter) | 1;
}

/* Gives places with the same marks the same number. */
static void number_places(struct byte_counter_numbering *numbering) {
  struct function_body *body = numbering->body;
  struct map numbers = {.limit = BYTE_COUNTERS_MOST};
  for (size_t i = 0; i < body->place_count; i++) {
    struct byte_counter_place *place = &body->places[i];
    if (place->function != numbering->function)
      continue;
    place->number = BYTE_COUNTER_NONE;
    if (place->dropped || !numbering->marks[i])
      continue;
    uint64_t *at = cc_map_find_or_add(&numbers, numbering->marks[i], 0, 0);
    *at = *at ? *at : ++numbering->total;
    place->number = *at - 1;
  }
  map_free(&numbers);
}

/* Returns a counter expression for the sum of two counters. */
static uint64_t make_counter_sum(struct byte_counter_numbering *numbering,
                                 uint64_t left, uint64_t right) {
  uint64_t *at = cc_map_find_or_add(&numbering->known, left, right, 0);
  if (!*at) {
    CC_APPEND(numbering->body->memory, numbering->expressions,
              numbering->expression_count,
              (struct counter_expression){left, right});
    *at = numbering->expression_count;
  }
  return (*at - 1) * 4 + COUNTER_SUM;
}

/* Returns the sum of byte counters whose numbers ascend and are between `first`
 * and `last`. Every call halves its range at the same numbers, so that sums
 * share their halves. The map also has the sums of all numbers in a range. */
static uint64_t make_byte_counter_sum(struct byte_counter_numbering *numbering,
                                      const uint64_t *list, size_t count,
                                      uint64_t first, uint64_t last) {
  uint64_t middle = first + (last - first) / 2;
  size_t left = 0;
  if (count == 1)
    return *list * 4 + COUNTER_PLAIN;
  bool whole = count == last - first;
  const uint64_t *known =
      whole ? map_find(&numbering->known, first, last, 1) : NULL;
  if (known)
    return *known;
  while (left < count && list[left] < middle)
    left++;
  if (!left)
    return make_byte_counter_sum(numbering, list, count, middle, last);
  uint64_t sum = make_byte_counter_sum(numbering, list, left, first, middle);
  if (left < count)
    sum = make_counter_sum(numbering, sum,
                           make_byte_counter_sum(numbering, list + left,
                                                 count - left, middle, last));
  if (whole)
    *cc_map_find_or_add(&numbering->known, first, last, 1) = sum;
  return sum;
}

/* Replaces a counter with the sum of byte counters. If no byte counter implies
 * the counter, the counter becomes a byte counter that is never stored. The
 * counter does not become zero, because zero would mean that the compiler knows
 * the branch. */
static void replace_and_hash_counter(struct byte_counter_numbering *numbering,
                                     uint64_t *counter) {
  size_t count = 0;
  uint64_t *numbers = numbering->numbers, *hash = &numbering->function->hash;
  collect_implying_places(numbering, *counter);
  memset(numbering->in_sum, 0, numbering->words * sizeof *numbering->in_sum);
  for (size_t i = 0; i < numbering->body->place_count; i++)
    if (set_has(numbering->sum, i))
      add_to_set(numbering->in_sum, numbering->body->places[i].number);
  for (uint64_t i = 0; i < numbering->total; i++)
    if (set_has(numbering->in_sum, i))
      numbers[count++] = i;
  if (!count) {
    if (numbering->never == BYTE_COUNTER_NONE)
      numbering->never = numbering->total++;
    numbers[count++] = numbering->never;
  }
  *hash = expressions_mix_hash(*hash, count);
  for (size_t i = 0; i < count; i++)
    *hash = expressions_mix_hash(*hash, numbers[i]);
  uint64_t last = 1;
  while (last < numbering->total)
    last *= 2;
  *counter = make_byte_counter_sum(numbering, numbers, count, 0, last);
}

/* ---- functions ---- */

/* Numbers the byte counters of a function, and makes each region of the mapping
 * a sum of them. Also sets the hash of the function's structure. */
static void
number_counters_and_remap(struct byte_counter_numbering *numbering) {
  struct function_body *body = numbering->body;
  struct function_counters *function = numbering->function;
  struct module_functions *functions = &body->reader->check.functions;
  size_t places = body->place_count + 1,
         expressions = function->expression_count;
  numbering->uses =
      cc_allocate(body->memory, (body->use_count + 1) * sizeof(size_t));
  numbering->use_begin = cc_allocate(
      body->memory, (count_function_counters(function) + 1) * sizeof(size_t));
  numbering->marks = cc_allocate(body->memory, places * sizeof(uint64_t));
  numbering->numbers =
      cc_allocate(body->memory, (places + 1) * sizeof(uint64_t));
  numbering->seen = cc_allocate(body->memory, expressions + 1);
  numbering->todo =
      cc_allocate(body->memory, (2 * expressions + 1) * sizeof(uint64_t));
  numbering->expressions = NULL;
  numbering->expression_count = 0;
  numbering->known = (struct map){.limit = BYTE_COUNTERS_MOST};
  numbering->total = 0;
  numbering->never = BYTE_COUNTER_NONE;
  numbering->mapping = expressions_decode_mapping(functions, function);
  group_uses_by_counter(numbering);
  for_each_region_counter(numbering, mark_places_in_sum);
  number_places(numbering);
  for_each_region_counter(numbering, replace_and_hash_counter);
  map_free(&numbering->known);
  numbering->mapping->expressions = numbering->expressions;
  numbering->mapping->expression_count = numbering->expression_count;
  expressions_encode_mapping(functions, function);
  function->hash |= !function->hash;
  function->hash_has_counters = true;
  function->total = numbering->total;
}

/* Numbers all functions of the body whose mapping gets sums. */
static void number_counters_of_body(struct function_body *body) {
  size_t words = body->place_count / 64 + 1;
  struct byte_counter_numbering numbering = {
      .body = body,
      .words = words,
      .sum = cc_allocate(body->memory, words * sizeof(uint64_t)),
      .in_sum = cc_allocate(body->memory, words * sizeof(uint64_t))};
  compute_implying_sets(&numbering);
  for (size_t i = 0; i < body->place_count; i++) {
    numbering.function = body->places[i].function;
    if (numbering.function->sums && !numbering.function->total)
      number_counters_and_remap(&numbering);
  }
}

/* ---- stores ---- */

static void append_store(struct function_body *body,
                         const struct byte_counter_place *place, uint64_t count,
                         uint64_t index) {
  const struct byte_counter_store store = {place->line, place->edge,
                                           &place->call, count, index};
  CC_APPEND(body->memory, body->stores, body->store_count, store);
}

ORDER_BY(compare_stores, struct byte_counter_store, x->line, x->edge, x->index);

static void list_stores(struct function_body *body) {
  for (size_t i = 0; i < body->place_count; i++) {
    const struct byte_counter_place *place = &body->places[i];
    if (!place->function->sums)
      continue;
    if (!place->dropped && place->number != BYTE_COUNTER_NONE)
      append_store(body, place, place->function->total, place->number);
    else
      body->reader->result->dropped++;
  }
  for (size_t i = 0; i < body->use_count; i++) {
    struct byte_counter_use use = body->uses[i];
    const struct byte_counter_place *place = &body->places[use.place];
    for (; use.count-- && !place->function->sums; place++)
      append_store(body, place, count_function_counters(place->function),
                   use.index);
  }
}

/* Numbers the kept byte counters, writes the mappings with sums for the dropped
 * byte counters, and lists the stores. */
static void number_and_list_stores(struct function_body *body) {
  bool any = false;
  for (size_t i = 0; i < body->place_count; i++)
    any |= body->places[i].function->sums;
  if (any)
    number_counters_of_body(body);
  list_stores(body);
  sort_array(body->stores, body->store_count, sizeof *body->stores,
             compare_stores);
  for (size_t i = 0; i < body->store_count; i++) {
    if (body->stores[i].line != SIZE_MAX)
      continue;
    struct cfg_edge *edge = &body->cfg.edges[body->stores[i].edge];
    if (!edge->split)
      edge->split = ++body->splits;
  }
}

/* ==== The next functions write byte counters instead of 8-byte counters. */

const struct byte_counters byte_counters_none = {
    .functions = {.limit = BYTE_COUNTERS_MOST}};

static const char cover_declared[] = "declare void @llvm.instrprof.cover(";

/* ---- increments by 0 or 1 ---- */

/* Rewrites an increment by 0 or 1. A jump replaces the increment, so the rest
 * of the block gets another name. */
static void append_branch_for_step(struct byte_counter_rewriter *reader,
                                   struct text_part line) {
  struct intrinsic_call call;
  struct text_part value;
  if (!call_parse_step(line, &call, &value))
    raise_error(byte_counters_unknown);
  /* The two constants get no jump, because sums would then include the path
   * that is never taken. */
  bool always = part_equals(value, (struct text_part){"1", 1});
  if (part_equals(value, (struct text_part){"0", 1}))
    return;
  static const struct text_part no_block = {"\n", 1};
  size_t n = reader->step_count, used = 0, room = line.size + 400;
  char *text = cc_allocate(&reader->memory, room);
  CC_APPEND(&reader->memory, reader->steps, reader->step_count,
            always ? no_block : reader->block);
  if (!always)
    used += (size_t)snprintf(text, room,
                             "  %%bareprof.c%zu = icmp ne i64 %.*s, 0\n"
                             "  br i1 %%bareprof.c%zu, label "
                             "%%bareprof.t%zu, label %%bareprof.f%zu\n"
                             "bareprof.t%zu:\n",
                             n, (int)value.size, value.at, n, n, n, n);
  used += (size_t)snprintf(text + used, room - used,
                           "%s%.*s%.*s, i32 %" PRIu64 ", i32 %" PRIu64 "%.*s\n",
                           call_word, (int)call.before.size, call.before.at,
                           (int)call.hash.size, call.hash.at, call.counters,
                           call.index, (int)call.rest.size, call.rest.at);
  if (!always)
    used += (size_t)snprintf(text + used, room - used,
                             "  br label %%bareprof.j%zu\nbareprof.f%zu:\n"
                             "  br label %%bareprof.j%zu\nbareprof.j%zu:\n",
                             n, n, n, n);
  struct bytes lines = {(const unsigned char *)text, used};
  while (text_next_line(&lines, &line))
    CC_APPEND(&reader->memory, reader->lines, reader->line_count, line);
}

/* ---- first reading ---- */

/* Notes the attribute groups of functions that may be in other objects, too. A
 * C inline function has its own symbol in one object and copies in others; such
 * functions keep all byte counters. At -O0 no attribute distinguishes them. */
static void note_copied_attribute_group(struct byte_counter_rewriter *reader,
                                        struct text_part line) {
  reader->result->copied |= part_contains(line, "alwaysinline");
  reader->result->split |= part_contains(line, "coroutine");
  if (part_contains(line, "inlinehint") || part_contains(line, "noinline") ||
      part_contains(line, "alwaysinline"))
    cc_map_find_or_add(&reader->copied_groups,
                       (uint64_t)text_find_attribute_group(line), 0, 0);
}

static void parse_counted_module(struct byte_counter_rewriter *reader) {
  struct bytes module = reader->module;
  expressions_parse_and_check(&reader->check, module);
  for (struct text_part line; text_next_line(&module, &line);) {
    if (part_starts_with(line, "attributes #"))
      note_copied_attribute_group(reader, line);
    reader->declared |= part_starts_with(line, cover_declared);
    call_effects_parse_line(&reader->effects, line);
  }
  call_effects_decide(&reader->effects);
  for (struct function_counters *at = reader->check.functions.first; at;
       at = at->next) {
    at->alone &= at->group < 0 || !map_find(&reader->copied_groups,
                                            (uint64_t)at->group, 0, 0);
    if (at->bits > COUNTERS_MOST)
      raise_error("a function has more than a million decision outcomes; "
                  "compile this file without MC/DC");
  }
}

/* ---- writing a function ---- */

static void print_store(struct byte_counter_rewriter *reader,
                        const struct byte_counter_store *store) {
  struct intrinsic_call call = *store->call;
  const struct function_counters *function =
      expressions_find_function(&reader->check.functions, call.function);
  call.counters = store->count + byte_mcdc_count_bytes(reader, function);
  call.index = store->index;
  call_print_byte_store(reader->out, &call, function->hash);
  reader->result->stores++;
}

/* Writes a line of a block. If a block was inserted on an edge, the jump goes
 * to the inserted block. */
static void print_redirected_line(const struct function_body *body,
                                  const struct cfg_block *block,
                                  struct text_part line) {
  FILE *out = body->reader->out;
  struct text_part rest = line;
  for (size_t i = block->edges; i < block->last; i++) {
    const struct cfg_edge *edge = &body->cfg.edges[i];
    if (!edge->split || edge->name.at < rest.at ||
        edge->name.at >= line.at + line.size)
      continue;
    part_print_text(out, text_between(rest, edge->name));
    fprintf(out, "%%bareprof.%zu", edge->split);
    part_cut_front(&rest, (size_t)(edge->name.at - rest.at) + edge->name.size);
  }
  part_print_pattern(out, "%p\n", rest);
}

/* Returns whether a name, with %, is the name of this block. An empty `block`
 * is the first block, which the text does not name. */
static bool is_name_of_block(const struct function_body *body,
                             struct text_part block, struct text_part name) {
  part_cut_front(&name, 1);
  if (block.size)
    return part_equals(block, name);
  for (size_t i = 0; i < body->cfg.block_count; i++)
    if (part_equals(body->cfg.blocks[i].name, name))
      return false;
  return true;
}

/* Returns the number of the last step in the block, plus 1. Returns 0 if the
 * block lacks a step. */
static size_t find_last_step_of_block(const struct function_body *body,
                                      struct text_part name) {
  size_t i = body->reader->step_count;
  while (i && !is_name_of_block(body, body->reader->steps[i - 1], name))
    i--;
  return i;
}

/* Returns the block that was inserted on the nth edge from the named block to
 * block `to`. Returns 0 if no block was inserted. */
static size_t find_split_block(const struct function_body *body, size_t to,
                               struct text_part from, size_t nth) {
  const struct cfg *cfg = &body->cfg;
  for (size_t i = 0; i < cfg->edge_count; i++) {
    const struct cfg_edge *edge = &cfg->edges[i];
    bool same = is_name_of_block(body, cfg->blocks[edge->from].name, from);
    if (edge->split && edge->to == to && same && nth-- == 0)
      return edge->split;
  }
  return 0;
}

struct phi_context {
  const struct function_body *body;
  size_t block; /* the block with the phi */
};

/* Sets `again` to the block from which the nth edge now comes: the block that
 * was inserted on the edge, or the last step of block `from`. */
static void find_new_block_name(void *context, struct text_part from,
                                size_t nth, char again[40]) {
  const struct phi_context *phi = context;
  size_t step = find_last_step_of_block(phi->body, from);
  if (step)
    snprintf(again, 40, "%%bareprof.j%zu", step - 1);
  size_t split = find_split_block(
      phi->body, phi->block,
      step ? (struct text_part){again, strlen(again)} : from, nth);
  if (split)
    snprintf(again, 40, "%%bareprof.%zu", split);
}

/* Prints a function's body with stores instead of clang's increments. */
static void print_counted_body(const struct function_body *body) {
  const struct cfg *cfg = &body->cfg;
  const struct byte_counter_store *store = body->stores,
                                  *end = store + body->store_count;
  struct phi_context phi = {body, 0};
  struct intrinsic_call call;
  for (size_t i = 0; i < cfg->line_count; i++) {
    struct text_part line = cfg->lines[i];
    while (phi.block + 1 < cfg->block_count &&
           cfg->blocks[phi.block + 1].begin <= i)
      phi.block++;
    for (; store != end && store->line == i; store++)
      print_store(body->reader, store);
    if (call_parse_increment(line, &call) ||
        byte_mcdc_print_if_intrinsic(body->reader, line))
      continue;
    if (part_contains(line, " = phi "))
      phi_print_renamed(
          body->reader->out, line,
          &(const struct phi_renaming){find_new_block_name, &phi});
    else
      print_redirected_line(body, &cfg->blocks[phi.block], line);
  }
  /* Writes the blocks that were inserted on edges. */
  while (store != end) {
    const struct cfg_edge *edge = &cfg->edges[store->edge];
    fprintf(body->reader->out, "\nbareprof.%zu:\n", edge->split);
    for (size_t i = store->edge; store != end && store->edge == i; store++)
      print_store(body->reader, store);
    part_print_pattern(body->reader->out, "  br label %p\n", edge->name);
  }
}

static void place_and_print_counters(void *context) {
  struct function_body *body = context;
  cfg_parse(&body->cfg);
  byte_places_choose(body);
  byte_drop_implied_places(body);
  number_and_list_stores(body);
  print_counted_body(body);
}

static void print_and_clear_counted(struct byte_counter_rewriter *reader) {
  struct function_body body = {.reader = reader,
                               .memory = &reader->memory,
                               .cfg = {.memory = &reader->memory,
                                       .lines = reader->lines,
                                       .line_count = reader->line_count},
                               .known = {.limit = BYTE_COUNTERS_MOST},
                               .numbers = {.limit = BYTE_COUNTERS_MOST}};
  const char *error = catch_error(place_and_print_counters, &body);
  map_free(&body.known);
  map_free(&body.numbers);
  raise_if_error(error);
  arena_clear(&reader->memory);
  reader->lines = reader->steps = NULL;
  reader->line_count = reader->step_count = reader->block.size = 0;
}

/* ---- the module ---- */

/* Writes all bodies, each with a zero at its end. The mappings depend on the
 * bodies, so the bodies are written before the variables. In the module, the
 * variables have to come first, because they may contain the address of a
 * label. */
static void print_function_bodies(void *context) {
  struct byte_counter_rewriter *reader = context;
  struct bytes module = reader->module;
  bool inside = false;
  for (struct text_part line, name; text_next_line(&module, &line);) {
    if (inside && part_starts_with(line, "}")) {
      inside = false;
      print_and_clear_counted(reader);
      fputc(0, reader->out);
    } else if (inside && call_is_step(line)) {
      append_branch_for_step(reader, line);
    } else if (inside) {
      cfg_parse_block_label(line, &reader->block);
      CC_APPEND(&reader->memory, reader->lines, reader->line_count, line);
    } else if (part_starts_with(line, "define ")) {
      inside = true;
      name = text_defined_name(line);
      part_cut_front(&name, name.size > 0);
      snprintf(reader->result->where, sizeof reader->result->where, "%.*s",
               (int)name.size, name.at);
    }
  }
  *reader->result->where = 0;
}

static void print_global_line(const struct byte_counter_rewriter *reader,
                              struct text_part line) {
  static const char declared[] = "declare void @llvm.instrprof.increment(";
  if (part_starts_with(line, "@") || part_starts_with(line, "$")) {
    expressions_print_global_line(&reader->check.functions, line, reader->out);
    return;
  }
  part_print_pattern(reader->out, "%p\n", line);
  if (!reader->declared && part_skip_word(&line, declared))
    part_print_pattern(reader->out, "%s%p\n", cover_declared, line);
}

/* Writes the module: all lines outside functions, with the bodies between them.
 */
static void print_counted_module(const struct byte_counter_rewriter *reader,
                                 const char *body) {
  struct bytes module = reader->module;
  bool inside = false;
  for (struct text_part line; text_next_line(&module, &line);) {
    if (inside && part_starts_with(line, "}")) {
      inside = false;
      fputs(body, reader->out);
      body += strlen(body) + 1;
    }
    if (!inside)
      print_global_line(reader, line);
    inside |= part_starts_with(line, "define ");
  }
}

static void rewrite_module(void *context) {
  struct byte_counter_rewriter *reader = context;
  size_t size;
  parse_counted_module(reader);
  expressions_replace_differences(&reader->check.functions);
  char *bodies =
      cc_print_to_memory(&reader->out, print_function_bodies, reader, &size);
  print_counted_module(reader, bodies);
  free(bodies);
  if (!reader->result->stores)
    return;
  if (!reader->check.raw)
    raise_error("the IR does not name the clang release, so the raw version is "
                "unknown; compile with -fident, or without --counters=byte");
  byte_lowered_note_expectations(reader);
  fprintf(reader->out,
          "\n$__llvm_profile_raw_version = comdat any\n"
          "@__llvm_profile_raw_version = hidden constant i64 %" PRIu64
          ", comdat\n",
          BAREPROF_BYTE_COVERAGE | reader->check.raw);
}

const char *byte_counters_insert(struct byte_counters *result,
                                 struct bytes module, FILE *out) {
  struct byte_counter_rewriter reader = {
      .result = result,
      .out = out,
      .module = module,
      .effects = call_effects_none,
      .check = {.functions = module_functions_none},
      .memory = {.limit = BYTE_COUNTERS_MOST},
      .copied_groups = {.limit = BYTE_COUNTERS_MOST}};
  const char *error = catch_error(rewrite_module, &reader);
  expressions_free(&reader.check.functions);
  call_effects_free(&reader.effects);
  map_free(&reader.copied_groups);
  arena_free(&reader.memory);
  return error;
}
