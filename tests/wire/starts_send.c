/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware's side: describes made-up memory as an image, and sends it.
 */
#include "starts_send.h"

#include <stdlib.h>
#include <string.h>

#include "bareprof_wire.h"
#include "bareprof_mip.h"
#include "bareprof_sampler.h"
#include "../../runtime/image.h"

static starts_take *taker;

static int to_taker(void *context, const void *bytes, size_t size) {
  (void)context;
  taker(bytes, size);
  return 0;
}

/* A note with a build id. */
static const _Alignas(8) unsigned char note[36] = {
    4,    0,    0,    0,    20,   0,    0,    0,    3,    0,    0,    0,
    'G',  'N',  'U',  0,    0xB1, 0x1D, 0x5C, 0x93, 0x07, 0xE8, 0x4A, 0xF6,
    0x21, 0xD9, 0x70, 0x3B, 0x8E, 0x12, 0xC5, 0x66, 0xA9, 0x04, 0xDB, 0x37};

/* Each dump comes from the same addresses; of MIP, header and bytes lie behind
 * each other. */
static unsigned char *place(const struct memory *memory, unsigned piece) {
  static _Alignas(8) unsigned char pieces[IMAGE_PIECES][2 * PIECE_ROOM];
  unsigned char *at = pieces[piece];
  if (piece == 1)
    at = pieces[0] + PIECE_ROOM;
  else if (piece == 0)
    at = pieces[0] + PIECE_ROOM - memory->sizes[0];
  memcpy(at, memory->bytes[piece], memory->sizes[piece]);
  return at;
}

static struct bareprof_span span(const struct memory *memory, unsigned piece) {
  unsigned char *at = place(memory, piece);
  return (struct bareprof_span){at, at + memory->sizes[piece]};
}

BAREPROF_SAMPLER_TABLE(SAMPLE_PLACES - 3);

/* As if the sampler had taken what memory holds. */
static int send_samples(const struct memory *memory, const struct sending *how,
                        const struct bareprof_sink *sink) {
  const uint64_t *totals = (const void *)memory->bytes[1];
  struct bareprof_sampler_state *state = bareprof_sampler.state;
  memcpy(bareprof_sampler.entries, memory->bytes[0], memory->sizes[0]);
  state->period = (uint32_t)totals[0];
  state->since.lost[0] = (uint32_t)totals[1];
  state->since.kept = (uint32_t)(totals[2] - totals[1]);
  state->sent = (uint8_t)how->ordinal;
  return bareprof_sampler_send(sink, (how->binary ? BAREPROF_BINARY
                                                  : BAREPROF_TEXT) |
                                         BAREPROF_BOOT(how->number));
}

void starts_send(const struct memory *memory, const struct sending *how,
                 starts_take *take) {
  const struct bareprof_sink sink = {to_taker, NULL};
  taker = take;
  if (how->form == FORM_SAMPLES) {
    if (send_samples(memory, how, &sink))
      abort();
    return;
  }
  uint64_t version = how->form == FORM_MIP ? 8 : 10;
  if (how->form == FORM_MIP)
    version |= BAREPROF_BYTE_COVERAGE;
  unsigned options = 0;
  uint64_t guard;
  struct bareprof_image image = {.version = &version};
  options |= how->binary ? BAREPROF_BINARY : BAREPROF_TEXT;
  options |= how->form == FORM_LEAN  ? BAREPROF_LEAN
             : how->form == FORM_MIP ? BAREPROF_MIP
                                     : 0;
  if (how->form != FORM_MIP)
    image.build_id = (struct bareprof_span){note, note + sizeof note};
  image.records = span(memory, 0);
  image.counters = span(memory, 1);
  image.bitmap = span(memory, 2);
  image.names = span(memory, 3);
  if (how->form == FORM_MIP)
    options |= BAREPROF_BOOT(how->number);
  else
    image.guard = &guard;
  guard = bareprof_expected_guard_half(&image) | (uint64_t)how->number << 32 |
          (uint64_t)how->ordinal << 56;
  if ((bareprof_send_image)(&image, &sink, options))
    abort();
}
