/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests as the tool composes them.
 */
#include "wish.h"

#include "wire/frame.h"

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
