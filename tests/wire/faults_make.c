/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams for the fault injection.
 */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

#include "scan.h"

struct trial trial;
static struct source pool[POOL];

uint32_t faults_pick(uint32_t below) {
  return sender_random(&trial.state) % below;
}

/* ---- the pool ---- */

static void on_pool_text(void *context, const unsigned char *bytes,
                         size_t size) {
  (void)context, (void)bytes, (void)size;
}

static void on_pool_frame(void *context, const unsigned char *bytes,
                          size_t size, bool mended) {
  struct source *source = context;
  struct place *place = &source->places[source->place_count++];
  struct frame frame;
  if (mended || frame_parse(&frame, (struct bytes){bytes, size}))
    abort();
  place->type = frame.type;
  place->piece = frame.piece;
  if (frame_begins_dump(&frame) && frame_parse_header(&source->header, &frame))
    abort();
  unsigned char *to[BAREPROF_PIECES];
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    to[i] = source->scratch;
  if (frame.type != BAREPROF_FRAME_HEADER && frame.type != BAREPROF_FRAME_END &&
      decode_frame(&frame, &source->header, to, place->elements))
    abort();
}

void faults_pool(uint64_t seed) {
  for (unsigned i = 0; i < POOL; i++) {
    struct source *source = &pool[i];
    struct scan_events events = {source, on_pool_text, on_pool_frame};
    source->sent.binary = i & 1;
    source->sent.lean = i % 3 != 0;
    source->sent.bytes_mode = i % 7 == 3;
    source->sent.core = i % 4;
    source->sent.image = i % 5;
    source->sent.boot = i; /* tells the dumps of a stream apart */
    sender_make(&source->sent, 1 + sender_random(&seed) % (i < 40 ? 600 : 4000),
                &seed);
    source->scratch = malloc(1 << 20);
    struct frame_scanner *scan = scan_new(&events);
    scan_feed(scan, source->sent.wire, source->sent.wire_size);
    scan_end_and_free(scan);
    if (source->place_count != source->sent.frame_count)
      abort();
    free(source->scratch);
  }
}

/* ---- streams ---- */

static void add(int dump, size_t frame, const void *bytes, size_t size) {
  if (trial.part_count < PARTS_MOST)
    trial.parts[trial.part_count++] =
        (struct stretch){dump, frame, bytes, size};
}

static void add_text(void) {
  static const char *const lines[] = {"[00:00:12.345] <inf> main: tick\r\n",
                                      "plain line\n",
                                      "\n",
                                      "\x1b[32mgreen\x1b[0m\n",
                                      "json {\"a\": [1, 2]}\n",
                                      "~ tilde\n",
                                      "no end of line",
                                      "tick\n"};
  const char *line = lines[faults_pick(sizeof lines / sizeof *lines)];
  add(-1, 0, line, strlen(line));
}

/* The frames of the dumps, one dump behind the other, or mixed. */
static void compose(bool mixed) {
  size_t next[DUMPS_MOST] = {0};
  size_t left = 0;
  for (size_t d = 0; d < trial.dump_count; d++)
    left += trial.dumps[d]->sent.frame_count;
  for (size_t d = 0; left; left--) {
    while (next[d] == trial.dumps[d]->sent.frame_count)
      d = (d + 1) % trial.dump_count;
    const struct sent *sent = &trial.dumps[d]->sent;
    size_t f = next[d]++;
    /* Text without an end stands only before TEXT frames: it is a prefix. */
    if (faults_pick(4) == 0)
      add_text();
    add((int)d, f, sent->wire + sent->frames[f],
        sent->frames[f + 1] - sent->frames[f]);
    if (mixed)
      d = faults_pick((uint32_t)trial.dump_count);
  }
}

static void remove_part(size_t i) {
  memmove(&trial.parts[i], &trial.parts[i + 1],
          (--trial.part_count - i) * sizeof *trial.parts);
}

/* Faults of whole frames. */
static void lose(void) {
  for (unsigned n = 1 + faults_pick(4); n; n--) {
    size_t i = faults_pick((uint32_t)trial.part_count);
    struct stretch *part = &trial.parts[i];
    if (part->dump < 0)
      continue;
    trial.lost[part->dump][part->frame] = true;
    remove_part(i);
    if (trial.part_count == 0)
      return;
  }
}

