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
#include "../../object/digest.h"
#include "../../object/dwarf.h"
#include "../../object/mapping.h"

enum { NUMBERS_MOST = 1 << 24, TEXTS_MOST = 1 << 30, OBJECT_MOST = 1 << 30 };

/* An ELF with its line table. */
struct expected_elf {
  const struct elf *elf;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  uint32_t *numbers; /* for each file of `lines`: index of its source + 1 */
};

/* The kinds of keys in expected->known. A key has the MD5 of a name. */
enum known_key_kind {
  KNOWN_IN_SOURCE, /* a function, and the index of a source with its code */
  KNOWN_BY_HASH,   /* a function, and its hash */
  KNOWN_FUNCTION,  /* a function; the value is its source's index + 1 */
  KNOWN_SYMBOL,    /* a symbol with code */
  KNOWN_PROGRAM    /* a program of the plan with an object that is linked */
};

static uint64_t *find_or_add_known_key(struct expected_sources *expected,
                                       uint64_t name, uint64_t more,
                                       enum known_key_kind kind) {
  return need_memory(map_find_or_add(&expected->known, name, more, kind));
}

static uint64_t hash_text(const char *text) {
  return md5_low64(text, strlen(text));
}

/* Returns the index of a source. Adds the source if its name is new. */
static size_t find_or_add_source(struct expected_sources *expected,
                                 const char *name) {
  char *here = paths_local_name(&expected->coverage->settings->paths, name);
  char *key = paths_absolute(here);
  bool is_new = false;
  size_t number =
      map_number_key(&expected->numbers,
                     (uint64_t[3]){hash_text(key), strlen(key), 0}, &is_new);
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

/* Returns the index in `sources` of a file of the mapping's current function.
 * Returns SIZE_MAX if the mapping is damaged. */
static size_t find_or_add_mapped_file(struct expected_sources *expected,
                                      struct mapping *mapping, size_t file) {
  char *name = NULL;
  if (mapping_file_name(mapping, (uint32_t)file, &name))
    return SIZE_MAX;
  size_t number = find_or_add_source(expected, name);
  free(name);
  return number;
}

static const char *read_elf_functions(struct expected_sources *expected,
                                      const struct elf *elf) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    find_or_add_known_key(expected, mapping.name, mapping.hash, KNOWN_BY_HASH);
    for (size_t i = 0; i < mapping.file_count && !error; i++) {
      size_t number = find_or_add_mapped_file(expected, &mapping, i);
      if (number == SIZE_MAX) {
        error = mapping_damaged;
        break;
      }
      expected->sources[number].mapped = true;
      find_or_add_known_key(expected, mapping.name, number, KNOWN_IN_SOURCE);
      if (!i)
        *find_or_add_known_key(expected, mapping.name, 0, KNOWN_FUNCTION) =
            number + 1;
    }
  }
  mapping_close(&mapping);
  return error;
}

/* Marks the sources of compilation units, and the sources whose lines have
 * code. An ELF without debug information has no lines, which is not an error.
 */
static void read_elf_lines(struct expected_sources *expected,
                           struct expected_elf *from) {
  struct dwarf_lines *lines = &from->lines;
  const char *error = dwarf_open(&from->dwarf, from->elf);
  if (!error)
    error = dwarf_lines_read(lines, &from->dwarf);
  need_memory(error == out_of_memory ? NULL : expected);
  if (error)
    return;
  for (size_t i = 0; i < from->dwarf.unit_count; i++) {
    const char *name = dwarf_unit_source(&from->dwarf, i);
    char *all = paths_join(dwarf_unit_folder(&from->dwarf, i), name);
    if (*name) {
      size_t number = find_or_add_source(expected, all);
      expected->sources[number].unit = true;
    }
    free(all);
  }
  size_t count = lines->files.size / sizeof(struct dwarf_file);
  from->numbers = need_memory(calloc(count + 1, sizeof *from->numbers));
  for (size_t i = 0; i < lines->row_count; i++) {
    const struct dwarf_row *row = &lines->rows[i];
    if (!row->file || !row->line || row->flags & DWARF_END ||
        from->numbers[row->file])
      continue;
    size_t number =
        find_or_add_source(expected, dwarf_lines_path(lines, row->file));
    from->numbers[row->file] = (uint32_t)number + 1;
    expected->sources[number].coded = true;
  }
}

