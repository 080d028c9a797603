/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw profile: header and pieces, in file order, to a sink. Nothing is
 * buffered but the header, which lies on the stack and, once sent, serves to
 * copy the counters through. What a version has of it: layout.c.
 *
 *   header | binary id | records | counters | pad | bitmap | pad | names |
 *   pad | vtable records | pad | vtable names | pad | value data
 *
 * Every piece begins at a multiple of 8 but in versions 7 and 8, which do
 * not pad after counters of one byte.
 */
#include "writer.h"


void bareprof_put(struct bareprof_out *out, const void *bytes, size_t size) {
  if (size && !out->error)
    out->error = out->sink->write(out->sink->context, bytes, size);
}

static void put_zeros(struct bareprof_out *out, size_t size) {
  static const uint64_t zero;
  bareprof_put(out, &zero, size);
}

static void put_padded(struct bareprof_out *out,
                       const struct bareprof_span *span) {
  size_t size = bareprof_span_size(span);
  bareprof_put(out, span->begin, size);
  put_zeros(out, bareprof_padding(size));
}

size_t bareprof_counters_padding(const struct bareprof_image *image,
                                 const struct bareprof_layout *layout) {
  return bareprof_has_bitmap(layout)
             ? bareprof_padding(bareprof_span_size(&image->counters))
             : 0;
}

/* The build id in a note: u32 name size, id size, type, "GNU", id. Empty
 * where there is no note or its sizes do not fit. */
static struct bareprof_span build_id(const struct bareprof_image *image) {
  struct bareprof_span id = image->build_id;
  size_t size = bareprof_span_size(&id);
  if (size > 16) {
    uint32_t id_size = bareprof_load32(image, id.begin + 4);
    id.begin += 16;
    if (id_size <= size - 16)
      id.end = id.begin + id_size;
  }
  return id;
}

#if !defined BAREPROF_FOREIGN && UINTPTR_MAX == UINT32_MAX
/* A 32-bit core reads a counter in two halves. If an interrupt counts in
 * between and carries, the high half has changed when looked at again. */
static uint64_t read_counter(const volatile uint32_t *halves) {
  enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
  uint32_t high, low;
  do {
    high = halves[HIGH];
    low = halves[!HIGH];
  } while (halves[HIGH] != high);
  return (uint64_t)high << 32 | low;
}

/* Copies the counters through buffer, so that the sink gets what was read
 * whole. Counters of one byte need no copy. */
static void put_counters(struct bareprof_out *out,
                         const struct bareprof_image *image,
                         uint64_t buffer[BAREPROF_FIELDS]) {
  const unsigned char *at = image->counters.begin;
  if (!bareprof_counter_shift(image)) {
    bareprof_put(out, at, (size_t)(image->counters.end - at));
    return;
  }
  while (at != image->counters.end) {
    size_t count = 0;
    do {
      buffer[count++] = read_counter((const volatile uint32_t *)(const void *)at);
      at += 8;
    } while (count != BAREPROF_FIELDS && at != image->counters.end);
    bareprof_put(out, buffer, 8 * count);
  }
}
#else
static void put_counters(struct bareprof_out *out,
                         const struct bareprof_image *image,
                         uint64_t buffer[BAREPROF_FIELDS]) {
  (void)buffer;
  bareprof_put(out, image->counters.begin,
               bareprof_span_size(&image->counters));
}
#endif

