/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * runtime/wire_request.c on the host: what it takes for a request, and what it
 * does then. What it sends is only told apart here; that it is right is for
 * the other tests.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bareprof_wire.h"
#include "bareprof_values.h"
#include "wire.h"
#include "wish.h"

enum { DUMP = 1, RESET = 2, AS_IT_LIKES = 0x80 };

static _Alignas(8) uint64_t counters[4] = {1, 2, 3, 4};
static _Alignas(8) unsigned char note[] = {4, 0, 0, 0, 5,   0,   0,   0,
                                           3, 0, 0, 0, 'G', 'N', 'U', 0,
                                           1, 2, 3, 4, 5,   0,   0,   0};
static _Alignas(8) uint64_t guard;
static const uint64_t version = 10;
static struct bareprof_image image = {
    .version = &version,
    .counters = {(unsigned char *)counters,
                 (unsigned char *)counters + sizeof counters},
    .build_id = {note, note + sizeof note}};

static unsigned char sent[4096];
static size_t used;
static int sink_result;

static int to_wire(void *context, const void *bytes, size_t size) {
  (void)context;
  if (used + size <= sizeof sent)
    memcpy(sent + used, bytes, size);
  used += size;
  return sink_result;
}

static const struct bareprof_sink sink = {to_wire, NULL};
static struct bareprof_wire wire;

static int failures;

static void expect(const char *label, int holds) {
  printf(holds ? "ok wire requests: %s\n"
               : "not ok wire requests: %s: it is not so\n",
         label);
  failures += !holds;
}

static void fresh(unsigned options) {
  wire =
      (struct bareprof_wire){.image = &image, .out = &sink, .options = options};
  used = 0;
  sink_result = 0;
}

/* Whether the bytes are a request, seen with the last of them only. */
static int feed(const char *bytes, size_t size) {
  int result = 0;
  for (size_t i = 0; i < size; i++) {
    if (result)
      return -1;
    result = bareprof_wire_feed(&wire, (uint8_t)bytes[i]);
  }
  return result;
}

static int ask(const struct asked *asked) {
  char line[80];
  /* Without its LF: the request is complete before. */
  return feed(line, make_request(line, asked) - 1);
}

static size_t frames(void) {
  size_t count = 0;
  for (size_t i = 0; i + 1 < used; i++)
    count += sent[i] == '~' && sent[i + 1] == '{';
  return count;
}

static const struct asked dump = {
    .core = -1, .image = -1, .tag = 7, .command = DUMP, .options = AS_IT_LIKES};
static const struct asked reset = {.core = -1,
                                   .image = -1,
                                   .tag = 0x12345678,
                                   .command = RESET,
                                   .options = AS_IT_LIKES};

static void what_is_one(void) {
  char line[80];
  struct asked asked = dump;
  fresh(BAREPROF_LEAN);
  expect("a request is one", ask(&dump) == BAREPROF_WIRE_REQUEST);
  expect("further bytes change nothing",
         bareprof_wire_feed(&wire, '~') && bareprof_wire_feed(&wire, 'x'));
  expect("it is served", bareprof_wire_serve(&wire) == 0 && frames() == 1);
  used = 0;
  expect("and only once", bareprof_wire_serve(&wire) == 0 && used == 0);
  expect("among a shell's input",
         feed("ls ~/x {}\r\n~~", 14) == 0 && ask(&dump) == 1);
  fresh(BAREPROF_LEAN | BAREPROF_CORE(3) | BAREPROF_IMAGE(9));
  asked.core = 3, asked.image = 9;
  expect("to this core and image", ask(&asked) == 1);
  fresh(BAREPROF_LEAN | BAREPROF_CORE(3) | BAREPROF_IMAGE(9));
  asked.core = 2;
  expect("not to another core", ask(&asked) == 0);
  asked.core = 3, asked.image = 8;
  expect("not to another image", ask(&asked) == 0);
  asked = dump;
  asked.command = 3;
  fresh(BAREPROF_LEAN);
  expect("one of another command is taken", ask(&asked) == 1);
  expect("and nothing is done", bareprof_wire_serve(&wire) == 0 && used == 0);
  fresh(BAREPROF_LEAN);
  int taken = 0;
  size_t size = make_request(line, &dump) - 1;
  for (size_t i = 0; i < size * 8; i++) {
    line[i / 8] ^= (char)(1 << i % 8);
    taken |= feed(line, size);
    line[i / 8] ^= (char)(1 << i % 8);
  }
  expect("not with any bit flipped", taken == 0);
  for (size_t i = 0; i < 200; i++)
    taken |= feed(i ? "A" : "~{", i ? 1 : 2);
  expect("not if it does not end", taken == 0 && feed("}", 1) == 0);
  expect("and a good one behind that", ask(&dump) == 1);
}

/* One that ends behind its command, without options, and with a check that is
 * right. */
