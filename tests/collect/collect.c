/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The collector without a wire: frames in the order of a script, and the
 * events that must follow. Each event is a word, as in
 *   W1:1,2,?,?,abc*2     what; boot; counters and names, ? is unknown; made of
 *                        how many dumps
 * W whole, P partial, S passed over, L lost (and why, its beginning), M what
 * is missing, R whether a dump is open, N how many elements of how many. | is
 * the end of the input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reassembly.h"
#include "frame.h"
#include "session.h"

enum { COUNTERS = 4, NAMES = 3, FRAMES = 5 };

struct made {
  unsigned char bytes[FRAMES][HEADER_FRAME];
  size_t sizes[FRAMES];
};

/* ---- dumps ---- */

static unsigned char *to;
static size_t used;

/* The head of a frame of names. */
#define NAMES_DATA (BAREPROF_FRAME_DATA | BAREPROF_PIECE_NAMES << 3)

static int to_frame(void *context, const void *bytes, size_t size) {
  (void)context;
  memcpy(to + used, bytes, size);
  used += size;
  return 0;
}

static struct bareprof_stream *no_encoding(struct bareprof_stream *stream,
                                           unsigned what) {
  return what < BAREPROF_ENCODING_BEGIN ? bareprof_line_put(stream, what)
                                        : stream;
}

/* What is sent: 4 counters, 3 bytes of names; bits of frames: data frames 1
 * (counters 0, 1), 2 (counters 2, 3) and 3 (names) that the dump has. */
struct content {
  char letter;
  unsigned boot, core;
  uint16_t number;
  unsigned frames;
  bool part, lean;
  uint64_t counts[COUNTERS];
};

static const struct content contents[] = {
    {'a', 1, 0, 100, 14, false, false, {1, 2, 3, 4}},
    {'b', 1, 0, 101, 14, false, false, {5, 2, 3, 9}}, /* later than a */
    {'c', 1, 0, 102, 14, false, false, {0, 2, 3, 4}}, /* behind a reset */
    {'d', 2, 0, 103, 14, false, false, {6, 6, 6, 6}}, /* of another start */
    {'e', 1, 1, 104, 14, false, false, {7, 7, 7, 7}}, /* of another core */
    {'l', 1, 0, 105, 6, false, true, {1, 2, 3, 4}},
    {'p', 1, 0, 110, 4, true, false, {1, 2, 8, 9}}, /* answers */
    {'q', 1, 0, 111, 8, true, false, {0}},
    {'r', 1, 0, 112, 2, true, false, {0, 2}},
    {'s', 1, 0, 100, 2, false, false, {1, 2}}, /* short, with a's number */
    {'z', 1, 0, 100, 14, false, false, {11, 12, 13, 14}}}; /* a's number */

static struct dump_header header_of(const struct content *content) {
  struct dump_header header = {.lean = content->lean,
                               .ranges_only = content->part,
                               .core = content->core,
                               .boot = content->boot,
                               .version = 10,
                               .build_id_size = 4};
  memcpy(header.build_id, "\1\2\3\4", 4);
  header.pieces[BAREPROF_PIECE_COUNTERS] =
      (struct dump_piece){COUNTERS * 8, 0x20000000, false};
  header.pieces[BAREPROF_PIECE_NAMES] =
      (struct dump_piece){NAMES, 0x1000, content->lean};
  return header;
}

static void make_data(struct bareprof_stream *stream, unsigned frame,
                      const uint64_t *counts) {
  if (frame == 3) {
    bareprof_data_begin(stream, NAMES_DATA, 0);
    for (unsigned i = 0; i < NAMES; i++)
      bareprof_frame_put_byte(stream, "abc"[i]);
    bareprof_frame_end(stream);
    return;
  }
  unsigned first = 2 * (frame - 1);
  bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, first);
  bareprof_coder_put(stream, counts[first]);
  bareprof_coder_put(stream, counts[first + 1]);
  bareprof_data_end(stream);
}

