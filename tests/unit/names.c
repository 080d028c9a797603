/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_send_name, in a program with an instrumented function, and RELEASE:
 * in one without, which sends nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "bareprof_wire.h"
#include "check.h"
#include "counting.h"

/* Of so many bytes, with no zero and no memory after them: what is sent. */
static size_t send(int expected, size_t size) {
  char *name = malloc(size);
  memset(name, 'n', size);
  sent = 0;
  expect(expected, bareprof_send_name(&sink, BAREPROF_BINARY, name));
  free(name);
  return sent;
}

int main(void) {
#ifdef RELEASE
  check_begin("names: a release sends none");
  expect(0, send(BAREPROF_E_EMPTY, BAREPROF_NAME_BYTES));
#else
  check_begin("names: none is read after its limit");
  size_t most = send(0, BAREPROF_NAME_BYTES);
  expect_true(most > BAREPROF_NAME_BYTES);
  expect(most, send(0, 2 * BAREPROF_NAME_BYTES));
#endif
  check_end();
  return 0;
}
