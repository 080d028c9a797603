/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends slots, the entries of the table of values, as frames of a dump. The
 * target does not sort or group slots: on the host, `bareprof join` and
 * `bareprof receive` turn the slots into the value data of a profile.
 * wire_dump.c calls the functions here through weak_hooks.h. The page
 * docs/reference/wire-format.md describes the format.
 */
#include "wire.h"
#include "shared.h"
#include "values.h"

/* Sends a slot. A free slot is sent as owner 0 only, mostly in a single bit. */
static void put_slot(struct bareprof_stream *stream,
                     const struct bareprof_value_slot *slot) {
  bareprof_value_word owner =
      BAREPROF_LOAD(&slot->owner) & ~BAREPROF_VALUE_FROZEN;
  bareprof_coder_put(stream, owner);
  if (owner == 0)
    return;
  bareprof_coder_put(stream, slot->value);
  bareprof_coder_put(stream, BAREPROF_LOAD(&slot->count));
  bareprof_coder_put(stream, slot->site);
}

void bareprof_values_send_slots(struct bareprof_stream *stream, uint32_t first,
                                uint32_t end) {
  const struct bareprof_values *values = stream->image->values;
  if (end > values->count)
    end = values->count;
  while (first < end) {
    bareprof_data_begin(stream, BAREPROF_FRAME_DATA | BAREPROF_PIECE_SLOTS << 3,
                        first);
    do
      put_slot(stream, &values->slots[first++]);
    while (first != end && bareprof_frame_has_room(stream));
    bareprof_data_end(stream);
  }
}

/* Sends the slots in the ranges of the request, if the ranges are for this
 * boot. Without a request or without ranges, sends all slots. */
static void send_requested_slots(struct bareprof_stream *stream) {
  const struct bareprof_wire *wire = stream->wire;
  const uint8_t *range = wire ? &wire->bytes[BAREPROF_RANGES_AT] : NULL;
  const uint8_t *end = wire ? bareprof_ranges_end(wire) : NULL;
  if (range == end)
    bareprof_values_send_slots(stream, 0, UINT32_MAX);
  else if (stream->options >> 16 != bareprof_request_boot_number(wire))
    return;
  for (; end - range >= BAREPROF_RANGE_BYTES; range += BAREPROF_RANGE_BYTES) {
    uint32_t first = bareprof_request_load32(range + 1);
    if (*range == BAREPROF_PIECE_SLOTS)
      bareprof_values_send_slots(stream, first,
                                 first + bareprof_request_load32(range + 5));
  }
}

static bool has_slots(const struct bareprof_stream *stream) {
  const struct bareprof_values *values = stream->image->values;
  return values && values->count;
}

void bareprof_dump_compact_or_mixed(struct bareprof_stream *stream,
                                    uint32_t tag) {
  if (has_slots(stream))
    bareprof_dump_mixed(stream, tag);
  else
    bareprof_dump_compact(stream, tag);
}

struct bareprof_stream *
bareprof_header_end_with_slots(struct bareprof_stream *stream) {
  const struct bareprof_values *values = stream->image->values;
  if (!has_slots(stream))
    return bareprof_frame_end(stream);
  int error = bareprof_values_freeze(values);
  if (error) {
    if (!stream->error)
      stream->error = error;
    return stream;
  }
  stream = bareprof_frame_put_byte(stream, 2 * BAREPROF_PIECE_SLOTS);
  stream = bareprof_frame_put_varint(stream, values->count);
  stream = bareprof_frame_put_byte(stream, 0);
  stream = bareprof_frame_end(stream);
  send_requested_slots(stream);
  bareprof_values_thaw(values);
  return stream;
}