static void repeat(void) {
  for (unsigned n = 1 + faults_pick(4); n; n--) {
    size_t i = faults_pick((uint32_t)trial.part_count);
    size_t to = i + 1 + faults_pick(3);
    if (trial.parts[i].dump < 0 || trial.part_count == PARTS_MOST)
      continue;
    if (to > trial.part_count)
      to = trial.part_count;
    struct stretch part = trial.parts[i];
    memmove(&trial.parts[to + 1], &trial.parts[to],
            (trial.part_count++ - to) * sizeof part);
    trial.parts[to] = part;
  }
}

static void swap_frames(void) {
  size_t i = faults_pick((uint32_t)trial.part_count);
  if (i + 1 < trial.part_count) {
    struct stretch part = trial.parts[i];
    trial.parts[i] = trial.parts[i + 1];
    trial.parts[i + 1] = part;
  }
}

/* ---- bytes ---- */

static unsigned char *stream;
static size_t stream_size;

/* Which dump the byte belongs to has been touched. */
static void touch(size_t at) {
  size_t begin = 0;
  trial.only_lost = false;
  for (size_t i = 0; i < trial.part_count; i++) {
    const struct stretch *part = &trial.parts[i];
    /* What stands beside a frame may seem to be a part of it. */
    if (part->dump >= 0 && at + 1 >= begin && at <= begin + part->size)
      trial.touched[part->dump] = true;
    begin += part->size;
  }
}

static void insert(size_t at, const void *bytes, size_t size) {
  memmove(stream + at + size, stream + at, stream_size - at);
  memcpy(stream + at, bytes, size);
  stream_size += size;
}

static void delete (size_t at) {
  memmove(stream + at, stream + at + 1, --stream_size - at);
}

/* Nothing comes from there on. */
static void cut(size_t at) {
  size_t begin = 0;
  for (size_t i = 0; i < trial.part_count; i++) {
    const struct stretch *part = &trial.parts[i];
    begin += part->size;
    if (part->dump >= 0 && begin > at)
      trial.touched[part->dump] = true;
  }
  stream_size = at;
}

/* One fault of bytes; faults go from the end of the stream to its beginning,
 * so that places before them keep what they mean. */
static void damage(size_t at, unsigned kind) {
  static const char line[] = "[7] isr: temperature 41 C\r\n";
  unsigned char byte = stream[at];
  touch(at);
  switch (kind) {
  case 0:
    stream[at] ^= (unsigned char)(1u << faults_pick(8));
    break;
  case 1:
    delete (at);
    break;
  case 2:
    insert(at, &byte, 1);
    break;
  case 3:
    if (at + 1 < stream_size) {
      touch(at + 1);
      stream[at] = stream[at + 1];
      stream[at + 1] = byte;
    }
    break;
  case 4:
    insert(at, line, sizeof line - 1);
    break;
  case 5:
    stream[at] = (unsigned char)faults_pick(256);
    break;
  default:
    cut(at);
  }
}

static void render(void) {
  size_t size = 0;
  for (size_t i = 0; i < trial.part_count; i++)
    size += trial.parts[i].size;
  free(stream);
  stream = malloc(size + 4096);
  stream_size = 0;
  for (size_t i = 0; i < trial.part_count; i++) {
    memcpy(stream + stream_size, trial.parts[i].bytes, trial.parts[i].size);
    stream_size += trial.parts[i].size;
  }
}

static int descending(const void *a, const void *b) {
  size_t x = *(const size_t *)a;
  size_t y = *(const size_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void damage_bytes(void) {
  size_t places[8];
  size_t n = 1 + faults_pick(8);
  if (stream_size == 0)
    return;
  for (size_t i = 0; i < n; i++)
    places[i] = faults_pick((uint32_t)stream_size);
  qsort(places, n, sizeof *places, descending);
  for (size_t i = 0; i < n; i++)
    if (places[i] < stream_size)
      damage(places[i], faults_pick(i ? 6 : 7));
}

size_t faults_make(uint64_t seed, unsigned char **to) {
  memset(&trial, 0, sizeof trial);
  trial.state = seed;
  trial.only_lost = true;
  trial.dump_count = 1 + faults_pick(DUMPS_MOST);
  uint32_t first = faults_pick(POOL);
  for (size_t d = 0; d < trial.dump_count; d++)
    trial.dumps[d] = &pool[(first + d) % POOL];
  compose(faults_pick(3) == 0);
  uint32_t faults = faults_pick(64);
  if (faults & 1)
    lose();
  if ((faults & 6) == 2 && trial.part_count)
    repeat();
  if ((faults & 6) == 4 && trial.part_count)
    swap_frames();
  render();
  if (faults >= 24)
    damage_bytes();
  *to = stream;
  return stream_size;
}
