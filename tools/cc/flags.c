/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes byte counters (`flags`) out of counters in a module of clang's front
 * end. Reads the module once for names, counters and mappings, and once to
 * write it. flags_place.c finds the places; flags_lowered in cover.c then
 * checks what clang made of them.
 *
 * Where other objects may have a function's code, its byte counters depend on
 * its mapping only. So a reader that keeps one mapping per name reads the
 * counters of all objects correctly.
 */
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/os.h"
#include "flags_inside.h"
#include "image_row.h"

/* ==== Numbers of byte counters. If some are dropped, the others get new
 * numbers, and a region of the mapping gets the sum of those that imply it, so
 * every reader of clang's mappings can read it. Places that occur in the same
 * sums share one byte counter. */

struct numbering {
  struct body *body;
  struct differences_of *function;
  size_t words;      /* 64-bit words of a set of places */
  uint64_t *sets;    /* by place: the set of kept places that imply it */
  uint64_t *sum;     /* the set of kept places that imply a counter */
  uint64_t *marks;   /* by place: a hash of the counters that it occurs in; 0:
                        none */
  size_t *uses;      /* places, sorted by counter */
  size_t *use_begin; /* by counter: its first element of uses; one more at the
                        end */
  uint64_t *flags;   /* the numbers of the byte counters in a sum */
  uint64_t *todo;    /* counters that find_sum has yet to visit */
  bool *seen;        /* expressions that find_sum has visited */
  struct mapping mapping;
  struct buffer expressions;
  struct map known;
  uint64_t total, never;
};

/* A set of places has one bit for each place. */
static void unite(uint64_t *set, const uint64_t *other, size_t words) {
  for (size_t i = 0; i < words; i++)
    set[i] |= other[i];
}

static bool has(const uint64_t *set, size_t place) {
  return set[place / 64] >> place % 64 & 1;
}

/* Sets numbering->sets. Only kept places, and places that were dropped later,
 * imply a dropped place. So the last dropped place comes first. */
static void resolve(struct numbering *numbering) {
  const struct body *body = numbering->body;
  const size_t *drops = (const size_t *)body->drops.data;
  const size_t *from = (const size_t *)body->from.data;
  size_t words = numbering->words;
  for (size_t i = 0; i < body_place_count(body); i++)
    if (!body_places(body)[i].dropped)
      numbering->sets[i * words + i / 64] |= UINT64_C(1) << i % 64;
  for (size_t i = body->drops.size / sizeof *drops; i--;) {
    const struct flag_place *place = &body_places(body)[drops[i]];
    for (size_t k = place->from; k < place->last; k++)
      unite(numbering->sets + drops[i] * words,
            numbering->sets + from[k] * words, words);
  }
}

/* ---- counters of the mapping ---- */

static bool is_of(const struct numbering *numbering, struct flag_use use) {
  return body_places(numbering->body)[use.place].function ==
         numbering->function;
}

static size_t counter_count(const struct differences_of *function) {
  return (size_t)function->counters + function->count;
}

static const char *sort_uses(struct numbering *numbering) {
  const struct flag_use *uses =
      (const struct flag_use *)numbering->body->uses.data;
  size_t count = numbering->body->uses.size / sizeof *uses;
  size_t counters = counter_count(numbering->function), sum = 0;
  numbering->uses = malloc((count + 1) * sizeof *numbering->uses);
  numbering->use_begin = calloc(counters + 1, sizeof *numbering->use_begin);
  if (!numbering->uses || !numbering->use_begin)
    return out_of_memory;
  size_t *begin = numbering->use_begin;
  for (size_t i = 0; i < count; i++)
    if (is_of(numbering, uses[i]))
      begin[uses[i].index]++;
  for (size_t i = 0; i <= counters; i++)
    begin[i] = sum += begin[i];
  for (size_t i = count; i--;)
    if (is_of(numbering, uses[i]))
      numbering->uses[--begin[uses[i].index]] = uses[i].place;
  return NULL;
}

static void add_number(struct numbering *numbering, size_t number) {
  size_t words = numbering->words;
  for (size_t i = numbering->use_begin[number];
       i < numbering->use_begin[number + 1]; i++)
    unite(numbering->sum, numbering->sets + numbering->uses[i] * words, words);
}

