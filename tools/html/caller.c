/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which line could have called a function that never ran. A static function is
 * called in its own file alone, so that the words of the file tell.
 */
#include <ctype.h>
#include <string.h>

#include "site.h"

static bool is_word(unsigned char c) { return isalnum(c) || c == '_'; }

/* The last word before the parameters or the parameters of a template. */
static struct bytes last_word(const char *name) {
  size_t end = strcspn(name, "(<"), begin = end;
  while (begin && is_word((unsigned char)name[begin - 1]))
    begin--;
  return (struct bytes){(const unsigned char *)name + begin, end - begin};
}

/* Whether a comment or a string begins in what is before a place. */
static bool has_other(const unsigned char *begin, const unsigned char *end) {
  for (; begin < end; begin++)
    if (*begin == '"' ||
        (*begin == '/' && (begin[1] == '/' || begin[1] == '*')))
      return true;
  return false;
}

/* Whether the line has a call, before any comment or string. Most lines do not
 * even have the first letter. */
static bool has_call(struct bytes line, struct bytes word) {
  const unsigned char *at = line.data, *end = at + line.size;
  for (; (size_t)(end - at) > word.size; at++) {
    at = memchr(at, *word.data, (size_t)(end - at) - word.size);
    if (!at)
      return false;
    if ((at == line.data || !is_word(at[-1])) &&
        !memcmp(at, word.data, word.size) && at[word.size] == '(')
      return !has_other(line.data, at);
  }
  return false;
}

static bool holds(const struct view_function *function, uint32_t line) {
  return function->span.line <= line && line <= function->span.end_line;
}

const struct view_function *site_caller(const struct html_site *site,
                                        const struct view_function *one,
                                        uint32_t *line) {
  const struct view *view = &site->view;
  struct bytes word = last_word(one->name);
  const struct view_function *caller = NULL;
  struct source_text source;
  if (word.size && !source_read(&source, site->pages[one->row].here))
    for (*line = 1; !caller && *line < source.count; ++*line) {
      if (holds(one, *line) || !has_call(source_line(&source, *line), word))
        continue;
      for (size_t i = 0; !caller && i < view->function_count; i++)
        if (view->functions[i].row == one->row && view->functions[i].calls &&
            holds(&view->functions[i], *line))
          caller = &view->functions[i];
    }
  if (word.size)
    source_free(&source);
  --*line;
  return caller;
}
