/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lists the functions of an image, and shows in which functions a dump has
 * gaps. The layouts of records come from runtime/image_layout.c, compiled with
 * BAREPROF_FOREIGN.
 */
#include "dumpfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/buffer.h"
#include "../object/mapping.h"
#include "image.h"

/* The records of an image, and the pieces that they point into. */
struct record_input {
  struct record_format form;
  const unsigned char *records;
  const struct dump_piece *pieces;
};

static const char mixed[] =
    "the records do not match this raw version, or objects of two compilers "
    "are linked; compile all code with one compiler";

static bool is_inside_piece(const struct dump_piece *piece, uint64_t at,
                            uint64_t size) {
  return at <= piece->size && size <= piece->size - at;
}

/* Reads the record at `offset`. Returns an error if its counters or bitmap are
 * outside of their piece, which happens if objects of two compilers mix. */
static const char *read_image_function(const struct record_input *source,
                                       size_t offset, unsigned counter_size,
                                       struct image_function *to) {
  const struct record_format *form = &source->form;
  const struct bareprof_layout *layout = form->layout;
  const struct dump_piece *counters = &source->pieces[BAREPROF_PIECE_COUNTERS];
  const struct dump_piece *bitmap = &source->pieces[BAREPROF_PIECE_BITMAP];
  const unsigned char *at = source->records + offset;
  struct record record;
  record_read(form, at, source->pieces[BAREPROF_PIECE_RECORDS].address + offset,
              &record);
  *to = (struct image_function){.name_ref = record.name,
                                .hash = record.hash,
                                .counters = record_narrow_address(
                                    form, record.counters - counters->address),
                                .counter_count = record.counter_count,
                                .bitmap_size = record.bitmap_size};
  if (!to->counter_count ||
      !is_inside_piece(counters, to->counters,
                       (uint64_t)to->counter_count * counter_size))
    return mixed;
  if (record_has_mcdc_bytes(&record) && counter_size == 1) {
    to->mcdc_byte_count = to->bitmap_size;
    to->bitmap_size = 0;
    return to->mcdc_byte_count < to->counter_count ? NULL : mixed;
  }
  if (to->bitmap_size) {
    to->bitmap = record_narrow_address(form, record.bitmap - bitmap->address);
    return is_inside_piece(bitmap, to->bitmap, to->bitmap_size) ? NULL : mixed;
  }
  /* Raw versions 9 and 10 differ in one field: one of them stores the bitmap's
   * size where the other has padding. */
  return record.has_bitmap &&
                 load32(at + layout->bitmap_at + (layout->kinds > 2 ? -4 : 4),
                        form->big)
             ? mixed
             : NULL;
}

ORDER_BY(by_counters, struct image_function, x->counters);

/* Sorts the functions. Keeps the first of several records of a function. */
static const char *sort_distinct_functions(struct image_functions *functions,
                                           const struct record_input *source) {
  const struct dump_piece *pieces = source->pieces;
  const struct record_table claims = {
      source->form,
      {source->records, (size_t)pieces[BAREPROF_PIECE_RECORDS].size},
      pieces[BAREPROF_PIECE_RECORDS].address,
      pieces[BAREPROF_PIECE_COUNTERS].address,
      pieces[BAREPROF_PIECE_BITMAP].address,
      functions->counter_size};
  unsigned char *twins;
  const char *error = shared_counters_check_and_mark(&claims, &twins);
  size_t kept = 0;
  for (size_t i = 0; twins && i < functions->count; i++)
    if (!twins[i])
      functions->list[kept++] = functions->list[i];
  if (twins)
    functions->count = kept;
  free(twins);
  sort_array(functions->list, functions->count, sizeof *functions->list,
             by_counters);
  return error;
}

static const char *read_image_functions(struct image_functions *functions,
                                        const struct record_input *source) {
  size_t size = source->form.layout->record_size;
  size_t bytes = (size_t)source->pieces[BAREPROF_PIECE_RECORDS].size;
  if (bytes % size)
    return mixed;
  size_t count = bytes / size;
  functions->list = calloc(count + 1, sizeof *functions->list);
  if (!functions->list)
    return out_of_memory;
  functions->count = count;
  for (size_t i = 0; i < count; i++) {
    struct image_function *function = &functions->list[i];
    const char *error = read_image_function(source, i * size,
                                            functions->counter_size, function);
    if (error)
      return error;
    function->name = names_find(&functions->names, function->name_ref);
  }
  return sort_distinct_functions(functions, source);
}

ORDER_BY(by_name, struct dropped_function, x->name);

const char *functions_read_dropped(const struct elf *elf, dropped_has *has,
                                   const void *context, struct buffer *list) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_record(&mapping, &error)) {
    if (has(context, mapping.name))
      continue;
    error = mapping_read_regions(&mapping);
    if (!error && !mapping_function_is_unused(&mapping))
      error = buffer_append_bytes(list, &mapping.name, sizeof mapping.name);
  }
  mapping_close(&mapping);
  struct dropped_function *all = (struct dropped_function *)(void *)list->data;
  size_t count = list->size / sizeof *all, kept = 0;
  sort_array(all, count, sizeof *all, by_name);
  for (size_t i = 0; i < count; i++)
    if (!kept || all[kept - 1].name != all[i].name)
      all[kept++] = all[i];
  list->size = kept * sizeof *all;
  return error;
}

