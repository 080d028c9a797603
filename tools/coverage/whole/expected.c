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

/* The kinds of keys in expected->known. A key has the MD5 of a name. */
enum known_key_kind {
  KNOWN_IN_SOURCE, /* a function, and the index of a source with its code */
  KNOWN_BY_HASH,   /* a function, and its hash */
  KNOWN_FUNCTION,  /* a function; the value is its source's index + 1 */
  KNOWN_SYMBOL,    /* a symbol with code */
  KNOWN_PROGRAM    /* a program of the plan with an object that is linked; 0
                      stands for any */
};

static uint64_t *find_or_add_known_key(struct expected_sources *expected,
                                       uint64_t name, uint64_t more,
                                       enum known_key_kind kind) {
  return need_memory(map_find_or_add(&expected->known, name, more, kind));
}

size_t expected_find_or_add_source(struct expected_sources *expected,
                                   const char *name) {
  char *here = paths_local_name(&expected->coverage->settings->paths, name);
  char *key = paths_make_absolute(here);
  bool is_new = false;
  size_t number = map_find_or_assign_number(
      &expected->numbers, (uint64_t[3]){hash_text(key), strlen(key), 0},
      &is_new);
  need_memory(number ? expected : NULL);
  if (is_new)
    LIST_ADD(
        expected->sources, expected->source_count,
        (struct expected_source){.key = need_copy(&expected->texts, key),
                                 .name = need_copy(&expected->texts, name)});
  free(here);
  free(key);
  return number - 1;
}

/* ---- ELFs ---- */

ORDER_BY(compare_lines, struct code_line, x->source, x->line,
         x->function != NULL);

/* `number` is the index of the line's source + 1. */
static void append_code_line(struct expected_sources *expected, size_t number,
                             uint64_t line, const char *function) {
  const struct code_line one = {number - 1, line, function};
  need_append(&expected->lines, &one, sizeof one);
}

/* Lists the rows of a line table, and the lines on which functions begin. */
static void list_elf_lines(struct expected_sources *expected,
                           struct dwarf_lines *lines, const struct elf *elf) {
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  /* For each file of the table: index of its source + 1. */
  size_t *numbers = need_memory(calloc(count + 1, sizeof *numbers));
  for (size_t i = 0; i < lines->row_count; i++) {
    const struct dwarf_row *row = &lines->rows[i];
    if (!row->file || !row->line || row->flags & DWARF_END)
      continue;
    size_t *number = &numbers[row->file];
    if (!*number)
      *number = expected_find_or_add_source(
                    expected, dwarf_lines_path(lines, row->file)) +
                1;
    expected->sources[*number - 1].coded = true;
    append_code_line(expected, *number, row->line, NULL);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t thumb = elf->machine == ELF_ARM;
    const struct dwarf_row *row =
        symbol.type == ELF_FUNCTION && symbol.section
            ? dwarf_lines_find_row(lines, symbol.value & ~thumb)
            : NULL;
    if (row && row->line && numbers[row->file])
      append_code_line(expected, numbers[row->file], row->line, symbol.name);
  }
  free(numbers);
}

/* Marks the sources of compilation units, and lists the lines with code. An ELF
 * without debug information has no lines, which is not an error. */
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

static const struct record_counts *
find_record_counts(const struct profile *profile, uint64_t name,
                   uint64_t hash) {
  const struct function_entry *function = profile_find_function(profile, name);
  const struct record_counts *one = function ? function->counts : NULL;
  while (one && profile_comparable_hash(profile, one->hash) !=
                    profile_comparable_hash(profile, hash))
    one = one->next;
  return one;
}

/* Returns whether an ELF has counts, but no ELF has a mapping, of the mapping's
 * current function. If two objects define a function, the linker may keep the
 * counters of one object and the mapping of the other. */
static bool is_unmapped_function(const struct expected_sources *expected,
                                 const struct mapping *mapping) {
  const struct inputs *inputs = expected->coverage->inputs;
  bool counted = false;
  for (size_t i = 0; i < inputs->count; i++)
    counted |= find_record_counts(&inputs->subjects[i].profile, mapping->name,
                                  mapping->hash) != NULL;
  return counted && !map_find(&expected->known, mapping->name, mapping->hash,
                              KNOWN_BY_HASH);
}

/* ---- functions of ELFs and objects ---- */