static const char *read_elfs(struct expected_sources *expected) {
  const struct inputs *inputs = expected->coverage->inputs;
  const char *error = NULL;
  expected->elfs =
      need_memory(calloc(inputs->count + 1, sizeof *expected->elfs));
  for (size_t i = 0; i < inputs->count && !error; i++) {
    const struct elf *elf = &inputs->subjects[i].elf;
    expected->elfs[i].elf = elf;
    error = read_elf_functions(expected, elf);
    read_elf_lines(expected, &expected->elfs[i]);
    for (uint64_t k = 0; k < elf->symbol_count; k++) {
      struct elf_symbol symbol = elf_symbol(elf, k);
      if (symbol.section && elf_section_has_code(elf, symbol.section) &&
          *symbol.name)
        find_or_add_known_key(expected, hash_text(symbol.name), 0,
                              KNOWN_SYMBOL);
    }
  }
  return error;
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

/* ---- objects ---- */

static void read_object_mapping(struct expected_sources *expected,
                                const struct elf *elf, size_t source,
                                struct object_evidence *object) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    size_t number = find_or_add_mapped_file(expected, &mapping, 0);
    bool has =
        map_find(&expected->known, mapping.name, number, KNOWN_IN_SOURCE);
    bool own = number == source;
    bool lost = own && !has && is_unmapped_function(expected, &mapping);
    object->shared |= has && mapping.hash;
    object->linked |= has && mapping.hash && own;
    object->own += own;
    object->lacking += own && !has && !lost;
    object->lost += lost;
    /* A file that the source includes is treated as a part of the source. */
    for (size_t i = 0; i < mapping.file_count && !error; i++) {
      number = find_or_add_mapped_file(expected, &mapping, i);
      if (number == SIZE_MAX)
        error = mapping_damaged;
      else
        expected->sources[number].given = true;
    }
  }
  mapping_close(&mapping);
  need_memory(error == out_of_memory ? NULL : expected);
}

/* Only global functions count, because many sources may have a static function
 * with the same name. */
static void read_object_symbols(struct expected_sources *expected,
                                const struct elf *elf, size_t source,
                                struct object_evidence *object) {
  enum { SYMBOL_FILE = 4, WEAK = 2 };
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t name = hash_text(symbol.name);
    if (symbol.type == SYMBOL_FILE && !object->file)
      object->file = need_copy(&expected->texts, symbol.name);
    if (!symbol.section || !symbol.binding || !*symbol.name ||
        !elf_section_has_code(elf, symbol.section) || symbol.binding == WEAK ||
        !map_find(&expected->known, name, 0, KNOWN_SYMBOL))
      continue;
    uint64_t *of = map_find(&expected->known, name, 0, KNOWN_FUNCTION);
    if (of && *of - 1 != source && source != SIZE_MAX)
      object->contrary = true;
    else
      object->linked = true;
  }
}

/* Reads an object. `source` is the index of the object's source; SIZE_MAX if it
 * is unknown. */
