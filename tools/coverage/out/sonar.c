/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A file element for each source, a lineToCover for each line with code. Both
 * outcomes of a condition are branches.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

/* Writes a line, and returns what follows its branches. */
static size_t put_line(struct text *text, const struct lcov *lcov, size_t at) {
  const struct lcov_entry *line = &lcov->entries[at++];
  unsigned branches = 0, taken = 0;
  for (; at < lcov->count && lcov->entries[at].kind == LCOV_BRANCH &&
         lcov->entries[at].line == line->line;
       at++) {
    branches++;
    taken += lcov->entries[at].hits != 0;
  }
  xml_print(text, "<lineToCover lineNumber=\"%u\" covered=\"%s\"", line->line,
            line->hits ? "true" : "false");
  if (branches)
    xml_print(text, " branchesToCover=\"%u\" coveredBranches=\"%u\"", branches,
              taken);
  text_put(text, "/>\n");
  return at;
}

static size_t put_file(struct text *text, const struct lcov *lcov,
                       const struct paths *paths, size_t at) {
  const char *file = lcov->entries[at].file;
  xml_print(text, "<file path=\"%s\">\n", paths_shown(paths, file));
  while (at < lcov->count && strcmp(lcov->entries[at].file, file) == 0)
    if (lcov->entries[at].kind == LCOV_LINE)
      at = put_line(text, lcov, at);
    else
      at++;
  text_put(text, "</file>\n");
  return at;
}

void sonar_write(const struct lcov *lcov, const struct paths *paths,
                 FILE *stream) {
  struct text room, *text = &room;
  text_begin(text, stream);
  text_put(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<coverage version=\"1\">\n");
  for (size_t at = 0; at < lcov->count;)
    at = put_file(text, lcov, paths, at);
  text_put(text, "</coverage>\n");
  text_flush(text);
}