const char *functions_read(struct image_functions *functions,
                           const struct elf *elf, uint64_t version) {
  struct snapshot image;
  const char *error = image_read(&image, elf, version);
  *functions = (struct image_functions){.count = 0};
  if (error)
    return error;
  const struct dump_header *header = &image.header;
  const struct record_input source = {
      record_format_of(version, elf->wide, elf->big),
      image.parts[BAREPROF_PIECE_RECORDS].bytes, header->pieces};
  functions->counter_size =
      header_element_size(header, BAREPROF_PIECE_COUNTERS);
  error = names_read(
      &functions->names,
      (struct bytes){image.parts[BAREPROF_PIECE_NAMES].bytes,
                     (size_t)header->pieces[BAREPROF_PIECE_NAMES].size});
  if (!error)
    error = read_image_functions(functions, &source);
  image_free(&image, elf);
  return error;
}

void functions_free(struct image_functions *functions) {
  free(functions->list);
  functions->list = NULL;
  functions->count = 0;
  names_free(&functions->names);
}

/* ---- gaps ---- */

/* For each gap, at most NAMED_MOST functions are named, and at most HOLES_MOST
 * gaps are listed. Further functions and gaps are only counted. */
enum { NAMED_MOST = 8, HOLES_MOST = 1000 };

void image_fill_constant_gaps(struct snapshot *snapshot,
                              const struct elf *elf) {
  const struct dump_header *header = &snapshot->header;
  if (!elf_has_build_id(elf, header_build_id(header)))
    return;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct dump_piece *piece = &header->pieces[i];
    const unsigned char *bytes = elf_bytes_at(elf, piece->address, piece->size);
    if (!piece_can_change(i) && snapshot->parts[i].bytes && bytes)
      snapshot_set_piece(snapshot, i, bytes);
  }
}

/* Returns whether a gap contains counters or bitmap bytes of a function. */
static bool function_overlaps_gap(const struct image_function *function,
                                  const struct image_functions *functions,
                                  const struct snapshot_gap *hole) {
  uint64_t begin = function->bitmap;
  uint64_t size = function->bitmap_size;
  uint64_t first = hole->first;
  uint64_t end = first + hole->count;
  if (hole->piece == BAREPROF_PIECE_COUNTERS) {
    begin = function->counters;
    size = (uint64_t)function->counter_count * functions->counter_size;
    first *= functions->counter_size;
    end *= functions->counter_size;
  }
  return begin < end && first < begin + size;
}

static void print_functions_in_gap(const struct image_functions *functions,
                                   const struct snapshot_gap *hole) {
  size_t count = 0;
  if (hole->piece != BAREPROF_PIECE_COUNTERS &&
      hole->piece != BAREPROF_PIECE_BITMAP)
    return;
  for (size_t i = 0; i < functions->count; i++) {
    const struct image_function *function = &functions->list[i];
    char shown[256];
    if (!function_overlaps_gap(function, functions, hole) ||
        count++ >= NAMED_MOST)
      continue;
    fprintf(stderr, "%s", count == 1 ? ": " : ", ");
    if (function->name)
      fprintf(stderr, "%s",
              make_printable(shown, sizeof shown, function->name));
    else
      fprintf(stderr, "0x%016" PRIx64, function->name_ref);
  }
  if (count > NAMED_MOST)
    fprintf(stderr, " and %zu more", count - NAMED_MOST);
}

/* Reads the functions of a dump. A compact dump does not contain the raw
 * version of its records, so the first version that fits the records is used.
 */
static const char *read_functions_of_dump(struct image_functions *functions,
                                          const struct elf *elf,
                                          const struct dump_header *header) {
  const char *error = NULL;
  if (!header->compact)
    return functions_read(functions, elf, header->version);
  for (unsigned raw = BAREPROF_RAW_VERSION_LAST;
       raw >= BAREPROF_RAW_VERSION_FIRST; raw--) {
    error = functions_read(functions, elf, header->version | raw);
    if (!error)
      break;
    functions_free(functions);
  }
  return error;
}

void functions_print_gaps(const struct snapshot *snapshot, const char *elf_name,
                          const struct elf *elf) {
  static const char *const profile[] = {
      "words of records", "counters",         "bitmap bytes",
      "bytes of names",   "words of vtables", "bytes of vtable names",
      "value slots"};
  static const char *const mip[] = {"words of the header", "raw bytes",
                                    "bytes of edges"};
  static const char *const samples[] = {"entries", "numbers"};
  unsigned kind = snapshot->header.kind;
  const char *const *names = kind == BAREPROF_KIND_MIP       ? mip
                             : kind == BAREPROF_KIND_SAMPLES ? samples
                                                             : profile;
  struct image_functions functions = {0};
  struct snapshot_gap hole = {0, 0, 0};
  size_t count = 0;
  if (names != profile)
    elf = NULL; /* dumps of MIP and samples lack functions */
  if (elf && !elf_has_build_id(elf, header_build_id(&snapshot->header))) {
    report(elf_name,
           "the dump is from another build; pass the ELF that sent the dump");
  } else if (elf) {
    const char *error =
        read_functions_of_dump(&functions, elf, &snapshot->header);
    if (error)
      report(elf_name, "%s", error);
  }
  for (; snapshot_find_gap(snapshot, &hole); hole.first += hole.count) {
    const struct dump_header *header = &snapshot->header;
    if (count++ >= HOLES_MOST)
      continue;
    fprintf(stderr,
            "  missing: %" PRIu32 " of %" PRIu64 " %s, from %" PRIu32 " on",
            hole.count,
            header->pieces[hole.piece].size /
                header_element_size(header, hole.piece),
            names[hole.piece], hole.first);
    print_functions_in_gap(&functions, &hole);
    fputc('\n', stderr);
  }
  if (count > HOLES_MOST)
    fprintf(stderr, "  and %zu more\n", count - HOLES_MOST);
  functions_free(&functions);
}
