/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A search in the graph of direct jumps; of each function these are found
 * once.
 */
#include "jumps.h"

/* How many functions a search goes through at most. */
enum { VISITED = 16 };

void jumps_begin(struct jumps *jumps, const struct program *program) {
  *jumps = (struct jumps){.program = program,
                          .known = {.limit = (size_t)1 << 26},
                          .lists = {.limit = (size_t)1 << 30}};
}

void jumps_free(struct jumps *jumps) {
  map_free(&jumps->known);
  buffer_free(&jumps->lists);
}

/* Adds the jumps of a function to the lists. */
static void follow(struct jumps *jumps, const struct probe_symbol *from) {
  struct code_walk walk;
  for (code_walk(&walk, &jumps->program->code, from->address,
                 from->address + from->size);
       code_next(&walk);) {
    if (walk.instruction.kind != INSTRUCTION_BRANCH)
      continue;
    code_join(&jumps->program->code, &walk.instruction, walk.address);
    uint64_t target = walk.instruction.target;
    if (walk.instruction.direct && target - from->address >= from->size &&
        buffer_append(&jumps->lists, &target, sizeof target))
      return;
  }
}

/* Without memory for it a function has no jumps. */
static size_t list_of(struct jumps *jumps, const struct probe_symbol *from,
                      size_t *end) {
  uint64_t *known = map_at(&jumps->known, from->address, 0, 0);
  *end = 0;
  if (!known)
    return 0;
  if (!*known) {
    size_t first = jumps->lists.size / sizeof(uint64_t);
    follow(jumps, from);
    size_t last = jumps->lists.size / sizeof(uint64_t);
    *known = (uint64_t)first << 32 | (last + 1);
  }
  *end = (size_t)(*known & UINT32_MAX) - 1;
  return (size_t)(*known >> 32);
}

static bool visit(const struct probe_symbol **visited, size_t *count,
                  const struct probe_symbol *symbol) {
  for (size_t i = 0; i < *count; i++)
    if (visited[i] == symbol)
      return true;
  if (*count == VISITED)
    return false;
  visited[(*count)++] = symbol;
  return true;
}

bool jumps_lead(struct jumps *jumps, const struct probe_symbol *from,
                uint64_t to) {
  const struct probe_symbol *visited[VISITED] = {from};
  size_t count = 1;
  for (size_t at = 0; at < count; at++) {
    size_t end, i = list_of(jumps, visited[at], &end);
    for (; i < end; i++) {
      uint64_t target = ((const uint64_t *)(const void *)jumps->lists.data)[i];
      const struct probe_symbol *symbol =
          probes_symbol(&jumps->program->probes, target);
      if (target == to)
        return true;
      if (symbol && !visit(visited, &count, symbol))
        return false;
    }
  }
  return false;
}
