/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file decides the state of each source. The ELFs show which sources were
 * measured; commands (planned_sources.c) and their objects explain the other
 * sources. Then this file lists the missing functions and lines, and coverage.c
 * makes the model again with them.
 */
#include "expected.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/dwarf.h"
#include "../../object/mapping.h"

enum { NUMBERS_MOST = 1 << 24, TEXTS_MOST = 1 << 30, OBJECT_MOST = 1 << 30 };

/* Returns an absolute name in which no folder is a symbolic link, so that the
 * compiler's name and the name in the plan are the same. The file's own name
 * stays, because objects have the same name. */
static char *resolve_folders(const char *name) {
  char *folder = need_memory(strdup(name));
  folder[os_base_name(folder) - folder] = 0;
  char *real = os_real_path(folder);
  char *all = paths_join(real ? source_name_normalise(real) : folder,
                         os_base_name(name));
  paths_tidy(all);
  free(folder);
  free(real);
  return all;
}

size_t expected_find_or_add_source(struct expected_sources *expected,
                                   const char *name) {
  char *here = paths_local_name(&expected->coverage->settings->paths, name);
  char *key = paths_make_absolute(here);
  uint64_t number = *expected_find_or_add(expected, hash_text(key), strlen(key),
                                          KNOWN_SOURCE);
  if (!number) {
    char *real = resolve_folders(key);
    uint64_t *same = expected_find_or_add(expected, hash_text(real),
                                          strlen(real), KNOWN_SOURCE);
    if (!*same) {
      LIST_ADD(expected->sources, expected->source_count,
               (struct expected_source){
                   .key = need_copy(&expected->texts, real),
                   .name = need_copy(&expected->texts, name),
                   .lines.limit = SIZE_MAX});
      *same = expected->source_count;
    }
    number = *same;
    *expected_find_or_add(expected, hash_text(key), strlen(key), KNOWN_SOURCE) =
        number;
    free(real);
  }
  free(here);
  free(key);
  return number - 1;
}

/* ---- debug information ---- */

ORDER_BY(compare_lines, struct code_line, x->line, x->function == NULL);

/* Lists the lines of a line table, and the functions that begin on them. */
static void list_elf_lines(struct expected_sources *expected,
                           struct dwarf_lines *lines, const struct elf *elf) {
  size_t files = lines->files.size / sizeof(struct dwarf_file);
  /* The index of each file's source + 1, and the function at each row. */
  size_t *numbers = need_memory(calloc(files + 1, sizeof *numbers));
  const char **functions =
      need_memory(calloc(lines->row_count + 1, sizeof *functions));
  uint64_t thumb = elf->machine == ELF_ARM;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    const struct dwarf_row *row =
        dwarf_lines_find_row(lines, symbol.value & ~thumb);
    if (row && symbol.type == ELF_FUNCTION && symbol.section)
      functions[row - lines->rows] = symbol.name;
  }
  for (size_t i = 0; i < lines->row_count; i++) {
    const struct dwarf_row *row = &lines->rows[i];
    const struct code_line one = {.line = row->line, .function = functions[i]};
    if (!row->file || !row->line || row->flags & DWARF_END)
      continue;
    size_t *number = &numbers[row->file];
    if (!*number)
      *number = 1 + expected_find_or_add_source(
                        expected, dwarf_lines_path(lines, row->file));
    need_append(&expected->sources[*number - 1].lines, &one, sizeof one);
  }
  const struct dwarf_file *list = (const void *)lines->files.data;
  for (uint32_t i = 1; i < files; i++)
    if (list[i].dropped)
      expected->sources[expected_find_or_add_source(
                            expected, dwarf_lines_path(lines, i))]
          .dropped = true;
  free(functions);
  free(numbers);
}

/* Marks the sources of compilation units, and lists the lines with code. An ELF
 * without debug information lacks lines, which is not an error. */
