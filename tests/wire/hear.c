/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Listens to a scanner.
 */
#include "hear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct heard *heard = context;
  put(&heard->text, bytes, size);
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct heard *heard = context;
  put_frame(&heard->frames, bytes, size);
  heard->count++;
  heard->mended += mended;
}

struct frame_scanner *hear_begin(struct heard *heard) {
  static struct scan_events events;
  events = (struct scan_events){heard, on_text, on_frame};
  struct frame_scanner *scan = scan_new(&events);
  if (!scan)
    abort();
  heard->text.size = heard->frames.size = 0;
  heard->count = heard->mended = 0;
  return scan;
}

void hear_end(struct frame_scanner *scan, struct heard *heard) {
  heard->damaged = scan_count_damaged_frames(scan);
  scan_end_and_free(scan);
}

void hear(struct heard *heard, const struct bytes *wire, size_t most) {
  struct frame_scanner *scan = hear_begin(heard);
  for (size_t at = 0, size; at < wire->size; at += size) {
    size = 1 + pick((uint32_t)most);
    if (size > wire->size - at)
      size = wire->size - at;
    unsigned char *block = malloc(size);
    if (!block)
      abort();
    memcpy(block, wire->at + at, size);
    scan_feed(scan, block, size);
    free(block);
  }
  hear_end(scan, heard);
}

bool report(bool holds, const char *label) {
  printf("%s wire scan: %s\n", holds ? "ok" : "not ok", label);
  return holds;
}
