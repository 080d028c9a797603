/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * POSIX: the C library's regular expressions.
 */
#include "ere.h"

#include <regex.h>
#include <stdlib.h>

const char *ere_compile(struct ere *ere, const char *text) {
  static char why[100];
  regex_t *compiled = malloc(sizeof *compiled);
  if (!compiled)
    return "Memory exhausted";
  int error = regcomp(compiled, text, REG_EXTENDED);
  ere->program = error ? NULL : compiled;
  if (!error)
    return NULL;
  regerror(error, compiled, why, sizeof why);
  free(compiled);
  return why;
}

/* No places: the library is faster then. */
bool ere_matches(const struct ere *ere, const char *text) {
  return regexec(ere->program, text, 0, NULL, 0) == 0;
}

bool ere_find(const struct ere *ere, const char *text, struct ere_span *span) {
  regmatch_t match[2];
  if (regexec(ere->program, text, 2, match, 0) != 0)
    return false;
  unsigned group = match[1].rm_so >= 0;
  *span =
      (struct ere_span){(size_t)match[group].rm_so, (size_t)match[group].rm_eo};
  return true;
}

void ere_free(struct ere *ere) {
  if (ere->program)
    regfree(ere->program);
  free(ere->program);
  ere->program = NULL;
}
