/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the lines with code in the text of a source that no ELF has a mapping
 * of: all lines except blank lines, comments and directives. expected.c counts
 * these lines as never run.
 */
#include "expected.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"

struct text_part code_lines_trim(struct bytes line) {
  struct text_part text = {(const char *)line.data, line.size};
  part_skip_blanks(&text);
  return text;
}

void code_lines_append(struct buffer *list, uint64_t line,
                       const char *function) {
  need_append(list, &(struct code_line){line, function},
              sizeof(struct code_line));
}

/* Returns whether a line can be code. Also follows directives: *off is the
 * number of open #if directives since an #if 0. */
static bool follow_source_line(struct bytes line, enum planned_kind kind,
                               unsigned *off) {
  struct text_part text = code_lines_trim(line);
  if (!text.size ||
      (kind == PLANNED_ASSEMBLY && strchr("@;|", *text.at) != NULL))
    return false;
  if (!part_skip_word(&text, "#"))
    return !*off;
  part_skip_blanks(&text);
  if (part_starts_with(text, "endif") && *off)
    --*off;
  else if (*off == 1 && part_starts_with(text, "el"))
    *off = 0;
  else if (part_skip_word(&text, "if") && (*off || part_skip_word(&text, " 0")))
    ++*off;
  return false;
}

const char *code_lines_append_text(const char *here, bool all,
                                   struct buffer *list) {
  struct exclusions none = {.no_markers = true};
  struct excluded_source source = {.name = NULL};
  struct bytes line;
  struct file file;
  bool found;
  unsigned off = 0;
  if (file_read_if_exists(&file, here, SOURCE_MOST, &found))
    return "a source cannot be read; check the path and the permissions";
  if (!found) { /* Even a missing source has one function. */
    code_lines_append(list, 1, NULL);
    return NULL;
  }
  struct bytes text = file.bytes;
  const char *error = markers_parse(&none, &source, text);
  for (uint32_t i = 1; !error && bytes_next_line(&text, &line); i++)
    if ((follow_source_line(line, planned_source_kind(here), &off) || all) &&
        source.contents[i] != LINE_EMPTY &&
        !part_starts_with(code_lines_trim(line), "#"))
      code_lines_append(list, i, NULL);
  free(source.contents);
  file_close(&file);
  return error;
}