static void what_is_short(void) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  enum { SHORT = BAREPROF_RANGES_AT - 1, CHECKED = SHORT + 4 };
  unsigned char bytes[CHECKED + 1] = {BAREPROF_FRAME_REQUEST, 0xFF, 0xFF};
  char line[32] = "~{";
  bytes[SHORT - 1] = DUMP;
  uint32_t check = bareprof_crc32(0, bytes, SHORT);
  for (unsigned i = 0; i < 4; i++)
    bytes[SHORT + i] = (unsigned char)(check >> 8 * i);
  for (unsigned i = 0; i < CHECKED * 8 / 6; i++) {
    unsigned two = bytes[i * 6 / 8] << 8 | bytes[i * 6 / 8 + 1];
    line[2 + i] = digits[two >> (10 - i * 6 % 8) & 63];
  }
  _Static_assert(CHECKED * 8 % 6 == 0, "no bit is left");
  line[2 + CHECKED * 8 / 6] = '}';
  fresh(BAREPROF_LEAN);
  expect("not without its options", feed(line, 3 + CHECKED * 8 / 6) == 0);
}

static void what_is_done(void) {
  struct asked asked = dump;
  fresh(BAREPROF_LEAN);
  asked.options = BAREPROF_BINARY | BAREPROF_LEAN;
  ask(&asked);
  expect("the encoding asked for",
         bareprof_wire_serve(&wire) == 0 && sent[0] == 0xFA);
  fresh(BAREPROF_LEAN);
  asked.options = 0;
  ask(&asked);
  expect("what is refused is answered",
         bareprof_wire_serve(&wire) == BAREPROF_E_NO_RECORDS && frames() == 1);
  fresh(BAREPROF_LEAN);
  asked = dump;
  asked.range_count = 4;
  uint32_t ranges[4][3] = {{1, 1, 2}, {1, 3, 99}, {2, 0, 5}, {77, 0, 1}};
  memcpy(asked.ranges, ranges, sizeof ranges);
  ask(&asked);
  expect("ranges: those that there are",
         bareprof_wire_serve(&wire) == 0 && frames() == 4);
  fresh(BAREPROF_LEAN);
  sink_result = 5;
  ask(&dump);
  expect("the sink's error comes back", bareprof_wire_serve(&wire) == 5);
  fresh(BAREPROF_LEAN);
  ask(&reset);
  expect("a reset is answered",
         bareprof_wire_serve(&wire) == 0 && frames() == 1);
  expect("and done", counters[0] == 0 && counters[3] == 0);
  counters[1] = 9;
  ask(&reset);
  bareprof_wire_serve(&wire);
  expect("the same reset again is only answered",
         counters[1] == 9 && frames() == 2);
  struct asked other = dump;
  other.tag = reset.tag;
  ask(&other);
  bareprof_wire_serve(&wire);
  ask(&reset);
  bareprof_wire_serve(&wire);
  expect("also if a dump came in between", counters[1] == 9);
  other = reset;
  other.tag++;
  ask(&other);
  bareprof_wire_serve(&wire);
  expect("another one is done", counters[1] == 0);
  counters[1] = 9;
  ask(&reset);
  bareprof_wire_serve(&wire);
  ask(&other);
  bareprof_wire_serve(&wire);
  expect("an older one of the same run is not", counters[1] == 9);
  other.tag -= 256;
  ask(&other);
  bareprof_wire_serve(&wire);
  expect("one that is far below is of a new run", counters[1] == 0);
}

/* The tag of a dump is not that of a reset. */
static void reset_after_dump(void) {
  struct asked same = reset;
  same.tag = dump.tag;
  fresh(BAREPROF_LEAN);
  counters[1] = 9;
  ask(&dump);
  bareprof_wire_serve(&wire);
  ask(&same);
  bareprof_wire_serve(&wire);
  expect("a reset with the tag of a dump is done", counters[1] == 0);
}

/* The guard of an image at rest, with the start's number above it. */
static uint64_t guard_of(uint16_t start) {
  return (uint32_t) ~(uintptr_t)image.counters.end | (uint64_t)start << 32;
}

/* The same without what was sent. */
static uint64_t guard_now(void) { return guard << 8 >> 8; }

/* The frames of the answer to a request for a range, of a start. */
static size_t frames_named(uint16_t name) {
  struct asked named = dump;
  named.name = name;
  named.range_count = 1;
  memcpy(named.ranges, (const uint32_t[]){1, 1, 2}, sizeof *named.ranges);
  fresh(BAREPROF_LEAN);
  ask(&named);
  return bareprof_wire_serve(&wire) ? 0 : frames();
}

static void parts(void) {
  image.guard = &guard;
  guard = guard_of(0);
  expect("parts are not given by a start without a number",
         frames_named(0xABCD) == 2);
  expect("which takes none of that request", guard_now() == guard_of(0));
  guard = guard_of(0x1234);
  expect("nor by one of another number", frames_named(0xABCD) == 2);
  expect("but by that start", frames_named(0x1234) == 3);
  expect("and each answer has an ordinal", guard >> 56 == 2);
  image.guard = NULL;
}

