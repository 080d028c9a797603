/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds functions in several files that have the same name, called
 * twins. The profile adds up the counts under one name and hash, and the linker
 * keeps one mapping. The kept mapping does not always belong to the function
 * whose counters the linker keeps. For example, the linker may keep the mapping
 * of a weak function and the code of the function that replaces the weak one.
 *
 * Each object lists its names and its files. If more objects have a name than
 * the mapping's files explain, the debug information tells whether the function
 * in the image comes from the file of the mapping.
 */
#include "evaluation.h"

#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "../../object/dwarf.h"
#include "../../profile/profile_merge.h"

enum twins_place { TWINS_UNKNOWN, TWINS_HERE, TWINS_ELSEWHERE };

struct twins_symbol {
  uint64_t name;   /* hash of the name, from hash_unprefixed_name */
  uint64_t number; /* number of the symbol in the ELF */
};

/* The facts about an ELF, which are read when they are first needed. */
struct twins_elf_cache {
  const struct elf *elf;
  bool by_object;        /* Each object lists its names. */
  struct map listed;     /* result of mapping_count_file_objects */
  struct buffer symbols; /* list of struct twins_symbol, ascending */
  bool has_symbols, has_lines;
  struct dwarf dwarf;
  struct dwarf_lines lines;
};

ORDER_BY(by_name, struct twins_symbol, x->name, x->number);

static const char *find_prefix_separator(const char *name) {
  size_t size = strlen(name);
  const char *mark = translate_find_separator(name, size, ';');
  return mark ? mark : translate_find_separator(name, size, ':');
}

/* Returns a hash of a name without its file prefix and compiler suffix. */
static uint64_t hash_unprefixed_name(const char *name) {
  const char *mark = find_prefix_separator(name);
  if (mark)
    name = mark + 1;
  return md5_low64((const unsigned char *)name, strcspn(name, "."));
}

static void list_hashed_symbols(struct twins_elf_cache *twins) {
  twins->has_symbols = true;
  twins->symbols.limit = SIZE_MAX; /* The size of the ELF limits the list. */
  for (uint64_t i = 0; i < twins->elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(twins->elf, i);
    struct twins_symbol one = {hash_unprefixed_name(symbol.name), i};
    if (symbol.type == ELF_FUNCTION && symbol.section)
      need_append(&twins->symbols, &one, sizeof one);
  }
  sort_array(twins->symbols.data,
             twins->symbols.size / sizeof(struct twins_symbol),
             sizeof(struct twins_symbol), by_name);
}

/* Returns whether a file of the debug information is this file of the mapping.
 * If compiler options made one of the names relative, it is enough that the
 * names end alike. */
static bool dwarf_file_matches_mapping(struct twins_elf_cache *twins,
                                       uint32_t file, const char *name) {
  char *path = need_memory(strdup(dwarf_lines_path(&twins->lines, file)));
  bool whole = source_name_is_absolute(path) && source_name_is_absolute(name);
  if (*path == '/')
    path[source_name_remove_dots(path, strlen(path), 1)] = 0;
  unsigned alike = source_name_count_shared_parts(path, name);
  bool same = strcmp(path, name) == 0 || (!whole && alike > 1) ||
              (alike && !(strchr(path, '/') && strchr(name, '/')));
  free(path);
  return same;
}

/* Returns from which file the image has the function with this name. If `weak`
 * is set, weak functions are included; C++ has many of these in headers. */
static enum twins_place find_symbol_place(struct twins_elf_cache *twins,
                                          const char *function,
                                          const char *file, bool weak) {
  uint64_t name = hash_unprefixed_name(function);
  if (!twins->has_symbols)
    list_hashed_symbols(twins);
  const struct twins_symbol *list = (const void *)twins->symbols.data;
  size_t count = twins->symbols.size / sizeof *list;
  enum twins_place place = TWINS_UNKNOWN;
  for (size_t i = search_from(list, count, name, name);
       i < count && list[i].name == name && place != TWINS_HERE; i++) {
    struct elf_symbol symbol = elf_symbol(twins->elf, list[i].number);
    if (symbol.binding == ELF_WEAK && !weak)
      continue;
    /* If the debug information cannot be read, the place remains unknown. */
    if (!twins->has_lines && !dwarf_open(&twins->dwarf, twins->elf))
      dwarf_lines_read(&twins->lines, &twins->dwarf);
    twins->has_lines = true;
    if (twins->elf->machine == ELF_ARM)
      symbol.value &= ~UINT64_C(1);
    const struct dwarf_row *row = dwarf_lines_first_row_in_span(
        &twins->lines,
        (struct dwarf_span){symbol.value, symbol.value + symbol.size});
    if (row)
      place = dwarf_file_matches_mapping(twins, row->file, file)
                  ? TWINS_HERE
                  : TWINS_ELSEWHERE;
  }
  return place;
}

