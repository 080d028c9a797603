/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Keeps the received frames of one dump in order, and decides whether a frame
 * fits the dump and whether the dump is complete. reassembly.c owns the dumps.
 */
#include "reassembly.h"

#include <stdlib.h>
#include <string.h>

#include "../base/storage.h"
#include "../base/error.h"
#include "frame.h"

struct received_dump *dump_new(uint16_t number) {
  struct received_dump *dump = calloc(1, sizeof *dump);
  if (dump)
    dump->number = number;
  return dump;
}

void dump_free(struct received_dump *dump) {
  for (size_t i = 0; i < dump->count; i++)
    free((void *)(uintptr_t)dump->frames[i].bytes.data);
  free(dump->frames);
  free(dump);
}

/* Returns the full sequence number of a frame, which contains only the low
 * byte. The full number is the nearest one to the last sequence number. Frames
 * may be reordered by less than half a cycle (128). */
static uint64_t unwrap_sequence(const struct received_dump *dump,
                                const struct frame *frame) {
  int distance = (int8_t)(uint8_t)(frame->sequence - (uint8_t)dump->last);
  if (frame_begins_dump(frame))
    return 0;
  if (distance < 0 && dump->last < (uint64_t)-distance)
    distance += 256;
  return dump->last + (uint64_t)(int64_t)distance;
}

/* Returns the index of the frame with this sequence number, or the index at
 * which the frame is to be inserted. */
static size_t find_insert_index(const struct received_dump *dump,
                                uint64_t sequence) {
  size_t i = dump->count;
  while (i && dump->frames[i - 1].sequence >= sequence)
    i--;
  return i;
}

uint32_t dump_frame_crc(const struct received_dump *dump, size_t i) {
  struct bytes bytes = dump->frames[i].bytes;
  return load32(bytes.data + bytes.size - 4, false);
}

/* Returns whether the seed of the frame's CRC fits the dump's LEAN frame. A
 * frame with another seed belongs to a dump whose LEAN frame was lost. */
static bool seed_matches(const struct received_dump *dump,
                         const struct frame *frame) {
  if (frame_seed(frame))
    return !dump->count ||
           (dump->has_header && dump->header.seed == frame_seed(frame));
  return !dump->has_header || frame->type != BAREPROF_FRAME_COUNTS ||
         frame_crc_matches(frame, dump->header.seed);
}

enum dump_match dump_match_frame(const struct received_dump *dump,
                                 const struct frame *frame) {
  uint64_t sequence = unwrap_sequence(dump, frame);
  size_t i = find_insert_index(dump, sequence);
  bool ends = frame->type == BAREPROF_FRAME_END;
  if (frame->dump != dump->number || !seed_matches(dump, frame))
    return DUMP_OTHER;
  if (i < dump->count && dump->frames[i].sequence == sequence)
    return dump_frame_crc(dump, i) == frame->check ? DUMP_HAS : DUMP_OTHER;
  if (dump->ended && (ends || sequence > dump->total))
    return DUMP_OTHER;
  if (ends && i < dump->count)
    return DUMP_OTHER;
  return DUMP_FITS;
}

/* The facts in a frame about the beginning or the end of its dump. */
struct dump_facts_in_frame {
  struct dump_header header;
  uint64_t total;
  uint32_t sum, counts;
  bool last; /* the frame contains the last counts of a compact dump */
};

/* Counts the numbers in a frame. Also notes whether the frame contains the last
 * counts of a compact dump, because compact dumps end without an END frame. */
static const char *parse_counts_frame(struct dump_facts_in_frame *facts,
                                      const struct received_dump *dump,
                                      const struct frame *frame) {
  const struct dump_header *header =
      frame->type == BAREPROF_FRAME_LEAN ? &facts->header : &dump->header;
  struct bytes coded;
  uint64_t place;
  const char *error = frame_parse_counts(frame, &place, &coded);
  if (error)
    return error;
  facts->counts = decode_number_of_counts(frame, coded);
  if (facts->counts == 0)
    return "the numbers of a frame cannot come from a runtime";
  facts->last =
      (frame->type == BAREPROF_FRAME_LEAN || dump->header.compact) &&
      place + facts->counts == header_counter_and_bitmap_count(header);
  return NULL;
}