/* Sets numbering->sum for a counter. Visits each expression once. */
static void find_sum(struct numbering *numbering, uint64_t counter) {
  const struct differences_of *function = numbering->function;
  uint64_t *todo = numbering->todo;
  size_t count = 0;
  memset(numbering->sum, 0, numbering->words * sizeof *numbering->sum);
  memset(numbering->seen, 0, function->expression_count);
  for (todo[count++] = counter; count;) {
    counter = todo[--count];
    if (counter % 4 == COUNTER_ZERO)
      continue;
    size_t number = differences_number_of(function, counter);
    if (number < counter_count(function)) {
      add_number(numbering, number);
    } else if (number == SIZE_MAX && !numbering->seen[counter / 4]) {
      numbering->seen[counter / 4] = true;
      todo[count++] = function->expressions[counter / 4].left;
      todo[count++] = function->expressions[counter / 4].right;
    }
  }
}

/* ---- regions ---- */

/* Calls a function with each counter of the regions. Returns NULL or its
 * error. */
static const char *each_counter(struct numbering *numbering,
                                const char *(*act)(struct numbering *,
                                                   uint64_t *)) {
  const char *error = NULL;
  for (size_t i = 0; i < numbering->mapping.region_count && !error; i++) {
    struct region *region = &numbering->mapping.regions[i];
    bool branch =
        region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
    if (region->counter % 4 != COUNTER_ZERO)
      error = act(numbering, &region->counter);
    if (!error && branch && region->other % 4 != COUNTER_ZERO)
      error = act(numbering, &region->other);
  }
  return error;
}

/* Adds the counter to the marks of all places in its sum. */
static const char *mark(struct numbering *numbering, uint64_t *counter) {
  find_sum(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (has(numbering->sum, i))
      numbering->marks[i] = differences_mix(numbering->marks[i], *counter) | 1;
  return NULL;
}

/* Gives places with the same marks the same number. */
static const char *number_places(struct numbering *numbering) {
  struct map numbers = {.limit = FLAGS_MOST};
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(numbering->body) && !error; i++) {
    struct flag_place *place = &body_places(numbering->body)[i];
    if (place->function != numbering->function)
      continue;
    place->number = FLAG_NONE;
    if (place->dropped || !numbering->marks[i])
      continue;
    uint64_t *at = map_at(&numbers, numbering->marks[i], 0, 0);
    if (!at) {
      error = out_of_memory;
    } else {
      *at = *at ? *at : ++numbering->total;
      place->number = *at - 1;
    }
  }
  map_free(&numbers);
  return error;
}

/* Sets *counter to the sum of two counters. */
static const char *add(struct numbering *numbering, uint64_t left,
                       uint64_t right, uint64_t *counter) {
  size_t count = numbering->expressions.size / sizeof(struct expression);
  uint64_t *at = map_at(&numbering->known, left, right, 0);
  const struct expression sum = {left, right};
  if (!at)
    return out_of_memory;
  const char *error =
      *at ? NULL : buffer_append(&numbering->expressions, &sum, sizeof sum);
  if (!*at)
    *at = count + 1;
  *counter = (*at - 1) * 4 + COUNTER_SUM;
  return error;
}

/* Sets *counter to the sum of byte counters, whose numbers ascend and are
 * between first and last. Ranges are halved at the same numbers every time, so
 * that sums share their halves. */
static const char *sum_up(struct numbering *numbering, struct bytes list,
                          uint64_t first, uint64_t last, uint64_t *counter) {
  const uint64_t *flags = (const uint64_t *)(const void *)list.data;
  size_t count = list.size / sizeof *flags, left = 0;
  uint64_t middle = first + (last - first) / 2, parts[2];
  if (count == 1) {
    *counter = *flags * 4 + COUNTER_PLAIN;
    return NULL;
  }
  while (left < count && flags[left] < middle)
    left++;
  struct bytes low = {list.data, left * sizeof *flags};
  struct bytes high = {list.data + low.size, list.size - low.size};
  if (!left)
    return sum_up(numbering, high, middle, last, counter);
  if (left == count)
    return sum_up(numbering, low, first, middle, counter);
  const char *error = sum_up(numbering, low, first, middle, &parts[0]);
  if (!error)
    error = sum_up(numbering, high, middle, last, &parts[1]);
  return error ? error : add(numbering, parts[0], parts[1], counter);
}

ORDER_BY(by_number, uint64_t, *x);

/* Replaces a counter with the sum of byte counters. If none implies it, the
 * counter becomes a byte counter that is never stored, not zero: zero would
 * mean that the compiler knows the branch. */
