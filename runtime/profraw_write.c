/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw profile: header and pieces, in file order, to a sink. Nothing is
 * buffered. image_layout.c says which parts a version has.
 *
 *   header | binary id | records | counters | pad | bitmap | pad | names |
 *   pad | vtable records | pad | vtable names | pad | value data
 *
 * Every piece begins at a multiple of 8, except pieces after counters of one
 * byte in versions 7 and 8: these versions do not pad there.
 */
#include "seams.h"
#include "profraw_write.h"

/* Counters that go to the sink in one call, 8 bytes of stack each: a
 * semihosting call takes a probe milliseconds, whatever its size. */
enum { COPIED_AT_ONCE = 8 };

void bareprof_put(struct bareprof_writer *writer, const void *bytes,
                  size_t size) {
  if (size && !writer->error)
    writer->error = writer->sink->write(writer->sink->context, bytes, size);
}

void bareprof_put64(struct bareprof_writer *writer, uint64_t value) {
  value = bareprof_order64(writer->profile.image, value);
  bareprof_put(writer, &value, sizeof value);
}

void bareprof_put_zeros(struct bareprof_writer *writer, size_t size) {
  bareprof_put(writer, writer->zeros, size);
}

static void put_padded(struct bareprof_writer *writer, const void *bytes,
                       size_t size) {
  bareprof_put(writer, bytes, size);
  bareprof_put_zeros(writer, bareprof_padding(size));
}

static void put_piece(struct bareprof_writer *writer,
                      const struct bareprof_span *piece) {
  put_padded(writer, piece->begin, bareprof_span_size(piece));
}

static size_t binary_ids_size(size_t id_size) {
  return id_size ? (id_size + 15) & ~(size_t)7 : 0;
}

#ifdef BAREPROF_FOREIGN
static void put_counters(struct bareprof_writer *writer) {
  const struct bareprof_span *counters = &writer->profile.image->counters;
  bareprof_put(writer, counters->begin, bareprof_span_size(counters));
}
#else
/* Copies first, so that the sink gets untorn counters: the sink may read them
 * in any way. Counters of one byte cannot be torn. */
static void put_counters(struct bareprof_writer *writer) {
  const unsigned char *at = writer->profile.image->counters.begin;
  const unsigned char *end = writer->profile.image->counters.end;
  uint64_t copy[COPIED_AT_ONCE];
  while (writer->profile.shift && at != end) {
    size_t count = 0;
    do {
      copy[count++] = bareprof_read_counter(at);
      at += sizeof *copy;
    } while (count != COPIED_AT_ONCE && at != end);
    /* In no register of the whole loop, which would cost stack. */
    void (*fold)(uint64_t *, size_t) = seam_fold_counts;
    __asm__ volatile("" : "+r"(fold));
    if (fold)
      fold(copy, count);
    bareprof_put(writer, copy, count * sizeof *copy);
  }
  bareprof_put(writer, at, (size_t)(end - at));
}
#endif

/* Sets a field, if the version has the field. */
static inline void set(bareprof_word header[BAREPROF_PLACES],
                       const struct bareprof_layout *layout,
                       enum bareprof_field field, bareprof_word value) {
  if (layout->fields >> field & 1)
    header[BAREPROF_PLACE(field)] = value;
}