/* Compares a function of an object with the ELFs. */
static void note_object_function(struct expected_sources *expected,
                                 const struct mapping *mapping, size_t source,
                                 struct planned_source *one) {
  struct added_functions *added = &expected->added;
  struct object_evidence *object = &one->seen;
  bool own = source == one->source;
  bool has = map_find(&expected->known, mapping->name, source, KNOWN_IN_SOURCE);
  object->shared |= has && mapping->hash;
  object->linked |= has && mapping->hash && own;
  object->own += own;
  if (!own || has)
    return;
  bool lost = is_unmapped_function(expected, mapping);
  *(lost ? &object->lost : &object->lacking) += 1;
  need_memory(map_find_or_add(&added->only, mapping->name, one->source, 0));
  if (lost)
    need_memory(map_find_or_add(&added->lost, mapping->name, mapping->hash, 0));
}

/* Reads the mapping of an ELF, or of the object of a planned source. */
static const char *note_mapped_functions(struct expected_sources *expected,
                                         const struct elf *elf,
                                         struct planned_source *one) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    size_t first = SIZE_MAX;
    for (uint32_t i = 0; i < mapping.file_count && !error; i++) {
      char *name = NULL;
      error = mapping_file_name(&mapping, i, &name);
      if (error)
        break;
      size_t number = expected_find_or_add_source(expected, name);
      free(name);
      first = i ? first : number;
      /* A file that a source includes is treated as a part of the source. */
      *(one ? &expected->sources[number].given
            : &expected->sources[number].mapped) = true;
      if (!one)
        find_or_add_known_key(expected, mapping.name, number, KNOWN_IN_SOURCE);
    }
    if (error || first == SIZE_MAX)
      continue;
    if (one) {
      note_object_function(expected, &mapping, first, one);
      continue;
    }
    find_or_add_known_key(expected, mapping.name, mapping.hash, KNOWN_BY_HASH);
    *find_or_add_known_key(expected, mapping.name, 0, KNOWN_FUNCTION) =
        first + 1;
  }
  mapping_close(&mapping);
  return error;
}

static const char *read_elfs(struct expected_sources *expected) {
  const struct inputs *inputs = expected->coverage->inputs;
  const char *error = NULL;
  for (size_t i = 0; i < inputs->count && !error; i++) {
    const struct elf *elf = &inputs->subjects[i].elf;
    error = note_mapped_functions(expected, elf, NULL);
    read_debug_information(expected, elf);
    for (uint64_t k = 0; k < elf->symbol_count; k++) {
      struct elf_symbol symbol = elf_symbol(elf, k);
      if (*symbol.name && elf_section_has_code(elf, symbol.section))
        find_or_add_known_key(expected, hash_text(symbol.name), 0,
                              KNOWN_SYMBOL);
    }
  }
  sort_array(expected->lines.data,
             expected->lines.size / sizeof(struct code_line),
             sizeof(struct code_line), compare_lines);
  return error;
}

/* ---- objects ---- */

/* Only global functions count, because many sources may have a static function
 * with the same name. */
static void note_symbol_evidence(struct expected_sources *expected,
                                 struct planned_source *one) {
  enum { SYMBOL_FILE = 4 };
  struct object_evidence *object = &one->seen;
  for (uint64_t i = 0; i < object->elf.symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(&object->elf, i);
    uint64_t name = hash_text(symbol.name);
    if (symbol.type == SYMBOL_FILE && !object->file)
      object->file = need_copy(&expected->texts, symbol.name);
    if (!symbol.binding || symbol.binding == ELF_WEAK ||
        !elf_section_has_code(&object->elf, symbol.section) ||
        !map_find(&expected->known, name, 0, KNOWN_SYMBOL))
      continue;
    const uint64_t *of = map_find(&expected->known, name, 0, KNOWN_FUNCTION);
    *(of && *of - 1 != one->source ? &object->contrary : &object->linked) =
        true;
  }
}

static void close_object(struct object_evidence *object) {
  names_free(&object->names);
  file_close(&object->opened);
  object->opened = (struct file){.mapped = false};
}

/* Reads the object of a source. The object stays open if the model may need
 * functions from it. */
