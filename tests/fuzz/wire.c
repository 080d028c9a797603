/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the host's code after the scanner: frames, dumps, snapshots, and
 * their output. Half of the inputs are frames of anything; the others choose
 * real dumps and edit, drop, repeat and mix their frames. The CRCs of all
 * frames are made right, so that the code after the check is reached.
 *
 * What must hold: what is called whole has no gaps, and can be written or is
 * refused; the dumps of which nothing is edited or dropped come whole, and as
 * they were sent.
 */
#include <string.h>

#include "reassembly.h"
#include "wire/answers.h"
#include "dumpfile.h"
#include "input.h"
#include "wire/frame.h"
#include "scan.h"
#include "sender.h"

enum { POOL = 8, FRAMES_MOST = 64, FRAME_MOST = 600 };

struct dumped {
  struct sent sent;
  struct dump_header header;
  unsigned char frames[FRAMES_MOST][FRAME_MOST];
  size_t sizes[FRAMES_MOST];
  size_t count;
};

static struct dumped pool[POOL];
static bool came[POOL];
static bool edited;
static FILE *nowhere;

/* ---- the pool ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
}

static void keep(void *context, const unsigned char *bytes, size_t size,
                 bool mended) {
  struct dumped *dumped = context;
  struct frame frame;
  must(!mended && size <= FRAME_MOST && dumped->count < FRAMES_MOST,
       "the pool fits");
  memcpy(dumped->frames[dumped->count], bytes, size);
  dumped->sizes[dumped->count++] = size;
  must(!frame_parse(&frame, (struct bytes){bytes, size}), "a frame is read");
  if (frame_begins_dump(&frame))
    must(!frame_parse_header(&dumped->header, &frame), "a header is read");
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  uint64_t state = 1;
  uint64_t before = 1;
  (void)argc, (void)argv;
  for (unsigned i = 0; i < POOL; i++) {
    struct dumped *dumped = &pool[i];
    struct scan_events events = {dumped, on_text, keep};
    dumped->sent.binary = i & 1;
    dumped->sent.lean = i & 2;
    dumped->sent.bytes_mode = i & 4;
    dumped->sent.boot = i / 2;
    /* The second of two is of the same start, and later. */
    uint64_t same = state;
    sender_make(&dumped->sent, 20 + 40 * (i / 2), i & 1 ? &before : &state);
    if (i & 1)
      sender_again(&dumped->sent, &state);
    before = same;
    struct frame_scanner *scan = scan_new(&events);
    scan_feed(scan, dumped->sent.wire, dumped->sent.wire_size);
    scan_end_and_free(scan);
  }
  nowhere = fopen("/dev/null", "w");
  return nowhere ? 0 : 1;
}

/* ---- what comes ---- */

static bool is(const struct snapshot *snapshot, const struct sent *sent) {
  for (unsigned p = 0; p < BAREPROF_PIECES; p++)
    if (snapshot->parts[p].bytes &&
        memcmp(snapshot->parts[p].bytes, sent->pieces[p], sent->sizes[p]))
      return false;
  return true;
}

/* Of the last start that came: its last snapshot. */
static struct snapshot last;

static void take_increment(struct snapshot *snapshot) {
  struct snapshot now;
  must(snapshot_init(&now, &snapshot->header) &&
           snapshot_fill_gaps(&now, snapshot),
       "there is memory");
  if (last.parts[BAREPROF_PIECE_COUNTERS].bytes &&
      header_is_same_boot(&last.header, &snapshot->header) &&
      snapshot_follows(snapshot, &last))
    must(snapshot_subtract(snapshot, &last), "there is memory");
  snapshot_free(&last);
  last = now;
}

static void on_whole(void *context, struct snapshot *snapshot) {
  bool known = false, found = false;
  (void)context;
  must(snapshot_is_complete(snapshot), "what is whole has no gaps");
  raw_write_profile(snapshot, nowhere);
  dumpfile_write(snapshot, nowhere);
  if (snapshot->header.kind == BAREPROF_KIND_MIP)
    mipfile_write(snapshot, nowhere);
  for (unsigned i = 0; i < POOL && !edited; i++) {
    if (!header_is_same_boot(&snapshot->header, &pool[i].header))
      continue;
    known = true;
    if (is(snapshot, &pool[i].sent))
      found = came[i] = true;
  }
  must(!known || found || snapshot->several_moments,
       "what is whole is what was sent");
  take_increment(snapshot);
}

