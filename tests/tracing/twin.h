/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program with trace points and its twin, COUNTED, are one source: clang's
 * code counts in the twin, and the twin writes its profile into a file.
 */
#ifndef TRACING_TWIN_H
#define TRACING_TWIN_H

#ifdef COUNTED
#include "bareprof.h"
#include "bareprof_semihosting.h"

/* Returns 0 or the error. */
static int save(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "twin.profraw"))
    return 1;
  int error = bareprof_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}
#else
static int save(void) { return 0; }
#endif

#endif
