/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes byte counters (`flags`) out of counters in a module of clang's front
 * end. Reads the module once for names, counters and mappings, and once to
 * write it. byte_places.c finds the places; byte_counters_finish in
 * coverage_jobs.c then checks what clang made of them.
 *
 * Where other objects may have a function's code, its byte counters depend on
 * its mapping only. So a reader that keeps one mapping per name reads the
 * counters of all objects correctly.
 */
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/os.h"
#include "byte_counters.h"
#include "image_row.h"

/* ==== Numbers of byte counters. If some are dropped, the others get new
 * numbers, and a region of the mapping gets the sum of those that imply it, so
 * every reader of clang's mappings can read it. Places that occur in the same
 * sums share one byte counter. */

struct byte_numbering {
  struct counted_body *body;
  struct function_counters *function;
  size_t words;      /* 64-bit words of a set of places */
  uint64_t *sets;    /* by place: the set of kept places that imply it */
  uint64_t *sum;     /* the set of kept places that imply a counter */
  uint64_t *marks;   /* by place: a hash of the counters that it occurs in; 0:
                        none */
  size_t *uses;      /* places, sorted by counter */
  size_t *use_begin; /* by counter: its first element of uses; one more at the
                        end */
  uint64_t *flags;   /* the numbers of the byte counters in a sum */
  uint64_t *todo;    /* counters that find_implying_places has yet to visit */
  bool *seen;        /* expressions that find_implying_places has visited */
  struct mapping mapping;
  struct buffer expressions;
  struct map known;
  uint64_t total, never;
};

/* A set of places has one bit for each place. */
static void unite_sets(uint64_t *set, const uint64_t *other, size_t words) {
  for (size_t i = 0; i < words; i++)
    set[i] |= other[i];
}

static bool set_has_place(const uint64_t *set, size_t place) {
  return set[place / 64] >> place % 64 & 1;
}

/* Sets numbering->sets. Only kept places, and places that were dropped later,
 * imply a dropped place. So the last dropped place comes first. */
static void find_implying_sets(struct byte_numbering *numbering) {
  const struct counted_body *body = numbering->body;
  const size_t *drops = (const size_t *)body->drops.data;
  const size_t *from = (const size_t *)body->from.data;
  size_t words = numbering->words;
  for (size_t i = 0; i < body_place_count(body); i++)
    if (!body_places(body)[i].dropped)
      numbering->sets[i * words + i / 64] |= UINT64_C(1) << i % 64;
  for (size_t i = body->drops.size / sizeof *drops; i--;) {
    const struct byte_counter_place *place = &body_places(body)[drops[i]];
    for (size_t k = place->from; k < place->last; k++)
      unite_sets(numbering->sets + drops[i] * words,
                 numbering->sets + from[k] * words, words);
  }
}

/* ---- counters of the mapping ---- */

static bool is_use_of_function(const struct byte_numbering *numbering,
                               struct byte_counter_use use) {
  return body_places(numbering->body)[use.place].function ==
         numbering->function;
}

static size_t count_counters(const struct function_counters *function) {
  return (size_t)function->counters + function->count;
}

static const char *sort_uses(struct byte_numbering *numbering) {
  const struct byte_counter_use *uses =
      (const struct byte_counter_use *)numbering->body->uses.data;
  size_t count = numbering->body->uses.size / sizeof *uses;
  size_t counters = count_counters(numbering->function), sum = 0;
  numbering->uses = malloc((count + 1) * sizeof *numbering->uses);
  numbering->use_begin = calloc(counters + 1, sizeof *numbering->use_begin);
  if (!numbering->uses || !numbering->use_begin)
    return out_of_memory;
  size_t *begin = numbering->use_begin;
  for (size_t i = 0; i < count; i++)
    if (is_use_of_function(numbering, uses[i]))
      begin[uses[i].index]++;
  for (size_t i = 0; i <= counters; i++)
    begin[i] = sum += begin[i];
  for (size_t i = count; i--;)
    if (is_use_of_function(numbering, uses[i]))
      numbering->uses[--begin[uses[i].index]] = uses[i].place;
  return NULL;
}

