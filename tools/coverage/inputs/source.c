/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sources are written while this runs: nothing trusts that places are inside.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/storage.h"
#include "../../base/error.h"

enum { SOURCE_LIMIT = 1 << 30 };

/* Behind the end of the line that is at `at`. feeds: only LF ends lines, as in
 * nearly all sources. */
static size_t next_line(struct bytes text, size_t at, bool feeds) {
  if (feeds) {
    const unsigned char *end = memchr(text.data + at, '\n', text.size - at);
    return end ? (size_t)(end - text.data) + 1 : text.size;
  }
  while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r')
    at++;
  if (at + 1 < text.size && text.data[at] == '\r' && text.data[at + 1] == '\n')
    at++;
  return at < text.size ? at + 1 : at;
}

static bool add(struct source_text *source, size_t start) {
  if (!list_more(&source->starts, source->count, sizeof *source->starts))
    return false;
  source->starts[source->count++] = (uint32_t)start;
  return true;
}

int source_read(struct source_text *source, const char *name) {
  *source = (struct source_text){0};
  if (file_read_if(&source->file, name, SOURCE_LIMIT, &source->found))
    return 1;
  if (!source->found)
    return 0;
  struct bytes text = source->file.bytes;
  bool feeds = text.size && !memchr(text.data, '\r', text.size);
  bool failed = !add(source, 0);
  for (size_t at = 0; at < text.size && !failed;
       at = next_line(text, at, feeds))
    failed = !add(source, at);
  failed = failed || !add(source, text.size);
  if (!failed)
    source->count--;
  return failed ? report_memory(name) : 0;
}

void source_free(struct source_text *source) {
  if (source->found)
    file_close(&source->file);
  free(source->starts);
  *source = (struct source_text){0};
}

struct bytes source_line(const struct source_text *source, uint32_t line) {
  if (!line || line >= source->count)
    return (struct bytes){NULL, 0};
  const unsigned char *data = source->file.bytes.data;
  size_t begin = source->starts[line], end = source->starts[line + 1];
  while (end > begin && (data[end - 1] == '\n' || data[end - 1] == '\r'))
    end--;
  return (struct bytes){data + begin, end - begin};
}

/* The offset of a place, at most at the end of its line. */
static size_t offset_of(const struct source_text *source, uint32_t line,
                        uint32_t column) {
  size_t begin = source->starts[line];
  size_t size = source_line(source, line).size;
  size_t add = column ? column - 1 : 0;
  return begin + (add < size ? add : size);
}

struct bytes source_piece(const struct source_text *source,
                          const struct source_span *span) {
  if (!span->line || span->line >= source->count ||
      span->end_line < span->line || span->end_line >= source->count)
    return (struct bytes){NULL, 0};
  size_t begin = offset_of(source, span->line, span->column);
  size_t end = offset_of(source, span->end_line, span->end_column);
  if (end <= begin)
    return (struct bytes){NULL, 0};
  return (struct bytes){source->file.bytes.data + begin, end - begin};
}
