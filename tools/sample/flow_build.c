/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches to targets of calls.
 */
#include "flow_build.h"

#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"

static const char no_memory[] = "not enough memory; free some";

/* ---- names ---- */

static bool take_unprobed(struct flow_building *of, uint64_t to) {
  const struct probe_symbol *symbol = probes_symbol(&of->program->probes, to);
  return !symbol || symbol->address != to ||
         probes_first(&of->program->probes, symbol) ||
         sample_map_at(&of->names, to, 0, 0);
}

/* Of several of one address the first in the file, as llvm-profgen has it. One
 * without a size is no function, but a label, or the linker's. */
static void name_unprobed(struct flow_building *of) {
  enum { FUNCTION = 2 };
  const struct elf *elf = &of->program->elf;
  for (uint64_t i = 0; i < elf->symbol_count && of->names.count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t *number =
        symbol.type == FUNCTION && symbol.section && symbol.size
            ? sample_map_find(&of->names,
                              code_address(&of->program->code, symbol.value), 0,
                              0)
            : NULL;
    if (number && !*number)
      *number = i + 1;
  }
}

const char *flow_building(struct flow_building *of) {
  const struct probes *probes = &of->program->probes;
  const struct sample_map *jumps = &of->flow->jumps;
  of->calls_probed = false;
  of->names = (struct sample_map){.limit = (size_t)1 << 24};
  for (size_t i = 0; i < probes->count && !of->calls_probed; i++)
    of->calls_probed = probes->list[i].type != PROBE_BLOCK;
  for (size_t i = 0; i < jumps->places; i++)
    if (jumps->entries[i].used && !take_unprobed(of, jumps->entries[i].key[1]))
      return no_memory;
  name_unprobed(of);
  return NULL;
}

void flow_building_free(struct flow_building *of) {
  sample_map_free(&of->names);
}

/* ---- calls ---- */

bool flow_place(const struct flow_building *of, uint64_t from,
                struct call_place *place) {
  const struct listed *one = listing_at(of->listing, from);
  if (!one || (!of->calls_probed && !one->call && !one->jump))
    return false;
  return targets_place(of->program, from, from + one->length, place) &&
         (place->probed || !of->calls_probed);
}

const char *flow_callee(const struct flow_building *of, uint64_t to) {
  const struct probes *probes = &of->program->probes;
  const struct probe_symbol *symbol = probes_symbol(probes, to);
  if (!symbol || symbol->address != to)
    return NULL;
  const struct probe *probe = probes_first(probes, symbol);
  if (!probe) {
    const uint64_t *number = sample_map_find(&of->names, to, 0, 0);
    return number && *number ? elf_symbol(&of->program->elf, *number - 1).name
                             : NULL;
  }
  uint64_t guid = probe_outermost(probe);
  /* A part of a function, as its cold code, is none. The linker's optimiser
   * appends to names. */
  const char *suffix = strstr(symbol->name, ".llvm.");
  size_t size = suffix ? (size_t)(suffix - symbol->name) : strlen(symbol->name);
  return md5_low64(symbol->name, size) == guid ? probes_name(probes, guid)
                                               : NULL;
}

const char *flow_zeros(const struct flow_building *of, struct rates *rates) {
  const struct probes *probes = &of->program->probes;
  struct sample_map run = {.limit = (size_t)1 << 26};
  const char *error = NULL;
  for (size_t i = 0; i < probes->count && !error; i++)
    if (rates->probes[i] >= 0 &&
        !sample_map_at(&run, probes->records[probes->list[i].record].guid, 0,
                       0))
      error = no_memory;
  for (size_t i = 0; i < probes->count && !error; i++)
    if (rates->probes[i] < 0 &&
        sample_map_find(&run, probes->records[probes->list[i].record].guid, 0,
                        0))
      rates->probes[i] = 0;
  sample_map_free(&run);
  return error;
}

static const char *add_target(const struct flow_building *of,
                              const struct flow_entry *jump) {
  struct call_place place;
  struct sampled *profile = of->building->profile;
  const char *callee = flow_callee(of, jump->end);
  if (!callee || !flow_place(of, jump->begin, &place))
    return NULL;
  struct sampled_line *line = targets_line(of->building, &place);
  struct sampled_target *target =
      line ? sampled_target(profile, line, callee) : NULL;
  if (!target)
    return no_memory;
  target->weight += (double)jump->count;
  if (!place.probed)
    line->weight += (double)jump->count;
  return NULL;
}

const char *flow_targets(const struct flow_building *of) {
  struct flow_entry *jumps;
  size_t count;
  const char *error = flow_sorted(&of->flow->jumps, &jumps, &count);
  for (size_t i = 0; i < count && !error; i++)
    error = add_target(of, &jumps[i]);
  free(jumps);
  return error ? error : of->listing->error;
}

void flow_raise_calls(struct sampled *profile) {
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      uint64_t sum = 0;
      for (const struct sampled_target *to = line->targets; to; to = to->next)
        sum += to->count;
      if (line->count < sum)
        line->count = sum;
    }
}
