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

#include "faults.h"
#include "scan.h"

static struct {
  unsigned long trials, dumps, untouched, whole, mended, partial, wrong, missed,
      inexact;
} count;

static void complain(const char *what, int dump) {
  fprintf(stderr, "trial %lu, dump %d: %s\n", count.trials, dump, what);
}

/* ---- what came ---- */

static int which(const struct snapshot *snapshot) {
  for (size_t d = 0; d < trial.dump_count; d++)
    if (header_is_same_boot(&trial.dumps[d]->header, &snapshot->header))
      return (int)d;
  return -1;
}

/* Whether all that is known was sent, of places in memory where it was. */
static bool truthful(const struct snapshot *snapshot, const struct sent *sent) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct snapshot_piece *part = &snapshot->parts[i];
    const struct dump_piece *piece = &snapshot->header.pieces[i];
    if (piece->size && i != BAREPROF_PIECE_SLOTS &&
        piece->address != (uintptr_t)sent->pieces[i])
      return false;
    unsigned size = header_element_size(&snapshot->header, i);
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
  if (!snapshot_init(&expected, &snapshot->header))
    abort();
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct snapshot_piece *part = &snapshot->parts[i];
    memset(known, 0, sizeof known);
    for (size_t f = 0; f < source->place_count; f++) {
      for (unsigned k = 0; k < DECODED_PIECES && !trial.lost[dump][f]; k++) {
        const struct decoded_range *elements = &source->places[f].elements[k];
        if (elements->piece == i)
          memset(known + elements->first, 1, elements->count);
      }
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
      !snapshot_is_complete(snapshot)) {
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
  reassembly_add_frame(context, (struct bytes){bytes, size}, mended);
}

static void receive(const unsigned char *stream, size_t stream_size) {
  struct reassembly_events events = {.whole = on_whole,
                                     .partial = on_partial,
                                     .passed = on_partial,
                                     .lost = on_lost};
  struct reassembler *collector = reassembly_new(&events);
  struct scan_events scanned = {collector, on_text, on_frame};
  struct frame_scanner *scan = scan_new(&scanned);
  size_t at = 0;
  while (at < stream_size) {
    size_t size = 1 + faults_pick(2000);
    if (size > stream_size - at)
      size = stream_size - at;
    scan_feed(scan, stream + at, size);
    at += size;
  }
  scan_end_and_free(scan);
  reassembly_end_and_free(collector);
}

/* Whether a dump came as it was sent, but for its end, which repeats. */
static bool untouched(size_t dump) {
  bool all = !trial.touched[dump];
  for (size_t f = 0; f < trial.dumps[dump]->sent.frame_count; f++)
    all &= !trial.lost[dump][f];
  return all;
}

static void run_trial(uint64_t seed) {
  unsigned char *stream;
  size_t size = faults_make(seed, &stream);
  receive(stream, size);
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
  faults_pool(seed);
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
