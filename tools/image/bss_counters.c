/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Joins counters that are anywhere in memory into one piece. image.c uses this
 * file for images whose counters lack a section.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "trace_counts.h"

static const char outside[] =
    "a record points outside the counters, or has another raw version; compile "
    "all code with one clang";
static const char shared[] =
    "two records share a counter, or a record has another raw version; compile "
    "all code with one clang";

/* ---- memory that a program may modify ---- */

struct counter_memory {
  struct image_range *list; /* the ranges, by ascending address */
  size_t count;
  uint64_t offset; /* number that is added to addresses in the joined pieces */
};

/* The offset for counters of trace points, which start near address 0. The
 * records start at 0, too. LLVM reads the 32-bit offsets of counters in the
 * records as unsigned, so these offsets must not be negative. */
enum { LABELS_OFFSET = 1 << 28 };

ORDER_BY(by_address, struct image_range, x->address);

/* Lists the sections where counters may be. The counters of trace points have
 * their own section. If the ELF has this section, no other section is listed,
 * because addresses of these counters may also be in another section, for
 * example in .init_array if flash starts at 0. */
static bool list_counter_memory(const struct elf *elf,
                                struct counter_memory *memory) {
  enum { WRITE = 1 };
  bool counts = linked_points_present(elf);
  memory->count = 0;
  memory->offset = 0;
  memory->list = calloc((size_t)elf->section_count + 1, sizeof *memory->list);
  for (uint64_t i = 0; memory->list && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    bool loaded = section.flags & ELF_ALLOC && section.flags & WRITE;
    bool labels = !strcmp(section.name, LABELS_COUNTS);
    memory->offset = labels ? LABELS_OFFSET : memory->offset;
    if ((counts ? labels : loaded) && section.size)
      memory->list[memory->count++] =
          (struct image_range){section.address, section.size, 0, 0};
  }
  if (memory->list)
    sort_array(memory->list, memory->count, sizeof *memory->list, by_address);
  return memory->list != NULL;
}

static bool memory_contains(const struct counter_memory *memory,
                            uint64_t address, uint64_t size) {
  size_t after = search_after(memory->list, memory->count, address, address);
  if (!after)
    return false;
  const struct image_range *range = &memory->list[after - 1];
  uint64_t at = address - range->address;
  return at <= range->size && size <= range->size - at;
}

/* ---- records ---- */

/* A linked function's record, which can be sorted. */
struct linked_record {
  struct record record;
  const unsigned char *bytes;
};

ORDER_BY(by_counters, struct linked_record, x->record.counters);

/* Drops all records but one of a function that several objects define. The
 * linker keeps one definition, to whose counters all records point. */
static void drop_repeated_records(struct linked_record *list, size_t *count) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    const struct record *last = &list[kept - (kept != 0)].record;
    const struct record *next = &list[i].record;
    if (!kept || next->counters != last->counters ||
        next->counter_count != last->counter_count ||
        next->name != last->name || next->hash != last->hash ||
        next->bitmap != last->bitmap || next->bitmap_size != last->bitmap_size)
      list[kept++] = list[i];
  }
  *count = kept;
}

static const char *read_linked_records(const struct record_format *form,
                                       struct bytes records,
                                       struct linked_record *list,
                                       size_t *count) {
  struct record_format as_addresses = *form;
  as_addresses.absolute = true;
  size_t size = form->layout->record_size;
  if (records.size % size)
    return outside;
  for (size_t at = 0; at < records.size; at += size) {
    struct linked_record found = {.bytes = records.data + at};
    record_read(&as_addresses, found.bytes, 0, &found.record);
    if (!found.record.counter_count)
      return outside;
    if (found.record.counters)
      list[(*count)++] = found;
  }
  sort_array(list, *count, sizeof *list, by_counters);
  drop_repeated_records(list, count);
  return NULL;
}

ORDER_BY(by_target, struct linked_trace_point, x->target);

static bool is_function_linked(const struct linked_trace_points *labels,
                               const struct record *record) {
  size_t first =
      search_from(labels->list, labels->count, target, record->counters);
  return first < labels->count &&
         labels->list[first].target - record->counters <
             UINT64_C(8) * record->counter_count;
}

/* Drops records of unlinked functions. With trace points, records take no
 * memory on the target, so linkers keep the records of dropped functions. */
static const char *drop_unlinked_records(const struct elf *elf,
                                         struct linked_record *list,
                                         size_t *count) {
  struct linked_trace_points labels;
  size_t kept = 0;
  if (!linked_points_present(elf))
    return NULL;
  const char *error = linked_points_read(&labels, elf, NULL);
  sort_array(labels.list, labels.count, sizeof *labels.list, by_target);
  for (size_t i = 0; i < *count && !error; i++)
    if (is_function_linked(&labels, &list[i].record))
      list[kept++] = list[i];
  *count = kept;
  linked_points_free(&labels);
  return error;
}

static const char *append_range_to_piece(struct bss_counters *placed,
                                         const struct counter_memory *memory,
                                         unsigned number, uint64_t address,
                                         uint64_t size) {
  struct dump_piece *piece =
      number == BAREPROF_PIECE_COUNTERS ? &placed->counters : &placed->bitmap;
  if (!memory_contains(memory, address, size))
    return outside;
  if (piece->size + size > PIECE_LIMIT)
    return PIECE_TOO_LARGE;
  if (!piece->size)
    piece->address = memory->offset + address / 8 * 8;
  placed->ranges.list[placed->ranges.count++] =
      (struct image_range){address, size, piece->size, number};
  piece->size += size;
  return NULL;
}