static void read_object_evidence(struct expected_sources *expected,
                                 struct planned_source *one) {
  struct object_evidence *object = &one->seen;
  struct os_file_info facts;
  if (!one->object || !os_stat(one->object, &facts) || facts.kind != OS_FILE ||
      !os_can_read(one->object) ||
      file_map(&object->opened, one->object, OBJECT_MOST))
    return;
  struct bytes bytes = object->opened.bytes;
  if (bytes.size >= 4 && (!memcmp(bytes.data, "BC\xC0\xDE", 4) ||
                          load32(bytes.data, false) == 0x0B17C0DE)) {
    object->kind = OBJECT_BITCODE;
  } else if (!elf_open(&object->elf, bytes) && object->elf.type == ELF_REL) {
    object->kind = OBJECT_ELF;
    for (uint32_t i = 0; i < object->elf.section_count; i++)
      object->code |= elf_section_has_code(&object->elf, i) &&
                      elf_section(&object->elf, i).size;
    const char *error = note_mapped_functions(expected, &object->elf, one);
    need_memory(error == out_of_memory ? NULL : expected);
    note_symbol_evidence(expected, one);
  }
  if (!object->lacking && !object->lost)
    close_object(object);
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
 * source that has the most folders in common with the object. */
static void set_source_of_object(struct expected_sources *expected,
                                 struct planned_source *one) {
  const char *best = NULL;
  unsigned most = 0;
  one->source = SIZE_MAX;
  read_object_evidence(expected, one);
  const char *symbol = one->seen.file;
  for (size_t i = 0; i < expected->source_count; i++) {
    const char *key = expected->sources[i].key;
    unsigned alike = source_name_count_shared_parts(key, one->object) + 1;
    if (alike > most && may_be_source_of_object(key, one->object, symbol)) {
      best = key;
      most = alike;
    }
  }
  if (best)
    one->name = best;
  one->unnamed = !best;
  one->kind = best     ? planned_source_kind(best)
              : symbol ? PLANNED_CODE
                       : PLANNED_ASSEMBLY;
  one->seen = (struct object_evidence){.kind = OBJECT_NONE};
}

/* Reads the objects of all commands. The commands may be from another machine,
 * so the names of objects are mapped like the names of sources. Members of
 * archives whose source is not found are only counted. */
static void read_objects_evidence(struct expected_sources *expected) {
  const struct source_maps *paths = &expected->coverage->settings->paths;
  for (size_t i = 0; i < expected->planned.count; i++) {
    struct planned_source *one = &expected->planned.list[i];
    if (one->unnamed)
      set_source_of_object(expected, one);
    expected->members += one->member && one->unnamed;
    if (one->member && one->unnamed)
      continue;
    if (paths->count && one->object) {
      char *name = paths_local_name(paths, one->object);
      one->object = need_copy(&expected->texts, name);
      free(name);
    }
    one->source = expected_find_or_add_source(expected, one->name);
    expected->sources[one->source].given = true;
    read_object_evidence(expected, one);
    one->seen.linked |= one->placed;
    if (one->program && one->seen.linked) {
      find_or_add_known_key(expected, hash_text(one->program), 0,
                            KNOWN_PROGRAM);
      find_or_add_known_key(expected, 0, 0, KNOWN_PROGRAM);
    }
  }
}

/* ---- states ---- */

/* Returns whether an object belongs to another program: either the ELFs lack
 * all objects of its program, or an ELF has the object's functions from another
 * source. */
static bool is_of_other_program(const struct expected_sources *expected,
                                const struct planned_source *one) {
  const struct map *known = &expected->known;
  return one->seen.contrary ||
         (one->program && map_find(known, 0, 0, KNOWN_PROGRAM) &&
          !map_find(known, hash_text(one->program), 0, KNOWN_PROGRAM));
}

/* Returns how much an entry of the plan says about its source. A linked object
 * says most, then an object whose functions are all in ELFs. */
static unsigned rate_evidence(const struct expected_sources *expected,
                              const struct planned_source *one) {
  const struct object_evidence *object = &one->seen;
  return (object->linked ? 16 : 0) + (object->own && !object->lacking ? 8 : 0) +
         (object->kind == OBJECT_ELF ? 4 : object->kind == OBJECT_BITCODE) +
         (is_of_other_program(expected, one) ? 0 : 2);
}

static enum expected_state
decide_source_state(const struct expected_sources *expected,
                    const struct expected_source *source) {
  const struct planned_source *one = source->best;
  const struct object_evidence *object = &one->seen;
  bool assembly = one->kind == PLANNED_ASSEMBLY;
  if (one->kind == PLANNED_HEADER)
    return EXPECTED_HEADER;
  if (source->mapped || object->lost)
    return (object->linked || object->lost) && object->lacking
               ? EXPECTED_PART
               : EXPECTED_MEASURED;
  if (object->shared && !object->own)
    return EXPECTED_MEASURED; /* The included files are measured. */
  if (source->coded && expected->coverage->inputs->object_code)
    return EXPECTED_MEASURED;
  bool linked =
      source->coded || (object->kind == OBJECT_ELF && object->linked &&
                        (object->code || object->own));
  if (linked)
    return assembly ? EXPECTED_ASSEMBLY : EXPECTED_PLAIN;
  if (object->kind == OBJECT_ELF)
    return !object->code && !object->own        ? EXPECTED_DATA
           : is_of_other_program(expected, one) ? EXPECTED_OTHER
                                                : EXPECTED_UNLINKED;
  if (source->unit)
    return EXPECTED_DATA;
  if (object->kind == OBJECT_BITCODE)
    return EXPECTED_BITCODE;
  if (!os_exists(source->key))
    return EXPECTED_MISSING;
  return assembly && code_lines_have_known_label(source->key, &expected->known,
                                                 KNOWN_SYMBOL)
             ? EXPECTED_ASSEMBLY
             : EXPECTED_UNCOMPILED;
}

/* ---- added functions ---- */

/* Adds the functions of an object that are in its source and in no ELF's
 * mapping. */
static const char *add_object_functions(struct expected_sources *expected,
                                        struct planned_source *one) {
  struct added_functions *added = &expected->added;
  struct object_evidence *object = &one->seen;
  LIST_ADD(added->list, added->count,
           (struct evaluation_input){.elf = &object->elf,
                                     .names = &object->names,
                                     .only = &added->only,
                                     .number = one->source});
  return evaluation_read_function_names(&object->elf, &object->names);
}

void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts) {
  const struct map_entry *lost = NULL;
  profile_init(counts, OBJECT_MOST);
  while ((lost = map_next_entry(&added->lost, lost)) != NULL)
    for (size_t i = 0; i < count; i++) {
      const uint64_t function = lost->key[0], hash = lost->key[1];
      const struct record_counts *one =
          profiles[i] ? find_record_counts(profiles[i], function, hash) : NULL;
      if (!one)
        continue;
      const char *name = profile_find_function(profiles[i], function)->name;
      const struct counts_addition addition = {
          .name = name,
          .name_size = strlen(name),
          .hash = hash,
          .counters = one->counters,
          .bitmap = one->more->bitmap,
          .counter_count = one->counter_count,
          .bitmap_size = one->more->bitmap_size,
          .weight = 1};
      if (profile_add_counts(counts, &addition, NULL) == REFUSED_MEMORY)
        need_memory(NULL);
    }
}

