/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters and expressions to counts. Each expression is computed once, those
 * that it needs before it: clang writes few of them, others might nest them.
 */
#include "model_inside.h"

enum state { UNKNOWN, OPEN, KNOWN };

/* Of an expression. A counter says which of the two it means. */
struct value_of {
  uint64_t less, sum; /* modulo 2^64: differences may pass below 0 */
  enum state state;
};

static uint64_t value_of(const struct evaluation *evaluation,
                         uint64_t counter) {
  const struct counted *counted = &evaluation->counted;
  uint64_t index = counter / 4;
  const struct value_of *values = (void *)evaluation->values.data;
  switch (counter % 4) {
  case COUNTER_PLAIN:
    return counted->counters ? counted->counters[index] : 0;
  case COUNTER_LESS:
    return values[index].less;
  case COUNTER_SUM:
    return values[index].sum;
  default:
    return 0;
  }
}

static bool is_known(const struct evaluation *evaluation,
                     const struct value_of *values, uint64_t counter,
                     bool *damaged) {
  const struct counted *counted = &evaluation->counted;
  if (counter % 4 < COUNTER_LESS) {
    *damaged |= counter % 4 == COUNTER_PLAIN && counted->counters &&
                counter / 4 >= counted->counter_count;
    return true;
  }
  *damaged |= values[counter / 4].state == OPEN;
  return values[counter / 4].state == KNOWN;
}

/* Computes one expression. */
static bool settle(const struct evaluation *evaluation, struct value_of *values,
                   uint64_t *stack, uint64_t first) {
  size_t depth = 0;
  bool damaged = false;
  stack[depth++] = first;
  while (depth && !damaged) {
    uint64_t index = stack[depth - 1];
    const struct expression *one = &evaluation->mapping.expressions[index];
    uint64_t waits = 0;
    values[index].state = OPEN;
    if (!is_known(evaluation, values, one->left, &damaged))
      waits = one->left;
    else if (!is_known(evaluation, values, one->right, &damaged))
      waits = one->right;
    if (waits) {
      if (!damaged)
        stack[depth++] = waits / 4;
      continue;
    }
    if (damaged)
      break;
    uint64_t left = value_of(evaluation, one->left);
    uint64_t right = value_of(evaluation, one->right);
    values[index] = (struct value_of){
        evaluation->from->least ? 0 : left - right, left + right, KNOWN};
    depth--;
  }
  return !damaged;
}

bool counts_settle(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->expression_count;
  struct value_of *values =
      evaluation_room(evaluation, &evaluation->values, count, sizeof *values);
  uint64_t *stack =
      evaluation_room(evaluation, &evaluation->stack, count, sizeof *stack);
  bool damaged = !values || !stack;
  for (size_t i = 0; i < mapping->region_count && !damaged; i++) {
    const struct region *region = &mapping->regions[i];
    const uint64_t counters[] = {region->counter, region->other};
    for (unsigned k = 0; k < 2 && !damaged; k++)
      if (!is_known(evaluation, values, counters[k], &damaged) && !damaged)
        damaged = !settle(evaluation, values, stack, counters[k] / 4);
  }
  return !damaged;
}

uint64_t counts_of(const struct evaluation *evaluation, uint64_t counter) {
  uint64_t value = value_of(evaluation, counter);
  return value > INT64_MAX ? INT64_MAX : value;
}
