/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the raw profile of an image to a sink: header and pieces in file
 * order, without a buffer. image_layout.c checks the image first. The table row
 * of the image's raw version (image_layout.h) says which parts a profile has:
 *
 *   header | binary id | records | counters | pad | bitmap | pad | names |
 *   pad | vtable records | pad | vtable names | pad | value data
 *
 * Every piece begins at a multiple of 8, except that versions 7 and 8 do not
 * pad after byte counters.
 */
#include "weak_hooks.h"
#include "profraw_write.h"
#include "shared.h"

/* The sink gets up to this many counters in one call; the copy of each takes 8
 * bytes of stack. Several counters share a call, because a semihosting call
 * through a debug probe takes milliseconds, whatever its size. */
enum { COPIED_AT_ONCE = 8 };

struct bareprof_writer *bareprof_put_bytes(struct bareprof_writer *writer,
                                           const void *bytes, size_t size) {
  if (size && !writer->error)
    writer->error = bareprof_sink_put(writer->sink, bytes, size);
  BAREPROF_KEEP(writer); /* makes callers use the returned pointer */
  return writer;
}

struct bareprof_writer *bareprof_put64(struct bareprof_writer *writer,
                                       uint64_t value) {
  value = bareprof_to_image_order64(writer->profile.image, value);
  return bareprof_put_bytes(writer, &value, sizeof value);
}

struct bareprof_writer *bareprof_put_zeros(struct bareprof_writer *writer,
                                           size_t size) {
  static const unsigned char zeros[8];
  return bareprof_put_bytes(writer, zeros, size);
}

static struct bareprof_writer *put_padded(struct bareprof_writer *writer,
                                          const void *bytes, size_t size) {
  writer = bareprof_put_bytes(writer, bytes, size);
  return bareprof_put_zeros(writer, bareprof_padding(size));
}

static struct bareprof_writer *put_piece(struct bareprof_writer *writer,
                                         const struct bareprof_span *piece) {
  return put_padded(writer, piece->begin, bareprof_span_size(piece));
}

static size_t binary_ids_size(size_t id_size) {
  return id_size ? (id_size + 15) & ~(size_t)7 : 0;
}

/* Sends the counters from at to end in one call of the sink. If the raw version
 * has padding after counters, zeros follow; only byte counters need them. */
static inline struct bareprof_writer *
put_counter_bytes(struct bareprof_writer *writer, const unsigned char *at,
                  const unsigned char *end) {
  size_t size = (size_t)(end - at);
  if (bareprof_layout_of(&writer->profile)->bitmap_at)
    return put_padded(writer, at, size);
  return bareprof_put_bytes(writer, at, size);
}

#ifdef BAREPROF_FOREIGN
static struct bareprof_writer *
put_counters(struct bareprof_writer *writer,
             const struct bareprof_span *counters) {
  return put_counter_bytes(writer, counters->begin, counters->end);
}
#else
/* Sends copies of the counters. If a sink read the live counters byte by byte,
 * it could get half of a count before an increment and half after the
 * increment. Byte counters cannot be torn, and are sent without a copy. */
static struct bareprof_writer *
put_counters(struct bareprof_writer *writer,
             const struct bareprof_span *counters) {
  const unsigned char *at = counters->begin;
  const unsigned char *end = counters->end;
  uint64_t copy[COPIED_AT_ONCE];
  while (writer->profile.shift && at != end) {
    uint64_t *to = copy;
    do {
      *to++ = bareprof_read_counter(at);
      at += sizeof *copy;
    } while (to != copy + COPIED_AT_ONCE && at != end);
    size_t size = (size_t)((unsigned char *)to - (unsigned char *)copy);
    /* The asm makes each turn of the loop load the address again. Otherwise the
     * address would occupy a register during the loop, and the function would
     * need more stack. */
    void (*fold)(uint64_t *, size_t) = hook_unfold_counts;
    __asm__ volatile("" : "+r"(fold));
    if (fold)
      fold(copy, size / sizeof *copy);
    writer = bareprof_put_bytes(writer, copy, size);
  }
  return put_counter_bytes(writer, at, end);
}
#endif

/* HEADER_FIELDS has a bit for each header field that the archive's raw versions
 * have. INDEX_OF is a field's index in the array `header`, which has the fields
 * after the version word. */
#ifdef BAREPROF_ALL_ROWS
enum { ALL_ROWS = 1 };
#define HEADER_FIELDS ((UINT32_C(1) << BAREPROF_FIELDS) - 4)
#else
enum { ALL_ROWS = 0 };
#define FIELDS_OF_(version) BAREPROF_FIELDS_##version
#define FIELDS_OF(version) FIELDS_OF_(version)
#define HEADER_FIELDS FIELDS_OF(BAREPROF_RAW_VERSION)
#endif
#define INDEX_OF(field) \
  __builtin_popcount(HEADER_FIELDS &((UINT32_C(1) << (field)) - 1))
enum { INDEXES = INDEX_OF(BAREPROF_FIELDS) };

/* Sets a field of the header if the raw version has the field. SET is a macro,
 * because the index must be a constant even without optimisation. */
#define SET(field, value)                \
  do {                                   \
    if (row->fields >> (field)&1)        \
      header[INDEX_OF(field)] = (value); \
  } while (0)

