/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests as the tool composes them.
 */
#include "wish.h"

#include "wire/session.h"

size_t make_request(char line[80], const struct asked *asked) {
  struct dump_header to = {.core = (unsigned)asked->core,
                           .image = (unsigned)asked->image};
  struct snapshot_gap holes[4];
  for (unsigned i = 0; i < asked->range_count; i++)
    holes[i] = (struct snapshot_gap){asked->ranges[i][0], asked->ranges[i][1],
                                     asked->ranges[i][2]};
  struct request wish = {.tag = asked->tag,
                         .boot = asked->name,
                         .command = asked->command,
                         .options = asked->options,
                         .to = asked->core < 0 ? NULL : &to,
                         .holes = holes,
                         .hole_count = asked->range_count};
  return frame_build_request(line, &wish);
}

static void pass_text(void *context, const unsigned char *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
}

/* The number is behind the frame's head and the tag. */
static void see_request(void *context, const unsigned char *bytes, size_t size,
                        bool mended) {
  (void)size, (void)mended;
  *(unsigned *)context += load16(bytes + 8, false) == 0;
}

unsigned count_unnumbered_requests(unsigned count) {
  static const struct reassembly_events none;
  static struct requester requester = {.dump = true, .every = 1000};
  unsigned unnumbered = 0;
  const struct scan_events events = {&unnumbered, pass_text, see_request};
  struct reassembler *reassembler = reassembly_new(&none);
  struct frame_scanner *scan = scan_new(&events);
  requester_draw_numbers(&requester);
  for (uint64_t now = 1; now <= count; now++) {
    char line[REQUEST_LINE];
    size_t size =
        requester_build_next_line(&requester, reassembler, now * 2000, line);
    scan_feed(scan, (const unsigned char *)line, size);
    unnumbered += size == 0;
  }
  scan_end_and_free(scan);
  reassembly_end_and_free(reassembler);
  return unnumbered;
}