/* Adds functions. Each function has the lines up to the next function, and the
 * first function also has the lines before it. If no functions are known, all
 * lines are one function with the name of the file. */
static void add_functions_of_lines(struct expected_sources *expected,
                                   const char *name,
                                   const struct code_line *list, size_t count) {
  struct added_functions *added = &expected->added;
  for (size_t i = 0; i < count;) {
    struct absent_function *one =
        need_memory(arena_allocate(&expected->texts, sizeof *one));
    uint32_t *lines = need_memory(
        arena_allocate(&expected->texts, (count - i) * sizeof *lines));
    bool named = false;
    *one = (struct absent_function){os_base_name(name), name, lines, 0};
    for (; i < count && !(named && list[i].function &&
                          list[i].line != lines[one->count - 1]);
         i++) {
      if (list[i].function && !named)
        one->name = list[i].function;
      named |= list[i].function != NULL;
      if (!one->count || lines[one->count - 1] != list[i].line)
        lines[one->count++] = (uint32_t)list[i].line;
    }
    LIST_ADD(added->list, added->count,
             (struct evaluation_input){.absent = one});
  }
}

/* Adds the lines of a source without a mapping. The lines come from the line
 * tables of the ELFs, or else from the text of the source. */
static const char *add_unmapped_lines(struct expected_sources *expected,
                                      size_t number) {
  struct expected_source *source = &expected->sources[number];
  const struct code_line *list = (const void *)expected->lines.data;
  size_t all = expected->lines.size / sizeof *list;
  size_t first = search_from(list, all, source, number);
  size_t count = search_after(list, all, source, number) - first;
  struct buffer text = {.limit = TEXTS_MOST};
  const char *error = NULL;
  list = list ? list + first : NULL;
  source->counting = COUNTED_BY_LINES;
  if (!count) {
    error = code_lines_append_source(expected, number, false, &text);
    list = (const void *)text.data;
    count = text.size / sizeof *list;
    source->counting = count ? COUNTED_BY_TEXT : COUNTED_NOT;
  }
  if (!error)
    add_functions_of_lines(expected, source->name, list, count);
  buffer_free(&text);
  return error;
}

/* ---- all sources ---- */

