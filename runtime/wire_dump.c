/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps as frames. A compact dump is lean: its first frame identifies the
 * build and the dump, all frames have counts, and the host finds everything
 * else in the ELF. A full or mixed dump has a header frame, data frames, and an
 * end frame; wire_full.c sends the other pieces of a full dump. wire_request.c
 * receives requests, and tools/wire decodes the frames on the host. The page
 * docs/reference/wire-format.md describes the format.
 */
#include "wire.h"
#include "weak_hooks.h"

/* ---- counts: the counters, then the bytes of the bitmap ---- */

/* In an image of Machine IR Profile without a raw section, the counters begin
 * 24 bytes after their end. */
int bareprof_dump_check(const struct bareprof_image *image) {
  if ((uintptr_t)image->counters.begin >= (uintptr_t)image->counters.end)
    return image->counters.end ? BAREPROF_E_EMPTY : BAREPROF_E_NO_BOUNDS;
  if (image->guard &&
      (uint32_t)*image->guard != bareprof_expected_guard_half(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}

/* Counters come first, then the bytes of the bitmap. */
static uint64_t read_next_count(struct bareprof_stream *stream) {
  const struct bareprof_image *image = stream->image;
  size_t at = stream->at++;
  if (at >= stream->counters)
    return image->bitmap.begin[at - stream->counters];
  const unsigned char *counter = image->counters.begin + (at << stream->shift);
  if (stream->shift == 2)
    return bareprof_load32(image, counter);
  return stream->shift ? bareprof_read_counter(counter) : *counter;
}

/* Returns the flags NARROW and FOLDED. If the program calls bareprof_fold,
 * counters are sent as they are in memory; the host converts them to counts. */
static inline unsigned find_width_flags(void) {
  return (unsigned)((uintptr_t)&hook_counters_32 | (uintptr_t)&hook_fold_width);
}

/* `state` is a hash of the counts. The hash omits the ordinal and the boot
 * number: so two dumps of the same counts have the same hash, and the host can
 * fill gaps in one from the other. The upper half of the guard word (`half`)
 * has ordinal and boot number. If an interrupt sends a dump between load and
 * store of `half`, both dumps get the same ordinal, which the host accepts. */
unsigned bareprof_dump_prepare(struct bareprof_stream *stream,
                               uint32_t reason) {
  const struct bareprof_image *image = stream->image;
  unsigned shift = bareprof_counter_memory_shift(image);
  stream->shift = shift;
  stream->counters = bareprof_span_size(&image->counters) >> shift;
  stream->counts = stream->counters + bareprof_span_size(&image->bitmap);
  uint32_t state = stream->options + reason;
  while (stream->at != stream->counts)
    state = bareprof_hash_add_count(state, read_next_count(stream));
  stream->at = 0;
  stream->dump = state >> 16;
  state <<= 16;
  volatile bareprof_any32 *half = bareprof_guard_upper_half(image);
  if (half) {
    uint32_t high = *half + BAREPROF_ORDINAL_ONE;
    *half = high;
    state |= high >> BAREPROF_ORDINAL_AT << 8;
    if (stream->options >> 16 == 0)
      stream->options |= high << 16;
  }
  stream->place = state;
  return find_width_flags();
}

struct bareprof_stream *bareprof_counts_put(struct bareprof_stream *stream) {
  for (;;) {
    do
      stream = bareprof_coder_put(stream, read_next_count(stream));
    while (stream->at != stream->counts && bareprof_frame_has_room(stream));
    stream = bareprof_data_end(stream);
    if (stream->at == stream->counts)
      return stream;
    stream = bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, stream->at);
  }
}

/* ---- compact dumps ---- */

void bareprof_dump_compact(struct bareprof_stream *stream, uint32_t tag) {
  const struct bareprof_image *image = stream->image;
  unsigned head = BAREPROF_FRAME_LEAN | BAREPROF_LEAN_FORMAT;
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    head |= BAREPROF_LEAN_BIG_ENDIAN;
  head |= bareprof_dump_prepare(stream, tag);
  stream = bareprof_frame_begin(stream, head);
  uint32_t place = stream->place | BAREPROF_WIRE_FORMAT |
                   stream->shift << BAREPROF_LEAN_FORMAT_WIDTH;
  stream->seed = place;
  stream = bareprof_frame_put_word(stream, place);
  unsigned at = 16; /* the size of the note's head and name */
  do
    stream = bareprof_frame_put_byte(stream, image->build_id.begin[at]);
  while (++at != 16 + BAREPROF_LEAN_ID);
  stream = bareprof_frame_put_varint(stream, stream->options >> 8);
  stream = bareprof_frame_put_varint(stream, tag);
  stream = bareprof_frame_put_varint(stream, stream->counters);
  stream = bareprof_frame_put_varint(stream, stream->counts - stream->counters);
  bareprof_counts_put(stream);
}

int bareprof_send_lean(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .encoding = encoding, .options = options};
  int error = bareprof_lean_check(image);
  if (error)
    return bareprof_send_refusal(&stream, error);
  (hook_dump_compact_or_mixed ? hook_dump_compact_or_mixed
                              : bareprof_dump_compact)(&stream, 0);
  return stream.error;
}

