/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A flow analysis of one function after another, in the order of the code. It
 * keeps spans of addresses.
 */
#include "live.h"

#include "../base/search.h"

/* What holds before an instruction: on every way to it that was found. */
enum { LOST, FRESH, UNREACHED };

struct step {
  uint64_t address; /* first: it is searched for */
  struct instruction instruction;
  uint8_t before;
};

struct span {
  uint64_t begin, end;
};

/* So often at most is it gone through a function whose jumps lead back. */
enum { PASSES = 16 };

static struct step *step_at(const struct buffer *steps, uint64_t address) {
  struct step *list = (void *)steps->data;
  size_t count = steps->size / sizeof *list;
  size_t i = search_key(list, sizeof *list, count, address);
  return i < count && list[i].address == address ? &list[i] : NULL;
}

static void meet(struct step *step, uint8_t state, bool *changed) {
  if (!step || state >= step->before)
    return;
  step->before = state;
  *changed = true;
}

/* Without a loop the first pass is the only one that changes anything. */
static bool flows(const struct buffer *steps) {
  struct step *list = (void *)steps->data;
  size_t count = steps->size / sizeof *list;
  bool changed = true;
  list[0].before = FRESH;
  for (unsigned pass = 0; changed && pass < PASSES; pass++) {
    changed = false;
    for (size_t i = 0; i < count; i++) {
      const struct instruction *now = &list[i].instruction;
      uint8_t after = list[i].before;
      if (after == UNREACHED)
        continue;
      if (now->kind == INSTRUCTION_CALL || now->link == LINK_SAVED)
        after = LOST;
      if (now->kind == INSTRUCTION_BRANCH && now->direct)
        meet(step_at(steps, now->target), after, &changed);
      if (i + 1 < count && (!now->ends || now->kind == INSTRUCTION_CALL))
        meet(&list[i + 1], after, &changed);
    }
  }
  return !changed;
}

static const char *keep(struct program *program, const struct buffer *steps) {
  const struct step *list = (const void *)steps->data;
  size_t count = steps->size / sizeof *list;
  bool still = false; /* behind what restores it */
  struct span span = {0, 0};
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct instruction *now = &list[i].instruction;
    if (still || list[i].before == FRESH) {
      if (span.end != list[i].address) {
        if (span.end)
          error = buffer_append(&program->live, &span, sizeof span);
        span.begin = list[i].address;
      }
      span.end = list[i].address + now->length;
    }
    if (now->link != LINK_LEFT)
      still = now->link == LINK_RESTORED;
    if (now->kind != INSTRUCTION_PLAIN)
      still = false;
  }
  if (!error && span.end)
    error = buffer_append(&program->live, &span, sizeof span);
  return error;
}

/* Adds the spans of a function; without memory it has none. */
static void look_through(struct program *program,
                         const struct probe_symbol *symbol) {
  struct buffer steps = {.limit = (size_t)1 << 31};
  struct code_walk walk;
  const char *error = NULL;
  for (code_walk(&walk, &program->code, symbol->address,
                 symbol->address + symbol->size);
       !error && code_next(&walk);) {
    const struct step step = {walk.address, walk.instruction, UNREACHED};
    error = buffer_append(&steps, &step, sizeof step);
  }
  if (!error && steps.size && flows(&steps))
    keep(program, &steps);
  buffer_free(&steps);
}

bool live_link(struct program *program, uint64_t pc) {
  const struct probe_symbol *symbol = probes_symbol(&program->probes, pc);
  uint64_t *known =
      symbol ? sample_map_at(&program->links, symbol->address, symbol->size, 0)
             : NULL;
  if (!known)
    return false;
  if (!*known) {
    size_t first = program->live.size / sizeof(struct span);
    look_through(program, symbol);
    *known =
        (uint64_t)first << 32 | (program->live.size / sizeof(struct span) + 1);
  }
  const struct span *spans = (const void *)program->live.data;
  size_t low = *known >> 32, end = (*known & UINT32_MAX) - 1, high = end;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (spans[middle].end <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && spans[low].begin <= pc;
}
