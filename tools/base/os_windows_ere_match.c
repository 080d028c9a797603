/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matches a text with the steps of a pattern. The machine is at several steps
 * at once, so no text makes it try one path after the other.
 */
#include "os_windows_ere.h"

#include <stdlib.h>

/* How the machine has reached a step. */
struct ere_way {
  unsigned step;
  const char *begin, *open, *close; /* of the match, and of its first group */
};

/* The steps that the machine is at, each once. The first way to reach a step
 * counts. */
struct places {
  struct ere_way *list;
  size_t count;
  unsigned *mark; /* for each step, the round in which it was added */
};

struct ere_machine {
  const struct ere_program *program;
  struct ere_way *stack;
  unsigned round;
  const char *text, *at;
  bool any; /* the first match is enough */
  struct ere_way best;
  const char *end; /* end of the best match; NULL: none so far */
};

static bool is_place(const struct ere_machine *machine, enum ere_kind kind) {
  bool before = machine->at > machine->text &&
                ere_is_word((unsigned char)machine->at[-1]);
  bool after = ere_is_word((unsigned char)*machine->at);
  switch (kind) {
  case STEP_BEGIN:
    return machine->at == machine->text;
  case STEP_END:
    return !*machine->at;
  case STEP_EDGE:
    return before != after;
  case STEP_NO_EDGE:
    return before == after;
  case STEP_WORD_BEGIN:
    return !before && after;
  case STEP_WORD_END:
    return before && !after;
  default:
    return true;
  }
}

/* The leftmost match counts, then the longest, then the first. */
static void note_match(struct ere_machine *machine, const struct ere_way *way) {
  if (machine->end &&
      (way->begin > machine->best.begin ||
       (way->begin == machine->best.begin && machine->at <= machine->end)))
    return;
  machine->best = *way;
  machine->end = machine->at;
}

/* Adds a step, and all steps that it reaches without consuming a byte. */
static void reach(struct ere_machine *machine, struct places *places,
                  struct ere_way way) {
  size_t waiting = 0;
  machine->stack[waiting++] = way;
  while (waiting) {
    way = machine->stack[--waiting];
    if (places->mark[way.step] == machine->round)
      continue;
    places->mark[way.step] = machine->round;
    const struct ere_step *is = &machine->program->steps[way.step];
    struct ere_way here = way, there = way;
    here.step++;
    there.step = is->value;
    if (is->kind == STEP_FOUND) {
      note_match(machine, &way);
    } else if (is->kind <= STEP_ANY) {
      places->list[places->count++] = way;
    } else if (is->kind == STEP_TO) {
      machine->stack[waiting++] = there;
    } else if (is->kind == STEP_BOTH || is->kind == STEP_BACK) {
      bool back = is->kind == STEP_BACK;
      machine->stack[waiting++] = back ? here : there;
      machine->stack[waiting++] = back ? there : here;
    } else if (is_place(machine, is->kind)) {
      if (is->kind == STEP_OPEN)
        here.open = machine->at;
      if (is->kind == STEP_CLOSE)
        here.close = machine->at;
      machine->stack[waiting++] = here;
    }
  }
}

static bool step_matches(const struct ere_machine *machine, unsigned step,
                         unsigned char byte) {
  const struct ere_step *is = &machine->program->steps[step];
  return is->kind == STEP_ANY ||
         (is->kind == STEP_BYTE
              ? is->value == byte
              : ere_has(&machine->program->sets[is->value], byte));
}

static void run_machine(struct ere_machine *machine, struct places *now,
                        struct places *next) {
  for (;;) {
    /* A new match begins here only if none has begun before. */
    const struct ere_way begin = {0, machine->at, NULL, NULL};
    if (!machine->end)
      reach(machine, now, begin);
    if (!*machine->at || (machine->end && (machine->any || !now->count)))
      return;
    unsigned char byte = (unsigned char)*machine->at++;
    next->count = 0;
    machine->round++;
    for (size_t i = 0; i < now->count; i++)
      if (step_matches(machine, now->list[i].step, byte)) {
        struct ere_way way = now->list[i];
        way.step++;
        reach(machine, next, way);
      }
    struct places swap = *now;
    *now = *next;
    *next = swap;
  }
}

/* Returns whether any part of the text matches. */
static bool search(const struct ere_program *program, const char *text,
                   struct ere_machine *machine) {
  /* The stack holds at most two entries for each step. */
  size_t count = program->count + 1;
  struct ere_way *ways = calloc(count, 4 * sizeof *ways);
  unsigned *marks = calloc(count, 2 * sizeof *marks);
  if (ways && marks) {
    struct places now = {ways, 0, marks};
    struct places next = {ways + count, 0, marks + count};
    machine->program = program;
    machine->stack = ways + 2 * count;
    machine->round = 1;
    machine->text = machine->at = text;
    run_machine(machine, &now, &next);
  }
  free(ways);
  free(marks);
  return machine->end;
}

bool ere_matches(const struct ere *ere, const char *text) {
  struct ere_machine machine = {.any = true};
  return search(ere->program, text, &machine);
}

bool ere_find(const struct ere *ere, const char *text, struct ere_span *span) {
  struct ere_machine machine = {.any = false};
  if (!search(ere->program, text, &machine))
    return false;
  bool group = machine.best.open && machine.best.close;
  const char *begin = group ? machine.best.open : machine.best.begin;
  const char *end = group ? machine.best.close : machine.end;
  *span = (struct ere_span){(size_t)(begin - text), (size_t)(end - text)};
  return true;
}
