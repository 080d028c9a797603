/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of a build, as clang looks for them in a sample profile.
 */
#include "make.h"

#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "../object/plain_name.h"
#include "code.h"

bool sample_match_is(struct bytes file) {
  return sample_binary_is(file) || sample_text_is(file);
}

/* ---- the profile ---- */

/* Functions of one block have no edge in their checksum. */
static uint32_t edges_of(uint64_t hash) { return hash >> 32 & 0xFFFF ? 2 : 1; }

const char *sample_records_add(struct sample_records *of,
                               const struct sample_body *body) {
  struct buffer *list = &of->match->records;
  struct match_function one = {.reference = body->reference,
                               .hash = body->hash,
                               .counters = edges_of(body->hash)};
  uint64_t *number = map_at(&of->known, one.reference, one.hash, 0);
  if (!number)
    return out_of_memory;
  if (!*number) {
    one.name = arena_copy(&of->match->names, body->name.data, body->name.size);
    if (!one.name || buffer_add(list, &one, sizeof one))
      return out_of_memory;
    *number = list->size / sizeof one;
  }
  ((struct match_function *)(void *)list->data)[*number - 1].weight +=
      body->weight;
  return NULL;
}

/* ---- the build ---- */

/* What clang looks for in the profile: without what it appends itself, and
 * without the number of the file if a binary profile says that it has none. */
static struct bytes name_in_profile(const struct sample_records *of,
                                    const char *name) {
  struct bytes all = {(const unsigned char *)name, strlen(name)};
  const struct bytes digits = unique_number(all);
  if (!digits.size)
    all.size = strcspn(name, ".");
  else if (of->suffixed)
    all.size = (size_t)(digits.data + digits.size - all.data);
  else
    all.size = (size_t)(digits.data - all.data) - strlen(".__uniq.");
  return all;
}

/* Adds a function of the build, with its checksum or 0. */
static const char *add_build(struct sample_records *of, const char *name,
                             uint64_t hash) {
  const struct bytes looked_for = name_in_profile(of, name);
  const struct match_function one = {
      .name = arena_copy(&of->match->names, looked_for.data, looked_for.size),
      .reference = md5_low64(looked_for.data, looked_for.size),
      .hash = hash,
      .counters = edges_of(hash)};
  return one.name ? buffer_add(&of->match->build, &one, sizeof one)
                  : out_of_memory;
}

static const char *add_probed(struct sample_records *of,
                              const struct elf *elf) {
  struct probes probes;
  const char *error = probes_read(&probes, elf, PROBE_AUTO);
  for (size_t i = 0; i < probes.function_count && !error; i++)
    error = add_build(of, probes.functions[i].name, probes.functions[i].hash);
  probes_free(&probes);
  return error;
}

/* Once, of all functions whose code is at an address. */
static const char *add_frames(struct sample_records *of,
                              const struct program *program, uint64_t address,
                              struct map *seen) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t depth =
      dwarf_frames(&program->scopes, &program->lines, address, frames);
  const char *error = NULL;
  for (size_t i = 0; i < depth && !error; i++) {
    const char *name = frames[i].name;
    uint64_t *found = map_at(seen, md5_low64(name, strlen(name)), 0, 0);
    if (!found)
      return out_of_memory;
    if (!*found && *name)
      error = add_build(of, name, 0);
    *found = 1;
  }
  return error;
}

/* Functions with code, also those that were inlined. */
static const char *add_lined(struct sample_records *of, const struct elf *elf) {
  struct program program;
  struct map seen = {.limit = (size_t)1 << 26};
  const char *error =
      program_open(&program, elf->file, PROBE_AUTO, PROGRAM_LINES);
  for (size_t i = 0; !error && i < program.probes.symbol_count; i++)
    error = add_build(of, program.probes.symbols[i].name, 0);
  for (size_t i = 0; !error && i < program.lines.row_count; i++)
    error = add_frames(of, &program, program.lines.rows[i].address, &seen);
  map_free(&seen);
  program_close(&program);
  return error;
}

const char *sample_match_find(struct match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_found *found) {
  struct sample_records records = {.match = match,
                                   .add = sample_records_add,
                                   .known = {.limit = (size_t)1 << 26}};
  struct elf_section section;
  *found = (struct sample_match_found){0};
  match_begin(match);
  const char *error = sample_binary_is(file)
                          ? sample_binary_read(&records, file)
                          : sample_text_read(&records, file, &found->line);
  map_free(&records.known);
  if (error)
    return error;
  bool same =
      !records.probed || elf_find_section(elf, ".pseudo_probe_desc", &section);
  found->by_name = !records.probed;
  if (same)
    error =
        records.probed ? add_probed(&records, elf) : add_lined(&records, elf);
  found->of_elf = error;
  return error ? error : match_settle(match, same);
}
