/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sink that fails at byte n, for every n, taking what it gets whole or in
 * small pieces: its code comes back unchanged, or as BAREPROF_E_SINK if it is
 * negative; nothing is called after it, and what came before is the beginning
 * of the profile.
 */
#include <limits.h>
#include <string.h>

#include "check.h"
#include "compose.h"
#include "tests.h"

struct failing {
  size_t fail_at; /* the byte that cannot be taken */
  size_t split;   /* takes that many bytes at a time */
  int code;
  struct capture got;
  bool failed, called_again;
};

static int failing_write(void *context, const void *bytes, size_t size) {
  struct failing *to = context;
  const unsigned char *at = bytes;
  to->called_again |= to->failed;
  if (!bytes || !size)
    return capture_write(&to->got, bytes, size);
  while (size) {
    size_t piece = size < to->split ? size : to->split;
    if (to->got.size + piece > to->fail_at) {
      to->failed = true;
      return to->code;
    }
    capture_write(&to->got, at, piece);
    at += piece;
    size -= piece;
  }
  return 0;
}

static void fail_everywhere(const struct bareprof_image *image, size_t split) {
  static struct capture whole;
  static struct failing to;
  const struct bareprof_sink sink = {failing_write, &to};
  expect(0, capture_image(&whole, image));
  for (size_t n = 0; n <= whole.size; n++) {
    memset(&to, 0, sizeof to);
    to.fail_at = n;
    to.split = split;
    to.code = n % 3 ? (int)n + 1 : INT_MAX - (int)n;
    if (n % 5 == 0)
      to.code = n % 2 ? -1 - (int)n : INT_MIN + (int)n;
    bool whole_fits = n == whole.size;
    int told = to.code < 0 ? BAREPROF_E_SINK : to.code;
    expect(whole_fits ? 0 : told, bareprof_write_image(image, &sink));
    expect(!whole_fits, to.failed);
    expect_true(!to.called_again && !to.got.null_or_empty);
    expect_true(to.got.size <= n && n - to.got.size < whole.size);
    expect(0, memcmp(to.got.bytes, whole.bytes, to.got.size));
    if (split == 1)
      expect(n, to.got.size);
  }
}

static void fail_in_pieces(size_t split) {
  static struct firmware firmware;
  for (unsigned version = 7; version <= 11; version++)
    for (unsigned machine = 0; machine < machine_count; machine++) {
      struct target target = machines[machine];
      target.version = version;
      check_where("%s in pieces of %zu", target_name(&target), split);
      compose(&firmware, &target, &everything);
      fail_everywhere(&firmware.image, split);
      compose(&firmware, &target, &everything_bytes);
      fail_everywhere(&firmware.image, split);
    }
}

void test_sinks(void) {
  check_begin("%s sink that fails at byte n, any n: its code comes back, "
              "nothing after it",
              flavour_name);
  fail_in_pieces(1);
  fail_in_pieces(3);
  fail_in_pieces(8);
  fail_in_pieces(SIZE_MAX);
  check_end();
}
