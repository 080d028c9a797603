/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends samples as frames, also on the host's request. The frames have a
 * header, the entries that sampler_store.c has stored, and three totals. The
 * page docs/reference/wire-format.md describes the format. The sampler is held
 * until the end, so that all frames show the same instant.
 */
#include "wire.h"
#include "sampler.h"
#include "shared.h"

/* The two pieces of a dump of samples: the entries, and three totals. */
enum { ENTRIES = BAREPROF_PIECE_RECORDS, TOTALS = BAREPROF_PIECE_COUNTERS };

/* Sends one entry. For an entry of a table, the count is sent first. If the
 * count is 0, the entry is free, and nothing else is sent. */
static void put_sample_entry(struct bareprof_stream *stream,
                             const uintptr_t *entry, uintptr_t *origin) {
  const struct bareprof_sampler *sampler = &hook_sampler;
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

/* Sends the first `left` bytes of entries. In a ring that has wrapped, the
 * oldest entry is sent first. */
static void put_sample_entries(struct bareprof_stream *stream, uint32_t left) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uint32_t at = left == sampler->size ? sampler->state->since.next : 0;
  size_t first = 0;
  while (left) {
    uintptr_t origin = 0;
    bareprof_data_begin(stream, BAREPROF_FRAME_DATA | ENTRIES << 3, first);
    do {
      put_sample_entry(stream, bareprof_sampler_entry_at(at), &origin);
      at += sampler->width;
      if (at == sampler->size)
        at = 0;
      left -= sampler->width;
      first++;
    } while (left && bareprof_frame_has_room(stream));
    bareprof_data_end(stream);
  }
}

/* Returns a hash of the samples that are sent. The host tells dumps apart with
 * this hash. */
static uint32_t hash_samples(const struct bareprof_stream *stream,
                             uint32_t size,
                             const struct bareprof_samples *found) {
  uint32_t state = bareprof_hash_add_count(
      stream->options, (uint64_t)found->lost << 32 | found->taken);
  for (uint32_t at = 0; at != size; at += sizeof(uintptr_t))
    state = bareprof_hash_add_count(state, *bareprof_sampler_entry_at(at));
  return state;
}

/* Sends the header and the totals. Returns the size of the entries in bytes. */
static uint32_t put_head_and_totals(struct bareprof_stream *stream) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  const struct bareprof_span note = {__bareprof_build_id_start,
                                     __bareprof_build_id_end};
  struct bareprof_samples found;
  bareprof_sampler_fill_header(&found);
  const uint64_t totals[] = {found.period, found.lost, found.taken};
  const unsigned char *begin = (const unsigned char *)totals;
  uint32_t size = found.entries * sampler->width;
  uintptr_t entries = (uintptr_t)sampler->entries;
  stream->place = (uint32_t)++sampler->state->sent << 8;
  stream->dump = hash_samples(stream, size, &found) >> 16;
  bareprof_header_begin(stream, 0,
                        BAREPROF_SAMPLES_VERSION | (uint32_t)found.flags << 16 |
                            (uint64_t)found.chain << 32,
                        &note);
  bareprof_header_put_piece(stream, 2 * ENTRIES, size, entries);
  bareprof_header_put_piece(stream, 2 * TOTALS, sizeof totals,
                            (uintptr_t)begin - (entries + size));
  bareprof_frame_end(stream);
  bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, 0);
  for (unsigned i = 0; i < sizeof totals / sizeof *totals; i++)
    bareprof_coder_put(stream, totals[i]);
  bareprof_data_end(stream);
  return size;
}

int bareprof_sampler_send(const struct bareprof_sink *out, unsigned options) {
  if (!&hook_sampler || hook_sampler.state->since.kept == 0)
    return BAREPROF_E_EMPTY;
  struct bareprof_sampler_state *state = hook_sampler.state;
  options &= ~BAREPROF_LEAN;
  options |= BAREPROF_KIND_SAMPLES << BAREPROF_WIRE_KIND_SHIFT;
  struct bareprof_stream stream = {
      .sink = out,
      .encoding = options & BAREPROF_BINARY ? bareprof_binary : bareprof_text,
      .options = options};
  unsigned level = bareprof_sampler_hold(state);
  put_sample_entries(&stream, put_head_and_totals(&stream));
  bareprof_dump_end(&stream);
  bareprof_sampler_release(state, level);
  return stream.error;
}

/* ---- requests ----
 *
 * Requests for samples have their own image number, so that the code that
 * serves requests for profiles need not know about samples. */

static void send_answer(const struct bareprof_wire *wire, unsigned options,
                        int result) {
  struct bareprof_stream stream = {
      .sink = wire->out,
      .encoding = options & BAREPROF_BINARY ? bareprof_binary : bareprof_text,
      .options = options};
  bareprof_send_answer(
      &stream, wire,
      bareprof_request_load32(&wire->bytes[BAREPROF_REQUEST_TAG]), result);
}

int bareprof_sampler_serve(struct bareprof_wire *wire) {
  const uint8_t *request = wire->bytes;
  int error = 0;
  if (BAREPROF_LOAD_ACQUIRE(&wire->state) != BAREPROF_REQUEST_COMPLETE)
    return 0;
  uint32_t tag = bareprof_request_load32(&request[BAREPROF_REQUEST_TAG]);
  /* Frames of samples have the image number 0. */
  unsigned options = wire->options & ~(BAREPROF_SAMPLER_WIRE | BAREPROF_LEAN);
  if (!(request[BAREPROF_REQUEST_OPTIONS] & BAREPROF_REQUEST_AS_IT_LIKES))
    options = (options & ~BAREPROF_BINARY) |
              (request[BAREPROF_REQUEST_OPTIONS] & BAREPROF_BINARY);
  if (request[BAREPROF_REQUEST_ADDRESS] == BAREPROF_REQUEST_ANY)
    ; /* bareprof_wire_serve answers requests that any image may answer */
  else if (request[BAREPROF_REQUEST_COMMAND] == BAREPROF_COMMAND_DUMP) {
    error = bareprof_sampler_send(wire->out, options);
    if (error < 0 && error != BAREPROF_E_SINK)
      send_answer(wire, options, error);
  } else if (request[BAREPROF_REQUEST_COMMAND] == BAREPROF_COMMAND_RESET) {
    if (bareprof_tag_is_new(wire, tag)) {
      bareprof_sampler_reset();
      wire->reset = tag;
    }
    send_answer(wire, options, 0);
  }
  BAREPROF_STORE_RELEASE(&wire->state, 0);
  return error;
}
