/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as frames. docs/wire-format.md describes the format. The sampler is
 * held until the end, so that all is of one instant.
 */
#include "wire.h"
#include "sampler.h"

/* Of a free place only the count, which comes first. */
static void put_entry(struct bareprof_stream *stream, const uintptr_t *entry,
                      uintptr_t *origin) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  unsigned addresses = sampler->width / sizeof *entry;
  if (sampler->flags & BAREPROF_SAMPLES_FOLDED) {
    addresses--;
    bareprof_coder_put(stream, entry[2]);
    if (entry[2] == 0)
      return;
  }
  for (unsigned i = 0; i < addresses; i++) {
    bareprof_coder_put(stream, bareprof_zigzag((intptr_t)(entry[i] - *origin)));
    if (*origin == 0)
      *origin = entry[0];
  }
}

/* A ring that has been round begins with the one to be overwritten next. */
static void put_entries(struct bareprof_stream *stream) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  const struct bareprof_span *span = &stream->image->records;
  uint32_t left = (uint32_t)bareprof_span_size(span);
  uint32_t at = left == sampler->size ? sampler->state->since.next : 0;
  size_t first = 0;
  while (left) {
    uintptr_t origin = 0;
    bareprof_data_begin(
        stream, BAREPROF_FRAME_DATA | BAREPROF_PIECE_RECORDS << 3, first);
    do {
      put_entry(stream, bareprof_sampler_entry(at), &origin);
      at += sampler->width;
      if (at == sampler->size)
        at = 0;
      left -= sampler->width;
      first++;
    } while (left && bareprof_frame_room(stream));
    bareprof_data_end(stream);
  }
}

static int send(const struct bareprof_sink *out, unsigned options) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  struct bareprof_samples header;
  bareprof_sampler_header(&header);
  const unsigned char *begin = sampler->entries;
  const unsigned char *end = begin + header.entries * sampler->width;
  const uint64_t version = BAREPROF_SAMPLES_VERSION |
                           (uint32_t)header.flags << 16 |
                           (uint64_t)header.chain << 32;
  const uint64_t numbers[] = {header.period, header.lost, header.taken};
  const struct bareprof_image image = {
      .version = &version,
      .records = {begin, end},
      .counters = {(const unsigned char *)numbers,
                   (const unsigned char *)(numbers + 3)},
      .build_id = {__bareprof_build_id_start, __bareprof_build_id_end}};
  options &= ~BAREPROF_LEAN;
  options |= BAREPROF_KIND_SAMPLES << BAREPROF_WIRE_KIND_SHIFT;
  return bareprof_send_as(
      &image, out, options,
      options & BAREPROF_BINARY ? bareprof_binary : bareprof_text, put_entries);
}

int bareprof_sampler_send(const struct bareprof_sink *out, unsigned options) {
  if (!&seam_sampler || seam_sampler.state->since.kept == 0)
    return BAREPROF_E_EMPTY;
  struct bareprof_sampler_state *state = seam_sampler.state;
  unsigned level = bareprof_sampler_hold(state);
  int error = send(out, options);
  bareprof_sampler_release(state, level);
  return error;
}
