/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Feeds a log or a port's bytes to the scanner, and the frames found to the
 * collector. A log in UTF-16 is first converted to UTF-8, one byte at a time.
 * scan.h is next on the way.
 */
#include "session.h"

#include <string.h>

enum { UNPAIRED = 0xFFFD, ROOM = 256, CHARACTER = 4 };

/* A buffer of UTF-8 for the scanner. */
struct heard_output {
  struct scan *scan;
  size_t used;
  unsigned char bytes[ROOM];
};

static void flush_output(struct heard_output *output) {
  if (output->used)
    scan_feed(output->scan, output->bytes, output->used);
  output->used = 0;
}

static void put_byte(struct heard_output *output, unsigned byte) {
  output->bytes[output->used++] = (unsigned char)byte;
}

static void put_character(struct heard_output *output, uint32_t c) {
  if (output->used + 2 * CHARACTER > ROOM)
    flush_output(output);
  if (c < 0x80) {
    put_byte(output, c);
  } else if (c < 0x800) {
    put_byte(output, 0xC0 | c >> 6);
    put_byte(output, 0x80 | (c & 63));
  } else if (c < 0x10000) {
    put_byte(output, 0xE0 | c >> 12);
    put_byte(output, 0x80 | (c >> 6 & 63));
    put_byte(output, 0x80 | (c & 63));
  } else {
    put_byte(output, 0xF0 | c >> 18);
    put_byte(output, 0x80 | (c >> 12 & 63));
    put_byte(output, 0x80 | (c >> 6 & 63));
    put_byte(output, 0x80 | (c & 63));
  }
}

static void take_unit(struct hearing *hearing, struct heard_output *output,
                      uint32_t unit) {
  uint32_t high = hearing->utf16.high;
  hearing->utf16.high = 0;
  if (high && unit >> 10 == 0x37) {
    put_character(output, 0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF)));
    return;
  }
  if (high)
    put_character(output, UNPAIRED);
  if (unit >> 10 == 0x36)
    hearing->utf16.high = unit;
  else
    put_character(output, unit >> 10 == 0x37 ? UNPAIRED : unit);
}

/* The first two bytes of a log decide its encoding. */
static void choose_encoding(struct hearing *hearing,
                            struct heard_output *output,
                            const unsigned char pair[2]) {
  if (pair[0] == 0xFF && pair[1] == 0xFE) {
    hearing->utf16.form = UTF16_LITTLE;
  } else if (pair[0] == 0xFE && pair[1] == 0xFF) {
    hearing->utf16.form = UTF16_BIG;
  } else {
    hearing->utf16.form = UTF16_NONE;
    put_byte(output, pair[0]);
    put_byte(output, pair[1]);
  }
}

/* Converts the bytes of a log. */
static void feed_log(struct hearing *hearing, const unsigned char *bytes,
                     size_t size) {
  struct heard_output output = {.scan = hearing->scan};
  for (size_t i = 0; i < size; i++) {
    if (hearing->utf16.form == UTF16_UNKNOWN && !hearing->utf16.has_held &&
        bytes[i] < 0xFE)
      hearing->utf16.form = UTF16_NONE;
    if (hearing->utf16.form == UTF16_NONE) {
      flush_output(&output);
      scan_feed(hearing->scan, bytes + i, size - i);
      return;
    }
    const unsigned char pair[2] = {hearing->utf16.held, bytes[i]};
    hearing->utf16.has_held = !hearing->utf16.has_held;
    hearing->utf16.held = bytes[i];
    if (hearing->utf16.has_held)
      continue;
    if (hearing->utf16.form == UTF16_UNKNOWN)
      choose_encoding(hearing, &output, pair);
    else if (hearing->utf16.form == UTF16_LITTLE)
      take_unit(hearing, &output, pair[0] | (uint32_t)pair[1] << 8);
    else
      take_unit(hearing, &output, pair[1] | (uint32_t)pair[0] << 8);
  }
  flush_output(&output);
}

