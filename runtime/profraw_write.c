/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw profile: header and pieces, in file order, to a sink. Nothing is
 * buffered. What a version has of it: image_layout.c.
 *
 *   header | binary id | records | counters | pad | bitmap | pad | names |
 *   pad | vtable records | pad | vtable names | pad | value data
 *
 * Every piece begins at a multiple of 8, but in versions 7 and 8 those that
 * follow counters of one byte: these versions do not pad there.
 */
#include "seams.h"
#include "profraw_write.h"

/* Counters, of 8 bytes on the stack each, in one call of the sink: a call of
 * semihosting takes a probe milliseconds, however much it writes. */
enum { COPIED_AT_ONCE = 8 };

void bareprof_put(struct bareprof_dump *dump, const void *bytes, size_t size) {
  if (size && !dump->error)
    dump->error = dump->sink->write(dump->sink->context, bytes, size);
}

void bareprof_put64(struct bareprof_dump *dump, uint64_t value) {
  value = bareprof_order64(dump->image, value);
  bareprof_put(dump, &value, sizeof value);
}

/* Up to 7 zero bytes. */
static void put_zeros(struct bareprof_dump *dump, size_t size) {
  const uint64_t zero = 0;
  bareprof_put(dump, &zero, size);
}

static void put_padded(struct bareprof_dump *dump, const void *bytes,
                       size_t size) {
  bareprof_put(dump, bytes, size);
  put_zeros(dump, bareprof_padding(size));
}

static void put_piece(struct bareprof_dump *dump,
                      const struct bareprof_span *piece) {
  put_padded(dump, piece->begin, bareprof_span_size(piece));
}

static size_t binary_ids_size(size_t id_size) {
  return id_size ? 8 + id_size + bareprof_padding(id_size) : 0;
}

#ifdef BAREPROF_FOREIGN
static void put_counters(struct bareprof_dump *dump) {
  const struct bareprof_span *counters = &dump->image->counters;
  bareprof_put(dump, counters->begin, bareprof_span_size(counters));
}
#else
/* By way of a copy, so that the sink gets what was read whole: who knows how
 * it reads them. Counters of one byte are whole anyway. */
static void put_counters(struct bareprof_dump *dump) {
  const unsigned char *at = dump->image->counters.begin;
  const unsigned char *end = dump->image->counters.end;
  uint64_t copy[COPIED_AT_ONCE];
  while (dump->shift && at != end) {
    size_t count = 0;
    do {
      copy[count++] = bareprof_read_counter(at);
      at += sizeof *copy;
    } while (count != COPIED_AT_ONCE && at != end);
    bareprof_put(dump, copy, count * sizeof *copy);
  }
  bareprof_put(dump, at, (size_t)(end - at));
}
#endif

/* The fields from NUM_DATA on that are not 0 in some version. */
static void fill_header(const struct bareprof_dump *dump,
                        bareprof_word header[BAREPROF_FIELDS]) {
  const struct bareprof_image *image = dump->image;
  const struct bareprof_layout *layout = dump->layout;
  bareprof_word base = bareprof_address(&image->records);
  if (layout->fields & BAREPROF_ABSOLUTE)
    base = 0;
  base += bareprof_bias(image);
  header[BAREPROF_NUM_DATA] = dump->record_count;
  header[BAREPROF_NUM_COUNTERS] =
      bareprof_span_size(&image->counters) >> dump->shift;
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

/* bareprof_put_profile takes four members of the image in one loop. */
_Static_assert(offsetof(struct bareprof_image, vtable_names) -
                       offsetof(struct bareprof_image, bitmap) ==
                   3 * sizeof(struct bareprof_span),
               "bitmap, names, vtables, vtable_names follow each other");

/* The header's fields are gone from the stack when counters are copied to
 * it. */
static inline size_t put_header(struct bareprof_dump *dump, size_t id_size) {
  const struct bareprof_image *image = dump->image;
  bareprof_word header[BAREPROF_FIELDS] = {0};
  const bareprof_word *field = &header[BAREPROF_BINARY_IDS_SIZE];
  uint32_t fields = dump->layout->fields >> BAREPROF_BINARY_IDS_SIZE;
  fill_header(dump, header);
  header[BAREPROF_BINARY_IDS_SIZE] = binary_ids_size(id_size);
  bareprof_put64(dump, BAREPROF_MAGIC_WORD(bareprof_pointer_size(image) == 8));
  bareprof_put64(dump, *image->version);
  for (; fields; fields >>= 1, field++)
    if (fields & 1)
      bareprof_put64(dump, *field);
  return (size_t)header[BAREPROF_PADDING_AFTER_COUNTERS];
}

void bareprof_put_profile(struct bareprof_dump *dump) {
  const struct bareprof_image *image = dump->image;
  size_t id_size = bareprof_build_id_size(image);
  size_t padding = put_header(dump, id_size);
  if (id_size) {
    bareprof_put64(dump, id_size);
    put_padded(dump, image->build_id.begin + 16, id_size);
  }
  put_piece(dump, &image->records);
  put_counters(dump);
  put_zeros(dump, padding);
  for (size_t piece = offsetof(struct bareprof_image, bitmap);
       piece <= offsetof(struct bareprof_image, vtable_names);
       piece += sizeof(struct bareprof_span))
    put_piece(dump, (const void *)((const char *)image + piece));
}

int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink) {
  struct bareprof_dump dump = {.image = image, .sink = sink};
  int error = bareprof_check(&dump);
  if (error)
    return error;
  if (dump.sites)
    seam_values_write(&dump);
  else
    bareprof_put_profile(&dump);
  return dump.error;
}

size_t bareprof_header_size(const struct bareprof_layout *layout) {
  uint32_t fields = layout->fields >> BAREPROF_BINARY_IDS_SIZE;
  size_t size = 16;
  for (; fields; fields &= fields - 1)
    size += 8;
  return size;
}

size_t bareprof_counters_offset(const struct bareprof_dump *dump) {
  return bareprof_header_size(dump->layout) +
         binary_ids_size(bareprof_build_id_size(dump->image)) +
         bareprof_span_size(&dump->image->records);
}
