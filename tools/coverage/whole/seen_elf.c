/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sources of ELFs: of their mapping, their line tables, their symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/error.h"
#include "../../base/map.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "whole.h"

enum { NUMBERS_MOST = 1 << 24, TEXTS_MOST = 1 << 30 };

/* A name's key. The caller frees it. NULL: out of memory. */
static char *key_of(const struct paths *paths, const char *name) {
  char here[4096] = "";
  char *mapped = paths_name(paths, name), *key = mapped;
  if (mapped && !source_is_absolute(mapped) && os_here(here, sizeof here)) {
    size_t room = strlen(here) + strlen(mapped) + 2;
    key = malloc(room);
    if (key)
      snprintf(key, room, "%s/%s", here, mapped);
    free(mapped);
  }
  if (key)
    paths_tidy(source_name(key));
  return key;
}

size_t seen_number(struct seen *seen, const char *name) {
  char *key = key_of(seen->paths, name);
  size_t size = key ? strlen(key) : 0, number = 0;
  bool is_new = false;
  if (key)
    number = map_number(&seen->numbers,
                        (uint64_t[3]){md5_low64(key, size), size, 0}, &is_new);
  struct seen_file file = {.key = NULL};
  if (number && is_new) {
    file.key = arena_copy(&seen->texts, key, size);
    file.name = arena_copy(&seen->texts, name, strlen(name));
    if (!file.key || !file.name ||
        buffer_append(&seen->files, &file, sizeof file))
      number = 0;
  }
  free(key);
  return number - 1;
}

/* ---- the mapping ---- */

size_t seen_function_file(struct seen *seen, struct mapping *mapping) {
  char *name = NULL;
  if (mapping_file(mapping, 0, &name))
    return SIZE_MAX;
  size_t number = seen_number(seen, name);
  free(name);
  return number;
}

bool seen_has(const struct seen *seen, const struct mapping *mapping,
              size_t file) {
  return map_find(&seen->functions, mapping->name, file, 0);
}

static const struct counts *counts_of(const struct profile *profile,
                                      uint64_t name, uint64_t hash) {
  const struct function_entry *function = profile_find(profile, name);
  const struct counts *one = function ? function->counts : NULL;
  while (one && profile_hash(profile, one->hash) != profile_hash(profile, hash))
    one = one->next;
  return one;
}

bool seen_lost(const struct seen *seen, const struct mapping *mapping) {
  bool counted = false;
  for (size_t i = 0; i < seen->inputs->count; i++)
    counted |= counts_of(&seen->inputs->subjects[i].profile, mapping->name,
                         mapping->hash) != NULL;
  return counted &&
         !map_find(&seen->functions, mapping->name, mapping->hash, 1);
}

const char *added_counts(const struct added *added,
                         const struct profile *const *profiles, size_t count,
                         struct profile *counts) {
  const struct added_lost *list = (const void *)added->lost.data;
  bool failed = false;
  profile_new(counts, NUMBERS_MOST * sizeof(uint64_t));
  for (size_t k = 0; k < added->lost.size / sizeof *list; k++)
    for (size_t i = 0; i < count; i++) {
      const struct counts *one =
          profiles[i] ? counts_of(profiles[i], list[k].name, list[k].hash)
                      : NULL;
      if (!one)
        continue;
      const char *name = profile_find(profiles[i], list[k].name)->name;
      const struct addition addition = {.name = name,
                                        .name_size = strlen(name),
                                        .hash = list[k].hash,
                                        .counters = one->counters,
                                        .bitmap = one->more->bitmap,
                                        .counter_count = one->counter_count,
                                        .bitmap_size = one->more->bitmap_size,
                                        .weight = 1};
      failed |= profile_add(counts, &addition, NULL) == REFUSED_MEMORY;
    }
  return failed ? out_of_memory : NULL;
}

static const char *read_functions(struct seen *seen, const struct elf *elf) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next(&mapping, &error)) {
    if (!map_at(&seen->functions, mapping.name, mapping.hash, 1))
      error = out_of_memory;
    for (uint32_t i = 0; i < mapping.file_count && !error; i++) {
      char *name = NULL;
      error = mapping_file(&mapping, i, &name);
      size_t number = error ? SIZE_MAX : seen_number(seen, name);
      free(name);
      if (number == SIZE_MAX)
        return mapping_close(&mapping), error ? error : out_of_memory;
      seen_file(seen, number)->mapped = true;
      uint64_t *has = map_at(&seen->functions, mapping.name, number, 0);
      uint64_t *file = i ? has : map_at(&seen->names, mapping.name, 0, 0);
      if (!has || !file)
        error = out_of_memory;
      else if (!i)
        *file = number + 1;
    }
  }
  mapping_close(&mapping);
  return error;
}

