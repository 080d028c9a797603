/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Passes the bytes of a log or a port to the scanner, and the frames that the
 * scanner finds to the reassembler. A log in UTF-16 is first converted to
 * UTF-8, one byte at a time. scan.h is next on the way.
 */
#include "session.h"

#include <ctype.h>
#include <string.h>

#include "../base/text.h"
#include "wire.h"

enum { UNPAIRED = 0xFFFD, ROOM = 256, CHARACTER = 4 };

/* The UTF-8 text of a log that was in UTF-16, for the scanner. */
struct utf8_output {
  struct frame_scanner *scan;
  size_t used;
  unsigned char bytes[ROOM];
};

static void flush_utf8_output(struct utf8_output *output) {
  if (output->used)
    scan_feed(output->scan, output->bytes, output->used);
  output->used = 0;
}

static void append_utf8_byte(struct utf8_output *output, unsigned byte) {
  output->bytes[output->used++] = (unsigned char)byte;
}

static void append_utf8_character(struct utf8_output *output, uint32_t c) {
  if (output->used + 2 * CHARACTER > ROOM)
    flush_utf8_output(output);
  if (c < 0x80) {
    append_utf8_byte(output, c);
  } else if (c < 0x800) {
    append_utf8_byte(output, 0xC0 | c >> 6);
    append_utf8_byte(output, 0x80 | (c & 63));
  } else if (c < 0x10000) {
    append_utf8_byte(output, 0xE0 | c >> 12);
    append_utf8_byte(output, 0x80 | (c >> 6 & 63));
    append_utf8_byte(output, 0x80 | (c & 63));
  } else {
    append_utf8_byte(output, 0xF0 | c >> 18);
    append_utf8_byte(output, 0x80 | (c >> 12 & 63));
    append_utf8_byte(output, 0x80 | (c >> 6 & 63));
    append_utf8_byte(output, 0x80 | (c & 63));
  }
}

static void convert_utf16_unit(struct receiver *receiver,
                               struct utf8_output *output, uint32_t unit) {
  uint32_t high = receiver->utf16.high;
  receiver->utf16.high = 0;
  if (high && unit >> 10 == 0x37) {
    append_utf8_character(output,
                          0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF)));
    return;
  }
  if (high)
    append_utf8_character(output, UNPAIRED);
  if (unit >> 10 == 0x36)
    receiver->utf16.high = unit;
  else
    append_utf8_character(output, unit >> 10 == 0x37 ? UNPAIRED : unit);
}

/* Decides the encoding of a log from its first two bytes. */
static void detect_log_encoding(struct receiver *receiver,
                                struct utf8_output *output,
                                const unsigned char pair[2]) {
  if (pair[0] == 0xFF && pair[1] == 0xFE) {
    receiver->utf16.form = UTF16_LITTLE;
  } else if (pair[0] == 0xFE && pair[1] == 0xFF) {
    receiver->utf16.form = UTF16_BIG;
  } else {
    receiver->utf16.form = UTF16_NONE;
    append_utf8_byte(output, pair[0]);
    append_utf8_byte(output, pair[1]);
  }
}

/* Reports once that the log has another encoding than its beginning says.
 * PowerShell's `>>` appends UTF-16 to any file, other programs append 8-bit
 * text to UTF-16. */
static void note_mixed_log(struct receiver *receiver, const char *what) {
  const struct reassembly_events *events = &receiver->events->dumps;
  if (!receiver->utf16.mixed)
    events->lost(events->context, what);
  receiver->utf16.mixed = true;
}

/* Finds 8-bit frames in UTF-16: there, no base64 follows ~{ without zeros. */
static void find_8bit_frame(struct receiver *receiver, unsigned char last,
                            unsigned char byte) {
  enum { LEAST = 20 };
  unsigned *run = &receiver->utf16.run;
  if (last == BAREPROF_TEXT_MARK && byte == BAREPROF_TEXT_BEGIN)
    *run = 1;
  else if (!*run || !(isalnum(byte) || byte == '+' || byte == '/'))
    *run = 0;
  else if (++*run == LEAST)
    note_mixed_log(receiver, "a part of this UTF-16 log is 8-bit text; write "
                             "the whole log in one encoding");
}

