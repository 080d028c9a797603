/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes records from debug information, in which the compiler describes the
 * counters of each function. dwarf_counters.c reads this description. image.c
 * adds the records to the snapshot.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../object/dwarf.h"
#include "../object/digest.h"

/* The size of the largest record of any version. With it, the section of
 * records stays below the limit, too. */
enum { RECORD_MOST = 72 };

struct described_function {
  uint64_t reference, hash, address;
  uint64_t bitmap; /* address of the bitmap */
  uint32_t count, bitmap_size;
};

static const char *
append_described_functions(struct debug_correlation *described,
                           const struct buffer *list) {
  const struct dwarf_function_counters *functions =
      (const struct dwarf_function_counters *)list->data;
  size_t count = list->size / sizeof *functions;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct dwarf_function_counters *from = &functions[i];
    const struct described_function to = {
        .reference = md5_low64(from->name, strlen(from->name)),
        .hash = from->hash,
        .address = from->address,
        .count = from->count > UINT32_MAX ? UINT32_MAX : (uint32_t)from->count};
    error = buffer_append_bytes(&described->functions, &to, sizeof to);
  }
  if (!error && count)
    error = dwarf_counters_append_names(list, &described->names);
  described->count = count;
  return error && error != out_of_memory ? PIECE_TOO_LARGE : error;
}

/* ---- bitmaps ---- */

/* Debug information does not describe bitmaps, but each bitmap has a symbol,
 * named like the symbol of its function's counters. */
struct function_name_index {
  const char *name;
  size_t function;
};

