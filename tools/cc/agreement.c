/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the code has of a function's counters and decisions is compared with
 * what its coverage mapping names. Code that nothing reaches has neither, so
 * the code may have fewer.
 */
#include "flags_inside.h"

#include "../base/buffer.h"
#include "../image/witness.h"

static const char unknown_release[] =
    "its clang is of a release that is not known here; compile with clang 13 "
    "to 23, or with --counters=64";

static const char unknown[] =
    "its counters are in a form that is not known; compile with clang 14 to "
    "23, or with --counters=64";

static const char differs[] =
    "its code has other counters than its coverage mapping; compile with "
    "clang 14 to 23, or with --counters=64";

/* Third keys: what is found of a function. */
enum { INCREMENT = 2, UPDATE, PARAMETERS };

struct agreement {
  struct differences list;
  struct map known; /* functions by their names' variables; by name: INCREMENT
                       and an index, UPDATE and the begin of a decision */
  unsigned raw;     /* of clang's release; 0: not known */
  bool old;         /* there are calls of clang 18 */
  bool done;        /* the module has flags already */
};

const char *check_compiler(struct part line, unsigned *raw) {
  if (!part_begins(line, "!") || !part_contains(line, "clang version "))
    return NULL;
  *raw = compiler_raw_in(
      (struct bytes){(const unsigned char *)line.at, line.size});
  return *raw ? NULL : unknown_release;
}

/* ---- calls ---- */

static struct differences_of *function_of(const struct agreement *check,
                                          struct part name) {
  const uint64_t *number = map_find(&check->known, differences_key(name), 0, 0);
  return number ? differences_at(&check->list, (size_t)*number) : NULL;
}

/* Keeps that a function has the call. */
static const char *note(struct agreement *check,
                        const struct intrinsic_call *call,
                        uint64_t kind, uint64_t index) {
  struct differences_of *function = function_of(check, call->function);
  struct part hash = call->hash;
  uint64_t sum = text_take_hash(&hash);
  if (!function || hash.size)
    return unknown;
  if (function->mapping.size && function->hash != sum)
    return differs;
  uint64_t *times = map_at(&check->known, function->name, kind, index);
  if (!times)
    return out_of_memory;
  function->updates += kind == UPDATE && !*times;
  ++*times;
  return NULL;
}

/* A call that stays as it is. Of MC/DC: of clang 18. */
static bool stays(struct agreement *check, struct part line) {
  if (!part_take(&line, "  call void @llvm.instrprof."))
    return false;
  bool old = part_begins(line, "mcdc.");
  check->old |= old;
  return old || part_begins(line, "value.profile(") ||
         part_begins(line, "timestamp(");
}

static const char *read_call(struct agreement *check, struct part line) {
  struct intrinsic_call call;
  struct outcome_call outcome;
  struct part value;
  if (call_read(line, &call) || call_read_step(line, &call, &value)) {
    const char *error = note(check, &call, INCREMENT, call.index);
    if (error)
      return error;
    struct differences_of *function = function_of(check, call.function);
    bool other = function->counters && function->counters != call.counters;
    function->counters = call.counters;
    return other ? differs : NULL;
  }
  if (call_read_outcome(line, &outcome))
    return note(check, &outcome.call, UPDATE, outcome.call.index);
  if (call_read_outcomes(line, &call)) {
    const char *error = note(check, &call, PARAMETERS, 0);
    struct differences_of *function =
        error ? NULL : function_of(check, call.function);
    if (function && function->bits && function->bits != call.index)
      error = differs;
    if (function)
      function->bits = call.index;
    return error;
  }
  check->done |= part_begins(line, "  call void @llvm.instrprof.cover(");
  return check->done || stays(check, line) ? NULL : unknown;
}

static const char *read_line(struct agreement *check, struct part line) {
  if (part_begins(line, "@"))
    return differences_read(&check->list, &check->known, line);
  if (part_begins(line, "  ") && part_contains(line, "@llvm.instrprof."))
    return read_call(check, line);
  return check_compiler(line, &check->raw);
}

/* ---- mappings ---- */

static bool found(const struct agreement *check,
                  const struct differences_of *function, uint64_t kind,
                  uint64_t index) {
  return map_find(&check->known, function->name, kind, index);
}

/* Where the bits of a decision begin: where the last one before it ends. */
static uint64_t begin_of(const struct mapping *mapping, uint64_t end) {
  uint64_t begin = 0;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION &&
        mapping->regions[i].numbers[0] < end &&
        mapping->regions[i].numbers[0] > begin)
      begin = mapping->regions[i].numbers[0];
  return begin;
}

/* clang leaves some decisions without an outcome, but writes none of others. */
static const char *compare_decisions(const struct agreement *check,
                                     const struct differences_of *function,
                                     const struct mapping *mapping) {
  uint64_t bits = 0;
  size_t updates = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind != REGION_DECISION)
      continue;
    uint64_t end = region->numbers[0];
    bits = end > bits ? end : bits;
    updates += found(check, function, UPDATE, begin_of(mapping, end));
  }
  return bits == function->bits && updates >= function->updates ? NULL
                                                                : differs;
}

static uint64_t highest(uint64_t most, uint64_t counter) {
  bool higher = counter % 4 == COUNTER_PLAIN && counter / 4 > most;
  return higher ? counter / 4 : most;
}

static const char *compare(const struct agreement *check,
                           const struct differences_of *function) {
  struct mapping mapping;
  struct buffer record;
  const char *error = differences_open(function, &mapping, &record);
  uint64_t most = 0;
  for (size_t i = 0; i < mapping.region_count && !error; i++) {
    most = highest(most, mapping.regions[i].counter);
    most = highest(most, mapping.regions[i].other);
  }
  for (size_t i = 0; i < mapping.expression_count && !error; i++) {
    most = highest(most, mapping.expressions[i].left);
    most = highest(most, mapping.expressions[i].right);
  }
  if (!error &&
      (most >= function->counters || !found(check, function, INCREMENT, 0)))
    error = differs;
  /* Before, a bitmap had bytes, and other calls. */
  if (!error && check->raw > 9)
    error = compare_decisions(check, function, &mapping);
  mapping_close(&mapping);
  buffer_free(&record);
  return error;
}

const char *check_module(struct bytes module) {
  struct agreement check = {.known = {.limit = FLAGS_MOST},
                        .list = {.list = {.limit = FLAGS_MOST}}};
  const char *error = NULL;
  for (struct bytes one; !error && bytes_line(&module, &one);)
    error = read_line(&check, (struct part){(const char *)one.data, one.size});
  if (!error && check.old && check.raw != 9)
    error = unknown;
  size_t count = check.list.list.size / sizeof(struct differences_of);
  for (size_t i = 1; i <= count && !error && !check.done; i++) {
    const struct differences_of *function = differences_at(&check.list, i);
    if (function->used)
      error = compare(&check, function);
  }
  differences_free(&check.list);
  map_free(&check.known);
  return error;
}