static struct object_evidence read_object(struct expected_sources *expected,
                                          const char *name, size_t source) {
  struct object_evidence object = {.kind = OBJECT_NONE};
  struct os_file_info facts;
  struct file file;
  struct elf elf;
  if (!name || !os_stat(name, &facts) || facts.kind != OS_FILE ||
      !os_can_read(name))
    return object;
  object.kind = OBJECT_OTHER;
  if (!facts.size || file_map(&file, name, OBJECT_MOST))
    return object;
  struct bytes bytes = file.bytes;
  if (bytes.size >= 4 && (!memcmp(bytes.data, "BC\xC0\xDE", 4) ||
                          load32(bytes.data, false) == 0x0B17C0DE)) {
    object.kind = OBJECT_BITCODE;
  } else if (!elf_open(&elf, bytes) && elf.type == ELF_REL) {
    object.kind = OBJECT_ELF;
    for (uint64_t i = 0; i < elf.section_count; i++) {
      struct elf_section section = elf_section(&elf, i);
      object.code |=
          section.size && section.flags & ELF_ALLOC && section.flags & ELF_CODE;
    }
    read_object_mapping(expected, &elf, source, &object);
    read_object_symbols(expected, &elf, source, &object);
  }
  file_close(&file);
  return object;
}

/* Reads the objects of all commands. The commands may be from another machine,
 * so the names of objects are mapped like the names of sources. */
static void read_objects(struct expected_sources *expected) {
  const struct source_maps *paths = &expected->coverage->settings->paths;
  for (size_t i = 0; i < expected->planned.count; i++) {
    struct planned_source *one = &expected->planned.list[i];
    if (paths->count && one->object) {
      char *name = paths_local_name(paths, one->object);
      one->object = need_copy(&expected->texts, name);
      free(name);
    }
    size_t source = find_or_add_source(expected, one->name);
    expected->sources[source].given = true;
    one->seen = read_object(expected, one->object, source);
    one->seen.linked |= one->placed;
    if (one->program && one->seen.linked) {
      find_or_add_known_key(expected, hash_text(one->program), 0,
                            KNOWN_PROGRAM);
      expected->has_programs = true;
    }
  }
}

/* Returns whether an object of a map may have been compiled from a source. If
 * the object's symbols name main.c, the source must be main.c. Without such a
 * symbol, main.c matches main.c.o and main.o. */
