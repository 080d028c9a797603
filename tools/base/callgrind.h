/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the format of valgrind's callgrind, version 1, for KCachegrind and
 * callgrind_annotate: functions with the costs of their lines, and calls.
 *
 *     callgrind_begin(&callgrind, stream, "Runs", "times that a line ran");
 *     callgrind_function(&callgrind, file, name);
 *     callgrind_line(&callgrind, 12, 5);
 *     callgrind_end(&callgrind);
 *
 * The caller checks the stream for errors.
 */
#ifndef BASE_CALLGRIND_H
#define BASE_CALLGRIND_H

#include <stdint.h>
#include <stdio.h>

struct callgrind {
  FILE *stream;
  const char *file; /* of the function at hand */
  uint64_t total;
};

/* Only costs of one kind: event is its short name, of letters. */
void callgrind_begin(struct callgrind *callgrind, FILE *stream,
                     const char *event, const char *meaning);

/* From here on lines and calls are this function's. file: as readers find it,
 * or NULL; it must live until the next function. Control characters are written
 * as \xNN. */
void callgrind_function(struct callgrind *callgrind, const char *file,
                        const char *name);

void callgrind_line(struct callgrind *callgrind, uint32_t line, uint64_t cost);

/* Calls of a function from a line. Their cost is their number. */
struct callgrind_call {
  const char *file, *name; /* of the function called; file: or NULL */
  uint32_t begin;          /* its line; 0: not known */
  uint32_t line;           /* of the call; 0: not known */
  uint64_t count;
};
void callgrind_call(struct callgrind *callgrind,
                    const struct callgrind_call *call);

/* Writes the total. */
void callgrind_end(struct callgrind *callgrind);

#endif