static const char *replace(struct numbering *numbering, uint64_t *counter) {
  size_t count = 0, kept = 0;
  uint64_t *flags = numbering->flags;
  find_sum(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (has(numbering->sum, i))
      flags[count++] = body_places(numbering->body)[i].number;
  if (!count) {
    if (numbering->never == FLAG_NONE)
      numbering->never = numbering->total++;
    flags[count++] = numbering->never;
  }
  qsort(flags, count, sizeof *flags, by_number);
  for (size_t i = 0; i < count; i++)
    if (!i || flags[i] != flags[kept - 1])
      flags[kept++] = flags[i];
  uint64_t *hash = &numbering->function->hash;
  *hash = differences_mix(*hash, kept);
  for (size_t i = 0; i < kept; i++)
    *hash = differences_mix(*hash, flags[i]);
  struct bytes list = {(const unsigned char *)flags, kept * sizeof *flags};
  return sum_up(numbering, list, 0, UINT64_C(1) << 32, counter);
}

/* ---- functions ---- */

static const char *begin_function(struct numbering *numbering,
                                  struct buffer *record) {
  size_t count = body_place_count(numbering->body) + 1;
  const struct differences_of *function = numbering->function;
  const char *error = sort_uses(numbering);
  numbering->marks = calloc(count, sizeof *numbering->marks);
  numbering->flags = malloc((count + 1) * sizeof *numbering->flags);
  numbering->seen = malloc(function->expression_count + 1);
  numbering->todo =
      malloc((2 * function->expression_count + 1) * sizeof *numbering->todo);
  numbering->expressions = (struct buffer){.limit = FLAGS_MOST};
  numbering->known = (struct map){.limit = FLAGS_MOST};
  numbering->total = 0;
  numbering->never = FLAG_NONE;
  if (!error && (!numbering->marks || !numbering->flags || !numbering->seen ||
                 !numbering->todo))
    error = out_of_memory;
  const char *other = differences_open(function, &numbering->mapping, record);
  return error ? error : other;
}

static const char *number_function(struct numbering *numbering) {
  struct buffer record;
  struct mapping *mapping = &numbering->mapping;
  const char *error = begin_function(numbering, &record);
  if (!error)
    error = each_counter(numbering, mark);
  if (!error)
    error = number_places(numbering);
  if (!error)
    error = each_counter(numbering, replace);
  mapping->expressions = (struct expression *)numbering->expressions.data;
  mapping->expression_count =
      numbering->expressions.size / sizeof *mapping->expressions;
  if (!error)
    error = differences_replace(numbering->function, mapping);
  numbering->function->hash |= !numbering->function->hash;
  numbering->function->own = true;
  numbering->function->total = numbering->total;
  mapping_close(mapping);
  buffer_free(&record);
  buffer_free(&numbering->expressions);
  map_free(&numbering->known);
  free(numbering->marks);
  free(numbering->flags);
  free(numbering->seen);
  free(numbering->todo);
  free(numbering->uses);
  free(numbering->use_begin);
  numbering->uses = numbering->use_begin = NULL;
  return error;
}

/* Numbers all functions of the body that may have implied byte counters. */
static const char *number_all(struct body *body) {
  size_t count = body_place_count(body);
  struct numbering numbering = {.body = body, .words = count / 64 + 1};
  size_t size = numbering.words * sizeof *numbering.sum;
  numbering.sets = calloc(count + 1, size);
  numbering.sum = malloc(size);
  const char *error = numbering.sets && numbering.sum ? NULL : out_of_memory;
  if (!error)
    resolve(&numbering);
  for (size_t i = 0; i < count && !error; i++) {
    struct differences_of *function = body_places(body)[i].function;
    numbering.function = function;
    if (function->follows && !function->total)
      error = number_function(&numbering);
  }
  free(numbering.sets);
  free(numbering.sum);
  return error;
}

/* ---- stores ---- */

static const char *add_store(struct body *body, const struct flag_place *place,
                             uint64_t count, uint64_t index) {
  struct flag_store store = {place->line, place->edge, &place->call, count,
                             index};
  return buffer_append(&body->stores, &store, sizeof store);
}

ORDER_BY(by_line, struct flag_store, x->line, x->edge, x->index);

static const char *list_stores(struct body *body) {
  const struct flag_use *uses = (const struct flag_use *)body->uses.data;
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(body) && !error; i++) {
    const struct flag_place *place = &body_places(body)[i];
    if (!place->function->follows)
      continue;
    if (!place->dropped && place->number != FLAG_NONE)
      error = add_store(body, place, place->function->total, place->number);
    else
      body->reader->flags->dropped++;
  }
  for (size_t i = 0; i < body->uses.size / sizeof *uses && !error; i++) {
    const struct flag_place *place = &body_places(body)[uses[i].place];
    if (!place->function->follows)
      error =
          add_store(body, place, counter_count(place->function), uses[i].index);
  }
  return error;
}

