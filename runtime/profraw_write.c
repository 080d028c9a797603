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

/* Up to 7 zero bytes. */
static void put_zeros(struct bareprof_writer *writer, size_t size) {
  const uint64_t zero = 0;
  bareprof_put(writer, &zero, size);
}

static void put_padded(struct bareprof_writer *writer, const void *bytes,
                       size_t size) {
  bareprof_put(writer, bytes, size);
  put_zeros(writer, bareprof_padding(size));
}

static void put_piece(struct bareprof_writer *writer,
                      const struct bareprof_span *piece) {
  put_padded(writer, piece->begin, bareprof_span_size(piece));
}

static size_t binary_ids_size(size_t id_size) {
  return id_size ? 8 + id_size + bareprof_padding(id_size) : 0;
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

/* The fields from NUM_DATA on that are not 0 in some version. */
static void fill_header(const struct bareprof_profile *profile,
                        bareprof_word header[BAREPROF_FIELDS]) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = profile->layout;
  bareprof_word base = bareprof_address(&image->records);
  if (layout->fields & BAREPROF_ABSOLUTE)
    base = 0;
  base += bareprof_bias(image);
  header[BAREPROF_NUM_DATA] = profile->record_count;
  header[BAREPROF_NUM_COUNTERS] =
      bareprof_span_size(&image->counters) >> profile->shift;
  header[BAREPROF_PADDING_AFTER_COUNTERS] =
      bareprof_counters_padding(image, layout);
  header[BAREPROF_COUNTERS_DELTA] =
      bareprof_cut(image, bareprof_address(&image->counters) - base);
  size_t bitmap = bareprof_span_size(&image->bitmap);
  header[BAREPROF_NUM_BITMAP_BYTES] = bitmap;
  header[BAREPROF_PADDING_AFTER_BITMAP] = bareprof_padding(bitmap);
  header[BAREPROF_BITMAP_DELTA] =
      bareprof_cut(image, bareprof_address(&image->bitmap) - base);
  header[BAREPROF_NAMES_SIZE] = bareprof_span_size(&image->names);
  header[BAREPROF_NAMES_DELTA] = bareprof_address(&image->names);
  header[BAREPROF_NUM_VTABLES] =
      bareprof_span_size(&image->vtables) / bareprof_vtable_size(image);
  header[BAREPROF_VTABLE_NAMES_SIZE] = bareprof_span_size(&image->vtable_names);
  header[BAREPROF_VALUE_KIND_LAST] = layout->kinds - 1u;
}

/* The header's fields are gone from the stack when counters are copied to
 * it. */
static inline size_t put_header(struct bareprof_writer *writer,
                                size_t id_size) {
  const struct bareprof_image *image = writer->profile.image;
  bareprof_word header[BAREPROF_FIELDS] = {0};
  const bareprof_word *field = &header[BAREPROF_BINARY_IDS_SIZE];
  uint32_t fields = writer->profile.layout->fields >> BAREPROF_BINARY_IDS_SIZE;
  fill_header(&writer->profile, header);
  header[BAREPROF_BINARY_IDS_SIZE] = binary_ids_size(id_size);
  bareprof_put64(writer,
                 BAREPROF_MAGIC_WORD(bareprof_pointer_size(image) == 8));
  bareprof_put64(writer, *image->version);
  for (; fields; fields >>= 1, field++)
    if (fields & 1)
      bareprof_put64(writer, *field);
  return (size_t)header[BAREPROF_PADDING_AFTER_COUNTERS];
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
  put_zeros(writer, padding);
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
  dump.writer.sink = sink;
  dump.writer.error = 0;
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
  return bareprof_header_size(profile->layout) +
         binary_ids_size(bareprof_build_id_size(profile->image)) +
         bareprof_span_size(&profile->image->records);
}