/* The fields from NUM_DATA on. Returns the zeros behind the counters. */
static inline size_t fill_header(const struct bareprof_profile *profile,
                                 bareprof_word header[BAREPROF_PLACES]) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *row = bareprof_row(profile);
  size_t padding = bareprof_counters_padding(image, row);
  size_t bitmap = bareprof_span_size(&image->bitmap);
  bareprof_word base = bareprof_address(&image->records);
  if (row->fields & BAREPROF_ABSOLUTE)
    base = 0;
  base += bareprof_bias(image);
  set(header, row, BAREPROF_NUM_DATA, profile->record_count);
  set(header, row, BAREPROF_NUM_COUNTERS,
      bareprof_span_size(&image->counters) >> profile->shift);
  set(header, row, BAREPROF_PADDING_AFTER_COUNTERS, padding);
  set(header, row, BAREPROF_COUNTERS_DELTA,
      bareprof_cut(image, bareprof_address(&image->counters) - base));
  set(header, row, BAREPROF_NUM_BITMAP_BYTES, bitmap);
  set(header, row, BAREPROF_PADDING_AFTER_BITMAP, bareprof_padding(bitmap));
  set(header, row, BAREPROF_BITMAP_DELTA,
      bareprof_cut(image, bareprof_address(&image->bitmap) - base));
  set(header, row, BAREPROF_NAMES_SIZE, bareprof_span_size(&image->names));
  set(header, row, BAREPROF_NAMES_DELTA, bareprof_address(&image->names));
  set(header, row, BAREPROF_NUM_VTABLES,
      bareprof_span_size(&image->vtables) / bareprof_vtable_size(image));
  set(header, row, BAREPROF_VTABLE_NAMES_SIZE,
      bareprof_span_size(&image->vtable_names));
  set(header, row, BAREPROF_VALUE_KIND_LAST, row->kinds - 1u);
  return padding;
}

static inline void put_fields(struct bareprof_writer *writer,
                              const bareprof_word header[BAREPROF_PLACES]) {
#ifdef BAREPROF_ALL_ROWS
  uint32_t fields =
      bareprof_row(&writer->profile)->fields >> BAREPROF_BINARY_IDS_SIZE;
  for (; fields; fields >>= 1, header++)
    if (fields & 1)
      bareprof_put64(writer, *header);
#else
  for (unsigned i = 0; i < BAREPROF_PLACES; i++)
    bareprof_put64(writer, header[i]);
#endif
}

/* The header's fields are gone from the stack when counters are copied to
 * it. */
static inline size_t put_header(struct bareprof_writer *writer,
                                size_t id_size) {
  const struct bareprof_image *image = writer->profile.image;
  bareprof_word header[BAREPROF_PLACES] = {0};
  size_t padding = fill_header(&writer->profile, header);
  header[BAREPROF_PLACE(BAREPROF_BINARY_IDS_SIZE)] = binary_ids_size(id_size);
  bareprof_put64(writer,
                 BAREPROF_MAGIC_WORD(bareprof_pointer_size(image) == 8));
  bareprof_put64(writer, *image->version);
  put_fields(writer, header);
  return padding;
}

void bareprof_put_profile(struct bareprof_writer *writer) {
  const struct bareprof_image *image = writer->profile.image;
  size_t id_size = bareprof_build_id_size(image);
  size_t padding = put_header(writer, id_size);
  if (id_size) {
    bareprof_put64(writer, id_size);
    put_padded(writer, image->build_id.begin + 16, id_size);
  }
  put_piece(writer, &image->records);
  put_counters(writer);
  bareprof_put_zeros(writer, padding);
  const struct bareprof_span *piece = &image->pieces[BAREPROF_PIECE_BITMAP];
  while (piece != &image->pieces[BAREPROF_SPANS])
    put_piece(writer, piece++);
}

int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink) {
  union bareprof_dump dump;
  int error = bareprof_check(image, &dump.check);
  if (error)
    return error;
  bareprof_begin(&dump.writer, sink);
  if (dump.writer.profile.sites)
    seam_values_write(&dump.writer);
  else
    bareprof_put_profile(&dump.writer);
  return dump.writer.error;
}

size_t bareprof_header_size(const struct bareprof_layout *layout) {
  uint32_t fields = layout->fields >> BAREPROF_BINARY_IDS_SIZE;
  size_t size = 16;
  for (; fields; fields &= fields - 1)
    size += 8;
  return size;
}

size_t bareprof_counters_offset(const struct bareprof_profile *profile) {
  return bareprof_header_size(bareprof_row(profile)) +
         binary_ids_size(bareprof_build_id_size(profile->image)) +
         bareprof_span_size(&profile->image->records);
}