static void read_debug_information(struct expected_sources *expected,
                                   const struct elf *elf) {
  struct dwarf dwarf;
  struct dwarf_lines lines = {.rows = NULL};
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_lines_read(&lines, &dwarf);
  need_memory(error == out_of_memory ? NULL : expected);
  for (size_t i = 0; i < dwarf.unit_count && !error; i++) {
    const char *name = dwarf_unit_source(&dwarf, i);
    char *all = paths_join(dwarf_unit_folder(&dwarf, i), name);
    if (*name) {
      size_t number = expected_find_or_add_source(expected, all);
      expected->sources[number].unit = true;
    }
    free(all);
  }
  if (!error)
    list_elf_lines(expected, &lines, elf);
  dwarf_lines_free(&lines);
  dwarf_close(&dwarf);
}

/* ---- functions of ELFs and objects ---- */

/* Returns whether an ELF has counts, but no ELF has a mapping, of the mapping's
 * current function, which is in `source`. If two objects define a function, the
 * linker may keep the counters of one object and the mapping of the other. Both
 * may have the same hash, as functions without branches do; then the line
 * tables tell whose code was linked. */
static bool is_unmapped_function(const struct expected_sources *expected,
                                 const struct expected_source *source,
                                 const struct mapping *mapping) {
  const struct inputs *inputs = expected->coverage->inputs;
  const struct code_line *line = (const void *)source->lines.data;
  const struct code_line *end = line + source->lines.size / sizeof *line;
  bool counted = false, other;
  for (size_t i = 0; i < inputs->count; i++)
    counted |= sums_find_counts(&inputs->subjects[i].profile, mapping->name,
                                mapping->hash, &other)
                   .counters != NULL;
  if (!counted || !map_find(&expected->known, mapping->name, mapping->hash,
                            KNOWN_BY_HASH))
    return counted;
  while (mapping->region_count && line < end &&
         (line->line < mapping->regions->begin.line ||
          line->line > mapping->regions->end.line))
    line++;
  return mapping->region_count && line < end;
}

/* Compares a function of an object with the ELFs. `source` is the index of the
 * function's source. */
static void note_object_function(struct expected_sources *expected,
                                 const struct mapping *mapping, size_t source,
                                 struct planned_source *object) {
  bool own = source == object->source;
  bool has = map_find(&expected->known, mapping->name, source, KNOWN_IN_SOURCE);
  object->shared |= has && mapping->hash;
  object->linked |= has && mapping->hash && own;
  object->own |= own;
  if (!own || has)
    return;
  bool lost =
      is_unmapped_function(expected, &expected->sources[source], mapping);
  *(lost ? &object->lost : &object->lacking) = true;
  expected_find_or_add(expected, mapping->name, source, KNOWN_ADDED);
  if (lost)
    need_memory(
        map_find_or_add(&expected->lost, mapping->name, mapping->hash, 0));
}

/* Notes the sources of the mapping's current function. Returns the index of the
 * first source, or SIZE_MAX. A file that a source includes is treated as a part
 * of the source. `object` is NULL if the mapping is an ELF's. */
static size_t note_function_sources(struct expected_sources *expected,
                                    struct mapping *mapping,
                                    struct planned_source *object,
                                    const char **error) {
  size_t first = SIZE_MAX;
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    char *name = NULL;
    if ((*error = mapping_make_file_name(mapping, i, &name)) != NULL)
      return SIZE_MAX;
    size_t number = expected_find_or_add_source(expected, name);
    first = i ? first : number;
    if (!object)
      expected_find_or_add(expected, mapping->name, number, KNOWN_IN_SOURCE);
    else if (!i && number == object->source && !object->compiled)
      object->compiled = need_copy(&expected->texts, name);
    free(name);
    *(object ? &expected->sources[number].given
             : &expected->sources[number].mapped) = true;
  }
  return first;
}

/* Reads the mapping of an ELF, or of the object of a planned source, up to an
 * error. The evaluation of an ELF reports its error. */