static bool may_be_source_of(const char *source, const char *object,
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

/* Replaces the name of an object with the name of its source. If several
 * sources match, uses the source that has the most folders in common with the
 * object. */
static void set_source_of_object(struct expected_sources *expected,
                                 struct planned_source *one) {
  const struct object_evidence object =
      read_object(expected, one->object, SIZE_MAX);
  const char *best = NULL;
  unsigned most = 0;
  for (size_t i = 0; i < expected->source_count; i++) {
    const char *key = expected->sources[i].key;
    unsigned alike = source_name_count_shared_parts(key, one->object) + 1;
    if (alike > most && may_be_source_of(key, one->object, object.file)) {
      best = key;
      most = alike;
    }
  }
  if (best)
    one->name = best;
  one->kind = best          ? planned_source_kind(best)
              : object.file ? PLANNED_CODE
                            : PLANNED_ASSEMBLY;
}

/* Finds the sources of all objects. Members of archives whose source is not
 * found are only counted. */
static void set_sources_of_objects(struct expected_sources *expected) {
  struct planned_sources *planned = &expected->planned;
  size_t count = planned->count;
  planned->count = 0;
  for (size_t i = 0; i < count; i++) {
    struct planned_source one = planned->list[i];
    if (one.name == one.object)
      set_source_of_object(expected, &one);
    if (one.member && one.name == one.object)
      expected->members++;
    else
      planned->list[planned->count++] = one;
  }
  planned_sort(planned);
}

/* ---- states ---- */

/* Returns whether an object belongs to another program: either the ELFs lack
 * all objects of its program, or an ELF has the object's functions from another
 * source. */
static bool is_of_other_program(const struct expected_sources *expected,
                                const struct planned_source *one) {
  return one->seen.contrary ||
         (one->program && expected->has_programs &&
          !map_find(&expected->known, hash_text(one->program), 0,
                    KNOWN_PROGRAM));
}

/* Returns the command before `end` whose object shows most about the source. A
 * linked object is best, then an object whose functions are all in ELFs. */
static const struct planned_source *
choose_command(const struct expected_sources *expected,
               const struct planned_source *one,
               const struct planned_source *end) {
  const struct planned_source *best = one;
  for (unsigned most = 0; one < end; one++) {
    const struct object_evidence *object = &one->seen;
    unsigned worth = object->linked ? 16 : 0;
    worth += object->kind == OBJECT_ELF ? 4 : object->kind == OBJECT_BITCODE;
    worth += is_of_other_program(expected, one) ? 0 : 2;
    worth += object->own && !object->lacking ? 8 : 0;
    if (worth > most) {
      best = one;
      most = worth;
    }
  }
  return best;
}

/* Returns whether a label in an assembly source names code in an ELF. */
static bool has_linked_label(const struct expected_sources *expected,
                             const char *here) {
  struct file file;
  struct bytes line;
  bool found, linked = false;
  if (file_read_if_exists(&file, here, SOURCE_MOST, &found) || !found)
    return false;
  for (struct bytes text = file.bytes;
       bytes_next_line(&text, &line) && !linked;) {
    struct text_part label = code_lines_trim(line), rest = label;
    linked = part_skip_past(&rest, ":") &&
             map_find(&expected->known,
                      md5_low64(label.at, (size_t)(rest.at - label.at) - 1), 0,
                      KNOWN_SYMBOL);
  }
  file_close(&file);
  return linked;
}

static enum expected_state
decide_source_state(const struct expected_sources *expected,
                    const struct planned_source *one,
                    const struct expected_source *source) {
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
  return assembly && has_linked_label(expected, source->key)
             ? EXPECTED_ASSEMBLY
             : EXPECTED_UNCOMPILED;
}

/* A function with counts in an ELF, but without a mapping in any ELF. */
struct unmapped_function {
  uint64_t name, hash;
};

/* An object file that stays open, because the model may be made again. */
struct added_object {
  struct added_object *next;
  struct file file;
  struct elf elf;
  struct name_table names;
};

/* Adds the functions of an object that are in this source and in no ELF's
 * mapping. Sets *count to the number of these functions. */
static const char *add_object_functions(struct expected_sources *expected,
                                        const char *name, size_t source,
                                        size_t *count) {
  struct added_functions *added = &expected->added;
  struct added_object *one = need_memory(calloc(1, sizeof *one));
  struct mapping mapping;
  if (file_map(&one->file, name, OBJECT_MOST)) {
    free(one);
    return "an object cannot be read";
  }
  one->next = added->objects;
  added->objects = one;
  added->only.limit = added->lost.limit = OBJECT_MOST;
  const char *error = elf_open(&one->elf, one->file.bytes);
  if (error)
    return error;
  error = mapping_open(&mapping, &one->elf);
  while (!error && mapping_next_function(&mapping, &error)) {
    if (find_or_add_mapped_file(expected, &mapping, 0) != source ||
        map_find(&expected->known, mapping.name, source, KNOWN_IN_SOURCE))
      continue;
    if (is_unmapped_function(expected, &mapping))
      need_append(&added->lost,
                  &(struct unmapped_function){mapping.name, mapping.hash},
                  sizeof(struct unmapped_function));
    need_memory(map_find_or_add(&added->only, mapping.name, added->count, 0));
    ++*count;
  }
  mapping_close(&mapping);
  if (!error && *count)
    error = evaluation_read_names(&one->elf, &one->names);
  if (!error && *count) {
    const struct evaluation_input part = {.elf = &one->elf,
                                          .names = &one->names,
                                          .only = &added->only,
                                          .number = added->count};
    LIST_ADD(added->list, added->count, part);
  }
  return error;
}

void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts) {
  const struct unmapped_function *lost = (const void *)added->lost.data;
  profile_new(counts, OBJECT_MOST);
  for (size_t k = 0; k < added->lost.size / sizeof *lost; k++)
    for (size_t i = 0; i < count; i++) {
      const struct record_counts *one =
          profiles[i]
              ? find_record_counts(profiles[i], lost[k].name, lost[k].hash)
              : NULL;
      if (!one)
        continue;
      const char *name = profile_find_function(profiles[i], lost[k].name)->name;
      const struct counts_addition addition = {
          .name = name,
          .name_size = strlen(name),
          .hash = lost[k].hash,
          .counters = one->counters,
          .bitmap = one->more->bitmap,
          .counter_count = one->counter_count,
          .bitmap_size = one->more->bitmap_size,
          .weight = 1};
      if (profile_add_counts(counts, &addition, NULL) == REFUSED_MEMORY)
        need_memory(NULL);
    }
}