/* Handles the bytes that are held back at the end of a log. */
static void end_log(struct hearing *hearing) {
  struct heard_output output = {.scan = hearing->scan};
  if (hearing->utf16.has_held && hearing->utf16.form == UTF16_UNKNOWN)
    put_byte(&output, hearing->utf16.held);
  else if (hearing->utf16.has_held || hearing->utf16.high)
    put_character(&output, UNPAIRED);
  flush_output(&output);
}

/* ---- scanner and collector ---- */

/* Counts bytes that do not occur in text. A link at another baud rate produces
 * such bytes. The size of a piece is constant and its sum fits a byte, so
 * compilers vectorise the loop. */
static size_t odd_bytes(const unsigned char *bytes, size_t size) {
  uint8_t odd = 0;
  for (size_t i = 0; i < size; i++) {
    uint8_t byte = bytes[i];
    odd = (uint8_t)(odd + (byte >= 0x7F) + (byte < 0x20) - (byte == '\n') -
                    (byte == '\r') - (byte == '\t') - (byte == 0x1B));
  }
  return odd;
}

static void count_odd(struct hearing *hearing, const unsigned char *bytes,
                      size_t size) {
  enum { PIECE = 128 };
  hearing->heard.text += size;
  for (; size >= PIECE; size -= PIECE, bytes += PIECE)
    hearing->heard.odd += odd_bytes(bytes, PIECE);
  hearing->heard.odd += odd_bytes(bytes, size);
}

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct hearing *hearing = context;
  count_odd(hearing, bytes, size);
  const struct hear_events *events = hearing->events;
  if (!events->live || (!events->dumps.asks && hearing->heard.frames))
    collect_text(hearing->collector, bytes, size);
  if (events->text)
    events->text(events->dumps.context, bytes, size);
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct hearing *hearing = context;
  const struct hear_events *events = hearing->events;
  struct bytes all = {bytes, size};
  struct frame frame;
  bool right = !frame_read(&frame, all);
  hearing->heard.frames++;
  if (right && frame.type == BAREPROF_FRAME_REQUEST)
    return; /* The other side echoes requests. */
  if (right && frame.type == BAREPROF_FRAME_ANSWER)
    collect_answer(hearing->collector, &frame);
  if (right && frame_seed(&frame))
    scan_seed(hearing->scan, frame.dump, frame_seed(&frame));
  if (events->frame(events->dumps.context, right ? &frame : NULL, size))
    return;
  collect_frame(hearing->collector, all, mended);
  if (events->taken)
    events->taken(events->dumps.context);
}

bool hear_begin(struct hearing *hearing, const struct hear_events *events) {
  *hearing = (struct hearing){.events = events,
                              .scanned = {hearing, on_text, on_frame}};
  hearing->collector = collect_new(&events->dumps);
  hearing->scan = hearing->collector ? scan_new(&hearing->scanned) : NULL;
  return hearing->scan;
}

void hear_feed(struct hearing *hearing, const unsigned char *bytes,
               size_t size) {
  if (hearing->events->live)
    scan_feed(hearing->scan, bytes, size);
  else
    feed_log(hearing, bytes, size);
}

void hear_idle(struct hearing *hearing) { scan_idle(hearing->scan); }

size_t hear_end(struct hearing *hearing) {
  size_t damaged = 0;
  if (hearing->scan) {
    end_log(hearing);
    damaged = scan_damaged(hearing->scan);
    scan_end(hearing->scan);
  }
  if (hearing->collector)
    collect_end(hearing->collector);
  return hearing->heard.damaged = damaged;
}

bool hear_is_odd(const struct hearing *hearing) {
  enum { LEAST = 64 };
  return hearing->heard.text >= LEAST &&
         hearing->heard.odd > hearing->heard.text / 4;
}

const char *hear_lacks(const struct hearing *hearing) {
  if (hear_is_odd(hearing))
    return "the input is not text; check that the baud rate is the firmware's";
  if (hearing->heard.damaged)
    return "only damaged frames of a dump arrived; let the sink wait for its "
           "UART, or use a lower rate";
  if (!hearing->heard.text && !hearing->heard.frames)
    return "the input is empty; check that the firmware runs, and prints to "
           "this port";
  return "no dump found; check that the firmware calls bareprof_send, and "
         "sends to this port";
}
