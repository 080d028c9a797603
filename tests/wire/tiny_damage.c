/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Damages a captured log many times. What may never happen: a dump that was
 * not sent.
 *
 *   tiny_damage CAPTURE DUMPS TRIALS
 *
 * DUMPS: how many whole ones are in the capture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "reassembly.h"
#include "scan.h"

enum { SENT = 8, MOST = 1 << 20 };

struct counts {
  unsigned char *bytes[2];
  size_t sizes[2];
};

static struct {
  bool learns;
  struct counts sent[SENT];
  size_t count;
  unsigned long whole, wrong;
  uint64_t random;
} state = {.random = 88172645463325252};

static size_t pick(size_t below) {
  state.random ^= state.random << 13;
  state.random ^= state.random >> 7;
  state.random ^= state.random << 17;
  return (size_t)(state.random % below);
}

/* ---- what came ---- */

static struct snapshot_piece *part_of(struct snapshot *snapshot, unsigned i) {
  return &snapshot->parts[BAREPROF_PIECE_COUNTERS + i];
}

static size_t size_of(const struct snapshot *snapshot, unsigned i) {
  return snapshot->header.pieces[BAREPROF_PIECE_COUNTERS + i].size;
}

static void learn(struct snapshot *snapshot) {
  if (state.count == SENT)
    abort();
  struct counts *sent = &state.sent[state.count++];
  for (unsigned i = 0; i < 2; i++) {
    sent->sizes[i] = size_of(snapshot, i);
    sent->bytes[i] = malloc(sent->sizes[i] + 1);
    if (sent->sizes[i])
      memcpy(sent->bytes[i], part_of(snapshot, i)->bytes, sent->sizes[i]);
  }
}

static bool was_sent(struct snapshot *snapshot) {
  for (size_t k = 0; k < state.count; k++) {
    const struct counts *sent = &state.sent[k];
    bool same = true;
    for (unsigned i = 0; i < 2 && same; i++)
      same = sent->sizes[i] == size_of(snapshot, i) &&
             (!sent->sizes[i] ||
              !memcmp(sent->bytes[i], part_of(snapshot, i)->bytes,
                      sent->sizes[i]));
    if (same)
      return true;
  }
  return false;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  (void)context;
  if (state.learns)
    learn(snapshot);
  state.whole++;
  state.wrong += !was_sent(snapshot);
}

static void ignore(void *context, struct snapshot *snapshot) {
  (void)context, (void)snapshot;
}
static void ignore_lost(void *context, const char *what) {
  (void)context, (void)what;
}
static void ignore_text(void *context, const unsigned char *bytes,
                        size_t size) {
  (void)context, (void)bytes, (void)size;
}
static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  reassembly_add_frame(context, (struct bytes){bytes, size}, mended);
}

static void receive(const unsigned char *stream, size_t size) {
  struct reassembly_events events = {.whole = on_whole,
                                     .partial = ignore,
                                     .passed = ignore,
                                     .lost = ignore_lost};
  struct reassembler *collector = reassembly_new(&events);
  struct scan_events scanned = {collector, ignore_text, on_frame};
  struct frame_scanner *scan = scan_new(&scanned);
  scan_feed(scan, stream, size);
  scan_end_and_free(scan);
  reassembly_end_and_free(collector);
}

/* ---- damage ---- */

/* Puts count bytes of the stream, or none, in place of others. */
static size_t replace(unsigned char *stream, size_t size) {
  size_t at = pick(size), gone = pick(20), from = pick(size),
         count = pick(20);
  unsigned char copy[20];
  if (gone > size - at)
    gone = size - at;
  if (count > size - from)
    count = size - from;
  memcpy(copy, stream + from, count);
  memmove(stream + at + count, stream + at + gone, size - at - gone);
  memcpy(stream + at, copy, count);
  return size - gone + count;
}

static size_t damage(unsigned char *stream, size_t size) {
  for (size_t i = 1 + pick(3); i && size; i--)
    switch (pick(4)) {
    case 0:
      stream[pick(size)] ^= (unsigned char)(1u << pick(8));
      break;
    case 1:
      stream[pick(size)] = (unsigned char)pick(256);
      break;
    case 2:
      size -= pick(size / 4 + 1);
      break;
    default:
      size = replace(stream, size);
    }
  return size;
}

int main(int argc, char **argv) {
  struct file file;
  if (argc != 4 || file_read(&file, argv[1], MOST))
    return 2;
  unsigned char *stream = malloc(file.bytes.size + 100);
  state.learns = true;
  receive(file.bytes.data, file.bytes.size);
  state.learns = false;
  if (state.count != strtoul(argv[2], NULL, 10))
    return printf("%zu dumps in the capture\n", state.count), 1;
  state.whole = 0;
  for (unsigned long i = strtoul(argv[3], NULL, 10); i; i--) {
    memcpy(stream, file.bytes.data, file.bytes.size);
    receive(stream, damage(stream, file.bytes.size));
  }
  printf("%lu dumps came whole, %lu were not sent\n", state.whole, state.wrong);
  free(stream);
  file_close(&file);
  return state.wrong || !state.whole;
}