/* ---- full and mixed dumps ---- */

/* Puts size and address of each piece that is not empty. An address is sent as
 * the distance from the end of the piece before, which is usually small. */
static void put_header_pieces(struct bareprof_stream *stream) {
  uintptr_t end = 0;
  for (unsigned i = 0; i < BAREPROF_SPANS; i++) {
    const struct bareprof_span *piece = &stream->image->pieces[i];
    uintptr_t address = bareprof_begin_address(piece);
    size_t size = bareprof_span_size(piece);
    unsigned lean = 0;
    if (size == 0)
      continue;
    if (i == BAREPROF_PIECE_COUNTERS || i == BAREPROF_PIECE_BITMAP)
      address -= bareprof_moved_distance(stream->image);
    else
      lean = stream->options & BAREPROF_LEAN;
    bareprof_header_put_piece(stream, 2 * i + lean / BAREPROF_LEAN, size,
                              address - end);
    end = address + size;
  }
}

void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason) {
  const struct bareprof_image *image = stream->image;
  stream->options |= bareprof_dump_prepare(stream, reason);
  bareprof_header_begin(stream, reason, *image->version, &image->build_id);
  put_header_pieces(stream);
  /* This call is the last statement, so that the compiler can jump to the
   * function and needs no stack for a return. */
  (hook_header_end_with_slots ? hook_header_end_with_slots
                              : bareprof_frame_end)(stream);
}

void bareprof_dump_counts(struct bareprof_stream *stream, size_t first,
                          size_t end) {
  size_t all = stream->counts;
  if (end > all)
    end = all;
  if (first >= end)
    return;
  stream->at = first;
  stream->counts = end;
  stream = bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, first);
  stream = bareprof_counts_put(stream);
  stream->counts = all;
}

void bareprof_dump_end(struct bareprof_stream *stream) {
  stream = bareprof_data_begin(stream, BAREPROF_FRAME_END, stream->frames);
  stream = bareprof_frame_put_varint(stream, stream->sum);
  bareprof_frame_end(stream);
}

void bareprof_dump_mixed(struct bareprof_stream *stream, uint32_t tag) {
  bareprof_dump_begin(stream, 2 * tag);
  bareprof_dump_counts(stream, 0, SIZE_MAX);
  bareprof_dump_end(stream);
}

/* ---- the name of the next dump ---- */

int bareprof_send_name_as(const struct bareprof_sink *out, unsigned options,
                          const char *name, bareprof_encoding *encoding) {
  struct bareprof_stream stream = {.image = &bareprof_running,
                                   .sink = out,
                                   .encoding = encoding,
                                   .options = options};
  /* Without instrumented code, as in a release, nothing is sent. */
  if (stream.image->counters.begin == stream.image->counters.end)
    return BAREPROF_E_EMPTY;
  bareprof_dump_prepare(&stream, 0);
  bareprof_answer_begin(&stream, 0, BAREPROF_COMMAND_NAME, 0);
  for (unsigned i = 0; i < BAREPROF_NAME_BYTES && name[i]; i++)
    bareprof_frame_put_byte(&stream, (unsigned char)name[i]);
  bareprof_frame_end(&stream);
  return stream.error;
}
