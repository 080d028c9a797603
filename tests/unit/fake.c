/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A unit test of firmware replaces the functions that send: they are inline
 * too, and these definitions compile all the same.
 */
#include "bareprof_wire.h"
#include "check.h"

static unsigned sent;

int bareprof_send(const struct bareprof_sink *out, unsigned options) {
  (void)out;
  sent = options;
  return 7;
}

int bareprof_send_name(const struct bareprof_sink *out, unsigned options,
                       const char *name) {
  (void)out, (void)options;
  return name[0];
}

int main(void) {
  check_begin("names, a fake of bareprof_send compiles and is called");
  expect(7, bareprof_send(NULL, BAREPROF_LEAN));
  expect(BAREPROF_LEAN, sent);
  expect('n', bareprof_send_name(NULL, BAREPROF_TEXT, "n"));
  check_end();
  return 0;
}
