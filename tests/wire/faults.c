/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fault injection: streams of one to three dumps between console lines are
 * damaged, scanned and put together again. What may never happen: a value
 * that was not sent. What must: dumps that nothing has touched come whole,
 * and of a dump with lost frames exactly their elements are missing.
 *
 *   faults [TRIALS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "scan.h"
#include "sender.h"

enum { POOL = 48, DUMPS_MOST = 3, PARTS_MOST = 2000 };

/* A frame's elements, found out from the undamaged dump. */
struct place {
  enum bareprof_frame_type type;
  unsigned piece;
  struct elements elements;
};

struct source {
  struct sent sent;
  struct header header;
  struct place places[SENDER_FRAMES];
  size_t place_count;
  unsigned char *scratch;
};

static struct source pool[POOL];

/* A part of a stream: a frame of a dump, or text. */
struct stretch {
  int dump; /* -1: text */
  size_t frame;
  const unsigned char *bytes;
  size_t size;
};

static struct {
  uint64_t state;
  struct source *dumps[DUMPS_MOST];
  size_t dump_count;
  struct stretch parts[PARTS_MOST];
  size_t part_count;
  bool touched[DUMPS_MOST];             /* some byte was changed */
  bool lost[DUMPS_MOST][SENDER_FRAMES]; /* frames taken out */
  bool whole[DUMPS_MOST];
  bool only_lost; /* no byte was changed */
} trial;

static struct {
  unsigned long trials, dumps, untouched, whole, mended, partial, wrong, missed,
      inexact;
} count;

static uint32_t pick(uint32_t below) {
  return sender_random(&trial.state) % below;
}

static void complain(const char *what, int dump) {
  fprintf(stderr, "trial %lu, dump %d: %s\n", count.trials, dump, what);
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
  if (mended || frame_read(&frame, (struct bytes){bytes, size}))
    abort();
  place->type = frame.type;
  place->piece = frame.piece;
  if (frame.type == BAREPROF_FRAME_HEADER) {
    if (header_read(&source->header, frame.body))
      abort();
  } else if (frame.type == BAREPROF_FRAME_DATA) {
    if (decode(&frame, &source->header, source->scratch, &place->elements))
      abort();
  }
}

static void make_pool(uint64_t seed) {
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
    struct scan *scan = scan_new(&events);
    scan_feed(scan, source->sent.wire, source->sent.wire_size);
    scan_end(scan);
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
  const char *line = lines[pick(sizeof lines / sizeof *lines)];
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
    if (pick(4) == 0)
      add_text();
    add((int)d, f, sent->wire + sent->frames[f],
        sent->frames[f + 1] - sent->frames[f]);
    if (mixed)
      d = pick((uint32_t)trial.dump_count);
  }
}

static void remove_part(size_t i) {
  memmove(&trial.parts[i], &trial.parts[i + 1],
          (--trial.part_count - i) * sizeof *trial.parts);
}

/* Faults of whole frames. */
static void lose(void) {
  for (unsigned n = 1 + pick(4); n; n--) {
    size_t i = pick((uint32_t)trial.part_count);
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
  for (unsigned n = 1 + pick(4); n; n--) {
    size_t i = pick((uint32_t)trial.part_count);
    size_t to = i + 1 + pick(3);
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
  size_t i = pick((uint32_t)trial.part_count);
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
    stream[at] ^= (unsigned char)(1u << pick(8));
    break;
  case 1:
    delete(at);
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
    stream[at] = (unsigned char)pick(256);
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
  size_t n = 1 + pick(8);
  if (stream_size == 0)
    return;
  for (size_t i = 0; i < n; i++)
    places[i] = pick((uint32_t)stream_size);
  qsort(places, n, sizeof *places, descending);
  for (size_t i = 0; i < n; i++)
    if (places[i] < stream_size)
      damage(places[i], pick(i ? 6 : 7));
}

/* ---- what came ---- */

static int which(const struct snapshot *snapshot) {
  for (size_t d = 0; d < trial.dump_count; d++)
    if (header_same(&trial.dumps[d]->header, &snapshot->header))
      return (int)d;
  return -1;
}

/* Whether all that is known was sent. */
static bool truthful(const struct snapshot *snapshot, const struct sent *sent) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct part *part = &snapshot->parts[i];
    unsigned size = header_element(&snapshot->header, i);
    for (size_t r = 0; r < part->known_count; r++)
      if (memcmp(part->bytes + (size_t)part->known[r].first * size,
                 sent->pieces[i] + (size_t)part->known[r].first * size,
                 (size_t)(part->known[r].end - part->known[r].first) * size))
        return false;
  }
  return true;
}

