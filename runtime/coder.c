/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The link's encoder: an adaptive binary range coder. Counters of real
 * firmware are mostly 0 or what one of the last few was; of the others the
 * coder learns how large they are. The format is described in link.c.
 *
 * No 64-bit shift by a variable and no division here: on small cores both
 * are functions of the compiler's library.
 */
#include "link.h"

/* Bytes on which both ends of the range agree go out. */
static void put_bit(struct bareprof_stream *stream, unsigned probability,
                    bool bit) {
  uint32_t cut =
      bareprof_coder_cut(stream->model.low, stream->model.high, probability);
  if (bit)
    stream->model.high = cut;
  else
    stream->model.low = cut + 1;
  while ((stream->model.low ^ stream->model.high) >> 24 == 0) {
    bareprof_frame_byte(stream, stream->model.high >> 24);
    stream->model.low <<= 8;
    stream->model.high = stream->model.high << 8 | 0xFF;
  }
}

static BAREPROF_NOINLINE void learn_bit(struct bareprof_stream *stream,
                                        unsigned index, bool bit) {
  uint16_t *context = &stream->model.contexts[index];
  put_bit(stream, bareprof_model_probability(*context), bit);
  *context = bareprof_model_learn(*context, bit);
}

/* value times a 1, then, unless that is the most it can be, a 0: each in a
 * context of its own, as long as there are any. */
static BAREPROF_NOINLINE void put_unary(struct bareprof_stream *stream,
                                        unsigned index, unsigned value,
                                        unsigned most) {
  for (; most; most--, value--) {
    learn_bit(stream, index, value != 0);
    if (value == 0)
      break;
    index = bareprof_model_next(index);
  }
}

/* How many bits follow the first 1, then these bits as they are. */
static void put_new(struct bareprof_stream *stream, uint64_t value) {
  unsigned size = 63;
  for (; value >> 63 == 0; value <<= 1)
    size--;
  put_unary(stream, BAREPROF_CODER_SIZE, size, 63);
  while (size--) {
    value <<= 1;
    put_bit(stream, 2048, value >> 63);
  }
}

void bareprof_coder_put(struct bareprof_stream *stream, uint64_t value) {
  struct bareprof_model *model = &stream->model;
  learn_bit(stream, BAREPROF_CODER_ZERO + model->last, value == 0);
  model->last = BAREPROF_WAS_ZERO;
  if (value == 0)
    return;
  unsigned rank = bareprof_model_recall(model, value);
  put_unary(stream, BAREPROF_CODER_RANK, rank, BAREPROF_CODER_RECENT);
  model->last = BAREPROF_WAS_RECENT + rank / BAREPROF_CODER_RECENT;
  if (rank == BAREPROF_CODER_RECENT)
    put_new(stream, value);
}