static void note_mapped_functions(struct expected_sources *expected,
                                  const struct elf *elf,
                                  struct planned_source *object) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    size_t source = note_function_sources(expected, &mapping, object, &error);
    if (source != SIZE_MAX && object) {
      note_object_function(expected, &mapping, source, object);
    } else if (source != SIZE_MAX) {
      expected_find_or_add(expected, mapping.name, mapping.hash, KNOWN_BY_HASH);
      *expected_find_or_add(expected, mapping.name, 0, KNOWN_FUNCTION) =
          source + 1;
    }
  }
  mapping_close(&mapping);
  need_memory(error == out_of_memory ? NULL : expected);
}

static void read_elf(struct expected_sources *expected, const struct elf *elf) {
  note_mapped_functions(expected, elf, NULL);
  read_debug_information(expected, elf);
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (*symbol.name && elf_section_has_code(elf, symbol.section))
      expected_find_or_add(expected, hash_text(symbol.name), 0, KNOWN_SYMBOL);
  }
}

/* ---- objects ---- */

/* Opens an object that exists. A plan may be from another machine, so names of
 * objects are mapped like the names of sources. */
static void open_object(struct expected_sources *expected,
                        struct planned_source *one) {
  const struct source_maps *paths = &expected->coverage->settings->paths;
  struct os_file_info facts;
  const char *here =
      need_copy(&expected->texts, paths_shown_name(paths, one->object));
  if (!os_stat(here, &facts) || facts.kind != OS_FILE || !os_can_read(here) ||
      file_map(&one->opened, here, OBJECT_MOST))
    return;
  struct bytes bytes = one->opened.bytes;
  one->bitcode = bytes.size >= 4 && (!memcmp(bytes.data, "BC\xC0\xDE", 4) ||
                                     load32(bytes.data, false) == 0x0B17C0DE);
  one->is_elf = !elf_open(&one->elf, bytes) && one->elf.type == ELF_REL;
}

/* Returns whether an object of a map may have been compiled from a source. If
 * the object's symbols name main.c, the source must be main.c. Without such a
 * symbol, main.c matches main.c.o and main.o. */
static bool may_be_source_of_object(const char *source, const char *object,
                                    const char *symbol) {
  const char *base = os_base_name(source), *other = os_base_name(object);
  const char *dot = strrchr(base, '.');
  size_t size = strlen(base), stem = dot ? (size_t)(dot - base) : size;
  if (symbol)
    return strcmp(base, os_base_name(symbol)) == 0;
  return planned_source_kind(source) != PLANNED_HEADER &&
         ((!strncmp(other, base, size) && other[size] == '.') ||
          (!strncmp(other, base, stem) && other[stem] == '.'));
}

/* Finds the source of an object in a map. If several sources match, uses the
 * source that has the most folders in common with the object. If no source
 * matches, the object stands for the source, but a member of an archive is only
 * counted. */
static void set_source_of_object(struct expected_sources *expected,
                                 struct planned_source *one) {
  enum { SYMBOL_FILE = 4 };
  const char *symbol = NULL;
  unsigned most = 0;
  for (uint64_t i = 0; i < one->elf.symbol_count && !symbol; i++)
    if (elf_symbol(&one->elf, i).type == SYMBOL_FILE)
      symbol = elf_symbol(&one->elf, i).name;
  for (size_t i = 0; i < expected->source_count; i++) {
    const char *key = expected->sources[i].key;
    unsigned alike = source_name_count_shared_parts(key, one->object) + 1;
    if (alike > most && may_be_source_of_object(key, one->object, symbol)) {
      one->source = i;
      most = alike;
    }
  }
  one->unnamed = !most;
  one->kind = most     ? planned_source_kind(expected->sources[one->source].key)
              : symbol ? PLANNED_CODE
                       : PLANNED_ASSEMBLY;
  if (!most && !one->member)
    one->source = expected_find_or_add_source(expected, one->object);
  expected->members += one->source == SIZE_MAX;
}

/* Compares the functions of an object with the ELFs. Only global functions
 * count, because many sources may have a static function with the same name. */