static const char *parse_dump_facts(struct dump_facts_in_frame *facts,
                                    const struct received_dump *dump,
                                    const struct frame *frame) {
  const char *error = NULL;
  memset(facts, 0, sizeof *facts);
  if (frame_begins_dump(frame))
    error = frame_parse_header(&facts->header, frame);
  if (error)
    return error;
  if (frame->type == BAREPROF_FRAME_LEAN ||
      frame->type == BAREPROF_FRAME_COUNTS)
    return parse_counts_frame(facts, dump, frame);
  if (frame->type != BAREPROF_FRAME_END)
    return NULL;
  error = frame_parse_end(frame->body, &facts->total, &facts->sum);
  if (!error &&
      ((facts->total & 255) != frame->sequence ||
       (dump->count && dump->frames[dump->count - 1].sequence >= facts->total)))
    error = "the end of a dump contradicts its place";
  return error;
}

static bool insert_frame(struct received_dump *dump,
                         const struct dump_facts_in_frame *facts,
                         uint64_t sequence, struct bytes bytes) {
  unsigned char *copy =
      list_make_room(&dump->frames, dump->count, sizeof *dump->frames)
          ? malloc(bytes.size)
          : NULL;
  if (!copy)
    return false;
  struct received_frame *frames = dump->frames;
  memcpy(copy, bytes.data, bytes.size);
  size_t i = find_insert_index(dump, sequence);
  memmove(&frames[i + 1], &frames[i], (dump->count - i) * sizeof *frames);
  frames[i] =
      (struct received_frame){sequence, facts->counts, {copy, bytes.size}};
  dump->count++;
  dump->counts += facts->counts;
  dump->last = sequence;
  return true;
}

const char *dump_add_frame(struct received_dump *dump,
                           const struct frame *frame, struct bytes bytes) {
  uint64_t sequence = unwrap_sequence(dump, frame);
  bool ends = frame->type == BAREPROF_FRAME_END;
  struct dump_facts_in_frame facts;
  const char *error = parse_dump_facts(&facts, dump, frame);
  if (error)
    return error;
  if (ends)
    sequence = facts.total;
  if (!insert_frame(dump, &facts, sequence, bytes))
    return out_of_memory;
  if (frame_begins_dump(frame)) {
    dump->has_header = true;
    dump->header = facts.header;
  }
  if (ends || facts.last) {
    dump->ended = true;
    dump->total = sequence;
    dump->sum = facts.sum;
  }
  return NULL;
}

bool dump_is_complete(const struct received_dump *dump) {
  if (dump->has_header && dump->header.compact)
    return dump->counts == header_counter_and_bitmap_count(&dump->header);
  return dump->has_header && dump->ended && dump->count == dump->total + 1 &&
         dump->frames[dump->count - 1].sequence == dump->total;
}

/* Returns the sum of the CRCs of the first `count` frames. */
static uint32_t sum_crcs(const struct received_dump *dump, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += dump_frame_crc(dump, i);
  return sum;
}

bool dump_sum_matches(const struct received_dump *dump) {
  return dump->header.compact || sum_crcs(dump, dump->count - 1) == dump->sum;
}

/* Tries all 256 ordinals, because the ordinal in the lost header is not known.
 */
void dump_restore_header(struct received_dump *dump,
                         const struct dump_header *header) {
  enum { ORDINALS = 256 };
  unsigned char frame[HEADER_FRAME];
  struct bytes bytes = {frame, 0};
  struct frame read;
  if (dump->has_header || !dump->ended || dump->count != dump->total ||
      header->compact)
    return;
  uint32_t rest = sum_crcs(dump, dump->count - 1);
  struct dump_header tried = *header;
  for (unsigned i = 0; i < ORDINALS; i++) {
    tried.ordinal = (header->ordinal + i) % ORDINALS;
    bytes.size = frame_build_header(frame, &tried, dump->number);
    if (frame_parse(&read, bytes) || rest + read.check != dump->sum)
      continue;
    dump_add_frame(dump, &read, bytes);
    return;
  }
}

void dump_remember_crcs(struct dump_crcs *echo,
                        const struct received_dump *dump) {
  uint32_t *checks = realloc(echo->checks, dump->count * sizeof *checks);
  if (!checks)
    return;
  echo->checks = checks;
  echo->count = dump->count;
  for (size_t i = 0; i < dump->count; i++)
    checks[i] = dump_frame_crc(dump, i);
}

bool dump_crcs_contain_dump(const struct dump_crcs *echo,
                            const struct received_dump *dump) {
  for (size_t i = 0; i < dump->count; i++) {
    size_t k = 0;
    while (k < echo->count && echo->checks[k] != dump_frame_crc(dump, i))
      k++;
    if (k == echo->count)
      return false;
  }
  return true;
}
