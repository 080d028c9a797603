/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adding up ranges and branches.
 */
#include "flow.h"

#include <stdlib.h>

static const char no_memory[] =
    "more different branches than there is memory for; give fewer of them";

enum { DIFFERENT_MOST = 1 << 26 };

/* Counts are added in doubles later on. */
#define COUNT_MOST (UINT64_MAX >> 12)

void flow_begin(struct flow *flow) {
  *flow = (struct flow){
      .ranges = {.limit = DIFFERENT_MOST},
      .jumps = {.limit = DIFFERENT_MOST},
      .numbers = {.limit = DIFFERENT_MOST},
      .nodes = {.limit = DIFFERENT_MOST * sizeof(struct flow_node)}};
}

void flow_free(struct flow *flow) {
  map_free(&flow->ranges);
  map_free(&flow->jumps);
  map_free(&flow->numbers);
  buffer_free(&flow->nodes);
}

bool flow_any(const struct flow *flow) {
  return flow->ranges.count || flow->jumps.count;
}

static const char *add(uint64_t *sum, uint64_t count) {
  if (!sum)
    return no_memory;
  if (count > COUNT_MOST - *sum)
    return "its counts add up to more than 52 bits hold; correct them";
  *sum += count;
  return NULL;
}

const char *flow_range(struct flow *flow, uint64_t begin, uint64_t end,
                       uint32_t context, uint64_t count) {
  return add(map_at(&flow->ranges, begin, end, context), count);
}

const char *flow_jump(struct flow *flow, uint64_t from, uint64_t to,
                      uint32_t context, uint64_t count) {
  return add(map_at(&flow->jumps, from, to, context), count);
}

/* ---- contexts ---- */

const struct flow_node *flow_node(const struct flow *flow, uint32_t context) {
  return (const struct flow_node *)(const void *)flow->nodes.data + context;
}

uint32_t flow_call(struct flow *flow, uint64_t call, uint32_t outer) {
  if (!flow->nodes.size &&
      buffer_append(&flow->nodes, &(struct flow_node){0, 0, 0},
                    sizeof(struct flow_node)))
    return UINT32_MAX;
  uint32_t depth = flow_node(flow, outer)->depth;
  if (depth == FLOW_DEPTH_MOST)
    outer = depth = 0;
  uint64_t *number = map_at(&flow->numbers, call, outer, 0);
  const struct flow_node made = {call, outer, depth + 1};
  if (!number)
    return UINT32_MAX;
  if (*number)
    return (uint32_t)*number;
  *number = flow->nodes.size / sizeof made;
  return buffer_append(&flow->nodes, &made, sizeof made) ? UINT32_MAX
                                                         : (uint32_t)*number;
}

/* One length of what repeats itself. */
static size_t compress_one(const struct flow_list *of, size_t size,
                           size_t length) {
  size_t kept = length;
  for (size_t at = length; at < size;) {
    size_t i = 0;
    while (at + length <= size && i < length &&
           of->same(of->list, kept - length + i, at + i))
      i++;
    if (i == length)
      at += length;
    else
      of->move(of->list, kept++, at++);
  }
  return kept;
}

size_t flow_compress(const struct flow_list *of, size_t size) {
  for (size_t length = 1; length <= size / 2; length++)
    size = compress_one(of, size, length);
  return size;
}

/* ---- in order ---- */

static int compare(const void *left, const void *right) {
  const struct flow_entry *a = left, *b = right;
  if (a->context != b->context)
    return a->context < b->context ? -1 : 1;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

const char *flow_sorted(const struct map *map, struct flow_entry **list,
                        size_t *count) {
  *count = 0;
  *list = calloc(map->count + 1, sizeof **list);
  if (!*list)
    return no_memory;
  for (const struct map_entry *at = map_next(map, NULL); at;
       at = map_next(map, at))
    (*list)[(*count)++] = (struct flow_entry){at->key[0], at->key[1],
                                              (uint32_t)at->key[2], at->value};
  qsort(*list, *count, sizeof **list, compare);
  return NULL;
}
