/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From an ELF to struct probes.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../object/md5.h"
#include "inside.h"

/* ---- places ---- */

/* Of records that share a name there are as many as symbols, or nobody knows
 * which is where. */
static void guess(struct probes *probes, struct probe_record *records,
                  uint64_t *shifts) {
  for (size_t i = 0; i < probes->record_count; i++) {
    struct probe_record *record = &records[i];
    if (record->encoding != PROBE_DELTA || record->placed != PROBE_PLACED)
      continue;
    const struct probe_name *names = probe_names_find(
        probes, record->fragment ? record->fragment : record->guid);
    if (!names || names->count < 2 || names->taken == names->count)
      continue;
    uint64_t address = names[names->last].address;
    shifts[i] = address - record->address;
    record->address = address;
    record->placed = PROBE_GUESSED;
  }
}

/* *last: the symbol of the probe before, or NULL. Most are in the same. */
static void check_bounds(const struct probes *probes,
                         struct probe_record *record, const struct probe *probe,
                         const struct probe_symbol **last) {
  if (record->placed != PROBE_PLACED || !probes->symbol_count)
    return;
  if (!*last || probe->address - (*last)->address >= (*last)->size)
    *last = probes_symbol(probes, probe->address);
  if (!*last)
    record->placed = PROBE_DISAGREEING;
}

const char *probe_place(struct probes *probes, unsigned pointer) {
  struct probe *list = (struct probe *)probes->list_memory.data;
  struct probe_record *records =
      (struct probe_record *)probes->record_memory.data;
  uint64_t mask = pointer == 8 ? UINT64_MAX : UINT32_MAX;
  probes->count = probes->list_memory.size / sizeof *list;
  probes->lost_count = probes->lost_memory.size / sizeof *list;
  probes->list = list;
  probes->lost = (const struct probe *)probes->lost_memory.data;
  probes->records = records;
  uint64_t *shifts = calloc(probes->record_count + 1, sizeof *shifts);
  const struct probe_symbol *last = NULL;
  if (!shifts)
    return "not enough memory; free some";
  guess(probes, records, shifts);
  for (size_t i = 0; i < probes->count; i++) {
    struct probe_record *record = &records[list[i].record];
    list[i].address = (list[i].address + shifts[list[i].record]) & mask;
    if (record->placed == PROBE_GUESSED)
      list[i].flags |= PROBE_TWINS;
    check_bounds(probes, record, &list[i], &last);
  }
  free(shifts);
  return probes_sort(list, probes->count, probes->record_count)
             ? NULL
             : "not enough memory; free some";
}

/* ---- the ELF ---- */

static const char *read_section(struct probes *probes, const struct elf *elf,
                                const struct elf_section *section,
                                struct bytes *contents,
                                unsigned char **memory) {
  probes->bytes += section->size;
  if (section->flags & ELF_ALLOC)
    probes->loaded += section->size;
  return elf_contents(elf, section, PROBE_SECTION_MOST, contents, memory);
}

static const char *read_functions(struct probes *probes,
                                  const struct elf *elf) {
  struct elf_section section;
  struct bytes contents = {NULL, 0};
  unsigned char *memory = NULL;
  const char *error = NULL;
  if (elf_find_section(elf, ".pseudo_probe_desc", &section))
    error = read_section(probes, elf, &section, &contents, &memory);
  if (!error)
    error = probe_functions_read(probes, contents, elf->big);
  free(memory);
  return error;
}

static const char *read_probes(struct probes *probes, const struct elf *elf,
                               const struct elf_section *section,
                               unsigned encoding) {
  const struct probe_layout layout = {encoding, elf->wide ? 8 : 4, elf->big};
  struct bytes contents;
  unsigned char *memory;
  const char *error = read_section(probes, elf, section, &contents, &memory);
  if (!error)
    error = probe_records_read(probes, contents, &layout);
  free(memory);
  return error ? error : probe_place(probes, layout.pointer);
}

static const char *refuse(const struct probes *probes) {
  if (!probes->no_symtab || probes->count)
    return NULL;
  return "it has no symbol table, and only symbols say where its probes are; "
         "give the ELF before `strip` (`strip -g` keeps what is needed)";
}