/* Numbers the byte counters that are kept, writes the mappings with the sums of
 * the others, and lists the stores. Returns NULL or the error. */
static const char *flags_number(struct body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++)
    any |= body_places(body)[i].function->follows;
  const char *error = any ? number_all(body) : NULL;
  if (!error)
    error = list_stores(body);
  struct flag_store *stores = (struct flag_store *)body->stores.data;
  size_t count = body->stores.size / sizeof *stores;
  if (!error && count)
    qsort(stores, count, sizeof *stores, by_line);
  for (size_t i = 0; i < count && !error; i++) {
    /* A body with one block has neither edges nor memory for them. */
    if (stores[i].line != SIZE_MAX)
      continue;
    struct cfg_edge *edge = &cfg_edges(&body->cfg)[stores[i].edge];
    if (!edge->split)
      edge->split = ++body->splits;
  }
  return error;
}

/* ==== Byte counters instead of counters. */

const struct flags flags_none = {.functions = {.limit = FLAGS_MOST}};

static const char cover_declared[] = "declare void @llvm.instrprof.cover(";

/* ---- increments by 0 or 1 ---- */

static const char *add_lines(struct flags_reader *reader, const char *at) {
  const char *error = NULL, *end = at + strlen(at);
  for (; at < end && !error; at = strchr(at, '\n') + 1) {
    struct part line = line_at(at, end);
    error = buffer_append(&reader->lines, &line, sizeof line);
  }
  return error;
}

static const char *add_step(struct flags_reader *reader, struct part line) {
  struct intrinsic_call call;
  struct part value;
  if (!call_read_step(line, &call, &value))
    return flags_unknown;
  bool always = part_same(value, (struct part){"1", 1});
  /* A constant gets no jump: sums would include the path that is never
   * taken. */
  if (part_same(value, (struct part){"0", 1}))
    return NULL;
  static const struct part no_block = {"\n", 1};
  struct choice_step step = {.block = always ? no_block : reader->block,
                             .lines = malloc(line.size + 400),
                             .number = reader->steps.size / sizeof step};
  if (!step.lines)
    return out_of_memory;
  size_t n = step.number;
  int begin = always ? 0
                     : sprintf(step.lines,
                               "  %%bareprof.c%zu = icmp ne i64 %.*s, 0\n"
                               "  br i1 %%bareprof.c%zu, label "
                               "%%bareprof.t%zu, label %%bareprof.f%zu\n"
                               "bareprof.t%zu:\n",
                               n, (int)value.size, value.at, n, n, n, n);
  begin += sprintf(step.lines + begin,
                   "%s%.*s%.*s, i32 %" PRIu64 ", i32 %" PRIu64 ")%.*s\n",
                   call_word, (int)call.before.size, call.before.at,
                   (int)call.hash.size, call.hash.at, call.counters, call.index,
                   (int)call.rest.size, call.rest.at);
  if (!always)
    sprintf(step.lines + begin,
            "  br label %%bareprof.j%zu\nbareprof.f%zu:\n"
            "  br label %%bareprof.j%zu\nbareprof.j%zu:\n",
            n, n, n, n);
  const char *error = buffer_append(&reader->steps, &step, sizeof step);
  if (error)
    free(step.lines);
  return error ? error : add_lines(reader, step.lines);
}

static const char *add_line(struct flags_reader *reader, struct part line) {
  if (call_is_step(line))
    return add_step(reader, line);
  cfg_is_block(line, &reader->block);
  return buffer_append(&reader->lines, &line, sizeof line);
}

static void end_steps(struct flags_reader *reader) {
  struct choice_step *list = (struct choice_step *)reader->steps.data;
  for (size_t i = 0; i < reader->steps.size / sizeof *list; i++)
    free(list[i].lines);
  reader->steps.size = reader->lines.size = 0;
  reader->block.size = 0;
}