static void names(void) {
  struct asked named = dump;
  named.name = 0xABCD;
  image.guard = &guard;
  guard = guard_of(0);
  fresh(BAREPROF_LEAN);
  ask(&named);
  bareprof_wire_serve(&wire);
  expect("a start without a number takes the host's",
         guard_now() == guard_of(0xABCD));
  named.name = 0x1234;
  ask(&named);
  bareprof_wire_serve(&wire);
  expect("and keeps it", guard_now() == guard_of(0xABCD));
  guard = 0;
  ask(&named);
  expect("not if it was not initialised",
         bareprof_wire_serve(&wire) == BAREPROF_E_NOT_INIT && guard_now() == 0);
  image.guard = NULL;
}

static int send(unsigned options) {
  used = 0;
  return bareprof_send_image(&image, &sink, options);
}

static void refusals(void) {
  image.guard = &guard;
  guard = 0;
  expect("a dump that is refused says so",
         send(BAREPROF_LEAN) == BAREPROF_E_NOT_INIT && frames() == 1);
  expect("a full one as well", send(0) == BAREPROF_E_NOT_INIT && frames() == 1);
  image.guard = NULL;
  struct bareprof_span kept = image.counters;
  image.counters.end = image.counters.begin;
  expect("nothing is said without counters",
         send(BAREPROF_LEAN) == BAREPROF_E_EMPTY && used == 0);
  image.counters.begin = image.counters.end = NULL;
  expect("nor without bounds",
         send(BAREPROF_LEAN) == BAREPROF_E_NO_BOUNDS && used == 0);
  fresh(BAREPROF_LEAN);
  ask(&dump);
  expect("unless the host asked",
         bareprof_wire_serve(&wire) == BAREPROF_E_NO_BOUNDS && frames() == 1);
  image.counters.begin = (unsigned char *)24; /* as in bareprof_mip_image */
  expect("nor without bounds of a raw section",
         send(BAREPROF_LEAN) == BAREPROF_E_NO_BOUNDS && used == 0);
  fresh(BAREPROF_LEAN);
  ask(&dump);
  expect("a request for such a dump is answered",
         bareprof_wire_serve(&wire) == BAREPROF_E_NO_BOUNDS && frames() == 1);
  fresh(BAREPROF_LEAN);
  ask(&reset);
  expect("and for such a reset",
         bareprof_wire_serve(&wire) == 0 && frames() == 1);
  image.counters = kept;
}

/* How many frames the answer has to a request for that range, or for all. */
static size_t frames_of(const uint32_t *range) {
  struct asked asked = dump;
  fresh(BAREPROF_LEAN);
  asked.range_count = range != NULL;
  if (range)
    memcpy(asked.ranges, range, sizeof *asked.ranges);
  ask(&asked);
  return bareprof_wire_serve(&wire) ? 0 : frames();
}

static void slots(void) {
  static struct bareprof_value_slot table[400];
  static struct bareprof_values_state state;
  const struct bareprof_values values = {
      .slots = table, .state = &state, .count = 400};
  for (unsigned i = 0; i < 40; i++)
    table[10 * i] =
        (struct bareprof_value_slot){.owner = 0x1000 * i + 1,
                                     .value = i * UINT64_C(0x123456789ABCD),
                                     .count = 1 + i,
                                     .site = i};
  image.values = &values;
  size_t all = frames_of(NULL);
  expect("slots take frames of their own", all > 4);
  expect("no slots if only counters are asked for",
         frames_of((const uint32_t[]){1, 0, 2}) == 3);
  expect("slots that are asked for",
         frames_of((const uint32_t[]){6, 5, 10}) == 3 &&
             frames_of((const uint32_t[]){6, 0, 400}) == all - 1);
  expect("no slots behind the last",
         frames_of((const uint32_t[]){6, 400, 1}) == 2 &&
             frames_of((const uint32_t[]){6, 399, 99}) == 3);
  image.guard = &guard;
  guard = guard_of(0x1234);
  expect("no slots if another boot is asked for them",
         frames_of((const uint32_t[]){6, 5, 10}) == 2);
  image.guard = NULL;
  bool thawed = state.dumps == 0;
  for (unsigned i = 0; i < 400; i++)
    thawed &= table[i].owner == (i % 10 ? 0 : 0x1000 * (i / 10) + 1);
  expect("hooks find the slots as they were", thawed);
  fresh(BAREPROF_LEAN);
  sink_result = 5;
  ask(&dump);
  expect("also when the sink gives up",
         bareprof_wire_serve(&wire) == 5 && state.dumps == 0);
  image.values = NULL;
}

int main(void) {
  what_is_one();
  what_is_short();
  what_is_done();
  reset_after_dump();
  names();
  parts();
  refusals();
  slots();
  expect("a boot without a number gets one, also after 70,000 requests",
         count_unnumbered_requests(70000) == 0);
  return failures != 0;
}