static void note_object(struct expected_sources *expected,
                        struct planned_source *one) {
  const struct elf *elf = &one->elf;
  for (uint32_t i = 0; i < elf->section_count; i++)
    one->code |= elf_section_has_code(elf, i) && elf_section(elf, i).size;
  note_mapped_functions(expected, elf, one);
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t name = hash_text(symbol.name);
    if (!symbol.binding || symbol.binding == ELF_WEAK ||
        !elf_section_has_code(elf, symbol.section) ||
        !map_find(&expected->known, name, 0, KNOWN_SYMBOL))
      continue;
    const uint64_t *of = map_find(&expected->known, name, 0, KNOWN_FUNCTION);
    *(of && *of - 1 != one->source ? &one->contrary : &one->linked) = true;
  }
}

/* Returns a number for the program of an object, or 0. CMake puts the objects
 * of each program into a folder of their own. */
static uint64_t hash_program(const struct planned_source *one) {
  const char *at = one->object ? strstr(one->object, "CMakeFiles/") : NULL;
  const char *end = at ? strstr(at, ".dir/") : NULL;
  return end ? md5_low64(one->object, (size_t)(end - one->object)) : 0;
}

/* Reads the object of an entry of the plan. The object stays open if the model
 * may need functions from it. */
static void read_planned_source(struct expected_sources *expected,
                                struct planned_source *one) {
  if (one->object)
    open_object(expected, one);
  if (one->unnamed)
    set_source_of_object(expected, one);
  if (one->source != SIZE_MAX) {
    expected->sources[one->source].given = true;
    if (one->is_elf)
      note_object(expected, one);
    if (one->linked && hash_program(one)) {
      expected_find_or_add(expected, hash_program(one), 0, KNOWN_PROGRAM);
      expected_find_or_add(expected, 0, 0, KNOWN_PROGRAM);
    }
  }
  if (!one->lacking && !one->lost)
    file_close(&one->opened);
}

/* ---- states ---- */

/* Returns whether an object belongs to another program: either the ELFs lack
 * all objects of its program, or an ELF has the object's functions from another
 * source. */
static bool is_of_other_program(const struct expected_sources *expected,
                                const struct planned_source *one) {
  const struct map *known = &expected->known;
  return one->contrary ||
         (hash_program(one) && map_find(known, 0, 0, KNOWN_PROGRAM) &&
          !map_find(known, hash_program(one), 0, KNOWN_PROGRAM));
}

/* Returns how much an entry of the plan says about its source. A linked object
 * says most, then an object whose functions are all in ELFs. */
static unsigned rate_evidence(const struct expected_sources *expected,
                              const struct planned_source *one) {
  return (one->linked ? 16 : 0) + (one->own && !one->lacking ? 8 : 0) +
         (one->is_elf ? 4 : one->bitcode) +
         (is_of_other_program(expected, one) ? 0 : 2);
}

/* Decides what became of a source. The evidence, the strongest first: a mapping
 * in an ELF, code in an ELF, the source's object, the text of the source. */
static enum expected_state
decide_source_state(struct expected_sources *expected,
                    struct expected_source *source) {
  const struct planned_source *one = source->best;
  bool coded = source->lines.size;
  if (!one)
    return EXPECTED_UNPLANNED;
  if (one->kind == PLANNED_HEADER)
    return EXPECTED_HEADER;
  if (source->mapped || one->lost)
    return (one->linked || one->lost) && one->lacking ? EXPECTED_PART
                                                      : EXPECTED_MEASURED;
  if (one->shared && !one->own)
    return EXPECTED_MEASURED; /* The included files are measured. */
  if (coded && expected->coverage->inputs->object_code)
    return EXPECTED_MEASURED;
  if (coded || (one->is_elf && one->linked && (one->code || one->own)))
    return one->kind == PLANNED_ASSEMBLY ? EXPECTED_ASSEMBLY : EXPECTED_PLAIN;
  if (one->is_elf)
    return !one->code && !one->own              ? EXPECTED_DATA
           : is_of_other_program(expected, one) ? EXPECTED_OTHER
                                                : EXPECTED_UNLINKED;
  if (source->dropped)
    return EXPECTED_UNLINKED;
  if (source->unit)
    return EXPECTED_DATA;
  if (one->bitcode)
    return EXPECTED_BITCODE;
  if (!os_exists(source->key))
    return EXPECTED_MISSING;
  if (!one->unnamed)
    code_lines_read_text(expected, source);
  return source->labelled                     ? EXPECTED_ASSEMBLY
         : source->lines.size || one->unnamed ? EXPECTED_UNCOMPILED
                                              : EXPECTED_DATA;
}

