/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * callgrind_annotate calls a function by its file and its name, and takes the
 * file of the caller where the call names none.
 */
#include "callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "bareprof.h"
#include "error.h"
#include "number.h"

static const char unknown[] = "???";

static void put_name(FILE *stream, const char *key, const char *name) {
  fprintf(stream, "%s=", key);
  put_printable(stream, name);
  fputc('\n', stream);
}

void callgrind_begin(struct callgrind *callgrind, FILE *stream,
                     const char *event, const char *meaning) {
  *callgrind = (struct callgrind){.stream = stream};
  fprintf(stream,
          "# callgrind format\nversion: 1\ncreator: bareprof %d.%d.%d\n"
          "positions: line\nevent: %s : %s\nevents: %s\n",
          BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255,
          BAREPROF_VERSION & 255, event, meaning, event);
}

void callgrind_function(struct callgrind *callgrind, const char *file,
                        const char *name) {
  callgrind->file = file ? file : unknown;
  fputc('\n', callgrind->stream);
  put_name(callgrind->stream, "fl", callgrind->file);
  put_name(callgrind->stream, "fn", name);
}

void callgrind_line(struct callgrind *callgrind, uint32_t line, uint64_t cost) {
  fprintf(callgrind->stream, "%" PRIu32 " %" PRIu64 "\n", line, cost);
  callgrind->total = sum_limited(callgrind->total, cost);
}

void callgrind_call(struct callgrind *callgrind,
                    const struct callgrind_call *call) {
  const char *file = call->file ? call->file : unknown;
  if (strcmp(file, callgrind->file) != 0)
    put_name(callgrind->stream, "cfi", file);
  put_name(callgrind->stream, "cfn", call->name);
  fprintf(callgrind->stream,
          "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n",
          call->count, call->begin, call->line, call->count);
}

void callgrind_end(struct callgrind *callgrind) {
  fprintf(callgrind->stream, "\ntotals: %" PRIu64 "\n", callgrind->total);
}
