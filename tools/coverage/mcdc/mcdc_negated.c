/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The mapping of `!(a || b) && c` is that of `a || b || c`: only the source
 * tells them apart.
 */
#include "mcdc_negated.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../model/expansions.h"
#include "solver.h"
#include "../inputs/source.h"
#include "mcdc_skipped.h"

#define NO_OWNER SIZE_MAX
#define STEPS_MOST (UINT64_C(1) << 32)

static const char damaged[] = "its coverage mapping is damaged; link it again";

struct reading {
  struct buffer *list;
  const struct paths *paths;
  struct mapping mapping;
  uint64_t steps;
  /* Of the function at hand. */
  int64_t *sites;
  size_t *owners; /* of each condition its decision */
  /* The source that was read last. */
  struct source_text source;
  char *name;
  uint64_t file[2]; /* its list of files, its number there */
  bool reported;    /* why it was not read */
};

/* ---- a source ---- */

/* Whether a file of the function is the last one; its name costs more, as all
 * names of the list are unpacked for it. */
static bool is_last(struct reading *reading, uint32_t file) {
  const struct mapping *mapping = &reading->mapping;
  uint64_t last[2] = {reading->file[0], reading->file[1]};
  reading->file[0] = mapping->reference;
  memcpy(&reading->file[1], mapping->files.data + file * sizeof last[1],
         sizeof last[1]);
  return reading->name && memcmp(last, reading->file, sizeof last) == 0;
}

/* Reads the source of a file of the function, unless it is the last one. */
static const char *read_source(struct reading *reading, uint32_t file) {
  char *name, *here;
  if (file < reading->mapping.file_count && is_last(reading, file))
    return NULL;
  const char *error = mapping_file(&reading->mapping, file, &name);
  if (error)
    return error;
  if (*name == '/')
    paths_tidy(name);
  if (reading->name && strcmp(name, reading->name) == 0) {
    free(name);
    return NULL;
  }
  free(reading->name);
  source_free(&reading->source);
  reading->name = name;
  here = paths_name(reading->paths, name);
  reading->reported = here && source_read(&reading->source, here);
  error = !here || reading->reported ? out_of_memory : NULL;
  free(here);
  return error;
}

static struct bytes text_of(const struct reading *reading,
                            const struct region *region) {
  const struct span span = {region->begin.line, region->begin.column,
                            region->end.line, region->end.column};
  return source_piece(&reading->source, &span);
}

/* ---- conditions ---- */

/* Sets the decision of a condition: the smallest one around it. A decision may
 * be inside a condition of another one. */
static void find_owner(struct reading *reading, size_t condition) {
  const struct mapping *mapping = &reading->mapping;
  size_t *owner = &reading->owners[condition];
  *owner = NO_OWNER;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *decision = &mapping->regions[i];
    reading->steps++;
    if (decision->kind != REGION_DECISION)
      continue;
    const struct region *here = expansion_in(
        mapping, reading->sites, &mapping->regions[condition], decision->file);
    const struct region *inner =
        *owner == NO_OWNER
            ? NULL
            : expansion_in(mapping, reading->sites, &mapping->regions[*owner],
                           decision->file);
    if (here && region_holds(decision, here) &&
        (*owner == NO_OWNER || !inner || !region_holds(decision, inner)))
      *owner = i;
  }
}

ORDER_BY(by_begin, struct atom, x->begin, x->end);

/* Finds the conditions of a decision in its text. false: not all are there. */
static bool find_atoms(struct reading *reading, size_t which, struct bytes text,
                       struct atom *atoms) {
  const struct mapping *mapping = &reading->mapping;
  const struct region *decision = &mapping->regions[which];
  uint32_t count = 0, all = decision->numbers[1];
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *condition = &mapping->regions[i];
    reading->steps++;
    if (condition->kind != REGION_MCDC_BRANCH || reading->owners[i] != which)
      continue;
    const struct region *here =
        expansion_in(mapping, reading->sites, condition, decision->file);
    struct bytes piece = text_of(reading, here);
    if (!piece.size || count == all)
      return false;
    struct atom *atom = &atoms[count++];
    atom->begin = (size_t)(piece.data - text.data);
    atom->end = atom->begin + piece.size;
    if (here != condition)
      atom->end = logic_behind_arguments(text, atom->end);
  }
  if (count)
    qsort(atoms, count, sizeof *atoms, by_begin);
  return count == all;
}

/* ---- a decision ---- */

/* Whether the last condition's value is not the result. */
static bool is_contrary(const struct logic *logic) {
  for (uint32_t i = 0; i < logic->count; i++)
    if (logic->next[i][0] == LOGIC_TRUE || logic->next[i][1] == LOGIC_FALSE)
      return true;
  return false;
}

/* Adds a decision where it stands in the source, outside of macros. */
static const char *add(struct reading *reading, const struct region *decision) {
  const struct region *site = decision;
  for (unsigned i = 0; site && i < EXPANSIONS_NESTED_MOST; i++) {
    decision = site;
    site = expansion_of(&reading->mapping, reading->sites, site->file);
  }
  return unmeasured_add(reading->list, &reading->mapping, decision);
}

static const char *read_decision(struct reading *reading, size_t which) {
  const struct region *decision = &reading->mapping.regions[which];
  uint32_t count = decision->numbers[1];
  struct logic logic = {.count = 0};
  if (count < 2 || count > LOGIC_CONDITIONS_MOST)
    return NULL;
  const char *error = read_source(reading, decision->file);
  struct bytes text = text_of(reading, decision);
  if (error || !text.size)
    return error;
  struct atom *atoms = malloc(count * sizeof *atoms);
  if (!atoms)
    return out_of_memory;
  if (find_atoms(reading, which, text, atoms) &&
      logic_parse(&logic, text, atoms, count) && is_contrary(&logic))
    error = add(reading, decision);
  logic_free(&logic);
  free(atoms);
  return error;
}

/* ---- all ---- */

static const char *read_function(struct reading *reading) {
  const struct mapping *mapping = &reading->mapping;
  const char *error = NULL;
  reading->sites = expansions_find(mapping);
  reading->owners =
      malloc((mapping->region_count + 1) * sizeof *reading->owners);
  if (!reading->sites || !reading->owners)
    error = out_of_memory;
  for (size_t i = 0; i < mapping->region_count && !error; i++) {
    if (mapping->regions[i].kind == REGION_MCDC_BRANCH)
      find_owner(reading, i);
    if (reading->steps > STEPS_MOST)
      error = damaged;
  }
  for (size_t i = 0; i < mapping->region_count && !error; i++) {
    if (mapping->regions[i].kind == REGION_DECISION)
      error = read_decision(reading, i);
    if (!error && reading->steps > STEPS_MOST)
      error = damaged;
  }
  free(reading->sites);
  free(reading->owners);
  return error;
}

int misjudged_read(struct buffer *list, const char *elf_name,
                   const struct elf *elf, const struct paths *paths) {
  struct reading reading = {.list = list, .paths = paths};
  list->limit = UNMEASURED_MOST;
  const char *error = mapping_open(&reading.mapping, elf);
  while (!error && mapping_next(&reading.mapping, &error))
    error = reading.mapping.mcdc ? read_function(&reading) : NULL;
  mapping_close(&reading.mapping);
  source_free(&reading.source);
  free(reading.name);
  if (error && !reading.reported)
    report(elf_name, "%s", error);
  return error ? 1 : 0;
}
