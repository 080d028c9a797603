/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds up ranges and branches, and reads files of ranges and branches.
 */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../input.h"

enum { DIFFERENT_MOST = 1 << 26 };

/* The largest count. Counts become doubles, which are exact up to 53 bits. */
#define COUNT_MOST (UINT64_MAX >> 12)

void flow_begin(struct branch_flow *flow) {
  *flow = (struct branch_flow){.ranges = {.limit = DIFFERENT_MOST},
                               .jumps = {.limit = DIFFERENT_MOST},
                               .numbers = {.limit = DIFFERENT_MOST}};
}

void flow_free(struct branch_flow *flow) {
  map_free(&flow->ranges);
  map_free(&flow->jumps);
  map_free(&flow->numbers);
  free(flow->nodes);
}

bool flow_has_entries(const struct branch_flow *flow) {
  return flow->ranges.count || flow->jumps.count;
}

/* Adds a count to an entry of the map. Returns NULL or the error. */
static const char *add_flow_count(struct map *map, uint64_t begin, uint64_t end,
                                  uint32_t context, uint64_t count) {
  uint64_t *sum = need_memory(map_find_or_add(map, begin, end, context));
  if (count > COUNT_MOST - *sum)
    return "the sum of the counts does not fit into 52 bits; correct the "
           "counts";
  *sum += count;
  return NULL;
}

const char *flow_add_range(struct branch_flow *flow, uint64_t begin,
                           uint64_t end, uint32_t context, uint64_t count) {
  return add_flow_count(&flow->ranges, begin, end, context, count);
}

const char *flow_add_jump(struct branch_flow *flow, uint64_t from, uint64_t to,
                          uint32_t context, uint64_t count) {
  return add_flow_count(&flow->jumps, from, to, context, count);
}

/* ---- contexts ---- */

uint32_t flow_find_or_add_call_context(struct branch_flow *flow, uint64_t call,
                                       uint32_t outer) {
  if (!flow->node_count)
    LIST_ADD(flow->nodes, flow->node_count, (struct context_node){0, 0, 0});
  uint32_t depth = flow->nodes[outer].depth;
  if (depth == FLOW_DEPTH_MOST)
    outer = depth = 0;
  bool is_new;
  size_t number = map_find_or_assign_number(
      &flow->numbers, (uint64_t[3]){call, outer}, &is_new);
  if (!number)
    need_memory(NULL);
  if (is_new)
    LIST_ADD(flow->nodes, flow->node_count,
             (struct context_node){call, outer, depth + 1});
  return (uint32_t)number;
}

/* Removes repetitions of sequences that have one length, in bytes. */
static size_t drop_repeats_of_length(unsigned char *list, size_t element,
                                     size_t end, size_t length) {
  size_t kept = length;
  for (size_t at = length; at < end;)
    if (length <= end - at &&
        !memcmp(list + kept - length, list + at, length)) {
      at += length;
    } else {
      memmove(list + kept, list + at, element);
      kept += element;
      at += element;
    }
  return kept;
}

size_t flow_drop_repeats(void *list, size_t size, size_t count) {
  for (size_t length = 1; length <= count / 2; length++)
    count =
        drop_repeats_of_length(list, size, count * size, length * size) / size;
  return count;
}

/* ---- sorted lists ---- */

ORDER_BY(compare_entries, struct flow_entry, x->context, x->begin, x->end);

struct flow_entry *flow_list_sorted_entries(const struct map *map,
                                            size_t *count) {
  struct flow_entry *list = need_memory(calloc(map->count + 1, sizeof *list));
  *count = 0;
  for (const struct map_entry *at = map_next_entry(map, NULL); at;
       at = map_next_entry(map, at))
    list[(*count)++] = (struct flow_entry){at->key[0], at->key[1],
                                           (uint32_t)at->key[2], at->value};
  qsort(list, *count, sizeof *list, compare_entries);
  return list;
}

/* ==== Reads the format that llvm-profgen --skip-symbolization writes and
 * --unsymbolized-profile reads: the number of ranges, the ranges, the number of
 * branches, the branches.
 *   2
 *   10-1c:7
 *   30-30:1
 *   1
 *   1c->30:7
 * A range has the addresses of its first and last instruction. A line with the
 * calls of a context, "[0x4 @ 0x1c]", outermost first, comes before the ranges
 * of the context. Addresses count from the page where code begins, unless there
 * is an offset. */

static const char bad_ranges[] =
    "expected the number of lines, then as many BEGIN-END:COUNT, and the same "
    "for FROM->TO:COUNT; correct the line";

/* Parses the calls of a context, such as "0x4 @ 0x1c]". */
static const char *parse_context(struct ranges_reader *of, struct bytes line) {
  struct bytes word;
  uint64_t call;
  bool ended = false;
  of->context = 0;
  while (!ended && samples_pop_word(&line, &word)) {
    ended = word.data[word.size - 1] == ']';
    word.size -= ended;
    if (word.size == 1 && word.data[0] == '@' && !ended)
      continue;
    if (!word.size && ended)
      break;
    if (!samples_parse_hex(word, &call))
      return bad_ranges;
    of->context = flow_find_or_add_call_context(
        &of->samples->flow, call - of->samples->offset, of->context);
  }
  return ended && !samples_pop_word(&line, &word) ? NULL : bad_ranges;
}

static const char *parse_range_or_jump_count(struct ranges_reader *of,
                                             struct bytes word) {
  if (!samples_parse_decimal(word, &of->left))
    return bad_ranges;
  of->number_next = false;
  return NULL;
}

static const char *parse_range_or_jump(struct ranges_reader *of,
                                       struct bytes word) {
  uint64_t pair[2], count;
  struct bytes rest;
  if (!samples_parse_hex_pair(word, of->jumps ? "->" : "-", ':', pair, &rest) ||
      !samples_parse_decimal((struct bytes){rest.data + 1, rest.size - 1},
                             &count))
    return bad_ranges;
  const uint64_t begin = pair[0] - of->samples->offset;
  const uint64_t end = pair[1] - of->samples->offset;
  /* There must be an address after the end of a range. */
  if (!of->jumps && (begin > end || end == UINT64_MAX))
    return bad_ranges;
  of->left--;
  struct branch_flow *flow = &of->samples->flow;
  if (!count)
    return NULL;
  return of->jumps ? flow_add_jump(flow, begin, end, of->context, count)
                   : flow_add_range(flow, begin, end, of->context, count);
}

const char *ranges_parse_line(struct ranges_reader *of, struct bytes line) {
  struct bytes word, more;
  if (!samples_pop_word(&line, &word))
    return NULL;
  if (!of->number_next && !of->left) {
    of->jumps = !of->jumps;
    of->number_next = true;
  }
  if (of->number_next && !of->jumps && word.data[0] == '[') {
    line.size += (size_t)(line.data - word.data) - 1;
    line.data = word.data + 1;
    return parse_context(of, line);
  }
  if (samples_pop_word(&line, &more))
    return bad_ranges;
  return of->number_next ? parse_range_or_jump_count(of, word)
                    : parse_range_or_jump(of, word);
}

void ranges_reader_init(struct ranges_reader *of, struct samples *samples) {
  uint64_t begins;
  *of = (struct ranges_reader){.samples = samples, .number_next = true};
  if (!samples->has_offset && samples->elf &&
      code_find_first_page(samples->elf, &begins))
    samples->offset = UINT64_C(0) - begins;
}

const char *ranges_check_end(const struct ranges_reader *of) {
  return of->left || of->number_next || !of->jumps ? bad_ranges : NULL;
}
