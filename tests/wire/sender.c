/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made-up images, sent by runtime/wire_dump.c and its kin, compiled for the
 * host.
 */
#include "sender.h"

#include <stdlib.h>
#include <string.h>

#include "wire.h"
#include "values.h"

uint32_t sender_random(uint64_t *state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)(z >> 32);
}

/* Which dump is being sent: encodings have no context of their own. */
static struct sent *now;

static int to_wire(void *context, const void *bytes, size_t size) {
  struct sent *sent = context;
  if (sent->wire_size + size > sent->wire_room) {
    sent->wire_room = 2 * (sent->wire_size + size);
    sent->wire = realloc(sent->wire, sent->wire_room);
    if (!sent->wire)
      abort();
  }
  memcpy(sent->wire + sent->wire_size, bytes, size);
  sent->wire_size += size;
  return 0;
}

static struct bareprof_stream *watched(struct bareprof_stream *stream,
                                       unsigned what) {
  if (what == BAREPROF_ENCODING_BEGIN && now->frame_count < SENDER_FRAMES)
    now->frames[now->frame_count++] = now->wire_size + stream->used;
  return (now->binary ? bareprof_binary : bareprof_text)(stream, what);
}

/* Of the weak bareprof_header_end that of values_wire.c. */
static void (*const needed)(struct bareprof_stream *, uint32_t, uint32_t)
    __attribute__((used)) = bareprof_values_send_slots;

static void send(struct sent *sent) {
  static const unsigned char id[] = {
      4, 0, 0, 0, 20, 0, 0, 0,  3,  0,  0,  0,  'G', 'N', 'U', 0,  1,  2,
      3, 4, 5, 6, 7,  8, 9, 10, 11, 12, 13, 14, 15,  16,  17,  18, 19, 20};
  static _Alignas(8) unsigned char note[sizeof id];
  memcpy(note, id, sizeof id);
  uint64_t version = 10;
  if (sent->bytes_mode)
    version |= BAREPROF_BYTE_COVERAGE;
  struct bareprof_values_state state = {0, 0};
  const struct bareprof_values values = {
      .slots = (struct bareprof_value_slot *)sent->pieces[BAREPROF_PIECE_SLOTS],
      .state = &state,
      .count = (uint32_t)(sent->sizes[BAREPROF_PIECE_SLOTS] /
                          sizeof(struct bareprof_value_slot))};
  struct bareprof_image image = {.version = &version,
                                 .values = &values,
                                 .build_id = {note, note + sizeof note}};
  for (unsigned i = 0; i < BAREPROF_SPANS; i++)
    image.pieces[i] = (struct bareprof_span){sent->pieces[i],
                                             sent->pieces[i] + sent->sizes[i]};
  const struct bareprof_sink sink = {to_wire, sent};
  unsigned options = BAREPROF_CORE(sent->core) | BAREPROF_IMAGE(sent->image) |
                     BAREPROF_BOOT(sent->boot) |
                     (sent->lean ? BAREPROF_LEAN : 0);
  sent->wire_size = sent->frame_count = 0;
  now = sent;
  if (sent->lean ? bareprof_send_lean(&image, &sink, options, watched)
                 : bareprof_send_full(&image, &sink, options, watched))
    abort();
  sent->frames[sent->frame_count] = sent->wire_size;
}

/* Values as firmware has them: zeros, repetitions, all sizes. */
static uint64_t value(uint64_t *state, uint64_t last) {
  uint32_t kind = sender_random(state) % 16;
  uint64_t large = (uint64_t)sender_random(state) << 32 | sender_random(state);
  return kind < 7    ? 0
         : kind < 11 ? last
         : kind < 15 ? sender_random(state) % 1000
                     : large >> sender_random(state) % 64;
}

/* Slots of this machine, in the form that the host gives to those of any. A
 * fourth is free; records, values and sites repeat. */
static void make_slots(struct sent *sent, uint64_t *state) {
  struct bareprof_value_slot *slot =
      (struct bareprof_value_slot *)sent->pieces[BAREPROF_PIECE_SLOTS];
  size_t count = sent->sizes[BAREPROF_PIECE_SLOTS] / sizeof *slot;
  _Static_assert(sizeof *slot == 32, "the host's form");
  for (size_t i = 0; i < count; i++, slot++) {
    *slot = (struct bareprof_value_slot){0};
    if (sender_random(state) % 4 == 0)
      continue;
    slot->owner = 0x08000000 + sender_random(state) % 8 * 48 + 1;
    slot->value = value(state, 0x08001235);
    slot->count = 1 + value(state, 7);
    slot->site = sender_random(state) % 3;
  }
}

void sender_make(struct sent *sent, unsigned counters, uint64_t *state) {
  uint64_t last = 1;
  sent->sizes[BAREPROF_PIECE_COUNTERS] =
      sent->bytes_mode ? counters : (size_t)counters * 8;
  sent->sizes[BAREPROF_PIECE_BITMAP] = sender_random(state) % 40;
  sent->sizes[BAREPROF_PIECE_RECORDS] = 48 * (size_t)(1 + counters / 8);
  sent->sizes[BAREPROF_PIECE_NAMES] = 1 + sender_random(state) % 400;
  sent->sizes[BAREPROF_PIECE_VTABLES] = sender_random(state) % 3 * 24;
  sent->sizes[BAREPROF_PIECE_VTABLE_NAMES] = sender_random(state) % 30;
  sent->sizes[BAREPROF_PIECE_SLOTS] = sender_random(state) % 40 * 32;
  for (unsigned i = 0; i < SENDER_PIECES; i++) {
    sent->pieces[i] = calloc(1, sent->sizes[i] + 8);
    for (size_t k = 0; k < sent->sizes[i]; k++)
      sent->pieces[i][k] = (unsigned char)sender_random(state);
  }
  for (size_t i = 0; i < counters; i++) {
    unsigned char *at = sent->pieces[BAREPROF_PIECE_COUNTERS];
    uint64_t next = value(state, last);
    if (sent->bytes_mode)
      at[i] = next ? 0xFF : 0;
    else
      memcpy(at + i * 8, &next, 8);
    last = next ? next : last;
  }
  make_slots(sent, state);
  send(sent);
}

void sender_again(struct sent *sent, uint64_t *state) {
  unsigned char *at = sent->pieces[BAREPROF_PIECE_COUNTERS];
  size_t size = sent->sizes[BAREPROF_PIECE_COUNTERS];
  for (unsigned n = 0; n < 5; n++) {
    uint64_t count;
    size_t i = sender_random(state) % (sent->bytes_mode ? size : size / 8);
    if (sent->bytes_mode) {
      at[i] = 0;
      continue;
    }
    memcpy(&count, at + i * 8, 8);
    count += count < UINT64_MAX / 2 ? sender_random(state) % 100 : 0;
    memcpy(at + i * 8, &count, 8);
  }
  make_slots(sent, state);
  send(sent);
}

void sender_free(struct sent *sent) {
  for (unsigned i = 0; i < SENDER_PIECES; i++)
    free(sent->pieces[i]);
  free(sent->wire);
}
