/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A flow analysis of one function after another, in the order of the code. It
 * keeps spans of addresses.
 */
#include "live.h"

#include "../base/search.h"

/* What an instruction that some way was found to leaves of it. */
enum { UNREACHED = LINK_LIVES + 1 };

struct step {
  uint64_t address; /* first: it is searched for */
  struct instruction instruction;
  uint8_t before; /* enum link_state, the least of all ways to it */
  bool jumped;    /* none leads to it but a jump by a register */
};

struct span {
  uint64_t end; /* first: it is searched for */
  uint64_t begin;
  enum link_state state;
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

/* What it is behind an instruction. */
static uint8_t state_behind(const struct step *step) {
  if (step->instruction.kind == INSTRUCTION_CALL)
    return LINK_LOST;
  return step->instruction.link == LINK_SAVED && step->before == LINK_LIVES
             ? LINK_MAY_LIVE
             : step->before;
}

/* A jump by a register may go to any block that nothing else leads to. */
static bool is_table_jump(const struct instruction *now) {
  return now->kind == INSTRUCTION_BRANCH && !now->direct && !now->returns;
}

/* Once through it. *jumped: the least state at a jump by a register so far. */
static bool flow_once(const struct buffer *steps, uint8_t *jumped) {
  struct step *list = (void *)steps->data;
  size_t count = steps->size / sizeof *list;
  bool changed = false;
  for (size_t i = 0; i < count; i++) {
    const struct instruction *now = &list[i].instruction;
    if (list[i].before == UNREACHED && *jumped != UNREACHED && i &&
        list[i - 1].instruction.ends)
      list[i].jumped = true;
    if (list[i].jumped)
      meet(&list[i], *jumped, &changed);
    uint8_t after = state_behind(&list[i]);
    if (list[i].before == UNREACHED)
      continue;
    if (is_table_jump(now) && after < *jumped) {
      *jumped = after;
      changed = true;
    }
    if (now->kind == INSTRUCTION_BRANCH && now->direct)
      meet(step_at(steps, now->target), after, &changed);
    if (i + 1 < count && (!now->ends || now->kind == INSTRUCTION_CALL))
      meet(&list[i + 1], after, &changed);
  }
  return changed;
}

static bool flows(const struct buffer *steps) {
  struct step *list = (void *)steps->data;
  uint8_t jumped = UNREACHED;
  list[0].before = LINK_LIVES;
  for (unsigned pass = 0; pass < PASSES; pass++)
    if (!flow_once(steps, &jumped))
      return true;
  return false;
}

static enum link_state state_of(const struct step *step, bool restored) {
  if (restored)
    return LINK_LIVES;
  return step->before == UNREACHED ? LINK_LOST : step->before;
}

static const char *keep(struct program *program, const struct buffer *steps) {
  const struct step *list = (const void *)steps->data;
  size_t count = steps->size / sizeof *list;
  bool restored = false; /* in this block */
  struct span span = {0, 0, LINK_LOST};
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct instruction *now = &list[i].instruction;
    enum link_state state = state_of(&list[i], restored);
    if (state != span.state || span.end != list[i].address) {
      if (span.state != LINK_LOST)
        error = buffer_append(&program->live, &span, sizeof span);
      span = (struct span){0, list[i].address, state};
    }
    span.end = list[i].address + now->length;
    if (now->link != LINK_LEFT)
      restored = now->link == LINK_RESTORED;
    if (now->kind != INSTRUCTION_PLAIN)
      restored = false;
  }
  if (!error && span.state != LINK_LOST)
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
    const struct step step = {walk.address, walk.instruction, UNREACHED, false};
    error = buffer_append(&steps, &step, sizeof step);
  }
  if (!error && steps.size && flows(&steps))
    keep(program, &steps);
  buffer_free(&steps);
}

enum link_state live_link(struct program *program, uint64_t pc) {
  const struct probe_symbol *symbol = probes_symbol(&program->probes, pc);
  uint64_t *known =
      symbol ? map_at(&program->links, symbol->address, symbol->size, 0) : NULL;
  if (!known)
    return LINK_LOST;
  if (!*known) {
    size_t first = program->live.size / sizeof(struct span);
    look_through(program, symbol);
    *known =
        (uint64_t)first << 32 | (program->live.size / sizeof(struct span) + 1);
  }
  const struct span *spans = (const void *)program->live.data;
  size_t first = *known >> 32, end = (*known & UINT32_MAX) - 1;
  size_t i =
      first + search_key(spans + first, sizeof *spans, end - first, pc + 1);
  return i < end && spans[i].begin <= pc ? spans[i].state : LINK_LOST;
}
