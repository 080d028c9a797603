/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All mangled names go through llvm-cxxfilt at once, a line each.
 */
#include "view.h"

#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/demangle.h"
#include "../../base/error.h"
#include "../../base/os.h"

static bool is_mangled(const char *name) {
  return (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0) &&
         !strchr(name, '\n');
}

static size_t write_names(const struct view *view, FILE *lines) {
  size_t count = 0;
  for (size_t i = 0; i < view->function_count; i++)
    if (is_mangled(view->functions[i].name)) {
      fprintf(lines, "%s\n", view->functions[i].name);
      count++;
    }
  fflush(lines);
  return count;
}

static const char *take_names(struct view *view, const struct buffer *plain) {
  const char *at = (const char *)plain->data, *end = at + plain->size;
  for (size_t i = 0; i < view->function_count; i++) {
    struct view_function *one = &view->functions[i];
    const char *line = at < end && is_mangled(one->name)
                           ? memchr(at, '\n', (size_t)(end - at))
                           : NULL;
    if (!line)
      continue;
    one->name = arena_copy(&view->texts, at, (size_t)(line - at));
    if (!one->name)
      return out_of_memory;
    at = line + 1;
  }
  return NULL;
}

const char *view_demangle(struct view *view, unsigned release) {
  struct buffer plain = {.data = NULL};
  FILE *lines = os_temporary_file();
  const char *error = NULL;
  if (lines && write_names(view, lines) &&
      demangle_lines(release, lines, &plain))
    error = take_names(view, &plain);
  buffer_free(&plain);
  if (lines)
    fclose(lines);
  return error;
}