/* Frame i of the dump is at i; the end is behind the last one. */
static void make(struct made *made, const struct content *content) {
  const struct bareprof_sink sink = {to_frame, NULL};
  struct dump_header header = header_of(content);
  struct bareprof_stream stream = {.sink = &sink,
                                   .encoding = no_encoding,
                                   .dump = content->number,
                                   .frames = 1};
  made->sizes[0] = frame_build_header(made->bytes[0], &header, content->number);
  stream.sum = load32(made->bytes[0] + made->sizes[0] - 4, false);
  for (unsigned frame = 1; frame <= 4; frame++) {
    unsigned at = stream.frames;
    uint32_t sum = stream.sum;
    if (frame < 4 && !(content->frames >> frame & 1))
      continue;
    to = made->bytes[at];
    used = 0;
    if (frame < 4) {
      make_data(&stream, frame, content->counts);
    } else {
      bareprof_frame_begin(&stream, BAREPROF_FRAME_END);
      bareprof_frame_put_varint(&stream, at);
      bareprof_frame_put_varint(&stream, sum);
      bareprof_frame_end(&stream);
    }
    made->sizes[at] = used;
  }
}

/* ---- events ---- */

static char said[4096];

static void say(const char *format, unsigned long long a,
                unsigned long long b) {
  size_t size = strlen(said);
  snprintf(said + size, sizeof said - size, format, a, b);
}

static bool known(const struct snapshot_piece *part, uint32_t element) {
  for (size_t i = 0; i < part->known_count; i++)
    if (part->known[i].first <= element && element < part->known[i].end)
      return true;
  return false;
}

static void say_snapshot(const char *what, const struct snapshot *snapshot) {
  const struct snapshot_piece *counters =
      &snapshot->parts[BAREPROF_PIECE_COUNTERS];
  const struct snapshot_piece *names = &snapshot->parts[BAREPROF_PIECE_NAMES];
  say(what, snapshot->header.boot, 0);
  for (uint32_t i = 0; i < COUNTERS; i++)
    say(known(counters, i) ? "%llu," : "?,",
        load64(counters->bytes + (size_t)i * 8, false), 0);
  for (uint32_t i = 0; i < NAMES && names->bytes; i++)
    say(known(names, i) ? "%c" : "?", names->bytes[i], 0);
  if (snapshot->several_moments)
    say("*%llu", snapshot->dumps, 0);
  say(snapshot->header.ranges_only ? " part;" : ";", 0, 0);
}

static void on_whole(void *context, struct snapshot *snapshot) {
  (void)context;
  say_snapshot("W%llu:", snapshot);
}

static void on_partial(void *context, struct snapshot *snapshot) {
  (void)context;
  say_snapshot("P%llu:", snapshot);
}

static void on_passed(void *context, struct snapshot *snapshot) {
  (void)context;
  say_snapshot("S%llu:", snapshot);
}

static void on_lost(void *context, const char *what) {
  size_t size = strlen(said);
  (void)context;
  snprintf(said + size, sizeof said - size, "L%.16s;", what);
}

static const struct reassembly_events events = {.whole = on_whole,
                                                .partial = on_partial,
                                                .passed = on_passed,
                                                .lost = on_lost};
static struct reassembler *collector;

static void fresh(void) {
  said[0] = 0;
  collector = reassembly_new(&events);
  if (!collector)
    abort();
}

static void finish(void) {
  say("|", 0, 0);
  reassembly_end_and_free(collector);
}

/* ---- scripts ---- */

static void say_missing(unsigned room) {
  const struct dump_header *header = NULL;
  struct snapshot_gap holes[4];
  unsigned count = reassembly_list_gaps(collector, &header, holes, room);
  if (count)
    say("M%llu:", header->boot, 0);
  else
    say("M", 0, 0);
  for (unsigned i = 0; i < count; i++) {
    say(i ? " %llu" : "%llu", holes[i].piece, 0);
    say("@%llu+%llu", holes[i].first, holes[i].count);
  }
  say(";", 0, 0);
}