static void add_counter_places(struct byte_numbering *numbering,
                               size_t number) {
  size_t words = numbering->words;
  for (size_t i = numbering->use_begin[number];
       i < numbering->use_begin[number + 1]; i++)
    unite_sets(numbering->sum, numbering->sets + numbering->uses[i] * words,
               words);
}

/* Sets numbering->sum for a counter. Visits each expression once. */
static void find_implying_places(struct byte_numbering *numbering,
                                 uint64_t counter) {
  const struct function_counters *function = numbering->function;
  uint64_t *todo = numbering->todo;
  size_t count = 0;
  memset(numbering->sum, 0, numbering->words * sizeof *numbering->sum);
  memset(numbering->seen, 0, function->expression_count);
  for (todo[count++] = counter; count;) {
    counter = todo[--count];
    if (counter % 4 == COUNTER_ZERO)
      continue;
    size_t number = expressions_counter_number(function, counter);
    if (number < count_counters(function)) {
      add_counter_places(numbering, number);
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
static const char *for_each_counter(struct byte_numbering *numbering,
                                    const char *(*act)(struct byte_numbering *,
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
static const char *mark_places(struct byte_numbering *numbering,
                               uint64_t *counter) {
  find_implying_places(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (set_has_place(numbering->sum, i))
      numbering->marks[i] =
          expressions_mix_hash(numbering->marks[i], *counter) | 1;
  return NULL;
}

/* Gives places with the same marks the same number. */
static const char *number_places(struct byte_numbering *numbering) {
  struct map numbers = {.limit = BYTE_COUNTERS_MOST};
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(numbering->body) && !error; i++) {
    struct byte_counter_place *place = &body_places(numbering->body)[i];
    if (place->function != numbering->function)
      continue;
    place->number = BYTE_COUNTER_NONE;
    if (place->dropped || !numbering->marks[i])
      continue;
    uint64_t *at = map_find_or_add(&numbers, numbering->marks[i], 0, 0);
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
static const char *add_sum(struct byte_numbering *numbering, uint64_t left,
                           uint64_t right, uint64_t *counter) {
  size_t count =
      numbering->expressions.size / sizeof(struct counter_expression);
  uint64_t *at = map_find_or_add(&numbering->known, left, right, 0);
  const struct counter_expression sum = {left, right};
  if (!at)
    return out_of_memory;
  const char *error =
      *at ? NULL
          : buffer_append_bytes(&numbering->expressions, &sum, sizeof sum);
  if (!*at)
    *at = count + 1;
  *counter = (*at - 1) * 4 + COUNTER_SUM;
  return error;
}

/* Sets *counter to the sum of byte counters, whose numbers ascend and are
 * between first and last. Ranges are halved at the same numbers every time, so
 * that sums share their halves. */
static const char *sum_byte_counters(struct byte_numbering *numbering,
                                     struct bytes list, uint64_t first,
                                     uint64_t last, uint64_t *counter) {
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
    return sum_byte_counters(numbering, high, middle, last, counter);
  if (left == count)
    return sum_byte_counters(numbering, low, first, middle, counter);
  const char *error =
      sum_byte_counters(numbering, low, first, middle, &parts[0]);
  if (!error)
    error = sum_byte_counters(numbering, high, middle, last, &parts[1]);
  return error ? error : add_sum(numbering, parts[0], parts[1], counter);
}

ORDER_BY(compare_numbers_of_bytes, uint64_t, *x);

/* Replaces a counter with the sum of byte counters. If none implies it, the
 * counter becomes a byte counter that is never stored, not zero: zero would
 * mean that the compiler knows the branch. */
static const char *replace_counter(struct byte_numbering *numbering,
                                   uint64_t *counter) {
  size_t count = 0, kept = 0;
  uint64_t *flags = numbering->flags;
  find_implying_places(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (set_has_place(numbering->sum, i))
      flags[count++] = body_places(numbering->body)[i].number;
  if (!count) {
    if (numbering->never == BYTE_COUNTER_NONE)
      numbering->never = numbering->total++;
    flags[count++] = numbering->never;
  }
  qsort(flags, count, sizeof *flags, compare_numbers_of_bytes);
  for (size_t i = 0; i < count; i++)
    if (!i || flags[i] != flags[kept - 1])
      flags[kept++] = flags[i];
  uint64_t *hash = &numbering->function->hash;
  *hash = expressions_mix_hash(*hash, kept);
  for (size_t i = 0; i < kept; i++)
    *hash = expressions_mix_hash(*hash, flags[i]);
  struct bytes list = {(const unsigned char *)flags, kept * sizeof *flags};
  return sum_byte_counters(numbering, list, 0, UINT64_C(1) << 32, counter);
}

/* ---- functions ---- */

static const char *begin_numbering(struct byte_numbering *numbering,
                                   struct buffer *record) {
  size_t count = body_place_count(numbering->body) + 1;
  const struct function_counters *function = numbering->function;
  const char *error = sort_uses(numbering);
  numbering->marks = calloc(count, sizeof *numbering->marks);
  numbering->flags = malloc((count + 1) * sizeof *numbering->flags);
  numbering->seen = malloc(function->expression_count + 1);
  numbering->todo =
      malloc((2 * function->expression_count + 1) * sizeof *numbering->todo);
  numbering->expressions = (struct buffer){.limit = BYTE_COUNTERS_MOST};
  numbering->known = (struct map){.limit = BYTE_COUNTERS_MOST};
  numbering->total = 0;
  numbering->never = BYTE_COUNTER_NONE;
  if (!error && (!numbering->marks || !numbering->flags || !numbering->seen ||
                 !numbering->todo))
    error = out_of_memory;
  const char *other =
      expressions_open_mapping(function, &numbering->mapping, record);
  return error ? error : other;
}

static const char *number_function(struct byte_numbering *numbering) {
  struct buffer record;
  struct mapping *mapping = &numbering->mapping;
  const char *error = begin_numbering(numbering, &record);
  if (!error)
    error = for_each_counter(numbering, mark_places);
  if (!error)
    error = number_places(numbering);
  if (!error)
    error = for_each_counter(numbering, replace_counter);
  mapping->expressions =
      (struct counter_expression *)numbering->expressions.data;
  mapping->expression_count =
      numbering->expressions.size / sizeof *mapping->expressions;
  if (!error)
    error = expressions_set_mapping(numbering->function, mapping);
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
static const char *number_functions(struct counted_body *body) {
  size_t count = body_place_count(body);
  struct byte_numbering numbering = {.body = body, .words = count / 64 + 1};
  size_t size = numbering.words * sizeof *numbering.sum;
  numbering.sets = calloc(count + 1, size);
  numbering.sum = malloc(size);
  const char *error = numbering.sets && numbering.sum ? NULL : out_of_memory;
  if (!error)
    find_implying_sets(&numbering);
  for (size_t i = 0; i < count && !error; i++) {
    struct function_counters *function = body_places(body)[i].function;
    numbering.function = function;
    if (function->follows && !function->total)
      error = number_function(&numbering);
  }
  free(numbering.sets);
  free(numbering.sum);
  return error;
}

/* ---- stores ---- */

static const char *add_store(struct counted_body *body,
                             const struct byte_counter_place *place,
                             uint64_t count, uint64_t index) {
  struct byte_counter_store store = {place->line, place->edge, &place->call,
                                     count, index};
  return buffer_append_bytes(&body->stores, &store, sizeof store);
}

ORDER_BY(compare_stores, struct byte_counter_store, x->line, x->edge, x->index);

static const char *list_stores(struct counted_body *body) {
  const struct byte_counter_use *uses =
      (const struct byte_counter_use *)body->uses.data;
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(body) && !error; i++) {
    const struct byte_counter_place *place = &body_places(body)[i];
    if (!place->function->follows)
      continue;
    if (!place->dropped && place->number != BYTE_COUNTER_NONE)
      error = add_store(body, place, place->function->total, place->number);
    else
      body->reader->flags->dropped++;
  }
  for (size_t i = 0; i < body->uses.size / sizeof *uses && !error; i++) {
    const struct byte_counter_place *place = &body_places(body)[uses[i].place];
    if (!place->function->follows)
      error = add_store(body, place, count_counters(place->function),
                        uses[i].index);
  }
  return error;
}

/* Numbers the byte counters that are kept, writes the mappings with the sums of
 * the others, and lists the stores. Returns NULL or the error. */
static const char *number_byte_counters(struct counted_body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++)
    any |= body_places(body)[i].function->follows;
  const char *error = any ? number_functions(body) : NULL;
  if (!error)
    error = list_stores(body);
  struct byte_counter_store *stores =
      (struct byte_counter_store *)body->stores.data;
  size_t count = body->stores.size / sizeof *stores;
  if (!error && count)
    qsort(stores, count, sizeof *stores, compare_stores);
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

const struct byte_counters byte_counters_none = {
    .functions = {.limit = BYTE_COUNTERS_MOST}};

static const char cover_declared[] = "declare void @llvm.instrprof.cover(";

/* ---- increments by 0 or 1 ---- */

static const char *add_choice_lines(struct byte_counter_reader *reader,
                                    const char *at) {
  const char *error = NULL, *end = at + strlen(at);
  for (; at < end && !error; at = strchr(at, '\n') + 1) {
    struct text_part line = part_line_at(at, end);
    error = buffer_append_bytes(&reader->lines, &line, sizeof line);
  }
  return error;
}

static const char *add_choice_step(struct byte_counter_reader *reader,
                                   struct text_part line) {
  struct intrinsic_call call;
  struct text_part value;
  if (!call_parse_step(line, &call, &value))
    return byte_counters_unknown;
  bool always = part_equals(value, (struct text_part){"1", 1});
  /* A constant gets no jump: sums would include the path that is never
   * taken. */
  if (part_equals(value, (struct text_part){"0", 1}))
    return NULL;
  static const struct text_part no_block = {"\n", 1};
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
  const char *error = buffer_append_bytes(&reader->steps, &step, sizeof step);
  if (error)
    free(step.lines);
  return error ? error : add_choice_lines(reader, step.lines);
}

static const char *add_body_line(struct byte_counter_reader *reader,
                                 struct text_part line) {
  if (call_is_step(line))
    return add_choice_step(reader, line);
  cfg_is_block_label(line, &reader->block);
  return buffer_append_bytes(&reader->lines, &line, sizeof line);
}

static void free_choice_steps(struct byte_counter_reader *reader) {
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
static const char *note_attribute_group(struct byte_counter_reader *reader,
                                        struct text_part line) {
  bool copied = part_contains(line, "inlinehint") ||
                part_contains(line, "noinline") ||
                part_contains(line, "alwaysinline");
  reader->flags->copied |= part_contains(line, "alwaysinline");
  reader->flags->split |= part_contains(line, "coroutine");
  return copied && !map_find_or_add(&reader->copied,
                                    (uint64_t)text_attribute_group(line), 0, 0)
             ? out_of_memory
             : NULL;
}

static void exclude_copied_functions(struct byte_counter_reader *reader) {
  struct function_counters *list =
      (struct function_counters *)(void *)reader->list.list.data;
  size_t count = reader->list.list.size / sizeof *list;
  for (size_t i = 0; i < count; i++)
    list[i].alone &= list[i].group < 0 ||
                     !map_find(&reader->copied, (uint64_t)list[i].group, 0, 0);
}

static void note_body(struct byte_counter_reader *reader,
                      struct text_part line) {
  bool local = part_starts_with(line, "define internal ") ||
               part_starts_with(line, "define private ");
  reader->bodies++;
  reader->group = local ? -1 : text_attribute_group(line);
}

static const char *note_counter(struct byte_counter_reader *reader,
                                const struct intrinsic_call *call) {
  struct function_counters *function = byte_find_function(reader, call);
  struct text_part hash = call->hash, name = call->function;
  if (!function || call->counters > COUNTERS_MOST)
    return byte_counters_unknown;
  if (!function->body) {
    part_skip_to(&name, "__profn_");
    name.size -= name.size && name.at[name.size - 1] == '"';
    function->symbol = expressions_name_key(name);
    function->hash = text_parse_hash(&hash);
  }
  function->counters = call->counters;
  function->group = reader->group;
  function->alone &= !function->body || function->body == reader->bodies;
  function->body = reader->bodies;
  return NULL;
}

static const char *read_module_line(struct byte_counter_reader *reader,
                                    struct text_part line) {
  struct intrinsic_call call;
  struct text_part value;
  if (part_starts_with(line, "define "))
    note_body(reader, line);
  if (part_starts_with(line, "attributes #"))
    return note_attribute_group(reader, line);
  if (part_starts_with(line, "@"))
    return expressions_parse_line(&reader->list, &reader->known, line);
  const char *error = cc_check_compiler(line, &reader->raw);
  if (error)
    return error;
  reader->declared |= part_starts_with(line, cover_declared);
  if (call_parse_bit_count(line, &call))
    return byte_mcdc_note_bits(reader, &call);
  if (call_parse_increment(line, &call) || call_parse_step(line, &call, &value))
    return note_counter(reader, &call);
  return NULL;
}

/* ---- writing a function ---- */

static void print_store(struct byte_counter_reader *reader,
                        const struct byte_counter_store *store) {
  struct intrinsic_call call = *store->call;
  const struct function_counters *function = byte_find_function(reader, &call);
  call.counters = store->count + byte_mcdc_count(reader, function);
  call.index = store->index;
  call_print_byte_store(reader->out, &call, function->hash);
  reader->flags->flags++;
}

/* Writes a line of a block. Jumps over edges with an inserted block go to this
 * block. */
static void print_jump_line(struct counted_body *body,
                            const struct cfg_block *block,
                            struct text_part line) {
  struct text_part rest = line, name;
  for (size_t i = block->edges; i < block->last; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    if (!edge->split || edge->name.at < rest.at ||
        edge->name.at >= line.at + line.size)
      continue;
    name = part_cut_front(&rest, (size_t)(edge->name.at - rest.at));
    part_print_text(body->reader->out, name);
    fprintf(body->reader->out, "%%bareprof.%zu", edge->split);
    part_cut_front(&rest, edge->name.size);
  }
  part_print_text(body->reader->out, rest);
  fputc('\n', body->reader->out);
}

/* Whether the name, with %, means this block. An empty block means the first
 * one, which the text does not name. */
static bool names_block(const struct counted_body *body, struct text_part block,
                        struct text_part name) {
  const struct cfg_block *blocks = cfg_blocks(&body->cfg);
  part_cut_front(&name, 1);
  if (block.size)
    return part_equals(block, name);
  for (size_t i = 0; i < body->cfg.block_count; i++)
    if (part_equals(blocks[i].name, name))
      return false;
  return true;
}

/* Returns the number of the last choice_step in the block, plus 1; 0: none. */
static size_t find_last_step(const struct counted_body *body,
                             struct text_part name) {
  const struct choice_step *list =
      (const struct choice_step *)body->reader->steps.data;
  size_t i = body->reader->steps.size / (sizeof *list);
  while (i && !names_block(body, list[i - 1].block, name))
    i--;
  return i;
}

/* Returns the block on the nth edge from the named block to block `to`; 0:
 * none. */
static size_t find_split_block(const struct counted_body *body, size_t to,
                               struct text_part from, size_t nth) {
  const struct cfg_block *blocks = cfg_blocks(&body->cfg);
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    bool same = names_block(body, blocks[edge->from].name, from);
    if (edge->split && edge->to == to && same && nth-- == 0)
      return edge->split;
  }
  return 0;
}

struct phi_context {
  const struct counted_body *body;
  size_t block; /* the block with the phi */
};

static void rename_phi_block(void *context, struct text_part from, size_t nth,
                             char again[40]) {
  const struct phi_context *phi = context;
  size_t step = find_last_step(phi->body, from);
  if (step)
    snprintf(again, 40, "%%bareprof.j%zu", step - 1);
  size_t split = find_split_block(
      phi->body, phi->block,
      step ? (struct text_part){again, strlen(again)} : from, nth);
  if (split)
    snprintf(again, 40, "%%bareprof.%zu", split);
}

/* Writes the blocks that were inserted on edges. */
static void print_split_blocks(struct counted_body *body,
                               const struct byte_counter_store *store,
                               const struct byte_counter_store *end) {
  FILE *out = body->reader->out;
  while (store != end) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + store->edge;
    fprintf(out, "\nbareprof.%zu:\n", edge->split);
    for (size_t i = store->edge; store != end && store->edge == i; store++)
      print_store(body->reader, store);
    fputs("  br label ", out);
    part_print_text(out, edge->name);
    fputc('\n', out);
  }
}

static void print_body(struct counted_body *body) {
  struct cfg *cfg = &body->cfg;
  const struct byte_counter_store *store =
      (const struct byte_counter_store *)body->stores.data;
  const struct byte_counter_store *end =
      store + body->stores.size / sizeof *store;
  size_t block = 0;
  struct phi_context phi = {body, 0};
  struct intrinsic_call call;
  for (size_t i = 0; i < cfg->line_count; i++) {
    struct text_part line = cfg->lines[i];
    while (block + 1 < cfg->block_count &&
           cfg_blocks(cfg)[block + 1].begin <= i)
      block++;
    for (; store != end && store->line == i; store++)
      print_store(body->reader, store);
    if (call_parse_increment(line, &call) ||
        byte_mcdc_print_line(body->reader, line))
      continue;
    phi.block = block;
    if (part_contains(line, " = phi "))
      phi_print(body->reader->out, line,
                &(const struct phi_renaming){rename_phi_block, &phi});
    else
      print_jump_line(body, cfg_blocks(cfg) + block, line);
  }
  print_split_blocks(body, store, end);
}

static const char *print_function(struct byte_counter_reader *reader) {
  const struct text_part *lines = (const struct text_part *)reader->lines.data;
  size_t count = reader->lines.size / sizeof *lines;
  struct counted_body body = {.reader = reader,
                              .known = {.limit = BYTE_COUNTERS_MOST},
                              .numbers = {.limit = BYTE_COUNTERS_MOST},
                              .in = {.limit = BYTE_COUNTERS_MOST},
                              .into = {.limit = BYTE_COUNTERS_MOST},
                              .places = {.limit = BYTE_COUNTERS_MOST},
                              .uses = {.limit = BYTE_COUNTERS_MOST},
                              .from = {.limit = BYTE_COUNTERS_MOST},
                              .drops = {.limit = BYTE_COUNTERS_MOST},
                              .stores = {.limit = BYTE_COUNTERS_MOST}};
  const char *error = cfg_read(&body.cfg, lines, count);
  if (!error)
    error = byte_place_counters(&body);
  if (!error)
    error = byte_drop_implied(&body);
  if (!error)
    error = number_byte_counters(&body);
  if (!error)
    print_body(&body);
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
  free_choice_steps(reader);
  return error;
}

/* ---- the module ---- */

/* Stores the name of the function that a "define" line begins, for messages. */
static void store_function_name(struct byte_counters *flags,
                                struct text_part line) {
  while (line.size && *line.at != '@')
    part_cut_front(&line, 1);
  line = text_cut_global(&line);
  part_cut_front(&line, line.size > 0);
  snprintf(flags->where, sizeof flags->where, "%.*s", (int)line.size, line.at);
}

/* Writes all bodies to memory, each with a zero at its end. The mappings depend
 * on the bodies. Variables still have to come first in the module, because they
 * may contain the address of a label. */
static const char *print_bodies(struct byte_counter_reader *reader,
                                const char *at) {
  const char *error = NULL;
  bool inside = false;
  while (at < reader->end && !error) {
    struct text_part line = part_line_at(at, reader->end);
    if (inside && part_starts_with(line, "}")) {
      inside = false;
      error = print_function(reader);
      fputc(0, reader->out);
    } else if (inside) {
      error = add_body_line(reader, line);
    } else {
      inside = part_starts_with(line, "define ");
      if (inside)
        store_function_name(reader->flags, line);
    }
    at = line.at + line.size + 1;
  }
  return error;
}

static const char *print_outer_line(struct byte_counter_reader *reader,
                                    struct text_part line) {
  static const char declared[] = "declare void @llvm.instrprof.increment(";
  if (part_starts_with(line, "@") || part_starts_with(line, "$"))
    return expressions_print_line(&reader->list, &reader->known, line,
                                  reader->out);
  part_print_text(reader->out, line);
  fputc('\n', reader->out);
  if (!reader->declared && part_skip_word(&line, declared)) {
    fputs(cover_declared, reader->out);
    part_print_text(reader->out, line);
    fputc('\n', reader->out);
  }
  return NULL;
}

/* Writes the module: all lines outside functions, and the bodies between
 * them. */
static const char *print_module(struct byte_counter_reader *reader,
                                const char *at, const char *body) {
  const char *error = NULL;
  bool inside = false;
  while (at < reader->end && !error) {
    struct text_part line = part_line_at(at, reader->end);
    if (inside && part_starts_with(line, "}")) {
      inside = false;
      fputs(body, reader->out);
      body += strlen(body) + 1;
    }
    if (!inside)
      error = print_outer_line(reader, line);
    inside |= part_starts_with(line, "define ");
    at = line.at + line.size + 1;
  }
  return error;
}

static const char *rewrite_module(struct byte_counter_reader *reader,
                                  const char *at) {
  FILE *out = reader->out;
  char *bodies = NULL;
  size_t size = 0;
  reader->out = os_open_memory(&bodies, &size);
  if (!reader->out)
    return out_of_memory;
  const char *error = print_bodies(reader, at);
  if (!os_close_memory(reader->out, &bodies, &size) && !error)
    error = out_of_memory;
  reader->out = out;
  if (!error)
    *reader->flags->where = 0;
  if (!error)
    error = print_module(reader, at, bodies);
  free(bodies);
  if (error || !reader->flags->flags)
    return error;
  if (!reader->raw)
    return "the IR does not name the clang release, so the raw version is "
           "unknown; compile with -fident, or without --counters=byte";
  error = byte_mcdc_store_plan(reader);
  fprintf(reader->out,
          "\n$__llvm_profile_raw_version = comdat any\n"
          "@__llvm_profile_raw_version = hidden constant i64 %" PRIu64
          ", comdat\n",
          BAREPROF_BYTE_COVERAGE | reader->raw);
  return error;
}

const char *byte_counters_insert(struct byte_counters *flags,
                                 struct bytes module, FILE *out) {
  const char *at = (const char *)module.data, *error = cc_check_module(module);
  struct byte_counter_reader reader = {
      .flags = flags,
      .out = out,
      .keeps = flags->keeps,
      .bytes = flags->bytes,
      .quiet = call_effects_none,
      .end = at + module.size,
      .known = {.limit = BYTE_COUNTERS_MOST},
      .copied = {.limit = BYTE_COUNTERS_MOST},
      .lines = {.limit = BYTE_COUNTERS_MOST},
      .steps = {.limit = BYTE_COUNTERS_MOST},
      .list = {.list = {.limit = BYTE_COUNTERS_MOST}}};
  while (at < reader.end && !error) {
    struct text_part line = part_line_at(at, reader.end);
    error = read_module_line(&reader, line);
    if (!error)
      error = call_effects_read(&reader.quiet, line);
    at = line.at + line.size + 1;
  }
  call_effects_settle(&reader.quiet);
  exclude_copied_functions(&reader);
  if (!error)
    error = expressions_add_counters(&reader.list);
  if (!error)
    error = rewrite_module(&reader, (const char *)module.data);
  free_choice_steps(&reader);
  buffer_free(&reader.steps);
  expressions_free(&reader.list);
  map_free(&reader.known);
  map_free(&reader.copied);
  call_effects_free(&reader.quiet);
  buffer_free(&reader.lines);
  return error;
}