/* ---- first reading ---- */

/* Notes the attribute groups of functions that other objects may have, too. A C
 * inline function has its own symbol in one object and copies in others; such
 * functions keep all byte counters. At -O0 no attribute distinguishes them. */
static const char *look_at_group(struct flags_reader *reader,
                                 struct part line) {
  bool copied = part_contains(line, "inlinehint") ||
                part_contains(line, "noinline") ||
                part_contains(line, "alwaysinline");
  reader->flags->copied |= part_contains(line, "alwaysinline");
  reader->flags->split |= part_contains(line, "coroutine");
  return copied && !map_at(&reader->copied, (uint64_t)text_group(line), 0, 0)
             ? out_of_memory
             : NULL;
}

static void leave_copied(struct flags_reader *reader) {
  struct differences_of *list =
      (struct differences_of *)(void *)reader->list.list.data;
  size_t count = reader->list.list.size / sizeof *list;
  for (size_t i = 0; i < count; i++)
    list[i].alone &= list[i].group < 0 ||
                     !map_find(&reader->copied, (uint64_t)list[i].group, 0, 0);
}

static void look_at_body(struct flags_reader *reader, struct part line) {
  bool local = part_begins(line, "define internal ") ||
               part_begins(line, "define private ");
  reader->bodies++;
  reader->group = local ? -1 : text_group(line);
}

static const char *look_at_counter(struct flags_reader *reader,
                                   const struct intrinsic_call *call) {
  struct differences_of *function = flags_function_of(reader, call);
  struct part hash = call->hash, name = call->function;
  if (!function || call->counters > COUNTERS_MOST)
    return flags_unknown;
  if (!function->body) {
    part_skip_to(&name, "__profn_");
    name.size -= name.size && name.at[name.size - 1] == '"';
    function->symbol = differences_key(name);
    function->hash = text_take_hash(&hash);
  }
  function->counters = call->counters;
  function->group = reader->group;
  function->alone &= !function->body || function->body == reader->bodies;
  function->body = reader->bodies;
  return NULL;
}

static const char *look(struct flags_reader *reader, struct part line) {
  struct intrinsic_call call;
  struct part value;
  if (part_begins(line, "define "))
    look_at_body(reader, line);
  if (part_begins(line, "attributes #"))
    return look_at_group(reader, line);
  if (part_begins(line, "@"))
    return differences_read(&reader->list, &reader->known, line);
  const char *error = check_compiler(line, &reader->raw);
  if (error)
    return error;
  reader->declared |= part_begins(line, cover_declared);
  if (call_read_outcomes(line, &call))
    return mcdc_look(reader, &call);
  if (call_read(line, &call) || call_read_step(line, &call, &value))
    return look_at_counter(reader, &call);
  return NULL;
}

/* ---- writing a function ---- */

static void put_store(struct flags_reader *reader,
                      const struct flag_store *store) {
  struct intrinsic_call call = *store->call;
  const struct differences_of *function = flags_function_of(reader, &call);
  call.counters = store->count + flags_bits(reader, function);
  call.index = store->index;
  call_put_flag(reader->out, &call, function->hash);
  reader->flags->flags++;
}

/* Writes a line of a block. Jumps over edges with an inserted block go to this
 * block. */
static void put_jump(struct body *body, const struct cfg_block *block,
                     struct part line) {
  struct part rest = line, name;
  for (size_t i = block->edges; i < block->last; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    if (!edge->split || edge->name.at < rest.at ||
        edge->name.at >= line.at + line.size)
      continue;
    name = part_cut(&rest, (size_t)(edge->name.at - rest.at));
    part_put(body->reader->out, name);
    fprintf(body->reader->out, "%%bareprof.%zu", edge->split);
    part_cut(&rest, edge->name.size);
  }
  part_put(body->reader->out, rest);
  fputc('\n', body->reader->out);
}

/* Whether the name, with %, means this block. An empty block means the first
 * one, which the text does not name. */
static bool is_of_body(const struct body *body, struct part block,
                       struct part name) {
  const struct cfg_block *blocks = cfg_blocks(&body->cfg);
  part_cut(&name, 1);
  if (block.size)
    return part_same(block, name);
  for (size_t i = 0; i < body->cfg.block_count; i++)
    if (part_same(blocks[i].name, name))
      return false;
  return true;
}