/* Finds frames in UTF-16 in 8-bit text. */
static void find_utf16_frame(struct receiver *receiver,
                             const unsigned char *bytes, size_t size) {
  const unsigned char *zero = bytes, *end = bytes + size;
  while (size > 2 && (zero = memchr(zero + 1, 0, (size_t)(end - zero - 2))))
    if (zero[-1] == BAREPROF_TEXT_MARK && zero[1] == BAREPROF_TEXT_BEGIN)
      note_mixed_log(receiver,
                     "the log, or a part of it, is UTF-16, but the log does "
                     "not begin with a byte order mark; convert the whole log "
                     "to UTF-8");
}

/* Converts the bytes of a log to UTF-8, and passes them to the scanner. */
static void feed_log_bytes(struct receiver *receiver,
                           const unsigned char *bytes, size_t size) {
  struct utf8_output output = {.scan = receiver->scan};
  for (size_t i = 0; i < size; i++) {
    if (receiver->utf16.form == UTF16_UNKNOWN && !receiver->utf16.has_held &&
        bytes[i] < 0xFE)
      receiver->utf16.form = UTF16_NONE;
    if (receiver->utf16.form == UTF16_NONE) {
      flush_utf8_output(&output);
      scan_feed(receiver->scan, bytes + i, size - i);
      return;
    }
    const unsigned char pair[2] = {receiver->utf16.held, bytes[i]};
    find_8bit_frame(receiver, pair[0], bytes[i]);
    receiver->utf16.has_held = !receiver->utf16.has_held;
    receiver->utf16.held = bytes[i];
    if (receiver->utf16.has_held)
      continue;
    if (receiver->utf16.form == UTF16_UNKNOWN)
      detect_log_encoding(receiver, &output, pair);
    else if (receiver->utf16.form == UTF16_LITTLE)
      convert_utf16_unit(receiver, &output, pair[0] | (uint32_t)pair[1] << 8);
    else
      convert_utf16_unit(receiver, &output, pair[1] | (uint32_t)pair[0] << 8);
  }
  flush_utf8_output(&output);
}

/* Passes on the bytes that were held back, at the end of a log. */
static void feed_held_bytes(struct receiver *receiver) {
  struct utf8_output output = {.scan = receiver->scan};
  if (receiver->utf16.has_held && receiver->utf16.form == UTF16_UNKNOWN)
    append_utf8_byte(&output, receiver->utf16.held);
  else if (receiver->utf16.has_held || receiver->utf16.high)
    append_utf8_character(&output, UNPAIRED);
  flush_utf8_output(&output);
}

/* ---- scanner and reassembler ---- */

enum { TEXT_PIECE = 128 };

/* Counts bytes that do not occur in ASCII text. A link with another baud rate
 * produces such bytes. Compilers vectorise the loop, because a piece has a
 * constant size and the sum fits in a byte. */
static size_t count_non_text_bytes(const unsigned char *bytes, size_t size) {
  uint8_t odd = 0;
  for (size_t i = 0; i < size; i++) {
    uint8_t byte = bytes[i];
    odd = (uint8_t)(odd + (byte >= 0x7F) + (byte < 0x20) - (byte == '\n') -
                    (byte == '\r') - (byte == '\t') - (byte == 0x1B));
  }
  return odd;
}

/* Returns the number of bytes in UTF-8 characters of several bytes that begin
 * in a piece. Reads the three bytes after the piece too. Takes overlong forms
 * for characters, because the count only tells text from noise. */
static size_t count_piece_utf8_bytes(const unsigned char *bytes) {
  uint8_t count = 0;
  for (size_t i = 0; i < TEXT_PIECE; i++) {
    uint8_t first = bytes[i];
    uint8_t two = (first >= 0xC2) & (bytes[i + 1] >> 6 == 2);
    uint8_t three = (first >= 0xE0) & two & (bytes[i + 2] >> 6 == 2);
    uint8_t four = (first >= 0xF0) & three & (bytes[i + 3] >> 6 == 2);
    two &= first < 0xE0;
    three &= first < 0xF0;
    count = (uint8_t)(count + 2 * two + 3 * three + 4 * four);
  }
  return count;
}

