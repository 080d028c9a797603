/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware's side, compiled as on a target.
 */
#include "failing_send.h"

#include <setjmp.h>
#include <string.h>

#include "bareprof_wire.h"
#include "../../runtime/image.h"

enum { CODE = 7 };

static const _Alignas(8) unsigned char note[36] = {
    4,    0,    0,    0,    20,   0,    0,    0,    3,    0,    0,    0,
    'G',  'N',  'U',  0,    0x51, 0x1E, 0x5C, 0x93, 0x07, 0xE8, 0x4A, 0xF6,
    0x21, 0xD9, 0x70, 0x3B, 0x8E, 0x12, 0xC5, 0x66, 0xA9, 0x04, 0xDB, 0x37};
static const uint64_t version = 10;
static uint64_t guard, counters[FAILING_COUNTERS];
static unsigned char bitmap[FAILING_BITMAP + 7];
static _Alignas(8) const unsigned char records[104] = {1}, names[16] = "f";

static struct {
  struct failing_log *log;
  size_t left;
  enum failing_form form;
  enum failing_way way;
  jmp_buf out;
} sinking;

static int send_one(enum failing_form form);

/* The other dump has the whole of the log's room. */
static int send_another(const void *bytes, size_t size) {
  struct failing_log *log = sinking.log;
  log->failed = true;
  sinking.left = FAILING_ROOM;
  if (send_one(sinking.form))
    log->wrong = "the dump within fails";
  memcpy(log->bytes + log->size, bytes, size);
  log->size += size;
  return 0;
}

static int take(void *context, const void *bytes, size_t size) {
  struct failing_log *log = sinking.log;
  size_t some = size < sinking.left ? size : sinking.left;
  (void)context;
  if (sinking.way == SENDS_ANOTHER && some < size && !log->failed)
    return send_another(bytes, size);
  if (log->failed && !log->second && sinking.way != SENDS_ANOTHER)
    log->wrong = "the sink is called again";
  memcpy(log->bytes + log->size, bytes, some);
  log->size += some;
  sinking.left -= some;
  if (some == size)
    return 0;
  log->failed = true;
  if (sinking.way == LEAVES)
    longjmp(sinking.out, 1);
  return CODE;
}

static struct bareprof_span span(const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  return (struct bareprof_span){at, at + size};
}

static int send_one(enum failing_form form) {
  const struct bareprof_sink sink = {take, NULL};
  struct bareprof_image image = {.version = &version, .guard = &guard};
  bool lean = form == LEAN_TEXT || form == LEAN_BINARY;
  image.build_id = span(note, sizeof note);
  image.counters = span(counters, sizeof counters);
  image.bitmap = span(bitmap, FAILING_BITMAP);
  if (!lean) {
    image.records = span(records, sizeof records);
    image.names = span(names, sizeof names);
  }
  if (!guard)
    guard = bareprof_expected_guard_half(&image) | UINT64_C(77) << 32;
  return (bareprof_send_image)(
      &image, &sink,
      (form == FULL_TEXT || form == LEAN_TEXT ? BAREPROF_TEXT
                                              : BAREPROF_BINARY) |
          (lean ? BAREPROF_LEAN : 0));
}

void failing_send(struct failing_log *log, enum failing_form form, size_t most,
                  enum failing_way way) {
  log->size = 0;
  log->failed = log->second = false;
  log->wrong = NULL;
  guard = 0;
  for (unsigned i = 0; i < FAILING_COUNTERS; i++)
    counters[i] = i % 3 ? i * 1000 + 1 : 0;
  for (unsigned i = 0; i < FAILING_BITMAP; i++)
    bitmap[i] = (unsigned char)(i * 37);
  sinking.log = log;
  sinking.left = most;
  sinking.form = form;
  sinking.way = way;
  if (!setjmp(sinking.out)) {
    int result = send_one(form);
    if (result != (log->failed && way == GIVES_A_CODE ? CODE : 0))
      log->wrong = "the sink's code does not come back";
  }
  log->second = true;
  sinking.left = FAILING_ROOM - log->size;
  sinking.way = GIVES_A_CODE;
  if (send_one(form))
    log->wrong = "the second dump fails";
}

const void *failing_counters(void) { return counters; }
const void *failing_bitmap(void) { return bitmap; }
