/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * callgrind_annotate calls a function by its file and its name. A line belongs
 * to the innermost function around it.
 */
#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "bareprof.h"
#include "../../base/error.h"
#include "../../base/number.h"
#include "../model/view.h"

void callgrind_begin(struct callgrind *to, const char *event) {
  fprintf(to->stream,
          "# callgrind format\nversion: 1\ncreator: bareprof %d.%d.%d\n"
          "positions: line\nevent: %s\nevents: %.*s\n",
          BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255,
          BAREPROF_VERSION & 255, event, (int)strcspn(event, " "), event);
}

void callgrind_function(struct callgrind *to, const char *called,
                        const char *file, const char *name) {
  fprintf(to->stream, "%sfl=", *called ? called : "\n");
  put_printable(to->stream, file ? file : "???");
  fprintf(to->stream, "\n%sfn=", called);
  put_printable(to->stream, name);
  fputc('\n', to->stream);
}

void callgrind_line(struct callgrind *to, uint32_t line, uint64_t cost) {
  fprintf(to->stream, "%" PRIu32 " %" PRIu64 "\n", line, cost);
  to->total = sum_limited(to->total, cost);
}

/* The lines of a file, whose functions begin with number first, outer ones in
 * front. Returns the number behind them. */
static size_t put_file(struct callgrind *to, const struct view *view,
                       size_t row, size_t first, const char *file) {
  const struct view_function *all = view->functions;
  const struct lines *lines = &view->lines[row];
  size_t next = first, owner = SIZE_MAX;
  for (uint32_t line = 1; line < lines->count; line++) {
    if (!lines->list[line].counted || !lines->list[line].count)
      continue;
    while (next < view->function_count && all[next].row == row &&
           all[next].span.line <= line)
      next++;
    size_t i = next;
    while (i > first && all[i - 1].span.end_line < line)
      i--;
    if (i != owner)
      callgrind_function(
          to, "", file, i > first ? all[i - 1].name : "[outside of functions]");
    owner = i;
    callgrind_line(to, line, lines->list[line].count);
  }
  while (next < view->function_count && all[next].row == row)
    next++;
  return next;
}

const char *callgrind_put(const struct measured *measured, FILE *stream) {
  const struct coverage *coverage = measured->coverage;
  const struct scores_summary *files = &coverage->exported.summary;
  struct callgrind to = {.stream = stream};
  struct view view;
  callgrind_begin(&to, "Runs : how often a line ran");
  const char *error = view_make(&view, &coverage->exported);
  if (!error && !coverage->settings->no_demangle)
    error = view_demangle(&view, coverage->release);
  for (size_t row = 0, at = 0; row < files->count && !error; row++)
    at = put_file(&to, &view, row, at,
                  paths_shown(measured->paths, files->rows[row].name));
  view_free(&view);
  callgrind_end(&to);
  return error;
}