/* Returns the number of the last choice_step in the block, plus 1; 0: none. */
static size_t step_of(const struct body *body, struct part name) {
  const struct choice_step *list =
      (const struct choice_step *)body->reader->steps.data;
  size_t i = body->reader->steps.size / (sizeof *list);
  while (i && !is_of_body(body, list[i - 1].block, name))
    i--;
  return i;
}

/* Returns the block on the nth edge from the named block to block `to`; 0:
 * none. */
static size_t split_of(const struct body *body, size_t to, struct part from,
                       size_t nth) {
  const struct cfg_block *blocks = cfg_blocks(&body->cfg);
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    bool same = is_of_body(body, blocks[edge->from].name, from);
    if (edge->split && edge->to == to && same && nth-- == 0)
      return edge->split;
  }
  return 0;
}

struct phi {
  const struct body *body;
  size_t block; /* the block with the phi */
};

static void rename_from(void *context, struct part from, size_t nth,
                        char again[40]) {
  const struct phi *phi = context;
  size_t step = step_of(phi->body, from);
  if (step)
    snprintf(again, 40, "%%bareprof.j%zu", step - 1);
  size_t split =
      split_of(phi->body, phi->block,
               step ? (struct part){again, strlen(again)} : from, nth);
  if (split)
    snprintf(again, 40, "%%bareprof.%zu", split);
}

/* Writes the blocks that were inserted on edges. */
static void put_splits(struct body *body, const struct flag_store *store,
                       const struct flag_store *end) {
  FILE *out = body->reader->out;
  while (store != end) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + store->edge;
    fprintf(out, "\nbareprof.%zu:\n", edge->split);
    for (size_t i = store->edge; store != end && store->edge == i; store++)
      put_store(body->reader, store);
    fputs("  br label ", out);
    part_put(out, edge->name);
    fputc('\n', out);
  }
}

static void put_body(struct body *body) {
  struct cfg *cfg = &body->cfg;
  const struct flag_store *store = (const struct flag_store *)body->stores.data;
  const struct flag_store *end = store + body->stores.size / sizeof *store;
  size_t block = 0;
  struct phi phi = {body, 0};
  struct intrinsic_call call;
  for (size_t i = 0; i < cfg->line_count; i++) {
    struct part line = cfg->lines[i];
    while (block + 1 < cfg->block_count &&
           cfg_blocks(cfg)[block + 1].begin <= i)
      block++;
    for (; store != end && store->line == i; store++)
      put_store(body->reader, store);
    if (call_read(line, &call) || mcdc_put(body->reader, line))
      continue;
    phi.block = block;
    if (part_contains(line, " = phi "))
      phi_put(body->reader->out, line,
              &(const struct renaming){rename_from, &phi});
    else
      put_jump(body, cfg_blocks(cfg) + block, line);
  }
  put_splits(body, store, end);
}

static const char *put_function(struct flags_reader *reader) {
  const struct part *lines = (const struct part *)reader->lines.data;
  size_t count = reader->lines.size / sizeof *lines;
  struct body body = {.reader = reader,
                      .known = {.limit = FLAGS_MOST},
                      .numbers = {.limit = FLAGS_MOST},
                      .in = {.limit = FLAGS_MOST},
                      .into = {.limit = FLAGS_MOST},
                      .places = {.limit = FLAGS_MOST},
                      .uses = {.limit = FLAGS_MOST},
                      .from = {.limit = FLAGS_MOST},
                      .drops = {.limit = FLAGS_MOST},
                      .stores = {.limit = FLAGS_MOST}};
  const char *error = cfg_read(&body.cfg, lines, count);
  if (!error)
    error = flags_place(&body);
  if (!error)
    error = flags_follow(&body);
  if (!error)
    error = flags_number(&body);
  if (!error)
    put_body(&body);
  cfg_free(&body.cfg);
  map_free(&body.known);
  map_free(&body.numbers);
  buffer_free(&body.in);
  buffer_free(&body.into);
  buffer_free(&body.places);
  buffer_free(&body.uses);
  buffer_free(&body.from);
  buffer_free(&body.drops);
  buffer_free(&body.stores);
  end_steps(reader);
  return error;
}

/* ---- the module ---- */

/* Stores the name of the function that a "define" line begins, for messages. */
static void name_function(struct flags *flags, struct part line) {
  while (line.size && *line.at != '@')
    part_cut(&line, 1);
  line = text_global(&line);
  part_cut(&line, line.size > 0);
  snprintf(flags->where, sizeof flags->where, "%.*s", (int)line.size, line.at);
}