/* ---- added functions ---- */

void expected_make_profile(const struct expected_sources *expected,
                           const struct profile *const *profiles, size_t count,
                           struct profile *counts) {
  const struct map_entry *lost = NULL;
  bool other;
  profile_init(counts, OBJECT_MOST);
  while ((lost = map_next_entry(&expected->lost, lost)) != NULL)
    for (size_t i = 0; i < count; i++) {
      const uint64_t function = lost->key[0], hash = lost->key[1];
      struct function_counts counted = {.counters = NULL};
      if (profiles[i])
        counted = sums_find_counts(profiles[i], function, hash, &other);
      if (counted.counters)
        sums_add_counts(counts, profiles[i], function, hash, &counted);
    }
}

/* Adds the functions of lines. Each function has the lines up to the next
 * function, and the first function also has the lines before it. If no
 * functions are known, all lines are one function with the name of the file. */
static void add_functions_of_lines(struct expected_sources *expected,
                                   const struct expected_source *source,
                                   const struct code_line *list, size_t count) {
  const char *file = os_base_name(source->name);
  struct absent_function *one = NULL;
  uint32_t *to =
      need_memory(arena_allocate(&expected->texts, (count + 1) * sizeof *to));
  uint64_t before = 0;
  for (size_t i = 0; i < count; before = list[i++].line) {
    bool is_new = list[i].line != before;
    if (!one || (list[i].function && is_new && one->name != file)) {
      one = need_memory(arena_allocate(&expected->texts, sizeof *one));
      *one = (struct absent_function){file, source->name, to, 0};
      LIST_ADD(expected->added, expected->added_count,
               (struct evaluation_input){.absent = one});
    }
    if (list[i].function && one->name == file)
      one->name = list[i].function;
    if (is_new)
      to[0] = (uint32_t)list[i].line, one->count++, to++;
  }
}

/* Adds the functions or lines of an unmeasured source to the model. Lines come
 * from the line tables of the ELFs, or else from the text of the source. */
static const char *add_unmeasured_code(struct expected_sources *expected,
                                       struct expected_source *source) {
#define EXPECTED_COUNTS(name, text, counts) counts,
  static const bool counts[] = {EXPECTED_STATE_LIST(EXPECTED_COUNTS)};
  struct planned_source *one = source->best;
  /* A model of object code cannot contain such a source. If the source of an
   * object in a map is not known, no lines are added. */
  if (!one || expected->coverage->inputs->object_code || one->unnamed ||
      !(counts[source->state] || one->lost))
    return NULL;
  if (one->lacking || one->lost) {
    source->counting = COUNTED_BY_MAPPING;
    LIST_ADD(expected->added, expected->added_count,
             (struct evaluation_input){.elf = &one->elf,
                                       .names = &one->names,
                                       .only = &expected->known,
                                       .number = one->source});
    return evaluation_read_function_names(&one->elf, &one->names);
  }
  if (!source->lines.size && !source->by_text)
    code_lines_read_text(expected, source);
  struct code_line *list = (void *)source->lines.data;
  size_t count = source->lines.size / sizeof *list;
  if (count)
    source->counting = source->by_text ? COUNTED_BY_TEXT : COUNTED_BY_LINES;
  sort_array(list, count, sizeof *list, compare_lines);
  add_functions_of_lines(expected, source, list, count);
  return NULL;
}