/* Fills the header's fields from NUM_DATA to the last field. */
static inline void fill_header(const struct bareprof_profile *profile,
                               bareprof_word header[INDEXES]) {
  const struct bareprof_image *image = profile->image;
  /* Makes the compiler use a register that short instructions can address. */
  BAREPROF_KEEP(image);
  const struct bareprof_layout *row = bareprof_layout_of(profile);
  size_t bitmap = bareprof_span_size(&image->bitmap);
  /* Deltas count from the first record; in raw 7 they are addresses. */
  bareprof_word base = bareprof_begin_address(&image->records);
  if (row->fields & BAREPROF_ABSOLUTE)
    base = 0;
  base += bareprof_moved_distance(image);
  SET(BAREPROF_NUM_DATA, profile->record_count);
  SET(BAREPROF_NUM_COUNTERS,
      bareprof_span_size(&image->counters) >> profile->shift);
  SET(BAREPROF_PADDING_AFTER_COUNTERS, bareprof_counters_padding(image, row));
  SET(BAREPROF_COUNTERS_DELTA,
      bareprof_truncate_address(
          image, bareprof_begin_address(&image->counters) - base));
  SET(BAREPROF_NUM_BITMAP_BYTES, bitmap);
  SET(BAREPROF_PADDING_AFTER_BITMAP, bareprof_padding(bitmap));
  SET(BAREPROF_BITMAP_DELTA,
      bareprof_truncate_address(image,
                                bareprof_begin_address(&image->bitmap) - base));
  SET(BAREPROF_NAMES_SIZE, bareprof_span_size(&image->names));
  SET(BAREPROF_NAMES_DELTA, bareprof_begin_address(&image->names));
  SET(BAREPROF_NUM_VTABLES,
      BAREPROF_VTABLES(image, bareprof_span_size(&image->vtables)));
  SET(BAREPROF_VTABLE_NAMES_SIZE, bareprof_span_size(&image->vtable_names));
  SET(BAREPROF_VALUE_KIND_LAST, row->kinds - 1u);
}

/* Sends the header's fields, then the size of the build id if there is one. */
static inline struct bareprof_writer *
put_header_fields(struct bareprof_writer *writer, const bareprof_word *header,
                  size_t id_size) {
  uint32_t fields =
      bareprof_layout_of(&writer->profile)->fields >> BAREPROF_BINARY_IDS_SIZE;
  const bareprof_word *end = header + INDEXES;
  do {
    if (!ALL_ROWS || fields & 1)
      writer = bareprof_put64(writer, *header);
    fields >>= 1;
  } while (++header != end);
  if (id_size)
    writer = bareprof_put64(writer, id_size);
  return writer;
}

/* put_header is a function, so that the array `header` is off the stack before
 * put_counters needs stack. */
static inline struct bareprof_writer *put_header(struct bareprof_writer *writer,
                                                 size_t id_size) {
  const struct bareprof_image *image = writer->profile.image;
  bareprof_word header[INDEXES] = {0};
  fill_header(&writer->profile, header);
  header[INDEX_OF(BAREPROF_BINARY_IDS_SIZE)] = binary_ids_size(id_size);
  writer = bareprof_put64(
      writer, BAREPROF_MAGIC_WORD(bareprof_pointer_size(image) == 8));
  writer = bareprof_put64(writer, *image->version);
  return put_header_fields(writer, header, id_size);
}

void bareprof_put_profile(struct bareprof_writer *writer) {
  const struct bareprof_image *image = writer->profile.image;
  size_t id_size = bareprof_build_id_size(image);
  writer = put_header(writer, id_size);
  /* In an image without a build id, begin is NULL, and C does not define an
   * addition to NULL. So the address is computed as a number. */
  uintptr_t id = (uintptr_t)image->build_id.begin + 16;
  writer = put_padded(writer, (const unsigned char *)id, id_size);
  writer = put_piece(writer, &image->records);
  writer = put_counters(writer, &image->counters);
  const struct bareprof_span *piece = &image->pieces[BAREPROF_PIECE_BITMAP];
  while (piece != &image->pieces[BAREPROF_SPANS])
    writer = put_piece(writer, piece++);
}

int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink) {
  union bareprof_check_or_writer dump;
  int error = bareprof_check_image(image, &dump.check);
  if (error)
    return error;
  bareprof_writer_begin(&dump.writer, sink);
  if (dump.writer.profile.sites)
    hook_values_write(&dump.writer);
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
  return bareprof_header_size(bareprof_layout_of(profile)) +
         binary_ids_size(bareprof_build_id_size(profile->image)) +
         bareprof_span_size(&profile->image->records);
}

/* ---- the running image ---- */

#ifndef BAREPROF_FOREIGN

int bareprof_write(const struct bareprof_sink *sink) {
  return bareprof_write_image(&bareprof_running, sink);
}

size_t bareprof_size(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {bareprof_count_bytes, &size};
  return bareprof_write_image(&bareprof_running, &sink) ? 0 : size;
}

int bareprof_memory_write(void *memory, const void *bytes, size_t size) {
  struct bareprof_memory *to = memory;
  if (size > (uintptr_t)to->end - (uintptr_t)to->next)
    return BAREPROF_MEMORY_FULL;
  __builtin_memcpy(to->next, bytes, size);
  to->next += size;
  return 0;
}

#endif
