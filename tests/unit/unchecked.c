/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_write_unchecked of composed images: natively only, because it
 * speaks of the running image.
 */
#include <string.h>

#include "check.h"
#include "tests.h"

extern struct bareprof_image running_image __asm__("bareprof_running");
struct bareprof_image running_image;

#ifdef BAREPROF_FOREIGN
void unchecked_is(int error, const struct capture *written,
                  const struct bareprof_image *image) {
  (void)error;
  (void)written;
  (void)image;
}
#else
void unchecked_is(int error, const struct capture *written,
                  const struct bareprof_image *image) {
  static struct capture out;
  const struct bareprof_sink sink = {capture_write, &out};
  memset(&out, 0, sizeof out);
  running_image = *image;
  expect(error, bareprof_write_unchecked(&sink));
  expect(written->calls, out.calls);
  expect(written->size, out.size);
  expect(0, memcmp(written->bytes, out.bytes, out.size));
}
#endif