/* All header fields, each at its number. */
static void fill_header(const struct bareprof_image *image,
                        const struct bareprof_shape *shape,
                        uint64_t header[BAREPROF_FIELDS]) {
  bool wide = bareprof_pointer_size(image) == 8;
  bareprof_word records = bareprof_address(&image->records);
  bareprof_word base = shape->layout->absolute ? 0 : records;
  size_t counters = bareprof_span_size(&image->counters);
  size_t bitmap = bareprof_span_size(&image->bitmap);

  header[BAREPROF_MAGIC] = BAREPROF_MAGIC_WORD(wide);
  header[BAREPROF_VERSION_WORD] = *image->version;
  header[BAREPROF_NUM_DATA] = shape->record_count;
  header[BAREPROF_PADDING_BEFORE_COUNTERS] = 0;
  header[BAREPROF_NUM_COUNTERS] = counters >> bareprof_counter_shift(image);
  header[BAREPROF_PADDING_AFTER_COUNTERS] =
      bareprof_counters_padding(image, shape->layout);
  header[BAREPROF_NUM_BITMAP_BYTES] = bitmap;
  header[BAREPROF_PADDING_AFTER_BITMAP] = bareprof_padding(bitmap);
  header[BAREPROF_NUM_UNIFORM_COUNTERS] = 0;
  header[BAREPROF_PADDING_AFTER_UNIFORM] = 0;
  header[BAREPROF_UNIFORM_DELTA] = 0;
  header[BAREPROF_NAMES_SIZE] = bareprof_span_size(&image->names);
  header[BAREPROF_COUNTERS_DELTA] =
      bareprof_cut(image, bareprof_address(&image->counters) - base);
  header[BAREPROF_BITMAP_DELTA] =
      bareprof_cut(image, bareprof_address(&image->bitmap) - base);
  header[BAREPROF_NAMES_DELTA] = bareprof_address(&image->names);
  header[BAREPROF_NUM_VTABLES] =
      bareprof_span_size(&image->vtables) / (wide ? 24 : 16);
  header[BAREPROF_VTABLE_NAMES_SIZE] =
      bareprof_span_size(&image->vtable_names);
  header[BAREPROF_VALUE_KIND_LAST] = shape->layout->kinds - 1u;
}

/* Leaves in header, in front, the fields that the version has, in the byte
 * order of the image. Returns their number. */
static size_t select_fields(const struct bareprof_image *image,
                            uint32_t fields,
                            uint64_t header[BAREPROF_FIELDS]) {
  size_t count = 0;
  for (unsigned field = 0; field < BAREPROF_FIELDS; field++)
    if (fields >> field & 1)
      header[count++] = bareprof_order64(image, header[field]);
  return count;
}

static size_t binary_ids_size(size_t id_size) {
  return id_size ? 8 + id_size + bareprof_padding(id_size) : 0;
}

size_t bareprof_counters_offset(const struct bareprof_image *image,
                                const struct bareprof_shape *shape) {
  struct bareprof_span id = build_id(image);
  size_t offset = binary_ids_size(bareprof_span_size(&id)) +
                  bareprof_span_size(&image->records);
  for (uint32_t fields = shape->layout->fields; fields; fields &= fields - 1)
    offset += 8;
  return offset;
}

static void put_profile(const struct bareprof_image *image,
                        const struct bareprof_shape *shape,
                        struct bareprof_out *out) {
  uint64_t header[BAREPROF_FIELDS];
  struct bareprof_span id = build_id(image);
  size_t id_size = bareprof_span_size(&id);

  fill_header(image, shape, header);
  header[BAREPROF_BINARY_IDS_SIZE] = binary_ids_size(id_size);
  bareprof_put(out, header,
               8 * select_fields(image, shape->layout->fields, header));
  if (id_size) {
    header[0] = bareprof_order64(image, id_size);
    bareprof_put(out, header, 8);
    put_padded(out, &id);
  }
  put_padded(out, &image->records);
  put_counters(out, image, header);
  put_zeros(out, bareprof_counters_padding(image, shape->layout));
  put_padded(out, &image->bitmap);
  put_padded(out, &image->names);
  put_padded(out, &image->vtables);
  put_padded(out, &image->vtable_names);
  if (shape->has_sites)
    bareprof_values_write(image, shape, out);
}

int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink) {
  struct bareprof_shape shape;
  struct bareprof_out out = {sink, bareprof_layout_check(image, &shape)};
  if (!out.error && shape.has_sites && !bareprof_values_write)
    out.error = BAREPROF_E_VALUES;
  if (!out.error)
    put_profile(image, &shape, &out);
  return out.error;
}