/* ---- lines ---- */

/* Marks the files whose lines have code. */
static const char *read_rows(struct seen *seen, struct seen_elf *from) {
  const struct dwarf_lines *lines = &from->lines;
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  from->numbers = calloc(count + 1, sizeof *from->numbers);
  if (!from->numbers)
    return out_of_memory;
  for (size_t i = 0; i < lines->row_count; i++) {
    const struct dwarf_row *row = &lines->rows[i];
    if (!row->file || !row->line || row->flags & DWARF_END ||
        from->numbers[row->file])
      continue;
    size_t number =
        seen_number(seen, dwarf_lines_path(&from->lines, row->file));
    if (number == SIZE_MAX)
      return out_of_memory;
    from->numbers[row->file] = (uint32_t)number + 1;
    seen_file(seen, number)->coded = true;
  }
  return NULL;
}

static const char *read_units(struct seen *seen, const struct dwarf *dwarf) {
  for (size_t i = 0; i < dwarf->unit_count; i++) {
    const char *name = dwarf_unit_source(dwarf, i);
    const char *folder = dwarf_unit_folder(dwarf, i);
    size_t room = strlen(name) + strlen(folder) + 2;
    char *all = *name ? malloc(room) : NULL;
    if (!*name)
      continue;
    bool alone = source_is_absolute(name) || !*folder;
    if (all)
      snprintf(all, room, "%s%s%s", alone ? "" : folder, alone ? "" : "/",
               name);
    size_t number = all ? seen_number(seen, all) : SIZE_MAX;
    free(all);
    if (number == SIZE_MAX)
      return out_of_memory;
    seen_file(seen, number)->unit = true;
  }
  return NULL;
}

/* Without debug information there is nothing to read. */
static const char *read_lines(struct seen *seen, struct seen_elf *from) {
  const char *error = dwarf_open(&from->dwarf, from->elf);
  if (!error)
    error = dwarf_lines_read(&from->lines, &from->dwarf);
  if (error)
    return error == out_of_memory ? error : NULL;
  error = read_units(seen, &from->dwarf);
  return error ? error : read_rows(seen, from);
}

/* ---- all ---- */

static const char *read_symbols(struct seen *seen, const struct elf *elf) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.section && elf_has_code(elf, symbol.section) && *symbol.name &&
        !map_at(&seen->symbols, md5_low64(symbol.name, strlen(symbol.name)), 0,
                0))
      return out_of_memory;
  }
  return NULL;
}

const char *seen_read(struct seen *seen, const struct inputs *inputs,
                      const struct paths *paths) {
  *seen = (struct seen){.paths = paths, .inputs = inputs};
  struct map *const maps[] = {&seen->numbers, &seen->functions, &seen->names,
                              &seen->symbols};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    maps[i]->limit = NUMBERS_MOST;
  seen->files.limit = seen->texts.limit = TEXTS_MOST;
  seen->elfs = calloc(inputs->count + 1, sizeof *seen->elfs);
  const char *error = seen->elfs ? NULL : out_of_memory;
  for (size_t i = 0; i < inputs->count && !error; i++) {
    struct seen_elf *from = &seen->elfs[seen->elf_count++];
    from->elf = &inputs->subjects[i].elf;
    error = read_functions(seen, from->elf);
    if (!error)
      error = read_lines(seen, from);
    if (!error)
      error = read_symbols(seen, from->elf);
  }
  return error;
}

void seen_free(struct seen *seen) {
  for (size_t i = 0; i < seen->elf_count; i++) {
    dwarf_lines_free(&seen->elfs[i].lines);
    dwarf_close(&seen->elfs[i].dwarf);
    free(seen->elfs[i].numbers);
  }
  free(seen->elfs);
  map_free(&seen->numbers);
  map_free(&seen->functions);
  map_free(&seen->names);
  map_free(&seen->symbols);
  buffer_free(&seen->files);
  arena_free(&seen->texts);
}
