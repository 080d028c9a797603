/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A file element for each source, a lineToCover for each line with code. Both
 * outcomes of a condition are branches.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "xml.h"

/* Writes a line, and returns what follows its branches. */
static size_t put_line(FILE *stream, const struct lcov *lcov, size_t at) {
  const struct lcov_entry *line = &lcov->entries[at++];
  unsigned branches = 0, taken = 0;
  for (; at < lcov->count && lcov->entries[at].kind == LCOV_BRANCH &&
         lcov->entries[at].line == line->line;
       at++) {
    branches++;
    taken += lcov->entries[at].hits != 0;
  }
  fprintf(stream, "<lineToCover lineNumber=\"%u\" covered=\"%s\"", line->line,
          line->hits ? "true" : "false");
  if (branches)
    fprintf(stream, " branchesToCover=\"%u\" coveredBranches=\"%u\"", branches,
            taken);
  fputs("/>\n", stream);
  return at;
}

static size_t put_file(FILE *stream, const struct lcov *lcov,
                       const struct paths *paths, size_t at) {
  const char *file = lcov->entries[at].file;
  char *known = paths_name(paths, file);
  const char *name = known ? known : file;
  fputs("<file", stream);
  xml_put_attribute(stream, "path", name, strlen(name));
  fputs(">\n", stream);
  while (at < lcov->count && strcmp(lcov->entries[at].file, file) == 0)
    if (lcov->entries[at].kind == LCOV_LINE)
      at = put_line(stream, lcov, at);
    else
      at++;
  fputs("</file>\n", stream);
  free(known);
  return at;
}

void sonar_write(const struct lcov *lcov, const struct paths *paths,
                 FILE *stream) {
  fputs(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage version=\"1\">\n",
      stream);
  for (size_t at = 0; at < lcov->count;)
    at = put_file(stream, lcov, paths, at);
  fputs("</coverage>\n", stream);
}