static void feed(const struct content *content, unsigned frame, bool mended) {
  struct made made;
  make(&made, content);
  reassembly_add_frame(
      collector, (struct bytes){made.bytes[frame], made.sizes[frame]}, mended);
}

/* Two letters from the third on, of three. */
static void feed_beyond(void) {
  const struct bareprof_sink sink = {to_frame, NULL};
  struct bareprof_stream stream = {.sink = &sink,
                                   .encoding = no_encoding,
                                   .dump = contents->number,
                                   .frames = 3};
  unsigned char bytes[64];
  to = bytes;
  used = 0;
  bareprof_data_begin(&stream, NAMES_DATA, 2);
  bareprof_frame_put_byte(&stream, 'c');
  bareprof_frame_put_byte(&stream, 'd');
  bareprof_frame_end(&stream);
  reassembly_add_frame(collector, (struct bytes){bytes, used}, false);
}

/* Frames that no sender makes. */
static void feed_odd(char which) {
  static const unsigned char format_9[] = {0, 1, 0, 0, 9, 0, 0, 0, 0};
  static const unsigned char piece_7[] = {7 << 3 | 1, 100, 0, 9, 0, 0,
                                          0,          0,   0, 0, 0};
  if (which == 'x')
    reassembly_add_frame(collector, (struct bytes){format_9, 1}, false);
  else if (which == 'y')
    reassembly_add_frame(collector, (struct bytes){format_9, sizeof format_9},
                         false);
  else if (which == 'w')
    reassembly_add_frame(collector, (struct bytes){piece_7, sizeof piece_7},
                         false);
  else
    feed_beyond();
}

/* Words: a letter is a dump, the digits behind it its frames (0 its header),
 * the m behind a digit says that it was mended; ! and !! settle; ? and ?1 tell
 * what is missing, with room for 4 and 1; R and N as above. v is a data frame
 * of a that has more than its piece, w one of a piece that there is none of, x
 * a frame that is too short, y a header of another format. */
static void play(const char *script) {
  const struct content *content = contents;
  for (const char *at = script; *at; at++) {
    uint64_t done, all;
    if (*at >= '0' && *at <= '9') {
      feed(content, (unsigned)(*at - '0'), at[1] == 'm');
    } else if (*at == '!') {
      reassembly_close_dumps(collector, at[1] == '!');
      at += at[1] == '!';
    } else if (*at == '?') {
      say_missing(at[1] == '1' ? 1 : 4);
      at += at[1] == '1';
    } else if (*at == 'R') {
      say("R%llu;", reassembly_has_open_dump(collector), 0);
    } else if (*at == 'N') {
      reassembly_get_progress(collector, &done, &all);
      say("N%llu/%llu;", done, all);
    } else if (strchr("vwxy", *at)) {
      feed_odd(*at);
    } else if (*at != ' ' && *at != 'm') {
      for (content = contents; content->letter != *at; content++)
        ;
    }
  }
}

#define A "W1:1,2,3,4,abc;"
#define B "W1:5,2,3,9,abc;"
#define C "W1:0,2,3,4,abc;"
#define D "W2:6,6,6,6,abc;"
#define HEADERLESS "Lframes arrived w;"