/* Writes all bodies to memory, each with a zero at its end. The mappings depend
 * on the bodies. Variables still have to come first in the module, because they
 * may contain the address of a label. */
static const char *put_bodies(struct flags_reader *reader, const char *at) {
  const char *error = NULL;
  bool inside = false;
  while (at < reader->end && !error) {
    struct part line = line_at(at, reader->end);
    if (inside && part_begins(line, "}")) {
      inside = false;
      error = put_function(reader);
      fputc(0, reader->out);
    } else if (inside) {
      error = add_line(reader, line);
    } else {
      inside = part_begins(line, "define ");
      if (inside)
        name_function(reader->flags, line);
    }
    at = line.at + line.size + 1;
  }
  return error;
}

static const char *put_line(struct flags_reader *reader, struct part line) {
  static const char declared[] = "declare void @llvm.instrprof.increment(";
  if (part_begins(line, "@") || part_begins(line, "$"))
    return differences_put(&reader->list, &reader->known, line, reader->out);
  part_put(reader->out, line);
  fputc('\n', reader->out);
  if (!reader->declared && part_take(&line, declared)) {
    fputs(cover_declared, reader->out);
    part_put(reader->out, line);
    fputc('\n', reader->out);
  }
  return NULL;
}

/* Writes the module: all lines outside functions, and the bodies between
 * them. */
static const char *put_all(struct flags_reader *reader, const char *at,
                           const char *body) {
  const char *error = NULL;
  bool inside = false;
  while (at < reader->end && !error) {
    struct part line = line_at(at, reader->end);
    if (inside && part_begins(line, "}")) {
      inside = false;
      fputs(body, reader->out);
      body += strlen(body) + 1;
    }
    if (!inside)
      error = put_line(reader, line);
    inside |= part_begins(line, "define ");
    at = line.at + line.size + 1;
  }
  return error;
}

static const char *put_module(struct flags_reader *reader, const char *at) {
  FILE *out = reader->out;
  char *bodies = NULL;
  size_t size = 0;
  reader->out = os_memory_begin(&bodies, &size);
  if (!reader->out)
    return out_of_memory;
  const char *error = put_bodies(reader, at);
  if (!os_memory_end(reader->out, &bodies, &size) && !error)
    error = out_of_memory;
  reader->out = out;
  if (!error)
    *reader->flags->where = 0;
  if (!error)
    error = put_all(reader, at, bodies);
  free(bodies);
  if (error || !reader->flags->flags)
    return error;
  if (!reader->raw)
    return "the IR does not name the clang release, so the raw version is "
           "unknown; compile with -fident, or without --counters=byte";
  error = mcdc_end(reader);
  fprintf(reader->out,
          "\n$__llvm_profile_raw_version = comdat any\n"
          "@__llvm_profile_raw_version = hidden constant i64 %" PRIu64
          ", comdat\n",
          BAREPROF_BYTE_COVERAGE | reader->raw);
  return error;
}

const char *flags_module(struct flags *flags, struct bytes module, FILE *out) {
  const char *at = (const char *)module.data, *error = check_module(module);
  struct flags_reader reader = {.flags = flags,
                                .out = out,
                                .keeps = flags->keeps,
                                .bytes = flags->bytes,
                                .quiet = quiet_none,
                                .end = at + module.size,
                                .known = {.limit = FLAGS_MOST},
                                .copied = {.limit = FLAGS_MOST},
                                .lines = {.limit = FLAGS_MOST},
                                .steps = {.limit = FLAGS_MOST},
                                .list = {.list = {.limit = FLAGS_MOST}}};
  while (at < reader.end && !error) {
    struct part line = line_at(at, reader.end);
    error = look(&reader, line);
    if (!error)
      error = quiet_read(&reader.quiet, line);
    at = line.at + line.size + 1;
  }
  quiet_settle(&reader.quiet);
  leave_copied(&reader);
  if (!error)
    error = differences_number(&reader.list);
  if (!error)
    error = put_module(&reader, (const char *)module.data);
  end_steps(&reader);
  buffer_free(&reader.steps);
  differences_free(&reader.list);
  map_free(&reader.known);
  map_free(&reader.copied);
  quiet_free(&reader.quiet);
  buffer_free(&reader.lines);
  return error;
}