/* Adds the functions or lines of an unmeasured source to the model. */
static const char *add_unmeasured_code(struct expected_sources *expected,
                                       struct expected_source *source) {
  const unsigned missed = 1u << EXPECTED_PART | 1u << EXPECTED_PLAIN |
                          1u << EXPECTED_ASSEMBLY | 1u << EXPECTED_UNLINKED |
                          1u << EXPECTED_BITCODE | 1u << EXPECTED_UNCOMPILED |
                          1u << EXPECTED_MISSING;
  struct planned_source *one = source->best;
  const char *error = NULL;
  /* A model of object code cannot contain such a source. If the source of an
   * object in a map is not known, no lines are added. */
  if (expected->coverage->inputs->object_code ||
      (!(missed >> source->state & 1) && !one->seen.lost) || one->unnamed)
    return NULL;
  if (one->seen.lacking || one->seen.lost) {
    source->counting = COUNTED_BY_MAPPING;
    error = add_object_functions(expected, one);
  } else if (source->state > EXPECTED_PART) {
    error = add_unmapped_lines(expected, one->source);
  }
  /* A source without code does not need a command. */
  if (!error && source->state == EXPECTED_UNCOMPILED && !source->counting)
    source->state = EXPECTED_DATA;
  return error;
}

/* Sets the best entry of the plan for each source. The objects of all entries
 * have been read. */
static void choose_best_plan_entries(struct expected_sources *expected) {
  for (size_t i = 0; i < expected->planned.count; i++) {
    struct planned_source *one = &expected->planned.list[i];
    if (one->source == SIZE_MAX)
      continue;
    struct planned_source **best = &expected->sources[one->source].best;
    if (!*best || rate_evidence(expected, one) > rate_evidence(expected, *best))
      *best = one;
  }
}

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
    bool unplanned = !one->given && (one->mapped || one->coded) &&
                     planned_source_kind(one->name) != PLANNED_HEADER;
    if ((one->best || unplanned) &&
        filter_keeps(&settings->filter, &settings->paths, one->name))
      expected->list[expected->count++] = one;
  }
  sort_array(expected->list, expected->count, sizeof *expected->list,
             compare_sources);
}

int expected_read_plan_and_elfs(struct expected_sources *expected,
                                const struct coverage *coverage) {
  expected->coverage = coverage;
  expected->numbers.limit = expected->known.limit = NUMBERS_MOST;
  expected->added.only.limit = expected->added.lost.limit = NUMBERS_MOST;
  expected->lines.limit = expected->variants.limit = SIZE_MAX;
  expected->texts.limit = TEXTS_MOST;
  for (size_t i = 0; i < expected->what_count; i++)
    if (planned_read(&expected->planned, expected->what[i]))
      return 1;
  const char *error = read_elfs(expected);
  return error ? report(expected->what[0], "%s", error) : 0;
}

int expected_set_states_add_code(struct expected_sources *expected) {
  read_objects_evidence(expected);
  choose_best_plan_entries(expected);
  const char *error = variants_list(expected);
  list_expected_sources(expected);
  for (size_t i = 0; i < expected->count && !error; i++) {
    struct expected_source *one = expected->list[i];
    one->state = EXPECTED_UNPLANNED;
    if (!one->best)
      continue;
    one->state = decide_source_state(expected, one);
    error = add_unmeasured_code(expected, one);
  }
  return error ? report(expected->what[0], "%s", error) : 0;
}

void expected_free(struct expected_sources *expected) {
  struct added_functions *added = &expected->added;
  for (size_t i = 0; i < expected->planned.count; i++)
    close_object(&expected->planned.list[i].seen);
  map_free(&added->only);
  map_free(&added->lost);
  free(added->list);
  planned_free(&expected->planned);
  map_free(&expected->numbers);
  map_free(&expected->known);
  free(expected->sources);
  free(expected->list);
  buffer_free(&expected->lines);
  buffer_free(&expected->variants);
  arena_free(&expected->texts);
}

void expected_find_exclusions(const struct coverage *coverage) {
  const struct expected_sources *expected = coverage->expected;
  for (size_t i = 0; expected && i < expected->count; i++) {
    const struct expected_source *one = expected->list[i];
    char *name = paths_copy_tidied(one->name);
    if (one->counting)
      exclusions_add_source(coverage->exclusions, name, one->key);
    free(name);
  }
}

void expected_mark_added_rows(const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  for (size_t i = 0; i < coverage->expected->count; i++) {
    struct expected_source *one = coverage->expected->list[i];
    size_t at = search_text(summary->rows, summary->count, name, one->name);
    bool found = one->counting && at < summary->count &&
                 !strcmp(summary->rows[at].name, one->name);
    one->hidden = found && row_is_empty(&summary->rows[at]);
    if (found && one->state > EXPECTED_PART)
      summary->rows[at].added = true;
  }
}