static const struct row {
  const char *label, *script, *expected;
} rows[] = {
    {"a dump", "a01234", A "|"},
    {"each frame twice", "a0011223344", A "|"},
    {"the dump again", "a01234 a01234", A A "|"},
    {"frames again behind the end", "a01234 a23 b01234", A B "|"},
    {"an end again, then a dump", "a01234 a4 b01234", A B "|"},
    {"an echo and what is none", "a01234 a2 z2", A "|" HEADERLESS},
    {"a frame is lost", "a0134", "|P1:1,2,?,?,abc;"},
    {"no end, but all else", "a0123", "|" A},
    {"nothing but an end", "a4", "|" HEADERLESS},
    {"two starts, mixed", "a0d0a1d1a3d2d3a4d4", D "|P1:1,2,?,?,abc;"},
    {"two starts, both whole", "a0d0a1d1a2d2d3a34d4", A D "|"},
    {"a dump inside of another", "a01 b01234 a234", B A "|"},
    {"two inside, an echo of the first between", "a01 b01234 b3 a2 c01234 a34",
     B C A "|"},
    {"two later ones, and nothing of it between", "a01 b01234 b3 d01234 a234",
     B D "|" HEADERLESS "P1:1,2,?,?,???;"},
    {"a third one inside gives up the outermost", "a01 b0 c01234 b1234 a234",
     "P1:1,2,?,?,???;" C B "|" HEADERLESS},
    {"another core's gives up none", "a01 e0 e1 e234 a234",
     "W1:7,7,7,7,abc;" A "|"},
    {"three cores' dumps, one has ended", "a0134 e0 ?",
     "M;|P1:1,2,?,?,abc;"
     "P1:?,?,?,?,???;"},
    {"a new dump tells that the last one has gaps", "a0134 ? b0 ?",
     "M;M1:1@2+2;|P1:1,2,?,?,abc;P1:?,?,?,?,abc;"},
    {"a header is lost", "a1234 b01234", HEADERLESS B "|"},
    {"a header is lost, but the last one's serves", "b01234 a1234", B "|" A},
    {"not for other frames", "b01234 a134", B "|" HEADERLESS},
    {"frames of several dumps as one", "a01 z2 a34", "Lframes of severa;|"},
    {"an answer fills the gap", "a0134 p012", "W1:1,2,8,9,abc*2;|"},
    {"two answers fill two gaps", "a014 p012 q012", "W1:1,2,8,9,abc*3;|"},
    {"the first of two is not the last word", "a014 p012 ?",
     "M1:3@0+3;|P1:1,2,8,9,???*2;"},
    {"an answer that nobody needs", "a01234 p012", A "|"},
    {"an answer behind a reset", "a0134 r012 ?", "M1:1@2+2;|P1:1,2,?,?,abc;"},
    {"a later dump fills no gap of counters", "a0134 b0234",
     "|P1:1,2,?,?,abc;P1:?,?,3,9,abc;"},
    {"a later dump is whole", "a0134 b01234", "S1:1,2,?,?,abc;" B "|"},
    {"a later dump behind a reset", "a0134 c01234", "P1:1,2,?,?,abc;" C "|"},
    {"and that has gaps", "a0134 c0134", "|P1:1,2,?,?,abc;P1:0,2,?,?,abc;"},
    {"lean and full are of one start", "a0134 l0123",
     "S1:1,2,?,?,abc;W1:1,2,3,4,;|"},
    {"mended frames that fit", "a0m 1m 2 3m 4m", A "|"},
    {"a mended frame that fits to none", "a1m a01 b2m a234",
     "La repaired frame;La repaired frame;" A "|"},
    {"frames that are none", "x y a01234",
     "La frame has cont;Lthe dump has ano;" A "|"},
    {"an end in front of its frames", "a40213", A "|"},
    {"the end of another dump of that number", "a013 s2 a24", A "|" HEADERLESS},
    {"a frame behind the end of another dump of that number", "s02 a3",
     "|" HEADERLESS "P1:?,?,?,?,???;"},
    {"a frame of a piece that there is none of", "a0w1234",
     "La frame has cont;" A "|"},
    {"a frame of more than its piece", "a012v",
     "|La data frame has;P1:1,2,3,4,???;"},
    {"settled: what has ended", "a0134 e01 R!R?",
     "R1;R1;M1:1@2+2;|"
     "P1:1,2,?,?,abc;P1:7,7,?,?,???;"},
    {"settled: what has not ended goes on", "a013 !?R a24", "M;R1;" A "|"},
    {"settled: all of it", "a01 !!?R", "M1:1@2+2 3@0+3;R0;|P1:1,2,?,?,???;"},
    {"settled: several", "a0134 e0134 !R",
     "R0;|P1:1,2,?,?,abc;"
     "P1:7,7,?,?,abc;"},
    {"missing: no more than there is room for", "a01 !!?1",
     "M1:1@2+2;|P1:1,2,?,?,???;"},
    {"missing: of one start at a time", "a0134 d0234 !?",
     "M1:1@2+2;|P1:1,2,?,?,abc;P2:?,?,6,6,abc;"},
    {"progress", "N a01 N3 N b0 N",
     "N0/0;N2/4;N2/4;N0/4;|"
     "P1:1,2,?,?,abc;P1:?,?,?,?,abc;"},
    {"progress of a lean dump", "l01N", "N2/4;|P1:1,2,?,?,;"}};