static size_t count_utf8_bytes(const unsigned char *bytes, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size;) {
    struct utf8_character one = utf8_decode(bytes + i, size - i);
    count += one.size > 1 && !one.broken ? one.size : 0;
    i += one.size;
  }
  return count;
}

static void add_text_counts(struct receiver *receiver,
                            const unsigned char *bytes, size_t size) {
  receiver->counts.text += size;
  size_t at = 0;
  for (; size - at >= TEXT_PIECE + 3; at += TEXT_PIECE) {
    size_t odd = count_non_text_bytes(bytes + at, TEXT_PIECE);
    receiver->counts.odd +=
        odd ? odd - count_piece_utf8_bytes(bytes + at) : 0;
  }
  size_t odd = count_non_text_bytes(bytes + at, size - at);
  receiver->counts.odd +=
      odd ? odd - count_utf8_bytes(bytes + at, size - at) : 0;
}

/* struct receiver_events says which text the reassembler gets. */
static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct receiver *receiver = context;
  add_text_counts(receiver, bytes, size);
  const struct receiver_events *events = receiver->events;
  if (!events->live)
    find_utf16_frame(receiver, bytes, size);
  if (!events->live || (!events->dumps.asks && receiver->counts.frames))
    reassembly_add_text(receiver->reassembler, bytes, size);
  if (events->text)
    events->text(events->dumps.context, bytes, size);
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct receiver *receiver = context;
  const struct receiver_events *events = receiver->events;
  struct bytes all = {bytes, size};
  struct frame frame;
  bool right = !frame_parse(&frame, all);
  receiver->counts.frames++;
  if (right && frame.type == BAREPROF_FRAME_REQUEST)
    return; /* the other side echoes requests */
  if (right && frame.type == BAREPROF_FRAME_ANSWER)
    reassembly_add_answer(receiver->reassembler, &frame);
  if (right && frame_seed(&frame))
    scan_add_seed(receiver->scan, frame.dump, frame_seed(&frame));
  if (events->frame(events->dumps.context, right ? &frame : NULL, size))
    return;
  reassembly_add_frame(receiver->reassembler, all, mended);
  if (events->taken)
    events->taken(events->dumps.context);
}

bool receiver_begin(struct receiver *receiver,
                    const struct receiver_events *events) {
  *receiver = (struct receiver){.events = events,
                                .scanned = {receiver, on_text, on_frame}};
  receiver->reassembler = reassembly_new(&events->dumps);
  receiver->scan = receiver->reassembler ? scan_new(&receiver->scanned) : NULL;
  return receiver->scan;
}

void receiver_feed(struct receiver *receiver, const unsigned char *bytes,
                   size_t size) {
  if (receiver->events->live)
    scan_feed(receiver->scan, bytes, size);
  else
    feed_log_bytes(receiver, bytes, size);
}

void receiver_note_idle(struct receiver *receiver) {
  scan_note_idle(receiver->scan);
}

size_t receiver_end(struct receiver *receiver) {
  size_t damaged = 0;
  if (receiver->scan) {
    feed_held_bytes(receiver);
    damaged = scan_count_damaged_frames(receiver->scan);
    scan_end_and_free(receiver->scan);
  }
  if (receiver->reassembler)
    reassembly_end_and_free(receiver->reassembler);
  return receiver->counts.damaged = damaged;
}

bool receiver_is_garbled(const struct receiver *receiver) {
  enum { LEAST = 64 };
  return receiver->counts.text >= LEAST &&
         receiver->counts.odd > receiver->counts.text / 4;
}

const char *receiver_explain_no_dump(const struct receiver *receiver) {
  if (receiver_is_garbled(receiver))
    return "the input is not text; pass a console log, or check that the baud "
           "rate is the firmware's";
  if (receiver->counts.damaged)
    return "only damaged frames of a dump arrived; let the sink wait for its "
           "UART, or use a lower rate";
  if (!receiver->counts.text && !receiver->counts.frames)
    return "the input is empty; check that the firmware runs, and prints a log";
  return "no dump found; check that the firmware calls bareprof_send";
}