/* Returns how many objects contain the name of the function. Objects that have
 * the name with another hash do not count. */
static uint64_t count_naming_objects(const struct evaluation *evaluation,
                                     const struct function_entry *function) {
  const struct name_table *names = evaluation->from->names;
  uint64_t count =
      names ? names_count_occurrences(names, evaluation->mapping.name) : 0;
  for (const struct record_counts *one = function->counts->next; one && count;
       one = one->next)
    count--;
  return count;
}

/* Finds the name of the file that defines the function, and the number of
 * objects that have this file. Returns false if the file is not known, or after
 * an error. */
static bool find_defining_file(struct evaluation *evaluation,
                               struct twins_elf_cache *twins, const char **name,
                               uint64_t *objects) {
  evaluation->error = mapping_read_regions(&evaluation->mapping);
  if (evaluation->error)
    return false;
  sites_fill_expansion_lists(evaluation);
  uint32_t main = sites_find_main_file(evaluation);
  if (main == NO_FILE)
    return false;
  uint32_t number = evaluation_find_or_add_file(evaluation, main);
  if (!evaluation->error && !twins->listed.count)
    evaluation->error =
        mapping_count_file_objects(&evaluation->mapping, &twins->listed);
  if (evaluation->error)
    return false;
  *name = evaluation->out->names[number];
  const uint64_t *known =
      map_find(&twins->listed, md5_low64(*name, strlen(*name)), 0, 0);
  *objects = known ? *known >> 32 : 0;
  return known;
}

/* Returns whether the counts may belong to a function of another file
 * (TWINS_COUNT), and whether such a function lacks a mapping (TWINS_NAMED). A
 * function that is not static is the one that the image's symbol names. */
static unsigned find_function_doubt(struct evaluation *evaluation,
                                    struct twins_elf_cache *twins,
                                    const struct function_entry *function,
                                    const struct function_counts *counted) {
  const char *file;
  uint64_t files, objects = count_naming_objects(evaluation, function);
  if (!counted->merged && objects < 2 && twins->by_object)
    return 0;
  if (!find_defining_file(evaluation, twins, &file, &files))
    return 0;
  bool summed = counted->merged >= files, several = summed || objects > files;
  bool one = !summed || !find_prefix_separator(function->name);
  enum twins_place place =
      find_symbol_place(twins, function->name, file, several);
  if (several ? !one || place != TWINS_HERE : place == TWINS_ELSEWHERE)
    return TWINS_COUNT | TWINS_NAMED;
  return summed ? TWINS_NAMED : 0;
}

static bool has_nonzero_count(const struct function_counts *counted) {
  for (uint32_t i = 0; i < counted->counter_count; i++)
    if (counted->counters[i])
      return true;
  return false;
}

static void mark_record_if_doubted(struct evaluation *evaluation,
                                   struct twins_elf_cache *twins) {
  const struct mapping *mapping = &evaluation->mapping;
  bool other;
  struct function_counts counted = sums_find_counts(
      evaluation->from->profile, mapping->name, mapping->hash, &other);
  if (!counted.counters)
    return;
  const struct function_entry *function =
      profile_find_function(evaluation->from->profile, mapping->name);
  unsigned found = find_function_doubt(evaluation, twins, function, &counted);
  if (!found || evaluation->error)
    return;
  uint64_t *seen =
      need_memory(map_find_or_add(&evaluation->seen, mapping->name,
                                  sums_function_digest(evaluation), DOUBTED));
  if (!(*seen & TWINS_NAMED))
    left_out_append(&evaluation->out->unmapped, function->name,
                    evaluation->instance);
  *seen |= has_nonzero_count(&counted) ? found : TWINS_NAMED;
}

void twins_mark_doubted_functions(struct evaluation *evaluation) {
  const struct elf *elf = evaluation->from->elf;
  struct elf_section section;
  struct twins_elf_cache twins = {.elf = elf,
                                  .listed.limit = elf_derived_size_limit(elf)};
  twins.by_object = elf_find_section(elf, "__llvm_prf_names", &section) ||
                    elf_find_section(elf, "__llvm_covnames", &section);
  while (!evaluation->error &&
         mapping_next_record(&evaluation->mapping, &evaluation->error))
    mark_record_if_doubted(evaluation, &twins);
  if (twins.has_lines) {
    dwarf_lines_free(&twins.lines);
    dwarf_close(&twins.dwarf);
  }
  map_free(&twins.listed);
  buffer_free(&twins.symbols);
}
