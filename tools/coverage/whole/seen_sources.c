/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the sources of ELFs from their mapping, line tables and symbols; and
 * from the objects of commands. expected.c decides the states.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "expected.h"
#include "../../base/file.h"

enum { NUMBERS_MOST = 1 << 24, TEXTS_MOST = 1 << 30 };

/* Returns the key of a name. The caller frees it. */
static char *make_key(const struct source_maps *paths, const char *name) {
  char here[4096] = "";
  char *key = paths_local_name(paths, name);
  if (!source_is_absolute(key) && os_current_folder(here, sizeof here)) {
    size_t room = strlen(here) + strlen(key) + 2;
    char *whole = need_memory(malloc(room));
    snprintf(whole, room, "%s/%s", here, key);
    free(key);
    key = whole;
  }
  paths_tidy(source_name_normalise(key));
  return key;
}

size_t seen_file_number(struct seen_sources *seen, const char *name) {
  char *key = make_key(seen->paths, name);
  size_t size = strlen(key);
  bool is_new = false;
  size_t number = map_number_key(
      &seen->numbers, (uint64_t[3]){md5_low64(key, size), size, 0}, &is_new);
  need_memory(number ? seen : NULL);
  if (is_new)
    LIST_ADD(seen->files, seen->file_count,
             (struct seen_file){.key = need_copy(&seen->texts, key),
                                .name = need_copy(&seen->texts, name)});
  free(key);
  return number - 1;
}

/* ---- the mapping ---- */

size_t seen_mapping_file(struct seen_sources *seen, struct mapping *mapping,
                         uint32_t file) {
  char *name = NULL;
  if (mapping_file_name(mapping, file, &name))
    return SIZE_MAX;
  size_t number = seen_file_number(seen, name);
  free(name);
  return number;
}

bool seen_has_function(const struct seen_sources *seen,
                       const struct mapping *mapping, size_t file) {
  return map_find(&seen->functions, mapping->name, file, 0);
}

const struct record_counts *seen_find_counts(const struct profile *profile,
                                             uint64_t name, uint64_t hash) {
  const struct function_entry *function = profile_find_function(profile, name);
  const struct record_counts *one = function ? function->counts : NULL;
  while (one && profile_comparable_hash(profile, one->hash) !=
                    profile_comparable_hash(profile, hash))
    one = one->next;
  return one;
}

bool seen_is_unmapped(const struct seen_sources *seen,
                      const struct mapping *mapping) {
  bool counted = false;
  for (size_t i = 0; i < seen->inputs->count; i++)
    counted |= seen_find_counts(&seen->inputs->subjects[i].profile,
                                mapping->name, mapping->hash) != NULL;
  return counted &&
         !map_find(&seen->functions, mapping->name, mapping->hash, 1);
}

static const char *read_functions(struct seen_sources *seen,
                                  const struct elf *elf) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    need_memory(
        map_find_or_add(&seen->functions, mapping.name, mapping.hash, 1));
    for (uint32_t i = 0; i < mapping.file_count; i++) {
      size_t number = seen_mapping_file(seen, &mapping, i);
      if (number == SIZE_MAX) {
        error = mapping_damaged;
        break;
      }
      seen->files[number].mapped = true;
      need_memory(map_find_or_add(&seen->functions, mapping.name, number, 0));
      if (!i)
        *(uint64_t *)need_memory(
            map_find_or_add(&seen->names, mapping.name, 0, 0)) = number + 1;
    }
  }
  mapping_close(&mapping);
  return error;
}

/* ---- lines ---- */

/* Marks the files whose lines have code. */
static void mark_coded_files(struct seen_sources *seen, struct seen_elf *from) {
  const struct dwarf_lines *lines = &from->lines;
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  from->numbers = need_memory(calloc(count + 1, sizeof *from->numbers));
  for (size_t i = 0; i < lines->row_count; i++) {
    const struct dwarf_row *row = &lines->rows[i];
    if (!row->file || !row->line || row->flags & DWARF_END ||
        from->numbers[row->file])
      continue;
    const char *path = dwarf_lines_path(&from->lines, row->file);
    size_t number = seen_file_number(seen, path);
    from->numbers[row->file] = (uint32_t)number + 1;
    seen->files[number].coded = true;
  }
}

static void mark_unit_files(struct seen_sources *seen,
                            const struct dwarf *dwarf) {
  for (size_t i = 0; i < dwarf->unit_count; i++) {
    const char *name = dwarf_unit_source(dwarf, i);
    const char *folder = dwarf_unit_folder(dwarf, i);
    size_t room = strlen(name) + strlen(folder) + 2;
    bool alone = source_is_absolute(name) || !*folder;
    if (!*name)
      continue;
    char *all = need_memory(malloc(room));
    snprintf(all, room, "%s%s%s", alone ? "" : folder, alone ? "" : "/", name);
    size_t number = seen_file_number(seen, all);
    seen->files[number].unit = true;
    free(all);
  }
}