/* ---- all sources ---- */

static int compare_sources(const void *left, const void *right) {
  const struct expected_source *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

/* Lists the sources in the plan, and the sources that are in an ELF but not in
 * the plan. */
static void list_expected_sources(struct expected_sources *expected) {
  const struct report_settings *settings = expected->coverage->settings;
  size_t count = expected->source_count;
  expected->list = need_memory(calloc(count + 1, sizeof *expected->list));
  for (size_t i = 0; i < count; i++) {
    struct expected_source *one = &expected->sources[i];
    bool unplanned = !one->given && (one->mapped || one->lines.size) &&
                     planned_source_kind(one->name) != PLANNED_HEADER;
    if ((one->best || unplanned) &&
        filter_keeps(&settings->filter, &settings->paths, one->name))
      expected->list[expected->count++] = one;
  }
  sort_array(expected->list, expected->count, sizeof *expected->list,
             compare_sources);
}

int expected_read_elfs_and_plan(struct expected_sources *expected,
                                const struct coverage *coverage) {
  expected->coverage = coverage;
  expected->known.limit = expected->lost.limit = NUMBERS_MOST;
  expected->texts.limit = TEXTS_MOST;
  for (size_t i = 0; i < coverage->inputs->count; i++)
    read_elf(expected, &coverage->inputs->subjects[i].elf);
  for (size_t i = 0; i < expected->what_count; i++)
    if (plan_read(expected, expected->what[i]))
      return 1;
  return expected->failed;
}

int expected_set_states_add_code(struct expected_sources *expected) {
  const char *error = NULL;
  for (size_t i = 0; i < expected->plan_count; i++)
    read_planned_source(expected, &expected->plan[i]);
  for (size_t i = 0; i < expected->plan_count; i++) {
    struct planned_source *one = &expected->plan[i];
    if (one->source == SIZE_MAX)
      continue;
    struct expected_source *source = &expected->sources[one->source];
    if (source->best &&
        rate_evidence(expected, one) <= rate_evidence(expected, source->best))
      continue;
    source->best = one;
    /* The rows of the model have the names of the mapping. */
    if (one->compiled && !source->mapped)
      source->name = one->compiled;
  }
  variants_list(expected);
  list_expected_sources(expected);
  for (size_t i = 0; i < expected->count && !error; i++) {
    struct expected_source *source = expected->list[i];
    source->state = decide_source_state(expected, source);
    error = add_unmeasured_code(expected, source);
    if (error)
      expected->failed = report(source->best->object, "%s", error);
    char *name = paths_copy_tidied(source->name);
    if (source->counting)
      exclusions_add_source(expected->coverage->exclusions, name, source->key);
    free(name);
  }
  return expected->failed;
}

void expected_free(struct expected_sources *expected) {
  for (size_t i = 0; i < expected->plan_count; i++) {
    names_free(&expected->plan[i].names);
    file_close(&expected->plan[i].opened);
  }
  for (size_t i = 0; i < expected->source_count; i++)
    buffer_free(&expected->sources[i].lines);
  map_free(&expected->known);
  map_free(&expected->lost);
  free(expected->added);
  free(expected->plan);
  free(expected->sources);
  free(expected->list);
  free(expected->variants);
  arena_free(&expected->texts);
}

void expected_mark_added_rows(const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  struct expected_sources *expected = coverage->expected;
  size_t kept = 0;
  for (size_t i = 0; i < expected->count; i++) {
    struct expected_source *one = expected->list[i];
    size_t at = search_text(summary->rows, summary->count, name, one->name);
    bool found = one->counting && at < summary->count &&
                 !strcmp(summary->rows[at].name, one->name);
    if (found && one->state > EXPECTED_PART)
      summary->rows[at].added = true;
    if (!found || !row_is_empty(&summary->rows[at]))
      expected->list[kept++] = one;
  }
  expected->count = kept;
}