static int failures;

static void expect(const char *label, const char *expected) {
  if (strcmp(said, expected) == 0) {
    printf("ok collect: %s\n", label);
    return;
  }
  printf("not ok collect: %s: expected %s, got %s\n", label, expected, said);
  failures++;
}

/* ---- sums ---- */

static void two_of(struct snapshot snapshots[2], const uint64_t counts[2][2],
                   const char *bitmaps[2]) {
  struct dump_header header = header_of(contents);
  header.pieces[BAREPROF_PIECE_COUNTERS].size = 16;
  header.pieces[BAREPROF_PIECE_BITMAP] =
      (struct dump_piece){2, 0x20001000, false};
  for (unsigned i = 0; i < 2; i++) {
    unsigned char bytes[16];
    store64(bytes, counts[i][0], false);
    store64(bytes + 8, counts[i][1], false);
    if (!snapshot_init(&snapshots[i], &header) ||
        !snapshot_set_piece(&snapshots[i], BAREPROF_PIECE_COUNTERS, bytes) ||
        !snapshot_set_piece(&snapshots[i], BAREPROF_PIECE_BITMAP,
                            (const unsigned char *)bitmaps[i]))
      abort();
  }
}

/* Says what the first of them has, and frees both. */
static void say_first(struct snapshot snapshots[2]) {
  const struct snapshot_piece *parts = snapshots[0].parts;
  said[0] = 0;
  say("%llx %llx ", load64(parts[BAREPROF_PIECE_COUNTERS].bytes, false),
      load64(parts[BAREPROF_PIECE_COUNTERS].bytes + 8, false));
  say("%llx %llx", parts[BAREPROF_PIECE_BITMAP].bytes[0],
      parts[BAREPROF_PIECE_BITMAP].bytes[1]);
  snapshot_free(&snapshots[0]);
  snapshot_free(&snapshots[1]);
}

static void sums(void) {
  struct snapshot two[2];
  two_of(two, (const uint64_t[2][2]){{7, UINT64_MAX - 1}, {5, 2}},
         (const char *[]){"\x81\x0F", "\x03\xF0"});
  if (!snapshot_merge(&two[0], &two[1]))
    abort();
  say_first(two);
  expect("two runs add up, to 2^64-1 at most", "c ffffffffffffffff 83 ff");
  two_of(two, (const uint64_t[2][2]){{7, UINT64_MAX}, {5, 2}},
         (const char *[]){"\x83\x0F", "\x03\x0E"});
  if (!snapshot_subtract(&two[0], &two[1]))
    abort();
  say_first(two);
  expect("what has come since", "2 fffffffffffffffd 80 1");
}

/* Increments of 4-byte counters: one stops in the second of three dumps. Each
 * file's name says that. */