/* An ELF without debug information has no lines, which is not an error. */
static void read_line_table(struct seen_sources *seen, struct seen_elf *from) {
  const char *error = dwarf_open(&from->dwarf, from->elf);
  if (!error)
    error = dwarf_lines_read(&from->lines, &from->dwarf);
  need_memory(error == out_of_memory ? NULL : seen);
  if (error)
    return;
  mark_unit_files(seen, &from->dwarf);
  mark_coded_files(seen, from);
}

/* ---- all ---- */

static void read_symbols(struct seen_sources *seen, const struct elf *elf) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.section && elf_has_code(elf, symbol.section) && *symbol.name)
      need_memory(map_find_or_add(
          &seen->symbols, md5_low64(symbol.name, strlen(symbol.name)), 0, 0));
  }
}

const char *seen_read(struct seen_sources *seen, const struct inputs *inputs,
                      const struct source_maps *paths) {
  *seen = (struct seen_sources){.paths = paths, .inputs = inputs};
  struct map *const maps[] = {&seen->numbers, &seen->functions, &seen->names,
                              &seen->symbols};
  const char *error = NULL;
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    maps[i]->limit = NUMBERS_MOST;
  seen->texts.limit = TEXTS_MOST;
  seen->elfs = need_memory(calloc(inputs->count + 1, sizeof *seen->elfs));
  for (size_t i = 0; i < inputs->count && !error; i++) {
    struct seen_elf *from = &seen->elfs[seen->elf_count++];
    from->elf = &inputs->subjects[i].elf;
    error = read_functions(seen, from->elf);
    read_line_table(seen, from);
    read_symbols(seen, from->elf);
  }
  return error;
}

void seen_free(struct seen_sources *seen) {
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
  free(seen->files);
  arena_free(&seen->texts);
}

/* ---- objects ----
 *
 * Reads what a command's object shows about the command's source.
 */

enum { OBJECT_MOST = 1 << 30, SYMBOL_FILE = 4 };

static bool is_bitcode(struct bytes file) {
  return file.size >= 4 && (!memcmp(file.data, "BC\xC0\xDE", 4) ||
                            load32(file.data, false) == 0x0B17C0DE);
}

static void read_object_mapping(struct seen_sources *seen,
                                const struct elf *elf, size_t file,
                                struct seen_object *object) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    size_t number = seen_function_file(seen, &mapping);
    bool has = seen_has_function(seen, &mapping, number);
    bool lost = number == file && !has && seen_is_unmapped(seen, &mapping);
    object->mapped++;
    object->shared |= has && mapping.hash;
    object->linked |= has && mapping.hash && number == file;
    object->own += number == file;
    object->lacking += number == file && !has && !lost;
    object->lost += lost;
    /* A file that the source includes is a part of it. */
    for (uint32_t i = 0; i < mapping.file_count && !error; i++) {
      number = seen_mapping_file(seen, &mapping, i);
      if (number == SIZE_MAX)
        error = mapping_damaged;
      else
        seen->files[number].given = true;
    }
  }
  mapping_close(&mapping);
  need_memory(error == out_of_memory ? NULL : seen);
}

/* Only global functions count: many sources may have a static function of one
 * name. */
static void read_object_symbols(struct seen_sources *seen,
                                const struct elf *elf, size_t file,
                                struct seen_object *object) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t name = md5_low64(symbol.name, strlen(symbol.name));
    if (symbol.type == SYMBOL_FILE && !object->file)
      object->file = need_copy(&seen->texts, symbol.name);
    if (!symbol.section || !symbol.binding || !*symbol.name ||
        !elf_has_code(elf, symbol.section) ||
        !map_find(&seen->symbols, name, 0, 0))
      continue;
    uint64_t *of = map_find(&seen->names, name, 0, 0);
    bool weak = symbol.binding == 2;
    if (of && *of && *of - 1 != file && file != SIZE_MAX)
      object->contrary |= !weak;
    else
      object->linked |= !weak;
  }
}

static void read_object_elf(struct seen_sources *seen, struct bytes bytes,
                            size_t file, struct seen_object *object) {
  struct elf elf;
  if (elf_open(&elf, bytes) || elf.type != ELF_REL)
    return;
  object->kind = OBJECT_ELF;
  for (uint64_t i = 0; i < elf.section_count; i++) {
    struct elf_section section = elf_section(&elf, i);
    object->code |= section.size && section.flags & ELF_ALLOC &&
                    section.flags & ELF_CODE;
  }
  read_object_mapping(seen, &elf, file, object);
  read_object_symbols(seen, &elf, file, object);
}

struct seen_object seen_read_object(struct seen_sources *seen, const char *name,
                                    size_t file) {
  struct seen_object object = {.kind = OBJECT_NONE};
  struct os_file_info facts;
  struct file in;
  if (!name || !os_stat(name, &facts) || facts.kind != OS_FILE ||
      !os_can_read(name))
    return object;
  object.kind = OBJECT_OTHER;
  if (!facts.size || file_map(&in, name, OBJECT_MOST))
    return object;
  if (is_bitcode(in.bytes))
    object.kind = OBJECT_BITCODE;
  else
    read_object_elf(seen, in.bytes, file, &object);
  file_close(&in);
  return object;
}
