/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line belongs to the innermost function around it.
 */
#include "formats.h"

#include <stdlib.h>

#include "../../base/callgrind.h"
#include "../../base/error.h"
#include "../model/view.h"

/* While a file is written. */
struct written {
  struct callgrind *callgrind;
  const struct view *view;
  const struct lines *lines;
  uint32_t
      *owners; /* of each line: its function's number, from 1 on; 0: none */
  const char *file;
};

static void put_lines(struct written *written, uint32_t owner, uint32_t first,
                      uint32_t last) {
  const struct view *view = written->view;
  bool any = false;
  for (uint32_t line = first; line <= last; line++) {
    const struct line_count *one = &written->lines->list[line];
    if (written->owners[line] != owner || !one->counted || !one->count)
      continue;
    if (!any)
      callgrind_function(written->callgrind, written->file,
                         owner ? view->functions[owner - 1].name
                               : "[outside of functions]");
    any = true;
    callgrind_line(written->callgrind, line, one->count);
  }
}

/* The functions of a file are those from begin to end, outer ones first. */
static void put_file(struct written *written, size_t begin, size_t end) {
  const struct view *view = written->view;
  uint32_t most = written->lines->count - 1;
  for (size_t i = begin; i < end; i++) {
    const struct source_span *span = &view->functions[i].span;
    for (uint32_t line = span->line; line <= span->end_line && line <= most;
         line++)
      written->owners[line] = (uint32_t)i + 1;
  }
  put_lines(written, 0, 1, most);
  for (size_t i = begin; i < end; i++) {
    const struct source_span *span = &view->functions[i].span;
    put_lines(written, (uint32_t)i + 1, span->line,
              span->end_line < most ? span->end_line : most);
  }
}

static const char *put_view(struct callgrind *callgrind,
                            const struct view *view,
                            const struct paths *paths) {
  size_t begin = 0, end = 0;
  for (size_t row = 0; row < view->exported->summary.count; row++) {
    const char *name = view->exported->summary.rows[row].name;
    struct written written = {callgrind, view, &view->lines[row], NULL,
                              paths_shown(paths, name)};
    written.owners = calloc(written.lines->count, sizeof *written.owners);
    while (end < view->function_count && view->functions[end].row == row)
      end++;
    if (written.owners)
      put_file(&written, begin, end);
    begin = end;
    if (!written.owners)
      return out_of_memory;
    free(written.owners);
  }
  return NULL;
}

const char *callgrind_lines_write(const struct coverage *coverage,
                                  const struct paths *paths, FILE *stream) {
  struct callgrind callgrind;
  struct view view;
  callgrind_begin(&callgrind, stream, "Runs", "how often a line ran");
  const char *error = view_make(&view, &coverage->exported);
  if (!error && !coverage->settings->no_demangle)
    error = view_demangle(&view, coverage->release);
  if (!error)
    error = put_view(&callgrind, &view, paths);
  view_free(&view);
  callgrind_end(&callgrind);
  return error;
}
