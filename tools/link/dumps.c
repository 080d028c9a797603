/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The frames of one dump.
 */
#include "dumps.h"

#include <stdlib.h>
#include <string.h>

#include "compose.h"

struct dump *dump_new(uint16_t number) {
  struct dump *dump = calloc(1, sizeof *dump);
  if (dump)
    dump->number = number;
  return dump;
}

void dump_free(struct dump *dump) {
  for (size_t i = 0; i < dump->count; i++)
    free((void *)(uintptr_t)dump->frames[i].bytes.data);
  free(dump->frames);
  free(dump);
}

/* The number nearest to the last one that ends in this byte. Frames may come
 * in another order, but not by half a round. */
static uint64_t sequence_of(const struct dump *dump,
                            const struct frame *frame) {
  int distance = (int8_t)(uint8_t)(frame->sequence - (uint8_t)dump->last);
  if (frame->type == BAREPROF_FRAME_HEADER)
    return 0;
  if (distance < 0 && dump->last < (uint64_t)-distance)
    distance += 256;
  return dump->last + (uint64_t)(int64_t)distance;
}

/* Where a frame of that sequence is or would be. */
static size_t place_of(const struct dump *dump, uint64_t sequence) {
  size_t i = dump->count;
  while (i && dump->frames[i - 1].sequence >= sequence)
    i--;
  return i;
}

uint32_t dump_check(const struct dump *dump, size_t i) {
  struct bytes bytes = dump->frames[i].bytes;
  return load32(bytes.data + bytes.size - 4, false);
}

enum dump_fit dump_fit(const struct dump *dump, const struct frame *frame) {
  uint64_t sequence = sequence_of(dump, frame);
  size_t i = place_of(dump, sequence);
  bool ends = frame->type == BAREPROF_FRAME_END;
  if (frame->dump != dump->number)
    return DUMP_OTHER;
  if (i < dump->count && dump->frames[i].sequence == sequence)
    return dump_check(dump, i) == frame->check ? DUMP_HAS : DUMP_OTHER;
  if (dump->ended && (ends || sequence > dump->total))
    return DUMP_OTHER;
  if (ends && i < dump->count)
    return DUMP_OTHER;
  return DUMP_FITS;
}

static void count_elements(struct dump *dump, const struct frame *frame) {
  if (frame->body.size >= 2)
    dump->elements += load16(frame->body.data + frame->body.size - 2, false);
}

const char *dump_add(struct dump *dump, const struct frame *frame,
                     struct bytes bytes) {
  uint64_t sequence = sequence_of(dump, frame);
  uint64_t total = 0;
  uint32_t chain = 0;
  const char *error = NULL;
  if (frame->type == BAREPROF_FRAME_HEADER)
    error = header_read(&dump->header, frame->body);
  else if (frame->type == BAREPROF_FRAME_END)
    error = end_read(frame->body, &total, &chain);
  if (!error && frame->type == BAREPROF_FRAME_END &&
      ((total & 255) != frame->sequence ||
       (dump->count && dump->frames[dump->count - 1].sequence >= total)))
    error = "the end of a dump contradicts its place";
  if (error)
    return error;
  struct kept *frames =
      realloc(dump->frames, (dump->count + 1) * sizeof *frames);
  if (frames)
    dump->frames = frames;
  unsigned char *copy = malloc(bytes.size);
  if (!frames || !copy) {
    free(copy);
    return "out of memory; give it less at once";
  }
  memcpy(copy, bytes.data, bytes.size);
  if (frame->type == BAREPROF_FRAME_HEADER) {
    dump->has_header = true;
  } else if (frame->type == BAREPROF_FRAME_END) {
    dump->ended = true;
    dump->total = sequence = total;
    dump->chain = chain;
  } else {
    count_elements(dump, frame);
  }
  size_t i = place_of(dump, sequence);
  memmove(&frames[i + 1], &frames[i], (dump->count - i) * sizeof *frames);
  frames[i] = (struct kept){sequence, {copy, bytes.size}};
  dump->count++;
  dump->last = sequence;
  return NULL;
}

bool dump_whole(const struct dump *dump) {
  return dump->has_header && dump->ended && dump->count == dump->total + 1 &&
         dump->frames[dump->count - 1].sequence == dump->total;
}

/* The CRC of the checks of the first frames, continued. It begins with 0 and
 * is not complemented, unlike what bareprof_crc32 does. */
static uint32_t chain(const struct dump *dump, uint32_t crc, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct bytes bytes = dump->frames[i].bytes;
    crc = bareprof_crc32(crc, bytes.data + bytes.size - 4, 4);
  }
  return crc;
}

bool dump_holds(const struct dump *dump) {
  return ~chain(dump, UINT32_MAX, dump->count - 1) == dump->chain;
}

void dump_guess_header(struct dump *dump, const struct header *header) {
  unsigned char frame[HEADER_FRAME];
  struct bytes bytes = {frame, 0};
  struct frame read;
  if (dump->has_header || !dump->ended || dump->count != dump->total)
    return;
  bytes.size = header_frame(frame, header, dump->number);
  uint32_t crc = bareprof_crc32(UINT32_MAX, frame + bytes.size - 4, 4);
  if (~chain(dump, crc, dump->count - 1) == dump->chain &&
      !frame_read(&read, bytes))
    dump_add(dump, &read, bytes);
}

void echo_remember(struct echo *echo, const struct dump *dump) {
  uint32_t *checks = realloc(echo->checks, dump->count * sizeof *checks);
  if (!checks)
    return;
  echo->checks = checks;
  echo->count = dump->count;
  for (size_t i = 0; i < dump->count; i++)
    checks[i] = dump_check(dump, i);
}

bool echo_has(const struct echo *echo, const struct dump *dump) {
  for (size_t i = 0; i < dump->count; i++) {
    size_t k = 0;
    while (k < echo->count && echo->checks[k] != dump_check(dump, i))
      k++;
    if (k == echo->count)
      return false;
  }
  return true;
}