/* ---- lines of sources without a mapping ---- */

ORDER_BY(compare_code, struct code_line, x->line, x->function != NULL);

static void append_table_lines(const struct expected_elf *from, size_t source,
                               struct buffer *list) {
  const struct elf *elf = from->elf;
  for (size_t i = 0; i < from->lines.row_count; i++) {
    const struct dwarf_row *row = &from->lines.rows[i];
    if (row->line && !(row->flags & DWARF_END) &&
        from->numbers[row->file] == source + 1)
      code_lines_append(list, row->line, NULL);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t thumb = elf->machine == ELF_ARM;
    if (symbol.type != ELF_FUNCTION || !symbol.section)
      continue;
    const struct dwarf_row *row =
        dwarf_lines_find(&from->lines, symbol.value & ~thumb);
    if (row && row->line && from->numbers[row->file] == source + 1)
      code_lines_append(list, row->line, symbol.name);
  }
}

/* Adds functions. Each function has the lines up to the next function, and the
 * first function also has the lines before it. If no functions are known, all
 * lines are one function with the name of the file. */
static void add_line_functions(struct expected_sources *expected,
                               const char *name, const struct code_line *list,
                               size_t count) {
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
  struct buffer list = {.limit = TEXTS_MOST};
  const char *error = NULL;
  source->counting = COUNTED_BY_LINES;
  for (size_t i = 0; i < expected->coverage->inputs->count; i++)
    if (expected->elfs[i].numbers)
      append_table_lines(&expected->elfs[i], number, &list);
  if (!list.size) {
    source->counting = COUNTED_BY_TEXT;
    error = code_lines_append_text(source->key, false, &list);
  }
  if (!list.size)
    source->counting = COUNTED_NOT;
  size_t count = list.size / sizeof(struct code_line);
  sort_array(list.data, count, sizeof(struct code_line), compare_code);
  if (!error)
    add_line_functions(expected, source->name, (const void *)list.data, count);
  buffer_free(&list);
  return error;
}

/* ---- variants ---- */

ORDER_BY(compare_variants, struct variant_line, x->source, x->line);

/* Adds each line from `first` to `last`, either as code of one ELF or as
 * skipped in that ELF. */
static void append_variant_lines(struct expected_sources *expected,
                                 uint32_t first, uint32_t last,
                                 struct variant_line one) {
  for (one.line = first; one.line <= last; one.line++)
    need_append(&expected->variants, &one, sizeof one);
}

void expected_add_variant_lines(struct expected_sources *expected, size_t which,
                                const struct model *exported) {
  uint64_t elf = which < 64 ? UINT64_C(1) << which : 0;
  if (expected->found)
    return;
  expected->variants.limit = SOURCE_MOST;
  if (!which)
    expected->variants.size = 0; /* All models are made again, so the list
                                    starts empty. */
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const uint32_t *files = model_files_of(exported, one);
    for (uint32_t k = 0; k < one->regions.count; k++) {
      const struct model_region *region = &model_regions_of(exported, one)[k];
      if (region->kind != MODEL_SKIPPED ||
          files[region->file] >= exported->summary.count)
        continue;
      const char *name = exported->names[files[region->file]];
      const struct variant_line skipped = {
          .skipped = elf, .source = find_or_add_source(expected, name)};
      append_variant_lines(expected, region->span.line, region->span.end_line,
                           skipped);
    }
  }
  for (size_t row = 0; row < exported->summary.count; row++) {
    const struct variant_line coded = {
        .coded = elf,
        .source = find_or_add_source(expected, exported->names[row])};
    struct source_lines lines = lines_make(exported, row);
    for (uint32_t i = 1; i < lines.count; i++)
      if (lines.list[i].counted)
        append_variant_lines(expected, i, i, coded);
    lines_free(&lines);
  }
}

