/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns console output into dumps: the bytes go to the scanner, and the frames
 * found go to the collector.
 *
 * Logs may be in UTF-16, which PowerShell's `>` and some terminals write. A
 * UTF-16 log begins with a byte order mark and is converted to UTF-8. Other
 * logs pass unchanged.
 */
#ifndef BAREPROF_TOOLS_HEAR_H
#define BAREPROF_TOOLS_HEAR_H

#include "collect.h"
#include "frame.h"
#include "scan.h"

struct hear_events {
  struct collect_events dumps; /* its context is that of all */
  bool live; /* no log: no UTF-16; no text for the collector up to the first
                frame, nor if dumps are asked for */
  /* Console text; or NULL. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
  /* A frame, NULL if it contradicts itself. Return true if the frame belongs to
   * no dump; then the collector does not get it. */
  bool (*frame)(void *context, const struct frame *frame, size_t size);
  /* The collector has taken a frame; or NULL. */
  void (*taken)(void *context);
};

enum utf16_form { UTF16_UNKNOWN, UTF16_NONE, UTF16_LITTLE, UTF16_BIG };

/* Everything except the collector is for hear.c only. */
struct hearing {
  struct collector *collector;
  const struct hear_events *events;
  struct scan *scan;
  struct scan_events scanned;
  struct {
    enum utf16_form form;
    unsigned char held; /* the first byte of a pair */
    bool has_held;
    uint32_t high; /* the first half of a surrogate pair, or 0 */
  } utf16;
  struct {
    uint64_t text, odd; /* bytes of text; those among them that no text has */
    size_t frames, damaged;
  } heard;
};

/* false: out of memory; call hear_end anyway. events must live as long as
 * hearing. */
bool hear_begin(struct hearing *hearing, const struct hear_events *events);

/* Takes the next bytes. */
void hear_feed(struct hearing *hearing, const unsigned char *bytes,
               size_t size);

/* Nothing has come for a moment: see scan_idle. */
void hear_idle(struct hearing *hearing);

/* Call at the end of input. Hands out the remaining text and dumps. Returns how
 * many frames came damaged. */
size_t hear_end(struct hearing *hearing);

/* Whether this is a line at another baud rate, by the bytes of its text. */
bool hear_is_odd(const struct hearing *hearing);

/* After hear_end, if no dump was handed out, whole or with gaps: why not, and
 * what to do. */
const char *hear_lacks(const struct hearing *hearing);

#endif
