/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of all dumps: counters, followed by the bytes of the bitmap,
 * as one row of elements. docs/wire-format.md describes the format.
 */
#include "wire.h"
#include "weak_hooks.h"

int bareprof_dump_check(const struct bareprof_image *image) {
  if (image->counters.begin == image->counters.end)
    return image->counters.end ? BAREPROF_E_EMPTY : BAREPROF_E_NO_BOUNDS;
  if (image->guard && (uint32_t)*image->guard != bareprof_guard_word(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}

static uint64_t next_count(struct bareprof_stream *stream) {
  const struct bareprof_image *image = stream->image;
  size_t at = stream->at++;
  if (at >= stream->counters)
    return image->bitmap.begin[at - stream->counters];
  const unsigned char *counter = image->counters.begin + (at << stream->shift);
  if (stream->shift == 2)
    return bareprof_load32(image, counter);
  return stream->shift ? bareprof_read_counter(counter) : *counter;
}

/* The flags of a counter's width. The receiver makes counts of folded counters,
 * because that is smaller than here. Folded counters may count with 32 bits or
 * 64. */
static inline unsigned widths(void) {
  return (unsigned)((uintptr_t)&hook_counters_32 | (uintptr_t)&hook_fold_width);
}

/* A reset, or a count in between, gives another state. Ordinal and number of
 * the start are no part of it: two dumps of the same counts can complete each
 * other. Both are in the upper half of the guard. If an interrupt sends between
 * the two accesses, both dumps have one ordinal; a receiver takes that as one.
 */
unsigned bareprof_dump_number(struct bareprof_stream *stream, uint32_t reason) {
  const struct bareprof_image *image = stream->image;
  unsigned shift = bareprof_memory_shift(image);
  stream->shift = shift;
  stream->counters = bareprof_span_size(&image->counters) >> shift;
  stream->counts = stream->counters + bareprof_span_size(&image->bitmap);
  uint32_t state = stream->options + reason;
  while (stream->at != stream->counts)
    state = bareprof_state_step(state, next_count(stream));
  stream->at = 0;
  stream->dump = state >> 16;
  state <<= 16;
  volatile bareprof_any32 *half = bareprof_guard_half(image);
  if (half) {
    uint32_t high = *half + BAREPROF_ORDINAL_ONE;
    *half = high;
    uint32_t ordinal = high >> BAREPROF_ORDINAL_AT;
    BAREPROF_KEEP(ordinal);
    state |= ordinal << 8;
    if (stream->options >> 16 == 0)
      stream->options |= high << 16;
  }
  stream->place = state;
  return widths();
}

struct bareprof_stream *bareprof_counts_put(struct bareprof_stream *stream) {
  for (;;) {
    do
      stream = bareprof_coder_put(stream, next_count(stream));
    while (stream->at != stream->counts && bareprof_frame_room(stream));
    stream = bareprof_data_end(stream);
    if (stream->at == stream->counts)
      return stream;
    stream = bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, stream->at);
  }
}