/* Merges the states that a line has in different ELFs. Keeps a line if its text
 * is code and if an ELF skips it while another ELF has it, or if all ELFs skip
 * it. */
static const char *merge_variant_lines(struct expected_sources *expected) {
  struct variant_line *list = (void *)expected->variants.data;
  size_t count = expected->variants.size / sizeof *list, kept = 0;
  size_t source = SIZE_MAX;
  struct buffer text = {.limit = SOURCE_MOST};
  const struct code_line *at = NULL, *end = NULL;
  const char *error = NULL;
  sort_array(list, count, sizeof *list, compare_variants);
  for (size_t i = 0; i < count && !error;) {
    struct variant_line one = list[i];
    if (one.source != source) {
      source = one.source;
      text.size = 0;
      error =
          code_lines_append_text(expected->sources[source].key, true, &text);
      at = (const void *)text.data;
      end = at + text.size / sizeof *at;
    }
    for (; i < count && !compare_variants(&list[i], &one); i++) {
      one.coded |= list[i].coded;
      one.skipped |= list[i].skipped;
    }
    while (at < end && at->line < one.line)
      at++;
    if (at == end || at->line != one.line || !(one.skipped & ~one.coded))
      continue;
    struct variant_line *last = kept ? &list[kept - 1] : NULL;
    if (last && last->source == one.source && last->last + 1 == one.line &&
        last->coded == one.coded && last->skipped == one.skipped)
      last->last = one.line;
    else {
      one.last = one.line;
      list[kept++] = one;
    }
  }
  expected->variants.size = kept * sizeof *list;
  buffer_free(&text);
  return error;
}

/* ---- all sources ---- */

/* Adds the functions or lines of an unmeasured source to the model. */
static const char *add_unmeasured_code(struct expected_sources *expected,
                                       const struct planned_source *one,
                                       size_t number) {
  const unsigned missed = 1u << EXPECTED_PART | 1u << EXPECTED_PLAIN |
                          1u << EXPECTED_ASSEMBLY | 1u << EXPECTED_UNLINKED |
                          1u << EXPECTED_BITCODE | 1u << EXPECTED_UNCOMPILED |
                          1u << EXPECTED_MISSING;
  enum expected_state state = expected->sources[number].state;
  const char *error = NULL;
  size_t count = 0;
  bool object = one->seen.kind != OBJECT_NONE;
  /* A model of object code cannot contain such a source. If the source of an
   * object in a map is not known, no lines are added. */
  if (expected->coverage->inputs->object_code ||
      (!(missed >> state & 1) && !one->seen.lost) ||
      (object && !strcmp(expected->sources[number].name, one->object)))
    return NULL;
  if (object && one->seen.own)
    error = add_object_functions(expected, one->object, number, &count);
  if (count)
    expected->sources[number].counting = COUNTED_BY_MAPPING;
  else if (!error && state > EXPECTED_PART)
    error = add_unmapped_lines(expected, number);
  /* A source without code does not need a command. */
  struct expected_source *source = &expected->sources[number];
  if (!error && state == EXPECTED_UNCOMPILED && !source->counting)
    source->state = EXPECTED_DATA;
  return error;
}