static void stopped(const char *out) {
  struct dump_writer writer = {.out = out, .increments = true};
  struct snapshot two[2];
  for (unsigned i = 0; i < 4; i++) {
    two_of(two, (const uint64_t[2][2]){{UINT32_MAX / 2 + (i > 1), 9 + i}, {7}},
           (const char *[]){"\0\0", "\0\0"});
    two[0].header.packed = two[0].header.folded = two[0].header.lean = true;
    two[0].header.boot = 1;
    dump_writer_write_complete(&writer, &two[0]);
    say_first(two);
    expect(
        "increments of 4-byte counters",
        (const char *[]){"7fffffff 9 0 0", "0 1 0 0", "1 1 0 0", "0 1 0 0"}[i]);
  }
  dump_writer_free(&writer);
}

/* ---- all orders, limits ---- */

/* Every order of a dump's frames makes it whole, once. */
static void orders(void) {
  unsigned wrong = 0;
  for (unsigned order = 0; order < 5 * 4 * 3 * 2; order++) {
    unsigned left = order, taken = 0;
    fresh();
    for (unsigned n = 5; n; n--) {
      unsigned nth = left % n, frame = 0;
      left /= n;
      for (; taken >> frame & 1 || nth--; frame++)
        ;
      taken |= 1u << frame;
      feed(contents, frame, false);
    }
    finish();
    wrong += strcmp(said, A "|") != 0;
  }
  said[0] = 0;
  say("%llu", wrong, 0);
  expect("120 orders of 5 frames", "0");
}

/* Frames of one byte of names, so that their sequence takes all of its bits. */
static void feed_letter(struct bareprof_stream *stream, unsigned sequence) {
  unsigned char bytes[64];
  to = bytes;
  used = 0;
  stream->frames = sequence;
  bareprof_data_begin(stream, NAMES_DATA, sequence - 1);
  bareprof_frame_put_byte(stream, sequence);
  bareprof_frame_end(stream);
  reassembly_add_frame(collector, (struct bytes){bytes, used}, false);
}

/* A dump of 200 frames of names whose 130th comes first, and then the fifth:
 * it is whole but for its counters and its end. */
static void far_ahead(void) {
  const struct bareprof_sink sink = {to_frame, NULL};
  struct dump_header header = header_of(contents);
  struct bareprof_stream stream = {
      .sink = &sink, .encoding = no_encoding, .dump = 500};
  unsigned char frame[HEADER_FRAME];
  header.pieces[BAREPROF_PIECE_NAMES].size = 200;
  fresh();
  reassembly_add_frame(
      collector, (struct bytes){frame, frame_build_header(frame, &header, 500)},
      false);
  feed_letter(&stream, 130);
  feed_letter(&stream, 5);
  for (unsigned i = 1; i <= 200; i++)
    if (i != 130 && i != 5)
      feed_letter(&stream, i);
  reassembly_close_dumps(collector, true);
  say_missing(4);
  expect("a frame that is 130 ahead", "M1:1@0+4;");
  finish();
}

/* Dumps of as many senders, each as far as the header. */
static void begin_many(unsigned count) {
  struct content content = contents[0];
  for (unsigned i = 0; i < count; i++) {
    content.core = i & 15;
    content.boot = 1 + i;
    content.number = (uint16_t)(200 + i);
    feed(&content, 0, false);
  }
}

static void limits(void) {
  fresh();
  begin_many(16);
  say_missing(1);
  said[0] = 0;
  begin_many(16);
  expect("16 open dumps", "");
  begin_many(17);
  say_missing(1);
  expect("of 17 open dumps the first is given up", "M1:1@0+4;");
  finish();
  fresh();
  begin_many(16);
  reassembly_close_dumps(collector, true);
  expect("16 starts are remembered", "");
  feed(&contents[3], 0, false);
  feed(&(struct content){'s', 99, 3, 300, 14, false, false, {0}}, 0, false);
  reassembly_close_dumps(collector, true);
  expect("of 17 starts the first is given up, once",
         "P1:?,?,?,?,???;P2:?,?,?,?,???;");
  finish();
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fresh();
    play(rows[i].script);
    finish();
    expect(rows[i].label, rows[i].expected);
  }
  sums();
  stopped(argv[argc - 1]);
  orders();
  far_ahead();
  limits();
  return failures != 0;
}