static int compare_names(const void *left, const void *right) {
  const struct function_name_index *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* Returns the function's name in a bitmap's symbol name, or NULL. */
static const char *bitmap_function_name(const struct elf_symbol *symbol) {
  const char *name = symbol->name;
  if (strncmp(name, ".L", 2) == 0)
    name += 2;
  return strncmp(name, "__profbm_", 9) == 0 ? name + 9 : NULL;
}

/* Finds a function by name. Returns NULL if several functions have it. Linkers
 * and LTO append a number to names, so a name without its number is tried, too.
 */
static struct described_function *
find_function_by_name(struct described_function *functions,
                      const struct function_name_index *list, size_t count,
                      const char *name) {
  char own[1024];
  size_t length = strlen(name);
  for (unsigned cut = 0; cut < 2; cut++) {
    if (length >= sizeof own)
      return NULL;
    memcpy(own, name, length);
    own[length] = '\0';
    const struct function_name_index key = {own, 0};
    const struct function_name_index *found =
        bsearch(&key, list, count, sizeof key, compare_names);
    if (found)
      return (found > list && !compare_names(found - 1, found)) ||
                     (found + 1 < list + count &&
                      !compare_names(found, found + 1))
                 ? NULL
                 : &functions[found->function];
    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
      length--;
    if (!length || name[--length] != '.')
      return NULL;
  }
  return NULL;
}

/* Assigns bitmaps to functions. Returns whether each byte has a function. */
static bool assign_bitmaps(struct described_function *functions,
                           const struct function_name_index *list, size_t count,
                           const struct debug_correlation_input *in) {
  uint64_t taken = 0;
  for (uint64_t i = 0; i < in->elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(in->elf, i);
    const char *name = bitmap_function_name(&symbol);
    uint64_t offset = symbol.value - in->bitmaps.address;
    if (!name || !symbol.section || !symbol.size ||
        offset >= in->bitmaps.size || symbol.size > in->bitmaps.size - offset)
      continue;
    struct described_function *function =
        find_function_by_name(functions, list, count, name);
    if (!function || function->bitmap_size)
      return false;
    function->bitmap = symbol.value;
    function->bitmap_size = (uint32_t)symbol.size;
    taken += symbol.size;
  }
  return in->bitmaps.size - taken < 8;
}

static const char *match_bitmaps(struct debug_correlation *described,
                                 const struct buffer *list,
                                 const struct debug_correlation_input *in) {
  const struct dwarf_function_counters *from =
      (const struct dwarf_function_counters *)list->data;
  struct described_function *functions =
      (struct described_function *)described->functions.data;
  size_t count = described->count;
  struct function_name_index *names = malloc((count + 1) * sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    names[i] = (struct function_name_index){from[i].variable, i};
  qsort(names, count, sizeof *names, compare_names);
  if (!assign_bitmaps(functions, names, count, in)) {
    described->lost = true;
    for (size_t i = 0; i < count; i++)
      functions[i].bitmap_size = 0;
  }
  free(names);
  return NULL;
}

const char *debug_correlation_read(struct debug_correlation *described,
                                   const struct debug_correlation_input *in) {
  const struct elf *elf = in->elf;
  const struct elf_section *counters = &in->counters;
  *described = (struct debug_correlation){
      .functions = {.limit = PIECE_LIMIT / RECORD_MOST *
                             sizeof(struct described_function)},
      .names = {.limit = PIECE_LIMIT}};
  struct elf_section section;
  struct dwarf dwarf;
  if (!elf_find_section(elf, ".debug_info", &section))
    return NULL;
  struct buffer list = {.size = 0};
  const struct dwarf_span span = {counters->address,
                                  counters->address + counters->size};
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_counters_read(&dwarf, span, &list);
  if (!error)
    error = append_described_functions(described, &list);
  if (!error && described->count && in->bitmaps.size)
    error = match_bitmaps(described, &list, in);
  buffer_free(&list);
  dwarf_close(&dwarf);
  return error;
}

const char *debug_correlation_make_names(const struct elf *elf,
                                         struct buffer *names) {
  static const struct dwarf_span all = {0, UINT64_MAX};
  struct buffer list = {.size = 0};
  struct dwarf dwarf;
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_counters_read(&dwarf, all, &list);
  if (!error)
    error = dwarf_counters_append_names(&list, names);
  buffer_free(&list);
  dwarf_close(&dwarf);
  return error;
}

void debug_correlation_free(struct debug_correlation *described) {
  buffer_free(&described->functions);
  buffer_free(&described->names);
  described->count = 0;
}

static unsigned char *
make_described_records(const struct debug_correlation *described,
                       const struct dump_header *header) {
  const struct described_function *functions =
      (const struct described_function *)described->functions.data;
  const struct record_format form =
      record_format_of(header->version, header->wide, header->big_endian);
  size_t size = form.layout->record_size;
  unsigned char *records = calloc(described->count + 1, size);
  for (size_t i = 0; i < described->count && records; i++) {
    const struct described_function *from = &functions[i];
    const struct record record = {.name = from->reference,
                                  .hash = from->hash,
                                  .counters = from->address,
                                  .bitmap = from->bitmap,
                                  .has_bitmap = from->bitmap_size != 0,
                                  .counter_count = from->count,
                                  .bitmap_size = from->bitmap_size};
    record_write(&form, records + i * size, i * size, &record);
  }
  return records;
}

static const char *set_known_piece_bytes(struct snapshot *snapshot,
                                         unsigned piece, unsigned char *bytes) {
  snapshot->parts[piece].bytes = bytes;
  return bytes && snapshot_mark_all_known(snapshot, piece) ? NULL
                                                           : out_of_memory;
}

const char *
debug_correlation_fill_snapshot(const struct debug_correlation *described,
                                struct snapshot *snapshot) {
  unsigned char *names = malloc(described->names.size);
  if (names)
    memcpy(names, described->names.data, described->names.size);
  const char *error =
      set_known_piece_bytes(snapshot, BAREPROF_PIECE_NAMES, names);
  return error ? error
               : set_known_piece_bytes(
                     snapshot, BAREPROF_PIECE_RECORDS,
                     make_described_records(described, &snapshot->header));
}