const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding) {
  struct elf_section section;
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  struct buffer *const buffers[] = {&probes->list_memory, &probes->lost_memory,
                                    &probes->record_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    buffers[i]->limit = PROBE_COUNT_MOST * sizeof(struct probe);
  if (elf->type == ELF_REL)
    return "an object, which is not linked yet; give the linked image";
  if (!elf_find_section(elf, ".pseudo_probe", &section) || !section.size)
    return "it has no pseudo probes; compile with -fpseudo-probe-for-profiling"
           ", keep the section .pseudo_probe when linking, and give the ELF "
           "before strip";
  const char *error = read_functions(probes, elf);
  if (!error)
    error = probe_symbols_read(probes, elf);
  if (!error)
    error = read_probes(probes, elf, &section, encoding);
  return error ? error : refuse(probes);
}

const char *probes_read_symbols(struct probes *probes, const struct elf *elf) {
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  return probe_symbols_read(probes, elf);
}

void probes_free(struct probes *probes) {
  arena_free(&probes->arena);
  buffer_free(&probes->list_memory);
  buffer_free(&probes->lost_memory);
  buffer_free(&probes->record_memory);
}

/* ---- looking up ---- */

size_t probes_from(const struct probes *probes, uint64_t address) {
  size_t low = 0, high = probes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (probes->list[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct probe *probes_first(const struct probes *probes,
                                 const struct probe_symbol *symbol) {
  size_t i = probes_from(probes, symbol->address);
  return i < probes->count &&
                 probes->list[i].address - symbol->address < symbol->size
             ? &probes->list[i]
             : NULL;
}

uint64_t probe_outermost(const struct probe *probe) {
  uint64_t guid = probe->guid;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    guid = at->guid;
  return guid;
}

const char *probe_type_name(unsigned type) {
  static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
  return type < sizeof names / sizeof *names ? names[type] : "Unknown";
}

/* ==== Probes by address. Those of a record come together, and linkers leave
 * most records in the order of the code: as many records as overlap are sorted
 * at a time. */

/* Some records: where their probes end, and the least and last address. */
struct piece {
  size_t end;
  uint64_t least, most;
};

/* Stable, in linear time if it is in order: runs are merged. other has room
 * for as many. */
static void merge_sort(struct probe *list, struct probe *other, size_t count) {
  struct probe *from = list, *to = other;
  for (bool again = count > 1; again;) {
    again = false;
    for (size_t i = 0; i < count;) {
      size_t a = i + 1, b, out = i, left = i;
      while (a < count && from[a - 1].address <= from[a].address)
        a++;
      size_t right = a;
      for (b = a + (a < count); b < count; b++)
        if (from[b - 1].address > from[b].address)
          break;
      while (left < a || right < b)
        to[out++] = right >= b || (left < a &&
                                   from[left].address <= from[right].address)
                        ? from[left++]
                        : from[right++];
      again |= i || b < count;
      i = b;
    }
    struct probe *swap = from;
    from = to;
    to = swap;
  }
  if (from != list)
    memcpy(list, from, count * sizeof *list);
}

/* One for each record that has probes; how many. */
static size_t find_records(const struct probe *list, size_t count,
                           struct piece *pieces) {
  size_t number = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t address = list[i].address;
    if (i == 0 || list[i].record != list[i - 1].record)
      pieces[number++] = (struct piece){0, address, address};
    struct piece *piece = &pieces[number - 1];
    piece->end = i + 1;
    piece->least = address < piece->least ? address : piece->least;
    piece->most = address > piece->most ? address : piece->most;
  }
  return number;
}

/* Those that overlap become one; how many are left. */
static size_t join(struct piece *pieces, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct piece piece = pieces[i];
    while (kept && pieces[kept - 1].most > piece.least) {
      const struct piece *before = &pieces[--kept];
      piece.least = before->least < piece.least ? before->least : piece.least;
      piece.most = before->most > piece.most ? before->most : piece.most;
    }
    pieces[kept++] = piece;
  }
  return kept;
}

bool probes_sort(struct probe *list, size_t count, size_t records) {
  struct piece *pieces = calloc(records + 1, sizeof *pieces);
  struct probe *other = malloc((count + 1) * sizeof *other);
  bool done = pieces && other;
  if (done) {
    size_t number = join(pieces, find_records(list, count, pieces));
    for (size_t i = 0, begin = 0; i < number; begin = pieces[i++].end)
      merge_sort(list + begin, other, pieces[i].end - begin);
  }
  free(pieces);
  free(other);
  return done;
}

/* ==== The descriptors of functions: GUID, hash, a ULEB128 length, the name. */

static const char cut[] =
    "its section .pseudo_probe_desc is damaged or cut; link it again";

/* What is repeated stays in the order of the file: name lies in an arena that
 * grows, so addresses will not do. */
struct sorted {
  struct probe_function function;
  size_t number;
};

static int by_guid(const void *left, const void *right) {
  const struct sorted *a = left, *b = right;
  if (a->function.guid != b->function.guid)
    return a->function.guid < b->function.guid ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static bool next(struct bytes *rest, bool big, struct probe_function *function,
                 struct bytes *name) {
  const unsigned char *end = rest->data + rest->size;
  uint64_t size;
  if (rest->size < 17)
    return false;
  const unsigned char *at = rest->data + 16;
  if (!read_uleb128(&at, end, &size) || size > (size_t)(end - at))
    return false;
  *function = (struct probe_function){load64(rest->data, big),
                                      load64(rest->data + 8, big), NULL};
  *name = (struct bytes){at, (size_t)size};
  *rest = (struct bytes){at + size, (size_t)(end - at - size)};
  return true;
}

static const char *take_all(struct probes *probes, struct bytes rest, bool big,
                            struct sorted *list) {
  struct bytes name;
  for (size_t i = 0; rest.size; i++) {
    struct probe_function *function = &list[i].function;
    if (!next(&rest, big, function, &name))
      return cut;
    list[i].number = i;
    function->name = arena_copy(&probes->arena, name.data, name.size);
    if (!function->name)
      return "not enough memory; free some";
  }
  return NULL;
}

/* The first of each GUID: linkers keep that of a COMDAT, too. */
static void keep_first(struct probes *probes, const struct sorted *list,
                       size_t count) {
  struct probe_function *to = (struct probe_function *)probes->functions;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && to[kept - 1].guid == list[i].function.guid)
      probes->repeated += to[kept - 1].hash != list[i].function.hash;
    else
      to[kept++] = list[i].function;
  }
  probes->function_count = kept;
}

const char *probe_functions_read(struct probes *probes, struct bytes section,
                                 bool big) {
  struct bytes rest = section, name;
  struct probe_function function;
  size_t count = 0;
  for (; rest.size; count++)
    if (!next(&rest, big, &function, &name))
      return cut;
  struct sorted *list = calloc(count + 1, sizeof *list);
  probes->functions =
      arena_take(&probes->arena, (count + 1) * sizeof *probes->functions);
  const char *error = list && probes->functions
                          ? take_all(probes, section, big, list)
                          : "not enough memory; free some";
  if (!error) {
    qsort(list, count, sizeof *list, by_guid);
    keep_first(probes, list, count);
  }
  free(list);
  return error;
}

const struct probe_function *probes_function(const struct probes *probes,
                                             uint64_t guid) {
  size_t low = search_key(probes->functions, sizeof *probes->functions,
                          probes->function_count, guid);
  return low < probes->function_count && probes->functions[low].guid == guid
             ? &probes->functions[low]
             : NULL;
}

const struct probe_function *probes_described(const struct probes *probes,
                                              uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  const struct probe_name *name =
      function ? NULL : probe_names_find(probes, guid);
  const char *part = name ? strstr(name->name, ".cold") : NULL;
  if (!part)
    return function;
  return probes_function(probes,
                         md5_low64(name->name, (size_t)(part - name->name)));
}

const char *probes_name(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  if (function)
    return function->name;
  const struct probe_name *name = probe_names_find(probes, guid);
  return name ? name->name : NULL;
}