/* Whether exactly the elements of the lost frames are unknown. */
static bool exact(const struct snapshot *snapshot, int dump) {
  struct snapshot expected;
  const struct source *source = trial.dumps[dump];
  bool same = true;
  static unsigned char known[1 << 16];
  if (!snapshot_new(&expected, &snapshot->header))
    abort();
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct part *part = &snapshot->parts[i];
    memset(known, 0, sizeof known);
    for (size_t f = 0; f < source->place_count; f++) {
      const struct place *place = &source->places[f];
      if (place->type == BAREPROF_FRAME_DATA && place->piece == i &&
          !trial.lost[dump][f])
        memset(known + place->elements.first, 1, place->elements.count);
    }
    for (size_t r = 0; r < part->known_count; r++)
      for (uint32_t e = part->known[r].first; e < part->known[r].end; e++)
        known[e] ^= 1;
    same &= !memchr(known, 1, sizeof known);
  }
  snapshot_free(&expected);
  return same;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  int dump = which(snapshot);
  (void)context;
  count.whole++;
  if (dump < 0 || !truthful(snapshot, &trial.dumps[dump]->sent) ||
      !snapshot_whole(snapshot)) {
    count.wrong++;
    complain("a wrong profile was accepted", dump);
  } else {
    trial.whole[dump] = true;
    count.mended += trial.touched[dump];
  }
}

static void on_partial(void *context, struct snapshot *snapshot) {
  int dump = which(snapshot);
  (void)context;
  count.partial++;
  if (dump < 0 || !truthful(snapshot, &trial.dumps[dump]->sent)) {
    count.wrong++;
    complain("a wrong value was accepted", dump);
  } else if (trial.only_lost && !exact(snapshot, dump)) {
    count.inexact++;
    complain("other elements than those lost are missing", dump);
  }
}

static void on_lost(void *context, const char *what) {
  (void)context, (void)what;
}

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  collect_frame(context, (struct bytes){bytes, size}, mended);
}

static void receive(void) {
  struct collect_events events = {NULL, on_whole, on_partial, on_partial,
                                  on_lost};
  struct collector *collector = collect_new(&events);
  struct scan_events scanned = {collector, on_text, on_frame};
  struct scan *scan = scan_new(&scanned);
  size_t at = 0;
  while (at < stream_size) {
    size_t size = 1 + pick(2000);
    if (size > stream_size - at)
      size = stream_size - at;
    scan_feed(scan, stream + at, size);
    at += size;
  }
  scan_end(scan);
  collect_end(collector);
}

/* Whether a dump came as it was sent, but for its end, which repeats. */
static bool untouched(size_t dump) {
  bool all = !trial.touched[dump];
  for (size_t f = 0; f < trial.dumps[dump]->sent.frame_count; f++)
    all &= !trial.lost[dump][f];
  return all;
}

static void run_trial(uint64_t seed) {
  memset(&trial, 0, sizeof trial);
  trial.state = seed;
  trial.only_lost = true;
  trial.dump_count = 1 + pick(DUMPS_MOST);
  uint32_t first = pick(POOL);
  for (size_t d = 0; d < trial.dump_count; d++)
    trial.dumps[d] = &pool[(first + d) % POOL];
  compose(pick(3) == 0);
  uint32_t faults = pick(64);
  if (faults & 1)
    lose();
  if ((faults & 6) == 2 && trial.part_count)
    repeat();
  if ((faults & 6) == 4 && trial.part_count)
    swap_frames();
  render();
  if (faults >= 24)
    damage_bytes();
  receive();
  for (size_t d = 0; d < trial.dump_count; d++) {
    count.dumps++;
    if (!untouched(d))
      continue;
    count.untouched++;
    if (!trial.whole[d]) {
      count.missed++;
      complain("it was not damaged, and is not recovered", (int)d);
    }
  }
}

static void judge(const char *label, unsigned long bad, unsigned long of) {
  if (bad)
    printf("not ok wire faults: %s: %lu of %lu\n", label, bad, of);
  else
    printf("ok wire faults: %s\n", label);
}

int main(int argc, char **argv) {
  unsigned long trials = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
  unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
  make_pool(seed);
  for (count.trials = 0; count.trials < trials; count.trials++)
    run_trial(seed * UINT64_C(1000000007) + count.trials);
  printf("%lu streams with %lu dumps: %lu untouched, %lu came whole (%lu of"
         " them mended), %lu with gaps\n",
         count.trials, count.dumps, count.untouched, count.whole, count.mended,
         count.partial);
  judge("no wrong value is accepted", count.wrong, count.whole);
  judge("every undamaged dump is recovered", count.missed, count.untouched);
  judge("exactly the elements of lost frames are missing", count.inexact,
        count.partial);
  judge("there were faults of all kinds",
        !count.mended || !count.partial || count.untouched == count.dumps,
        count.dumps);
  return 0;
}