/* Joins counters and bitmaps of all functions, in the order of the counters'
 * addresses. Writes the new addresses to the records. */
static const char *join_function_counters(struct bss_counters *placed,
                                          const struct counter_memory *memory,
                                          const struct record_format *form,
                                          const struct linked_record *list,
                                          size_t count, unsigned size) {
  size_t step = form->layout->record_size;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct record record = list[i].record;
    const struct dump_piece counters = placed->counters,
                            bitmap = placed->bitmap;
    unsigned char *at = placed->records + placed->records_size;
    error = append_range_to_piece(placed, memory, BAREPROF_PIECE_COUNTERS,
                                  record.counters,
                                  (uint64_t)record.counter_count * size);
    bool bytes = size == 1 && record_has_mcdc_bytes(&record);
    if (!error && record.bitmap_size && !bytes)
      error = append_range_to_piece(placed, memory, BAREPROF_PIECE_BITMAP,
                                    record.bitmap, record.bitmap_size);
    record.counters = placed->counters.address + counters.size;
    record.has_bitmap = record.bitmap_size != 0;
    record.bitmap =
        bytes ? record.counters : placed->bitmap.address + bitmap.size;
    memcpy(at, list[i].bytes, step);
    record_write(form, at, placed->records_size, &record);
    placed->records_size += step;
  }
  return error;
}

/* Sorts and checks the ranges, and merges adjacent ranges. */
static const char *sort_and_merge_ranges(struct image_ranges *ranges) {
  size_t kept = 0;
  sort_array(ranges->list, ranges->count, sizeof *ranges->list, by_address);
  for (size_t i = 0; i < ranges->count; i++) {
    const struct image_range *next = &ranges->list[i];
    struct image_range *last = &ranges->list[kept - (kept != 0)];
    if (kept && next->address - last->address < last->size)
      return shared;
    if (kept && next->address - last->address == last->size &&
        next->piece == last->piece && next->offset - last->offset == last->size)
      last->size += next->size;
    else
      ranges->list[kept++] = *next;
  }
  ranges->count = kept;
  return NULL;
}

const char *bss_counters_read(struct bss_counters *placed,
                              const struct elf *elf,
                              const struct record_format *form,
                              struct bytes records, unsigned size) {
  size_t count = 0, most = records.size / form->layout->record_size + 1;
  *placed = (struct bss_counters){.records_size = 0};
  struct counter_memory memory;
  struct linked_record *list = calloc(most, sizeof *list);
  placed->records = malloc(records.size + 1);
  placed->ranges.list = calloc(2 * most, sizeof *placed->ranges.list);
  const char *error = out_of_memory;
  if (list_counter_memory(elf, &memory) && list && placed->records &&
      placed->ranges.list)
    error = read_linked_records(form, records, list, &count);
  if (!error)
    error = drop_unlinked_records(elf, list, &count);
  if (!error && !count)
    error = "the linker dropped all functions with counters; check that the "
            "firmware calls them";
  if (!error)
    error = join_function_counters(placed, &memory, form, list, count, size);
  if (!error)
    error = sort_and_merge_ranges(&placed->ranges);
  free(memory.list);
  free(list);
  return error;
}

void bss_counters_free(struct bss_counters *placed) {
  free(placed->ranges.list);
  free(placed->records);
  *placed = (struct bss_counters){.records_size = 0};
}

/* ---- builds ---- */

/* Adds the trace points to the hash, because other code may have equal records
 * but not equal trace points. */
static void add_trace_points_hash(const struct elf *elf,
                                  unsigned char room[16]) {
  struct elf_section section;
  unsigned char both[32];
  if (!elf_find_section(elf, LABELS_SECTION, &section) || !section.bytes)
    return;
  memcpy(both, room, 16);
  md5(both + 16, section.bytes, (size_t)section.size);
  md5(room, both, sizeof both);
}

bool image_find_or_make_id(const struct elf *elf, struct bytes *id,
                           unsigned char room[16]) {
  const char *parts[] = {"__llvm_covdata",  "__llvm_covdat4",
                         "__llvm_covnames", "__llvm_prf_names",
                         "__llvm_covmap",   "__llvm_covfun"};
  enum { PARTS = sizeof parts / sizeof *parts };
  unsigned char digests[PARTS][16] = {{0}};
  if (elf_find_build_id(elf, id))
    return true;
  for (unsigned i = 0; i < WIDTH_KINDS; i++)
    if (elf_has_section(elf, placed_records[i]))
      parts[i == WIDTH_4] = placed_records[i];
  if ((!elf_has_section(elf, parts[0]) && !elf_has_section(elf, parts[1])) ||
      elf_has_section(elf, "__llvm_prf_cnts") ||
      elf_has_section(elf, "__llvm_prf_cnt4"))
    return false;
  for (unsigned i = 0; i < PARTS; i++) {
    struct elf_section section;
    if (elf_find_section(elf, parts[i], &section) && section.bytes)
      md5(digests[i], section.bytes, (size_t)section.size);
  }
  md5(room, digests, sizeof digests);
  add_trace_points_hash(elf, room);
  *id = (struct bytes){room, 16};
  return true;
}