static void on_partial(void *context, struct snapshot *snapshot) {
  struct snapshot_gap hole = {0, 0, 0};
  (void)context;
  must(!snapshot_is_complete(snapshot), "what is partial has gaps");
  for (; snapshot_find_gap(snapshot, &hole); hole.first += hole.count)
    must(hole.count &&
             hole.first + (uint64_t)hole.count <=
                 snapshot->header.pieces[hole.piece].size /
                     header_element_size(&snapshot->header, hole.piece),
         "a hole is inside its piece");
  dumpfile_write(snapshot, nowhere);
  if (snapshot->header.kind == BAREPROF_KIND_MIP)
    mipfile_has_counts(snapshot);
  if (snapshot->parts[BAREPROF_PIECE_NAMES].bytes) {
    static const unsigned char names[PIECE_LIMIT];
    must(snapshot_set_piece(snapshot, BAREPROF_PIECE_NAMES, names),
         "there is memory");
  }
}

static void on_lost(void *context, const char *what) {
  (void)context;
  must(what && *what, "there is a reason");
}

/* ---- what is sent ---- */

static void give(struct reassembler *collector, unsigned char *frame,
                 size_t size, bool mended) {
  uint32_t crc = bareprof_crc32(0, frame, size - 4);
  store32(frame + size - 4, crc, false);
  reassembly_add_frame(collector, (struct bytes){frame, size}, mended);
}

static void give_anything(struct reassembler *collector, struct input *input) {
  while (more(input)) {
    unsigned char frame[300] = {0};
    unsigned flags = take(input);
    size_t size = 8 + take(input);
    for (size_t i = 0; i < size; i++)
      frame[i] = (unsigned char)take(input);
    /* Mostly few dumps, and types that exist. */
    if (flags & 1)
      frame[0] =
          (unsigned char)((frame[0] & 0x38) | "\0\1\2\5\6"[frame[0] % 5]);
    if (flags & 2)
      frame[1] &= 1, frame[2] = 0;
    give(collector, frame, size, flags & 64);
  }
  edited = true;
}

static void edit(struct input *input, unsigned char *frame, size_t *size) {
  unsigned kind = take(input) % 4;
  size_t at = take_number(input, 2) % *size;
  edited = true;
  if (kind == 0)
    frame[at] = (unsigned char)take(input);
  else if (kind == 1)
    frame[at] = (unsigned char)(frame[at] + take_step(input));
  else if (kind == 2 && *size < FRAME_MOST)
    memmove(frame + at + 1, frame + at, (*size)++ - at);
  else if (*size > 8)
    memmove(frame + at, frame + at + 1, --*size - at);
}

/* Frames of one to three dumps, in order, with what the input does to them;
 * bits of `sent` for those sent without a fault. */
static unsigned give_dumps(struct reassembler *collector, struct input *input) {
  unsigned first = take(input);
  unsigned many = 1 + take(input) % 3;
  unsigned whole = 0;
  for (unsigned n = 0; n < many; n++) {
    const struct dumped *dumped = &pool[(first + n * take(input)) % POOL];
    bool lost = false;
    for (size_t i = 0; i < dumped->count; i++) {
      unsigned char frame[FRAME_MOST];
      size_t size = dumped->sizes[i];
      unsigned what = take(input);
      memcpy(frame, dumped->frames[i], size);
      lost |= what % 8 == 1;
      if (what % 8 == 2)
        edit(input, frame, &size);
      if (what % 8 != 1)
        give(collector, frame, size, what == 64);
      if (what % 8 == 3)
        give(collector, frame, size, false);
    }
    if (!lost)
      whole |= 1u << (dumped - pool);
  }
  return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct reassembly_events events = {.whole = on_whole,
                                     .partial = on_partial,
                                     .passed = on_partial,
                                     .lost = on_lost};
  struct reassembler *collector = reassembly_new(&events);
  const struct dump_header *header;
  struct snapshot_gap holes[4];
  unsigned whole = 0;
  must(collector, "there is memory");
  edited = false;
  memset(came, 0, sizeof came);
  unsigned mode = take(&input);
  if (mode & 1)
    give_anything(collector, &input);
  else
    whole = give_dumps(collector, &input);
  if (mode & 2)
    reassembly_close_dumps(collector, mode & 4);
  struct answer answer;
  const struct frame answered = {.type = mode & 8 ? BAREPROF_FRAME_ANSWER
                                                  : BAREPROF_FRAME_REFUSED,
                                 .piece = mode >> 4 & 1,
                                 .body = {data, size}};
  uint64_t done, all;
  if (!frame_parse_answer(&answer, &answered))
    answer_print(&answer, nowhere);
  reassembly_get_progress(collector, &done, &all);
  must(reassembly_has_open_dump(collector) || !all, "no dump, no progress");
  unsigned count = reassembly_list_gaps(collector, &header, holes, 4);
  char line[REQUEST_LINE];
  struct request wish = {1, 1, 1, 0, count ? header : NULL, holes, count};
  must(frame_build_request(line, &wish) <= REQUEST_LINE,
       "a request fits its line");
  reassembly_end_and_free(collector);
  snapshot_free(&last);
  for (unsigned i = 0; i < POOL && !edited; i++)
    must(came[i] || !(whole >> i & 1), "what was sent well comes whole");
  return 0;
}