static const char *
decide_states_and_add_code(struct expected_sources *expected) {
  const struct report_settings *settings = expected->coverage->settings;
  const struct planned_source *at = expected->planned.list;
  const struct planned_source *last = at + expected->planned.count, *end;
  const char *error = NULL;
  for (; at < last && !error; at = end) {
    size_t number = find_or_add_source(expected, at->name);
    struct expected_source *source = &expected->sources[number];
    for (end = at + 1; end < last && !strcmp(end->name, at->name);)
      end++;
    if (!filter_keeps(&settings->filter, &settings->paths, source->name))
      continue;
    const struct planned_source *one = choose_command(expected, at, end);
    source->state = decide_source_state(expected, one, source);
    source->listed = true;
    error = add_unmeasured_code(expected, one, number);
  }
  return error;
}

static int compare_sources(const void *left, const void *right) {
  const struct expected_source *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

/* Lists the sources with a state. Also sets a state for sources that are in an
 * ELF but not in the plan. */
static void mark_and_list_sources(struct expected_sources *expected) {
  const struct report_settings *settings = expected->coverage->settings;
  size_t count = expected->source_count;
  expected->list = need_memory(calloc(count + 1, sizeof *expected->list));
  for (size_t i = 0; i < count; i++) {
    struct expected_source *one = &expected->sources[i];
    if (!one->given && (one->mapped || one->coded) &&
        planned_source_kind(one->name) != PLANNED_HEADER &&
        filter_keeps(&settings->filter, &settings->paths, one->name)) {
      one->state = EXPECTED_UNPLANNED;
      one->listed = true;
    }
    if (one->listed)
      expected->list[expected->count++] = one;
  }
  sort_array(expected->list, expected->count, sizeof *expected->list,
             compare_sources);
}

int expected_read_plan(struct expected_sources *expected,
                       const struct coverage *coverage) {
  expected->coverage = coverage;
  expected->numbers.limit = expected->known.limit = NUMBERS_MOST;
  expected->texts.limit = TEXTS_MOST;
  for (size_t i = 0; i < expected->what_count; i++)
    if (planned_read(&expected->planned, expected->what[i]))
      return 1;
  const char *error = read_elfs(expected);
  return error ? report(expected->what[0], "%s", error) : 0;
}

int expected_set_states(struct expected_sources *expected) {
  expected->found = true;
  set_sources_of_objects(expected);
  read_objects(expected);
  const char *error = decide_states_and_add_code(expected);
  mark_and_list_sources(expected);
  if (!error)
    error = merge_variant_lines(expected);
  return error ? report(expected->what[0], "%s", error) : 0;
}

void expected_free(struct expected_sources *expected) {
  struct added_functions *added = &expected->added;
  for (struct added_object *one = added->objects, *next; one; one = next) {
    next = one->next;
    names_free(&one->names);
    file_close(&one->file);
    free(one);
  }
  for (size_t i = 0; expected->elfs && expected->elfs[i].elf; i++) {
    dwarf_lines_free(&expected->elfs[i].lines);
    dwarf_close(&expected->elfs[i].dwarf);
    free(expected->elfs[i].numbers);
  }
  map_free(&added->only);
  free(added->list);
  buffer_free(&added->lost);
  planned_free(&expected->planned);
  free(expected->elfs);
  map_free(&expected->numbers);
  map_free(&expected->known);
  free(expected->sources);
  free(expected->list);
  buffer_free(&expected->variants);
  arena_free(&expected->texts);
}

int expected_add_exclusions(const struct coverage *coverage) {
  const struct expected_sources *expected = coverage->expected;
  for (size_t i = 0; expected && i < expected->count; i++) {
    const struct expected_source *one = expected->list[i];
    char *name = paths_copy_tidied(one->name);
    int status = one->counting &&
                 exclusions_add_source(coverage->exclusions, name, one->key);
    free(name);
    if (status)
      return 1;
  }
  return 0;
}

void expected_mark_rows(const struct coverage *coverage) {
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
