/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes branch outcomes from the counts of instructions; see objectcode.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "objectcode.h"

/* The entries into one instruction. */
struct inflow {
  uint64_t sure;    /* number of known entries */
  uint32_t unknown; /* number of ways into it with unknown counts */
  bool open;        /* may also be entered in a way without a count */
};

struct conservation {
  struct objectcode *of;
  struct inflow *inflows; /* for each instruction */
  bool *jumps;            /* for each symbol: it jumps through a register */
  bool *computed;         /* for each instruction: its outcomes were computed */
};

/* Returns the instruction that an outcome leads to, by index; or SIZE_MAX. */
static size_t find_successor(const struct objectcode *of, size_t number,
                             unsigned way) {
  const struct object_instruction *one = &of->list[number];
  if (way == FALLS_THROUGH)
    return objectcode_find(of, one->address + one->length);
  return one->target ? objectcode_find(of, one->target) : SIZE_MAX;
}

/* Moves an outcome that became known from the unknown to the known entries of
 * the instruction that it leads to. */
static void settle_outcome(struct conservation *solving, size_t number,
                           unsigned way) {
  const struct object_instruction *one = &solving->of->list[number];
  size_t to = find_successor(solving->of, number, way);
  if (to == SIZE_MAX)
    return;
  solving->inflows[to].unknown--;
  solving->inflows[to].sure += one->outcomes[way];
}

/* Sets an outcome. The other outcome is the rest of the branch's count. */
static void set_outcome(struct conservation *solving, size_t number,
                        unsigned way, uint64_t count) {
  struct object_instruction *one = &solving->of->list[number];
  uint64_t rest = one->count - count;
  if (count > one->count) {
    solving->of->functions[one->symbol].refused = true;
    count = rest = 0;
  }
  one->outcomes[way] = count;
  one->outcomes[!way] = rest;
  one->known[way] = one->known[!way] = true;
  settle_outcome(solving, number, FALLS_THROUGH);
  settle_outcome(solving, number, GOES);
}

/* Adds the entries that an instruction makes to its successors. A call may
 * never return, so its entry into the next instruction is unknown. */
static void add_entries(struct conservation *solving, size_t number) {
  const struct objectcode *of = solving->of;
  const struct object_instruction *one = &of->list[number];
  size_t next = find_successor(of, number, FALLS_THROUGH);
  size_t target = find_successor(of, number, GOES);
  struct inflow *inflows = solving->inflows;
  if (next != SIZE_MAX && (one->call || one->conditional))
    inflows[next].unknown++;
  else if (next != SIZE_MAX && !one->ends)
    inflows[next].sure += one->count;
  if (next != SIZE_MAX && one->call && one->conditional)
    inflows[next].open = true;
  if (target != SIZE_MAX && one->conditional)
    inflows[target].unknown++;
  else if (target != SIZE_MAX)
    inflows[target].sure += one->count;
}

/* Whether an instruction may be entered in a way without a count: through a
 * jump table, which may lead anywhere in its function; through a pointer or an
 * exception, which leads to a function's entry; or in split-off code, from a
 * table of its function. */
static bool has_uncounted_entry(const struct conservation *solving,
                                size_t number) {
  const struct object_instruction *one = &solving->of->list[number];
  const struct object_function *function = &solving->of->functions[one->symbol];
  return !one->symbol || solving->jumps[one->symbol] ||
         function->first == number || strstr(function->name, ".cold") ||
         solving->of->list[number].address ==
             solving->of->probes.symbols[one->symbol - 1].address;
}

static bool solve_outcome(struct conservation *solving, size_t number,
                          unsigned way) {
  const struct object_instruction *one = &solving->of->list[number];
  size_t to = find_successor(solving->of, number, way);
  if (to == SIZE_MAX || one->known[way] || solving->inflows[to].open ||
      solving->inflows[to].unknown != 1)
    return false;
  uint64_t all = solving->of->list[to].count, sure = solving->inflows[to].sure;
  if (sure > all)
    solving->of->functions[one->symbol].refused = true;
  solving->computed[number] = true;
  set_outcome(solving, number, way, sure > all ? 0 : all - sure);
  return true;
}

static void solve_outcomes(struct conservation *solving) {
  const struct objectcode *of = solving->of;
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = 0; i < of->count; i++)
      if (of->list[i].conditional && !of->list[i].call)
        changes |= solve_outcome(solving, i, FALLS_THROUGH) ||
                   solve_outcome(solving, i, GOES);
  }
}

/* Whether all entries into an instruction are known, and their sum is not its
 * count. */
static bool contradicts_count(const struct conservation *solving,
                              size_t number) {
  const struct inflow *inflow = &solving->inflows[number];
  return !inflow->open && !inflow->unknown &&
         inflow->sure != solving->of->list[number].count;
}

/* Refuses functions whose computed outcomes contradict the counts. A fault
 * leaves code in the middle of a block, and its handler may return elsewhere.
 * Computed outcomes are then wrong, and the sums at one of their targets show
 * it. */
static void refuse_contradictions(struct conservation *solving) {
  struct objectcode *of = solving->of;
  for (size_t i = 0; i < of->count; i++)
    for (unsigned way = 0; solving->computed[i] && way < BRANCH_WAYS; way++) {
      size_t to = find_successor(of, i, way);
      if (to != SIZE_MAX && contradicts_count(solving, to))
        of->functions[of->list[i].symbol].refused = true;
    }
}

const char *conservation_solve(struct objectcode *of) {
  struct conservation solving = {
      .of = of,
      .inflows = calloc(of->count + 1, sizeof *solving.inflows),
      .jumps = calloc(of->function_count + 1, sizeof *solving.jumps),
      .computed = calloc(of->count + 1, sizeof *solving.computed)};
  bool made = solving.inflows && solving.jumps && solving.computed;
  if (made) {
    for (size_t i = 0; i < of->count; i++)
      if (of->list[i].branch && of->list[i].indirect)
        solving.jumps[of->list[i].symbol] = true;
    for (size_t i = 0; i < of->count; i++)
      add_entries(&solving, i);
    for (size_t i = 0; i < of->count; i++)
      solving.inflows[i].open |= has_uncounted_entry(&solving, i);
    for (size_t i = 0; i < of->count; i++) {
      struct object_instruction *one = &of->list[i];
      if (one->known[FALLS_THROUGH])
        set_outcome(&solving, i, FALLS_THROUGH, one->outcomes[FALLS_THROUGH]);
    }
    solve_outcomes(&solving);
    refuse_contradictions(&solving);
  }
  free(solving.inflows);
  free(solving.jumps);
  free(solving.computed);
  return made ? NULL : out_of_memory;
}
